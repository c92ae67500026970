package jobboardtest

import (
	"sync"
	"testing"
)

// New starts a fake for a test and closes it when the test ends. It is strict:
// a request outside the interface fails the test with a sentence that names the
// rule and its section; the option Tolerant takes that back. A request that
// comes in when the test is over is not reported.
func New(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	var (
		mu   sync.Mutex
		over bool
	)
	report := func(violation string) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			tb.Errorf("jobboardtest: %s", violation)
		}
	}
	all := append([]Option{Strict(), func(c *config) { c.report = report }}, opts...)
	s, err := Start(all...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		s.Close()
		mu.Lock()
		defer mu.Unlock()
		over = true
	})
	return s
}
