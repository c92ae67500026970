package site

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/dev/e2e/program"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// withoutSettings returns the environment without settings of a board.
func withoutSettings() []string {
	return slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "JOBBOARD_") })
}

// startFor starts the site for a board that offers no sign-in, and returns its address.
func startFor(t *testing.T, built string, board *jobboardtest.Server) string {
	t.Helper()
	env := append(withoutSettings(), "JOBBOARD_BASE_URL="+board.BaseURL, "JOBBOARD_JOBDB_URL="+board.JobDBURL,
		"JOBBOARD_CLIENT_ID="+board.Demo.ClientID, "JOBBOARD_CHANNEL="+board.Demo.Channel, "JOBBOARD_FEED="+board.FeedURL)
	return strings.TrimSuffix(program.Start(t, env, built, "-addr", "127.0.0.1:0"), "/")
}

// states are addresses of a list and of jobs, by the names of what their visitor sees.
func states(demo jobboardtest.DemoInfo) map[string]string {
	return map[string]string{
		"list": "/", "near": "/?near=Berlin", "nearest": "/?near=Berlin&radius=200&order=nearest", "newest": "/?order=newest&place=Hamburg",
		"corrected": "/?text=Pflegefachkrafft+nurrse", "nothing-found": "/?text=zzzz&near=Atlantis",
		"mistyped-town": "/?near=Berlni", "no-town": "/?near=Bayern", "two-towns": "/?near=Neustadt",
		"filtered": "/?place=Hamburg&since=90&company=Lindenhof+Gruppe", "leads-on": "/?near=Konstanz&radius=1&place=Hamburg",
		"overview": "/overview", "imprint": "/imprint", "privacy": "/privacy",
		"code-of-two-countries": "/?near=8010",
		"job":                   fmt.Sprintf("/job/%d/", demo.OpenJob), "closed": fmt.Sprintf("/job/%d/", demo.ClosedJob), "unknown": "/job/99999/",
	}
}

// addClosed adds a job to a board that takes no applications, beside open ones of its category, and returns its page.
func addClosed(board *jobboardtest.Server) (page string) {
	open, _ := board.Job(board.Demo.OpenJob)
	closed := board.AddJob(jobboardtest.Job{Title: "Stationsleitung (m/w/d)", Language: "de", Location: open.Location, ApplyClosed: true})
	board.AddPosting(jobboardtest.Posting{
		JobID: closed.ID, Channels: []string{board.Demo.Channel}, Title: closed.Title, Language: "de",
		Config: map[string][]string{"jobcategory": {"3001"}, "ProjectLocationGerman": {"Berlin"}},
	})
	return fmt.Sprintf("/job/%d/", closed.ID)
}

// The markup of each state of a site's pages is right.
func TestMarkup(t *testing.T) {
	java := testenv.Program(t, "java", "apt-get install default-jdk-headless")
	const hint = "npm ci --prefix dev/e2e/site"
	vnu := testenv.File(t, filepath.Join("node_modules", "vnu-jar", "build", "dist", "vnu.jar"), hint)
	validate := testenv.File(t, filepath.Join("node_modules", ".bin", "html-validate"), hint)
	built := program.Build(t, "market", "./examples/site")
	board := jobboardtest.New(t, jobboardtest.WithDemo())
	away := jobboardtest.New(t, jobboardtest.WithDemo())
	away.Close()
	closed := addClosed(board)
	origin, demo := start(t, built)
	unoffered, outage := startFor(t, built, board), startFor(t, built, away)
	folder := t.TempDir()
	for _, lang := range []string{"de", "en"} {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Jar: jar}
		ask := func(name, method, address string, form url.Values) (*url.URL, string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept-Language", lang)
			if form != nil {
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if name != "" {
				if err := os.WriteFile(filepath.Join(folder, lang+"-"+name+".html"), body, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return resp.Request.URL, string(body)
		}
		for name, path := range states(demo) {
			ask(name, "GET", origin+path, nil)
		}
		job := fmt.Sprintf("/job/%d/", demo.OpenJob)
		browsertest.WaitFor(t, "the site without a sign-in shows a job", func() bool {
			_, body := ask("sign-in-not-offered", "GET", unoffered+job, nil)
			return strings.Contains(body, "advertisement")
		})
		browsertest.WaitFor(t, "the page of a closed job leads on", func() bool {
			_, body := ask("closed-leads-on", "GET", unoffered+closed, nil)
			return strings.Contains(body, "<h3")
		})
		ask("outage", "GET", outage+job, nil)
		at, _ := ask("", "GET", origin+"/signin?next="+job, nil)
		if _, page := ask("signed-in", "POST", at.String(), url.Values{"applicant": {strconv.FormatInt(demo.Applicant, 10)}}); !strings.Contains(page, `id="status"`) {
			t.Errorf("%s: after signing in %s", lang, page)
		}
	}
	for _, tool := range [][]string{{java, "-jar", vnu, "--errors-only"}, {"node", validate, "--config", "htmlvalidate.json"}} {
		pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
		if err != nil || len(pages) != 2*(len(states(demo))+4) {
			t.Fatalf("%d pages, %v", len(pages), err)
		}
		var said bytes.Buffer
		cmd := exec.CommandContext(t.Context(), tool[0], append(tool[1:], pages...)...)
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			t.Errorf("%v: %v\n%s", tool[1:], err, strings.ReplaceAll(said.String(), folder, ""))
		}
	}
}
