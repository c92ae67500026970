package setup

import (
	"net/url"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// TestIsConfidential: only https and loopback keep a request from others, and the client
// has the same rule.
func TestIsConfidential(t *testing.T) {
	for address, want := range map[string]bool{
		"https://jobs.example": true, "http://LOCALHOST:80": true, "http://127.9.9.9": true, "http://[::1]": true,
		"http://[::ffff:127.0.0.1]": true, "http://jobs.example": false, "http://10.0.0.1": false, "http://localhost.example": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := IsConfidential(u); got != want {
			t.Errorf("%s: %t", address, got)
		}
		if _, err := jobboard.NewClient(jobboard.Config{BaseURL: address, ClientID: "10"}); (err == nil) != want {
			t.Errorf("the client says of %s: %v", address, err)
		}
	}
}
