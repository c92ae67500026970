// Package jobboardmock gives the stand-in of package jobboardtest to test suites
// that use httpmock: a MockTransport of their own, not the global one, that
// answers as the stand-in does and opens no socket. A suite registers what it wants
// otherwise on top.
package jobboardmock

import (
	"net/http"
	"net/url"
	"regexp"

	"github.com/jarcoal/httpmock"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// New returns a transport that answers what is sent to either address of the
// fake, and refuses, as httpmock does, what is sent elsewhere. Responders that
// are registered later win for what they match exactly. Use it as the Transport
// of an http.Client; it counts calls per method and address as usual, and
// Reset takes the stand-in out.
func New(fake *jobboardtest.Server) *httpmock.MockTransport {
	mock := httpmock.NewMockTransport()
	answer := httpmock.Responder(fake.Transport().RoundTrip)
	for _, address := range []string{fake.BaseURL, fake.JobDBURL} {
		under := regexp.MustCompile("^" + regexp.QuoteMeta(origin(address)) + "(/|$)")
		for _, method := range []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		} {
			mock.RegisterRegexpResponder(method, under, answer)
		}
	}
	return mock
}

// origin returns an address without its path: the stand-in answers for the paths that
// are wrong, too.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}
