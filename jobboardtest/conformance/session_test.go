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

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"a", "", 1},
		{"", "abc", 3},
		{"abc", "abc", 0},
		{"kitten", "sitting", 3},
		{"ab", "ba", 2},
		{"abcd", "bcd", 1},
		{"abcd", "abd", 1},
		{"abcd", "abc", 1},
		{"bcd", "abcd", 1},
		{"jobTitle", "jobtitel", 3},
		{"flaw", "lawn", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
