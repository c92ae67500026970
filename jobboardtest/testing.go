package jobboardtest

import (
	"sync/atomic"
	"testing"
)

// maxLogged bounds how many refused credentials a test's log tells of.
const maxLogged = 20

// New starts a stand-in for a test and closes it when the test ends. It is strict:
// a request outside the interface fails the test with a sentence that names the
// rule and its section, unless WithStrict(false) is given. The log of the test tells
// why a credential was refused, for the first 20 of them. A request that comes in
// when the test is over is refused and not reported.
func New(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	// Nothing is reported when the test is over, which would panic: Close takes
	// no more requests in and waits for those that are.
	var logged atomic.Int32
	report := func(violation string) { tb.Errorf("jobboardtest: %s", violation) }
	log := func(refusal string) {
		if logged.Add(1) <= maxLogged {
			tb.Logf("jobboardtest: %s", refusal)
		}
	}
	all := append([]Option{WithStrict(true), func(c *config) { c.report, c.log = report, log }}, opts...)
	s, err := start(all)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}
