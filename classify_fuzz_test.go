package jobboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var allOperations = []*operation{
	opSearch, opPostings, opHasApplied, opApplicationID, opJobInformation, opSubscribe, opConfirm, opUnsubscribe,
}

var (
	applicantConditions = []error{
		ErrPostingNotFound, ErrPostingNotAccessible, ErrPostingInactive, ErrProjectNotAvailable, ErrProjectNotAccessible, ErrApplicationNotFound,
	}
	lookupConditions = []error{ErrJobInactive, ErrJobUnavailable, ErrPostingUnavailable}
	statusConditions = []error{ErrUnauthorized, ErrForbidden, ErrServer, ErrRateLimited, ErrRedirect}
)

func isOneOf(err error, all []error) bool {
	for _, e := range all {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// FuzzClassify: whatever an answer says, it means something that its
// operation can mean, and a page is never a closed job.
func FuzzClassify(f *testing.F) {
	for _, body := range []string{
		"", "JobPosting not found for jobId 4711", "JobPosting inactive for jobId 1", `"JobPosting not accessible for jobId 1"`,
		`{"code":"get_project_error","message":"Project for jobId 1 not accessible"}`, `{"code":"get_application_error"}`, "get_project_error",
		"ERROR_JOB_INACTIVE", `{"errors":[{"x":"ERROR_JOB_UNAVAILABLE: gone"}]}`, `["ERROR_POSTING_UNAVAILABLE"]`,
		"<html>JobPosting not found</html>", "\xef\xbb\xbf <p>posting", `"<b>posting</b>"`, `{"message":"<html>posting"}`, "404 page not found",
		`{"code":"get_project_error","message":"Project for jobId 1 is no longer available"}`, `{"code":"get_project_error","message":"Service temporarily not available"}`,
		`{"code":"get_project_error","message":"Das Projekt ist nicht verf\u00fcgbar"}`, `{"code":"get_project_error","message":"Project not not accessible, 4711!"}`,
		"Service not accessible from this network", "no route to posting.example/job id", "job - id 4711 gone", "posting_inactive",
		"no. posting found", "No job-posting (4711) could be found.", "posting no longer activ", "posting does not exist", "posting is not reactive",
		`{"error":"invalid token","error_description":"user token required"}`, "[[[[[[", `{"code":1,"code":"x"}`, `{"jobTitle":"ERROR_JOB_INACTIVE"}`,
	} {
		for _, status := range []int{200, 302, 401, 403, 404, 410, 429, 500, 503} {
			f.Add(status, "text/plain", "", []byte(body))
		}
	}
	f.Add(401, "application/json", `Bearer error="invalid_token", error_description="token expired"`, []byte(""))
	f.Add(403, "", `Bearer error=insufficient_scope`, []byte("JobPosting not accessible"))
	f.Fuzz(func(t *testing.T, status int, media, challenge string, body []byte) {
		if status < 100 || status > 999 {
			return
		}
		header := http.Header{"Content-Type": {media}, "Www-Authenticate": {challenge}}
		for _, op := range allOperations {
			w, condition := classify(op, status, header, body, anyMember)
			applicant := op == opHasApplied || op == opApplicationID
			switch {
			case isOneOf(condition, applicantConditions):
				if !applicant {
					t.Fatalf("%s, %d: %v", op.name, status, condition)
				}
				if status < 402 || status == 429 || status >= 500 {
					t.Fatalf("%s: %v for status %d", op.name, condition, status)
				}
				if isPage(body) {
					t.Fatalf("%s, %d: a page reads as %v: %q", op.name, status, condition, body)
				}
				if problem := unsaid(condition, w.Message); problem != "" {
					t.Fatalf("%s, %d: %v: %s: %q", op.name, status, condition, problem, body)
				}
				if errors.Is(condition, ErrApplicationNotFound) && op != opApplicationID {
					t.Fatalf("%s: %v", op.name, condition)
				}
			case isOneOf(condition, lookupConditions):
				if op != opJobInformation {
					t.Fatalf("%s, %d: %v", op.name, status, condition)
				}
				if isPage(body) {
					t.Fatalf("%d: a page reads as %v: %q", status, condition, body)
				}
				if !strings.Contains(unescaped(body), w.Code) {
					t.Fatalf("%d: %v for %q, which does not have the word %q", status, condition, body, w.Code)
				}
			case isOneOf(condition, statusConditions):
				want := map[error]bool{
					ErrUnauthorized: status == 401, ErrForbidden: status == 403, ErrServer: status >= 500 && status < 600,
					ErrRateLimited: status == 429, ErrRedirect: status >= 300 && status < 400,
				}
				if !want[condition] {
					t.Fatalf("%s, %d: %v", op.name, status, condition)
				}
			case condition != nil:
				t.Fatalf("%s, %d: an unknown condition %v", op.name, status, condition)
			case status == 401 || status == 403 || status == 429 || status >= 500 && status < 600:
				t.Fatalf("%s, %d: no condition", op.name, status)
			}
			if w.TokenExpired() && strings.Contains(strings.ToLower(w.AuthText), "user token required") {
				t.Fatalf("a token of the wrong kind reads as expired: %q, %q", challenge, body)
			}
			if text := clean(w.ErrorMessage(), maxErrorMessage); len(text) > maxErrorMessage+len("…") || !utf8.ValidString(text) {
				t.Fatalf("message of %d bytes", len(text))
			}
		}
	})
}

// FuzzClassifySteps: twice the answer takes at most 2.5 times the steps, and none
// takes more than a few for each byte.
func FuzzClassifySteps(f *testing.F) {
	for _, part := range []string{
		`\`, `"`, `\"`, `\u005c`, "[", "{", "]", `{"message":`, `{"code":"`, `{"error":{"message":"`, `"a":"b",`, `"code":1,`, `"posting",`,
		"posting ", "<", " ", "\n", "\xff", "0", "1,", "_", "ERROR_JOB_INACTIV", `"ERROR_JOB_INACTIVE",`, "not accessible ",
	} {
		for _, status := range []int{200, 401, 403, 404, 410, 503} {
			f.Add(status, "", part, "")
			f.Add(status, `{"code":"get_project_error","message":"`, part, `"}`)
			f.Add(status, `[`, part, ``)
		}
	}
	f.Fuzz(func(t *testing.T, status int, start, part, end string) {
		if part == "" || len(start)+len(part)+len(end) > 1000 {
			return
		}
		for _, op := range allOperations {
			steps := func(size int) int {
				body := []byte(start + strings.Repeat(part, size/len(part)) + end)
				w, _ := classify(op, status, http.Header{}, body, anyMember)
				if w.Steps() > 16*len(body)+16 {
					t.Errorf("%s, %d, %q, %q, %q: %d steps for %d bytes", op.name, status, start, part, end, w.Steps(), len(body))
				}
				return w.Steps()
			}
			if once, twice := steps(10_000), steps(20_000); twice > once*5/2+1000 {
				t.Errorf("%s, %d, %q, %q, %q: %d steps, for twice the text %d", op.name, status, start, part, end, once, twice)
			}
		}
	})
}

// isPage says whether a body is plainly HTML, bare or in a JSON string.
func isPage(body []byte) bool {
	var s string
	if json.Unmarshal(body, &s) == nil {
		body = []byte(s)
	}
	return strings.HasPrefix(strings.Trim(string(body), "\ufeff \t\r\n"), "<")
}

var (
	project  = regexp.MustCompile(`(?i)\b(not|no)(\W+(any|more|longer))*\W+(available|accessible)\b`)
	allowed  = regexp.MustCompile(`(?i)^(not|no|available|accessible|the|project|is|for|job|jobid|id|number|to|you|any|more|longer|be|this|with|applicant|user|[0-9]+)$`)
	sentence = regexp.MustCompile(`(?i)^(not|no|longer|any|more|job|posting|jobposting|position|id|jobid|jobdbid|with|for|number|is|was|does|be|could|the|this|exist|` +
		`found|accessible|active|inactive|deactivated|to|you|user|applicant|f[^ ]{3,5}|a[^ ]{8,10}|a[^ ]{4,6}|[0-9]+)$`)
)

// unsaid says what a message lacks of what a condition of the applicant's calls needs.
func unsaid(condition error, message string) string {
	switch {
	case errors.Is(condition, ErrProjectNotAvailable) || errors.Is(condition, ErrProjectNotAccessible):
		if !project.MatchString(message) {
			return "it denies nothing"
		}
		for word := range strings.FieldsFuncSeq(message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
			if !allowed.MatchString(word) {
				return "it says " + word
			}
		}
	case !errors.Is(condition, ErrApplicationNotFound):
		words := strings.FieldsFunc(strings.ToLower(message), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		if len(words) > 20 {
			return "it is long"
		}
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(w, "posting") || w == "jobid" }) {
			return "it does not speak of a posting"
		}
		for _, word := range words {
			if !sentence.MatchString(word) {
				return "it says " + word
			}
		}
	}
	return ""
}

// unescaped undoes what JSON may escape in a code.
func unescaped(body []byte) string {
	var b strings.Builder
	dec := json.NewDecoder(strings.NewReader(strings.TrimLeft(string(body), "\ufeff \t\r\n")))
	for {
		token, err := dec.Token()
		if err != nil {
			return b.String() + string(body)
		}
		if s, ok := token.(string); ok {
			b.WriteString(s + "\n")
		}
	}
}
