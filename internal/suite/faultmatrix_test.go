package suite_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// faultTable is what can go wrong, and what the caller gets. Rows are faults,
// columns are operations, the cells are explained at faultCell.
//
//	S search   A applied check   P application identifier   J job information   + subscribe   C confirm   D unsubscribe
func faultTable() []fault {
	return slices.Concat(connectionFaults(), statusFaults(), redirectFaults(), bodyFaults(), callerFaults())
}

func connectionFaults() []fault {
	return []fault{
		//                                                             S | A | P | J | + | C | D
		{row: "1", name: "name does not exist", dials: true, cells: "1 transport | = | = | = | = | = | =", variants: noSuchName()},
		{row: "2", name: "connection refused", dials: true, cells: "R transport | = | = | = | R transport | = | =", variants: refused()},
		{row: "3", name: "connect black hole", dials: true, cells: "R timeout | = | = | = | R timeout | = | =", variants: blackHole()},
		{row: "4", name: "a certificate nobody knows", dials: true, cells: "1 transport | = | = | = | = | = | =", variants: untrusted()},
		{
			row: "5", name: "reset before the first byte of the answer",
			cells: "R transport | = | = | = | 1 transport*, not idempotent | R transport* | =", variants: []faultVariant{
				{name: "reset", serve: func(x *faultExchange) { x.reset() }},
				{name: "end", serve: func(x *faultExchange) { x.raw() }},
			},
		},
		{
			row: "6", name: "idle connection closed under us",
			cells: "R ok | = | = | = | 1 ok | R ok | =", variants: []faultVariant{
				{name: "and we were told", drive: afterIdle(func(r *faultRig) { r.net.hangUp() })},
			},
		},
		{
			row: "6", name: "idle connection closed under us", dials: true,
			cells: "R ok | = | = | = | 1 ok or transport*, not idempotent | R ok | =", variants: []faultVariant{
				{name: "and nobody told us", drive: afterIdle(func(r *faultRig) { r.net.forget() })},
			},
		},
		{
			row: "7", name: "garbage where an answer belongs",
			cells: "1 transport | = | = | = | 1 transport* | = | =", variants: []faultVariant{
				{name: "status line", serve: func(x *faultExchange) { x.raw("SSH-2.0-OpenSSH_9.6\r\n\r\n") }},
				{name: "status code", serve: func(x *faultExchange) { x.raw("HTTP/1.1 2x0 OK\r\n\r\n") }},
				{name: "binary", serve: func(x *faultExchange) { x.raw(strings.Repeat("\x15\x03\x01\x00\x02\x02\x50", 100)) }},
				{name: "broken header", serve: func(x *faultExchange) { x.raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n") }},
				{name: "control character in a header", serve: func(x *faultExchange) {
					x.raw("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/" + x.r.URL.RawQuery + x.r.Header.Get("Authorization") + "\x00\x1b[31m\r\n\r\n")
				}},
				{name: "headers over 256 KiB", serve: func(x *faultExchange) {
					x.raw("HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 300<<10) + "\r\nContent-Length: 4\r\n\r\ntrue")
				}, readAtMost: 300 << 10},
				{name: "headers without end", serve: func(x *faultExchange) {
					x.endless("HTTP/1.1 200 OK\r\n", strings.Repeat("X-More: and more\r\n", 200))
				}, readAtMost: 300 << 10},
				{name: "1xx without end", serve: func(x *faultExchange) {
					x.endless("", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 50))
				}, readAtMost: 1 << 20},
			},
		},
		{
			row: "8", name: "no headers within the attempt's time",
			cells: "R timeout | = | = | = | 1 timeout*, not idempotent | R timeout* | =", variants: []faultVariant{
				{name: "nothing", serve: func(x *faultExchange) { x.stall() }},
				{name: "half a status line", serve: func(x *faultExchange) { x.stall("HTTP/1.1 20") }},
				{name: "half the headers", serve: func(x *faultExchange) { x.stall("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n") }},
			},
		},
		{
			row: "9", name: "body stalls",
			cells: "R timeout | = | = | = | 1 timeout* | = | =", variants: []faultVariant{
				{name: "before its first byte", status: 200, serve: func(x *faultExchange) {
					x.stall("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
				}},
				{name: "after its first bytes", status: 200, serve: func(x *faultExchange) {
					x.stall("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", x.half(10))
				}},
			},
		},
		{
			row: "9", name: "body comes drop by drop and never ends", // a stream is not bounded in time
			cells: "R timeout (Postings: -) | R timeout | = | = | 1 timeout* | = | =", variants: []faultVariant{
				{name: "white space", status: 200, serve: func(x *faultExchange) {
					x.drip("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", time.Second)
				}},
			},
		},
		{
			row: "9", name: "body stalls after a posting", // which was handed out
			cells: "R timeout (Postings: 1 timeout) | - | - | - | - | - | -", variants: []faultVariant{
				{name: "two postings in", status: 200, serve: func(x *faultExchange) {
					x.stall("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", x.half(afterPostings))
				}},
			},
		},
		{
			row: "10", name: "body shorter than its length; reset in the middle of it",
			cells: "R transport | = | = | = | 1 transport* | = | =", variants: []faultVariant{
				{name: "short", status: 200, serve: func(x *faultExchange) {
					x.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", x.half(10))
				}},
				{name: "no byte", status: 200, serve: func(x *faultExchange) { x.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") }},
				{name: "chunk cut off", status: 200, serve: func(x *faultExchange) {
					x.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n", x.half(10))
				}},
				{name: "last chunk missing", status: 200, only: "APJ+CD", serve: func(x *faultExchange) {
					body := string(faultData(x.rig.op.file))
					x.raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(body), body))
				}},
				{name: "reset", status: 200, serve: func(x *faultExchange) {
					x.reset("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", x.half(10))
				}},
				{name: "gzip cut off", status: 200, serve: func(x *faultExchange) {
					z := string(faultZip(faultData(x.rig.op.file)))
					x.raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", len(z)), z[:15])
				}},
			},
		},
		{
			row: "10", name: "the same after postings were handed out",
			cells: "R transport (Postings: 1 transport) | - | - | - | - | - | -", variants: []faultVariant{
				{name: "short", status: 200, serve: func(x *faultExchange) {
					x.raw("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", x.half(afterPostings))
				}},
				{name: "reset", status: 200, serve: func(x *faultExchange) {
					x.reset("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", x.half(afterPostings))
				}},
				{name: "last chunk missing", status: 200, serve: func(x *faultExchange) {
					body := string(faultData(x.rig.op.file))
					x.raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(body), body))
				}},
			},
		},
	}
}

func statusFaults() []fault {
	return []fault{
		//                                                             S | A | P | J | + | C | D
		{
			row: "11", name: "400, 405, 406, 409, 415", oneConn: true,
			cells: "1 Error | = | = | = | = | = | =", variants: slices.Concat(
				eachStatus([]int{400, 405, 406, 409, 415}, "text/plain", "Bad things\r\n\x00\x1b[31m happened", faultVariant{says: []string{"Bad things"}}),
				eachStatus([]int{400, 409}, "application/json", `{"message":"Not like this"}`, faultVariant{says: []string{"Not like this"}}),
				eachStatus([]int{400, 415}, "", "", faultVariant{}),
				eachStatus([]int{400}, "text/plain", strings.Repeat("ä", 5000), faultVariant{}),
				[]faultVariant{{name: "400 that repeats everything", status: 400, serve: echoing(400)}},
			),
		},
		{
			row: "12", name: "401, token cannot be renewed", oneConn: true,
			cells: "1 ErrUnauthorized | = | = | = | = | = | =", variants: slices.Concat(
				fromFiles(401, "401_invalid_token.header", "401_invalid_token.json", "401_no_token.txt"),
				[]faultVariant{
					{name: "the wire's own words", status: 401, code: "invalid token", serve: answerFile(401, "401_invalid_token_spaced.json")},
					{name: "a stock source", status: 401, code: "invalid_token", configure: stockSource, serve: answerFile(401, "401_invalid_token.json")},
					{name: "a page", status: 401, serve: answerWith(401, "text/html", "<html><body>Log in</body></html>")},
					{name: "that repeats everything", status: 401, serve: echoing(401)},
				},
			),
		},
		{
			row: "13", name: "401 that says the token expired, and the source renews", oneConn: true,
			cells: "2 ok | = | = | = | = | = | =", variants: []faultVariant{
				{name: "in the header", configure: renewingSource, serve: untilFresh("401_invalid_token.header")},
				{name: "in the body", configure: renewingSource, serve: untilFresh("401_invalid_token.json")},
				{name: "in the wire's words", configure: renewingSource, serve: untilFresh("401_invalid_token_spaced.json")},
				{name: "a source of another kind", configure: changingSource, serve: untilFresh("401_invalid_token.json")},
			},
		},
		{
			row: "13", name: "401 that says the token expired, and the next one too", oneConn: true,
			cells: "2 ErrUnauthorized | = | = | = | = | = | =", variants: []faultVariant{
				{name: "in the header", status: 401, code: "invalid_token", configure: renewingSource, serve: answerFile(401, "401_invalid_token.header"), after: fetchedAtMost(2)},
				{name: "in the body", status: 401, code: "invalid_token", configure: renewingSource, serve: answerFile(401, "401_invalid_token.json"), after: fetchedAtMost(2)},
				{name: "a source of another kind", status: 401, code: "invalid_token", configure: changingSource, serve: answerFile(401, "401_invalid_token.json"), after: fetchedAtMost(2)},
			},
		},
		{
			row: "13", name: "401 that says the token expired, and the renewal fails", oneConn: true,
			cells: "1 ErrUnauthorized | = | = | = | = | = | =", variants: []faultVariant{
				{name: "in the body", status: 401, code: "invalid_token", configure: failingRenewal, serve: answerFile(401, "401_invalid_token.json")},
			},
		},
		{
			row: "14", name: `401 "user token required"`, oneConn: true,
			cells: "1 ErrUnauthorized | = | = | = | = | = | =", variants: []faultVariant{
				{name: "in the header", status: 401, code: "invalid_token", configure: renewingSource, serve: answerFile(401, "401_user_token_required.header"), after: fetchedAtMost(1)},
				{name: "in the body", status: 401, code: "invalid_token", configure: renewingSource, serve: answerFile(401, "401_user_token_required.json"), after: fetchedAtMost(1)},
				{name: "a source of another kind", status: 401, code: "invalid_token", configure: changingSource, serve: answerFile(401, "401_user_token_required.json"), after: fetchedAtMost(1)},
			},
		},
		{
			row: "15", name: "403 empty; 403 insufficient_scope in header or body", oneConn: true,
			cells: "1 ErrForbidden | = | = | = | = | = | =", variants: fromFiles(403, "403_empty.txt", "403_insufficient_scope.header", "403_insufficient_scope.json"),
		},
		{
			row: "16", name: `403 plain text "not accessible"`, oneConn: true,
			cells: "1 ErrForbidden | 1 ErrPostingNotAccessible | = | 1 ErrForbidden | = | = | =", variants: slices.Concat(
				fromFiles(403, "403_posting_not_accessible.txt", "403_posting_not_accessible_quoted.json"),
				plainTexts(403, "jobposting NOT ACCESSIBLE for jobid 4711\r\n", "\ufeffThe posting of job 4711 is not accessible", "This job posting is not accessible to you."),
			),
		},
		{
			row: "17", name: "404 plain text or JSON string that speaks of a posting", oneConn: true,
			cells: "1 Error | 1 ErrPostingNotFound | = | 1 Error | = | = | =", variants: slices.Concat(
				fromFiles(404, "404_posting_not_found.txt", "404_posting_not_found_misspelt.txt", "404_posting_not_found_quoted.json"),
				plainTexts(404, "JOBPOSTING NOT FOUND\n", "There is no job posting for this job", "No posting with that id exists any more", `"  Job-Posting unknown: 4711 "`),
			),
		},
		{
			row: "17b", name: "404 empty, HTML, a router's or gateway's text", oneConn: true,
			cells: "1 Error | 1 Error | = | 1 Error | = | = | =", variants: slices.Concat(
				fromFiles(404, "404_empty.txt", "404_page.html", "404_gateway.txt", "404_router.txt"),
				plainTexts(404, "Not Found", "Cannot GET /api/rest/v3/frontend", "no healthy upstream", " \r\n", "<!-- posting --><html>The job posting is gone</html>", "\ufeff <HTML>posting not found</HTML>"),
				[]faultVariant{
					{name: "a gateway's JSON", status: 404, serve: answerWith(404, "application/json", `{"message":"no Route matched with those values","request_id":"41"}`)},
					{name: "a framework's JSON", status: 404, code: "?", serve: answerWith(404, "application/json", `{"timestamp":1,"status":404,"error":"Not Found","path":"/x"}`)},
					{name: "XML", status: 404, serve: answerWith(404, "application/xml", `<Error><Code>NoSuchKey</Code><Message>posting not found</Message></Error>`)},
				},
			),
		},
		{
			row: "17c", name: "403 HTML", oneConn: true,
			cells: "1 ErrForbidden | = | = | = | = | = | =", variants: slices.Concat(
				fromFiles(403, "403_page.html"),
				[]faultVariant{{name: "labelled as text", status: 403, serve: answerWith(403, "text/plain", "\n<html>JobPosting not accessible</html>")}},
			),
		},
		{
			row: "18", name: "404 get_project_error, not available", oneConn: true,
			cells: "1 Error | 1 ErrProjectNotAvailable | = | 1 Error | = | = | =", variants: slices.Concat(
				fromFiles(404, "404_project_not_available.json"),
				[]faultVariant{
					{name: "message first", status: 404, code: "get_project_error", serve: answerWith(404, "text/plain", `{"message":"Project not available","code":"get_project_error"}`)},
					{name: "no message", status: 404, code: "get_project_error", serve: answerWith(404, "application/json", `{"code":"get_project_error","message":null}`)},
				},
			),
		},
		{
			row: "19", name: "404 get_project_error, not accessible", oneConn: true,
			cells: "1 Error | 1 ErrProjectNotAccessible | = | 1 Error | = | = | =", variants: slices.Concat(
				fromFiles(404, "404_project_not_accessible.json"),
				[]faultVariant{{
					name: "message first", status: 404, code: "get_project_error",
					serve: answerWith(404, "text/plain", "\ufeff"+`{"message":"The project is NOT accessible to you","code":"get_project_error"}`),
				}},
			),
		},
		{
			row: "20", name: "404 get_application_error", oneConn: true,
			cells: "1 Error | 1 Error | 1 ErrApplicationNotFound | 1 Error | = | = | =", variants: slices.Concat(
				fromFiles(404, "404_application_not_found.json", "404_application_not_found_bare.txt"),
				[]faultVariant{{
					name: "a message that speaks of a posting", status: 404, code: "get_application_error",
					serve: answerWith(404, "application/json", `{"code":"get_application_error","message":"no application for this job posting, or not accessible"}`),
				}},
			),
		},
		{
			row: "21", name: "404 JSON with an unknown code", oneConn: true,
			cells: "1 Error | = | = | = | = | = | =", variants: slices.Concat(
				fromFiles(404, "404_unknown_code.json"),
				[]faultVariant{
					{name: "that speaks of a posting", status: 404, code: "posting_moved", serve: answerWith(404, "application/json", `{"code":"posting_moved","message":"posting not found"}`)},
					{name: "compressed", status: 404, code: "get_horoscope_error", serve: func(x *faultExchange) {
						x.Header().Set("Content-Encoding", "gzip")
						x.answer(404, "application/json", faultZip(faultData("errors/404_unknown_code.json")))
					}},
				},
			),
		},
		{
			row: "21", name: "404 HTML of 5 MiB",
			cells: "1 Error | = | = | = | = | = | =", variants: []faultVariant{
				{name: "plain", status: 404, readAtMost: 80 << 10, serve: answerWith(404, "text/html", "<html>"+strings.Repeat("<p>posting</p>", 5<<20/14))},
				{name: "compressed", status: 404, serve: func(x *faultExchange) {
					x.Header().Set("Content-Encoding", "gzip")
					x.answer(404, "text/html", bigPage())
				}},
				{name: "JSON with its code behind 64 KiB", status: 404, readAtMost: 80 << 10, serve: answerWith(404, "application/json",
					`{"text":"`+strings.Repeat("x", 100<<10)+`","code":"get_project_error"}`)},
			},
		},
		{
			row: "22", name: "410 plain text", oneConn: true,
			cells: "1 Error | 1 ErrPostingInactive | = | 1 Error | = | = | =", variants: slices.Concat(
				fromFiles(410, "410_posting_inactive.txt", "410_posting_inactive_quoted.json"),
				plainTexts(410, "jobposting is INACTIVE\n"),
			),
		},
		{
			row: "23", name: "429 without Retry-After", oneConn: true,
			cells: "R ErrRateLimited | = | = | = | R ErrRateLimited | = | =", variants: slices.Concat(
				eachStatus([]int{429}, "text/plain", "slow down", faultVariant{says: []string{"slow down"}}),
				eachStatus([]int{429}, "", "", faultVariant{}),
			),
		},
		{
			row: "24", name: "429 with Retry-After 2", oneConn: true,
			cells: "2 ok | = | = | = | 2 ok | = | =", variants: retryAfterTwo(429),
		},
		{
			row: "24", name: "503 with Retry-After 2", oneConn: true,
			cells: "2 ok | = | = | = | 1 ErrServer*, not idempotent | = | =", variants: retryAfterTwo(503),
		},
		{
			row: "25", name: "429 with a Retry-After over the bound", oneConn: true,
			cells: "1 ErrRateLimited, Retry-After | = | = | = | = | = | =", variants: retryAfterFar(429),
		},
		{
			row: "25", name: "503 with a Retry-After over the bound", oneConn: true,
			cells: "1 ErrServer, Retry-After | = | = | = | 1 ErrServer*, not idempotent | 1 ErrServer*, Retry-After | =", variants: retryAfterFar(503),
		},
		{
			row: "25", name: "429 with an unusable Retry-After", oneConn: true,
			cells: "R ErrRateLimited | = | = | = | = | = | =", variants: retryAfterJunk(429),
		},
		{
			row: "25", name: "503 with an unusable Retry-After", oneConn: true,
			cells: "R ErrServer | = | = | = | 1 ErrServer*, not idempotent | R ErrServer* | =", variants: retryAfterJunk(503),
		},
		{
			row: "26", name: "502, 503, 504", oneConn: true,
			cells: "R ErrServer | = | = | = | 1 ErrServer*, not idempotent | R ErrServer* | =", variants: slices.Concat(
				eachStatus([]int{502, 503, 504}, "text/html", "<html>Bad Gateway</html>", faultVariant{}),
				eachStatus([]int{503}, "", "", faultVariant{}),
				[]faultVariant{{name: "503 that repeats everything", status: 503, serve: echoing(503)}},
			),
		},
		{
			row: "26", name: "500", oneConn: true,
			cells: "R ErrServer | = | = | = | 1 ErrServer*, not idempotent | = | =", variants: slices.Concat(
				fromFiles(500, "500_empty.txt", "500_processing.txt"),
				[]faultVariant{{name: "500_processing.json", status: 500, code: "internal_error", serve: answerFile(500, "500_processing.json")}},
			),
		},
		{
			row: "27", name: "503, 503, 200", oneConn: true,
			cells: "3 ok | = | = | = | 1 ErrServer*, not idempotent | 3 ok | =", variants: []faultVariant{
				{name: "in this order", status: 503, serve: func(x *faultExchange) {
					if x.n > 2 {
						x.good()
						return
					}
					x.answer(503, "", nil)
				}},
			},
		},
		{
			row: "28", name: "501, 505", oneConn: true,
			cells: "1 ErrServer | = | = | = | = | = | =", variants: eachStatus([]int{501, 505}, "text/plain", "never", faultVariant{}),
		},
		{
			row: "29", name: "everything 503, 200 callers",
			cells: "1 ErrServer | = | = | = | 1 ErrServer*, not idempotent | 1 ErrServer* | =", variants: []faultVariant{
				{name: "at most 1.10 requests a call", status: 503, serve: answerWith(503, "", ""), drive: outage(200, 5)},
				{name: "one call each", status: 503, serve: answerWith(503, "", ""), drive: outage(200, 1)},
			},
		},
		{
			row: "30", name: "204, or an empty 200", oneConn: true,
			cells: "1 ErrDecode | 1 ErrDecode | 1 ErrDecode | 1 ErrDecode | 1 ok | = | =", variants: []faultVariant{
				{name: "204", status: 204, serve: func(x *faultExchange) { x.WriteHeader(204) }, check: nothing},
				{name: "200", status: 200, serve: answerWith(200, "application/json", ""), check: nothing},
				{name: "200 compressed", status: 200, serve: func(x *faultExchange) {
					x.Header().Set("Content-Encoding", "gzip")
					x.answer(200, "application/json", faultZip(nil))
				}, check: nothing},
				{name: "white space", status: 200, only: "SAPJ", serve: answerWith(200, "application/json", " \r\n\t\n")},
				{name: "a byte order mark", status: 200, only: "SAPJ", serve: answerWith(200, "application/json", "\ufeff")},
			},
		},
	}
}

func redirectFaults() []fault {
	return []fault{
		//                                                             S | A | P | J | + | C | D
		{
			row: "31", name: "to the same origin", many: true, oneConn: true,
			cells: "2 ok | = | = | = | 1 ErrRedirect | = | =", variants: redirects(1, 301, 302, 303, 307, 308),
		},
		{
			row: "31", name: "to the same origin, three times", many: true, oneConn: true,
			cells: "4 ok | = | = | = | 1 ErrRedirect | = | =", variants: redirects(3, 301, 308),
		},
		{
			row: "31", name: "to the same origin, four times", many: true, oneConn: true,
			cells: "4 ErrRedirect | = | = | = | 1 ErrRedirect | = | =", variants: redirects(4, 302, 307),
		},
		{
			row: "31", name: "to the same origin, in other words", many: true, oneConn: true,
			cells: "2 ok | = | = | = | 1 ErrRedirect | = | =", variants: sameOrigins(),
		},
		{
			row: "32", name: "to somewhere else", many: true, oneConn: true,
			cells: "1 ErrRedirect | = | = | = | 1 ErrRedirect | = | =", variants: foreignLocations(),
		},
		{
			row: "32", name: "to somewhere else, from the same origin", many: true, oneConn: true,
			cells: "2 ErrRedirect | = | = | = | 1 ErrRedirect | = | =", variants: []faultVariant{
				{name: "chained", status: 302, serve: func(x *faultExchange) {
					target := "/pre/fix/step"
					if x.n == 2 {
						target = "http://other.example:1/"
					}
					x.Header().Set("Location", target)
					x.WriteHeader(302)
				}},
			},
		},
		{
			row: "33", name: "loop", many: true, oneConn: true,
			cells: "≤4 ErrRedirect | = | = | = | 1 ErrRedirect | = | =", variants: []faultVariant{
				{name: "to itself", status: 302, serve: func(x *faultExchange) {
					x.Header().Set("Location", x.r.RequestURI)
					x.WriteHeader(302)
				}},
				{name: "to nowhere in particular", status: 307, serve: answerWith(307, "", "", "Location", "//")},
				{name: "of two", status: 308, serve: func(x *faultExchange) {
					x.Header().Set("Location", "/pre/fix/"+strconv.Itoa(x.n%2))
					x.WriteHeader(308)
				}},
			},
		},
		{
			row: "33", name: "no or broken Location; 300, 304, 305", many: true,
			cells: "1 ErrRedirect | = | = | = | 1 ErrRedirect | = | =", variants: slices.Concat(
				locations(302, "", "http://[::1", "http://a b.example/"+canaryText, "%zz", "http://127.0.0.1:99999999/", "http://", "http:///pre/fix", "http:opaque", ":", "1http://x/"),
				locations(300, "/pre/fix/x"), locations(304, "/pre/fix/x"), locations(305, "/pre/fix/x"), locations(306, "/pre/fix/x"), locations(399, "/pre/fix/x"),
				[]faultVariant{{name: "no Location", status: 301, serve: answerWith(301, "text/html", "<html>moved</html>")}},
			),
		},
	}
}

func bodyFaults() []fault {
	return []fault{
		//                                                             S | A | P | J | + | C | D
		{
			row: "34", name: "null, {}, a string or number where an object belongs", oneConn: true,
			cells: "1 ErrDecode | 1 ErrDecode | 1 ErrDecode | 1 ErrDecode | 1 ok | = | =", variants: slices.Concat(
				looseBodies("SAPJ+CD", "null", "{}", "[]", `[true]`, `{"a":[1,{"b":null}]}`, " \ufeff{} \n"[1:]),
				looseBodies("SAJ+CD", `"text"`, `"true"`, "42", "-1.5e3"),
				looseBodies("SJ", "true", "false"),
				looseBodies("A", "True", "TRUE", "1", "0", "yes", "nul", "truefalse", `{"applied":true}`, "t", "fals"),
				looseBodies("S", `{"totalNumberOfJobs":1}`, `{"results":[]}`, `{"totalNumberOfJobs":null,"results":[]}`, `{"totalNumberOfJobs":1,"results":{}}`,
					`{"totalNumberOfJobs":1,"results":[null]}`, `{"totalNumberOfJobs":1,"results":[1]}`, `{"totalNumberOfJobs":1,"results":[{"title":"x"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1}]}`, `{"totalNumberOfJobs":1,"results":[{"jobPostingId":null,"title":"x"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":null}]}`, `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":7}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x","config":[]}]}`, `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"},]}`, `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}],}`),
				looseBodies("J", `{"jobTitle":"x","applyPossible":true}`, `{"jobId":1,"applyPossible":true}`, `{"jobId":1,"jobTitle":"x"}`,
					`{"jobId":1,"jobTitle":"x","applyPossible":null}`, `{"jobId":null,"jobTitle":"x","applyPossible":true}`, `{"jobId":1,"jobTitle":null,"applyPossible":true}`,
					`{"jobId":1,"jobTitle":"x","applyPossible":"yes"}`, `{"jobId":1,"jobTitle":"x","applyPossible":1}`, `{"jobId":1,"jobTitle":"x","applyPossible":true,"questions":{}}`,
					`{"jobId":1,"jobTitle":"x","applyPossible":true,"questions":[7]}`, `{"jobId":1,"jobTitle":"x","applyPossible":true,"location":"Berlin"}`,
					`{"jobId":1,"jobTitle":"x","applyPossible":true`, `{jobId:1,"jobTitle":"x","applyPossible":true}`),
			),
		},
		{
			row: "35", name: "an HTML page, whatever its content type", oneConn: true,
			cells: "1 ErrDecode | = | = | = | 1 ErrDecode* | = | =", variants: htmlPages(),
		},
		{row: "36", name: "ERROR_JOB_INACTIVE", oneConn: true, cells: "- | - | - | 1 ErrJobInactive | - | - | -", variants: lookupCodes("ERROR_JOB_INACTIVE", 200)},
		{row: "36", name: "ERROR_JOB_UNAVAILABLE", oneConn: true, cells: "- | - | - | 1 ErrJobUnavailable | - | - | -", variants: lookupCodes("ERROR_JOB_UNAVAILABLE", 200)},
		{row: "36", name: "ERROR_POSTING_UNAVAILABLE", oneConn: true, cells: "- | - | - | 1 ErrPostingUnavailable | - | - | -", variants: lookupCodes("ERROR_POSTING_UNAVAILABLE", 200)},
		{
			row: "37", name: "ERROR_JOB_INACTIVE with a status", oneConn: true,
			cells: "- | - | - | 1 ErrJobInactive | - | - | -", variants: lookupCodes("ERROR_JOB_INACTIVE", 400, 404, 409, 410, 422, 500, 401, 403, 429, 503),
		},
		{
			row: "37", name: "ERROR_JOB_UNAVAILABLE with a status", oneConn: true,
			cells: "- | - | - | 1 ErrJobUnavailable | - | - | -", variants: lookupCodes("ERROR_JOB_UNAVAILABLE", 400, 404, 409, 410, 422, 500, 401, 403, 429, 503),
		},
		{
			row: "37", name: "ERROR_POSTING_UNAVAILABLE with a status", oneConn: true,
			cells: "- | - | - | 1 ErrPostingUnavailable | - | - | -", variants: lookupCodes("ERROR_POSTING_UNAVAILABLE", 400, 404, 409, 410, 422, 500, 401, 403, 429, 503),
		},
		{
			row: "38", name: "a complete answer whose title, label or link begins with one of these words", oneConn: true,
			cells: "- | - | - | 1 ok | - | - | -", variants: goodBodies("J",
				`{"jobId":1,"jobTitle":"ERROR_JOB_INACTIVE","applyPossible":true}`,
				`{"jobId":1,"jobTitle":"ERROR_JOB_INACTIVE: how to debug it","applyPossible":false,"companyName":"ERROR_JOB_UNAVAILABLE"}`,
				`{"dataSecurityLink":"ERROR_POSTING_UNAVAILABLE","jobId":1,"jobTitle":"x","applyPossible":true,"questions":[{"id":"ERROR_JOB_INACTIVE","type":"TEXT","label":"ERROR_JOB_INACTIVE"}]}`,
				`{"jobId":1,"jobTitle":"x","applyPossible":true,"nationalities":[{"id":"1","label":"ERROR_JOB_UNAVAILABLE"}],"location":{"geoName":"ERROR_JOB_INACTIVE"}}`,
				`{"jobId":1,"jobTitle":"x","applyPossible":true,"notes":"ERROR_JOB_INACTIVE"}`,
			),
		},
		{
			row: "38", name: "an incomplete answer with such a word in a member of its own", oneConn: true,
			cells: "- | - | - | 1 ErrDecode | - | - | -", variants: badBodies("J",
				`{"jobId":1,"jobTitle":"ERROR_JOB_INACTIVE"}`, `{"jobTitle":"x","companyName":"ERROR_JOB_UNAVAILABLE","location":{"geoName":"ERROR_JOB_INACTIVE"}}`,
				`{"message":"see ERROR_JOB_INACTIVE"}`, `{"message":"ERROR_JOB_INACTIVEX"}`, `"XERROR_JOB_INACTIVE"`, `{"ERROR_JOB_INACTIVE":1}`,
			),
		},
		{
			row: "39", name: "keys that differ only in case", oneConn: true,
			cells: "1 ErrDecode or ok | - | - | 1 ErrDecode or ok | - | - | -", variants: slices.Concat(
				exactWins("S", `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}]}`,
					`{"totalNumberOfJobs":1,"TotalNumberOfJobs":2,"results":[{"jobPostingId":1,"JobPostingID":2,"title":"x","TITLE":"y"}],"Results":[]}`,
					`{"TotalNumberOfJobs":2,"totalNumberOfJobs":1,"RESULTS":[{"jobPostingId":3,"title":"z"}],"results":[{"JOBPOSTINGID":2,"jobPostingId":1,"Title":"y","title":"x"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x","re\u017fult\u017f":1}],"re\u017fult\u017f":[]}`),
				exactWins("J", `{"jobId":1,"jobTitle":"x","applyPossible":false}`,
					`{"jobId":1,"JobId":2,"jobTitle":"x","JOBTITLE":"y","applyPossible":false,"ApplyPossible":true}`,
					`{"JobId":2,"jobId":1,"JOBTITLE":"y","jobTitle":"x","ApplyPossible":true,"applyPossible":false}`),
			),
		},
		{
			row: "39", name: "keys that stand twice", oneConn: true,
			cells: "1 ErrDecode or ok | - | - | 1 ErrDecode or ok | - | - | -", variants: slices.Concat(
				exactWins("S", `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}]}`,
					`{"totalNumberOfJobs":1,"totalNumberOfJobs":2,"results":[{"jobPostingId":1,"title":"x"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x","title":"y"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}],"results":[{"jobPostingId":2,"title":"y"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"jobPostingId":2,"title":"x"}]}`,
					`{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"jobPostin\u0067Id":2,"title":"x"}]}`),
				exactWins("J", `{"jobId":1,"jobTitle":"x","applyPossible":false}`,
					`{"jobId":1,"jobTitle":"x","applyPossible":false,"applyPossible":true}`,
					`{"jobId":1,"jobId":2,"jobTitle":"x","applyPossible":false}`,
					`{"jobId":1,"jobTitle":"x","jobTitle":"y","applyPossible":false}`,
					`{"jobId":1,"jobTitle":"x","applyPossible":false,"apply\u0050ossible":true}`),
			),
		},
		{
			row: "39", name: "keys in another case only", oneConn: true,
			cells: "1 ErrDecode | - | - | 1 ErrDecode | - | - | -", variants: slices.Concat(
				badBodies("S", `{"TotalNumberOfJobs":1,"results":[]}`, `{"totalNumberOfJobs":1,"Results":[]}`, `{"totalNumberOfJobs":1,"results":[{"JobPostingId":1,"title":"x"}]}`),
				badBodies("J", `{"JOBID":1,"jobTitle":"x","applyPossible":true}`, `{"jobId":1,"jobTitle":"x","applypossible":true}`)),
		},
		{
			row: "40", name: "nesting of 65, 10 001, 1 000 000",
			cells: "1 ErrDecode | = | = | = | = | = | =", variants: nestings(65, 10_001, 1_000_000),
		},
		{
			row: "40", name: "nesting of 60 in what nobody reads",
			cells: "1 ok | - | - | 1 ok | 1 ok | = | =", variants: shallow(),
		},
		{
			row: "41", name: "gzip bomb 1 : 1000; endless body",
			cells: "1 ErrResponseTooLarge | = | = | = | = | = | =", variants: endlessBodies(),
		},
		{
			row: "42", name: "br, double gzip, broken gzip",
			cells: "1 ErrDecode | = | = | = | 1 ErrDecode* | = | =", variants: badEncodings(),
		},
		{
			row: "43", name: "bytes after the value",
			cells: "1 ErrDecode | = | = | = | 1 ErrDecode* | = | =", variants: trailingBytes(),
		},
		{
			row: "44", name: "a quoted number for an identifier or a timestamp; an ISO date for a timestamp in milliseconds", oneConn: true,
			cells: "1 ok | - | - | 1 ok | - | - | -", variants: []faultVariant{
				{name: "a quoted page", only: "S", serve: answerWith(200, "application/json", string(faultData("search_quoted.json"))), check: isJSON(string(faultJSONField(faultData("search.json"), "results")))},
				{name: "a quoted job", only: "J", serve: answerWith(200, "application/json", string(faultData("jobinfo_quoted.json"))), check: isJSON(quotedJob)},
			},
		},
		{
			row: "45", name: "a word for a number; beyond int64; 1e3", oneConn: true,
			cells: "1 ErrDecode | 1 ErrDecode | - | 1 ErrDecode | - | - | -", variants: wrongNumbers(),
		},
		{
			row: "46", name: "unknown and absent parts, and null for anything optional", oneConn: true,
			cells: "1 ok | - | - | 1 ok | - | - | -", variants: lenientBodies(),
		},
		{
			row: "47", name: "identifier bare, quoted, with BOM or newline, all digits", oneConn: true,
			cells: "- | - | 1 ok | - | - | - | -", variants: goodIdentifiers(),
		},
		{
			row: "48", name: "identifier of 257 bytes, with control characters, empty", oneConn: true,
			cells: "- | - | 1 ErrDecode | - | - | - | -", variants: slices.Concat(
				badBodies("P", strings.Repeat("x", 257), `"`+strings.Repeat("x", 257)+`"`, "abc\x00def", "abc\x1bdef", "abc\ndef", "abc\u0085def", `"abc\u0000def"`, `"abc\ndef"`, `""`, `" "`, "\x00", `"abc`, `abc"def`),
				badBodies("P", "null", "{", "[1]", `{"id":"x"}`, "<x>", "no such application"),
			),
		},
		{
			row: "49", name: "invalid UTF-8", oneConn: true,
			cells: "1 ok | 1 ErrDecode | = | 1 ok | - | - | -", variants: []faultVariant{
				{name: "in a title", only: "S", serve: answerWith(200, "application/json", "{\"totalNumberOfJobs\":1,\"results\":[{\"jobPostingId\":1,\"title\":\"a\xffb\xc3\"}]}"), check: titles("a\ufffdb\ufffd")},
				{name: "in a job's title", only: "J", serve: answerWith(200, "application/json", "{\"jobId\":1,\"jobTitle\":\"a\xffb\xc3\",\"applyPossible\":true}"), check: jobTitle("a\ufffdb\ufffd")},
				{name: "in a boolean", status: 200, only: "A", serve: answerWith(200, "application/json", "true\xff")},
				{name: "in an identifier", status: 200, only: "P", serve: answerWith(200, "text/plain", "abc\xffdef")},
				{name: "in a quoted identifier", status: 200, only: "P", serve: answerWith(200, "application/json", "\"abc\xffdef\"")},
			},
		},
	}
}

func callerFaults() []fault {
	return []fault{
		//                                                             S | A | P | J | + | C | D
		{
			row: "50", name: "context already canceled",
			cells: "0 canceled | = | = | = | = | = | =", variants: []faultVariant{{name: "canceled", drive: endedContext(false)}},
		},
		{
			row: "50", name: "context already over its deadline",
			cells: "0 deadline | = | = | = | = | = | =", variants: []faultVariant{{name: "late", drive: endedContext(true)}},
		},
		{
			row: "51", name: "cancel while waiting for headers",
			cells: "1 canceled | = | = | = | 1 canceled* | = | =", variants: []faultVariant{
				{name: "of the first answer", serve: func(x *faultExchange) { x.stall() }, drive: cancelWhileBlocked},
			},
		},
		{
			row: "51", name: "cancel while waiting for the body",
			cells: "1 canceled | = | = | = | 1 canceled* | = | =", variants: []faultVariant{
				{name: "before its first byte", status: 200, serve: func(x *faultExchange) { x.stall("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") }, drive: cancelWhileBlocked},
				{name: "in the middle", status: 200, serve: func(x *faultExchange) {
					x.stall("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", x.half(afterPostings))
				}, drive: cancelWhileBlocked},
			},
		},
		{
			// What is sent once does not wait, unless the service said that it did nothing.
			row: "51", name: "cancel in the back-off",
			cells: "1 canceled | = | = | = | - | 1 canceled* | =", variants: []faultVariant{
				{name: "after a 503", serve: answerWith(503, "", ""), drive: cancelWhileBlocked},
			},
		},
		{
			row: "51", name: "cancel in the back-off after a 429",
			cells: "1 canceled | = | = | = | 1 canceled* | = | =", variants: []faultVariant{
				{name: "after a 429", serve: answerWith(429, "", ""), drive: cancelWhileBlocked},
			},
		},
		{
			// Nothing was sent: nothing can have been executed.
			row: "51", name: "cancel while waiting for a token",
			cells: "0 canceled | = | = | = | = | = | =", variants: []faultVariant{
				{name: "of a source of another kind", configure: hangingSource, drive: cancelWhileBlocked},
				{name: "of a renewing source", configure: hangingRenewal, drive: cancelWhileBlocked},
			},
		},
		{
			row: "52", name: "deadline before the next attempt",
			cells: "1 ErrServer, deadline | = | = | = | - | 1 ErrServer*, deadline | =", variants: []faultVariant{
				{name: "in 50 ms", status: 503, serve: answerWith(503, "", ""), drive: withDeadline(50*time.Millisecond, 0)},
				{name: "in 1 s, and 50 ms of it left", status: 503, serve: func(x *faultExchange) {
					<-time.After(950 * time.Millisecond)
					x.WriteHeader(503)
				}, drive: withDeadline(time.Second, 950*time.Millisecond)},
			},
		},
		{
			row: "52", name: "deadline before the service wants to be asked again",
			cells: "1 ErrRateLimited, deadline | = | = | = | = | = | =", variants: []faultVariant{
				{name: "in 1 s", status: 429, retryAfter: 2 * time.Second, serve: answerWith(429, "", "", "Retry-After", "2"), drive: withDeadline(time.Second, 0)},
			},
		},
		{
			row: "53", name: "token source fails, or returns an expired, empty or CR/LF token",
			cells: "0 ErrToken | = | = | = | = | = | =", variants: badSources(),
		},
		{
			row: "53", name: "the client's token source fails, and the lookup has none",
			cells: "- | - | - | 1 ok | - | - | -", variants: []faultVariant{{name: "not asked", configure: failingBaseSource, after: fetchedAtMost(0)}},
		},
		{
			row: "54", name: "token source hangs",
			cells: "0 deadline | = | = | = | = | = | =", variants: []faultVariant{
				{name: "a source of another kind", configure: hangingSource, drive: withDeadline(3*time.Second, 3*time.Second)},
				{name: "a renewing source", configure: hangingRenewal, drive: withDeadline(3*time.Second, 3*time.Second)},
			},
		},
		{
			row: "54", name: "the client's token source hangs, and the lookup has none",
			cells: "- | - | - | 1 ok | - | - | -", variants: []faultVariant{{name: "not asked", configure: hangingBaseSource, after: fetchedAtMost(0)}},
		},
		{
			row: "55", name: "100 callers, the source fails",
			cells: "0 ErrToken | = | = | = | = | = | =", variants: []faultVariant{
				{name: "a source of another kind", configure: slowFailure, drive: callers(100)},
				{name: "a renewing source", configure: slowFailingRenewal, drive: callers(100)},
				{name: "an applicant each", only: "SAP", configure: slowFailure, drive: callersOfTheirOwn(100)},
			},
		},
		{
			row: "55", name: "100 callers, the client's source fails, and the lookup has none",
			cells: "- | - | - | 1 ok | - | - | -", variants: []faultVariant{{name: "not asked", configure: failingBaseSource, after: fetchedAtMost(0)}},
		},
		{
			row: "56", name: "input that cannot be sent",
			cells: "0 ErrInvalidInput | = | = | = | = | = | =", variants: badInputs(),
		},
		{
			row: "57", name: "http base with a credential, host not loopback, not allowed",
			cells: "0 ErrInvalidInput | = | = | 1 ok | 0 ErrInvalidInput | = | =", variants: []faultVariant{
				{name: "NewClient or the call", drive: insecureBase},
			},
		},
		{
			row: "58", name: "30 % random 503",
			cells: "1 ok | = | = | = | 1 ok or ErrServer*, not idempotent | 1 ok | =", variants: []faultVariant{
				{name: "99.5 % succeed", serve: thirtyPercent, drive: overload(2000)},
			},
		},
	}
}

// Deviations are cells that do not hold as the table says, and what holds
// instead. They are asserted like the rest.
var knownDeviations = []struct{ row, columns, cell, reason string }{
	{"40", "+CD", "1 ErrDecode*", "a 200 says that the call was executed, whatever its body is worth: as in rows 35, 42 and 43"},
	{"41", "+CD", "1 ErrResponseTooLarge*", "a 200 says that the call was executed, however long its body is"},
}

// pendingFaults are cells that are known not to hold yet, as
// "row and name/form/operation", each with a word why; a * stands for anything. One
// that holds after all fails the test, so that the list shrinks.
var pendingFaults = map[string]string{}

// TestFaultMatrix holds every cell of the table against the real server,
// transport and retry loop, in virtual time.
func TestFaultMatrix(t *testing.T) {
	start := time.Now()
	var cells, calls atomic.Int64
	t.Cleanup(func() {
		t.Logf("figure: fault matrix: %d cells by form of the fault and operation, %d runs, in %v", cells.Load(), calls.Load(), time.Since(start).Round(time.Millisecond))
		faultMemory.Lock()
		defer faultMemory.Unlock()
		for kind, most := range faultMemory.most {
			t.Logf("at most %.1f MiB allocated against an endless answer: %s", float64(most)/(1<<20), kind)
		}
	})
	for _, f := range faultTable() {
		row, err := parseFaultRow(f.cells)
		if err != nil {
			t.Fatalf("row %s, %s: %v", f.row, f.name, err)
		}
		for _, d := range knownDeviations {
			for _, column := range d.columns {
				if d.row == f.row && !row[string(column)].none && row[string(column)].outcomes[0].name != "ok" {
					if row[string(column)], err = parseFaultCell(d.cell); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		t.Run(f.row+" "+f.name, func(t *testing.T) {
			if f.row != "41" { // which measures what is allocated
				t.Parallel()
			}
			for i := range f.variants {
				v := &f.variants[i]
				t.Run(v.name, func(t *testing.T) {
					for j, op := range faultOps {
						cell := op.cell(row)
						if cell.none || v.only != "" && !strings.Contains(v.only, op.column) {
							continue
						}
						cells.Add(1)
						calls.Add(runFault(t, &f, v, op, cell, i+j))
					}
				})
			}
		})
	}
}

// runFault runs a cell: where it says R, once with the fault and once with
// the fault in the first attempt only.
func runFault(t *testing.T, f *fault, v *faultVariant, op *faultOp, cell faultCell, index int) (runs int64) {
	t.Helper()
	var problems []string
	for _, faulty := range []int{-1, 1} {
		if faulty > 0 && (!cell.repeated || cell.outcomes[0].name == "ok") {
			continue
		}
		r := newFaultRig(f, v, op, index)
		r.faulty = faulty
		r.run(t, cell)
		runs++
		for _, p := range r.problems {
			if faulty > 0 {
				p = "after one fault: " + p
			}
			problems = append(problems, p)
		}
	}
	name := f.row + " " + f.name + "/" + v.name + "/" + op.label
	reason, pending := pendingFault(name)
	switch {
	case pending && len(problems) == 0:
		t.Errorf("%s holds now: take it off the list (%s)", name, reason)
	case pending:
		t.Logf("%s does not hold yet (%s): %s", name, reason, problems[0])
	default:
		for _, p := range problems {
			t.Errorf("%s: %s", op.label, p)
		}
	}
	return runs
}

func pendingFault(name string) (reason string, ok bool) {
	for pattern, reason := range pendingFaults {
		if faultMatches(pattern, name) {
			return reason, true
		}
	}
	return "", false
}

func faultMatches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for i, p := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(name, p)
		}
		at := strings.Index(name, p)
		if at < 0 {
			return false
		}
		name = name[at+len(p):]
	}
	return name == ""
}

// TestFaultMatrixIsWhole: no row and no cell is left out.
func TestFaultMatrixIsWhole(t *testing.T) {
	// Where the table itself has no cell, by column.
	empty := map[string]string{
		"36": "SAP+CD", "37": "SAP+CD", "38": "SAP+CD", "39": "AP+CD", "44": "AP+CD", "45": "P+CD", "46": "AP+CD", "47": "SAJ+CD",
		"48": "SAJ+CD", "49": "+CD", "52": "+",
	}
	filled := map[string]map[string]bool{}
	note := func(f fault) {
		cells, err := parseFaultRow(f.cells)
		if err != nil {
			t.Fatalf("row %s: %v", f.row, err)
		}
		if filled[f.row] == nil {
			filled[f.row] = map[string]bool{}
		}
		for column, cell := range cells {
			for _, v := range f.variants {
				if !cell.none && (v.only == "" || strings.Contains(v.only, column) || column == "Postings" && strings.Contains(v.only, "S")) {
					filled[f.row][column] = true
				}
			}
			if len(f.variants) == 0 {
				t.Errorf("row %s, %s has no form", f.row, f.name)
			}
		}
	}
	for _, f := range faultTable() {
		note(f)
	}
	rows := []string{"17b", "17c"}
	for i := range 58 {
		rows = append(rows, strconv.Itoa(i+1))
	}
	for _, row := range rows {
		for _, column := range []string{"S", "Postings", "A", "P", "J", "+", "C", "D"} {
			in := column
			if in == "Postings" {
				in = "S"
			}
			if !filled[row][column] && !strings.Contains(empty[row], in) {
				t.Errorf("row %s has no cell %s", row, column)
			}
		}
		delete(filled, row)
	}
	for row := range filled {
		t.Errorf("row %s is not in the table", row)
	}
}

// Forms of faults.

func eachStatus(statuses []int, kind, body string, v faultVariant) (all []faultVariant) {
	for _, status := range statuses {
		v.name = fmt.Sprintf("%d %s %.20q", status, kind, body)
		v.status, v.serve = status, answerWith(status, kind, body)
		all = append(all, v)
	}
	return all
}

func answerWith(status int, kind, body string, header ...string) func(*faultExchange) {
	return func(x *faultExchange) {
		for i := 0; i+1 < len(header); i += 2 {
			x.Header().Set(header[i], header[i+1])
		}
		x.answer(status, kind, []byte(body))
	}
}

// answerFile answers with a file of testdata/errors; one that ends in .header
// is a header line.
func answerFile(status int, name string) func(*faultExchange) {
	content := string(faultData("errors/" + name))
	if strings.HasSuffix(name, ".header") {
		key, value, _ := strings.Cut(strings.TrimSpace(content), ": ")
		return answerWith(status, "", "", key, value)
	}
	kind := "text/plain"
	switch {
	case strings.HasSuffix(name, ".json"):
		kind = "application/json"
	case strings.HasSuffix(name, ".html"):
		kind = "text/html"
	}
	return answerWith(status, kind, content)
}

// fromFiles are bodies of testdata/errors, with the right label and with that
// of JSON.
func fromFiles(status int, names ...string) (all []faultVariant) {
	codes := map[string]string{
		"401_invalid_token": "invalid_token", "403_insufficient_scope": "insufficient_scope", "404_project": "get_project_error",
		"404_application": "get_application_error", "404_unknown": "get_horoscope_error",
	}
	for _, name := range names {
		v := faultVariant{name: name, status: status, serve: answerFile(status, name)}
		for prefix, code := range codes {
			if strings.HasPrefix(name, prefix) {
				v.code = code
			}
		}
		all = append(all, v)
		if !strings.HasSuffix(name, ".header") {
			v.name += " labelled as JSON"
			v.serve = answerWith(status, "application/json", string(faultData("errors/"+name)))
			all = append(all, v)
		}
	}
	return all
}

func plainTexts(status int, all ...string) (variants []faultVariant) {
	for _, text := range all {
		variants = append(variants, faultVariant{name: text, status: status, serve: answerWith(status, "text/plain", text)})
	}
	return variants
}

// echoing is a service that puts into its answer whatever it was told.
func echoing(status int) func(*faultExchange) {
	return func(x *faultExchange) {
		r := x.rig
		told := []string{x.r.Header.Get("Authorization"), strings.TrimPrefix(x.r.Header.Get("Authorization"), "Bearer "), x.r.URL.RawQuery}
		for _, values := range x.r.URL.Query() {
			if values[0] != canaryChannel {
				told = append(told, values[0])
			}
		}
		if r.op.slot == "base" && r.cfg.ClientID != "" {
			told = append(told, r.cfg.ClientID)
		}
		text := strings.ReplaceAll(strings.Join(told, " "), canaryChannel, "-")
		x.Header().Set("X-Echo", strings.Join(strings.Fields(text), "-"))
		switch x.n % 2 {
		case 0:
			x.answer(status, "text/plain", []byte("You said "+text))
		default:
			b, _ := json.Marshal(map[string]any{"message": "You said " + text, "error_description": text})
			x.answer(status, "application/json", b)
		}
	}
}

const afterPostings = -1

// half is the beginning of the good answer: n bytes, or up to the middle of
// the third posting.
func (x *faultExchange) half(n int) string {
	body := string(faultData(x.rig.op.file))
	if n == afterPostings && x.rig.op.column == "S" {
		return body[:strings.Index(body, "41880217")]
	}
	if n < 0 || n > len(body)/2 {
		n = len(body) / 2
	}
	return body[:n]
}

// endless repeats a part until the client leaves.
func (x *faultExchange) endless(first, part string) {
	c := x.hijack()
	defer c.Close()
	for _, err := c.Write([]byte(first)); err == nil; {
		_, err = c.Write([]byte(part))
	}
}

// drip sends a part every so often until the client leaves.
func (x *faultExchange) drip(first, part string, every time.Duration) {
	c := x.hijack()
	defer c.Close()
	for _, err := c.Write([]byte(first)); err == nil; {
		select {
		case <-time.After(every):
		case <-x.rig.release:
			return
		}
		_, err = c.Write([]byte(part))
	}
}

func faultZip(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(b)
	_ = w.Close()
	return z.Bytes()
}

func nothing(_ *faultOp, value any) string {
	if value != nil {
		return fmt.Sprintf("the result is %v, want none", value)
	}
	return ""
}

// isJSON compares with JSON.
func isJSON(want string) func(*faultOp, any) string {
	return func(_ *faultOp, value any) string { return faultSameJSON(value, []byte(want)) }
}

func titles(want ...string) func(*faultOp, any) string {
	return func(_ *faultOp, value any) string {
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

func jobTitle(want string) func(*faultOp, any) string {
	return func(_ *faultOp, value any) string {
		if got := value.(*jobboard.JobInformation).JobTitle; got != want {
			return fmt.Sprintf("title %q, want %q", got, want)
		}
		return ""
	}
}

func retryAfterTwo(status int) (all []faultVariant) {
	for form, value := range map[string]func(now time.Time) string{
		"seconds":  func(time.Time) string { return "2" },
		"RFC 1123": func(now time.Time) string { return now.Add(2 * time.Second).UTC().Format(http.TimeFormat) },
		"RFC 850": func(now time.Time) string {
			return now.Add(2 * time.Second).UTC().Format("Monday, 02-Jan-06 15:04:05 GMT")
		},
		"asctime": func(now time.Time) string { return now.Add(2 * time.Second).UTC().Format(time.ANSIC) },
	} {
		for _, skew := range []time.Duration{0, 3 * time.Hour, -26 * time.Hour} {
			all = append(all, faultVariant{
				name: fmt.Sprintf("%s, the service's clock %v ahead", form, skew), status: status, retryAfter: 2 * time.Second,
				serve: func(x *faultExchange) {
					if x.n > 1 {
						x.good()
						return
					}
					now := time.Now().Add(skew)
					x.Header().Set("Date", now.UTC().Format(http.TimeFormat))
					x.Header().Set("Retry-After", value(now))
					x.WriteHeader(status)
				},
				after: func(r *faultRig, err error) {
					if err != nil {
						return
					}
					if wait := r.end.Sub(r.start); wait < 2*time.Second || wait > 2500*time.Millisecond {
						r.problem("waited %v", wait)
					}
				},
			})
		}
	}
	return all
}

func retryAfterFar(status int) (all []faultVariant) {
	for value, least := range map[string]time.Duration{
		"86400": 24 * time.Hour, "31": 31 * time.Second, "9300000000": 50 * 365 * 24 * time.Hour,
		"99999999999999999999999": 50 * 365 * 24 * time.Hour, "Fri, 31 Dec 9999 23:59:59 GMT": 50 * 365 * 24 * time.Hour,
	} {
		all = append(all, faultVariant{
			name: value, status: status, retryAfter: -least, serve: answerWith(status, "", "", "Retry-After", value),
			after: func(r *faultRig, _ error) {
				if d := r.end.Sub(r.start); d > 0 {
					r.problem("came after %v, not at once", d)
				}
			},
		})
	}
	return all
}

func retryAfterJunk(status int) (all []faultVariant) {
	for _, value := range []string{"-5", "1.5", "soon", "", " ", "0", "2 seconds", "0x2", "+2", "Fri, 31 Dec 1999 23:59:59 GMT", "Sat, 01 Jan 2000 00:00:00", "2,3"} {
		all = append(all, faultVariant{
			name: strconv.Quote(value), status: status, serve: answerWith(status, "", "", "Retry-After", value),
		})
	}
	return all
}
