package jobmcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// A failed call is told by its operation, status and condition; the service's words stand apart.
func TestDescribesFailures(t *testing.T) {
	s := NewServer(nil, Options{})
	for _, test := range []struct {
		err     error
		text    string
		details bool
	}{
		{errors.New("no settings"), "no settings", false},
		{&jobboard.Error{Op: "Search"}, "Search failed", true},
		{&jobboard.Error{Op: "Search", StatusCode: 418}, "Search failed (status 418)", true},
		{fmt.Errorf("more: %w", &jobboard.Error{Op: "Search", StatusCode: 503, Err: jobboard.ErrServer}), "Search failed (status 503): " + jobboard.ErrServer.Error(), true},
		{&jobboard.Error{Op: "Search", Err: jobboard.ErrTimeout}, "Search failed: " + jobboard.ErrTimeout.Error(), true},
	} {
		f := s.describe(test.err)
		if f.Error != test.text || (f.Details != "") != test.details || (f.Notice != "") != test.details || strings.Contains(f.Error, "more") {
			t.Errorf("%v: %+v", test.err, f)
		}
	}
}
