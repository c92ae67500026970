package conformance_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// With good credentials alone nobody is refused because of one.
func TestGoodCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, target := fake(t)
		target.GoodCredentials = true
		results, err := conformance.Check(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range srv.Requests() {
			if r.Status == http.StatusUnauthorized || strings.Contains(r.Credential, "none") && r.Address == "base_url" &&
				r.Method == http.MethodGet {
				t.Errorf("%s %s with %s: %d", r.Method, r.Path, r.Credential, r.Status)
			}
		}
		skipped := 0
		for _, r := range results {
			if r.Refused != (r.Skipped != "") || r.Failed() {
				t.Error(r)
			}
			if r.Refused {
				skipped++
			} else if len(r.Requests) == 0 {
				t.Errorf("%s is judged by no request", r.Name)
			}
		}
		if skipped == 0 {
			t.Error("no rule sends a credential that is refused")
		}
	})
}

// An outline tells what is wrong and nothing that the service or the target says,
// whatever that is and wherever it stands.
func TestOutlinesHoldNoValue(t *testing.T) {
	const secret = "jana.doe@example.org"
	answers := map[string]string{
		"text":        secret,
		"code":        `{"code":"` + secret + `","message":"` + secret + `"}`,
		"coded":       `{"code":"get_project_error","message":"` + secret + `"}`,
		"lookup code": `{"code":"ERROR_` + "JANA_DOE" + `","jobId":null}`,
		"object": `{"jobId":"S","jobTitle":["S"],"jobLanguage":"S","applyPossible":"S","dataSecurityLink":"S",
			"questions":[{"id":"S","type":"CATALOG","label":7,"answers":[{"id":"S","labe1":"S"}]},{"id":"-S","type":"TEXT","answers":"S"},"S"],
			"nationalities":[{"id":4915112345678,"S":"S"}],"timestamp":"S","companyName":{"S":"S"},"companyId":"S",
			"location":{"geoLat":"S","geoLong":"4915112345678","S":"S"},"additionalLocations":"S",
			"results":[{"jobPostingId":"S","postingVersionId":"S","title":["S"],"applyOnlineLink":"S","jobStartDate":"S",
			"postingVersionStartDate":4915112345678000,"config":{"S":"S","listingStartDate":["S"],"x":[{"S":"S"}]}}],
			"itemsPerPage":"S","numPages":4915112345678,"offset":-4915112345678,"actualPage":"S","totalNumberofJobsS":"S"}`,
		"page": `{"results":[{"jobPostingId":4915112345678,"title":"S"},{"jobPostingId":4915112345678}],"itemsPerPage":4915112345678,
			"numPages":4915112345678,"offset":-4915112345678,"actualPage":4915112345678,"firstPostingOnPage":4915112345678,
			"lastPostingOnPage":1,"totalNumberOfJobs":4915112345678}`,
	}
	for name, body := range answers {
		for _, status := range []int{200, 403, 404, 410, 500} {
			mock := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain; note="+secret)
				w.WriteHeader(status)
				_, _ = io.WriteString(w, strings.ReplaceAll(body, `S"`, secret+`"`))
			}))
			_, target := fake(t)
			target.BaseURL, target.JobDBURL, target.HTTPClient = mock.URL, mock.URL, nil
			target.ReadOnly = true
			results, err := conformance.Check(t.Context(), target)
			mock.Close()
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, r := range results {
				told += len(r.Outlines)
				kept := strings.Join(append(append(r.Outlines, r.Requests...), r.SkippedOutline), "\n")
				for _, value := range []string{"jana", "JANA", "4915112345678", target.ClientToken, target.Channel} {
					if strings.Contains(kept, value) {
						t.Errorf("%s with %d: %s tells %s: %s", name, status, r.Name, value, kept)
					}
				}
				if bytes.ContainsAny([]byte(kept+strings.Join(r.Problems, "")), "\x02\x03") || r.Failed() && len(r.Outlines) == 0 {
					t.Errorf("%s with %d: %s: %q %q", name, status, r.Name, kept, r.Problems)
				}
			}
			if told == 0 {
				t.Errorf("%s with %d: nothing is told", name, status)
			}
		}
	}
}
