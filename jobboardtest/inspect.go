package jobboardtest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Request returns the journal's entry of a number, as it is by now, with what
// was answered; ok is false where it never came or is gone.
func (s *Server) Request(number int) (r Request, ok bool) {
	s.journal.mu.Lock()
	i, ok := slices.BinarySearchFunc(s.journal.entries, number, func(e *entry, n int) int { return e.Number - n })
	if !ok {
		s.journal.mu.Unlock()
		return Request{}, false
	}
	r = s.journal.entries[i].Request
	response := s.journal.entries[i].response
	s.journal.mu.Unlock()
	if r.Status == 0 {
		return r, true
	}
	m := &mask{known: s.knownSecret}
	header := http.Header{}
	if response.contentType != "" {
		header.Set("Content-Type", response.contentType)
	}
	maps.Copy(header, response.header)
	body := m.text(strings.ToValidUTF8(string(response.body), "\uFFFD"))
	r.Response = &Response{Header: header, Body: body, Size: response.size}
	return r, true
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
