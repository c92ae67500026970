package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

var breakages = []breakage{
	// Section 2.1: the counters of a page.
	respond("a counter is misspelt", onPage(rename("totalNumberOfJobs", "totalNumberofJobs"))),
	respond("counters are misspelt", onPage(
		rename("itemsPerPage", "itemPerPage"), rename("numPages", "numbPages"), rename("offset", "Offsat"),
		rename("actualPage", "acutalPage"), rename("firstPostingOnPage", "firstPostingOnLage2"),
		rename("lastPostingOnPage", "lastPostingOnP"), rename("results", "sults"),
		set("numbPagesX", 1), set("numqPages", 1), set("A", 1))),
	respond("a counter is a string", onPage(set("numPages", "1"))),
	respond("a counter is null", onPage(set("numPages", nil))),
	respond("a counter is missing", onPage(drop("actualPage"))),
	respond("a counter has a fraction", onPage(set("offset", 0.5))),
	respond("a negative counter", onPage(set("offset", -1))),
	respond("the pages begin at one", onPage(set("actualPage", 1))),
	respond("the pages of many begin at one", onPage(func(o object) {
		postings := o["results"].([]any)
		n := min(23, len(postings))
		o["results"], o["actualPage"] = postings[:n], 1
		o["lastPostingOnPage"], o["itemsPerPage"], o["numPages"] = n, 23, max(2, (len(postings)+22)/23)
	})),
	respond("what is filtered has the channel's total",
		on("search", when(asksTextAlone, edits(set("totalNumberOfJobs", 45))))),
	respond("what is filtered has the channel's counters", on("search", when(asksTextAlone, edits(
		set("totalNumberOfJobs", 45), set("itemsPerPage", 20), set("numPages", 3))))),
	respond("postings are hidden on the first page", on("search", edits(func(o object) {
		postings := o["results"].([]any)
		if len(postings) == 45 {
			o["results"], o["lastPostingOnPage"], o["itemsPerPage"], o["numPages"] = postings[:15], 15, 20, 3
		}
	}))),
	respond("the last posting is beyond the page", onPage(set("lastPostingOnPage", 500))),
	respond("the total counts one page too few", onPage(set("numPages", 0))),
	respond("fewer hits than postings", onPage(set("totalNumberOfJobs", 1))),
	respond("smaller pages than postings", onPage(set("itemsPerPage", 1))),
	respond("pages of no postings", onPage(set("itemsPerPage", 0))),
	respond("hits that no page has", onPage(set("totalNumberOfJobs", 1000), set("itemsPerPage", 1000))),
	respond("no hits on one page", onPage(set("results", []any{}), set("totalNumberOfJobs", 0), set("numPages", 1),
		set("firstPostingOnPage", 0), set("lastPostingOnPage", 0), set("itemsPerPage", 1))),
	respond("no hits on two pages", onPage(
		set("results", []any{}), set("totalNumberOfJobs", 0), set("numPages", 2), set("itemsPerPage", 10))),
	respond("two pages", onPage(func(o object) {
		postings := o["results"].([]any)
		n := min(23, len(postings))
		o["results"] = postings[:n]
		o["lastPostingOnPage"], o["itemsPerPage"], o["numPages"] = n, 23, (len(postings)+22)/23
	})),

	// Section 2.2: postings.
	respond("no postings", onPage(set("results", []any{}))),
	respond("results are no array", onPage(set("results", "none"))),
	respond("a result is no object", onPage(set("results", []any{1}))),
	respond("a posting's identifier is misspelt", onPosting(rename("jobPostingId", "jobPostingID"))),
	respond("an identifier is a word", onPosting(set("jobPostingId", "one"))),
	respond("an identifier is quoted", onPosting(set("jobPostingId", "600100"))),
	respond("a posting's title is missing", onPosting(drop("title"))),
	respond("a posting's title is null", onPosting(set("title", nil))),
	respond("dates are quoted", onPosting(set("jobStartDate", "1767225600000"))),
	respond("dates are ISO", onPosting(set("jobStartDate", "2026-01-31T08:30:00.000Z"))),
	respond("the end is null", onPosting(set("postingVersionEndDate", nil))),
	respond("a job's identifier is quoted", on("lookup", func(x *exchange) {
		edits(set("jobId", strconv.FormatInt(x.job, 10)))(x)
	})),
	respond("no further places are null", onInformation(set("additionalLocations", nil))),
	respond("answers of a text are null", onQuestion(typed("TEXT", set("answers", nil)))),
	respond("answers of a catalog are null", onQuestion(typed("CATALOG", set("answers", nil)))),
	respond("an application's identifier is a JSON string", on("application", when(isGood, format("%q")))),
	respond("a link is a path", onPosting(set("applyOnlineLink", "/apply/1"))),
	respond("a link is a number", onPosting(set("applyOnlineLink", 7))),
	anew("links of all kinds", func() func(*exchange) {
		return onPosting(inTurn("applyOnlineLink", "//jobs.example/apply", "http:apply", "http://[::1", "", "x://y", nil))
	}),
	respond("all postings are one", on("search", when(isFirst, edits(func(o object) {
		postings := o["results"].([]any)
		postings[1] = postings[0]
	})))),
	respond("dates are seconds", onPosting(func(o object) {
		o["jobStartDate"] = int64(o["jobStartDate"].(float64)) / 1000
	})),
	respond("dates are words", onPosting(set("postingVersionEndDate", "never"))),
	respond("the first likely date", onPosting(set("jobStartDate", int64(100_000_000_000)))),
	respond("the last unlikely date", onPosting(set("jobStartDate", int64(99_999_999_999)))),
	respond("the last likely date", onPosting(set("jobStartDate", int64(100_000_000_000_000)))),
	respond("a date beyond that", onPosting(set("jobStartDate", int64(-100_000_000_000_001)))),
	respond("dates of other kinds", onPosting(
		drop("postingVersionStartDate"), set("jobStartDate", nil), set("postingVersionEndDate", 0))),
	respond("a date before the epoch", onPosting(set("jobStartDate", int64(-100_000_000_000)))),

	// Section 2.3: the config of a posting.
	respond("a config value is no array", onPosting(in("config", set("audience", "PROFESSIONAL")))),
	respond("a config value holds numbers", onPosting(in("config", set("location", []any{1001})))),
	respond("the config is a list", onPosting(set("config", []any{}))),
	respond("no config", onPosting(set("config", nil))),
	respond("a config of all kinds", onPosting(set("config", object{
		"a": nil, "b": []any{}, "c": 7, "d": []any{"x", 8, nil}, "listingStartDate": []any{"-5", "Monday"},
	}))),

	// Section 4.1: what a search finds.
	respond("the search is at another version", on("search", answer(404, "text/html", "<html>Not Found</html>"))),
	respond("the search wants a login", on("search", answer(200, "text/html", "<html>Log in</html>"))),
	respond("the search answers with a list", on("search", answer(200, "application/json", "[]"))),
	respond("two values", on("search", func(x *exchange) { x.body = append(x.body, "{}"...) })),
	respond("empty parameters are errors",
		on("search", when(endsEmpty, answer(400, "text/plain", "search must not be empty")))),
	anew("a board that loses postings while it is asked", func() func(*exchange) {
		return on("search", once(when(endsEmpty, edits(set("totalNumberOfJobs", 1000)))))
	}),
	request("the search text is ignored", query(func(q url.Values) { q.Del("search") })),
	target("a text that is nowhere", func(t *conformance.Target) { t.SearchText = "zeppelin" }),
	request("the circle is ignored", query(func(q url.Values) { q.Del("geoLocation") })),
	request("the distance is ignored", query(func(q url.Values) {
		if parts := strings.Split(q.Get("geoLocation"), "::"); len(parts) == 3 {
			q.Set("geoLocation", parts[0]+"::"+parts[1]+"::10")
		}
	})),
	target("a place where nothing is", func(t *conformance.Target) { t.Near = "0::0::1" }),
	respond("a place where all are",
		on("search", when(asksAt("52.520014::13.373006::50"), edits(set("totalNumberOfJobs", 1000))))),
	respond("another number each time", on("search", func(x *exchange) { edits(set("totalNumberOfJobs", x.n+100))(x) })),
	respond("postings on another page", onPage(set("results", []any{}), set("totalNumberOfJobs", 1000))),
	request("the text is ignored when there is a circle", query(func(q url.Values) {
		if q.Has("geoLocation") {
			q.Del("search")
		}
	})),
	respond("searches by text alone fail", on("search", when(asksTextAlone, answer(500, "text/plain", "")))),
	respond("searches by place alone fail", on("search", when(asksPlaceAlone, answer(500, "text/plain", "")))),
	respond("both parameters together fail", on("search", when(asksBoth, answer(500, "text/plain", "")))),
	request("what has no place is everywhere", query(func(q url.Values) {
		if strings.HasPrefix(q.Get("geoLocation"), "0::0::") {
			q.Del("geoLocation")
		}
	})),
	target("an unlocated posting of another channel", func(t *conformance.Target) { t.UnlocatedPosting = 1 }),
	target("an unlocated posting without a circle around it", func(t *conformance.Target) { t.Near = "" }),
	respond("additional locations are not considered",
		on("search", when(asksAt("51.312711"), edits(set("results", []any{}), set("totalNumberOfJobs", 0))))),
	respond("raw colons are not understood", on("search", when(hasRawColons, answer(400, "text/plain", "bad query")))),
	{
		name:    "raw colons are not understood, and no place is known",
		target:  func(t *conformance.Target) { t.Near = "" },
		respond: on("search", when(hasRawColons, answer(400, "text/plain", "bad query"))),
	},
	request("the language is ignored", withoutLanguage),
	respond("no posting in both languages", on("search", when(inGerman, edits(set("results", []any{}))))),
	{
		name: "a language lacks a posting, and the others are the same", request: withoutLanguage,
		respond: on("search", when(inGerman, edits(func(o object) { o["results"] = o["results"].([]any)[1:] }))),
	},
	{
		name: "the titles of a language are the same", request: withoutLanguage,
		respond: on("search", when(inGerman, onPosting(set("config", nil)))),
	},
	{
		name: "the configs of a language are the same", request: withoutLanguage,
		respond: on("search", when(inGerman, onPosting(set("title", "Stelle")))),
	},
	request("the channel is ignored", inOwnChannel(isAny)),
	request("an unknown channel is that of somebody else", inOwnChannel(isUnknownChannel)),
	respond("an unknown channel counts no postings, and has one",
		when(isUnknownChannel, edits(set("results", []any{object{"jobPostingId": 1}})))),
	respond("an unknown channel is told in words", when(isUnknownChannel, answer(200, "text/plain", "no such channel"))),
	respond("an error while processing is a 200",
		on("search", when(hasStatus(500), answer(200, "application/json", `{"error":"something went wrong"}`)))),
	respond("a message that ends in dots", on("search", answer(418, "text/plain", "wait..."))),
	respond("a message of the most that is told", on("search", answer(418, "text/plain", strings.Repeat("x", 120)))),
	respond("a message longer than is told", on("search", answer(418, "", strings.Repeat("x", 121)))),
	respond("a long message", on("search", answer(418, "text/plain", strings.Repeat("ä", 59)+"x–more"))),
	respond("a long message that is no text", on("search", answer(418, "", strings.Repeat("\x80", 130)))),

	// Section 5: credentials.
	respond("a client token is refused", on("search", when(isClientToken, answer401))),
	respond("client tokens are refused", when(isClientToken, answer(401, "text/plain", "no"))),
	respond("a user token is refused", on("search", when(isApplicant, answer401))),
	respond("Basic is refused", on("search", when(isBasic, answer401))),
	request("the search needs no credential", pretend("search", noCredential, asClient)),
	request("credentials of the search are ignored", pretend("search", isAny, asClient)),
	request("any Basic credential will do", pretend("search", isBasic, asClient)),
	request("expired tokens are good for the search", pretend("search", isExpired, asClient)),
	request("made-up tokens are good for the search", pretend("search", isMadeUp, asClient)),
	request("made-up clients are good for the search", pretend("search", isMadeUpClient, asClient)),
	request("a token is taken as a client identifier", pretend("search", isTokenAsClient, asClient)),
	request("a client token is taken for the applied check", pretend("applied", isClientToken, asApplicant)),
	request("a client token is taken for the application", pretend("application", isClientToken, asApplicant)),
	request("Basic is taken for the applied check", pretend("applied", isBasic, asApplicant)),
	request("Basic is taken for the application", pretend("application", isBasic, asApplicant)),
	request("the applied check needs no credential", pretend("applied", noCredential, asApplicant)),
	request("the application needs no credential", pretend("application", noCredential, asApplicant)),
	request("expired tokens are good for the applied check", pretend("applied", isExpired, asApplicant)),
	request("expired tokens are good for the application", pretend("application", isExpired, asApplicant)),
	request("made-up tokens are good for the applied check", pretend("applied", isMadeUp, asApplicant)),
	request("made-up tokens are good for the application", pretend("application", isMadeUp, asApplicant)),
	respond("a missing credential is a 404", on("applied", when(noCredential, answer(404, "text/plain", "not found")))),
	respond("user tokens are refused for the applied check", on("applied", answer401)),
	respond("the application lookup is at another path",
		on("application", answer(404, "text/html", "<html>Not Found</html>"))),
	request("whose token it is does not matter", pretend("", isInternal, asApplicant)),
	request("the applied check looks at nobody's token",
		pretend("applied", func(x *exchange) bool { return isInternal(x) && x.job == x.srv.Demo.AppliedJob }, asApplicant)),
	request("the application lookup looks at nobody's token", pretend("application", isInternal, asApplicant)),

	// Sections 4.2 and 8: the applied check.
	respond("an application is forgotten", onJob("applied", "AppliedJob", says("false"))),
	respond("an application is made up", onJob("applied", "OpenJob", says("true"))),
	respond("the boolean is a string", on("applied", format(`"%s"`))),
	respond("the boolean is in an object", on("applied", format(`{"applied":%s}`))),
	respond("nobody has applied", on("applied", says("false"))),
	respond("everybody has applied", on("applied", says("true"))),
	respond("a withdrawn application does not count", onJob("applied", "WithdrawnJob", says("false"))),
	respond("the applied job is unknown", onJob("applied", "AppliedJob", answer(404, "text/plain", "no such job"))),
	target("only the open job is known", func(t *conformance.Target) { t.AppliedJob, t.WithdrawnJob = 0, 0 }),

	// Sections 4.3 and 8: the application lookup.
	respond("a withdrawn application is gone", onJob("application", "WithdrawnJob",
		when(isGood, answer(404, "application/json", `{"code":"get_application_error","message":"No application"}`)))),
	respond("a withdrawn application has no identifier", onJob("application", "WithdrawnJob", says(""))),
	respond("the identifier is in an object", on("application", format(`{"applicationId":"%s"}`))),
	respond("the identifier is a sentence", on("application", format("The application is %s"))),
	respond("the identifier is another each time",
		on("application", func(x *exchange) { says(fmt.Sprint("application-", x.n))(x) })),
	respond("the identifier is that of another application", onJob("application", "AppliedJob", format("x%s"))),
	respond("the identifier changes one day", onJob("application", "AppliedJob", when(isStableAgain, format("x%s")))),
	respond("the identifier is gone the next time",
		onJob("application", "AppliedJob", when(isStableAgain, answer(404, "text/plain", "gone")))),
	respond("two applications have one identifier",
		onJob("application", "WithdrawnJob", func(x *exchange) { says(x.srv.Demo.ApplicationID)(x) })),
	respond("the identifier is the applicant's", on("application", says("applicant-7"))),
	respond("no application is an empty answer", onJob("application", "OpenJob", answer(200, "text/plain", ""))),
	respond("no identifier", onJob("application", "AppliedJob", answer(200, "text/plain", " \n"))),
	respond("an identifier of another status", onJob("application", "AppliedJob", status(202))),
	respond("an identifier is a page", onJob("application", "AppliedJob", says("<html></html>"))),
	respond("an identifier has a control character", onJob("application", "AppliedJob", says("a\x00b"))),
	respond("an identifier is a number", onJob("application", "WithdrawnJob", says(" 4711 "))),
	respond("an identifier is null", onJob("application", "AppliedJob", says("null"))),
	target("an identifier that the target does not tell", func(t *conformance.Target) { t.ApplicationID = "" }),

	// Section 8: one application per job.
	respond("withdrawing makes room for another application",
		on("application", when(isSpareWithdrawn, says("0123456789abcdef")))),
	respond("an application to the spare job has no identifier", on("application", when(isSpare, says("{}")))),
	respond("the spare application is gone once withdrawn",
		on("application", when(isSpareWithdrawn, answer(404, "text/plain", "gone")))),
	respond("the spare application is a page once withdrawn", on("application", when(isSpareWithdrawn, says("<html>")))),
	respond("the applied check forgets", on("applied", when(isNotAppliedJob, says("false")))),
	target("Apply fails and there is nothing", func(t *conformance.Target) {
		t.Apply = func(context.Context, int64) error { return errors.New("closed") }
	}),
	target("Apply does nothing", func(t *conformance.Target) {
		t.Apply = func(context.Context, int64) error { return nil }
	}),
	target("nothing to withdraw with", func(t *conformance.Target) { t.Withdraw = nil }),
	target("Withdraw fails", func(t *conformance.Target) {
		t.Withdraw = func(context.Context, int64) error { return errors.New("no such button") }
	}),

	// Section 7.2: errors of the applied check and of the application lookup.
	respond("an inactive posting is a 404", onJob("applied", "InactiveJob", status(404))),
	respond("an inactive posting has no message", onJob("application", "InactiveJob", body(""))),
	respond("a message is a number", onJob("applied", "InactiveJob", body("7"))),
	respond("a missing posting is told as JSON", onJob("applied", "UnpublishedJob",
		answer(404, "application/json", `{"code":"get_posting_error","message":"JobPosting not found"}`))),
	respond("a missing posting is an HTML page",
		onJob("application", "UnpublishedJob", answer(404, "text/html", "<html>not found</html>"))),
	respond("a code where a message belongs",
		onJob("applied", "UnpublishedJob", answer(404, "text/plain", "get_posting_error"))),
	respond("an internal job is a 404", onJob("applied", "InternalJob", when(hasStatus(403), status(404)))),
	respond("an internal job is there for everybody", onJob("application", "InternalJob", when(hasStatus(403),
		answer(404, "application/json", `{"code":"get_application_error","message":"No application"}`)))),
	respond("an internal job is for nobody",
		onJob("applied", "InternalJob", answer(403, "text/plain", "JobPosting not accessible"))),
	respond("the code has another name", on("applied", replace("get_project_error", "project_error"))),
	respond("the code is in another member", on("application", replace(`"code"`, `"errorCode"`))),
	respond("the message is missing",
		onJob("application", "UnknownJob", answer(404, "application/json", `{"code":"get_project_error"}`))),
	respond("an unknown job is a 500", onJob("applied", "UnknownJob", status(500))),
	respond("no code at all", onJob("applied", "UnknownJob", answer(404, "text/plain", "no such job"))),
	respond("a message is no text",
		onJob("applied", "UnknownJob", answer(404, "application/json", `{"code":"get_project_error","message":7}`))),
	respond("a message is empty",
		onJob("applied", "UnknownJob", answer(404, "application/json", `{"code":"get_project_error","message":""}`))),
	respond("a code is a number",
		onJob("applied", "UnknownJob", answer(404, "application/json", `{"code":7,"message":"not available"}`))),
	respond("a job of another company is said not to exist",
		onJob("applied", "OtherCompanyJob", replace("not accessible", "not available"))),
	respond("the application lookup knows other companies too", onJob("application", "OtherCompanyJob",
		answer(404, "application/json", `{"code":"get_project_error","message":"Project not accessible"}`))),
	respond("a job of another company is not available", onJob("application", "OtherCompanyJob",
		answer(404, "application/json", `{"code":"get_project_error","message":"not available"}`))),
	respond("a job of another company is told by another code", onJob("application", "OtherCompanyJob",
		answer(404, "application/json", `{"code":"get_job_error","message":"not accessible"}`))),

	// Sections 2.5 and 4.4: the lookup.
	respond("the lookup gives an HTML page", on("lookup", when(isGood, answer(200, "text/html", "<html></html>")))),
	respond("a job is answered with another status", onJob("lookup", "OpenJob", status(203))),
	respond("a code in place of the information",
		onJob("lookup", "OpenJob", answer(200, "application/json", `{"error":["ERROR_JOB_INACTIVE"]}`))),
	respond("a code in the text of a job",
		onJob("lookup", "OpenJob", edits(set("jobTitle", "Curator of ERROR_JOB_INACTIVE")))),
	target("only the closed job is known", func(t *conformance.Target) {
		t.OpenJob, t.AppliedJob, t.WithdrawnJob = 0, 0, 0
	}),
	respond("the privacy link is misspelt", onInformation(rename("dataSecurityLink", "myDatasecurityLink"))),
	respond("the company is not a UUID", onInformation(set("companyId", "4711"))),
	respond("members of a job are null", onJob("lookup", "OpenJob", edits(func(o object) {
		for member := range o {
			o[member] = nil
		}
	}))),
	respond("members of a job are of other types", onJob("lookup", "OpenJob", edits(
		set("jobLanguage", 1), set("companyId", 2), set("location", "here"), set("questions", "none"), set("timestamp", 5)))),
	respond("the information is about another job", onJob("lookup", "ClosedJob", edits(set("jobId", 1)))),
	respond("another member holds the job", onJob("lookup", "OpenJob", edits(rename("jobId", "id")))),
	respond("applyPossible is a string",
		onInformation(func(o object) { o["applyPossible"] = fmt.Sprint(o["applyPossible"]) })),
	respond("a closed job can be applied to", onJob("lookup", "ClosedJob", edits(set("applyPossible", true)))),
	respond("an open job takes no applications", onJob("lookup", "OpenJob", edits(set("applyPossible", false)))),
	respond("whether a job takes applications is left open", onInformation(set("applyPossible", ""))),
	respond("no questions", onInformation(set("questions", []any{}))),
	respond("question identifiers are numbers",
		onQuestion(func(q object) { q["id"], _ = strconv.Atoi(q["id"].(string)) })),
	respond("a question has no label", onQuestion(set("label", nil))),
	respond("a YESNO question has no answers", onQuestion(typed("YESNO", drop("answers")))),
	respond("a TEXT question has answers", onQuestion(typed("TEXT", set("answers", []any{})))),
	respond("a single answer", onQuestion(set("answers", []any{object{"id": "1", "label": "Yes"}}))),
	respond("no answers", onQuestion(set("answers", []any{}))),
	respond("answers that are no objects", onQuestion(typed("YESNO", set("answers", []any{1})))),
	respond("answers are bare labels", onQuestion(each("answers", drop("id")))),
	respond("a catalog of words", onQuestion(
		set("type", "CATALOG"), set("answers", []any{object{"id": "red", "label": "Red"}}))),
	respond("the preferred location lists the main one only", onQuestion(func(q object) {
		if strings.HasPrefix(q["id"].(string), "-") {
			q["answers"] = q["answers"].([]any)[:1]
		}
	})),
	respond("no preferred location", onQuestion(set("id", "0"))),
	respond("nationalities have numbers", onInformation(each("nationalities", set("id", 1)))),
	respond("no nationalities", onInformation(set("nationalities", []any{}))),
	respond("the catalog is English for every job", onInformation(set("nationalities", []any{german}))),
	respond("a language of two countries", catalogIn("de_CH", "de-AT")), // may have one catalog
	respond("a catalog of no language", catalogIn("", "de")),
	respond("the timestamp has no milliseconds", onInformation(set("timestamp", "2026-01-05T08:00:00Z"))),
	respond("the timestamp is local time", onInformation(set("timestamp", "2026-01-05T08:00:00.000+01:00"))),
	respond("a job has no timestamp", onInformation(drop("timestamp"))),
	respond("a latitude is a number", onInformation(in("location", set("geoLat", 52.5)))),
	respond("a longitude has a comma", onInformation(in("location", set("geoLong", "13,37")))),
	respond("no locations", onInformation(drop("location"), drop("additionalLocations"))),
	respond("coordinates of all kinds", onJob("lookup", "OpenJob", edits(
		set("location", object{"geoLong": "x"}),
		set("additionalLocations", []any{
			object{"geoLat": "90.1", "geoLong": "-180.1"},
			object{"geoLat": "-90.1"},
			object{"geoLat": "1e1"},
			object{"geoLat": "1.2.3"},
			object{"geoLat": "+1.5"},
			object{"geoLat": "NaN"},
			object{"geoLat": ""},
		})))),
	respond("a place of empty texts", onInformation(set("additionalLocations", []any{
		object{"geoCity": "", "geoZip": nil}, object{"geoZip": "", "geoCity": "Bonn"},
	}))),
	respond("places at the ends of the earth",
		onInformation(in("location", set("geoLat", "-90"), set("geoLong", "180.0")))),
	respond("a place without coordinates", onInformation(in("location", set("geoLat", ""), set("geoLong", "")))),

	// Section 7.3: errors of the lookup.
	respond("an inactive job is called unavailable",
		onJob("lookup", "InactiveJob", replace("ERROR_JOB_INACTIVE", "ERROR_JOB_UNAVAILABLE"))),
	respond("a deleted job is a bare 404", onJob("lookup", "DeletedJob", answer(404, "text/plain", ""))),
	respond("a job without posting is called unavailable",
		onJob("lookup", "UnpublishedJob", body(`{"errorCode":"ERROR_JOB_UNAVAILABLE"}`))),
	respond("an unknown job has an own code", onJob("lookup", "UnknownJob", body(`"ERROR_NO_SUCH_JOB"`))),
	respond("two codes", onJob("lookup", "InactiveJob", answer(404, "application/json",
		`[{"code":"ERROR_JOB_UNAVAILABLE"},"ERROR_JOB_INACTIVE or ERROR_JOB_UNAVAILABLE"]`))),
	respond("a code twice", onJob("lookup", "InactiveJob", answer(404, "application/json",
		`{"code":"ERROR_JOB_INACTIVE","errors":["ERROR_JOB_INACTIVE"]}`))),
	respond("two codes in a text", onJob("lookup", "InactiveJob", answer(404, "text/plain",
		"ERROR_JOB_UNAVAILABLE, ERROR_JOB_INACTIVE, MY_ERROR_JOB and ERROR_JOB_INACTIVE"))),

	// Section 4.5: subscriptions.
	respond("there are no subscriptions", on("subscribe", answer(404, "text/plain", "not found"))),
	respond("confirming is a POST", on("confirm", answer(405, "text/plain", ""))),
	respond("stopping fails", on("stop", answer(500, "text/plain", ""))),
	respond("subscribing is under way", on("subscribe", status(300))),
	respond("stopping is under way", on("stop", status(300))),
	respond("no identifier of a subscription", on("subscribe", answer(200, "application/json", `{"rss":7}`))),
	respond("an empty identifier", on("subscribe", answer(200, "application/json", `{"rss":""}`))),
	respond("an empty list for it", on("subscribe", answer(200, "application/json", `{"rss":[]}`))),
	respond("a list of numbers for it", on("subscribe", answer(200, "application/json", `{"rss":[7]}`))),
	respond("an answer that is no JSON", on("subscribe", answer(200, "text/plain", "thanks"))),
	respond("whatever it answers is a subscription", on("subscribe", answer(204, "text/plain", ""))),
	target("an answer of its own", func(t *conformance.Target) {
		t.Subscription.ID = func(answer []byte) (string, error) { return "x", fmt.Errorf("%.5s", answer) }
	}),
	target("nothing to subscribe with", func(t *conformance.Target) { t.Subscription = conformance.Subscription{} }),
	target("no credential to subscribe with", func(t *conformance.Target) {
		t.ClientID, t.ClientToken, t.ApplicantToken = "", "", ""
	}),
	target("a path that is none", func(t *conformance.Target) { t.Subscription.Path = "/jobabo\x7f" }),

	// Connections.
	respond("nobody answers", lost),
	respond("bodies are cut off", func(x *exchange) { x.cut = true }),
	respond("nobody answers but to the first questions", when(isLaterQuestion, lost)),
	respond("nobody answers about what was withdrawn", when(isSpareWithdrawn, lost)),
	respond("nobody withdrew", onJob("application", "WithdrawnJob", lost)),
}
