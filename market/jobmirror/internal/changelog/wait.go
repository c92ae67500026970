package changelog

import (
	"context"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// LookEvery is the time after which the log is looked at again while anybody waits for
// changes.
const LookEvery = 250 * time.Millisecond

// tail lets any number of readers wait for the log to grow, at the cost of one
// question to the database each time.
type tail struct {
	mu      sync.Mutex
	waiting int           // readers
	looking bool          // a goroutine looks for them
	last    int64         // the number of the last change, as it was seen last
	moved   chan struct{} // closed when another one is seen
}

// Wait returns when the log may have changes after a number, after d, or when ctx
// ends. It also returns when the database cannot tell: the reader then finds out
// why.
func (l *Log) Wait(ctx context.Context, after int64, d time.Duration) {
	t := &l.tail
	t.mu.Lock()
	if t.moved == nil {
		t.moved = make(chan struct{})
	}
	moved, known := t.moved, t.last > after
	t.waiting++
	if !t.looking {
		t.looking = true
		go l.look(context.WithoutCancel(ctx))
	}
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.waiting--
	}()
	if known {
		return
	}
	select {
	case <-moved:
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// look looks at the end of the log until nobody waits for changes any more.
func (l *Log) look(ctx context.Context) {
	t := &l.tail
	for {
		select {
		case <-time.After(LookEvery):
		case <-ctx.Done(): // which the callers' contexts do not end
		}
		t.mu.Lock()
		if t.waiting == 0 {
			t.looking = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		last, err := l.end(ctx)
		t.mu.Lock()
		if err != nil || last != t.last {
			t.last = last
			close(t.moved)
			t.moved = make(chan struct{})
		}
		t.mu.Unlock()
	}
}

// end returns the number of the last change in the log.
func (l *Log) end(ctx context.Context) (last int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = l.db.View(ctx, func(t *store.Tx) error {
		last, err = counter(t, lastChange)
		return err
	})
	if err != nil {
		return 0, err
	}
	return last, nil
}
