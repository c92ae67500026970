package conformance_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// sayings are what one rule says of an answer, as a problem or as the reason why
// it is not judged; "" is neither. What other rules make of it is not their business.
var sayings = []struct {
	name    string
	rule    string
	says    string
	target  func(*conformance.Target)
	respond func(*exchange)
}{
	// The counters of a page.
	{
		name: "fewer hits than postings", rule: "search/page-counts", says: "totalNumberOfJobs is 1, and ",
		respond: onPage(func(o map[string]any) { o["totalNumberOfJobs"] = 1 }),
	},
	{
		name: "smaller pages than postings", rule: "search/page-counts", says: "itemsPerPage is 1, and ",
		respond: onPage(func(o map[string]any) { o["itemsPerPage"] = 1 }),
	},
	{
		name: "hits that no page has", rule: "search/page-counts", says: "of 1000 postings are in results, and numPages is 1",
		respond: onPage(func(o map[string]any) { o["totalNumberOfJobs"], o["itemsPerPage"] = 1000, 1000 }),
	},
	{
		name: "a negative counter", rule: "search/page-counts", says: "offset is -1, below 0",
		respond: onPage(func(o map[string]any) { o["offset"] = -1 }),
	},
	{
		name: "no hits on one page", rule: "search/page-counts",
		respond: onPage(func(o map[string]any) {
			o["results"], o["totalNumberOfJobs"], o["numPages"] = []any{}, 0, 1
			o["firstPostingOnPage"], o["lastPostingOnPage"], o["itemsPerPage"] = 0, 0, 1
		}),
	},
	{
		name: "no hits on two pages", rule: "search/page-counts", says: "numPages is 2, with 0 postings and 10 on a page",
		respond: onPage(func(o map[string]any) {
			o["results"], o["totalNumberOfJobs"], o["numPages"], o["itemsPerPage"] = []any{}, 0, 2, 10
		}),
	},

	{
		name: "a board that loses postings while it is asked", rule: "search/empty-parameters",
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
		name: "no postings", rule: "search/posting-fields", says: "has no postings",
		respond: onPage(func(o map[string]any) { o["results"] = []any{} }),
	},
	{
		name: "results are no array", rule: "search/page-fields", says: `results is "none", not an array`,
		respond: onPage(func(o map[string]any) { o["results"] = "none" }),
	},
	{
		name: "a result is no object", rule: "search/page-fields", says: "results holds 1, which is not an object",
		respond: onPage(func(o map[string]any) { o["results"] = []any{1} }),
	},
	{
		name: "an identifier is a word", rule: "search/posting-fields", says: `jobPostingId is "one", not an integer`,
		respond: onPosting(func(o map[string]any) { o["jobPostingId"] = "one" }),
	},
	{
		name: "identifiers that cannot be compared", rule: "search/posting-ids", says: "search/posting-fields does not hold",
		respond: onPosting(func(o map[string]any) { o["jobPostingId"] = "one" }),
	},
	{
		name: "a link is a number", rule: "search/posting-fields", says: "applyOnlineLink is 7, not a string",
		respond: onPosting(func(o map[string]any) { o["applyOnlineLink"] = 7 }),
	},
	{
		name: "a link has no scheme", rule: "search/posting-fields", says: "not a whole URL",
		respond: onPosting(func(o map[string]any) { o["applyOnlineLink"] = "//jobs.example/apply" }),
	},
	{
		name: "an empty link", rule: "search/posting-fields",
		respond: onPosting(func(o map[string]any) { o["applyOnlineLink"] = "" }),
	},
	{
		name: "the config is a list", rule: "search/config", says: "config is [], not an object",
		respond: onPosting(func(o map[string]any) { o["config"] = []any{} }),
	},
	{
		name: "no config", rule: "search/config",
		respond: onPosting(func(o map[string]any) { o["config"] = nil }),
	},
	{
		name: "a listing date in words", rule: "search/config", says: `listingStartDate holds "Monday"`,
		respond: onPosting(func(o map[string]any) { o["config"] = map[string]any{"listingStartDate": []any{"Monday"}} }),
	},
	{
		name: "the first likely date", rule: "search/timestamps",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(100_000_000_000) }),
	},
	{
		name: "the last unlikely date", rule: "search/timestamps", says: "jobStartDate is 99999999999, which is no likely",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(99_999_999_999) }),
	},
	{
		name: "the last likely date", rule: "search/timestamps",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(100_000_000_000_000) }),
	},
	{
		name: "a date beyond that", rule: "search/timestamps", says: "jobStartDate is -100000000000001, which is no likely",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"] = int64(-100_000_000_000_001) }),
	},
	{
		name: "no date and the epoch", rule: "search/timestamps",
		respond: onPosting(func(o map[string]any) { o["jobStartDate"], o["postingVersionEndDate"] = nil, 0 }),
	},

	// What a search finds.
	{
		name: "a text that is nowhere", rule: "search/text", says: `nothing is found for "zeppelin"`,
		target: func(t *conformance.Target) { t.SearchText = "zeppelin" },
	},
	{
		name: "a place where nothing is", rule: "search/radius", says: "nothing is found at 0::0::1",
		target: func(t *conformance.Target) { t.Near = "0::0::1" },
	},
	{
		name: "a place where all are", rule: "search/radius", says: "where not all of them are",
		respond: on("search", func(x *exchange) {
			if strings.HasPrefix(x.req.URL.Query().Get("geoLocation"), "52.520014::13.373006::50") {
				x.edit(func(o map[string]any) { o["totalNumberOfJobs"] = 1000 })
			}
		}),
	},
	{
		name: "another number each time", rule: "search/empty-parameters", says: `with "search=" there are `,
		respond: on("search", func(x *exchange) {
			x.edit(func(o map[string]any) { o["totalNumberOfJobs"] = x.n + 100 })
		}),
	},
	{
		name: "an additional location on another page", rule: "search/additional-locations", says: "is not on the first page",
		respond: on("search", func(x *exchange) {
			x.edit(func(o map[string]any) { o["results"], o["totalNumberOfJobs"] = []any{}, 1000 })
		}),
	},
	{
		name: "an unlocated posting on another page", rule: "search/unlocated", says: "is not on the first page",
		respond: on("search", func(x *exchange) {
			x.edit(func(o map[string]any) { o["results"], o["totalNumberOfJobs"] = []any{}, 1000 })
		}),
	},
	{
		name: "an unlocated posting of another channel", rule: "search/unlocated", says: "UnlocatedPosting 1 is not in the channel",
		target: func(t *conformance.Target) { t.UnlocatedPosting = 1 },
	},
	{
		name: "no posting in both languages", rule: "search/language", says: "no posting came in both languages",
		respond: on("search", func(x *exchange) {
			if x.req.Header.Get("Accept-Language") == "de" {
				x.edit(func(o map[string]any) { o["results"] = []any{} })
			}
		}),
	},

	// Applications.
	{
		name: "a code where a message belongs", rule: "applied/unpublished", says: `the 404 has the code "get_posting_error"`,
		respond: onJob("applied", unpublished, func(x *exchange) { x.answer(404, "text/plain", "get_posting_error") }),
	},
	{
		name: "no code at all", rule: "applied/unknown", says: "the body is no JSON object with code and message",
		respond: onJob("applied", unknownJob, func(x *exchange) { x.answer(404, "text/plain", "no such job") }),
	},
	{
		name: "the applied job is unknown", rule: "applied/true", says: "it is answered with status 404",
		respond: onJob("applied", appliedJob, func(x *exchange) { x.answer(404, "text/plain", "no such job") }),
	},
	{
		name: "no identifier", rule: "application/plain-string", says: "it is empty",
		respond: onJob("application", appliedJob, func(x *exchange) { x.answer(200, "text/plain", " \n") }),
	},
	{
		name: "an identifier of another status", rule: "application/identifier", says: "for the target's AppliedJob it is answered with status 202",
		respond: onJob("application", appliedJob, func(x *exchange) { x.status = 202 }),
	},
	{
		name: "the same of its form", rule: "application/plain-string", says: "application/identifier does not hold",
		respond: onJob("application", appliedJob, func(x *exchange) { x.status = 202 }),
	},
	{
		name: "Apply fails and there is nothing", rule: "application/one", says: "Apply failed (closed), and there is no application",
		target: func(t *conformance.Target) {
			t.Apply = func(context.Context, int64) error { return errors.New("closed") }
		},
	},
	{
		name: "Apply does nothing", rule: "application/one", says: "after Apply the application lookup is answered with status 404",
		target: func(t *conformance.Target) { t.Apply = func(context.Context, int64) error { return nil } },
	},
	{
		name: "the applied check forgets", rule: "application/one", says: "after applying again, eight at once, the applied check says false",
		respond: on("applied", func(x *exchange) {
			if x.job != x.srv.Demo.AppliedJob && x.status == http.StatusOK {
				x.body = []byte("false")
			}
		}),
	},
	{
		name: "nothing to withdraw with", rule: "application/one",
		target: func(t *conformance.Target) { t.Withdraw = nil },
	},

	// The lookup.
	{
		name: "a code in place of the information", rule: "lookup/answers", says: "for the target's OpenJob: it is answered with ERROR_JOB_INACTIVE",
		respond: onJob("lookup", openJob, func(x *exchange) {
			x.answer(200, "application/json", `{"error":["ERROR_JOB_INACTIVE"]}`)
		}),
	},
	{
		name: "a code in the text of a job", rule: "lookup/answers",
		respond: onJob("lookup", openJob, func(x *exchange) {
			x.edit(func(o map[string]any) { o["jobTitle"] = "Curator of ERROR_JOB_INACTIVE" })
		}),
	},
	{
		name: "no questions", rule: "lookup/questions", says: "no job of the target has questions",
		respond: onInformation(func(o map[string]any) { o["questions"] = []any{} }),
	},
	{
		name: "a single answer", rule: "lookup/answers-of-questions",
		respond: on("lookup", func(x *exchange) {
			x.questions(func(q map[string]any) { q["answers"] = []any{map[string]any{"id": "1", "label": "Yes"}} })
		}),
	},
	{
		name: "no answers", rule: "lookup/answers-of-questions", says: "no question of the target's jobs has answers",
		respond: on("lookup", func(x *exchange) { x.questions(func(q map[string]any) { q["answers"] = []any{} }) }),
	},
	{
		name: "answers that are no objects", rule: "lookup/questions", says: "the member answers holds 1, which is not an object",
		respond: on("lookup", func(x *exchange) {
			x.questions(func(q map[string]any) {
				if q["type"] == "YESNO" {
					q["answers"] = []any{1}
				}
			})
		}),
	},
	{
		name: "a catalog of words", rule: "lookup/answers-of-questions", says: `the id "red" of an answer of the question`,
		respond: on("lookup", func(x *exchange) {
			x.questions(func(q map[string]any) {
				q["type"], q["answers"] = "CATALOG", []any{map[string]any{"id": "red", "label": "Red"}}
			})
		}),
	},
	{
		name: "no preferred location", rule: "lookup/preferred-location", says: "no job of the target asks",
		respond: on("lookup", func(x *exchange) { x.questions(func(q map[string]any) { q["id"] = "1" }) }),
	},
	{
		name: "no nationalities", rule: "lookup/nationalities", says: "no job of the target has a nationality catalog",
		respond: onInformation(func(o map[string]any) { o["nationalities"] = []any{} }),
	},
	{
		name: "a catalog of no language", rule: "lookup/nationalities",
		respond: on("lookup", func(x *exchange) {
			x.edit(func(o map[string]any) {
				o["nationalities"] = []any{map[string]any{"id": "2800137", "label": "German"}}
				o["jobLanguage"] = map[bool]string{true: "", false: "de"}[x.job == openJob(x.srv.Demo)]
			})
		}),
	},
	{
		name: "no locations", rule: "lookup/locations", says: "no job of the target has a location",
		respond: onInformation(func(o map[string]any) { delete(o, "location"); delete(o, "additionalLocations") }),
	},
	{
		name: "a latitude beyond the pole", rule: "lookup/locations", says: `geoLat is "90.1", not a decimal number between -90 and 90`,
		respond: onInformation(func(o map[string]any) { o["location"].(map[string]any)["geoLat"] = "90.1" }),
	},
	{
		name: "places at the ends of the earth", rule: "lookup/locations",
		respond: onInformation(func(o map[string]any) {
			at := o["location"].(map[string]any)
			at["geoLat"], at["geoLong"] = "-90", "180.0"
		}),
	},
	{
		name: "a place without coordinates", rule: "lookup/locations",
		respond: onInformation(func(o map[string]any) {
			at := o["location"].(map[string]any)
			at["geoLat"], at["geoLong"] = "", ""
		}),
	},
	{
		name: "two codes", rule: "lookup/inactive", says: "more than one code: ERROR_JOB_INACTIVE, ERROR_JOB_UNAVAILABLE",
		respond: onJob("lookup", inactiveJob, func(x *exchange) {
			x.answer(404, "application/json", `[{"code":"ERROR_JOB_UNAVAILABLE"},"ERROR_JOB_INACTIVE or ERROR_JOB_UNAVAILABLE"]`)
		}),
	},

	// Subscriptions, and answers of all kinds.
	{
		name: "no identifier of a subscription", rule: "subscriptions/confirm", says: "the answer has no such member, or it is no text",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "application/json", `{"rss":7}`) }),
	},
	{
		name: "an empty identifier", rule: "subscriptions/confirm", says: "the aboId cannot be found in the answer",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "application/json", `{"rss":""}`) }),
	},
	{
		name: "no credential to subscribe with", rule: "subscriptions/subscribe",
		target: func(t *conformance.Target) { t.ClientID, t.ClientToken, t.ApplicantToken = "", "", "" },
	},
	{
		name: "an empty list for it", rule: "subscriptions/confirm", says: "the answer has no such member, or it is no text",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "application/json", `{"rss":[]}`) }),
	},
	{
		name: "an answer that is no JSON", rule: "subscriptions/stop", says: "the aboId cannot be found in the answer: ",
		respond: on("subscribe", func(x *exchange) { x.answer(200, "text/plain", "thanks") }),
	},
	{
		name: "whatever it answers is a subscription", rule: "subscriptions/subscribe",
		respond: on("subscribe", func(x *exchange) { x.answer(204, "text/plain", "") }),
	},
	{
		name: "two values", rule: "search/answers", says: "there is more after the JSON value",
		respond: on("search", func(x *exchange) { x.body = append(x.body, "{}"...) }),
	},
	{
		name: "a long message", rule: "search/answers",
		says:    `status 418, text/plain, "` + strings.Repeat("ä", 59) + `x"...`,
		respond: on("search", func(x *exchange) { x.answer(418, "text/plain", strings.Repeat("ä", 59)+"x–more") }),
	},
	{
		name: "a message of the most that is told", rule: "search/answers", says: `, "` + strings.Repeat("x", 120) + `"`,
		respond: on("search", func(x *exchange) { x.answer(418, "text/plain", strings.Repeat("x", 120)) }),
	},
	{
		name: "a path that is none", rule: "subscriptions/subscribe", says: "that is no part of a URL",
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

func TestWhatARuleSays(t *testing.T) {
	for _, c := range sayings {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv, target := fake(t)
			target.HTTPClient.Transport = &breaker{next: srv.Transport(), srv: srv, seen: map[string]int{}, respond: c.respond}
			if c.target != nil {
				c.target(&target)
			}
			results, err := conformance.Check(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(results, func(r conformance.Result) bool { return r.Name == c.rule })
			if i < 0 {
				t.Fatalf("there is no rule %s", c.rule)
			}
			r := results[i]
			said := strings.Join(r.Problems, "\n") + r.Skipped
			if c.says == "" && said != "" || !strings.Contains(said, c.says) {
				t.Errorf("it says %q, want %q", said, c.says)
			}
		})
	}
}
