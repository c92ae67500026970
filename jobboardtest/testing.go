package jobboardtest

import (
	"sync/atomic"
	"testing"
)

// maxLogged bounds the refused credentials in a test's log.
const maxLogged = 20

// New starts a mock server for a test and closes it when the test ends. It is
// strict: a request that breaks a rule of the interface fails the test with a sentence that names
// the rule and its section, unless WithStrict(false) is given. The log of the test
// tells why a credential was refused, for the first 20 of them. After the end of the
// test requests are refused, and not reported. A fault that was planted and hit no call
// fails the test too, unless the test has failed already; see Unmet.
func New(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	// A report after the end of the test would panic. Close prevents reports:
	// it refuses new requests and waits for running ones.
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
	tb.Cleanup(func() {
		s.Close()
		if tb.Failed() || tb.Skipped() { // it may have ended before the call
			return
		}
		for _, a := range s.Unmet() {
			tb.Errorf("jobboardtest: %s", a.missed())
		}
	})
	return s
}
