package jobmirror

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// pages are the postings of channels, each with what its answer shows.
type pages map[string][]string

func (p pages) RoundTrip(r *http.Request) (*http.Response, error) {
	shown := p[strings.Split(r.URL.Path, "/")[6]]
	body := fmt.Sprintf(`{"totalNumberOfJobs":%d,"numPages":1,"results":[%s]}`, len(shown), strings.Join(shown, " ,\n"))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// versionOf returns a posting in a version, with a counter that the interface does not name.
func versionOf(id, version, counter int) string {
	return fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":%d,"title":"Nurse %d, \"%d\"","config":{"a":["}]\\"]},"counter":%d}`,
		id, version, id, version, counter)
}

// knows returns a mirror of the channels a and b, and a function that refreshes the mirror and
// returns the postings that were decoded and whose hash has changed. The function clears all
// hashes, so that postings skipped by their bytes do not show.
func knows(t *testing.T, address string, shown pages, channels ...Channel) (m *Mirror, refresh func() (decoded []int64)) {
	m = OpenFor(t, address, Options{
		Config:      jobboard.Config{BaseURL: "https://board.example", ClientID: "10", HTTPClient: &http.Client{Transport: shown}},
		LookupEvery: -1,
		Channels:    channels, Limit: -1,
	})
	return m, func() (decoded []int64) {
		t.Helper()
		do(t, m, func(t *tx) error { _, err := t.Exec("UPDATE postings SET hash = 7"); return err })
		if out, err := RefreshedStatus(t.Context(), m); err != nil || len(out.Partial) > 0 || out.Held > 0 {
			t.Fatalf("%+v, %v", out, err)
		}
		do(t, m, func(t *tx) (err error) {
			decoded, err = t.Numbers("SELECT posting FROM postings WHERE hash <> 7 ORDER BY posting")
			return err
		})
		CheckReplay(t, m)
		return decoded
	}
}

// A posting with the same bytes as last time is not decoded, except the first of an answer. A
// posting whose bytes vary is decoded, and compared with the stored row.
func TestKnownBytesAreNotDecoded(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		shown := pages{}
		show := func(counters ...int) {
			shown["a"] = nil
			for i, counter := range counters {
				shown["a"] = append(shown["a"], versionOf(i+1, 1, counter))
			}
		}
		m, refresh := knows(t, address, shown, Channel{ID: "a"})
		today := clock(t, m) / rawEvery.Milliseconds()
		is := func(when string, want ...int64) {
			t.Helper()
			decoded := refresh()
			if clock(t, m)/rawEvery.Milliseconds() != today { // the test runs at midnight: all is learned
				return
			}
			if !slices.Equal(decoded, want) {
				t.Errorf("%s: %d are decoded, not %d", when, decoded, want)
			}
		}
		show(1, 1, 1, 1)
		is("new", 1, 2, 3, 4)
		is("as before", 1)
		if p := m.Progress(); p.Read != 8 {
			t.Errorf("%d postings were read, not 8", p.Read)
		}
		show(1, 1, 2, 1)
		is("with another counter", 1, 3)
		show(1, 1, 2, 3)
		is("as a changed posting was written", 1, 4)
		// A row whose record stays as it was learns other bytes once a day.
		exec := func(statement string) {
			t.Helper()
			do(t, m, func(t *tx) error { _, err := t.Exec(statement); return err })
		}
		unchanged := func(counter int) {
			t.Helper()
			exec("UPDATE listings SET raw = 0")
			if err := m.Refresh(t.Context()); err != nil { // which learns all
				t.Fatal(err)
			}
			show(1, counter, 2, 3)
		}
		unchanged(5)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		is("by other bytes since an hour ago", 1, 2)
		unchanged(6)
		exec(fmt.Sprint("UPDATE sources SET complete = complete - ", rawEvery.Milliseconds()))
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		is("by other bytes since yesterday", 1)
		// What is held is read again when it comes back.
		show(1, 1, 1, 1, 1, 1)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		show(1)
		if out, err := RefreshedStatus(t.Context(), m); err != nil || out.Held != 5 {
			t.Fatalf("%+v, %v", out, err)
		}
		show(1, 1, 1, 1, 1, 1)
		is("after five came back", 1, 2, 3, 4, 5, 6)
	})
}

// What two channels show of a posting is compared again with what is stored, once one of
// them has changed that.
func TestKnownBytesOfAPostingThatAnotherChannelChanged(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		other := versionOf(9, 1, 1) // the first of an answer is always decoded
		shown := pages{"a": {other, versionOf(1, 1, 1)}, "b": {other, versionOf(1, 1, 1)}}
		m, _ := knows(t, address, shown, Channel{ID: "a"}, Channel{ID: "b"})
		is := func(when, title string) {
			t.Helper()
			for range 2 {
				if err := m.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := titles(t, m); !slices.Contains(got, title) {
				t.Errorf("%s: the copy has %q", when, got)
			}
			CheckReplay(t, m)
		}
		is("at first", `Nurse 1, "1"`)
		shown["b"] = []string{other, versionOf(1, 2, 1)}
		is("after one channel has a new version", `Nurse 1, "2"`)
		shown["b"] = []string{other}
		is("after that channel has it no more", `Nurse 1, "1"`)
	})
}

// An answer that shows a lower version long before the higher one, so that the lower one is
// written and the copy is put back to it where it is believed, has the higher one in the end,
// though its bytes are known.
func TestKnownBytesLongAfterALowerVersion(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		first, lower, higher := versionOf(9999, 1, 1), versionOf(1, 4, 1), versionOf(1, 5, 1)
		shown := pages{"a": {higher}} // the first of an answer, whose bytes are not noted
		m, _ := knows(t, address, shown, Channel{ID: "a"})
		refresh := func() {
			t.Helper()
			if err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := titles(t, m); !slices.Contains(got, `Nurse 1, "5"`) {
				t.Fatal("the copy is put back to the lower version")
			}
			CheckReplay(t, m)
		}
		refresh()
		for counter := range 4 {
			shown["a"] = []string{first, lower}
			for i := range channelBatch { // whose bytes are not known, so that the lower one is written before the higher is read
				shown["a"] = append(shown["a"], versionOf(2+i, 1, counter))
			}
			shown["a"] = append(shown["a"], higher)
			refresh()
		}
	})
}

// A transaction that is repeated, and before which another channel has changed a posting
// that is back, notes that it is back as well.
func TestRepeatedTransactionBringsBackWhatWasChangedMeanwhile(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		whole, part := m.sources[0], m.sources[1]
		posting := func(title string) *jobboard.JobPosting {
			return &jobboard.JobPosting{JobPostingID: 1, PostingVersionID: 1, Title: title}
		}
		save(t, m, whole, beginTurn(t, m, whole), posting("Nurse"))
		save(t, m, part, beginTurn(t, m, part), posting("Nurse"))
		held := func() (list []int64) {
			t.Helper()
			do(t, m, func(t *tx) (err error) {
				list, err = t.Numbers("SELECT source FROM listings WHERE state <> 'shown'")
				return err
			})
			return list
		}
		do(t, m, func(t *tx) error {
			_, err := t.Exec("UPDATE listings SET state = 'held', since = ? WHERE source = ?", t.Now, whole.ID)
			return err
		})
		again := beginTurn(t, m, whole)
		victim := errors.New("the victim of a deadlock")
		err := m.db.update(t.Context(), func(t *tx) error {
			err := channelTx{t.refreshing(&whole.Source, again)}.savePostings(itemsOf(posting("Nurse")))
			return errors.Join(err, victim)
		})
		if !errors.Is(err, victim) || !slices.Equal(held(), []int64{whole.ID}) {
			t.Fatalf("%v; %d hold it", err, held())
		}
		save(t, m, part, beginTurn(t, m, part), posting("Senior nurse"))
		save(t, m, whole, again, posting("Nurse"))
		if list := held(); len(list) > 0 {
			t.Errorf("%d hold what the repeated transaction has shown", list)
		}
	})
}

// Two channels that each show unchanged what the other one changes lock rows in one order.
func TestLearningBesideChangesIsNoDeadlock(t *testing.T) {
	t.Parallel()
	address, ok := Databases["postgres"]
	if !ok {
		t.Skip("one process at a time writes to SQLite")
	}
	at := address(t)
	m, other := guardedAt(t, at), guardedAt(t, at) // those of one process would take turns
	one, two := m.sources[0], other.sources[1]
	item := func(id jobboard.JobPostingID, title string, raw int64) channelItem {
		return channelItem{&jobboard.JobPosting{JobPostingID: id, Title: title}, raw}
	}
	for _, src := range m.sources[:2] {
		save(t, m, src, beginTurn(t, m, src), item(1, "Nurse", 0).JobPosting, item(2, "Cook", 0).JobPosting)
	}
	turnOne, turnTwo := beginTurn(t, m, one), beginTurn(t, m, two)
	ended, attempts := make(chan error, 1), atomic.Int64{}
	do(t, m, func(in *tx) error {
		if attempts.Add(1) > 1 {
			return errors.New("the first is repeated")
		}
		first := channelTx{in.refreshing(&one.Source, turnOne)}
		back, _, change, err := first.compare([]channelItem{item(1, "Senior nurse", 1), item(2, "Cook", 2)})
		if err != nil {
			return err
		}
		go func() {
			ended <- other.db.update(t.Context(), func(in *tx) error {
				attempts.Add(1)
				err := channelTx{in.refreshing(&two.Source, turnTwo)}.savePostings([]channelItem{item(1, "Nurse", 3), item(2, "Senior cook", 4)})
				return err
			})
		}()
		for waiting := false; err == nil && !waiting; <-time.After(10 * time.Millisecond) {
			waiting, err = fromView(t.Context(), m.db, func(t *tx) (bool, error) {
				return store.Value[bool](t, `SELECT EXISTS (SELECT 1 FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock')`)
			})
		}
		if err != nil {
			return err
		}
		changed, _, err := first.merged(change)
		if err == nil {
			err = first.saveShown(back, changed)
		}
		return err
	})
	if err := <-ended; err != nil || attempts.Load() != 2 {
		t.Errorf("%v, after %d transactions of two", err, attempts.Load())
	}
	got := titles(t, m)
	slices.Sort(got)
	if want := []string{"Senior cook", "Senior nurse"}; !slices.Equal(got, want) {
		t.Errorf("the copy has %q, not %q", got, want)
	}
	CheckReplay(t, m)
}

// A posting too long for a hash is decoded each time, even behind a posting whose bytes are
// known.
func TestKnownBytesBesideALongPosting(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		long := strings.Replace(versionOf(1, 1, 1), `"a":["`, `"a":["`+strings.Repeat("long ", 20_000), 1)
		first, short := versionOf(9, 1, 1), versionOf(2, 1, 1)
		shown := pages{"a": {first, long, short}}
		m, refresh := knows(t, address, shown, Channel{ID: "a"})
		refresh()
		shown["a"] = []string{first, short, long}
		for range 3 {
			if decoded := refresh(); !slices.Equal(decoded, []int64{1, 9}) {
				t.Errorf("%d are decoded, not the long one and the first", decoded)
			}
			if got := titles(t, m); len(got) != 3 {
				t.Errorf("the copy has %q", got)
			}
		}
	})
}
