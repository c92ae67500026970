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

	"github.com/jobboard-sdk/jobboard-go/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/e2e/program"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// Lists and jobs' pages have all points. Lighthouse takes half a minute for a page, so that by day it judges
// one of them, which JOBBOARD_SEED chooses.
func TestLighthouse(t *testing.T) {
	chromium := browsertest.Need(t)
	lighthouse := testenv.File(t, filepath.Join("node_modules", ".bin", "lighthouse"), "npm ci --prefix e2e/lighthouse")
	pages := []string{"site /", "site job", "smallest /", "smallest job", "site /?lang=en", "smallest /?lang=en"}
	if !testenv.Night() {
		chosen := rand.New(rand.NewPCG(testenv.Seed(t), 0)).IntN(len(pages))
		pages = pages[chosen : chosen+1]
	}
	origins := map[string]string{}
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "JOBBOARD_") })
	for _, page := range pages {
		name, path, _ := strings.Cut(page, " ")
		origin := origins[name]
		if origin == "" {
			folder := map[string]string{"site": "./examples/site", "smallest": "./examples/site/smallest"}[name]
			said := program.Start(t, env, program.Build(t, "market", folder), "-addr", "127.0.0.1:0")
			origin = strings.TrimSuffix(strings.TrimPrefix(said, "url="), "/")
			origins[name] = origin
		}
		if job := firstJob(t, origin); path == "job" {
			path = job
		}
		judge(t, lighthouse, chromium, origin+path)
	}
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
func judge(t *testing.T, lighthouse, chromium, address string) {
	t.Helper()
	begun := time.Now()
	cmd := exec.CommandContext(t.Context(), lighthouse, address, "--quiet", "--output=json",
		"--only-categories=seo,accessibility,best-practices",
		"--chrome-flags=--headless=new --no-sandbox --disable-gpu --no-proxy-server")
	cmd.Env = append(os.Environ(), "CHROME_PATH="+chromium)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", address, err, stderr.String())
	}
	var report struct {
		Categories map[string]struct {
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
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%s: %v in %.500s", address, err, out)
	}
	for _, name := range []string{"seo", "accessibility", "best-practices"} {
		category := report.Categories[name]
		t.Logf("figure: %s: %s %.0f of 100", address, name, 100*category.Score)
		if category.Score == 1 {
			continue
		}
		t.Errorf("%s: %s %.0f of 100", address, name, 100*category.Score)
		for _, ref := range category.AuditRefs {
			if audit := report.Audits[ref.ID]; ref.Weight > 0 && audit.Score != nil && *audit.Score < 1 {
				t.Errorf("    %s: %s %s", ref.ID, audit.Title, audit.Explanation)
			}
		}
	}
	t.Logf("figure: %s: %.0f s", address, time.Since(begun).Seconds())
}
