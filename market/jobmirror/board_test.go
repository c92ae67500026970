package jobmirror_test

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// boardAt are options for a board with two addresses and a name, each of which may be
// empty.
func boardAt(base, lookup, name string) jobmirror.Options {
	opts := jobmirror.Options{Config: jobboard.Config{BaseURL: base, JobDBURL: lookup, ClientID: "10"}, Board: name}
	if lookup == "" {
		opts.LookupEvery = -1 // no job is looked up
	}
	if base != "" {
		opts.Channels = []jobmirror.Channel{{ID: "1_channel"}}
	} else {
		opts.Config.ClientID = ""
		opts.Feeds = []jobmirror.Feed{{Address: "feed.xml"}}
	}
	return opts
}

func TestAnotherBoard(t *testing.T) {
	t.Parallel()
	const a, b, jobs = "https://a.example", "https://b.example", "https://jobs.example/db"
	type step struct {
		base, lookup, name string
		other              bool
	}
	for name, steps := range map[string][]step{
		"another host":                {{a, jobs, "", false}, {b, jobs, "", true}, {a, jobs, "", false}},
		"another host for lookups":    {{a, jobs, "", false}, {a, b, "", true}},
		"another scheme":              {{"http://127.0.0.1", "", "", false}, {"https://127.0.0.1", "", "", true}},
		"another port":                {{a, "", "", false}, {a + ":8443", "", "", true}},
		"another path":                {{a + "/one", "", "", false}, {a + "/two", "", "", true}},
		"the same, written otherwise": {{a, jobs, "", false}, {"HTTPS://A.Example:443/", jobs + "/", "", false}, {a + "/api/rest/", jobs, "", false}},
		"an address that was empty":   {{a, "", "", false}, {a, jobs, "", false}, {a, b, "", true}},
		"the other one was empty":     {{"", jobs, "", false}, {a, jobs, "", false}, {b, jobs, "", true}},
		"addresses of both":           {{a, "", "", false}, {"", jobs, "", false}, {"", b, "", true}},
		"two names of a host":         {{a, jobs, "A", false}, {b, jobs, "A", false}, {a, jobs, "B", true}, {a, jobs, "", false}},
		"a name that comes later":     {{a, jobs, "", false}, {b, jobs, "A", true}, {a, jobs, "A", false}, {b, jobs, "A", false}},
		"a name that one lacks":       {{a, jobs, "A", false}, {b, jobs, "", true}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			onEach(t, func(t *testing.T, address string) {
				for i, s := range steps {
					m, err := jobmirror.Open(t.Context(), address, boardAt(s.base, s.lookup, s.name))
					if s.other != errors.Is(err, jobmirror.ErrOtherBoard) || !s.other && err != nil {
						t.Errorf("step %d: %v", i+1, err)
					}
					if m != nil {
						if err := m.Close(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		})
	}
}

// A process that only reads need not name the board.
func TestReadersOfAnyBoard(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		open(t, address, boardAt("https://a.example", "https://a.example", ""))
		reader := boardAt("https://b.example", "https://b.example", "B")
		reader.ReadOnly = true
		open(t, address, reader)
		alone := reader
		alone.ReadOnly, alone.Channels = false, nil
		open(t, address, alone)
		// Nor do they leave anything: the database still has the first board.
		open(t, address, boardAt("https://a.example", "https://a.example", ""))
	})
}

func TestMoveBoard(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		old, moved := boardAt("https://a.example", "https://a.example", ""), boardAt("https://b.example", "https://c.example", "")
		opened := func(opts jobmirror.Options) error {
			m, err := jobmirror.Open(t.Context(), address, opts)
			if err != nil {
				return err
			}
			return m.Close()
		}
		if err := opened(old); err != nil {
			t.Fatal(err)
		}
		if err := jobmirror.MoveBoard(t.Context(), address, moved); err != nil {
			t.Fatal(err)
		}
		if err := opened(moved); err != nil {
			t.Errorf("the board where it is now: %v", err)
		}
		if err := opened(old); !errors.Is(err, jobmirror.ErrOtherBoard) || !strings.Contains(err.Error(), "b.example") || !strings.Contains(err.Error(), "a.example") {
			t.Errorf("the board where it was: %v", err)
		}
		// Without an address the first process says what it is.
		if err := jobmirror.MoveBoard(t.Context(), address, jobmirror.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(opened(old), opened(old)); err != nil {
			t.Error(err)
		}
		if err := opened(moved); !errors.Is(err, jobmirror.ErrOtherBoard) {
			t.Errorf("another than the first: %v", err)
		}
	})
}

// Of two processes with different boards that are the first, one is refused.
func TestTwoBoardsAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		if !strings.HasPrefix(address, "postgres") {
			address = filepath.Join(t.TempDir(), "jobs.db")
		}
		if err := jobmirror.Migrate(t.Context(), address); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wg.Go(func() {
				base := []string{"https://a.example", "https://b.example"}[i%2]
				m, err := jobmirror.Open(t.Context(), address, boardAt(base, base, ""))
				if errs[i] = err; err == nil {
					errs[i] = m.Close()
				}
			})
		}
		wg.Wait()
		refused := 0
		for i, err := range errs {
			if errors.Is(err, jobmirror.ErrOtherBoard) {
				refused++
			} else if err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		}
		if refused != len(errs)/2 {
			t.Errorf("%d of %d are refused", refused, len(errs))
		}
	})
}

// A process that opens a new database while another one notes its board there waits for
// it, and is refused.
func TestAnotherBoardIsBeingNoted(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.createMigrated(t)
	other, err := openSQL(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"SELECT value FROM mirror WHERE name = 'program' FOR UPDATE",
		"INSERT INTO mirror (name, value) VALUES ('base_url', 'https://a.example')",
	} {
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	opened := make(chan error, 1)
	go func() {
		m, err := jobmirror.Open(t.Context(), address, boardAt("https://b.example", "https://b.example", ""))
		if err == nil {
			err = m.Close()
		}
		opened <- err
	}()
	until(t, time.Minute, "the second waits", func() bool { return waitingForLocks(t, address) == 1 })
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; !errors.Is(err, jobmirror.ErrOtherBoard) {
		t.Errorf("the second: %v", err)
	}
}
