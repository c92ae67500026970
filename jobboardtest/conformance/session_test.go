package conformance

import (
	"testing"
	"time"
)

// A target without a client of its own has one that waits for 30 seconds.
func TestOwnClient(t *testing.T) {
	s, err := newSession(Target{BaseURL: "http://127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	if s.client.Timeout != 30*time.Second || s.client.Transport != s.own {
		t.Errorf("%+v", s.client)
	}
}
