package setup

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A short token is hidden where it stands alone, and does not ruin other words.
func TestShortSecrets(t *testing.T) {
	var s Secrets
	s.addSet("tok")
	s.addSet("longer-secret")
	for text, want := range map[string]string{
		"set a token, or stoke the fire":       "set a token, or stoke the fire",
		"tok":                                  "[hidden]",
		"Bearer tok.":                          "Bearer [hidden].",
		`you said "tok"`:                       `you said "[hidden]"`,
		`{"said":"\\ntok\\n"}`:                 `{"said":"\\n[hidden]\\n"}`,
		"a%20tok%20b \\u0022tok\\u0022":        "a%20[hidden]%20b \\u0022[hidden]\\u0022",
		"Authorization: Basic dG9rOg==":        "Authorization: [hidden]",
		"token longer-secret and longersecret": "token [hidden] and longersecret",
	} {
		if got := s.Mask(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

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
