// Package lighthouse has Lighthouse judge the pages of the examples of sites, as search engines
// and browsers do.
package lighthouse

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/dev/e2e/program"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// Lists and jobs' pages have all points, in both languages. Lighthouse takes up to half a minute for a page, so that by day it
// judges one of them, which JOBBOARD_SEED chooses.
func TestLighthouse(t *testing.T) {
	chromium := browsertest.Need(t)
	testenv.File(t, filepath.Join("node_modules", "lighthouse", "package.json"), "npm ci --prefix dev/e2e/lighthouse")
	pages := []string{
		"site /", "site /?lang=en", "site job", "site job?lang=en",
		"smallest /", "smallest job",
	}
	if !testenv.Night() {
		chosen := rand.New(rand.NewPCG(testenv.Seed(t), 0)).IntN(len(pages))
		pages = pages[chosen : chosen+1]
	}
	origins, jobs := map[string]string{}, map[string]string{}
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "JOBBOARD_") })
	var addresses []string
	for _, page := range pages {
		name, path, _ := strings.Cut(page, " ")
		if origins[name] == "" {
			folder := map[string]string{"site": "./examples/site", "smallest": "./examples/site/smallest"}[name]
			said := program.Start(t, env, program.Build(t, "market", folder), "-addr", "127.0.0.1:0")
			origins[name] = strings.TrimSuffix(strings.TrimPrefix(said, "url="), "/")
			jobs[name] = firstJob(t, origins[name])
		}
		if query, ok := strings.CutPrefix(path, "job"); ok {
			path = jobs[name] + query
		}
		addresses = append(addresses, origins[name]+path)
	}
	judge(t, chromium, addresses)
}

var linkToJob = regexp.MustCompile(`href="(/job/[^"?]+)`)

// firstJob waits for the first fill of a site's copy, and returns the path of a job whose page is there.
func firstJob(t *testing.T, origin string) (path string) {
	t.Helper()
	get := func(path string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, ""
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		return resp.StatusCode, string(body)
	}
	browsertest.WaitFor(t, "the site shows a job", func() bool {
		_, list := get("/")
		link := linkToJob.FindStringSubmatch(list)
		if link == nil {
			return false
		}
		path = link[1]
		status, _ := get(path)
		return status == http.StatusOK
	})
	return path
}

// judge fails the test where a page lacks points.
func judge(t *testing.T, chromium string, addresses []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"judge.mjs", chromium}, addresses...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	reports := json.NewDecoder(stdout)
	for _, address := range addresses {
		var r report
		if err := reports.Decode(&r); err != nil {
			t.Errorf("%s: %v", address, err)
			break
		}
		r.check(t, address)
		t.Logf("figure: %s: %.0f s", address, time.Since(begun).Seconds())
		begun = time.Now()
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
}

// report is what Lighthouse says of a page.
type report struct {
	RequestedURL string
	Categories   map[string]struct {
		Score     float64
		AuditRefs []struct {
			ID     string
			Weight float64
		}
	}
	Audits map[string]struct {
		Title, Explanation string
		Score              *float64
	}
}

func (r *report) check(t *testing.T, address string) {
	t.Helper()
	if r.RequestedURL != address {
		t.Errorf("the report of %s is of %q", address, r.RequestedURL)
	}
	for _, name := range []string{"seo", "accessibility", "best-practices"} {
		category := r.Categories[name]
		t.Logf("figure: %s: %s %.0f of 100", address, name, 100*category.Score)
		if category.Score == 1 {
			continue
		}
		t.Errorf("%s: %s %.0f of 100", address, name, 100*category.Score)
		for _, ref := range category.AuditRefs {
			if audit := r.Audits[ref.ID]; ref.Weight > 0 && audit.Score != nil && *audit.Score < 1 {
				t.Errorf("    %s: %s %s", ref.ID, audit.Title, audit.Explanation)
			}
		}
	}
}
