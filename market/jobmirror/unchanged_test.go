package jobmirror

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// A refresh writes nothing for what its source shows as it was, however much that is, and
// a posting was seen last when that refresh ended.
func TestUnchangedRowsAreNotWritten(t *testing.T) {
	OnBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		for i := range 300 {
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Nurse " + strconv.Itoa(i), Language: "de"})
		}
		m := OpenFor(t, address, Options{
			Config: jobboard.Config{
				BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: srv.Demo.ClientID, HTTPClient: srv.Client(),
			},
			Channels: []Channel{{ID: jobboard.ChannelID(srv.Demo.Channel), Languages: []string{"de", "en"}}},
			Feeds:    []Feed{{Name: "feed", Address: srv.FeedURL, HTTPClient: srv.Client()}}, Limit: -1,
		})
		refresh := func() {
			t.Helper()
			if err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		refresh()
		refresh()
		before := written(t, m)
		refresh()
		after := written(t, m)
		if rows, _ := strconv.Atoi(after); !m.db.Shared {
			had, _ := strconv.Atoi(before)
			t.Logf("figure: a refresh in which nothing changed writes %d rows", rows-had)
			if rows-had > 60 { // of sources, counters and processes; there are 900 listings and entries
				t.Errorf("%d rows are written", rows-had)
			}
		} else if after != before {
			t.Error("rows of the tables are written anew")
		}
		status, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		page, err := m.Search(t.Context(), Query{Language: "de", Limit: 1})
		if err != nil || len(page.Postings) == 0 || !page.Postings[0].Seen.Equal(status.Sources[0].Complete) {
			t.Errorf("seen %+v, %v; the refresh ended at %s", page, err, status.Sources[0].Complete)
		}

		// One that goes: the others stay seen, and one that comes back is not missing.
		unpublished := srv.Demo.OpenJob
		srv.DeactivateJob(unpublished)
		refresh()
		srv.ActivateJob(unpublished)
		refresh()
		CheckReplay(t, m)
		if status, err := m.Status(t.Context()); err != nil || status.Sources[0].Held > 0 || status.Sources[0].Rows < 300 {
			t.Errorf("%+v, %v", status, err)
		}
	})
}

// A posting that one source removes while another one writes that it shows it, is in the
// copy afterwards.
func TestPostingMovesBetweenSources(t *testing.T) {
	t.Parallel()
	address, ok := Databases["postgres"]
	if !ok {
		t.Skip("one process at a time writes to SQLite")
	}
	at, opts := address(t), Options{
		Config:      jobboard.Config{BaseURL: "https://board.example", ClientID: "10"},
		LookupEvery: -1,
		Channels:    []Channel{{ID: "a"}, {ID: "b"}},
	}
	m, other := OpenFor(t, at, opts), OpenFor(t, at, opts) // those of one process would take turns
	to, from := other.sources[0], m.sources[1]
	posting := []*jobboard.JobPosting{{JobPostingID: 1, Title: "Nurse"}}
	show := func(m *Mirror, src *source) error {
		return m.db.update(t.Context(), func(t *tx) error {
			turn, err := t.begin(&src.Source, "")
			if err == nil {
				err = channelTx{t.refreshing(&src.Source, turn)}.savePostings(itemsOf(posting...))
			}
			return err
		})
	}
	if err := show(m, from); err != nil {
		t.Fatal(err)
	}
	shown := make(chan error, 1)
	err := m.db.update(t.Context(), func(in *tx) error {
		gone, err := in.Numbers("SELECT posting FROM listings WHERE source = ?", from.ID)
		if err := errors.Join(err, channelTx{in.refreshing(&from.Source, turn{})}.dropPostings(gone, "test")); err != nil {
			return err
		}
		if _, err = in.Numbers("SELECT 1"); err != nil { // sends what Do was given
			return err
		}
		go func() { shown <- show(other, to) }()
		for waiting := false; err == nil && !waiting; <-time.After(10 * time.Millisecond) {
			waiting, err = fromView(t.Context(), m.db, func(t *tx) (bool, error) {
				return store.Value[bool](t, `SELECT EXISTS (SELECT 1 FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock')`)
			})
		}
		return err
	})
	if err := errors.Join(err, <-shown); err != nil {
		t.Fatal(err)
	}
	if err := m.index(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := m.Search(t.Context(), Query{Limit: 1})
	if err != nil || len(page.Postings) != 1 || !slices.Equal(page.Postings[0].Sources, []string{"a"}) {
		t.Errorf("the copy has %+v, %v", page, err)
	}
	CheckReplay(t, m)
}

// written returns on SQLite how many rows were written; on PostgreSQL what changes with
// each row of the large tables that is written.
func written(t *testing.T, m *Mirror) (out string) {
	t.Helper()
	err := m.db.update(t.Context(), func(t *tx) error {
		if !t.db.Shared {
			return t.Row("SELECT total_changes()", nil, &out)
		}
		var all strings.Builder
		for _, table := range []string{"postings", "listings", "entries", "claims", "jobs", "search"} {
			var rows string
			if err := t.Row("SELECT md5(string_agg(ctid::text || xmin::text, ' ' ORDER BY ctid)) FROM "+table, nil, &rows); err != nil {
				return err
			}
			all.WriteString(rows)
		}
		out = all.String()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
