package jobmirror_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// sameChanged checks that SearchChanged finds for each query what Search does after the same mark, asked many
// queries at once and each alone, and returns how many hits there are.
func sameChanged(t *testing.T, m *jobmirror.Mirror, mark jobmirror.ChangeMark, queries []jobmirror.Query) (hits int) {
	t.Helper()
	at := func(p jobmirror.Posting) string {
		km, _ := p.Distance()
		return fmt.Sprintf("%d %s %.3f", p.Posting.JobPostingID, p.Language, km)
	}
	of := func(list []jobmirror.Posting) (all []string) {
		for _, p := range list {
			all = append(all, at(p))
		}
		return all
	}
	changed, err := m.SearchChanged(t.Context(), mark, queries)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range queries {
		alone, err := m.SearchChanged(t.Context(), mark, queries[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		q.ChangedAfter, q.Order = mark, jobmirror.Newest
		page, err := m.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		want := of(page.Postings)
		if slices.ContainsFunc(page.Corrected, func(c jobmirror.Correction) bool { return len(c.Nearest) == 0 }) {
			want = nil // a word was left out: as it was typed the text finds nothing
		}
		if got := of(changed.Postings[i]); !slices.Equal(got, want) {
			t.Errorf("%+v: among others %v, not %v", q, got, want)
		}
		if got := of(alone.Postings[0]); !slices.Equal(got, want) {
			t.Errorf("%+v: alone %v, not %v", q, got, want)
		}
		if changed.Mark != page.Mark || changed.Building != page.Building {
			t.Errorf("%+v; the page has %q, %t", changed, page.Mark, page.Building)
		}
		hits += len(want)
	}
	return hits
}

// Many queries that are asked at once find what each finds alone: words in quotes, synonyms, parts of words and
// what is left out among them, in many languages.
func TestChangedEqualsSearch(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		o := newOracle(4)
		board := httptest.NewServer(o)
		defer board.Close()
		m := open(t, address, jobmirror.Options{
			Config:      jobboard.Config{BaseURL: board.URL, ClientID: "10"},
			LookupEvery: -1,
			Channels:    []jobmirror.Channel{{ID: "1_all", Languages: oracleLanguages}}, Limit: -1, Synonyms: o.synonymList(),
		})
		mark := func() jobmirror.ChangeMark {
			t.Helper()
			page, err := m.Search(t.Context(), jobmirror.Query{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			return page.Mark
		}
		empty := mark()
		refresh(t, m)
		full := mark()
		for i, p := range o.postings {
			if i%3 == 0 {
				p.Ad += " " + o.word()
			}
		}
		refresh(t, m)
		var queries []jobmirror.Query
		for range whole(50, size(150, 1500)) {
			q, _ := o.query()
			queries = append(queries, q)
		}
		if hits := sameChanged(t, m, full, queries); hits < len(queries) {
			t.Errorf("%d queries find %d postings: the test shows little", len(queries), hits)
		}
		all, err := m.SearchChanged(t.Context(), empty, queries[:20])
		if hits := sameChanged(t, m, empty, queries[:20]); hits == 0 || err != nil {
			t.Errorf("%d postings are found of all, %v", hits, err)
		}
		if before, err := m.SearchChanged(t.Context(), "", queries[:20]); err != nil || !reflect.DeepEqual(before.Postings, all.Postings) {
			t.Errorf("before all marks something else is found: %v", err)
		}
	})
}

// So do queries with circles, channels, places and what visitors may not see.
func TestChangedNearAPlace(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		page, err := m.Search(t.Context(), jobmirror.Query{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			job := jobboardtest.Job{
				Title: []string{"Koch", "Köche im Hotel", "Kellner"}[i%3], Language: "de", ApplyClosed: i%7 == 0,
				Location: jobboardtest.Location{City: []string{"Berlin", "Potsdam"}[i%2], Lat: fmt.Sprint(52 + float64(i)/100), Long: "13"},
			}
			srv.Publish(srv.Demo.Channel, job)
		}
		refresh(t, m)
		var queries []jobmirror.Query
		for i := range 60 {
			queries = append(queries, jobmirror.Query{
				Text: []string{"", "koch", `"koch"`, "kellner -hotel"}[i%4], All: i%5 == 0, Limit: 1 + i,
				Place: []string{"", "", "Berlin"}[i%3], Language: []string{"", "de"}[i%2],
				Near: jobboard.Near(52+float64(i)/100, 13, 5+float64(i%30)), Channel: []jobboard.ChannelID{jobboard.ChannelID(srv.Demo.Channel), "", "none"}[i%3],
			})
		}
		if hits := sameChanged(t, m, page.Mark, queries); hits < 40 {
			t.Errorf("%d postings are found: the test shows little", hits)
		}
	})
}

// A query that Search would refuse is told by its place.
func TestChangedRefusesAQuery(t *testing.T) {
	m := open(t, jobmirror.Databases["sqlite"](t), jobmirror.Options{})
	_, err := m.SearchChanged(t.Context(), "", []jobmirror.Query{{}, {Near: jobboard.GeoLocation{Latitude: 91, RadiusKm: 1}}})
	if want := "query 1: "; err == nil || !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if changed, err := m.SearchChanged(t.Context(), "", nil); err != nil || len(changed.Postings) != 0 || changed.Age >= 0 {
		t.Errorf("%+v, %v", changed, err)
	}
}
