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

// A missing field names the unknown member that is most like it, whose letters may be
// swapped.
func TestNearest(t *testing.T) {
	table := []field{{name: "jobTitle"}, {name: "jobId"}, {name: "id"}}
	for _, c := range []struct {
		missing, want string
		members       []string
	}{
		{"jobTitle", "jobTilte", []string{"jobTxxle", "jobTilte", "jobId"}},
		{"jobTitle", "JobTitle", []string{"jobtitl", "JobTitle"}},
		{"jobTitle", "jobTitla", []string{"jobTitlb", "jobTitla"}},
		{"jobTitle", "", []string{"title", "jobId"}},
		{"jobId", "jobDi", []string{"jobDi"}},
		{"id", "", []string{"is"}},
	} {
		item := object{}
		for _, m := range c.members {
			item[m] = "x"
		}
		if got := nearest(c.missing, []object{item}, table); got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.missing, c.members, got, c.want)
		}
	}
}
