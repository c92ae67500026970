package faults_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

const (
	text = "text/plain"
	page = "text/html"
	js   = "application/json"
)

// down is repeated for every method but POST.
var down = every(repeated(jobboard.ErrServer)).
	but(subscribe, cell{requests: 1, err: jobboard.ErrServer, executed: true, stopped: once}).
	but(confirm|unsubscribe, cell{repeated: true, err: jobboard.ErrServer, executed: true})

func statusFaults() []fault {
	return []fault{
		{name: "400, 405, 406, 409, 415", oneConn: true, cells: every(final(errOther)), forms: slices.Concat(
			each(
				[]int{400, 405, 406, 409, 415},
				form{
					answer: answer{kind: text, body: "Bad things\r\n\x00\x1b[31m happened"},
					wanted: wanted{says: []string{"Bad things"}},
				},
			),
			each([]int{400, 409}, form{
				answer: answer{kind: js, body: `{"message":"Not like this"}`},
				wanted: wanted{says: []string{"Not like this"}},
			}),
			each([]int{400, 415}, form{}), each([]int{400}, form{
				answer: answer{kind: text, body: strings.Repeat("ä", 5000)},
			}),
		)},
		{
			name: "401, token cannot be renewed", status: 401, oneConn: true,
			cells: every(final(jobboard.ErrUnauthorized)),
			forms: append(
				files("401_invalid_token.header", "401_invalid_token.json", "401_invalid_token_spaced.json", "401_no_token.txt"),
				configured(stockSource, files("401_invalid_token.json")[0]),
				form{answer: answer{kind: page, body: "<html><body>Log in</body></html>"}},
			),
		},
		{
			name: "401 that says the token expired, and the source renews", oneConn: true,
			cells: every(requests(2)),
			forms: []form{
				{name: "in the header", configure: renewingSource, serve: untilFresh("401_invalid_token.header")},
				{name: "in the body", configure: renewingSource, serve: untilFresh("401_invalid_token.json")},
				{name: "in the wire's words", configure: renewingSource, serve: untilFresh("401_invalid_token_spaced.json")},
				{name: "a source of another kind", configure: changingSource, serve: untilFresh("401_invalid_token.json")},
			},
		},
		{
			name: "401 that says the token expired, and the next one too", status: 401, oneConn: true,
			cells: every(cell{requests: 2, err: jobboard.ErrUnauthorized}), forms: asked(2, "401_invalid_token"),
		},
		{
			name: "401 that says the token expired, and the renewal fails", status: 401, oneConn: true,
			cells: every(
				final(jobboard.ErrUnauthorized),
			), forms: []form{configured(failingRenewal, files("401_invalid_token.json")[0])},
		},
		{
			// How often each call is sent; it is sent for many callers.
			name: "the token of one source ends while many callers are in flight", cells: every(requests(2)),
			forms: tokenEnds(),
		},
		{
			name: `401 "user token required"`, transport: unexplained, status: 401, oneConn: true,
			cells: every(final(jobboard.ErrUnauthorized)), forms: asked(1, "401_user_token_required"),
		},
		{
			name: "403 empty; 403 insufficient_scope in header or body", status: 403, oneConn: true,
			cells: every(final(jobboard.ErrForbidden)),
			forms: files("403_empty.txt", "403_insufficient_scope.header", "403_insufficient_scope.json"),
		},
		{
			name: "403 plain text or JSON string that is a sentence about a posting", transport: wordless, status: 403, oneConn: true,
			cells: every(final(jobboard.ErrForbidden)).but(A|P, final(jobboard.ErrPostingNotAccessible)),
			forms: append(
				files("403_posting_not_accessible.txt", "403_posting_not_accessible_quoted.json"),
				bodies(text, "jobposting NOT ACCESSIBLE for jobid 4711\r\n", "\ufeffThe posting for job 4711 is not accessible",
					"This job posting is not accessible to you.", `"posting not accessable for this user"`,
					`{"message":"This posting is no longer accessible","status":403}`)...,
			),
		},
		{
			name: "403 plain text that does not", status: 403, oneConn: true,
			cells: every(final(jobboard.ErrForbidden)),
			forms: bodies(text, "Service not accessible from this network", "not accessible", `"not accessible"`,
				"Access to postings is not permitted", "Cannot GET /posting/4711", "no access to posting.example:443",
				`{"message":"Service not accessible from this network"}`, "Access to posting api denied from 10.0.0.1",
				"posting not accessible for 10.0.0.1", "job id 4711: no access", `"Kein Zugriff auf jobId 4711"`,
				`{"title":"posting not accessible","detail":"JobPosting not accessible for jobId 4711"}`),
		},
		{
			name: "404 plain text or JSON string that is a sentence about a posting", status: 404, oneConn: true,
			cells: every(final(errOther)).but(A|P, final(jobboard.ErrPostingNotFound)),
			forms: append(
				files("404_posting_not_found.txt", "404_posting_not_found_misspelt.txt", "404_posting_not_found_quoted.json"),
				bodies(
					text, "JOBPOSTING NOT FOUND\n", "No job posting found for this job", "This posting does not exist any more",
					`"  Job-Posting not found: 4711 "`, `{"message":"posting could not be found","status":404}`,
				)...,
			),
		},
		{
			name: "404 empty, HTML, a router's or gateway's text", status: 404, oneConn: true,
			cells: every(final(errOther)),
			forms: slices.Concat(
				files("404_empty.txt", "404_page.html", "404_gateway.txt", "404_router.txt"),
				bodies(text, "Not Found", "Cannot GET /api/rest/v3/frontend", "no healthy upstream", " \r\n",
					"Cannot GET /posting/api/rest/v3/frontend/jobs/4711", "the repository of postings is being rebuilt",
					"no route to posting.example:443", "Stellenausschreibung nicht gefunden", "job not found",
					"Stellenausschreibung nicht gefunden: jobId=4711", "Nothing for job id 4711",
					"posting service temporarily unavailable", "upstream jobposting-service not found", "hosting not found",
					"posting found", "404 posting not found", "posting.job not found",
					"<!-- posting --><html>The job posting is gone</html>", "\ufeff <HTML>posting not found</HTML>"),
				bodies(js, `{"title":"posting not found","detail":"JobPosting not found for jobId 4711"}`,
					`["posting not found"]`, `{"errors":[{"message":"posting not found"}]}`),
				bodies(js, `{"message":"no Route matched with those values","request_id":"41"}`,
					`{"message":"<html>posting not found</html>"}`, `"<html>posting not found</html>"`),
				[]form{{
					answer: answer{kind: js, body: `{"timestamp":1,"status":404,"error":"Not Found","path":"/x"}`},
					wanted: wanted{code: "?"},
				}},
				bodies("application/xml", `<Error><Code>NoSuchKey</Code><Message>posting not found</Message></Error>`),
			),
		},
		{
			name: "403 HTML", status: 403, oneConn: true, cells: every(final(jobboard.ErrForbidden)),
			forms: append(files("403_page.html"), form{
				answer: answer{kind: text, body: "\n<html>JobPosting not accessible</html>"},
			}),
		},
		{
			name: "404 get_project_error, not available", status: 404, oneConn: true,
			cells: every(final(errOther)).but(A|P, final(jobboard.ErrProjectNotAvailable)),
			forms: append(
				files("404_project_not_available.json"),
				form{
					answer: answer{kind: text, body: `{"message":"Project not available","code":"get_project_error"}`},
					wanted: wanted{code: "get_project_error"},
				},
				form{
					answer: answer{
						kind: js, body: `{"code":"get_project_error","message":"Project 4711 is no longer available to this user."}`,
					},
					wanted: wanted{code: "get_project_error"},
				},
			),
		},
		{
			// Whatever else it says is no statement about the job: "service temporarily not available".
			name: "404 get_project_error with other words, none, or as a bare word", status: 404, oneConn: true,
			cells: every(final(errOther)), forms: projectErrors(),
		},
		{
			name: "403 get_project_error with other words, none, or as a bare word", status: 403, oneConn: true,
			cells: every(final(jobboard.ErrForbidden)), forms: projectErrors(),
		},
		{
			name: "409, 410, 423 get_project_error with other words", oneConn: true, cells: every(final(errOther)),
			forms: each([]int{409, 410, 423}, projectErrors()...),
		},
		{
			name: "404 get_project_error, not accessible", status: 404, oneConn: true,
			cells: every(final(errOther)).but(A|P, final(jobboard.ErrProjectNotAccessible)),
			forms: append(files("404_project_not_accessible.json"), form{
				answer: answer{
					kind: text,
					body: "\ufeff" + `{"message":"The project is NOT accessible to you","code":"get_project_error"}`,
				},
				wanted: wanted{code: "get_project_error"},
			}),
		},
		{
			name: "404 get_application_error", status: 404, oneConn: true,
			cells: every(final(errOther)).but(P, final(jobboard.ErrApplicationNotFound)),
			forms: append(files("404_application_not_found.json", "404_application_not_found_bare.txt"), form{
				answer: answer{
					kind: js,
					body: `{"code":"get_application_error","message":"no application for this job posting, or not accessible"}`,
				},
				wanted: wanted{code: "get_application_error"},
			}),
		},
		{
			name: "404 JSON with an unknown code", transport: readToItsEnd, status: 404, oneConn: true,
			cells: every(final(errOther)),
			forms: append(
				files("404_unknown_code.json"),
				form{
					answer: answer{kind: js, body: `{"code":"posting_moved","message":"posting not found"}`},
					wanted: wanted{code: "posting_moved"},
				},
				form{
					name: "compressed",
					answer: answer{
						kind:   js,
						header: []string{"Content-Encoding", "gzip"},
						body:   string(rig.Zip(rig.Data("errors/404_unknown_code.json"))),
					},
					wanted: wanted{code: "get_horoscope_error"},
				},
			),
		},
		{name: "404 HTML of 5 MiB", transport: readToItsEnd, status: 404, cells: every(final(errOther)), forms: []form{
			{name: "plain", answer: answer{kind: page, body: bigPage}, wanted: wanted{readAtMost: 80 << 10}},
			{
				name: "compressed",
				answer: answer{
					kind:   page,
					body:   string(rig.Zip([]byte(bigPage))),
					header: []string{"Content-Encoding", "gzip"},
				},
			},
			{
				name:   "JSON with its code behind 64 KiB",
				answer: answer{kind: js, body: `{"text":"` + strings.Repeat("x", 100<<10) + `","code":"get_project_error"}`},
				wanted: wanted{readAtMost: 80 << 10},
			},
		}},
		{
			name: "410 plain text that is a sentence about a posting", status: 410, oneConn: true,
			cells: every(final(errOther)).but(A|P, final(jobboard.ErrPostingInactive)),
			forms: append(
				files("410_posting_inactive.txt", "410_posting_inactive_quoted.json"),
				bodies(text, "jobposting is INACTIVE\n", `"the posting was deactivated"`, "posting no longer active: job-id 4711")...),
		},
		{
			name: "410 plain text that does not, HTML, empty", status: 410, oneConn: true,
			cells: every(final(errOther)),
			forms: slices.Concat(
				bodies(text, "this version of the interface is gone", "This version of the jobs API is gone", "Tenant inactive",
					`"inactive"`, "job inactive", "/jobs/posting: gone", "", "The posting API v3 is gone",
					"posting is not inactive", "User inactive for jobId 4711", `"the posting is closed"`),
				bodies(page, "<html>JobPosting inactive for jobId 4711</html>"),
				[]form{{
					answer: answer{kind: js, body: `{"code":"posting_inactive","message":"JobPosting inactive for jobId 4711"}`},
					wanted: wanted{code: "posting_inactive"},
				}},
			),
		},
		{
			name: "429 without Retry-After", status: 429, oneConn: true,
			cells: every(repeated(jobboard.ErrRateLimited)),
			forms: []form{{
				name:   "with words",
				answer: answer{kind: text, body: "slow down"},
				wanted: wanted{says: []string{"slow down"}},
			}, {name: "without"}},
		},
		{
			name: "429 with Retry-After 2", status: 429, oneConn: true, cells: every(requests(2)),
			forms: retryAfterTwo(),
		},
		{
			name: "503 with Retry-After 2", status: 503, oneConn: true,
			cells: every(requests(2)).but(subscribe, cell{requests: 1, err: jobboard.ErrServer, executed: true, stopped: once}),
			forms: retryAfterTwo(),
		},
		{
			name: "429 with a Retry-After over the bound", status: 429, oneConn: true,
			cells: every(
				cell{requests: 1, err: jobboard.ErrRateLimited, stopped: jobboard.StopRetryAfter},
			), forms: retryAfterFar(),
		},
		{
			name: "503 with a Retry-After over the bound", status: 503, oneConn: true,
			cells: every(cell{requests: 1, err: jobboard.ErrServer, stopped: jobboard.StopRetryAfter}).
				but(subscribe, cell{requests: 1, err: jobboard.ErrServer, executed: true, stopped: once}).
				but(confirm|unsubscribe, cell{
					requests: 1, err: jobboard.ErrServer, executed: true, stopped: jobboard.StopRetryAfter,
				}),
			forms: retryAfterFar(),
		},
		{
			name: "429 with an unusable Retry-After", status: 429, oneConn: true,
			cells: every(repeated(jobboard.ErrRateLimited)), forms: retryAfterJunk(),
		},
		{
			name: "503 with an unusable Retry-After", status: 503, oneConn: true, cells: down,
			forms: retryAfterJunk(),
		},
		{name: "500, 502, 503, 504", oneConn: true, cells: down, forms: slices.Concat(
			each([]int{500, 502, 503, 504}, form{answer: answer{kind: page, body: "<html>Bad Gateway</html>"}}, form{}),
			each([]int{500}, files("500_empty.txt", "500_processing.txt", "500_processing.json")...),
		)},
		{
			name: "408, 425", oneConn: true,
			cells: every(repeated(errOther)).
				but(subscribe, cell{requests: 1, err: errOther, executed: true, stopped: once}).
				but(confirm|unsubscribe, cell{repeated: true, err: errOther, executed: true}),
			forms: each([]int{408, 425}, form{answer: answer{kind: text, body: "too slow"}}, form{}),
		},
		{
			name: "520 to 530", oneConn: true, cells: down,
			forms: each([]int{520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530}, form{
				answer: answer{kind: page, body: "<html>down</html>"},
			}),
		},
		{
			name: "503, 503, 200", status: 503, oneConn: true,
			cells: every(requests(3)).but(subscribe, cell{requests: 1, err: jobboard.ErrServer, executed: true, stopped: once}),
			forms: []form{{name: "in this order", serve: first(2, form{})}},
		},
		{
			name: "501, 505", oneConn: true, cells: every(final(jobboard.ErrServer)),
			forms: each([]int{501, 505, 507, 519, 531}, form{answer: answer{kind: text, body: "never"}}),
		},
		{
			name: "204, or an empty 200", transport: emptyIsGood, oneConn: true,
			cells: every(final(jobboard.ErrDecode)).but(changing, requests(1)),
			forms: []form{
				{name: "204", answer: answer{status: 204}, wanted: wanted{check: nothing}},
				{name: "200", answer: answer{status: 200, kind: js}, wanted: wanted{check: nothing}},
				{
					name:   "200 compressed",
					answer: answer{status: 200, kind: js, body: string(rig.Zip(nil)), header: []string{"Content-Encoding", "gzip"}},
					wanted: wanted{check: nothing},
				},
				{name: "white space", answer: answer{status: 200, kind: js, body: " \r\n\t\n"}, only: reading},
				{name: "a byte order mark", answer: answer{status: 200, kind: js, body: "\ufeff"}, only: reading},
			},
		},
	}
}

// projectErrors are answers with get_project_error that do not say whether there is
// such a job.
func projectErrors() (all []form) {
	for _, message := range []string{
		`"Service temporarily not available"`, `"Project for jobId 4711 could not be loaded, try again"`,
		`"Project for jobId 4711 temporarily not available"`, `"Das Projekt ist nicht verfügbar"`, `"lock"`, `""`, `null`, `7`,
		`"get_project_error"`, `"Project not available, not accessible"`, `"project is available"`, `"JobPosting not found"`,
	} {
		all = append(all, form{
			answer: answer{kind: js, body: `{"code":"get_project_error","message":` + message + `}`},
			wanted: wanted{code: "get_project_error"},
		})
	}
	for _, body := range []string{"get_project_error", `"get_project_error"`, `{"code":"get_project_error"}`} {
		all = append(all, form{answer: answer{kind: text, body: body}, wanted: wanted{code: "get_project_error"}})
	}
	return all
}

var bigPage = "<html>" + strings.Repeat("<p>posting</p>", 5<<20/14)

// each returns a form for every status.
func each(statuses []int, forms ...form) (all []form) {
	for _, status := range statuses {
		for _, f := range forms {
			f.name = fmt.Sprintf("%d %s %s %.20q", status, f.name, f.kind, f.body)
			f.status = status
			all = append(all, f)
		}
	}
	return all
}

// bodies are whole answers of one kind.
func bodies(kind string, all ...string) (forms []form) {
	for _, body := range all {
		forms = append(forms, form{answer: answer{kind: kind, body: body}})
	}
	return forms
}

// files are bodies of testdata/errors, whatever they are labelled as; one that ends in .header is a header line.
func files(names ...string) (all []form) {
	codes := map[string]string{
		"401_invalid_token": "invalid_token", "401_invalid_token_spaced": "invalid token", "401_user": "invalid_token",
		"403_insufficient_scope": "insufficient_scope", "404_project": "get_project_error",
		"500_processing.json": "internal_error",
		"404_application":     "get_application_error", "404_unknown": "get_horoscope_error",
	}
	messages := map[string]string{
		"401_invalid_token.header": "token expired or otherwise invalid", "404_project_not_available.json": "Project for jobId 4711 not available",
		"410_posting_inactive.txt": "JobPosting inactive for jobId 4711", "410_posting_inactive_quoted.json": "JobPosting inactive for jobId 4711",
		"404_application_not_found_bare.txt": "get_application_error",
	}
	for _, name := range names {
		content, best := string(rig.Data("errors/"+name)), ""
		for prefix := range codes {
			if strings.HasPrefix(name, prefix) && len(prefix) > len(best) {
				best = prefix
			}
		}
		f := form{name: name, wanted: wanted{code: codes[best], says: []string{messages[name]}}}
		if filepath.Ext(name) == ".header" {
			key, value, _ := strings.Cut(strings.TrimSpace(content), ": ")
			f.header = []string{key, value}
			all = append(all, f)
			continue
		}
		f.body = content
		for _, f.kind = range []string{js, text, "text/plain;charset=utf-8", page, ""} {
			f.name = name + " as " + f.kind
			all = append(all, f)
		}
	}
	return all
}

func configured(configure func(*trial), f form) form {
	f.name, f.configure = f.name+", another source", configure
	return f
}

// asked are the forms of a 401 that sources of both kinds are asked about so
// many times.
func asked(most int, name string) (all []form) {
	for _, f := range append(files(name+".header"), files(name + ".json")[0]) {
		f.after = fetchedAtMost(most)
		f.configure = renewingSource
		all = append(all, f, configured(changingSource, f))
	}
	return all
}

// first is a service that answers well after so many other answers.
func first(n int, f form) func(*exchange) {
	return func(x *exchange) {
		if x.n > n {
			x.good()
			return
		}
		x.send(&f)
	}
}

func nothing(_ *rig.Operation, value any) string {
	if value != nil {
		return fmt.Sprintf("the result is %v, want none", value)
	}
	return ""
}

// retryAfterTwo are three of many forms: TestRetryAfter in internal/refusal has them all.
func retryAfterTwo() (all []form) {
	for _, skew := range []time.Duration{0, -26 * time.Hour, time.Hour} {
		all = append(all, form{
			name: fmt.Sprintf("the service's clock %v ahead", skew),
			serve: func(x *exchange) {
				now, value := time.Now().Add(skew).UTC(), "2"
				if skew != 0 {
					value = now.Add(2 * time.Second).Format(http.TimeFormat)
				}
				if skew > 0 {
					value = strconv.FormatInt(now.Unix()+2, 10)
				}
				first(1, form{
					answer: answer{header: []string{"Date", now.Format(http.TimeFormat), "Retry-After", value}},
				})(x)
			},
			wanted: wanted{
				retryAfter: 2 * time.Second,
				after: func(t *trial, err error) {
					if wait := t.end.Sub(t.start); err == nil && (wait < 2*time.Second || wait > 2500*time.Millisecond) {
						t.problem("waited %v", wait)
					}
				},
			},
		})
	}
	return all
}

func retryAfterFar() (all []form) {
	const century = 50 * 365 * 24 * time.Hour
	for value, least := range map[string]time.Duration{
		"86400": 24 * time.Hour, "31": 31 * time.Second, "9300000000": century, "99999999999999999999999": century,
		"Fri, 31 Dec 9999 23:59:59 GMT": century,
	} {
		all = append(all, form{
			name:   value,
			answer: answer{header: []string{"Retry-After", value}},
			wanted: wanted{
				retryAfter: -least,
				after: func(t *trial, _ error) {
					if d := t.end.Sub(t.start); d > 0 {
						t.problem("came after %v, not at once", d)
					}
				},
			},
		})
	}
	return all
}

func retryAfterJunk() (all []form) {
	for _, value := range []string{
		"-5", "soon", "", "0", "Fri, 31 Dec 1999 23:59:59 GMT",
	} {
		all = append(all, form{
			name:   strconv.Quote(value),
			answer: answer{header: []string{"Retry-After", value}},
		})
	}
	return all
}
