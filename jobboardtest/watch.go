package jobboardtest

import (
	"context"
	"fmt"
	"time"
)

// Now returns the server's time: tokens expire by it, and answers carry it. It is
// time.Now unless SetClock or Advance changed it.
func (s *Server) Now() time.Time { return s.clock.now() }

// SetClock makes f the server's clock; nil means time.Now. What Advance added is
// forgotten. f must not call the server. Delays of faults run on the time of
// package time, whatever the clock.
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
	s.saver.Touch()
}

// Fail plants a fault, and returns the handle that lifts it. Where several fit a call,
// one hits it: the first planted that has hits and time left. Fail panics where Check
// returns an error.
func (s *Server) Fail(f Fault) *ActiveFault {
	if err := f.Check(); err != nil {
		panic(err)
	}
	return s.faults.plant(f, s.clock.now())
}

// LiftFaults takes every fault away. A call that one delays or stalls stays hit.
func (s *Server) LiftFaults() { s.faults.lift() }

// Requests returns the journal, oldest first: the requests of the operations that
// are given, or all. It holds the newest 10 000 requests, and up to as many older ones; fewer
// where they would take more than 64 MiB of memory. Of a text longer than 8 KiB it has the
// beginning, and of all headers of a request 64 KiB. Query and Header are the journal's own:
// read them, and change nothing.
func (s *Server) Requests(ops ...Operation) []Request { return s.journal.list(ops) }

// Count returns the number of requests that came in since the start or the last
// ClearRequests: of the operations that are given, or of all.
func (s *Server) Count(ops ...Operation) int { return s.journal.count(ops) }

// Wait returns once n requests have come in, counted as Count does. The answer
// of the last may not have been sent yet.
func (s *Server) Wait(ctx context.Context, n int, ops ...Operation) error {
	return s.journal.wait(ctx, s.ctx.Done(), n, ops)
}

// ClearRequests empties the journal and sets the counts to 0. The next request has
// the next number all the same.
func (s *Server) ClearRequests() { s.journal.clear() }

// Snapshot returns a copy of state and switches, sorted by identifier; subscriptions
// are the oldest first.
func (s *Server) Snapshot() State {
	var out State
	s.read(func(st *state) { out = st.snapshot() })
	out.Variants, out.Demo = s.Variants(), s.Demo
	return out
}

// Restore replaces state and switches. Where the state contradicts itself it returns
// an error and changes nothing. Demo stays as it is.
func (s *Server) Restore(in State) error {
	st, err := in.build(s.clock.now())
	if err != nil {
		return err
	}
	s.change(func(*state) { s.st = st })
	s.SetVariants(in.Variants)
	return nil
}

// SaveTo writes the state to a file, and from then on after every change and at
// Close. A write begins 200 ms after a change at most, or as soon as the write
// before it has ended, and takes as long as the disk does. It replaces the file in
// one step: a process that is killed leaves the old file or the new one, never a
// part. A file that another program has replaced or changed since, such as a second
// server that saves there, is left as it is. SaveTo returns the error of the first
// write, Shutdown that of the last. A second call changes to another file.
func (s *Server) SaveTo(file string) error { return saving(s.saver.Start(s.ctx, file)) }

// saveError returns the error of the newest write after the one that SaveTo made itself.
func (s *Server) saveError() error { return saving(s.saver.Err()) }

func saving(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("jobboardtest: saving the state: %w", err)
}
