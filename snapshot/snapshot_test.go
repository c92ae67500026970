package snapshot_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

type (
	snap        = snapshot.Snapshot
	snapPosting = snapshot.Posting
)

// searchPage is the answer to a search, whole or cut off.
type searchPage struct {
	body string
	err  error // after the body; nil: its end
}

func snapshotOf(tb testing.TB, p searchPage, cfg jobboard.Config, q jobboard.Query) (*snap, error) {
	tb.Helper()
	cfg.ClientID = "10"
	cfg.HTTPClient = &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(p.body), iotest.ErrReader(cmp.Or(p.err, io.EOF)))
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
	})}
	cfg.BaseURL = "https://jobs.example"
	return snapshot.Take(tb.Context(), rig.Client(tb, cfg), "27828_extern", q)
}

func postingJSON(id, version int, title string) string {
	return fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":%d,"title":%q,"jobStartDate":1,"postingVersionStartDate":2,"postingVersionEndDate":3,"config":{"x":["y"]}}`,
		id, version, title)
}

func TestSnapshotComplete(t *testing.T) {
	two := postingJSON(2, 20, "b") + "," + postingJSON(1, 10, "a")
	kept := []snapPosting{{1, 10, "a", 1, 2, 3}, {2, 20, "b", 1, 2, 3}}
	for _, c := range []struct {
		name     string
		page     searchPage
		want     []snapPosting
		complete bool
		err      error
	}{
		{"whole", searchPage{`{"totalNumberOfJobs":2,"numPages":1,"results":[` + two + `]}`, nil}, kept, true, nil},
		{"counters behind", searchPage{`{"results":[` + two + `],"totalNumberOfJobs":2}`, nil}, kept, true, nil},
		{"empty", searchPage{`{"totalNumberOfJobs":0,"results":[]}`, nil}, nil, true, nil},
		{"more hits", searchPage{`{"totalNumberOfJobs":3,"results":[` + two + `]}`, nil}, kept, false, nil},
		{"more pages", searchPage{`{"totalNumberOfJobs":2,"numPages":2,"results":[` + two + `]}`, nil}, kept, false, nil},
		{"nothing of some", searchPage{`{"totalNumberOfJobs":3,"results":[]}`, nil}, nil, false, nil},
		{"more hits, counters behind", searchPage{`{"results":[` + two + `],"totalNumberOfJobs":3}`, nil}, kept, false, nil},
		{"one twice, counted once", searchPage{`{"totalNumberOfJobs":2,"results":[` + two + `,` + postingJSON(1, 10, "a") + `]}`, nil}, kept, true, nil},
		{"one twice, counted twice", searchPage{`{"totalNumberOfJobs":3,"results":[` + two + `,` + postingJSON(1, 10, "a") + `]}`, nil}, kept, false, nil},
		{"reset in the middle", searchPage{`{"totalNumberOfJobs":2,"results":[` + two + `,`, io.ErrUnexpectedEOF}, kept, false, jobboard.ErrTransport},
		{"broken behind the postings", searchPage{`{"totalNumberOfJobs":2,"results":[` + two + `],"numPages":x}`, nil}, kept, false, jobboard.ErrDecode},
		{"a posting that cannot be read", searchPage{`{"totalNumberOfJobs":3,"results":[` + two + `,{"jobPostingId":"x"}]}`, nil}, kept, false, nil},
		{"one that is not counted", searchPage{`{"totalNumberOfJobs":2,"results":[7,` + two + `]}`, nil}, kept, false, nil},
		{"no posting that can be read", searchPage{`{"totalNumberOfJobs":1,"results":[{"jobPostingId":"x"}]}`, nil}, nil, false, jobboard.ErrDecode},
		{"broken posting", searchPage{`{"totalNumberOfJobs":3,"results":[` + two + `,{"jobPostingId":x}]}`, nil}, kept, false, jobboard.ErrDecode},
		{"a page of somebody else", searchPage{`<html>`, nil}, nil, false, jobboard.ErrDecode},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := snapshotOf(t, c.page, jobboard.Config{Retry: jobboard.RetryPolicy{MaxAttempts: 1}}, jobboard.Query{})
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("error %v", err)
			}
			if s.Complete != c.complete || !slices.Equal(s.Postings, c.want) {
				t.Errorf("complete %v, %v", s.Complete, s.Postings)
			}
			if s.Channel != "27828_extern" || time.Since(s.Taken) > time.Minute {
				t.Errorf("%q, taken %v", s.Channel, s.Taken)
			}
			// What the next run makes of it: never gone without being sure.
			before := &snap{Channel: "27828_extern", Complete: true, Postings: []snapPosting{{JobPostingID: 99}}}
			changes, err := snapshot.Diff(before, s)
			if err != nil {
				t.Fatal(err)
			}
			if c.complete != (len(changes.Gone) == 1) || c.complete == (len(changes.MaybeGone) == 1) {
				t.Errorf("%+v", changes)
			}
		})
	}
}

// Of a posting that comes twice, the newest version stays, in whatever order.
func TestSnapshotOfRepeats(t *testing.T) {
	all := []string{postingJSON(1, 10, "old"), postingJSON(1, 12, "new"), postingJSON(1, 11, "middle"), postingJSON(1, 12, "mew"), postingJSON(2, 20, "b")}
	random := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	for range 20 {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		s, err := snapshotOf(t, searchPage{`{"totalNumberOfJobs":2,"results":[` + strings.Join(all, ",") + `]}`, nil}, jobboard.Config{}, jobboard.Query{})
		if want := []snapPosting{{1, 12, "new", 1, 2, 3}, {2, 20, "b", 1, 2, 3}}; err != nil || !slices.Equal(s.Postings, want) {
			t.Fatalf("%v, %v", s.Postings, err)
		}
	}
}

func TestDiff(t *testing.T) {
	one, two, three := snapPosting{1, 10, "a", 1, 2, 3}, snapPosting{2, 20, "b", 1, 2, 3}, snapPosting{3, 30, "c", 1, 2, 3}
	edit := func(change func(*snapPosting)) snapPosting {
		e := two
		change(&e)
		return e
	}
	type list = []snapPosting
	for _, c := range []struct {
		name                        string
		before, after               list
		beforeComplete, afterWhole  bool
		added, gone                 list
		maybeAdded, maybeGone, both list // both: after of what changed
	}{
		{name: "nothing", before: list{one, two}, after: list{two, one}, beforeComplete: true, afterWhole: true},
		{name: "empty", beforeComplete: true, afterWhole: true},
		{name: "added", before: list{two}, after: list{one, two, three}, beforeComplete: true, afterWhole: true, added: list{one, three}},
		{name: "all added", after: list{one, two}, beforeComplete: true, afterWhole: true, added: list{one, two}},
		{name: "gone", before: list{three, one, two}, after: list{two}, beforeComplete: true, afterWhole: true, gone: list{one, three}},
		{name: "one by another", before: list{one}, after: list{two}, beforeComplete: true, afterWhole: true, added: list{two}, gone: list{one}},
		{name: "one by an earlier one", before: list{two}, after: list{one}, beforeComplete: true, afterWhole: true, added: list{one}, gone: list{two}},
		{name: "all gone", before: list{one, two}, beforeComplete: true, afterWhole: true, gone: list{one, two}},
		{name: "after not complete", before: list{one, two}, after: list{two, three}, beforeComplete: true, added: list{three}, maybeGone: list{one}},
		{name: "before not complete", before: list{one, two}, after: list{two, three}, afterWhole: true, maybeAdded: list{three}, gone: list{one}},
		{name: "neither complete", before: list{one, two}, after: list{two, three}, maybeAdded: list{three}, maybeGone: list{one}},
		{
			name: "version", before: list{one, two}, after: list{one, edit(func(e *snapPosting) { e.PostingVersionID = 21 })}, beforeComplete: true, afterWhole: true,
			both: list{edit(func(e *snapPosting) { e.PostingVersionID = 21 })},
		},
		{name: "title", before: list{two}, after: list{edit(func(e *snapPosting) { e.Title = "B" })}, both: list{edit(func(e *snapPosting) { e.Title = "B" })}},
		{name: "start", before: list{two}, after: list{edit(func(e *snapPosting) { e.JobStartDate = 9 })}, both: list{edit(func(e *snapPosting) { e.JobStartDate = 9 })}},
		{name: "from", before: list{two}, after: list{edit(func(e *snapPosting) { e.PostingVersionStartDate = 9 })}, both: list{edit(func(e *snapPosting) { e.PostingVersionStartDate = 9 })}},
		{name: "until", before: list{two}, after: list{edit(func(e *snapPosting) { e.PostingVersionEndDate = 0 })}, both: list{edit(func(e *snapPosting) { e.PostingVersionEndDate = 0 })}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := &snap{Channel: "x", Postings: slices.Clone(c.before), Complete: c.beforeComplete}
			after := &snap{Channel: "x", Postings: slices.Clone(c.after), Complete: c.afterWhole}
			got, err := snapshot.Diff(before, after)
			if err != nil {
				t.Fatal(err)
			}
			want := snapshot.Changes{Added: c.added, Gone: c.gone, MaybeAdded: c.maybeAdded, MaybeGone: c.maybeGone}
			for _, e := range c.both {
				want.Changed = append(want.Changed, snapshot.Change{Before: two, After: e})
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
			if !slices.Equal(before.Postings, c.before) || !slices.Equal(after.Postings, c.after) {
				t.Error("Diff changed a snapshot")
			}
		})
	}
}

func TestDiffRefuses(t *testing.T) {
	base := snap{Channel: "a", Text: "nurse", Near: jobboard.Near(52.5, 13.4, 50), Language: "de"}
	for _, c := range []struct {
		change func(*snap)
		says   string
	}{
		{func(s *snap) { s.Channel = "b" }, "different channels"},
		{func(s *snap) { s.Text = "" }, "different queries"},
		{func(s *snap) { s.Near.RadiusKm = 51 }, "different queries"},
		{func(s *snap) { s.Language = "en" }, "different languages"},
		{func(s *snap) { s.ForApplicant = true }, "an applicant's, the other a client's"},
	} {
		other := base
		c.change(&other)
		for _, pair := range [][2]*snap{{&base, &other}, {&other, &base}} {
			_, err := snapshot.Diff(pair[0], pair[1])
			if !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v does not say %q", err, c.says)
			}
		}
	}
	for _, pair := range [][2]*snap{{nil, &base}, {&base, nil}, {nil, nil}} {
		if _, err := snapshot.Diff(pair[0], pair[1]); !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Errorf("nil: %v", err)
		}
	}
}

// A snapshot knows what was asked for, the client's own language included.
func TestSnapshotKnowsItsQuery(t *testing.T) {
	answer := searchPage{`{"totalNumberOfJobs":0,"results":[]}`, nil}
	own, err := snapshotOf(t, answer, jobboard.Config{Language: "de"}, jobboard.Query{Text: "nurse", Near: jobboard.Near(1, 2, 3)})
	if err != nil || own.Language != "de" || own.Text != "nurse" || own.Near != jobboard.Near(1, 2, 3) || own.ForApplicant {
		t.Errorf("%+v, %v", own, err)
	}
	named, err := snapshotOf(t, answer, jobboard.Config{Language: "de"}, jobboard.Query{Language: "en"})
	if err != nil || named.Language != "en" {
		t.Errorf("%+v, %v", named, err)
	}
	s, err := snapshotOf(t, answer, jobboard.Config{}, jobboard.Query{Near: jobboard.Near(100, 0, 1)})
	if !errors.Is(err, jobboard.ErrInvalidInput) || s.Complete || len(s.Postings) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSnapshotJSON(t *testing.T) {
	s := snap{
		Channel: "27828_extern", Text: "a&b", Near: jobboard.Near(52.5, 13.4, 50), Language: "de", ForApplicant: true,
		Taken: time.Date(2026, 1, 31, 8, 30, 0, 5e6, time.UTC), Complete: true,
		Postings: []snapPosting{{1, 10, "a <b>", 1, 2, 3}, {2, 20, "b", 4, 5, 0}},
	}
	const want = `{"channel":"27828_extern","search":"a\u0026b","geoLocation":"52.5::13.4::50","language":"de","forApplicant":true,` +
		`"taken":"2026-01-31T08:30:00.005Z","complete":true,"postings":[` +
		`{"jobPostingId":1,"postingVersionId":10,"title":"a \u003cb\u003e","jobStartDate":1,"postingVersionStartDate":2,"postingVersionEndDate":3},` +
		`{"jobPostingId":2,"postingVersionId":20,"title":"b","jobStartDate":4,"postingVersionStartDate":5,"postingVersionEndDate":0}]}`
	got, err := json.Marshal(s)
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	var back snap
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("%v\n got %+v\nwant %+v", err, back, s)
	}

	// The order of the list does not matter, neither when it is written nor when it is read.
	turned := s
	turned.Postings = []snapPosting{s.Postings[1], s.Postings[0], {1, 9, "older", 1, 2, 3}}
	if b, err := json.Marshal(&turned); err != nil || !bytes.Equal(b, got) {
		t.Errorf("%v\n got %s\nwant %s", err, b, got)
	}
	byHand := `{"channel":"x","complete":true,"postings":[` + postingJSON(2, 1, "b") + "," + postingJSON(1, 1, "old") + "," + postingJSON(1, 2, "a") + `]}`
	if err := json.Unmarshal([]byte(byHand), &back); err != nil || !slices.Equal(back.Postings, []snapPosting{{1, 2, "a", 1, 2, 3}, {2, 1, "b", 1, 2, 3}}) {
		t.Errorf("%v, %v", err, back.Postings)
	}
	if b, err := json.Marshal(snap{Channel: "x"}); err != nil || !bytes.Contains(b, []byte(`"postings":[]`)) {
		t.Errorf("%s, %v", b, err)
	}
}

// A text that is no snapshot, or half a snapshot, must not be read as an empty channel.
func TestSnapshotJSONRefuses(t *testing.T) {
	b, err := json.Marshal(snap{Channel: "x", Postings: []snapPosting{{JobPostingID: 1, Title: "a"}}, Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	kept := snap{Channel: "kept"}
	for i := range b {
		s := kept
		if err := json.Unmarshal(b[:i], &s); err == nil {
			t.Errorf("%s was read", b[:i])
		}
	}
	for _, text := range []string{`{}`, `{"channel":"x"}`, `{"postings":[]}`, `{"channel":"x","postings":null}`, `[]`, `3`, `{"channel":3,"postings":[]}`} {
		s := kept
		if err := json.Unmarshal([]byte(text), &s); !errors.Is(err, jobboard.ErrDecode) || !reflect.DeepEqual(s, kept) {
			t.Errorf("%s: %v, %+v", text, err, s)
		}
	}
	s := kept
	if err := json.Unmarshal([]byte("null"), &s); err != nil || !reflect.DeepEqual(s, kept) {
		t.Errorf("null: %v, %+v", err, s)
	}
}

func TestSnapshotForApplicant(t *testing.T) {
	var sent []string
	c := rig.Client(t, jobboard.Config{
		BaseURL: "https://jobs.example", ClientID: "10",
		HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.Header.Get("Authorization"))
			body := io.NopCloser(strings.NewReader(`{"totalNumberOfJobs":0,"results":[]}`))
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: r}, nil
		})},
	})
	s, err := snapshot.Take(t.Context(), c.Applicant(jobboard.StaticToken("token")), "27828_extern", jobboard.Query{})
	if err != nil || !s.Complete || !s.ForApplicant || !slices.Equal(sent, []string{"Bearer token"}) {
		t.Errorf("%+v, %v, sent %q", s, err, sent)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err = snapshot.Take(ctx, c, "27828_extern", jobboard.Query{})
	if !errors.Is(err, context.Canceled) || s.Complete || s.ForApplicant || len(sent) != 1 {
		t.Errorf("%+v, %v, sent %q", s, err, sent)
	}
}

// Of two postings of one version the same one stays, whichever came first.
func TestSnapshotOfOneVersionTwice(t *testing.T) {
	for name, pair := range map[string][2]snapPosting{
		"version":              {{1, 9, "a", 1, 1, 1}, {1, 8, "b", 2, 2, 2}},
		"start of the version": {{1, 9, "a", 1, 9, 1}, {1, 9, "b", 2, 8, 2}},
		"end of the version":   {{1, 9, "a", 1, 9, 9}, {1, 9, "b", 2, 9, 8}},
		"start of the job":     {{1, 9, "a", 9, 9, 9}, {1, 9, "b", 8, 9, 9}},
		"title":                {{1, 9, "b", 9, 9, 9}, {1, 9, "a", 9, 9, 9}},
	} {
		for _, list := range [][]snapPosting{{pair[0], pair[1]}, {pair[1], pair[0]}} {
			var got snap
			if b, err := json.Marshal(snap{Channel: "x", Postings: list}); err != nil || json.Unmarshal(b, &got) != nil || !slices.Equal(got.Postings, pair[:1]) {
				t.Errorf("%s: %v, %v", name, got.Postings, err)
			}
		}
	}
}
