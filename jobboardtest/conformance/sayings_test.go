package conformance_test

import (
	"context"
	"errors"
	"net/http"
	"strings"

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
		name:    "identifiers that cannot be compared",
		respond: onPosting(func(o map[string]any) { o["jobPostingId"] = "one" }),
	},
	{
		name:    "a link is a number",
		respond: onPosting(func(o map[string]any) { o["applyOnlineLink"] = 7 }),
	},
	{
		name:    "a link has no scheme",
		respond: onPosting(func(o map[string]any) { o["applyOnlineLink"] = "//jobs.example/apply" }),
	},
	{
		name:    "an empty link",
		respond: onPosting(func(o map[string]any) { o["applyOnlineLink"] = "" }),
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
		name:    "a listing date in words",
		respond: onPosting(func(o map[string]any) { o["config"] = map[string]any{"listingStartDate": []any{"Monday"}} }),
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
		name:    "no date and the epoch",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"], o["postingVersionEndDate"] = nil, 0 }),
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
		name: "an additional location on another page",
		respond: on("search", func(x *exchange) {
			x.edit(func(o map[string]any) { o["results"], o["totalNumberOfJobs"] = []any{}, 1000 })
		}),
	},
	{
		name: "an unlocated posting on another page",
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

	// The lookup.
	{
		name: "a code in place of the information",
		respond: onJob("lookup", openJob, func(x *exchange) {
			x.answer(200, "application/json", `{"error":["ERROR_JOB_INACTIVE"]}`)
		}),
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
		respond: on("lookup", func(x *exchange) { x.questions(func(q map[string]any) { q["id"] = "1" }) }),
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
		name:    "a latitude beyond the pole",
		respond: onInformation(func(o map[string]any) { o["location"].(map[string]any)["geoLat"] = "90.1" }),
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

func onPage(f func(page map[string]any)) func(*exchange) {
	return on("search", func(x *exchange) { x.edit(f) })
}

func onPosting(f func(posting map[string]any)) func(*exchange) {
	return on("search", func(x *exchange) { x.postings(f) })
}

func onInformation(f func(information map[string]any)) func(*exchange) {
	return on("lookup", func(x *exchange) { x.edit(f) })
}
