package jobboardtest

import (
	"context"
	"slices"
	"sync"
)

// Request gives the journal's entry of a number, as it is by now; ok is false
// where it never came or is gone.
func (s *Server) Request(number int) (r Request, ok bool) {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	i, ok := slices.BinarySearchFunc(s.journal.entries, number, func(r *Request, n int) int { return r.Number - n })
	if !ok {
		return Request{}, false
	}
	return *s.journal.entries[i], true
}

// OnShutdown calls f once when Shutdown begins, or at Close where that comes
// first. It is for a mounted handler whose answers would otherwise not end, and
// keep Shutdown waiting.
func (s *Server) OnShutdown(f func()) {
	once := sync.OnceFunc(f)
	for _, srv := range s.servers {
		srv.RegisterOnShutdown(once)
	}
	context.AfterFunc(s.ctx, once)
}

// HasClient reports whether there is a client.
func (s *Server) HasClient(id string) (ok bool) {
	s.read(func(st *state) { _, ok = st.clients[id] })
	return ok
}

// HasApplicant reports whether there is an applicant.
func (s *Server) HasApplicant(id int64) (ok bool) {
	s.read(func(st *state) { _, ok = st.applicants[id] })
	return ok
}
