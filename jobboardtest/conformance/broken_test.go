package conformance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// exchange is one request and its answer, on its way through a breakage.
type exchange struct {
	srv    *jobboardtest.Server
	req    *http.Request // as the suite sent it
	op     string        // "search", "applied", "application", "lookup", "subscribe", "confirm", "stop"
	job    int64
	n      int // how many of this operation came before
	status int
	header http.Header
	body   []byte
	err    error // in place of an answer
	cut    bool  // the body ends with an error
}

func (x *exchange) credential() string { return x.req.Header.Get("Authorization") }

// basicUser is the user name of a Basic credential.
func (x *exchange) basicUser() string {
	user, _, _ := x.req.BasicAuth()
	return user
}

func (x *exchange) answer(status int, contentType, body string) {
	x.status, x.body = status, []byte(body)
	x.header.Set("Content-Type", contentType)
	x.header.Del("WWW-Authenticate")
}

// edit changes the JSON object of a good answer.
func (x *exchange) edit(f func(map[string]any)) {
	if x.status != http.StatusOK {
		return
	}
	var o map[string]any
	if err := json.Unmarshal(x.body, &o); err != nil {
		return
	}
	f(o)
	x.body, _ = json.Marshal(o)
}

func (x *exchange) postings(f func(map[string]any)) {
	x.edit(func(o map[string]any) { each(o["results"], f) })
}

func (x *exchange) questions(f func(map[string]any)) {
	x.edit(func(o map[string]any) { each(o["questions"], f) })
}

func each(list any, f func(map[string]any)) {
	l, _ := list.([]any)
	for _, e := range l {
		if o, ok := e.(map[string]any); ok {
			f(o)
		}
	}
}

func rename(o map[string]any, from, to string) {
	if v, ok := o[from]; ok {
		delete(o, from)
		o[to] = v
	}
}

// breaker is the fake, broken.
type breaker struct {
	next    http.RoundTripper
	srv     *jobboardtest.Server
	seen    map[string]int
	request func(*exchange, *http.Request) // changes what the fake gets
	respond func(*exchange)                // changes what it says
}

func (b *breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	x := &exchange{srv: b.srv, req: r}
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last := segments[len(segments)-1]
	switch {
	case last == "jobs":
		x.op = "search"
	case last == "applied" || last == "application":
		x.op = last
		x.job, _ = strconv.ParseInt(segments[len(segments)-2], 10, 64)
	case last == "external":
		x.op = "lookup"
		x.job, _ = strconv.ParseInt(r.URL.Query().Get("jobid"), 10, 64)
	default:
		x.op = map[string]string{"POST": "subscribe", "PUT": "confirm", "DELETE": "stop"}[r.Method]
	}
	x.n = b.seen[x.op]
	b.seen[x.op]++
	sent := r.Clone(r.Context())
	if b.request != nil {
		b.request(x, sent)
	}
	rs, err := b.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(rs.Body)
	rs.Body.Close()
	if err != nil {
		return nil, err
	}
	x.status, x.header, x.body = rs.StatusCode, rs.Header, body
	if b.respond != nil {
		b.respond(x)
	}
	if x.err != nil {
		return nil, x.err
	}
	rs.StatusCode, rs.Status, rs.ContentLength = x.status, "", int64(len(x.body))
	rs.Body = io.NopCloser(bytes.NewReader(x.body))
	if x.cut {
		rs.Body = io.NopCloser(iotest.ErrReader(errors.New("cut off")))
	}
	return rs, nil
}

// on limits a change of answers to one operation.
func on(op string, f func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.op == op {
			f(x)
		}
	}
}

func onJob(op string, job func(jobboardtest.DemoInfo) int64, f func(*exchange)) func(*exchange) {
	return on(op, func(x *exchange) {
		if x.job == job(x.srv.Demo) {
			f(x)
		}
	})
}

// pretend sends another credential in place of those that fit.
func pretend(op string, fits func(*exchange) bool, token func(jobboardtest.DemoInfo) string) func(*exchange, *http.Request) {
	return func(x *exchange, r *http.Request) {
		if x.op == op && fits(x) {
			r.Header.Set("Authorization", "Bearer "+token(x.srv.Demo))
		}
	}
}

func setQuery(op string, f func(map[string][]string)) func(*exchange, *http.Request) {
	return func(x *exchange, r *http.Request) {
		if x.op == op {
			q := r.URL.Query()
			f(q)
			r.URL.RawQuery = q.Encode()
		}
	}
}

var (
	openJob       = func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }
	withdrawnJob  = func(d jobboardtest.DemoInfo) int64 { return d.WithdrawnJob }
	appliedJob    = func(d jobboardtest.DemoInfo) int64 { return d.AppliedJob }
	inactiveJob   = func(d jobboardtest.DemoInfo) int64 { return d.InactiveJob }
	internalJob   = func(d jobboardtest.DemoInfo) int64 { return d.InternalJob }
	unknownJob    = func(d jobboardtest.DemoInfo) int64 { return d.UnknownJob }
	deletedJob    = func(d jobboardtest.DemoInfo) int64 { return d.DeletedJob }
	closedJob     = func(d jobboardtest.DemoInfo) int64 { return d.ClosedJob }
	unpublished   = func(d jobboardtest.DemoInfo) int64 { return d.UnpublishedJob }
	otherCompany  = func(d jobboardtest.DemoInfo) int64 { return d.OtherCompanyJob }
	asApplicant   = func(d jobboardtest.DemoInfo) string { return d.ApplicantToken }
	asClient      = func(d jobboardtest.DemoInfo) string { return d.ClientToken }
	noCredential  = func(x *exchange) bool { return x.credential() == "" }
	anyCredential = func(*exchange) bool { return true }
	isBasic       = func(x *exchange) bool { return strings.HasPrefix(x.credential(), "Basic ") }
	isClientToken = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.ClientToken }
	isExpired     = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.ExpiredToken }
	isMadeUp      = func(x *exchange) bool { return strings.HasPrefix(x.credential(), "Bearer conformance-") }
	isInternal    = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.InternalToken }
	isApplicant   = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.ApplicantToken }
)

// good limits a change to answers with 200.
func good(f func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.status == http.StatusOK {
			f(x)
		}
	}
}

// says replaces the body of a good answer.
func says(body string) func(*exchange) { return good(func(x *exchange) { x.body = []byte(body) }) }

func answers(status int, contentType, body string) func(*exchange) {
	return func(x *exchange) { x.answer(status, contentType, body) }
}

func edits(f func(map[string]any)) func(*exchange) { return func(x *exchange) { x.edit(f) } }

func ofPostings(f func(map[string]any)) func(*exchange) { return func(x *exchange) { x.postings(f) } }

func ofQuestions(f func(map[string]any)) func(*exchange) { return func(x *exchange) { x.questions(f) } }

func refuseWhen(op string, fits func(*exchange) bool) func(*exchange) {
	return on(op, func(x *exchange) {
		if fits(x) {
			x.answer(http.StatusUnauthorized, "application/json", `{"error":"invalid_token"}`)
		}
	})
}

// breakage is a way to break a fake, or a target. What is said of it stands in
// testdata/answers.txt.
type breakage struct {
	name    string
	target  func(*conformance.Target)
	request func(*exchange, *http.Request) // changes what the fake gets
	respond func(*exchange)                // changes what it says
	fails   []string                       // in breakages: the rules that must fail, and no other
}

var breakages = []breakage{
	// Section 2.1.
	{
		name: "a counter is misspelt", fails: []string{"search/page-fields"},
		respond: on("search", edits(func(o map[string]any) { rename(o, "totalNumberOfJobs", "totalNumberofJobs") })),
	},
	{
		name: "a counter is a string", fails: []string{"search/page-fields"},
		respond: on("search", edits(func(o map[string]any) { o["numPages"] = "1" })),
	},
	{
		name: "a counter is null", fails: []string{"search/page-fields"},
		respond: on("search", edits(func(o map[string]any) { o["numPages"] = nil })),
	},
	{
		name: "a counter is missing", fails: []string{"search/page-fields"},
		respond: on("search", edits(func(o map[string]any) { delete(o, "actualPage") })),
	},
	{
		name: "the pages begin at one", fails: []string{"search/page-counts"},
		respond: on("search", edits(func(o map[string]any) { o["actualPage"] = 1 })),
	},
	{
		name: "the last posting is beyond the page", fails: []string{"search/page-counts"},
		respond: on("search", edits(func(o map[string]any) { o["lastPostingOnPage"] = 500 })),
	},
	{
		name: "the total counts one page too few", fails: []string{"search/page-counts"},
		respond: on("search", edits(func(o map[string]any) { o["numPages"] = 0 })),
	},
	// Section 2.2.
	{
		name: "a posting's identifier is misspelt", fails: []string{"search/posting-fields"},
		respond: on("search", ofPostings(func(o map[string]any) { rename(o, "jobPostingId", "jobPostingID") })),
	},
	{
		name: "a posting's title is missing", fails: []string{"search/posting-fields"},
		respond: on("search", ofPostings(func(o map[string]any) { delete(o, "title") })),
	},
	{
		name: "a link is a path", fails: []string{"search/posting-fields"},
		respond: on("search", ofPostings(func(o map[string]any) { o["applyOnlineLink"] = "/apply/1" })),
	},
	{
		name: "all postings are one", fails: []string{"search/posting-ids"},
		respond: on("search", func(x *exchange) {
			if x.req.URL.RawQuery == "" && x.req.Header.Get("Accept-Language") == "" && isClientToken(x) && x.n == 0 {
				x.edit(func(o map[string]any) {
					results := o["results"].([]any)
					results[1] = results[0]
				})
			}
		}),
	},
	{
		name: "dates are seconds", fails: []string{"search/timestamps"},
		respond: on("search", ofPostings(func(o map[string]any) { o["jobStartDate"] = int64(o["jobStartDate"].(float64)) / 1000 })),
	},
	{
		name: "dates are words", fails: []string{"search/timestamps"},
		respond: on("search", ofPostings(func(o map[string]any) { o["postingVersionEndDate"] = "never" })),
	},
	// Section 2.3.
	{
		name: "a config value is no array", fails: []string{"search/config"},
		respond: on("search", ofPostings(func(o map[string]any) {
			if c, ok := o["config"].(map[string]any); ok {
				c["audience"] = "PROFESSIONAL"
			}
		})),
	},
	{
		name: "a config value holds numbers", fails: []string{"search/config"},
		respond: on("search", ofPostings(func(o map[string]any) {
			if c, ok := o["config"].(map[string]any); ok {
				c["location"] = []any{1001}
			}
		})),
	},
	// Section 4.1.
	{
		name: "the search is at another version", fails: []string{"search/answers"},
		respond: on("search", answers(404, "text/html", "<html>Not Found</html>")),
	},
	{
		name: "the search wants a login", fails: []string{"search/answers"},
		respond: on("search", answers(200, "text/html", "<html>Log in</html>")),
	},
	{
		name: "the search answers with a list", fails: []string{"search/answers"},
		respond: on("search", answers(200, "application/json", "[]")),
	},
	{
		name: "empty parameters are errors", fails: []string{"search/empty-parameters"},
		respond: on("search", func(x *exchange) {
			if strings.HasSuffix(x.req.URL.RawQuery, "=") {
				x.answer(400, "text/plain", "search must not be empty")
			}
		}),
	},
	{
		name: "the search text is ignored", fails: []string{"search/text"},
		request: setQuery("search", func(q map[string][]string) { delete(q, "search") }),
	},
	{
		name: "the circle is ignored", fails: []string{"search/radius", "search/text-and-radius", "search/unlocated"},
		request: setQuery("search", func(q map[string][]string) { delete(q, "geoLocation") }),
	},
	{
		name: "the distance is ignored", fails: []string{"search/radius"},
		request: setQuery("search", func(q map[string][]string) {
			if parts := strings.Split(strings.Join(q["geoLocation"], ""), "::"); len(parts) == 3 {
				q["geoLocation"] = []string{parts[0] + "::" + parts[1] + "::10"}
			}
		}),
	},
	{
		name: "the text is ignored when there is a circle", fails: []string{"search/text-and-radius"},
		request: setQuery("search", func(q map[string][]string) {
			if len(q["geoLocation"]) > 0 && len(q["search"]) > 0 {
				delete(q, "search")
			}
		}),
	},
	{
		name: "what has no place is everywhere", fails: []string{"search/unlocated"},
		request: setQuery("search", func(q map[string][]string) {
			if strings.HasPrefix(strings.Join(q["geoLocation"], ""), "0::0::") {
				delete(q, "geoLocation")
			}
		}),
	},
	{
		name: "additional locations are not considered", fails: []string{"search/additional-locations"},
		respond: on("search", func(x *exchange) {
			if strings.HasPrefix(x.req.URL.Query().Get("geoLocation"), "51.312711") {
				x.edit(func(o map[string]any) { o["results"], o["totalNumberOfJobs"] = []any{}, 0 })
			}
		}),
	},
	{
		name: "the language is ignored", fails: []string{"search/language"},
		request: func(_ *exchange, r *http.Request) { r.Header.Del("Accept-Language") },
	},
	{
		name: "raw colons are not understood", fails: []string{"search/escaped"},
		respond: on("search", func(x *exchange) {
			if strings.Contains(x.req.URL.RawQuery, "::") {
				x.answer(400, "text/plain", "bad query")
			}
		}),
	},
	{
		name: "the channel is ignored", fails: []string{"search/unknown-channel", "search/failure"},
		request: func(x *exchange, r *http.Request) {
			if x.op == "search" {
				parts := strings.Split(r.URL.Path, "/")
				parts[len(parts)-2] = x.srv.Demo.Channel
				r.URL.Path, r.URL.RawPath = strings.Join(parts, "/"), ""
			}
		},
	},
	{
		name: "an unknown channel is that of somebody else", fails: []string{"search/unknown-channel"},
		request: func(x *exchange, r *http.Request) {
			if parts := strings.Split(r.URL.Path, "/"); x.op == "search" && strings.HasPrefix(parts[len(parts)-2], "conformance-") {
				parts[len(parts)-2] = x.srv.Demo.Channel
				r.URL.Path, r.URL.RawPath = strings.Join(parts, "/"), ""
			}
		},
	},
	{
		name: "an error while processing is a 200", fails: []string{"search/failure"},
		respond: on("search", func(x *exchange) {
			if x.status == 500 {
				x.answer(200, "application/json", `{"error":"something went wrong"}`)
			}
		}),
	},
	// Section 5.
	{
		name: "a client token is refused", fails: []string{"search/client-token"},
		respond: refuseWhen("search", isClientToken),
	},
	{
		name: "a user token is refused", fails: []string{"search/user-token"},
		respond: refuseWhen("search", isApplicant),
	},
	{
		name: "Basic is refused", fails: []string{"search/basic"},
		respond: refuseWhen("search", isBasic),
	},
	{
		name: "the search needs no credential", fails: []string{"search/no-credential"},
		request: pretend("search", noCredential, asClient),
	},
	{
		name:    "credentials of the search are ignored",
		fails:   []string{"search/no-credential", "search/unknown-token", "search/unknown-client", "search/expired-token", "search/scheme"},
		request: pretend("search", anyCredential, asClient),
	},
	{
		name: "any Basic credential will do", fails: []string{"search/unknown-client", "search/scheme"},
		request: pretend("search", isBasic, asClient),
	},
	{
		name: "expired tokens are good for the search", fails: []string{"search/expired-token"},
		request: pretend("search", isExpired, asClient),
	},
	{
		name: "made-up tokens are good for the search", fails: []string{"search/unknown-token"},
		request: pretend("search", isMadeUp, asClient),
	},
	{
		name: "made-up clients are good for the search", fails: []string{"search/unknown-client"},
		request: pretend("search", func(x *exchange) bool { return strings.HasPrefix(x.basicUser(), "conformance-") }, asClient),
	},
	{
		name: "a token is taken as a client identifier", fails: []string{"search/scheme"},
		request: pretend("search", func(x *exchange) bool { return x.basicUser() == x.srv.Demo.ClientToken }, asClient),
	},
	{
		name: "a client token is taken for the applied check", fails: []string{"applied/client-token"},
		request: pretend("applied", isClientToken, asApplicant),
	},
	{
		name: "a client token is taken for the application", fails: []string{"application/client-token"},
		request: pretend("application", isClientToken, asApplicant),
	},
	{
		name: "Basic is taken for the applied check", fails: []string{"applied/basic"},
		request: pretend("applied", isBasic, asApplicant),
	},
	{
		name: "the applied check needs no credential", fails: []string{"applied/no-credential"},
		request: pretend("applied", noCredential, asApplicant),
	},
	{
		name: "Basic is taken for the application", fails: []string{"application/basic"},
		request: pretend("application", isBasic, asApplicant),
	},
	{
		name: "the application needs no credential", fails: []string{"application/no-credential"},
		request: pretend("application", noCredential, asApplicant),
	},
	{
		name: "expired tokens are good for the applied check", fails: []string{"applied/expired-token"},
		request: pretend("applied", isExpired, asApplicant),
	},
	{
		name: "made-up tokens are good for the applied check", fails: []string{"applied/unknown-token"},
		request: pretend("applied", isMadeUp, asApplicant),
	},
	{
		name: "made-up tokens are good for the application", fails: []string{"application/unknown-token"},
		request: pretend("application", isMadeUp, asApplicant),
	},
	{
		name: "expired tokens are good for the application", fails: []string{"application/expired-token"},
		request: pretend("application", isExpired, asApplicant),
	},
	{
		name: "a missing credential is a 404", fails: []string{"applied/no-credential"},
		respond: on("applied", func(x *exchange) {
			if noCredential(x) {
				x.answer(404, "text/plain", "not found")
			}
		}),
	},
	{
		name: "user tokens are refused for the applied check", fails: []string{"applied/answers"},
		respond: refuseWhen("applied", func(*exchange) bool { return true }),
	},
	{
		name: "the application lookup is at another path", fails: []string{"application/answers"},
		respond: on("application", answers(404, "text/html", "<html>Not Found</html>")),
	},
	{
		name:  "whose token it is does not matter",
		fails: []string{"applied/other-applicant", "applied/internal-applicant", "application/other-applicant"},
		request: func(x *exchange, r *http.Request) {
			if isInternal(x) {
				r.Header.Set("Authorization", "Bearer "+x.srv.Demo.ApplicantToken)
			}
		},
	},
	{
		name: "the applied check looks at nobody's token", fails: []string{"applied/other-applicant"},
		request: pretend("applied", func(x *exchange) bool { return isInternal(x) && x.job == x.srv.Demo.AppliedJob }, asApplicant),
	},
	{
		name: "the application lookup looks at nobody's token", fails: []string{"application/other-applicant"},
		request: pretend("application", isInternal, asApplicant),
	},
	// Section 4.2.
	{
		name: "an application is forgotten", fails: []string{"applied/true"},
		respond: onJob("applied", appliedJob, says("false")),
	},
	{
		name: "an application is made up", fails: []string{"applied/false"},
		respond: onJob("applied", openJob, func(x *exchange) { x.body = []byte("true") }),
	},
	{
		name: "the boolean is a string", fails: []string{"applied/boolean"},
		respond: on("applied", good(func(x *exchange) { x.body = []byte(strconv.Quote(string(x.body))) })),
	},
	{
		name: "the boolean is in an object", fails: []string{"applied/boolean"},
		respond: on("applied", good(func(x *exchange) { x.body = fmt.Appendf(nil, `{"applied":%s}`, x.body) })),
	},
	{
		name: "nobody has applied", fails: []string{"applied/true", "applied/withdrawn", "application/one"},
		respond: on("applied", says("false")),
	},
	{
		name: "everybody has applied", fails: []string{"applied/false", "applied/other-applicant"},
		respond: on("applied", says("true")),
	},
	// Section 8.
	{
		name: "a withdrawn application does not count", fails: []string{"applied/withdrawn"},
		respond: onJob("applied", withdrawnJob, says("false")),
	},
	{
		name: "a withdrawn application is gone", fails: []string{"application/withdrawn"},
		respond: onJob("application", withdrawnJob, good(func(x *exchange) {
			x.answer(404, "application/json", `{"code":"get_application_error","message":"No application"}`)
		})),
	},
	{
		name: "withdrawing makes room for another application", fails: []string{"application/one"},
		respond: on("application", func(x *exchange) {
			for _, a := range x.srv.Snapshot().Applications {
				if a.JobID == x.job && a.Withdrawn && x.job != x.srv.Demo.WithdrawnJob && x.status == 200 {
					x.body = []byte("0123456789abcdef")
				}
			}
		}),
	},
	// Section 4.3.
	{
		name: "the identifier is in an object", fails: []string{"application/plain-string"},
		respond: on("application", good(func(x *exchange) { x.answer(200, "application/json", fmt.Sprintf(`{"applicationId":%q}`, x.body)) })),
	},
	{
		name: "the identifier is a sentence", fails: []string{"application/plain-string"},
		respond: on("application", good(func(x *exchange) { x.body = append([]byte("The application is "), x.body...) })),
	},
	{
		name:    "the identifier is another each time",
		fails:   []string{"application/identifier", "application/stable", "application/one"},
		respond: on("application", good(func(x *exchange) { x.body = fmt.Appendf(nil, "application-%d", x.n) })),
	},
	{
		name: "the identifier is that of another application", fails: []string{"application/identifier"},
		respond: onJob("application", appliedJob, good(func(x *exchange) { x.body = append([]byte("x"), x.body...) })),
	},
	{
		name: "the identifier changes one day", fails: []string{"application/stable"},
		respond: onJob("application", appliedJob, func(x *exchange) {
			if x.status == 200 && x.n == 4 { // the second time that application/stable asks
				x.body = append([]byte("x"), x.body...)
			}
		}),
	},
	{
		name: "two applications have one identifier", fails: []string{"application/distinct"},
		respond: onJob("application", withdrawnJob, good(func(x *exchange) { x.body = []byte(x.srv.Demo.ApplicationID) })),
	},
	{
		name: "the identifier is the applicant's", fails: []string{"application/identifier", "application/distinct"},
		respond: on("application", says("applicant-7")),
	},
	{
		name: "no application is an empty answer", fails: []string{"application/none"},
		respond: onJob("application", openJob, answers(200, "text/plain", "")),
	},
	// Section 7.2.
	{
		name: "an inactive posting is a 404", fails: []string{"applied/inactive"},
		respond: onJob("applied", inactiveJob, func(x *exchange) { x.status = 404 }),
	},
	{
		name: "an inactive posting has no message", fails: []string{"application/inactive"},
		respond: onJob("application", inactiveJob, func(x *exchange) { x.body = nil }),
	},
	{
		name: "a missing posting is told as JSON", fails: []string{"applied/unpublished"},
		respond: onJob("applied", unpublished, answers(404, "application/json", `{"code":"get_posting_error","message":"JobPosting not found"}`)),
	},
	{
		name: "a missing posting is an HTML page", fails: []string{"application/unpublished"},
		respond: onJob("application", unpublished, answers(404, "text/html", "<html>not found</html>")),
	},
	{
		name: "an internal job is a 404", fails: []string{"applied/not-accessible"},
		respond: onJob("applied", internalJob, func(x *exchange) {
			if x.status == 403 {
				x.status = 404
			}
		}),
	},
	{
		name: "an internal job is there for everybody", fails: []string{"application/not-accessible"},
		respond: onJob("application", internalJob, func(x *exchange) {
			if x.status == 403 {
				x.answer(404, "application/json", `{"code":"get_application_error","message":"No application"}`)
			}
		}),
	},
	{
		name: "an internal job is for nobody", fails: []string{"applied/internal-applicant"},
		respond: onJob("applied", internalJob, answers(403, "text/plain", "JobPosting not accessible")),
	},
	{
		name: "the code has another name", fails: []string{"applied/unknown", "applied/other-company"},
		respond: on("applied", func(x *exchange) {
			x.body = bytes.ReplaceAll(x.body, []byte("get_project_error"), []byte("project_error"))
		}),
	},
	{
		name: "the code is in another member", fails: []string{"application/none", "application/other-applicant", "application/unknown"},
		respond: on("application", func(x *exchange) { x.body = bytes.Replace(x.body, []byte(`"code"`), []byte(`"errorCode"`), 1) }),
	},
	{
		name: "the message is missing", fails: []string{"application/unknown"},
		respond: onJob("application", unknownJob, answers(404, "application/json", `{"code":"get_project_error"}`)),
	},
	{
		name: "an unknown job is a 500", fails: []string{"applied/unknown"},
		respond: onJob("applied", unknownJob, func(x *exchange) { x.status = 500 }),
	},
	{
		name: "a job of another company is said not to exist", fails: []string{"applied/other-company"},
		respond: onJob("applied", otherCompany, func(x *exchange) {
			x.body = bytes.ReplaceAll(x.body, []byte("not accessible"), []byte("not available"))
		}),
	},
	{
		name: "the application lookup knows other companies too", fails: []string{"application/other-company"},
		respond: onJob("application", otherCompany, answers(404, "application/json", `{"code":"get_project_error","message":"Project not accessible"}`)),
	},
	// Sections 2.5 and 4.4.
	{
		name: "the lookup gives an HTML page", fails: []string{"lookup/answers"},
		respond: on("lookup", good(func(x *exchange) { x.answer(200, "text/html", "<html></html>") })),
	},
	{
		name: "applyPossible is a string", fails: []string{"lookup/fields"},
		respond: on("lookup", edits(func(o map[string]any) { o["applyPossible"] = fmt.Sprint(o["applyPossible"]) })),
	},
	{
		name: "the privacy link is misspelt", fails: []string{"lookup/fields"},
		respond: on("lookup", edits(func(o map[string]any) { rename(o, "dataSecurityLink", "myDatasecurityLink") })),
	},
	{
		name: "the company is not a UUID", fails: []string{"lookup/fields"},
		respond: on("lookup", edits(func(o map[string]any) { o["companyId"] = "4711" })),
	},
	{
		name: "the information is about another job", fails: []string{"lookup/job-id"},
		respond: onJob("lookup", closedJob, edits(func(o map[string]any) { o["jobId"] = 1 })),
	},
	{
		name: "a closed job can be applied to", fails: []string{"lookup/apply-possible"},
		respond: onJob("lookup", closedJob, edits(func(o map[string]any) { o["applyPossible"] = true })),
	},
	{
		name: "a YESNO question has no answers", fails: []string{"lookup/questions"},
		respond: on("lookup", ofQuestions(func(q map[string]any) {
			if q["type"] == "YESNO" {
				delete(q, "answers")
			}
		})),
	},
	{
		name: "a TEXT question has answers", fails: []string{"lookup/questions"},
		respond: on("lookup", ofQuestions(func(q map[string]any) {
			if q["type"] == "TEXT" {
				q["answers"] = []any{}
			}
		})),
	},
	{
		name: "question identifiers are numbers", fails: []string{"lookup/questions"},
		respond: on("lookup", ofQuestions(func(q map[string]any) { q["id"], _ = strconv.Atoi(q["id"].(string)) })),
	},
	{
		name: "a question has no label", fails: []string{"lookup/questions"},
		respond: on("lookup", ofQuestions(func(q map[string]any) { q["label"] = nil })),
	},
	{
		name: "answers are bare labels", fails: []string{"lookup/answers-of-questions"},
		respond: on("lookup", ofQuestions(func(q map[string]any) { each(q["answers"], func(a map[string]any) { delete(a, "id") }) })),
	},
	{
		name: "the preferred location lists the main one only", fails: []string{"lookup/preferred-location"},
		respond: on("lookup", ofQuestions(func(q map[string]any) {
			if strings.HasPrefix(q["id"].(string), "-") {
				q["answers"] = q["answers"].([]any)[:1]
			}
		})),
	},
	{
		name: "nationalities have numbers", fails: []string{"lookup/nationalities"},
		respond: on("lookup", edits(func(o map[string]any) { each(o["nationalities"], func(n map[string]any) { n["id"] = 1 }) })),
	},
	{
		name: "the catalog is English for every job", fails: []string{"lookup/nationalities"},
		respond: on("lookup", edits(func(o map[string]any) {
			o["nationalities"] = []any{map[string]any{"id": "2800137", "label": "German"}}
		})),
	},
	{
		name: "a language of two countries", // whose catalogs may be the same
		respond: on("lookup", func(x *exchange) {
			x.edit(func(o map[string]any) {
				o["jobLanguage"] = map[bool]string{true: "de_CH", false: "de-AT"}[x.job == openJob(x.srv.Demo)]
				o["nationalities"] = []any{map[string]any{"id": "2800137", "label": "deutsch"}}
			})
		}),
	},
	{
		name: "the timestamp has no milliseconds", fails: []string{"lookup/timestamp"},
		respond: on("lookup", edits(func(o map[string]any) { o["timestamp"] = "2026-01-05T08:00:00Z" })),
	},
	{
		name: "the timestamp is local time", fails: []string{"lookup/timestamp"},
		respond: on("lookup", edits(func(o map[string]any) { o["timestamp"] = "2026-01-05T08:00:00.000+01:00" })),
	},
	{
		name: "a latitude is a number", fails: []string{"lookup/locations"},
		respond: on("lookup", edits(func(o map[string]any) { o["location"].(map[string]any)["geoLat"] = 52.5 })),
	},
	{
		name: "a longitude has a comma", fails: []string{"lookup/locations"},
		respond: on("lookup", edits(func(o map[string]any) { o["location"].(map[string]any)["geoLong"] = "13,37" })),
	},
	// Section 7.3.
	{
		name: "an inactive job is called unavailable", fails: []string{"lookup/inactive"},
		respond: onJob("lookup", inactiveJob, func(x *exchange) {
			x.body = bytes.ReplaceAll(x.body, []byte("ERROR_JOB_INACTIVE"), []byte("ERROR_JOB_UNAVAILABLE"))
		}),
	},
	{
		name: "a deleted job is a bare 404", fails: []string{"lookup/deleted"},
		respond: onJob("lookup", deletedJob, answers(404, "text/plain", "")),
	},
	{
		name: "a job without posting is called unavailable", fails: []string{"lookup/unpublished"},
		respond: onJob("lookup", unpublished, func(x *exchange) { x.body = []byte(`{"errorCode":"ERROR_JOB_UNAVAILABLE"}`) }),
	},
	{
		name: "an unknown job has an own code", fails: []string{"lookup/unknown"},
		respond: onJob("lookup", unknownJob, func(x *exchange) { x.body = []byte(`"ERROR_NO_SUCH_JOB"`) }),
	},
	// Section 4.5.
	{
		name: "there are no subscriptions", fails: []string{"subscriptions/subscribe"},
		respond: on("subscribe", answers(404, "text/plain", "not found")),
	},
	{
		name: "confirming is a POST", fails: []string{"subscriptions/confirm"},
		respond: on("confirm", answers(405, "text/plain", "")),
	},
	{
		name: "stopping fails", fails: []string{"subscriptions/stop"},
		respond: on("stop", answers(500, "text/plain", "")),
	},
}

// TestBrokenFakes holds all that is said of each broken fake.
func TestBrokenFakes(t *testing.T) {
	all := slices.Concat(breakages, sayings)
	texts, failed := make([]string, len(all)), make([][]string, len(all))
	t.Run("each", func(t *testing.T) {
		for i, b := range all {
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				texts[i], failed[i] = b.check(t)
			})
		}
	})
	golden(t, "testdata/answers.txt", strings.Join(texts, ""))
	caughtAlone := map[string]bool{}
	for i, b := range breakages {
		if !slices.Equal(slices.Sorted(slices.Values(failed[i])), slices.Sorted(slices.Values(b.fails))) {
			t.Errorf("%s: failed %q, want %q", b.name, failed[i], b.fails)
		}
		if len(failed[i]) == 1 {
			caughtAlone[failed[i][0]] = true
		}
	}
	for _, r := range conformance.Checks() {
		if !caughtAlone[r.Name] {
			t.Errorf("no breakage is caught by %s and by nothing else", r.Name)
		}
	}
}

// check checks the broken fake and returns the problems, the rules that are not
// judged with the reason, and the names of the rules that are broken.
func (b breakage) check(t *testing.T) (text string, failed []string) {
	t.Helper()
	srv, target := fake(t)
	target.HTTPClient.Transport = &breaker{
		next: srv.Transport(), srv: srv, seen: map[string]int{}, request: b.request, respond: b.respond,
	}
	if b.target != nil {
		b.target(&target)
	}
	results, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Failed() {
			failed = append(failed, r.Name)
		}
	}
	return told(b.name, results), failed
}

// told writes the problems, and the rules that are not judged with the reason.
func told(name string, results []conformance.Result) string {
	text := "# " + name + "\n"
	skipped := ""
	for _, r := range results {
		if r.Skipped != skipped && skipped != "" {
			text += ": " + skipped + "\n"
		}
		switch {
		case r.Skipped == "":
		case r.Skipped != skipped:
			text += "skip " + r.Name
		default:
			text += " " + r.Name
		}
		skipped = r.Skipped
		for _, p := range r.Problems {
			text += fmt.Sprintf("FAIL %s: %s\n", r.Name, p)
		}
	}
	if skipped != "" {
		text += ": " + skipped + "\n"
	}
	return newID.ReplaceAllString(text, "[id]")
}
