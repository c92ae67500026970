package jobmirror

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
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

// knows is a mirror of the channels a and b, and a function that refreshes it and returns
// the postings that were decoded and have another hash than before. That forgets the hashes
// of all, so of those that were passed over by their bytes nothing is noticed.
func knows(t *testing.T, address string, shown pages, channels ...Channel) (m *Mirror, refresh func() (decoded []int64)) {
	m = OpenFor(t, address, Options{
		Config:   jobboard.Config{BaseURL: "https://board.example", ClientID: "10", HTTPClient: &http.Client{Transport: shown}},
		Channels: channels, Limit: -1,
	})
	return m, func() (decoded []int64) {
		t.Helper()
		do(t, m, func(t *tx) error { _, err := t.Exec("UPDATE postings SET hash = 7"); return err })
		if out, err := m.Refresh(t.Context()); err != nil || len(out.Partial) > 0 || out.Held > 0 {
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

// A posting whose bytes are those of the last time is not decoded, but for the first of an
// answer. One that varies is, and what is stored of it is compared.
func TestKnownBytesAreNotDecoded(t *testing.T) {
	for name, address := range Databases {
		t.Run(name, func(t *testing.T) {
			shown := pages{}
			show := func(counters ...int) {
				shown["a"] = nil
				for i, counter := range counters {
					shown["a"] = append(shown["a"], versionOf(i+1, 1, counter))
				}
			}
			m, refresh := knows(t, address(t), shown, Channel{ID: "a"})
			today := clock(t, m) / learnEvery.Milliseconds()
			is := func(when string, want ...int64) {
				t.Helper()
				decoded := refresh()
				if clock(t, m)/learnEvery.Milliseconds() != today { // the test runs at midnight: all is learned
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
				if _, err := m.Refresh(t.Context()); err != nil { // which learns all
					t.Fatal(err)
				}
				show(1, counter, 2, 3)
			}
			unchanged(5)
			if _, err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			is("by other bytes since an hour ago", 1, 2)
			unchanged(6)
			exec(fmt.Sprint("UPDATE sources SET complete = complete - ", learnEvery.Milliseconds()))
			if _, err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			is("by other bytes since yesterday", 1)
			// What is held is read again when it comes back.
			show(1, 1, 1, 1, 1, 1)
			if _, err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			show(1)
			if out, err := m.Refresh(t.Context()); err != nil || out.Held != 5 {
				t.Fatalf("%+v, %v", out, err)
			}
			show(1, 1, 1, 1, 1, 1)
			is("after five came back", 1, 2, 3, 4, 5, 6)
		})
	}
}

// What two channels show of a posting is compared again with what is stored, once one of
// them has changed that.
func TestKnownBytesOfAPostingThatAnotherChannelChanged(t *testing.T) {
	for name, address := range Databases {
		t.Run(name, func(t *testing.T) {
			other := versionOf(9, 1, 1) // the first of an answer is always decoded
			shown := pages{"a": {other, versionOf(1, 1, 1)}, "b": {other, versionOf(1, 1, 1)}}
			m, _ := knows(t, address(t), shown, Channel{ID: "a"}, Channel{ID: "b"})
			is := func(when, title string) {
				t.Helper()
				for range 2 {
					if _, err := m.Refresh(t.Context()); err != nil {
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
}

// An answer that shows a posting in two versions does not put it back to the lower one,
// in whatever order they come, and though the higher one is known and not decoded.
func TestKnownBytesBesideALowerVersion(t *testing.T) {
	for name, address := range Databases {
		t.Run(name, func(t *testing.T) {
			shown := pages{}
			m, refresh := knows(t, address(t), shown, Channel{ID: "a"})
			higher, lower, other := versionOf(1, 5, 1), versionOf(1, 4, 1), versionOf(9, 1, 1)
			for _, order := range [][]string{{other, higher, lower}, {other, lower, higher}, {lower, higher}, {higher, lower}} {
				shown["a"] = order
				for range 4 {
					refresh()
					if got := titles(t, m); !slices.Contains(got, `Nurse 1, "5"`) {
						t.Fatalf("%q: the copy has %q", order, got)
					}
					do(t, m, func(tx *tx) error {
						doubts, err := tx.Numbers("SELECT posting FROM doubts")
						if len(doubts) > 0 {
							t.Errorf("%q: %d is doubted", order, doubts)
						}
						return err
					})
				}
			}
		})
	}
}

// A posting that is too long for its bytes to be known is decoded each time, also behind
// one whose bytes are known.
func TestKnownBytesBesideALongPosting(t *testing.T) {
	for name, address := range Databases {
		t.Run(name, func(t *testing.T) {
			long := strings.Replace(versionOf(1, 1, 1), `"a":["`, `"a":["`+strings.Repeat("long ", 20_000), 1)
			first, short := versionOf(9, 1, 1), versionOf(2, 1, 1)
			shown := pages{"a": {first, long, short}}
			m, refresh := knows(t, address(t), shown, Channel{ID: "a"})
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
}
