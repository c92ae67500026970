package faults_test

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// unreadable is a 200 whose body breaks the interface. It says that a call that changes
// something was executed, whatever its body is worth.
var unreadable = every(final(jobboard.ErrDecode)).
	but(changing, cell{requests: 1, err: jobboard.ErrDecode, executed: true})

func bodyFaults() []fault {
	ok := requests(1)
	bad := final(jobboard.ErrDecode)
	unsure := cell{requests: 1, err: jobboard.ErrDecode, executed: true}
	all := []fault{
		{
			name: "null, {}, a string or number where an object belongs", transport: notMet, oneConn: true,
			cells: every(bad).but(changing, ok),
			forms: loose(),
		},
		{
			name: "an HTML page, whatever its content type", transport: notMet, oneConn: true,
			cells: unreadable, forms: htmlPages(),
		},
		{
			name: "a complete answer whose title, label or link begins with a code", transport: notMet, oneConn: true,
			cells: at(J, ok),
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
		{
			name: "an incomplete answer with a code in a member of its own", transport: notMet, oneConn: true,
			cells: at(J, bad), forms: bodies(
				js, `{"jobId":5310482,"jobTitle":"ERROR_JOB_INACTIVE"}`, `{"message":"see ERROR_JOB_INACTIVE"}`,
				`{"message":"ERROR_JOB_INACTIVEX"}`, `{"message":"ERROR_JOB_INACTIVE0"}`,
				`{"jobTitle":"x","companyName":"ERROR_JOB_UNAVAILABLE","location":{"geoName":"ERROR_JOB_INACTIVE"}}`,
				`"XERROR_JOB_INACTIVE"`, `{"ERROR_JOB_INACTIVE":1}`,
			),
		},
		{
			name: "gzip bomb 1 : 1000; endless body", transport: ownBound,
			cells: every(final(jobboard.ErrResponseTooLarge)).
				but(changing, cell{requests: 1, err: jobboard.ErrResponseTooLarge, executed: true}),
			forms: endlessBodies(),
		},
		{name: "br, double gzip, broken gzip", transport: brokenGzip, cells: unreadable, forms: badEncodings()},
		{
			name: "every answer of a subscription call", transport: notMet, oneConn: true,
			cells: at(changing, ok), forms: subscriptionBodies(),
		},
		{
			// Nobody knows whether an answer is whole that ends with its connection.
			name: "whole JSON that ends with its connection", transport: notMet, cells: every(ok).but(P,
				repeated(jobboard.ErrTransport)),
			forms: []form{{name: "whole", serve: func(x *exchange) { x.Raw(untilClosed, x.body()) }}},
		},
		{
			name: "an identifier that ends with its connection", transport: notMet,
			cells: at(P, repeated(jobboard.ErrTransport)),
			forms: []form{
				{name: "cut off", serve: raw(untilClosed + "f7629")},
				{name: "quoted", serve: raw(untilClosed + `"f7629"`)},
				{name: "empty", serve: raw(untilClosed)},
				{name: "HTTP/1.0", serve: raw("HTTP/1.0 200 OK\r\n\r\nf7629")},
			},
		},
		{
			name: "nothing, that ends with its connection", transport: notMet, cells: at(S|A|J, bad).but(changing, unsure),
			forms: []form{
				{name: "empty", serve: raw(untilClosed)},
				{name: "white space", serve: raw(untilClosed + " \r\n")},
				{name: "a number that may go on", only: changing, serve: raw(untilClosed + "12")},
			},
		},
	}
	for code, err := range map[string]error{
		"ERROR_JOB_INACTIVE": jobboard.ErrJobInactive, "ERROR_JOB_UNAVAILABLE": jobboard.ErrJobUnavailable,
		"ERROR_POSTING_UNAVAILABLE": jobboard.ErrPostingUnavailable,
	} {
		all = append(
			all, fault{name: code, transport: notMet, oneConn: true, cells: at(J, final(err)), forms: lookupCodes(code)},
			fault{
				name: code + " with a status", transport: notMet, oneConn: true, cells: at(J, final(err)),
				forms: each([]int{400, 404, 409, 410, 422, 500, 401, 403, 429, 503}, append(
					lookupCodes(code), form{
						answer: answer{kind: js, body: `{"jobId":5310482,"jobTitle":"` + code + `"}`},
						wanted: wanted{code: code},
					},
					form{
						name:   "far into the body",
						answer: answer{kind: js, body: `{"trace":"` + strings.Repeat("x", 50<<10) + `","code":"` + code + `"}`},
						wanted: wanted{code: code},
					},
				)...),
			},
		)
	}
	for i := range all {
		all[i].status = 200
	}
	return all
}

const untilClosed = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"

// job is an answer about the job that is asked for.
func job(more string) string {
	return `{"jobId":5310482,"jobTitle":"x","applyPossible":true,` + more + `}`
}

// subscriptionBodies lists what the subscription calls hand on as it is, lists and
// brackets inside of strings included.
func subscriptionBodies() (forms []form) {
	for _, body := range []string{
		string(rig.Data("subscription_created.json")), string(rig.Data("subscription_created_lists.json")),
		string(rig.Data("subscription_partly_failed.json")), string(rig.Data("subscription_unknown.json")),
		`{"label":"]}[{\"","more":["}","{"]}`,
	} {
		forms = append(forms, form{
			answer: answer{kind: js, body: body},
			wanted: wanted{check: isJSON(body)},
		})
	}
	return forms
}

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

func isJob(id string) func(*rig.Operation, any) string {
	return func(_ *rig.Operation, value any) string {
		if info, ok := value.(*jobboard.JobInformation); !ok || fmt.Sprint(info.JobID) != id {
			return fmt.Sprintf("the result is %+v", value)
		}
		return ""
	}
}

// loose are bodies that are no good for the operations that read, and any JSON for those that
// change something. The tests of decode.go have more such bodies.
func loose() []form {
	all := append(
		bodies(js, "null", "{}", "[]", `{"a":[1,{"b":null}]}`, " \ufeff{} \n"[1:]),
		of(S|A|J|changing, bodies(js, `"text"`, `"true"`, "42", "-1.5e3"))...,
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
			answer: answer{kind: kind, body: html},
			wanted: wanted{
				says: []string{"<!DOCTYPE html>", media},
				after: func(t *trial, err error) {
					if e := asError(err); t.op.Changes() && (e == nil || string(e.Body) != html) {
						t.problem("the body is not kept")
					}
				},
			},
		})
	}
	says := []string{"<html>"}
	return append(all,
		form{name: "small", answer: answer{kind: text, body: "<html></html>"}, wanted: wanted{says: says}},
		form{
			name:   "behind a byte order mark and white space",
			answer: answer{kind: text, body: "\ufeff\r\n  <html>no</html>"},
			wanted: wanted{says: says},
		},
		form{
			name:   "with colours",
			answer: answer{kind: "text/html; x=\"\u202e\"", body: "<html>\x1b[2J\r\n\x07\u202e"},
			wanted: wanted{says: says},
		},
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
		all = append(all, form{
			answer: answer{kind: kinds[len(all)%3], body: strings.Replace(body, "CODE", code, 1)},
			wanted: wanted{code: code},
		})
	}
	return all
}

// zippedForever is the beginning of a gzip stream and a part that may follow any number of
// times: every part is the compressed form of the same text.
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
				t.cfg.MaxBodyBytes = 8 << 20 // another test uses the default
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
		limit, slack = 1<<20, 1<<19
	case t.cfg.MaxBodyBytes > 0:
		limit = t.cfg.MaxBodyBytes
	case t.op.Name == "Search":
		limit = 64 << 20
	}
	least := limit
	if t.op.Name == "Search" {
		least = least * 2 / 5 // small postings take more room than their text, and count as that
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
	add("made up", "gz\u202eip", same)
	add("double gzip", "gzip, gzip", zipped(rig.Zip))
	add("gzip, not told", "", rig.Zip)
	add("plain, told to be gzip", "gzip", same)
	add("gzip without its end", "gzip", zipped(func(z []byte) []byte { return z[:len(z)-8] }))
	add("gzip with a wrong sum", "gzip", zipped(func(z []byte) []byte { z[len(z)-8] ^= 1; return z }))
	add("gzip with a wrong length", "gzip", zipped(func(z []byte) []byte { z[len(z)-1] ^= 1; return z }))
	add("gzip and more", "gzip", zipped(func(z []byte) []byte { return append(z, "more"...) }))
	return all
}

// A page of postings ends at 1 GiB, whatever it costs to send them; nothing
// but the limit in the client says so. A caller who has enough ends it sooner.
func TestPostingsWithoutEnd(t *testing.T) {
	posting := strings.Repeat(
		`{"jobPostingId":1,"title":"Gardener","config":{"location":["2901"]},"text":"`+strings.Repeat("x", 1000)+`"},`, 60,
	)
	begin, repeat := zippedForever(`{"totalNumberOfJobs":1,"results":[`, posting)
	v := form{
		answer: answer{status: http.StatusOK},
		serve: func(x *exchange) {
			x.Endless("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+begin, repeat)
		},
		wanted: wanted{readAtMost: 5 << 20},
	}
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
	if !testenv.Whole() || rig.Race {
		return // it takes seconds
	}
	t.Run("1 GiB", func(t *testing.T) {
		start := time.Now()
		n := rig.Allocated(func() { run(t, v) })
		t.Logf("1 GiB of postings, %d MiB allocated, in %v", n>>20, time.Since(start).Round(time.Millisecond))
	})
}
