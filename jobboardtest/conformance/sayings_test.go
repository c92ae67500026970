package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// sayings are breakages that show what is said, whichever rules say it.
var sayings = []breakage{
	// The counters of a page.
	{
		name:    "fewer hits than postings",
		respond: onPage(func(o map[string]any) { o["totalNumberOfJobs"] = 1 }),
	},
	{
		name:    "smaller pages than postings",
		respond: onPage(func(o map[string]any) { o["itemsPerPage"] = 1 }),
	},
	{
		name:    "pages of no postings",
		respond: onPage(func(o map[string]any) { o["itemsPerPage"] = 0 }),
	},
	{
		name: "two pages",
		respond: onPage(func(o map[string]any) {
			o["results"] = o["results"].([]any)[:min(23, len(o["results"].([]any)))]
			o["lastPostingOnPage"], o["itemsPerPage"], o["numPages"] = 23, 23, 2
		}),
	},
	{
		name:    "a counter has a fraction",
		respond: onPage(func(o map[string]any) { o["offset"] = 0.5 }),
	},
	{
		name: "counters are misspelt",
		respond: onPage(func(o map[string]any) {
			for from, to := range map[string]string{
				"itemsPerPage": "itemPerPage", "numPages": "numbPages", "offset": "Offsat", "actualPage": "acutalPage",
				"firstPostingOnPage": "firstPostingOnLage2", "lastPostingOnPage": "lastPostingOnP", "results": "sults",
			} {
				rename(o, from, to)
			}
			o["numbPagesX"], o["numqPages"], o["A"] = 1, 1, 1
		}),
	},
	{
		name:    "hits that no page has",
		respond: onPage(func(o map[string]any) { o["totalNumberOfJobs"], o["itemsPerPage"] = 1000, 1000 }),
	},
	{
		name:    "a negative counter",
		respond: onPage(func(o map[string]any) { o["offset"] = -1 }),
	},
	{
		name: "no hits on one page",
		respond: onPage(func(o map[string]any) {
			o["results"], o["totalNumberOfJobs"], o["numPages"] = []any{}, 0, 1
			o["firstPostingOnPage"], o["lastPostingOnPage"], o["itemsPerPage"] = 0, 0, 1
		}),
	},
	{
		name: "no hits on two pages",
		respond: onPage(func(o map[string]any) {
			o["results"], o["totalNumberOfJobs"], o["numPages"], o["itemsPerPage"] = []any{}, 0, 2, 10
		}),
	},

	{
		name: "a board that loses postings while it is asked",
		respond: on("search", once(map[string]bool{}, func(x *exchange) {
			x.edit(func(o map[string]any) {
				if strings.HasSuffix(x.req.URL.RawQuery, "=") {
					o["totalNumberOfJobs"] = 1000
				}
			})
		})),
	},

	// Postings.
	{
		name:    "no postings",
		respond: onPage(func(o map[string]any) { o["results"] = []any{} }),
	},
	{
		name:    "results are no array",
		respond: onPage(func(o map[string]any) { o["results"] = "none" }),
	},
	{
		name:    "a result is no object",
		respond: onPage(func(o map[string]any) { o["results"] = []any{1} }),
	},
	{
		name:    "an identifier is a word",
		respond: onPosting(func(o map[string]any) { o["jobPostingId"] = "one" }),
	},
	{
		name:    "a link is a number",
		respond: onPosting(func(o map[string]any) { o["applyOnlineLink"] = 7 }),
	},
	{
		name:    "links of all kinds",
		respond: onPosting(inTurn("applyOnlineLink", "//jobs.example/apply", "http:apply", "http://[::1", "", "x://y", nil)),
	},
	{
		name:    "the config is a list",
		respond: onPosting(func(o map[string]any) { o["config"] = []any{} }),
	},
	{
		name:    "no config",
		respond: onPosting(func(o map[string]any) { o["config"] = nil }),
	},
	{
		name: "a config of all kinds",
		respond: onPosting(func(o map[string]any) {
			o["config"] = map[string]any{
				"a": nil, "b": []any{}, "c": 7, "d": []any{"x", 8, nil}, "listingStartDate": []any{"-5", "Monday"},
			}
		}),
	},
	{
		name:    "the first likely date",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(100_000_000_000) }),
	},
	{
		name:    "the last unlikely date",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(99_999_999_999) }),
	},
	{
		name:    "the last likely date",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(100_000_000_000_000) }),
	},
	{
		name:    "a date beyond that",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(-100_000_000_000_001) }),
	},
	{
		name: "dates of other kinds",
		respond: onPosting(func(o map[string]any) {
			delete(o, "postingVersionStartDate")
			o["jobStartDate"], o["postingVersionEndDate"] = nil, 0
		}),
	},
	{
		name:    "a date before the epoch",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(-100_000_000_000) }),
	},

	// What a search finds.
	{
		name:   "a text that is nowhere",
		target: func(t *conformance.Target) { t.SearchText = "zeppelin" },
	},
	{
		name:   "a place where nothing is",
		target: func(t *conformance.Target) { t.Near = "0::0::1" },
	},
	{
		name: "a place where all are",
		respond: on("search", func(x *exchange) {
			if strings.HasPrefix(x.req.URL.Query().Get("geoLocation"), "52.520014::13.373006::50") {
				x.edit(func(o map[string]any) { o["totalNumberOfJobs"] = 1000 })
			}
		}),
	},
	{
		name: "another number each time",
		respond: on("search", func(x *exchange) {
			x.edit(func(o map[string]any) { o["totalNumberOfJobs"] = x.n + 100 })
		}),
	},
	{
		name: "postings on another page",
		respond: on("search", func(x *exchange) {
			x.edit(func(o map[string]any) { o["results"], o["totalNumberOfJobs"] = []any{}, 1000 })
		}),
	},
	{
		name:   "an unlocated posting of another channel",
		target: func(t *conformance.Target) { t.UnlocatedPosting = 1 },
	},
	{
		name: "no posting in both languages",
		respond: on("search", func(x *exchange) {
			if x.req.Header.Get("Accept-Language") == "de" {
				x.edit(func(o map[string]any) { o["results"] = []any{} })
			}
		}),
	},

	{
		name: "searches by text alone fail",
		respond: on("search", func(x *exchange) {
			if q := x.req.URL.Query(); q.Has("search") && !q.Has("geoLocation") {
				x.answer(500, "text/plain", "")
			}
		}),
	},
	{
		name: "searches by place alone fail",
		respond: on("search", func(x *exchange) {
			if q := x.req.URL.Query(); q.Has("geoLocation") && !q.Has("search") {
				x.answer(500, "text/plain", "")
			}
		}),
	},
	{
		name:   "raw colons are not understood, and no place is known",
		target: func(t *conformance.Target) { t.Near = "" },
		respond: on("search", func(x *exchange) {
			if strings.Contains(x.req.URL.RawQuery, "::") {
				x.answer(400, "text/plain", "bad query")
			}
		}),
	},
	{
		name:    "a language lacks a posting, and the others are the same",
		request: func(_ *exchange, r *http.Request) { r.Header.Del("Accept-Language") },
		respond: on("search", func(x *exchange) {
			if x.req.Header.Get("Accept-Language") == "de" {
				x.edit(func(o map[string]any) { o["results"] = o["results"].([]any)[1:] })
			}
		}),
	},
	{
		name:    "the titles of a language are the same",
		request: func(_ *exchange, r *http.Request) { r.Header.Del("Accept-Language") },
		respond: on("search", func(x *exchange) {
			if x.req.Header.Get("Accept-Language") == "de" {
				x.postings(func(p map[string]any) { p["config"] = nil })
			}
		}),
	},
	{
		name:    "the configs of a language are the same",
		request: func(_ *exchange, r *http.Request) { r.Header.Del("Accept-Language") },
		respond: on("search", func(x *exchange) {
			if x.req.Header.Get("Accept-Language") == "de" {
				x.postings(func(p map[string]any) { p["title"] = "Stelle" })
			}
		}),
	},
	{
		name: "both parameters together fail",
		respond: on("search", func(x *exchange) {
			if len(x.req.URL.Query()) == 2 {
				x.answer(500, "text/plain", "")
			}
		}),
	},
	{
		name:    "an unknown channel counts no postings, and has one",
		respond: onChannel("conformance-", edits(func(o map[string]any) { o["results"] = []any{map[string]any{"jobPostingId": 1}} })),
	},
	{
		name:    "an unknown channel is told in words",
		respond: onChannel("conformance-", answers(200, "text/plain", "no such channel")),
	},
	{
		name:   "an unlocated posting without a circle around it",
		target: func(t *conformance.Target) { t.Near = "" },
	},

	// Connections.
	{
		name:    "nobody answers",
		respond: func(x *exchange) { x.err = errors.New("reset") },
	},
	{
		name:    "bodies are cut off",
		respond: func(x *exchange) { x.cut = true },
	},
	{
		name: "nobody answers but to the first questions",
		respond: func(x *exchange) {
			first := isClientToken(x) && x.req.URL.RawQuery == "" && x.req.Header.Get("Accept-Language") == "" &&
				strings.Contains(x.req.URL.Path, "/"+x.srv.Demo.Channel+"/")
			switch x.op {
			case "applied", "application":
				first = isApplicant(x) && x.job == x.srv.Demo.AppliedJob
			case "lookup":
				first = x.job == x.srv.Demo.OpenJob
			case "subscribe":
				first = x.n > 0
			case "confirm", "stop":
				first = false
			}
			if !first {
				x.err = errors.New("reset")
			}
		},
	},
	{
		name: "nobody answers about what was withdrawn",
		respond: func(x *exchange) {
			if x.job != x.srv.Demo.WithdrawnJob && withdrawn(x) {
				x.err = errors.New("reset")
			}
		},
	},
	{
		name:    "nobody withdrew",
		respond: onJob("application", withdrawnJob, func(x *exchange) { x.err = errors.New("reset") }),
	},

	// Applications.
	{
		name:    "a code where a message belongs",
		respond: onJob("applied", unpublished, func(x *exchange) { x.answer(404, "text/plain", "get_posting_error") }),
	},
	{
		name:    "no code at all",
		respond: onJob("applied", unknownJob, func(x *exchange) { x.answer(404, "text/plain", "no such job") }),
	},
	{
		name:    "the applied job is unknown",
		respond: onJob("applied", appliedJob, func(x *exchange) { x.answer(404, "text/plain", "no such job") }),
	},
	{
		name:    "no identifier",
		respond: onJob("application", appliedJob, func(x *exchange) { x.answer(200, "text/plain", " \n") }),
	},
	{
		name:    "an identifier of another status",
		respond: onJob("application", appliedJob, func(x *exchange) { x.status = 202 }),
	},
	{
		name:    "a job of another company is not available",
		respond: onJob("application", otherCompany, answers(404, "application/json", `{"code":"get_project_error","message":"not available"}`)),
	},
	{
		name:    "a job of another company is told by another code",
		respond: onJob("application", otherCompany, answers(404, "application/json", `{"code":"get_job_error","message":"not accessible"}`)),
	},
	{
		name:    "an identifier is a page",
		respond: onJob("application", appliedJob, says("<html></html>")),
	},
	{
		name:    "an identifier has a control character",
		respond: onJob("application", appliedJob, says("a\x00b")),
	},
	{
		name:    "an identifier is a number",
		respond: onJob("application", withdrawnJob, says(" 4711 ")),
	},
	{
		name:    "an identifier is null",
		respond: onJob("application", appliedJob, says("null")),
	},
	{
		name:   "an identifier that the target does not tell",
		target: func(t *conformance.Target) { t.ApplicationID = "" },
	},
	{
		name: "the identifier is gone the next time",
		respond: onJob("application", appliedJob, func(x *exchange) {
			if x.status == 200 && x.n == 4 { // the second time that application/stable asks
				x.answer(404, "text/plain", "gone")
			}
		}),
	},
	{
		name:    "a withdrawn application has no identifier",
		respond: onJob("application", withdrawnJob, says("")),
	},
	{
		name: "an application to the spare job has no identifier",
		respond: on("application", func(x *exchange) {
			if x.job != x.srv.Demo.AppliedJob && x.job != x.srv.Demo.WithdrawnJob && x.status == 200 {
				x.body = []byte("{}")
			}
		}),
	},
	{
		name: "the spare application is gone once withdrawn",
		respond: on("application", func(x *exchange) {
			if x.job != x.srv.Demo.WithdrawnJob && withdrawn(x) {
				x.answer(404, "text/plain", "gone")
			}
		}),
	},
	{
		name: "the spare application is a page once withdrawn",
		respond: on("application", func(x *exchange) {
			if x.job != x.srv.Demo.WithdrawnJob && withdrawn(x) {
				x.body = []byte("<html>")
			}
		}),
	},
	{
		name:    "a message is a number",
		respond: onJob("applied", inactiveJob, func(x *exchange) { x.body = []byte("7") }),
	},
	{
		name:    "a message is no text",
		respond: onJob("applied", unknownJob, answers(404, "application/json", `{"code":"get_project_error","message":7}`)),
	},
	{
		name:    "a message is empty",
		respond: onJob("applied", unknownJob, answers(404, "application/json", `{"code":"get_project_error","message":""}`)),
	},
	{
		name:    "a code is a number",
		respond: onJob("applied", unknownJob, answers(404, "application/json", `{"code":7,"message":"not available"}`)),
	},
	{
		name:   "only the open job is known",
		target: func(t *conformance.Target) { t.AppliedJob, t.WithdrawnJob = 0, 0 },
	},
	{
		name: "Apply fails and there is nothing",
		target: func(t *conformance.Target) {
			t.Apply = func(context.Context, int64) error { return errors.New("closed") }
		},
	},
	{
		name:   "Apply does nothing",
		target: func(t *conformance.Target) { t.Apply = func(context.Context, int64) error { return nil } },
	},
	{
		name: "the applied check forgets",
		respond: on("applied", func(x *exchange) {
			if x.job != x.srv.Demo.AppliedJob && x.status == http.StatusOK {
				x.body = []byte("false")
			}
		}),
	},
	{
		name:   "nothing to withdraw with",
		target: func(t *conformance.Target) { t.Withdraw = nil },
	},

	{
		name: "Withdraw fails",
		target: func(t *conformance.Target) {
			t.Withdraw = func(context.Context, int64) error { return errors.New("no such button") }
		},
	},

	// The lookup.
	{
		name: "a code in place of the information",
		respond: onJob("lookup", openJob, func(x *exchange) {
			x.answer(200, "application/json", `{"error":["ERROR_JOB_INACTIVE"]}`)
		}),
	},
	{
		name:    "another member holds the job",
		respond: onJob("lookup", openJob, edits(func(o map[string]any) { rename(o, "jobId", "id") })),
	},
	{
		name:    "an open job takes no applications",
		respond: onJob("lookup", openJob, edits(func(o map[string]any) { o["applyPossible"] = false })),
	},
	{
		name:    "whether a job takes applications is left open",
		respond: onInformation(func(o map[string]any) { o["applyPossible"] = "" }),
	},
	{
		name: "members of a job are null",
		respond: onJob("lookup", openJob, edits(func(o map[string]any) {
			for k := range o {
				o[k] = nil
			}
		})),
	},
	{
		name: "members of a job are of other types",
		respond: onJob("lookup", openJob, edits(func(o map[string]any) {
			o["jobLanguage"], o["companyId"], o["location"], o["questions"], o["timestamp"] = 1, 2, "here", "none", 5
		})),
	},
	{
		name:    "a job has no timestamp",
		respond: onInformation(func(o map[string]any) { delete(o, "timestamp") }),
	},
	{
		name: "a code in the text of a job",
		respond: onJob("lookup", openJob, func(x *exchange) {
			x.edit(func(o map[string]any) { o["jobTitle"] = "Curator of ERROR_JOB_INACTIVE" })
		}),
	},
	{
		name:    "no questions",
		respond: onInformation(func(o map[string]any) { o["questions"] = []any{} }),
	},
	{
		name: "a single answer",
		respond: on("lookup", func(x *exchange) {
			x.questions(func(q map[string]any) { q["answers"] = []any{map[string]any{"id": "1", "label": "Yes"}} })
		}),
	},
	{
		name:    "no answers",
		respond: on("lookup", func(x *exchange) { x.questions(func(q map[string]any) { q["answers"] = []any{} }) }),
	},
	{
		name: "answers that are no objects",
		respond: on("lookup", func(x *exchange) {
			x.questions(func(q map[string]any) {
				if q["type"] == "YESNO" {
					q["answers"] = []any{1}
				}
			})
		}),
	},
	{
		name: "a catalog of words",
		respond: on("lookup", func(x *exchange) {
			x.questions(func(q map[string]any) {
				q["type"], q["answers"] = "CATALOG", []any{map[string]any{"id": "red", "label": "Red"}}
			})
		}),
	},
	{
		name:    "no preferred location",
		respond: on("lookup", func(x *exchange) { x.questions(func(q map[string]any) { q["id"] = "0" }) }),
	},
	{
		name:    "no nationalities",
		respond: onInformation(func(o map[string]any) { o["nationalities"] = []any{} }),
	},
	{
		name: "a catalog of no language",
		respond: on("lookup", func(x *exchange) {
			x.edit(func(o map[string]any) {
				o["nationalities"] = []any{map[string]any{"id": "2800137", "label": "German"}}
				o["jobLanguage"] = map[bool]string{true: "", false: "de"}[x.job == openJob(x.srv.Demo)]
			})
		}),
	},
	{
		name:    "no locations",
		respond: onInformation(func(o map[string]any) { delete(o, "location"); delete(o, "additionalLocations") }),
	},
	{
		name: "coordinates of all kinds",
		respond: onJob("lookup", openJob, edits(func(o map[string]any) {
			var places []any
			for _, at := range []string{"90.1", "-90.1", "1e1", "1.2.3", "+1.5", "NaN", ""} {
				places = append(places, map[string]any{"geoLat": at})
			}
			places[0].(map[string]any)["geoLong"] = "-180.1"
			o["location"], o["additionalLocations"] = map[string]any{"geoLong": "x"}, places
		})),
	},
	{
		name: "a place of empty texts",
		respond: on("lookup", edits(func(o map[string]any) {
			o["additionalLocations"] = []any{map[string]any{"geoCity": "", "geoZip": nil}, map[string]any{"geoZip": "", "geoCity": "Bonn"}}
		})),
	},
	{
		name: "places at the ends of the earth",
		respond: onInformation(func(o map[string]any) {
			at := o["location"].(map[string]any)
			at["geoLat"], at["geoLong"] = "-90", "180.0"
		}),
	},
	{
		name: "a place without coordinates",
		respond: onInformation(func(o map[string]any) {
			at := o["location"].(map[string]any)
			at["geoLat"], at["geoLong"] = "", ""
		}),
	},
	{
		name: "two codes",
		respond: onJob("lookup", inactiveJob, func(x *exchange) {
			x.answer(404, "application/json", `[{"code":"ERROR_JOB_UNAVAILABLE"},"ERROR_JOB_INACTIVE or ERROR_JOB_UNAVAILABLE"]`)
		}),
	},

	// Subscriptions, and answers of all kinds.
	{
		name: "a code twice",
		respond: onJob("lookup", inactiveJob, func(x *exchange) {
			x.answer(404, "application/json", `{"code":"ERROR_JOB_INACTIVE","errors":["ERROR_JOB_INACTIVE"]}`)
		}),
	},
	{
		name: "two codes in a text",
		respond: onJob("lookup", inactiveJob, func(x *exchange) {
			x.answer(404, "text/plain", "ERROR_JOB_UNAVAILABLE, ERROR_JOB_INACTIVE, MY_ERROR_JOB and ERROR_JOB_INACTIVE")
		}),
	},
	{
		name:    "a job is answered with another status",
		respond: onJob("lookup", openJob, func(x *exchange) { x.status = 203 }),
	},
	{
		name:   "only the closed job is known",
		target: func(t *conformance.Target) { t.OpenJob, t.AppliedJob, t.WithdrawnJob = 0, 0, 0 },
	},

	{
		name:    "no identifier of a subscription",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "application/json", `{"rss":7}`) }),
	},
	{
		name:    "an empty identifier",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "application/json", `{"rss":""}`) }),
	},
	{
		name:   "no credential to subscribe with",
		target: func(t *conformance.Target) { t.ClientID, t.ClientToken, t.ApplicantToken = "", "", "" },
	},
	{
		name:    "an empty list for it",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "application/json", `{"rss":[]}`) }),
	},
	{
		name: "client tokens are refused",
		respond: func(x *exchange) {
			if isClientToken(x) {
				x.answer(401, "text/plain", "no")
			}
		},
	},
	{
		name:    "a list of numbers for it",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "application/json", `{"rss":[7]}`) }),
	},
	{
		name: "an answer of its own",
		target: func(t *conformance.Target) {
			t.Subscription.ID = func(answer []byte) (string, error) { return "x", fmt.Errorf("%.5s", answer) }
		},
	},
	{
		name:    "subscribing is under way",
		respond: on("subscribe", func(x *exchange) { x.status = 300 }),
	},
	{
		name:    "stopping is under way",
		respond: on("stop", func(x *exchange) { x.status = 300 }),
	},
	{
		name:   "nothing to subscribe with",
		target: func(t *conformance.Target) { t.Subscription = conformance.Subscription{} },
	},
	{
		name:    "an answer that is no JSON",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "text/plain", "thanks") }),
	},
	{
		name:    "whatever it answers is a subscription",
		respond: on("subscribe", func(x *exchange) { x.answer(204, "text/plain", "") }),
	},
	{
		name:    "two values",
		respond: on("search", func(x *exchange) { x.body = append(x.body, "{}"...) }),
	},
	{
		name:    "a message longer than is told",
		respond: on("search", func(x *exchange) { x.answer(418, "", strings.Repeat("x", 121)) }),
	},
	{
		name:    "a long message that is no text",
		respond: on("search", func(x *exchange) { x.answer(418, "", strings.Repeat("\x80", 130)) }),
	},
	{
		name:    "a message that ends in dots",
		respond: on("search", func(x *exchange) { x.answer(418, "text/plain", "wait...") }),
	},
	{
		name:    "a long message",
		respond: on("search", func(x *exchange) { x.answer(418, "text/plain", strings.Repeat("ä", 59)+"x–more") }),
	},
	{
		name:    "a message of the most that is told",
		respond: on("search", func(x *exchange) { x.answer(418, "text/plain", strings.Repeat("x", 120)) }),
	},
	{
		name:   "a path that is none",
		target: func(t *conformance.Target) { t.Subscription.Path = "/jobabo\x7f" },
	},
}

// once changes the first answer to each query, and no other.
func once(seen map[string]bool, f func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if query := x.req.URL.RawQuery; !seen[query] {
			seen[query] = true
			f(x)
		}
	}
}

// inTurn gives a member one value after the other.
func inTurn(member string, values ...any) func(map[string]any) {
	n := 0
	return func(o map[string]any) {
		o[member] = values[n%len(values)]
		n++
	}
}

// onChannel changes the answers to searches of the channels that begin so.
func onChannel(begin string, f func(*exchange)) func(*exchange) {
	return on("search", func(x *exchange) {
		if strings.Contains(x.req.URL.Path, "/"+begin) {
			f(x)
		}
	})
}

// withdrawn reports whether an application that is answered with was withdrawn.
func withdrawn(x *exchange) bool {
	return x.status == http.StatusOK && slices.ContainsFunc(x.srv.Snapshot().Applications, func(a jobboardtest.Application) bool {
		return a.JobID == x.job && a.Withdrawn
	})
}

func onPage(f func(page map[string]any)) func(*exchange) {
	return on("search", func(x *exchange) { x.edit(f) })
}

func onPosting(f func(posting map[string]any)) func(*exchange) {
	return on("search", func(x *exchange) { x.postings(f) })
}

func onInformation(f func(information map[string]any)) func(*exchange) {
	return on("lookup", func(x *exchange) { x.edit(f) })
}
