package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// inBubble runs a test of a mirror on SQLite in virtual time.
func inBubble(t *testing.T, f func(t *testing.T, m *Mirror)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, guardedAt(t, filepath.Join(t.TempDir(), "jobs.db"))) })
}

// holdWriter keeps others from writing to a database on SQLite until release is called.
func holdWriter(t *testing.T, m *Mirror) (release func()) {
	t.Helper()
	held, done := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- m.db.update(t.Context(), func(*tx) error {
			close(held)
			<-done
			return nil
		})
	}()
	<-held
	return func() {
		close(done)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// What a process writes when it ends is tried again after 50 ms and twice as long each time
// while a server is away: for 600 ms once the process is told to end, and for ten seconds at most.
func TestWhatIsWrittenLateIsTriedAgain(t *testing.T) {
	const ms = time.Millisecond
	refused := errors.New("refused")
	for name, test := range map[string]struct {
		shared, told bool // it is a server; the process is told to end
		fails        error
		tries        []time.Duration
		ends         time.Duration
	}{
		"it is there":               {told: true, tries: []time.Duration{0}},
		"it refuses":                {told: true, fails: refused, tries: []time.Duration{0}},
		"it is away at the end":     {told: true, fails: io.EOF, tries: []time.Duration{0, 50 * ms, 150 * ms, 350 * ms}, ends: 600 * ms},
		"a server is, at the end":   {shared: true, told: true, fails: io.EOF, tries: []time.Duration{0, 50 * ms, 150 * ms, 350 * ms}, ends: 600 * ms},
		"a server is, for too long": {shared: true, fails: io.EOF, tries: []time.Duration{0, 50 * ms, 150 * ms, 350 * ms, 750 * ms, 1550 * ms, 3150 * ms, 6350 * ms}, ends: 10 * time.Second},
	} {
		inBubble(t, func(t *testing.T, m *Mirror) {
			m.db.Shared = test.shared // which no statement of this test asks
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.told {
				cancel()
			}
			began := time.Now()
			var tries []time.Duration
			err := m.db.updateLate(ctx, func(*tx) error {
				tries = append(tries, time.Since(began))
				return test.fails
			})
			if took := time.Since(began); !slices.Equal(tries, test.tries) || took != test.ends || (err == nil) != (test.fails == nil) {
				t.Errorf("%s: it was tried at %v, and given up after %s with %v", name, tries, took, err)
			}
			m.db.Shared = false
		})
	}
}

// A lease is renewed each five seconds. A server that answers nothing is asked for it for five
// seconds at a time, and the lease is given up once it is over; the writer of SQLite is
// waited for. Nobody renews what is another's by now.
func TestLeasesAreKept(t *testing.T) {
	begin := func(t *testing.T, m *Mirror) (src *source, turn turn, keep func(ctx context.Context) (time.Duration, error)) {
		src = m.sources[0]
		turn = beginTurn(t, m, src)
		return src, turn, func(ctx context.Context) (time.Duration, error) {
			began := time.Now()
			err := (&refresher{m, src, turn}).keepLease(ctx)
			return time.Since(began), err
		}
	}
	lasts := func(t *testing.T, m *Mirror, src *source) (left time.Duration) {
		t.Helper()
		do(t, m, func(t *tx) error {
			until, err := store.Value[int64](t, "SELECT leased_until FROM sources WHERE id = ?", src.ID)
			left = time.Duration(until-t.Now) * time.Millisecond
			return err
		})
		return left
	}
	inBubble(t, func(t *testing.T, m *Mirror) {
		src, _, keep := begin(t, m)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := keep(ctx)
			ended <- err
		}()
		for range 5 {
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if left := lasts(t, m, src); left != m.db.Lasting(sources.Lease) {
				t.Errorf("when it was renewed it lasts for %s", left)
			}
			time.Sleep(4 * time.Second)
			if left := lasts(t, m, src); left != m.db.Lasting(sources.Lease)-4*time.Second {
				t.Errorf("four seconds later it lasts for %s", left)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		release := holdWriter(t, m)
		time.Sleep(10 * time.Minute)
		select {
		case err := <-ended:
			t.Fatalf("while somebody writes it ends with %v", err)
		default:
		}
		release()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("at the end: %v", err)
		}
	})
	inBubble(t, func(t *testing.T, m *Mirror) {
		_, _, keep := begin(t, m)
		release := holdWriter(t, m)
		m.db.Shared = true // a server that answers nothing
		took, err := keep(t.Context())
		if took != 20*time.Second || err == nil || !strings.Contains(err.Error(), "the lease of channel whole") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %s %v", took, err)
		}
		m.db.Shared = false
		release()
	})
	inBubble(t, func(t *testing.T, m *Mirror) {
		src, turn, keep := begin(t, m)
		if _, err := (&refresher{m, src, turn}).lease(t.Context(), sources.Lease); err != nil { // SQLite keeps the statement as its own
			t.Fatal(err)
		}
		m.db.Shared = true
		ended := make(chan time.Duration)
		go func() {
			took, err := keep(t.Context())
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			ended <- took
		}()
		time.Sleep(12 * time.Second) // it was renewed twice
		release := holdWriter(t, m)
		if took := <-ended; took != 30*time.Second {
			t.Errorf("a server that answered for ten seconds is given up after %s", took)
		}
		m.db.Shared = false
		release()
	})
	inBubble(t, func(t *testing.T, m *Mirror) {
		src, _, keep := begin(t, m)
		beginTurn(t, m, src)
		if took, err := keep(t.Context()); took != 5*time.Second || !errors.Is(err, store.ErrLeaseLost) {
			t.Errorf("of another's turn: after %s %v", took, err)
		}
		if left := lasts(t, m, src); left > 0 {
			t.Errorf("another's lease lasts for %s", left)
		}
	})
}

// A process that ends says so for two seconds at most. While it works it does so every ten
// seconds, and a process silent for an hour is forgotten with its batches.
func TestProcessesAreSeen(t *testing.T) {
	inBubble(t, func(t *testing.T, m *Mirror) {
		count := func(query string) (n int64) {
			t.Helper()
			do(t, m, func(t *tx) (err error) {
				n, err = store.Value[int64](t, query)
				return err
			})
			return n
		}
		working := func() (n int64) {
			t.Helper()
			do(t, m, func(t *tx) (err error) {
				n, err = statusTx{t}.working()
				return err
			})
			return n
		}
		w := &worker{m, "this"}
		do(t, m, func(t *tx) error {
			return errors.Join(t.DoAll(nil, fmt.Sprintf(
				"INSERT INTO processes (id, name, version, doing, started, seen, lookups, tokens) VALUES ('killed', 'x', '', 'run', %[1]d, %[1]d, 0, 1)", t.Now)),
				t.DoAll([]any{t.Now}, "INSERT INTO batches (number, process, since) VALUES (1, 'killed', ?)",
					"INSERT INTO batches (number, process, since) VALUES (2, 'this', ?)"))
		})
		gone := w.present(t.Context(), "run")
		if n := working(); n != 2 {
			t.Errorf("%d processes work at first", n)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n := working(); n != 2 {
			t.Errorf("after 30 s %d processes work", n)
		}
		time.Sleep(time.Millisecond)
		if n := working(); n != 1 {
			t.Errorf("after a bit more %d processes work", n)
		}
		for range 5 {
			time.Sleep(10 * time.Second)
			synctest.Wait()
			s, err := m.Status(t.Context())
			if err != nil || len(s.Processes) != 2 || time.Since(s.Processes[1].Seen) > time.Second {
				t.Errorf("%+v, %v", s, err)
			}
		}
		time.Sleep(time.Hour - 79*time.Second)
		synctest.Wait()
		if n, batches := count("SELECT count(*) FROM processes"), count("SELECT count(*) FROM batches"); n != 2 || batches != 2 {
			t.Errorf("after an hour and a second there are %d processes and %d batches", n, batches)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n, batches := count("SELECT count(*) FROM processes"), count("SELECT count(*) FROM batches WHERE number = 2"); n != 1 || batches != 1 {
			t.Errorf("ten seconds later there are %d processes and %d batches of the one that works", n, batches)
		}
		if n := count("SELECT count(*) FROM batches"); n != 1 {
			t.Errorf("%d batches are left", n)
		}
		began := time.Now()
		gone()
		if n := count("SELECT count(*) FROM processes"); n != 0 || time.Since(began) != 0 {
			t.Errorf("it said that it ends after %s; %d processes are left", time.Since(began), n)
		}

		gone = w.present(t.Context(), "run")
		release := holdWriter(t, m)
		began = time.Now()
		gone()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("where nothing can be written it ends after %s", took)
		}
		release()
	})
}
