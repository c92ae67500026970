package faults_test

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// unreadable is a 200 that is not what the interface says. It says that a call
// that changes something was executed, whatever its body is worth.
var unreadable = every(final(jobboard.ErrDecode)).
	but(changing, cell{requests: 1, err: jobboard.ErrDecode, executed: true})

func bodyFaults() []fault {
	ok := requests(1)
	bad := final(jobboard.ErrDecode)
	unsure := cell{requests: 1, err: jobboard.ErrDecode, executed: true}
	all := []fault{
		{
			row: "34", name: "null, {}, a string or number where an object belongs", cells: every(bad).but(changing, ok),
			forms: loose(),
		},
		{row: "35", name: "an HTML page, whatever its content type", cells: unreadable, forms: htmlPages()},
		{
			row: "38", name: "a complete answer whose title, label or link begins with a code", cells: at(J, ok),
			forms: checked(isJob("5310482"), bodies(
				js, `{"jobId":5310482,"jobTitle":"ERROR_JOB_INACTIVE","applyPossible":true}`,
				`{"jobId":5310482,"jobTitle":"ERROR_JOB_INACTIVE: how to debug it","applyPossible":false,`+
					`"companyName":"ERROR_JOB_UNAVAILABLE"}`,
				`{"dataSecurityLink":"ERROR_POSTING_UNAVAILABLE","jobId":5310482,"jobTitle":"x","applyPossible":true,`+
					`"questions":[{"id":"ERROR_JOB_INACTIVE","type":"TEXT","label":"ERROR_JOB_INACTIVE"}]}`,
				job(`"nationalities":[{"id":"1","label":"ERROR_JOB_UNAVAILABLE"}],"location":{"geoName":"ERROR_JOB_INACTIVE"}`),
				job(`"notes":"ERROR_JOB_INACTIVE"`),
			)),
		},
		{row: "38", name: "an incomplete answer with a code in a member of its own", cells: at(J, bad), forms: bodies(
			js, `{"jobId":5310482,"jobTitle":"ERROR_JOB_INACTIVE"}`, `{"message":"see ERROR_JOB_INACTIVE"}`,
			`{"message":"ERROR_JOB_INACTIVEX"}`, `{"message":"ERROR_JOB_INACTIVE0"}`,
			`{"jobTitle":"x","companyName":"ERROR_JOB_UNAVAILABLE","location":{"geoName":"ERROR_JOB_INACTIVE"}}`,
			`"XERROR_JOB_INACTIVE"`, `{"ERROR_JOB_INACTIVE":1}`,
		)},
		{
			row: "39", name: "keys that differ only in case, or stand twice",
			cells: at(S|J, cell{requests: 1, err: jobboard.ErrDecode, orOK: true}), forms: append(
				checked(readsAs(`[{"jobPostingId":1,"title":"x"}]`), of(S, bodies(
					js,
					`{"totalNumberOfJobs":1,"TotalNumberOfJobs":2,"results":[{"jobPostingId":1,"JobPostingID":2,`+
						`"title":"x","TITLE":"y"}],"Results":[]}`,
					`{"TotalNumberOfJobs":2,"totalNumberOfJobs":1,"RESULTS":[{"jobPostingId":3,"title":"z"}],`+
						`"results":[{"JOBPOSTINGID":2,"jobPostingId":1,"Title":"y","title":"x"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x","re\u017fult\u017f":1}],"re\u017fult\u017f":[]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}],"results":[{"jobPostingId":2,"title":"y"}]}`,
					pageOf(`{"jobPostingId":1,"jobPostin\u0067Id":2,"title":"x"}`),
				))),
				checked(readsAs(`{"jobId":5310482,"jobTitle":"x","applyPossible":false}`), of(J, bodies(js,
					`{"jobId":5310482,"JobId":2,"jobTitle":"x","JOBTITLE":"y","applyPossible":false,"ApplyPossible":true}`,
					`{"JobId":2,"jobId":5310482,"JOBTITLE":"y","jobTitle":"x","ApplyPossible":true,"applyPossible":false}`,
					`{"jobId":5310482,"jobTitle":"x","applyPossible":false,"apply\u0050ossible":true}`)))...),
		},
		{row: "39", name: "keys in another case only", cells: at(S|J, bad), forms: append(
			of(S, bodies(js, `{"TotalNumberOfJobs":1,"results":[]}`, `{"totalNumberOfJobs":1,"Results":[]}`,
				pageOf(`{"JobPostingId":1,"title":"x"}`))),
			of(J, bodies(js, `{"JOBID":5310482,"jobTitle":"x","applyPossible":true}`,
				`{"jobId":5310482,"jobTitle":"x","applypossible":true}`,
			),
			)...)},
		{
			row: "40", name: "nesting of 65, 10 001, 1 000 000",
			cells: unreadable, forms: slices.Concat(nestings(65), nestings(10_001), nestings(1_000_000)),
		},
		{row: "40", name: "nesting of 60 in what nobody reads", cells: every(ok), forms: []form{
			{
				name: "of a page", only: S, body: `{"unknown":` + deep(60) + `,` + pageOf(`{"jobPostingId":1,"title":"x"}`)[1:],
				check: readsAs(`[{"jobPostingId":1,"title":"x"}]`),
			},
			{name: "of a job", only: J, body: job(`"unknown":` + deep(60)), check: isJob("5310482")},
			{name: "of anything", only: changing, body: deep(60), check: isJSON(deep(60))},
		}},
		{
			row: "41", name: "gzip bomb 1 : 1000; endless body",
			cells: every(final(jobboard.ErrResponseTooLarge)).
				but(changing, cell{requests: 1, err: jobboard.ErrResponseTooLarge, executed: true}),
			forms: endlessBodies(),
		},
		{row: "42", name: "br, double gzip, broken gzip", cells: unreadable, forms: badEncodings()},
		{row: "43", name: "bytes after the value", cells: unreadable, forms: trailingBytes()},
		{
			row: "44", name: "a quoted number for an identifier or a timestamp; an ISO date for a timestamp in milliseconds",
			cells: at(S|J, ok),
			forms: []form{
				{
					name: "a quoted page", only: S, kind: js, body: string(rig.Data("search_quoted.json")),
					check: isJSON(string(member(rig.Data("search.json"), "results"))),
				},
				{name: "a quoted timestamp", only: J, body: job(`"timestamp":"1744892614555"`), check: isJob("5310482")},
				{name: "a quoted job", only: J, kind: js, body: about("jobinfo_quoted.json", "5310483"), check: isJSON(quotedJob)},
			},
		},
		{row: "45", name: "a word for a number; beyond int64; 1e3", cells: at(S|A|J, bad), forms: wrongNumbers()},
		{
			row: "46", name: "unknown and absent parts, and null for anything optional", cells: at(S|J, ok),
			forms: lenientBodies(),
		},
		{row: "46", name: "every answer of a subscription call", cells: at(changing, ok), forms: subscriptionBodies()},
		{
			// Nobody knows whether an answer is whole that ends with its connection.
			row: "47b", name: "whole JSON that ends with its connection", cells: every(ok).but(P,
				repeated(jobboard.ErrTransport)),
			forms: []form{{name: "whole", serve: func(x *exchange) { x.Raw(untilClosed, x.body()) }}},
		},
		{
			row: "47b", name: "an identifier that ends with its connection", cells: at(P, repeated(jobboard.ErrTransport)),
			forms: []form{
				{name: "cut off", serve: raw(untilClosed + "f7629")},
				{name: "quoted", serve: raw(untilClosed + `"f7629"`)},
				{name: "empty", serve: raw(untilClosed)},
				{name: "HTTP/1.0", serve: raw("HTTP/1.0 200 OK\r\n\r\nf7629")},
			},
		},
		{
			row: "47b", name: "nothing, that ends with its connection", cells: at(S|A|J, bad).but(changing, unsure),
			forms: []form{
				{name: "empty", serve: raw(untilClosed)},
				{name: "white space", serve: raw(untilClosed + " \r\n")},
				{name: "a number that may go on", only: changing, serve: raw(untilClosed + "12")},
			},
		},
		{
			row: "47", name: "identifier bare, quoted, with BOM or newline, all digits", cells: at(P, ok),
			forms: goodIdentifiers(),
		},
		{row: "48", name: "identifier of 257 bytes, with control characters, empty", cells: at(P, bad), forms: bodies(
			js, strings.Repeat("x", 257),
			`"`+strings.Repeat("x", 257)+`"`, "abc\x00def", "abc\x1bdef", "abc\ndef", "abc\u0085def", `"abc\u0000def"`,
			`"abc\ndef"`, `""`, `" "`, "\x00", `"abc`, `abc"def`, "null", "{", "[1]", `{"id":"x"}`, "<x>",
			"no such application",
		)},
		{row: "49", name: "invalid UTF-8", cells: at(S|J, ok).but(A|P, bad), forms: []form{
			{
				name: "in a title", only: S, body: pageOf("{\"jobPostingId\":1,\"title\":\"a\xffb\xc3\"}"),
				check: titles("a\ufffdb\ufffd"),
			},
			{
				name: "in a job's title", only: J, body: "{\"jobId\":5310482,\"jobTitle\":\"a\xffb\xc3\",\"applyPossible\":true}",
				check: readsAs(`{"jobId":5310482,"jobTitle":"a` + "\ufffdb\ufffd" + `","applyPossible":true}`),
			},
			{name: "in a boolean", only: A, kind: js, body: "true\xff"},
			{name: "in an identifier", only: P, kind: text, body: "abc\xffdef"},
			{name: "in a quoted identifier", only: P, kind: js, body: "\"abc\xffdef\""},
		}},
	}
	for code, err := range map[string]error{
		"ERROR_JOB_INACTIVE": jobboard.ErrJobInactive, "ERROR_JOB_UNAVAILABLE": jobboard.ErrJobUnavailable,
		"ERROR_POSTING_UNAVAILABLE": jobboard.ErrPostingUnavailable,
	} {
		all = append(
			all, fault{row: "36", name: code, cells: at(J, final(err)), forms: lookupCodes(code)},
			fault{
				row: "37", name: code + " with a status", cells: at(J, final(err)),
				forms: each([]int{400, 404, 409, 410, 422, 500, 401, 403, 429, 503}, append(
					lookupCodes(code), form{code: code, kind: js, body: `{"jobId":5310482,"jobTitle":"` + code + `"}`},
					form{
						name: "far into the body", code: code, kind: js,
						body: `{"trace":"` + strings.Repeat("x", 50<<10) + `","code":"` + code + `"}`,
					},
				)...),
			},
		)
	}
	for i := range all {
		all[i].status = 200
		all[i].oneConn = all[i].row < "40" || all[i].row > "43" && all[i].row != "47b"
	}
	return all
}

const untilClosed = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"

func pageOf(postings string) string { return `{"totalNumberOfJobs":1,"results":[` + postings + `]}` }

// job is an answer about the job that is asked for.
func job(more string) string {
	return `{"jobId":5310482,"jobTitle":"x","applyPossible":true,` + more + `}`
}

// about is a file about some other job, made to be about the one asked for.
func about(file, id string) string {
	return strings.Replace(string(rig.Data(file)), id, "5310482", 1)
}

// subscriptionBodies are what the subscription calls hand on as it is, lists and
// brackets inside of strings included.
func subscriptionBodies() (forms []form) {
	for _, body := range []string{
		string(rig.Data("subscription_created.json")), string(rig.Data("subscription_created_lists.json")),
		string(rig.Data("subscription_partly_failed.json")), string(rig.Data("subscription_unknown.json")),
		`{"label":"]}[{\"","more":["}","{"]}`,
	} {
		forms = append(forms, form{kind: js, body: body, check: isJSON(body)})
	}
	return forms
}

func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func of(columns rig.Column, forms []form) []form {
	for i := range forms {
		forms[i].only = columns
	}
	return forms
}

func checked(check func(*rig.Operation, any) string, forms []form) []form {
	for i := range forms {
		forms[i].check = check
	}
	return forms
}

func titles(want ...string) func(*rig.Operation, any) string {
	return func(_ *rig.Operation, value any) string {
		var got []string
		for _, p := range value.([]jobboard.JobPosting) {
			got = append(got, p.Title)
		}
		if !slices.Equal(got, want) {
			return fmt.Sprintf("titles %q, want %q", got, want)
		}
		return ""
	}
}

func isJob(id string) func(*rig.Operation, any) string {
	return func(_ *rig.Operation, value any) string {
		if info, ok := value.(*jobboard.JobInformation); !ok || fmt.Sprint(info.JobID) != id {
			return fmt.Sprintf("the result is %+v", value)
		}
		return ""
	}
}

// readsAs compares what is required in an answer.
func readsAs(want string) func(*rig.Operation, any) string {
	return func(_ *rig.Operation, value any) string {
		var got string
		switch v := value.(type) {
		case []jobboard.JobPosting:
			var all []string
			for _, p := range v {
				all = append(all, fmt.Sprintf(`{"jobPostingId":%d,"title":%q}`, p.JobPostingID, p.Title))
			}
			got = "[" + strings.Join(all, ",") + "]"
		case *jobboard.JobInformation:
			got = fmt.Sprintf(`{"jobId":%d,"jobTitle":%s,"applyPossible":%v}`, v.JobID, rig.Must(json.Marshal(v.JobTitle)),
				v.ApplyPossible)
		}
		if got != want {
			return fmt.Sprintf("reads %s, want %s", got, want)
		}
		return ""
	}
}

// loose are bodies that are no good for the operations that read, and any JSON
// for those that change something. They are some of many, here and in the rows on
// names and numbers: the tests of decode.go have them all.
func loose() []form {
	all := slices.Concat(
		bodies(js, "null", "{}", "[]", `[true]`, `{"a":[1,{"b":null}]}`, " \ufeff{} \n"[1:]),
		of(S|A|J|changing, bodies(js, `"text"`, `"true"`, "42", "-1.5e3")), of(S|J, bodies(js, "true", "false")),
		of(A, bodies(js, "True", "TRUE", "1", "0", "yes", "nul", "truefalse", `{"applied":true}`, "t", "fals")),
		of(S, bodies(js, `{"results":[]}`, pageOf("null"), pageOf(`{"jobPostingId":1,"title":null}`),
			strings.TrimSuffix(pageOf(`{"jobPostingId":1,"title":"x"}`), "]}"))),
		of(J, bodies(js, `{"jobId":5310482,"jobTitle":"x"}`, `{"jobId":5310482,"jobTitle":"x","applyPossible":1}`,
			job(`"questions":[7]`), `{"jobId":5310482,"jobTitle":"x","applyPossible":true`)),
	)
	for i := range all {
		all[i].check = isJSON(strings.Trim(all[i].body, "\ufeff \n"))
	}
	return all
}

func htmlPages() (all []form) {
	html := "<!DOCTYPE html>\n<html><head><title>Maintenance</title></head><body>" +
		strings.Repeat("<p>Back soon.</p>", 30) + "</body></html>"
	for kind, media := range map[string]string{
		"text/html; charset=utf-8": page, js: js, text: text, "application/octet-stream": "application/octet-stream",
		"broken;;/": "200",
	} {
		all = append(all, form{
			kind: kind, body: html, says: []string{"<!DOCTYPE html>", media},
			after: func(t *trial, err error) {
				if e := asError(err); t.op.Changes() && (e == nil || string(e.Body) != html) {
					t.problem("the body is not kept")
				}
			},
		})
	}
	says := []string{"<html>"}
	return append(all,
		form{name: "small", kind: text, body: "<html></html>", says: says},
		form{name: "behind a byte order mark and white space", kind: text, body: "\ufeff\r\n  <html>no</html>", says: says},
		form{name: "with colours", kind: "text/html; x=\"\u202e\"", body: "<html>\x1b[2J\r\n\x07\u202e", says: says},
	)
}

func lookupCodes(code string) (all []form) {
	kinds := []string{js, text, page}
	for _, body := range []string{
		`{"code":"CODE","message":"m"}`, `{"error":"CODE"}`, `{"message":"CODE: the job is not there"}`, `{"zzz":"CODE"}`,
		`["CODE"]`,
		`{"status":"failed","errors":[{"kind":7,"details":{"code":["x","CODE"]}}]}`, `{"code":"failed","reason":"CODE"}`,
		`{"jobId":5310482,"jobTitle":"x","problem":"CODE"}`, `"CODE"`, `" CODE - gone"`, "CODE",
		"\r\nCODE: there is nothing here\r\n", "\ufeffCODE",
	} {
		all = append(all, form{code: code, kind: kinds[len(all)%3], body: strings.Replace(body, "CODE", code, 1)})
	}
	return all
}

func nestings(depth int) (all []form) {
	inner := deep(depth - 1)
	add := func(name string, columns rig.Column, body string) {
		all = append(all, form{name: fmt.Sprintf("%d, %s", depth, name), only: columns, kind: js, body: body})
	}
	add("lists", reading|changing, "["+inner+"]")
	add("lists that do not end", reading|changing, strings.Repeat("[", depth))
	if depth <= 100_000 {
		add("objects", reading|changing, strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
	}
	add("in an unknown member", S, `{"unknown":`+inner+`,"totalNumberOfJobs":1,"results":[]}`)
	add("in an unknown member", J, job(`"unknown":`+inner))
	add("in a member that is known", S, `{"totalNumberOfJobs":1,"results":`+inner+`}`)
	add("in a member that is known", J, job(`"questions":`+inner))
	add("in a posting", S, pageOf(`{"unknown":`+deep(depth-3)+`,"jobPostingId":1,"title":"x"}`))
	return all
}

// zippedForever is the beginning of a gzip stream and a part that may follow
// any number of times: each is the compressed form of the same text.
func zippedForever(first, again string) (begin, repeat string) {
	block := func(text string) string {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression)
		_, _ = io.WriteString(w, text)
		_ = w.Flush()
		return b.String()
	}
	return "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + block(first), block(again)
}

// endlessBodies are answers over their bound, plain and compressed.
func endlessBodies() (all []form) {
	letters := strings.Repeat("x", 64<<10)
	posting := strings.Repeat(
		`{"jobPostingId":1,"title":"Gardener","config":{"location":["2901"],"unknown":["a","b"]},"jobStartDate":5},`, 600,
	)
	question := strings.Repeat(`{"id":"8","type":"YESNO","label":"q","answers":[{"id":"1","label":"Yes"}]},`, 800)
	add := func(name string, columns rig.Column, first, again string) {
		head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		onePosting := name == "a posting without end"
		f := form{name: name, only: columns, configure: func(t *trial) {
			switch {
			case t.op.Streamed() && onePosting: // a posting has a bound of its own
			case rig.Race:
				t.cfg.MaxBodyBytes = 1 << 20 // the detector makes every byte dear
			case t.op.Streamed() || t.op.Slot == rig.Applicant && t.op.Column == S:
				t.cfg.MaxBodyBytes = 8 << 20 // the default is for a test of its own
			}
		}}
		if again != "" {
			plain := f
			plain.serve = func(x *exchange) { x.Endless(head+"\r\n"+first, again) }
			plain.after = func(t *trial, _ error) { boundedReading(t, onePosting) }
			all = append(all, plain)
		}
		begin, repeat := zippedForever(first, again)
		f.name += ", compressed"
		f.serve = func(x *exchange) { x.Endless(head+"Content-Encoding: gzip\r\n\r\n"+begin, repeat) }
		if again == "" {
			f.after = func(t *trial, _ error) { boundedReading(t, false) }
		}
		all = append(all, f)
	}
	add("white space", reading|changing, "", strings.Repeat(" ", 64<<10))
	add("nothing", reading|changing, "", "") // it goes on and on
	add("text", A|P|J|changing, `"`, letters)
	add("an unknown member", S|J, `{"unknown":"`, letters)
	add("unknown members", S|J, "{", strings.Repeat(`"u":0,`, 10<<10))
	add("postings", S, `{"totalNumberOfJobs":1,"results":[`, posting)
	add("a posting without end", S, `{"totalNumberOfJobs":1,"results":[{"title":"`, letters)
	add("questions", J, `{"jobId":5310482,"jobTitle":"x","applyPossible":true,"questions":[`, question)
	add("a list", changing, "[", strings.Repeat("1,", 32<<10))
	return all
}

// boundedReading: no answer is read much further than its bound, nor given up
// before it.
func boundedReading(t *trial, onePosting bool) {
	limit, slack := int64(4<<20), int64(256<<10)
	switch {
	case t.op.Streamed() && onePosting:
		limit, slack = 1<<20, 1<<20
	case t.cfg.MaxBodyBytes > 0:
		limit = t.cfg.MaxBodyBytes
	case t.op.Name == "Search":
		limit = 64 << 20
	}
	least := limit
	if t.op.Name == "Search" {
		least /= 2 // small postings take more room than their text, and count as that
	}
	if n := t.net.BytesRead(); n < least || n > limit+slack {
		t.problem("read %d bytes, the bound is %d", n, limit)
	}
}

func badEncodings() (all []form) {
	add := func(name, encoding string, change func(good []byte) []byte) {
		all = append(all, form{name: name, serve: func(x *exchange) {
			if encoding != "" {
				x.Header().Set("Content-Encoding", encoding)
			}
			x.Answer(200, js, string(change([]byte(x.body()))))
		}})
	}
	same := func(b []byte) []byte { return b }
	zipped := func(change func(z []byte) []byte) func([]byte) []byte {
		return func(b []byte) []byte { return change(rig.Zip(b)) }
	}
	add("br", "br", same)
	add("br that is none", "br", func([]byte) []byte { return []byte("\x0b\x02\x80true\x03") })
	add("zstd", "zstd", same)
	add("deflate", "deflate", same)
	add("made up", "gz\u202eip", same)
	add("double gzip", "gzip, gzip", zipped(rig.Zip))
	add("double gzip, told once", "gzip", zipped(rig.Zip))
	add("gzip, not told", "", rig.Zip)
	add("plain, told to be gzip", "gzip", same)
	add("gzip without its end", "gzip", zipped(func(z []byte) []byte { return z[:len(z)-8] }))
	add("gzip cut in the middle", "gzip", zipped(func(z []byte) []byte { return z[:len(z)/2] }))
	add("gzip's header alone", "gzip", zipped(func(z []byte) []byte { return z[:10] }))
	add("two bytes of gzip", "gzip", zipped(func(z []byte) []byte { return z[:2] }))
	add("gzip with a wrong sum", "gzip", zipped(func(z []byte) []byte { z[len(z)-8] ^= 1; return z }))
	add("gzip with a wrong length", "gzip", zipped(func(z []byte) []byte { z[len(z)-1] ^= 1; return z }))
	add("gzip and more", "gzip", zipped(func(z []byte) []byte { return append(z, "more"...) }))
	return all
}

func trailingBytes() (all []form) {
	for _, more := range []string{" x", "{}", "\n\x00", ",", "]", " null", "\n<html>", "the value again"} {
		all = append(all, form{name: fmt.Sprintf("%q", more), serve: func(x *exchange) {
			x.Answer(200, x.trial.op.Kind, x.body()+strings.Replace(more, "the value again", " "+x.body(), 1))
		}})
	}
	return all
}

const quotedJob = `{"jobId":5310482,"jobTitle":"Tram driver","jobLanguage":"en","applyPossible":true,"dataSecurityLink":"",
"questions":[{"id":"12","type":"RANKING","label":"A type that no table has"},{"id":"13","type":"YESNO",
"label":"May we call you?","answers":[{"id":"2900103","label":"Yes"},{"id":"2900102","label":"No"}]}],"nationalities":[],
"timestamp":"2025-04-17T12:23:34.555Z","companyName":"","companyId":"","location":{"geoLat":"","geoLong":"","geoName":"",
"geoCountry":"","geoState":"","geoCity":"","geoZip":"","geoStreet":""},"additionalLocations":[]}`

func wrongNumbers() (all []form) {
	padding := `"padding":"` + strings.Repeat("p", 200) + `",` // so that the sample is of no help
	for _, value := range []string{
		`"forty-two"`, "92233720368547758080", `"92233720368547758080"`, "1e3", `"1e3"`, "17.25", "true", `["seven"]`,
		`{"seven":8}`,
	} {
		hidden := []string{strings.Trim(value, `"`)}
		if value == "true" {
			hidden = nil
		}
		add := func(column rig.Column, field, body string) {
			all = append(all, form{
				name: field + " " + value, only: column, says: []string{field}, hides: hidden, kind: js,
				body: "{" + padding + body[1:],
			})
		}
		add(S, "jobPostingId", pageOf(`{"title":"x","jobPostingId":`+value+`}`))
		add(S, "jobStartDate", pageOf(`{"jobPostingId":1,"title":"x","jobStartDate":`+value+`}`))
		add(S, "totalNumberOfJobs", `{"results":[],"totalNumberOfJobs":`+value+`}`)
		add(J, "jobId", `{"jobTitle":"x","applyPossible":true,"jobId":`+value+`}`)
		if strings.HasPrefix(value, `"f`) || value == "1e3" || value == "true" {
			add(J, "timestamp", job(`"timestamp":`+value))
		}
		if value != "true" {
			all = append(all, form{name: "applied " + value, only: A, kind: js, body: value})
		}
	}
	return all
}

func lenientBodies() []form {
	info := func(title string, apply bool, questions int) func(*rig.Operation, any) string {
		return func(_ *rig.Operation, value any) string {
			v := value.(*jobboard.JobInformation)
			if v.JobID != rig.Job || v.JobTitle != title || v.ApplyPossible != apply || len(v.Questions) != questions ||
				len(v.Nationalities) != 0 || len(v.AdditionalLocations) != 0 {
				return fmt.Sprintf("the result is %+v", v)
			}
			return ""
		}
	}
	return []form{
		{name: "minimal", only: S, kind: js, body: string(rig.Data("search_minimal.json")), check: titles("Gardener")},
		{name: "nulls", only: S, kind: js, body: string(rig.Data("search_nulls.json")), check: titles("Florist", "Baker")},
		{name: "empty", only: S, kind: js, body: string(rig.Data("search_empty.json")), check: titles()},
		{name: "results null", only: S, kind: js, body: string(rig.Data("search_results_null.json")), check: titles()},
		{
			name: "unknown members everywhere", only: S, kind: text, check: titles("x"),
			body: `{"a":{"b":[1,"x",null,true,{"c":1.5e-7}]},"totalNumberOfJobs":1,` +
				`"results":[{"d":[],"jobPostingId":1,"e":{},"title":"x","config":{"new":["1","2"],"none":[]}}],"f":"\ud83d\ude80"}`,
		},
		{only: S, kind: text, body: "\ufeff" + `{"totalNumberOfJobs":0,"results":[]}` + "\r\n", check: titles()},
		{name: "minimal", only: J, kind: js, body: about("jobinfo_minimal.json", "5310484"), check: info("Cook", false, 0)},
		{name: "nulls", only: J, kind: js, body: about("jobinfo_nulls.json", "5310485"), check: info("Waiter", true, 2)},
		{
			only: J, kind: text,
			body:  job(`"questions":[{"id":"1","type":"HOLOGRAM","label":"l","shape":{"a":[1]}}],"new":{"x":[[]]}`),
			check: info("x", true, 1),
		},
	}
}

func goodIdentifiers() (all []form) {
	file := func(name string) string { return string(rig.Data(name)) }
	for body, want := range map[string]string{
		"abc-1": "abc-1", `"abc-1"`: "abc-1", "\ufeffabc-1": "abc-1", "abc-1\r\n": "abc-1", " \"abc-1\" \n": "abc-1",
		"123": "123", `"123"`: "123",
		"00123": "00123", "99999999999999999999999999": "99999999999999999999999999", "1e3": "1e3", "true": "true",
		`"\u0061bc"`: "abc", strings.Repeat("y", 256): strings.Repeat("y", 256),
		file("application_digits.txt"): strings.TrimSpace(file("application_digits.txt")),
		file("application_space.txt"):  "c4180de97f00000251d7a30e64b2f9c9",
		file("application_bare.txt"):   strings.TrimSpace(file("application_bare.txt")),
	} {
		for _, kind := range []string{text, js, ""} {
			all = append(all, form{kind: kind, body: body, check: func(_ *rig.Operation, value any) string {
				if got := value.(jobboard.ApplicationID); string(got) != want {
					return fmt.Sprintf("the identifier is %q, want %q", got, want)
				}
				return ""
			}})
		}
	}
	return all
}

// A page of postings ends at 1 GiB, whatever it costs to send them; nothing
// but the limit in the client says so. A caller who has enough ends it sooner.
func TestPostingsWithoutEnd(t *testing.T) {
	posting := strings.Repeat(
		`{"jobPostingId":1,"title":"Gardener","config":{"location":["2901"]},"text":"`+strings.Repeat("x", 1000)+`"},`, 60,
	)
	begin, repeat := zippedForever(`{"totalNumberOfJobs":1,"results":[`, posting)
	v := form{status: http.StatusOK, readAtMost: 5 << 20, serve: func(x *exchange) {
		x.Endless("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+begin, repeat)
	}}
	f := &fault{cells: at(S, final(jobboard.ErrResponseTooLarge))}
	run := func(t *testing.T, v form) {
		synctest.Test(t, func(t *testing.T) { trials(t, f, &v, rig.Op("Postings"), 0, (*trial).run) })
	}
	t.Run("break", func(t *testing.T) {
		v := v
		v.drive = func(t *trial, _ cell) {
			n := 0
			t.connect()
			for p, err := range t.client.Postings(context.Background(), jobboard.ChannelID(rig.Channel.Secret),
				jobboard.Query{}) {
				if err != nil || p.Title != "Gardener" {
					t.problem("posting %d: %v %v", n, p, err)
					return
				}
				if n++; n == 1000 {
					break
				}
			}
			synctest.Wait()
			if _, open, _ := t.net.State(); open != 0 {
				t.problem("%d connections are open after the break", open)
			}
		}
		run(t, v)
	})
	if testing.Short() || rig.Race {
		return // it takes seconds
	}
	t.Run("1 GiB", func(t *testing.T) {
		start := time.Now()
		n := rig.Allocated(func() { run(t, v) })
		t.Logf("1 GiB of postings, %d MiB allocated, in %v", n>>20, time.Since(start).Round(time.Millisecond))
	})
}
