package jobmirror_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// readings keeps the changes that readers were given, and whether two were at it at the same time.
type readings struct {
	mu      sync.Mutex
	at      atomic.Int64
	several bool
	cursors []jobmirror.Cursor
}

func (r *readings) read(_ context.Context, changes []jobmirror.Change) error {
	if r.at.Add(1) > 1 {
		r.several = true
	}
	defer r.at.Add(-1)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range changes {
		r.cursors = append(r.cursors, c.Cursor)
	}
	return nil
}

func (r *readings) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.cursors)
}

// since returns the cursors of the changes after one.
func since(t *testing.T, m *jobmirror.Mirror, cursor jobmirror.Cursor) (out []jobmirror.Cursor) {
	t.Helper()
	for c, err := range m.Changes(t.Context(), cursor) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c.Cursor)
	}
	return out
}

// A reader begins at the end of the log and is given each change after that, though several processes
// read under its name. What it fails at comes again.
func TestConsume(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		meter := metric.NewManualReader()
		opts := optionsOf(srv)
		opts.MeterProvider = metric.NewMeterProvider(metric.WithReader(meter))
		m := open(t, address, opts)
		refresh(t, m)
		old := since(t, m, "")
		end := old[len(old)-1]
		var got readings
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 3)
		for range 3 {
			go func() { ended <- m.Consume(ctx, "reader", got.read) }()
		}
		until(t, time.Minute, "the reader is known", func() bool {
			_, ok := measured(t, meter)["jobboard.mirror.reader.age"]
			return ok
		})
		for i := range 3 {
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: fmt.Sprint("Koch ", i), Language: "de"})
			refresh(t, m)
		}
		want := since(t, m, end)
		until(t, time.Minute, "all changes were read", func() bool {
			behind, err := m.Behind(t.Context(), "reader")
			return err == nil && behind == 0 && got.len() >= len(want)
		})
		stop()
		for range 3 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		if fmt.Sprint(got.cursors) != fmt.Sprint(want) || got.several || len(want) < 6 {
			t.Errorf("read %d of %d changes, several at once: %t", got.len(), len(want), got.several)
		}

		// Meanwhile nobody reads, and then a reader that fails.
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Kellner", Language: "de"})
		refresh(t, m)
		want = since(t, m, want[len(want)-1])
		if age := measured(t, meter)["jobboard.mirror.reader.age"]; age <= 0 || age > 60 {
			t.Errorf("the first change has waited for %v s", age)
		}
		broken := errors.New("broken")
		if err := m.Consume(t.Context(), "reader", func(context.Context, []jobmirror.Change) error { return broken }); !errors.Is(err, broken) {
			t.Error(err)
		}
		// One whose lease was taken from it, as from a process that was stopped, gives its changes to the next.
		got.cursors = nil
		first := true
		ctx, stop = context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := m.Consume(ctx, "reader", func(ctx context.Context, changes []jobmirror.Change) error {
			if first {
				first = false
				return jobmirror.Exec(ctx, m, "UPDATE readers SET leased_until = 1, holder = 'another'")
			}
			defer stop()
			return got.read(ctx, changes)
		}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if fmt.Sprint(got.cursors) != fmt.Sprint(want) {
			t.Errorf("read %d changes, not %d", got.len(), len(want))
		}
		if err := m.RemoveReader(t.Context(), "reader"); err != nil {
			t.Fatal(err)
		}
		if age, ok := measured(t, meter)["jobboard.mirror.reader.age"]; ok {
			t.Errorf("a reader that was removed is %v s behind", age)
		}
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		if err := reader.Consume(t.Context(), "reader", got.read); !errors.Is(err, jobmirror.ErrReadOnly) {
			t.Error(err)
		}
	})
}

// What a reader has finished is not given again, though its context ended before it returned. The database
// has little time for that, so a busy one has three tries.
func TestConsumeEndsAfterWhatWasRead(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		known, leave := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- m.Consume(known, "reader", func(context.Context, []jobmirror.Change) error { return nil })
		}()
		until(t, time.Minute, "the reader is known", func() bool {
			_, err := m.Behind(t.Context(), "reader")
			return err == nil
		})
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for range 3 {
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Kellner", Language: "de"})
			refresh(t, m)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			err := m.Consume(ctx, "reader", func(context.Context, []jobmirror.Change) error {
				stop()
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if behind, err := m.Behind(t.Context(), "reader"); err != nil {
				t.Fatal(err)
			} else if behind == 0 {
				return
			}
		}
		t.Error("what was read is given again")
	})
}

// While one reads nobody else does, and a lease that is leased is waited for. One that has come
// too late for the log goes on with what there is.
func TestConsumeWhatThereIs(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		all := since(t, m, "")
		for _, statement := range []string{
			"INSERT INTO readers (name, number, stamp) VALUES ('late', 1, 1)",
			"UPDATE counters SET value = 3 WHERE name = 'erased'",
			"UPDATE counters SET value = (SELECT stamp FROM changes WHERE number = 3) WHERE name = 'erased_stamp'",
			"DELETE FROM changes WHERE number <= 3",
		} {
			if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
				t.Fatal(err)
			}
		}
		var got readings
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		err := m.Consume(ctx, "late", func(ctx context.Context, changes []jobmirror.Change) error {
			if err := got.read(ctx, changes); err != nil || got.len() < len(all)-3 {
				return err
			}
			stop()
			return nil
		})
		if !errors.Is(err, context.Canceled) || fmt.Sprint(got.cursors) != fmt.Sprint(all[3:]) {
			t.Errorf("read %d changes, not %d: %v", got.len(), len(all)-3, err)
		}
	})
}

func TestAnnouncedIsKeptForADay(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		m := open(t, address, jobmirror.Options{})
		now := time.Now().Truncate(time.Millisecond)
		for age, pages := range map[time.Duration][]string{30 * time.Hour: {"a", "b"}, 23 * time.Hour: {"b", "c"}, 0: {"b"}} {
			if err := m.Announced().SetTold(t.Context(), pages, now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Announced().SetTold(t.Context(), []string{"d"}, now); err != nil {
			t.Fatal(err)
		}
		for since, want := range map[time.Duration]string{
			48 * time.Hour: "map[b:[23h0m0s 0s] c:[23h0m0s] d:[0s]]", time.Hour: "map[b:[0s] d:[0s]]",
		} {
			told, err := m.Announced().Told(t.Context(), now.Add(-since))
			ages := map[string][]time.Duration{}
			for address, times := range told {
				for _, at := range times {
					ages[address] = append(ages[address], now.Sub(at))
				}
			}
			if fmt.Sprint(ages) != want || err != nil {
				t.Errorf("since %s: %v, %v, not %s", since, ages, err, want)
			}
		}
	})
}
