package call

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"golang.org/x/oauth2"
)

// accepting is an owner that accepts every good answer.
type accepting struct{}

func (accepting) Begin(ctx context.Context, _ int) (context.Context, http.Header) { return ctx, nil }
func (accepting) Accept(*Answer) error                                            { return nil }
func (accepting) Judge(*Failure) bool                                             { return true }
func (accepting) End(End)                                                         {}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The last line: whatever made the address of a request, no credential is sent
// to another origin than its endpoint's, nor is the request.
func TestCredentialStaysWithItsOrigin(t *testing.T) {
	var sent []string
	network := Network{Next: func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.URL.String()+" "+r.Header.Get("Authorization"))
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("true"))}, nil
	}}
	fresh := must(credential.Bearer(&oauth2.Token{AccessToken: "fresh"}).Header(nil))
	renewing := credential.NewCache(func(context.Context) (*oauth2.Token, error) { return &oauth2.Token{AccessToken: "renewed"}, nil })
	for name, own := range map[string]credential.Credential{
		"basic": credential.Basic("id"), "static": credential.Bearer(&oauth2.Token{AccessToken: "static"}), "renewing": renewing.Credential(),
	} {
		base := must(http.NewRequest(http.MethodGet, "https://jobs.example/board", http.NoBody)).URL
		endpoint := &Endpoint{
			Network: &network, Base: base, Origin: address.OriginOf(base), Credential: own,
			Policy: &Policy{AttemptTimeout: time.Minute, StallTimeout: time.Minute}, Added: func() http.Header { return nil },
		}
		for _, left := range []*credential.Authorization{nil, fresh} { // what a renewal has left for the next attempt
			for target, isOwn := range map[string]bool{
				"https://jobs.example/x": true, "https://JOBS.example:443/x": true,
				"http://jobs.example/x": false, "https://jobs.example:444/x": false, "https://www.jobs.example/x": false,
				"https://jobs.example.net/x": false, "https://127.0.0.1/x": false, "https://jobs.example@elsewhere.example/x": false,
			} {
				sent = nil
				c := &Call{owner: accepting{}, endpoint: endpoint, request: Request{Method: http.MethodGet, Limit: 1000}, token: token{fresh: left}}
				c.clock = newClock(t.Context(), false, time.Now())
				failed := c.attempt(must(http.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)))
				c.release()
				switch {
				case isOwn && (failed != nil || len(sent) != 1 || strings.Contains(sent[0], "fresh") != (left != nil)):
					t.Errorf("%s to %s: %+v, sent %q", name, target, failed, sent)
				case !isOwn && (failed == nil || failed.Kind != Elsewhere || len(sent) != 0):
					t.Errorf("%s to %s: %+v, sent %q", name, target, failed, sent)
				}
			}
		}
	}
}
