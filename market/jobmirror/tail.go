package jobmirror

import (
	"context"
	"sync"
	"time"
)

// followEvery is the time after which the log is asked again while anybody waits for
// changes.
const followEvery = 250 * time.Millisecond

// tail lets any number of readers wait for the log to grow, at the cost of one
// question to the database each time.
type tail struct {
	mu     sync.Mutex
	ready  int           // readers that wait
	asking bool          // a goroutine asks for them
	last   int64         // the number of the last change, as it was told last
	moved  chan struct{} // closed when another one is told
}

// await returns when the log may have changes after a number, after d, or when ctx
// ends. It also returns when the database cannot tell: the reader then finds out
// why.
func (m *Mirror) await(ctx context.Context, after int64, d time.Duration) {
	t := &m.tail
	t.mu.Lock()
	if t.moved == nil {
		t.moved = make(chan struct{})
	}
	moved, known := t.moved, t.last > after
	t.ready++
	if !t.asking {
		t.asking = true
		go m.watchLog(context.WithoutCancel(ctx))
	}
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ready--
	}()
	if known {
		return
	}
	signal(moved).wait(ctx, nil, d)
}

// watchLog asks for the end of the log until nobody waits for changes any more.
func (m *Mirror) watchLog(ctx context.Context) {
	t := &m.tail
	for {
		rest(ctx, followEvery)
		t.mu.Lock()
		if t.ready == 0 {
			t.asking = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		last, err := m.lastChange(ctx)
		t.mu.Lock()
		if err != nil || last != t.last {
			t.last = last
			close(t.moved)
			t.moved = make(chan struct{})
		}
		t.mu.Unlock()
	}
}

// lastChange returns the number of the last change in the log.
func (m *Mirror) lastChange(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := m.number(ctx); err != nil {
		return 0, err
	}
	return fromView(ctx, m.db, func(t *tx) (int64, error) { return t.counter(lastChange) })
}
