// Package jobboardmock connects the mock server of package jobboardtest to test
// suites that use httpmock. It makes a MockTransport, not the global transport,
// that answers like the mock server and opens no socket. A suite registers further
// responders on top.
package jobboardmock

import (
	"net/http"
	"net/url"
	"regexp"

	"github.com/jarcoal/httpmock"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// New returns a transport that answers requests to both addresses of the mock
// server, and refuses other addresses with httpmock's error. A responder that
// is registered later wins for the requests that it matches exactly. Use the
// transport in an http.Client. It counts calls per method and address as usual,
// and its Reset removes the mock server.
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

// origin returns an address without its path: the mock server also answers requests
// with a wrong path.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}
