package jobboardtest

import (
	"context"
	"time"
)

// Now returns the server's time: tokens expire by it, and answers carry it. It is
// time.Now unless SetClock or Advance changed it.
func (s *Server) Now() time.Time {
	s.clockMu.Lock()
	defer s.clockMu.Unlock()
	return s.clock().Add(s.ahead)
}

// stamp is Now in the form that is kept and saved.
func (s *Server) stamp() time.Time { return s.Now().UTC().Round(0) }

// SetClock makes f the server's clock; nil means time.Now. What Advance added is
// forgotten. f must not call the server. Delays of faults run on the time of
// package time, whatever the clock.
func (s *Server) SetClock(f func() time.Time) {
	if f == nil {
		f = time.Now
	}
	s.clockMu.Lock()
	defer s.clockMu.Unlock()
	s.clock, s.ahead = f, 0
}

// Advance puts the server's clock forward by d, or back where d is below 0.
func (s *Server) Advance(d time.Duration) {
	s.clockMu.Lock()
	defer s.clockMu.Unlock()
	if sum := s.ahead + d; (sum < s.ahead) != (d < 0) { // beyond what a Duration holds
		clock, ahead := s.clock, s.ahead
		s.clock, s.ahead = func() time.Time { return clock().Add(ahead) }, 0
	}
	s.ahead += d
}

// pause waits for d. It reports false where the context ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
