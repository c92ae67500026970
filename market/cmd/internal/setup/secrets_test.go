package setup

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A token that was fetched is hidden, however many were fetched before it; the oldest of more
// tokens than a server has in hand are forgotten.
func TestFetchedSecrets(t *testing.T) {
	var s Secrets
	token := func(n int) string { return fmt.Sprintf("fetched-token-%05d", n) }
	hidden := func(n int) bool { return s.Mask("Bearer "+token(n)) == "Bearer [hidden]" }
	for n := range mostFetched {
		s.addFetched(token(n))
		s.addFetched(token(n)) // again is no other one
		s.addFetched("")
	}
	if !hidden(0) || !hidden(mostFetched-1) || hidden(mostFetched) {
		t.Errorf("of %d tokens the first is hidden: %t, the last: %t, the next: %t", mostFetched, hidden(0), hidden(mostFetched-1), hidden(mostFetched))
	}
	s.addFetched(token(mostFetched))
	if hidden(0) || !hidden(1) || !hidden(mostFetched) {
		t.Errorf("of one more the first is hidden: %t, the second: %t, the last: %t", hidden(0), hidden(1), hidden(mostFetched))
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A token that client identifier and secret were exchanged for is hidden as they are.
func TestTokenOfClientCredentialsIsHidden(t *testing.T) {
	endpoint := roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(`{"access_token":"fetched-token","token_type":"Bearer"}`)),
		}, nil
	})
	b := &Board{reader: &Reader{Transport: endpoint}, Settings: Settings{Values: map[string]Value{
		ClientID: {Text: "10"}, ClientSecret: {Text: "client-secret"}, TokenURL: {Text: "https://jobs.example/token"},
	}}}
	source, err := b.clientCredentials()
	if err != nil {
		t.Fatal(err)
	}
	if token, err := source.Token(); err != nil || token.AccessToken != "fetched-token" {
		t.Fatalf("%v, %v", token, err)
	}
	if got := b.reader.Secrets.Mask("Bearer fetched-token"); got != "Bearer [hidden]" {
		t.Error(got)
	}
}
