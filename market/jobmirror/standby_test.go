package jobmirror_test

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// On a standby everything that reads works, the status says what the server is, and who wants to write is
// told where.
func TestStandby(t *testing.T) {
	t.Parallel()
	s := ownServer(t)
	address := s.create(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	m := open(t, address, optionsOf(srv))
	refresh(t, m)
	if status, err := m.Status(t.Context()); err != nil || status.Standby {
		t.Fatalf("the primary: %+v, %v", status, err)
	}
	set := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		u.RawQuery += "&default_transaction_read_only=on"
		return u.String()
	}
	check := func(what, address string) {
		t.Helper()
		read := open(t, address, jobmirror.Options{ReadOnly: true})
		status, err := read.Status(t.Context())
		if err != nil || !status.Standby || status.Postings == 0 {
			t.Errorf("%s: %+v, %v", what, status, err)
		}
		if page, err := read.Search(t.Context(), jobmirror.Query{Facets: true}); err != nil || len(page.Postings) == 0 {
			t.Errorf("%s: a search: %+v, %v", what, page, err)
		}
		changed, err := read.SearchChanged(t.Context(), "", make([]jobmirror.Query, 100))
		if err != nil || len(changed.Postings[99]) == 0 {
			t.Errorf("%s: many searches: %+v, %v", what, changed, err)
		}
		if err := read.CheckIndex(t.Context()); err != nil {
			t.Errorf("%s: checking the index: %v", what, err)
		}
		for _, err := range read.Follow(t.Context(), status.Oldest) {
			if err != nil {
				t.Errorf("%s: the log: %v", what, err)
			}
			break
		}
		if _, err := jobmirror.Open(t.Context(), address, optionsOf(srv)); err == nil || !strings.Contains(err.Error(), "a standby") ||
			!strings.Contains(err.Error(), "primary") {
			t.Errorf("%s: opened to write: %v", what, err)
		}
	}
	check("set to be read only", set(address))
	empty := s.create(t)
	if err := jobmirror.Migrate(t.Context(), set(empty)); err == nil || !strings.Contains(err.Error(), "a standby") {
		t.Errorf("tables on a server that is read only: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.stop("fast"); err != nil {
		t.Fatal(err)
	}
	// With this file, and nobody to follow, the server waits for what a primary would send.
	if err := os.WriteFile(s.data+"/db/standby.signal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c := s.attributes.Credential; c != nil {
		if err := os.Chown(s.data+"/db/standby.signal", int(c.Uid), int(c.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	check("standby", address)
}
