package clienttoken

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/oauth2/clientcredentials"
)

// A token lasts as long as its answer says, in whatever form it writes the number.
func TestHowLongATokenLasts(t *testing.T) {
	for given, want := range map[string]time.Duration{
		`3600`: time.Hour, `"3600"`: time.Hour, `3600.0`: time.Hour, `"3600.0"`: time.Hour, `36e2`: time.Hour, `null`: 0,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if id, secret, _ := r.BasicAuth(); id != "10" || secret != "s" || r.FormValue("grant_type") != "client_credentials" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			fmt.Fprintf(w, `{"access_token":"fetched","token_type":"Bearer","expires_in":%s,"scope":"x"}`, given)
		}))
		var seen string
		source := Source(clientcredentials.Config{ClientID: "10", ClientSecret: "s", TokenURL: srv.URL}, http.DefaultTransport,
			func(token string) { seen = token })
		token, err := source.Token()
		if err != nil || token.AccessToken != "fetched" || seen != "fetched" {
			t.Errorf("%s: %v, %v, told of %q", given, token, err, seen)
		} else if left := time.Until(token.Expiry).Round(time.Minute); want != left && !token.Expiry.IsZero() || (want == 0) != token.Expiry.IsZero() {
			t.Errorf("%s: it lasts %s", given, left)
		}
		srv.Close()
	}
}

// What is no answer with a number is passed on as it is, a refusal too.
func TestOtherAnswers(t *testing.T) {
	for _, body := range []string{``, `{`, `[]`, `{"expires_in":"soon"}`, `{"expires_in":"NaN"}`, `{"expires_in":1e300}`, `{"access_token":"x"}`, `a=b`} {
		if got := string(wholeSeconds([]byte(body))); got != body {
			t.Errorf("%s becomes %s", body, got)
		}
	}
}

// A token endpoint that redirects gets no secret to another address.
func TestFollowsNoRedirect(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	source := Source(clientcredentials.Config{ClientID: "10", ClientSecret: "s", TokenURL: srv.URL}, http.DefaultTransport, nil)
	if _, err := source.Token(); err == nil || asked != 0 {
		t.Errorf("%v, and elsewhere was asked %d times", err, asked)
	}
}
