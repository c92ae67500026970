package jobsitetest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite/jobsitetest"
)

// addPages adds the pages of a site under test.
func addPages(m *jobsite.Marketplace) {
	m.Page("GET /job/{job}/{words...}", func(w http.ResponseWriter, r *http.Request) error {
		job, err := m.Site.Job(r)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s: %s", job.Title, job.ApplyURL)
		}
		return err
	})
}

// A visitor reads the page of an open job, and that of a closed one says so.
func TestJobPage(t *testing.T) {
	site := jobsitetest.Open(t, nil)
	addPages(site.Marketplace)
	demo := site.Board.Demo
	for job, want := range map[int64]string{demo.OpenJob: "200 " + site.Board.BaseURL + "/job/", demo.ClosedJob: "410 This job takes no more applications."} {
		resp, err := jobsitetest.Visitor(t).Get(fmt.Sprintf("%s/job/%d/?lang=en", site.URL, job))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		status, text, _ := strings.Cut(want, " ")
		if err != nil || !strings.HasPrefix(resp.Status, status) || !strings.Contains(string(body), text) {
			t.Errorf("%s %s, want %s", resp.Status, body, want)
		}
	}
}
