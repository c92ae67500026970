package jobboardtest

import "testing"

// New starts a fake for a test and closes it when the test ends. It is strict:
// a request outside the interface fails the test with a sentence that names the
// rule and its section; WithStrict(false) takes that back. A request that comes
// in when the test is over is refused and not reported.
func New(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	// Nothing is reported when the test is over, which would panic: Close takes
	// no more requests in and waits for those that are.
	report := func(violation string) { tb.Errorf("jobboardtest: %s", violation) }
	all := append([]Option{WithStrict(true), func(c *config) { c.report = report }}, opts...)
	s, err := start(all)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}
