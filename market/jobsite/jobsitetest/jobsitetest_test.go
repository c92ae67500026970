package jobsitetest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite/jobsitetest"
)

// addPages adds the pages of a site under test.
func addPages(m *jobsite.Marketplace) {
	m.Page("GET /me", func(w http.ResponseWriter, r *http.Request) error {
		if _, ok := m.SignIn.Visitor(r); !ok {
			w.WriteHeader(http.StatusForbidden)
			return nil
		}
		_, err := fmt.Fprint(w, "hello")
		return err
	})
}

// An applicant is signed in, and another visitor is not.
func TestApplicant(t *testing.T) {
	site := jobsitetest.Open(t, nil)
	addPages(site.Marketplace)
	applicant := jobsitetest.Applicant(t, site, site.Board.Demo.Applicant)
	for client, want := range map[*http.Client]int{applicant: http.StatusOK, jobsitetest.Visitor(t): http.StatusForbidden} {
		resp, err := client.Get(site.URL + "/me")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s, want %d", resp.Status, want)
		}
	}
}
