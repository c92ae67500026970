package jobboardtest

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/door"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/mask"
)

func init() {
	door.Of = func(server any) any { return inside{server.(*Server)} }
}

// inside has the methods of a Server that package control calls.
type inside struct{ s *Server }

// HasClient reports whether there is a client.
func (in inside) HasClient(id string) bool {
	_, known := in.s.application(id)
	return known
}

// HasApplicant reports whether there is an applicant.
func (in inside) HasApplicant(id int64) bool { return in.s.hasApplicant(id) }

// AuthorizationCode makes a code for the token endpoint's authorization_code
// grant, as the authorize page does when an applicant is chosen. The code can
// be used once within a minute, and needs neither a redirect_uri nor a
// verifier.
func (in inside) AuthorizationCode(clientID string, applicant int64) string {
	return in.s.addCode(Code{ClientID: clientID, ApplicantID: applicant})
}

// NarrowToken takes the scope of a token away, so that requests with it get 403
// and insufficient_scope; it reports whether the token exists.
func (in inside) NarrowToken(value string) bool {
	return in.s.updateToken(value, func(t *token) { t.Narrow = true })
}

// Subscriptions returns all subscriptions, oldest first, the gone ones too.
func (in inside) Subscriptions() (all []Subscription) {
	in.s.read(func(st *state) { all = st.subscriptionsByAge() })
	return all
}

// Faults returns the planted faults that can still hit a call, oldest first.
func (in inside) Faults() []*ActiveFault { return in.s.faults.active(in.s.clock.now()) }

// Instead returns what came since a fault was planted that hit no call.
func (inside) Instead(a *ActiveFault) string { return a.instead() }

// Request returns the journal's current entry for a request number, with the answer
// so far. ok is false for a request that never arrived or that the journal has
// dropped.
func (in inside) Request(number int) (r Request, ok bool) {
	e, ok := in.s.journal.find(number)
	r, answered := e.Request, e.answered
	if r.Status != 0 {
		answered.Header = answered.Header.Clone()
		answered.Body = mask.New(nil, "", in.s.secretKind).Text(strings.ToValidUTF8(answered.Body, "\uFFFD"))
		r.Response = &answered
	}
	return r, ok
}

// RequestsAfter returns the journal's entries with a number above n, for a page
// that follows the journal.
func (in inside) RequestsAfter(n int) []Request { return in.s.journal.after(n) }

// DecodeState reads a state of at most maxRecords without looking for contradictions.
func (inside) DecodeState(r io.Reader) (State, error) { return decodeState(r, maxRecords) }

// Journal returns the number of the oldest request in the journal, or of the next request
// if the journal is empty, and how many requests it has.
func (in inside) Journal() (first, kept int) { return in.s.journal.extent() }

// AnswerHolds reports whether the answer to a request has a word, which is in lower case.
// A word is not found in what Request masks.
func (in inside) AnswerHolds(number int, word string) bool {
	e, ok := in.s.journal.find(number)
	if !ok || !strings.Contains(strings.ToLower(e.answered.Body), word) {
		return false
	}
	r, _ := in.Request(number)
	return r.Response != nil && strings.Contains(strings.ToLower(r.Response.Body), word)
}

// Revision returns a number that grows with every change of state or switches.
func (in inside) Revision() int64 { return in.s.revision.Load() }

// Reset goes back to the state and switches of the start, lifts all faults and empties
// the journal. The clock stays as it is.
func (in inside) Reset() {
	_ = in.s.Restore(in.s.initial) // cannot fail: the server started with this state
	in.s.journal.clear()
}

// Mount serves a path of {base_url}, and all paths below it; "/" serves the root path
// alone. The handler sees the path without the prefix. No fault hits such requests,
// and the journal leaves them out. The handler with the longest path that fits serves
// a request. A nil handler removes a path.
func (in inside) Mount(path string, h http.Handler) { in.s.mounts.mount(path, h) }

// OnShutdown calls f once, when Shutdown begins or, without it, at Close. A mounted
// handler with endless answers ends them in f, so that Shutdown does not wait for
// them. Close waits for f.
func (in inside) OnShutdown(f func()) {
	in.s.endings.Add(1)
	context.AfterFunc(in.s.ending, func() {
		defer in.s.endings.Done()
		f()
	})
}
