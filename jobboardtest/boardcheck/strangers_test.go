package boardcheck_test

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

const webPage = "<!DOCTYPE html><html><title>Sorry</title>"

// asPage makes a web page of the answers with a status at paths that end so.
func asPage(status int, suffix string) func(string, *http.Response, []byte) []byte {
	return func(path string, resp *http.Response, body []byte) []byte {
		if resp.StatusCode != status || !strings.HasSuffix(path, suffix) {
			return body
		}
		resp.Header.Set("Content-Type", "text/html")
		return []byte(webPage)
	}
}

func changesOf(r *boardcheck.Report) string {
	var lines []string
	for _, c := range r.Changes {
		if !c.Note {
			lines = append(lines, c.String())
		}
	}
	return strings.Join(lines, "\n")
}

func kept(r *boardcheck.Report) (n int) {
	for _, x := range r.Rules {
		if x.State == boardcheck.Kept {
			n++
		}
	}
	return n
}

func stateOf(r *boardcheck.Report, rule string) boardcheck.Rule {
	return r.Rules[slices.IndexFunc(r.Rules, func(x boardcheck.Rule) bool { return x.Name == rule })]
}

// A refusal that was asked for, and a 500 for the channel that the check makes up, are answers,
// whatever their bodies: all rules are judged as on other boards.
func TestErrorsAskedForAreAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, b := demoBoard(t)
		b.WrongCredentials = true
		want := kept(check(t, b))
		refusals := asPage(http.StatusUnauthorized, "")
		b.Target.HTTPClient = &http.Client{Transport: edit{next: srv.Client().Transport, raw: func(path string, resp *http.Response, body []byte) []byte {
			if strings.Contains(path, "/conformance-no-such") {
				resp.StatusCode = http.StatusInternalServerError
				return nil
			}
			return refusals(path, resp, body)
		}}}
		r := check(t, b)
		if kept(r) != want || len(r.Troubles) > 0 || r.Broken() > 0 {
			t.Errorf("%d rules kept, want %d; troubles %q", kept(r), want, r.Troubles)
		}
		if lines := stateOf(r, "search/unknown-channel").Requests; !strings.Contains(strings.Join(lines, " "), "{made-up channel}") {
			t.Errorf("the made-up channel is asked for by %q", lines)
		}
	})
}

// An endpoint that fails is left alone, and the others of its host are asked.
func TestOneEndpointIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, b := demoBoard(t)
		b.Target.AppliedJob = srv.Demo.AppliedJob
		checks := 0
		b.Target.HTTPClient = &http.Client{Transport: edit{next: srv.Client().Transport, raw: func(path string, resp *http.Response, body []byte) []byte {
			if strings.HasSuffix(path, "/applied") {
				checks++
				resp.StatusCode = http.StatusBadGateway
				return nil
			}
			return body
		}}}
		r := check(t, b)
		if checks != 4 || stateOf(r, "search/answers").State != boardcheck.Kept || stateOf(r, "application/answers").State != boardcheck.Kept {
			t.Errorf("%d applied checks; %s", checks, r.Summary())
		}
	})
}

// JSON that is labelled as a web page is judged, and the label is a change; so is a web page in the
// place of an error. Where an endpoint gives nothing else, it tells nothing of the board.
func TestLabelledAsAWebPage(t *testing.T) {
	for name, c := range map[string]struct {
		raw             func(string, *http.Response, []byte) []byte
		change, trouble string
	}{
		"the search": {func(path string, resp *http.Response, body []byte) []byte {
			if strings.HasSuffix(path, "/jobs") {
				resp.Header.Set("Content-Type", "text/html; charset=utf-8")
			}
			return body
		}, "search: the content type text/html; charset=utf-8 was never seen", ""},
		"404 of the applied check": {asPage(http.StatusNotFound, "/applied"), "applied, message: the content type text/html was never seen, only text/plain; charset=utf-8", ""},
		"an applied check that is away": {func(path string, resp *http.Response, body []byte) []byte {
			if strings.HasSuffix(path, "/applied") {
				resp.StatusCode = http.StatusNotFound
			}
			return asPage(http.StatusNotFound, "/applied")(path, resp, body)
		}, "", "/applied: the answer is a web page, with status 404"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, b := demoBoard(t)
				known := knownDemo(t)
				b.Target.HTTPClient = &http.Client{Transport: edit{next: srv.Client().Transport, raw: c.raw}}
				r := check(t, b)
				r.Since(known)
				if got := changesOf(r); !strings.Contains(got, c.change) || c.change == "" && got != "" {
					t.Errorf("told:\n%s\nwant %s", got, c.change)
				}
				if got := strings.Join(r.Troubles, "\n"); !strings.Contains(got, c.trouble) || c.trouble == "" && got != "" {
					t.Errorf("troubles:\n%s\nwant %s", got, c.trouble)
				}
				// Which jobs the applicant may apply to, the applied check alone tells.
				if s := stateOf(r, "lookup/fields").State; s != boardcheck.Kept && c.trouble == "" {
					t.Errorf("the lookup is %s", s)
				}
			})
		})
	}
}

// Pages that are counted from one are a change, and break the rule of the counters.
func TestPagesFromOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, b := demoBoard(t)
		known := knownDemo(t)
		b.Target.HTTPClient = &http.Client{Transport: edit{next: srv.Client().Transport, json: func(path string, _ int, v any) any {
			if o, ok := v.(object); ok && strings.HasSuffix(path, "/jobs") {
				o["actualPage"] = 1
			}
			return v
		}}}
		r := check(t, b)
		r.Since(known)
		if got := changesOf(r); stateOf(r, "search/page-counts").State != boardcheck.Broken || !strings.Contains(got, "search: the peculiarity the first page is 1") {
			t.Errorf("told:\n%s", got)
		}
	})
}

// The offset that was sent is told.
func TestOffsetIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, b := demoBoard(t)
		known := knownDemo(t)
		b.Target.HTTPClient = &http.Client{Transport: edit{next: srv.Client().Transport, json: info(func(o object) { o["timestamp"] = "2026-03-01T10:00:00+02:00" })}}
		r := check(t, b)
		r.Since(known)
		if got := changesOf(r); !strings.Contains(got, "lookup timestamp: the form date with +02:00 was never seen") {
			t.Errorf("told:\n%s", got)
		}
	})
}

// A client with a secret is not asked for an identifier that is already set.
func TestBasicOfAClientWithASecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, b := demoBoard(t)
		b.Target.ClientID, b.ClientSecret = srv.Demo.ConfidentialClient, srv.Demo.ConfidentialSecret
		x := stateOf(check(t, b), "search/basic")
		if x.State != boardcheck.NotObservable || len(x.Needs) > 0 || !strings.Contains(x.Why, "a client with a secret sends its token") {
			t.Errorf("%+v", x)
		}
	})
}

// A board of plausible nonsense, 200 with JSON of another kind everywhere, breaks rules within the
// bounds of a check, and neither a rule nor a request is lost.
func TestPlausibleNonsense(t *testing.T) {
	for _, body := range []string{
		`{"status":"ok","results":{"jobPostingId":[]},"totalNumberOfJobs":"many","jobId":{},"questions":7}`, `[]`, `null`, `"ok"`, `true`, `0`,
		`{"results":[{"jobPostingId":1e400,"title":7,"applyOnlineLink":"https://x.example/job/99999999999999999999/","config":[null]},null,[[]]],"itemsPerPage":-1,"totalNumberOfJobs":-5,"jobId":-1,"location":[],"additionalLocations":[{"geoLat":"NaN"}]}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			_, b := demoBoard(t)
			b.WrongCredentials = true
			sent := 0
			b.Target.HTTPClient = &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				sent++
				return reply(200, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader([]byte(body))), nil
			})}
			r := check(t, b)
			if sent > boardcheck.MaxRequests || sent != r.Requests || len(r.Rules) != 78 || r.Broken() == 0 {
				t.Errorf("%s: %d requests, %s", body, sent, r.Summary())
			}
			_ = written(t, r.Profile)
		})
	}
}

// Jobs are found in links of any form in which the lookup knows one: the rules that need a job are
// judged as with the usual form. Numbers that are no jobs are believed of no link.
func TestJobsByOwnLinks(t *testing.T) {
	judged := func(t *testing.T, link func(id string) string) (n int) {
		synctest.Test(t, func(t *testing.T) {
			_, b := demoBoard(t)
			b.FeedURL = ""
			b.Target.HTTPClient = &http.Client{Transport: edit{next: b.Target.HTTPClient.Transport, json: func(_ string, _ int, v any) any {
				page, _ := v.(map[string]any)
				results, _ := page["results"].([]any)
				for _, r := range results {
					posting := r.(map[string]any)
					if m := regexp.MustCompile(`/job/([0-9]+)`).FindStringSubmatch(posting["applyOnlineLink"].(string)); m != nil {
						posting["applyOnlineLink"] = link(m[1])
					}
				}
				return v
			}}}
			r := check(t, b)
			for _, rule := range r.Rules {
				if rule.State != boardcheck.NotObservable {
					n++
				}
			}
		})
		return n
	}
	usual := judged(t, func(id string) string { return "https://jobs.example/job/" + id + "/" })
	none := judged(t, func(string) string { return "https://jobs.example/jobs/990000000123/apply" })
	if none >= usual {
		t.Fatalf("%d rules are judged without jobs, %d with them", none, usual)
	}
	for _, form := range []string{
		"https://jobs.example/apply?jobid=ID", "https://jobs.example/apply?jobId=ID&src=7", "https://jobs.example/?src=7&job=ID",
		"https://jobs.example/?jobDbId=ID", "https://jobs.example/jobs/ID/apply", "https://jobs.example/jobs/ID?utm=1",
		"https://jobs.example/job/nurse-m-w-d-ID", "https://jobs.example/de/ID/bewerben", "https://jobs.example/2026/jobs/ID",
		"https://jobs.example/#/apply?jobid=ID", "https://jobs.example/app#/de/job/ID",
	} {
		if n := judged(t, func(id string) string { return strings.ReplaceAll(form, "ID", id) }); n != usual {
			t.Errorf("%s: %d rules are judged, %d with the usual form", form, n, usual)
		}
	}
}
