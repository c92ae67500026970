package jobboardtest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// core holds the state that request handlers and the methods of Server share.
type core struct {
	base, jobDB endpointRoot
	strict      bool
	report      func(violation string)
	log         func(refusal string)

	ctx    context.Context // ends at Close
	ending context.Context // ends at Shutdown; stops stalled and endless answers

	mu       sync.RWMutex
	st       *state
	variants atomic.Pointer[Variants]
	revision atomic.Int64 // counts the changes of state and switches

	clock   clock
	faults  faults
	journal journal
	mounts  mounts

	closing  sync.Mutex
	closed   bool
	inflight sync.WaitGroup
}

// endpointRoot is the host and path prefix of one address.
type endpointRoot struct{ host, prefix string }

func (r endpointRoot) url() string { return "http://" + r.host + r.prefix }

// change runs f with the state locked.
func (s *core) change(f func(st *state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.st)
	s.revision.Add(1)
}

// read runs f, which changes nothing, with the state locked against changes.
func (s *core) read(f func(st *state)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	f(s.st)
}

// stamp returns the server's time as records store it: in UTC, without the
// monotonic clock reading.
func (s *core) stamp() time.Time { return s.clock.now().UTC().Round(0) }

// enter counts a request as being served; it reports false after Close.
func (s *core) enter() bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return false
	}
	s.inflight.Add(1)
	return true
}
