// Package gate lets a bounded number of jobs work at once. A job that waits for
// its repeat leaves the gate and comes again later, so it keeps nobody from
// working.
package gate

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Gate has a number of places. Jobs that come for the first time and jobs that
// come again take turns at the places that become free. It is safe for
// concurrent use.
type Gate struct {
	mu      sync.Mutex
	free    int
	away    int // jobs that left and will come again
	maxAway int
	queues  [2][]chan struct{} // who waits for a place: first, again
	next    int                // the queue whose turn it is
	opens   time.Time          // the end of a pause
}

const (
	first = iota
	again
)

// New returns a gate with so many places. While maxAway jobs are away, none
// comes in for the first time.
func New(places, maxAway int) *Gate { return &Gate{free: places, maxAway: maxAway} }

// Enter waits for a place for a job's first attempt. Its error is that of ctx.
func (g *Gate) Enter(ctx context.Context) error { return g.enter(ctx, first) }

// Leave gives a place back for good.
func (g *Gate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free++
	g.grant()
}

// Pause lets nobody in until then. A pause that ends earlier than the one under
// way changes nothing.
func (g *Gate) Pause(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.After(g.opens) {
		g.opens = until
		time.AfterFunc(time.Until(until), func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.grant()
		})
	}
}

func (g *Gate) enter(ctx context.Context, queue int) error {
	g.mu.Lock()
	place := make(chan struct{})
	g.queues[queue] = append(g.queues[queue], place)
	g.grant()
	g.mu.Unlock()
	select {
	case <-place:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.queues[queue], place); i >= 0 {
		g.queues[queue] = slices.Delete(g.queues[queue], i, i+1)
		if queue == again {
			g.away--
		}
	} else { // the place was given at the same moment
		g.free++
	}
	g.grant()
	return ctx.Err()
}

// grant gives the free places away, to the two queues in turn.
func (g *Gate) grant() {
	for g.free > 0 && !time.Now().Before(g.opens) {
		q := g.next
		if !g.ready(q) {
			q = 1 - q
		}
		if !g.ready(q) {
			return
		}
		close(g.queues[q][0])
		g.queues[q] = slices.Delete(g.queues[q], 0, 1)
		g.free--
		if q == again {
			g.away--
		}
		g.next = 1 - q
	}
}

func (g *Gate) ready(queue int) bool {
	return len(g.queues[queue]) > 0 && (queue == again || g.away < g.maxAway)
}

// Turn is one job's dealing with a gate, from the moment that Enter let it in.
// It belongs to the goroutine of the job.
type Turn struct {
	gate  *Gate
	Pause bool // Retry-After pauses the gate
	out   bool // the job has left
}

// NewTurn returns the turn of a job that has entered.
func (g *Gate) NewTurn(pause bool) *Turn { return &Turn{gate: g, Pause: pause} }

// StepOut gives the place back until StepIn. Where as many jobs are away as may
// be, it keeps the place.
func (t *Turn) StepOut() {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	if t.out || t.gate.away >= t.gate.maxAway {
		return
	}
	t.out = true
	t.gate.away++
	t.gate.free++
	t.gate.grant()
}

// StepIn waits for a place, if the job has left its own. Its error is that of
// ctx; the job is then out for good.
func (t *Turn) StepIn(ctx context.Context) error {
	if !t.out {
		return nil
	}
	if err := t.gate.enter(ctx, again); err != nil {
		t.gate = nil
		return err
	}
	t.out = false
	return nil
}

// PauseUntil pauses the gate.
func (t *Turn) PauseUntil(until time.Time) { t.gate.Pause(until) }

// End gives back what the job still holds.
func (t *Turn) End() {
	switch {
	case t.gate == nil: // gone already
	case t.out: // it will not come again
		t.gate.mu.Lock()
		defer t.gate.mu.Unlock()
		t.gate.away--
		t.gate.grant()
	default:
		t.gate.Leave()
	}
}
