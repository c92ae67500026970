package jobsite

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// The token of a site with a secret comes from a board with a certificate of its own, and from one
// that HTTPClient reaches, and no silent HTTP/2 connection is kept.
func TestTokenOfABoardWithItsOwnCA(t *testing.T) {
	board := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "fetched", "expires_in": 3600})
	}))
	defer board.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(board.Certificate())
	for name, cfg := range map[string]jobboard.Config{
		"TLS":        {TLS: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}},
		"HTTPClient": {HTTPClient: board.Client()},
	} {
		cfg.ClientID = "10"
		s := Settings{Board: cfg, ClientSecret: "secret", TokenURL: board.URL}
		s.setToken()
		if token, err := s.Board.TokenSource.Token(); err != nil || token.AccessToken != "fetched" {
			t.Errorf("%s: %v", name, err)
		}
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, board.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := Transport(&cfg).RoundTrip(req) // as a sign-in does
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = resp.Body.Close()
	}
	if next := Transport(new(jobboard.Config)).(*http.Transport); next.HTTP2 == nil || next.HTTP2.SendPingTimeout <= 0 {
		t.Error("a silent connection would be kept")
	}
}
