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

// Every condition has its name and, where there is one, its next step; a wrapped one as well.
func TestNamesConditions(t *testing.T) {
	const (
		arguments  = "change the arguments: nothing was sent"
		credential = "whoever runs this server must look after its credential"
		answered   = "this is the service's answer about the job: another call gets the same"
		unfound    = "a technical error of the service, which says nothing of the job: do not call it closed or gone; " +
			"try again later, three times at most"
		slower = "try again later, or slower"
		later  = "try again later"
	)
	s := NewServer(nil, Options{})
	for _, test := range []struct {
		err   error
		names string
		next  string
	}{
		{jobboard.ErrPostingNotFound, "ErrPostingNotFound ErrGone", answered},
		{jobboard.ErrPostingNotAccessible, "ErrPostingNotAccessible ErrNotVisible", answered},
		{jobboard.ErrPostingInactive, "ErrPostingInactive ErrClosed", answered},
		{jobboard.ErrProjectNotAvailable, "ErrProjectNotAvailable ErrGone", answered},
		{jobboard.ErrProjectNotAccessible, "ErrProjectNotAccessible ErrNotVisible", answered},
		{jobboard.ErrApplicationNotFound, "ErrApplicationNotFound", answered},
		{jobboard.ErrJobInactive, "ErrJobInactive ErrClosed", answered},
		{jobboard.ErrJobUnavailable, "ErrJobUnavailable ErrGone", answered},
		{jobboard.ErrPostingUnavailable, "ErrPostingUnavailable", unfound},
		{jobboard.ErrGone, "ErrGone", answered},
		{jobboard.ErrClosed, "ErrClosed", answered},
		{jobboard.ErrNotVisible, "ErrNotVisible", answered},
		{jobboard.ErrUnauthorized, "ErrUnauthorized", credential},
		{jobboard.ErrForbidden, "ErrForbidden", credential},
		{jobboard.ErrToken, "ErrToken", credential},
		{jobboard.ErrRateLimited, "ErrRateLimited", slower},
		{jobboard.ErrServer, "ErrServer", later},
		{jobboard.ErrRedirect, "ErrRedirect", ""},
		{jobboard.ErrResponseTooLarge, "ErrResponseTooLarge", ""},
		{jobboard.ErrDecode, "ErrDecode", ""},
		{jobboard.ErrTransport, "ErrTransport", later},
		{jobboard.ErrTimeout, "ErrTimeout", later},
		{jobboard.ErrInvalidInput, "ErrInvalidInput", arguments},
		{errors.New("other"), "", ""},
	} {
		for _, err := range []error{test.err, fmt.Errorf("more: %w", test.err), &jobboard.Error{Op: "Search", Err: test.err}} {
			f := s.describe(err)
			if strings.Join(f.Conditions, " ") != test.names || f.Next != test.next {
				t.Errorf("%v: %q, next %q", err, f.Conditions, f.Next)
			}
		}
	}
}

// The program's word on what to do is told in place of ours, and an error's own before both.
func TestNextStep(t *testing.T) {
	var own string
	s := NewServer(nil, Options{NextStep: func(error) string { return own }})
	busy := &advised{errBusy, "wait"}
	for _, test := range []struct {
		own  string
		err  error
		want string
	}{
		{"call the office", jobboard.ErrServer, "call the office"},
		{"call the office", errors.New("other"), "call the office"},
		{"", jobboard.ErrServer, "try again later"},
		{"", errors.New("other"), ""},
		{"call the office", busy, "wait"},
		{"call the office", fmt.Errorf("more: %w", busy), "wait"},
	} {
		own = test.own
		if got := s.describe(test.err).Next; got != test.want {
			t.Errorf("%v, %q: %q, want %q", test.err, test.own, got, test.want)
		}
	}
}

// What the service said is cut.
func TestDetailsAreCut(t *testing.T) {
	s := NewServer(nil, Options{})
	for n, cut := range map[int]bool{499: false, 500: false, 501: true} {
		said := strings.Repeat("x", n)
		want := said
		if cut {
			want = said[:499] + "…"
		}
		if got := s.describe(errors.New(said)).Error; got != want {
			t.Errorf("%d characters: %s", n, got)
		}
	}
}
