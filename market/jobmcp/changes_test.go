package jobmcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// What is different about a posting is said: its title before its version, its version before
// dates.
func TestSaysWhatChanged(t *testing.T) {
	old := snapshot.Posting{JobPostingID: 7, PostingVersionID: 1, Title: "Cook"}
	for _, test := range []struct {
		change func(p *snapshot.Posting)
		want   changedPosting
	}{
		{func(p *snapshot.Posting) { p.Title, p.PostingVersionID = "Chef", 2 }, changedPosting{What: "title", Title: "Chef", Before: "Cook"}},
		{func(p *snapshot.Posting) { p.PostingVersionID, p.JobStartDate = 2, 5 }, changedPosting{What: "new version", Title: "Cook"}},
		{func(p *snapshot.Posting) { p.JobStartDate = 5 }, changedPosting{What: "dates", Title: "Cook"}},
		{func(p *snapshot.Posting) { p.PostingVersionEndDate = 5 }, changedPosting{What: "dates", Title: "Cook"}},
		{func(p *snapshot.Posting) { p.Title = strings.Repeat("x", 201) }, changedPosting{What: "title", Title: strings.Repeat("x", 199) + "…", Before: "Cook"}},
	} {
		now := old
		test.change(&now)
		test.want.Change, test.want.Posting = "changed", "7"
		var got whatChangedResult
		got.list(snapshot.Changes{Changed: []snapshot.Change{{Before: old, After: now}}})
		if len(got.Changes) != 1 || got.Changes[0] != test.want || got.LeftOut != 0 {
			t.Errorf("%+v, want %+v", got, test.want)
		}
	}
	was := old
	was.Title = strings.Repeat("x", 201)
	var got whatChangedResult
	got.list(snapshot.Changes{Changed: []snapshot.Change{{Before: was, After: old}}})
	if got.Changes[0].Before != strings.Repeat("x", 199)+"…" {
		t.Errorf("%+v", got)
	}
}

// Changes are listed the certain first, each kind up to its bound.
func TestListsCertainChangesFirst(t *testing.T) {
	some := func(n int) (list []snapshot.Posting) {
		for i := range n {
			list = append(list, snapshot.Posting{JobPostingID: jobboard.JobPostingID(i + 1), Title: "Cook"})
		}
		return list
	}
	var got whatChangedResult
	got.list(snapshot.Changes{
		Added: some(51), Gone: some(50), MaybeAdded: some(1), MaybeGone: some(52),
		Changed: []snapshot.Change{{Before: some(1)[0], After: snapshot.Posting{JobPostingID: 1}}},
	})
	var kinds []string
	count := map[string]int{}
	for _, c := range got.Changes {
		if count[c.Change]++; count[c.Change] == 1 {
			kinds = append(kinds, c.Change)
		}
	}
	if text := fmt.Sprint(kinds, count); text != "[added changed gone maybe added maybe gone] map[added:50 changed:1 gone:50 maybe added:1 maybe gone:50]" || got.LeftOut != 3 {
		t.Errorf("%s, %d left out", text, got.LeftOut)
	}
}

// Which snapshot later calls are compared with: the first complete one, until a call says from now on.
func TestComparesWith(t *testing.T) {
	look := func(text string, complete bool) *snapshot.Snapshot {
		return &snapshot.Snapshot{Channel: "kitchen", Text: text, Complete: complete}
	}
	whole, other, part := look("a", true), look("a", true), look("a", false)
	elsewhere := look("b", true)
	for _, test := range []struct {
		name         string
		seen, stored *snapshot.Snapshot
		now          *snapshot.Snapshot
		fromNowOn    bool
		before, kept *snapshot.Snapshot
	}{
		{"the first look", nil, nil, whole, false, nil, whole},
		{"an incomplete first look", nil, nil, part, false, nil, part},
		{"a second look", whole, nil, other, false, whole, whole},
		{"from now on", whole, nil, other, true, whole, other},
		{"from now on, but incomplete", whole, nil, part, true, whole, whole},
		{"complete at last", part, nil, whole, false, part, whole},
		{"incomplete again", part, nil, look("a", false), false, part, part},
		{"what is stored", nil, whole, other, false, whole, whole},
		{"what is stored, from now on", nil, whole, other, true, whole, other},
		{"what is stored is of another search", nil, elsewhere, whole, false, nil, whole},
		{"what was seen is newer than what is stored", other, whole, look("a", true), false, other, other},
		{"another search was seen", elsewhere, nil, whole, false, nil, whole},
	} {
		s := NewServer(nil, Options{})
		if test.seen != nil {
			s.seen = append(s.seen, test.seen)
		}
		before := s.compareWith(test.stored, test.now, test.fromNowOn)
		if kept := s.seen[len(s.seen)-1]; before != test.before || kept != test.kept {
			t.Errorf("%s: compared with %+v, and %+v is kept", test.name, before, kept)
		}
		if want := map[bool]int{false: 1, true: 2}[test.seen == elsewhere]; len(s.seen) != want {
			t.Errorf("%s: %d are kept", test.name, len(s.seen))
		}
	}
}

// Eight searches are remembered; the one that was asked longest ago is forgotten.
func TestRemembersEightSearches(t *testing.T) {
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, demo(t)))
	look := func(text string, first bool) {
		t.Helper()
		r := use(t, session, "what_changed", fmt.Sprintf(`{"text":%q}`, text))
		if got := strings.Contains(r.text, "this is the first look: there is nothing to compare with yet"); got != first || strings.Contains(r.text, `"before":`) == first {
			t.Errorf("%s: %s", text, r.text)
		}
	}
	searches := strings.Fields("a b c d e f g h")
	for _, first := range []bool{true, false} {
		for _, text := range searches {
			look(text, first)
		}
	}
	look("a", false) // now b is the oldest
	look("i", true)
	look("a", false)
	look("c", false)
	look("b", true)
}

// A service that does not give all it counts leaves changes uncertain.
func TestUncertainChanges(t *testing.T) {
	srv := demo(t)
	kitchen(srv, 5)
	var keptErr error
	var kept *snapshot.Snapshot
	options := Options{Rate: -1, Kept: func() (*snapshot.Snapshot, error) { return kept, keptErr }}
	server := setting{options: options}.server(t, srv)
	session := connect(t, server)
	const arguments = `{"channel":"kitchen"}`
	use(t, session, "what_changed", arguments).want(t, false, `"postings":5,"complete":true,"changes":[],"note":"this is the first look: there is nothing to compare with yet"`)
	srv.SetVariants(jobboardtest.Variants{PageSize: 4})
	use(t, session, "what_changed", arguments).want(t, false, `"postings":4,"complete":false,"changes":[{"change":"maybe gone","posting":"5","foreign_title":"Cook"}]}`)

	second := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	use(t, second, "what_changed", arguments).want(t, false, `"postings":4,"complete":false,"changes":[],"note":"this is the first look`)
	srv.SetVariants(jobboardtest.Variants{})
	use(t, second, "what_changed", arguments).want(t, false, `"postings":5,"complete":true,"changes":[{"change":"maybe added","posting":"5","foreign_title":"Cook"}]}`)
	use(t, second, "what_changed", arguments).want(t, false, `"changes":[]}`)

	kept = &snapshot.Snapshot{Channel: "kitchen", Complete: true, Taken: time.Date(2027, 3, 1, 4, 5, 6, 0, time.UTC)}
	third := connect(t, setting{options: options}.server(t, srv))
	use(t, third, "what_changed", arguments).want(t, false, `"before":"2027-03-01T04:05:06Z"`, `{"change":"added","posting":"1","foreign_title":"Cook"}`)
	if r := use(t, third, "what_changed", `{}`); !strings.HasSuffix(r.text, `"changes":[],"note":"the state file is of another search: this is the first look"}`) {
		t.Errorf("%s", r.text)
	}
	keptErr = errors.New("the state file is damaged")
	if r := use(t, third, "what_changed", arguments); !r.failed || r.text != `{"error":"the state file is damaged"}` {
		t.Errorf("%s", r.text)
	}
}
