package jobboardtest

import (
	"context"
	"time"
)

// Now returns the server's time: tokens expire by it, and the Date of answers
// comes from it. It equals time.Now unless SetClock or Advance changed it.
func (s *Server) Now() time.Time { return s.clock.now() }

// SetClock makes f the server's clock; nil means time.Now. It cancels earlier
// calls of Advance. f must not call the server. Delays of faults use package
// time, not this clock.
func (s *Server) SetClock(f func() time.Time) { s.clock.set(f) }

// Advance puts the server's clock forward by d, or back where d is below 0.
func (s *Server) Advance(d time.Duration) { s.clock.advance(d) }

// Variants returns the switches as they are set.
func (s *Server) Variants() Variants { return *s.variants.Load() }

// SetVariants sets the switches from the next request on. It panics where
// Check returns an error.
func (s *Server) SetVariants(v Variants) {
	if err := v.Check(); err != nil {
		panic(err)
	}
	s.variants.Store(&v)
	s.revision.Add(1)
}

// Fail plants a fault, and returns the handle that lifts it. If several faults fit a
// call, only the first planted of those that can still hit does. Fail panics where
// Check returns an error.
func (s *Server) Fail(f Fault) *ActiveFault {
	if err := f.Check(); err != nil {
		panic(err)
	}
	return s.faults.plant(f, s.clock.now())
}

// LiftFaults takes every fault away. Calls that a fault already delays or stalls
// stay so.
func (s *Server) LiftFaults() { s.faults.lift() }

// Requests returns the journal, oldest first: requests of the given operations, or without
// ops of all. The journal holds the newest 10 000 requests and up to as many older ones, but
// at most 64 MiB of memory. It cuts a text after 8 KiB, and a request's headers after 64 KiB.
// Query and Header are the journal's own: read them, and change nothing.
func (s *Server) Requests(ops ...Operation) []Request { return s.journal.list(ops) }

// Count returns the number of requests that came in since the start or the last
// ClearRequests: requests of the given operations, or without ops of all.
func (s *Server) Count(ops ...Operation) int { return s.journal.count(ops) }

// Wait returns once n requests have come in, counted as Count does. The server
// may still be sending the last answer.
func (s *Server) Wait(ctx context.Context, n int, ops ...Operation) error {
	return s.journal.wait(ctx, s.ctx.Done(), n, ops)
}

// ClearRequests empties the journal and sets the counts to 0. Request numbers
// continue.
func (s *Server) ClearRequests() { s.journal.clear() }

// Snapshot returns a copy of state and switches, sorted by identifier; subscriptions
// are the oldest first.
func (s *Server) Snapshot() State {
	var out State
	s.read(func(st *state) { out = st.snapshot() })
	out.Variants, out.Demo = s.Variants(), s.Demo
	return out
}

// Restore replaces state and switches, and lifts all faults. If records of the state contradict each
// other, it returns an error and changes nothing. Demo stays as it is.
func (s *Server) Restore(in State) error {
	st, err := in.build(s.clock.now())
	if err != nil {
		return err
	}
	s.change(func(*state) { s.st = st })
	s.SetVariants(in.Variants)
	s.faults.lift()
	return nil
}
