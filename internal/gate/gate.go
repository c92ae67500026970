// Package gate bounds how many jobs of a bulk call run at once. A job that waits for its repeat
// gives its place to another job, and queues for a place when the repeat is due. [Run] does all
// jobs of an input; a [Crew] carries panics from goroutines to the caller.
package gate

import (
	"context"
	"slices"
	"sync"
)

// Gate gives a fixed number of places to jobs. First attempts and repeats take
// turns at the places that become free. It is safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	free    int
	away    int // jobs that gave up their place until a repeat
	maxAway int
	queues  [2][]chan struct{} // the waiting jobs, by first and again
	next    int                // the queue that gets the next free place
}

const (
	first = iota
	again
)

// New returns a gate with the given number of places. While maxAway jobs wait
// for a repeat, no first attempt gets a place.
func New(places, maxAway int) *Gate { return &Gate{free: places, maxAway: maxAway} }

// Enter waits for a place for a job's first attempt. It returns the error of ctx if ctx ends first.
func (g *Gate) Enter(ctx context.Context) error { return g.enter(ctx, first) }

// Leave gives back the place of a job that has ended.
func (g *Gate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free++
	g.grant()
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
	} else { // grant gave the place at the same moment
		g.free++
		g.grant()
	}
	return ctx.Err()
}

// grant gives free places to the two queues in turn.
func (g *Gate) grant() {
	for g.free > 0 {
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

// Turn holds the state of one job that has entered the gate. Only the goroutine of the job may use
// it.
type Turn struct {
	gate *Gate
	out  bool // the job has given its place back
}

// NewTurn returns the turn of a job that has entered.
func (g *Gate) NewTurn() *Turn { return &Turn{gate: g} }

// StepOut gives the place back until StepIn. It keeps the place if maxAway jobs
// are away already.
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

// StepIn waits for a place if StepOut gave the job's place back. It returns the error
// of ctx if ctx ends first; the turn is then over.
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

// End ends the turn: it gives back the job's place, or after StepOut stops counting the job as
// away.
func (t *Turn) End() {
	switch {
	case t.gate == nil: // StepIn has ended the turn
	case t.out: // the job is away and never returns
		t.gate.mu.Lock()
		defer t.gate.mu.Unlock()
		t.gate.away--
		t.gate.grant()
	default:
		t.gate.Leave()
	}
}
