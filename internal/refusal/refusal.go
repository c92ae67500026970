// Package refusal reads what a service says when it refuses a request: a code, a message, an
// authorization error. The interface shows several shapes of the body and says little about them,
// so this package reads any shape.
package refusal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The codes of section 7.3.
const (
	JobInactive        = "ERROR_JOB_INACTIVE"
	JobUnavailable     = "ERROR_JOB_UNAVAILABLE"
	PostingUnavailable = "ERROR_POSTING_UNAVAILABLE"
)

// Words holds the code and the text of a failed answer, whatever the form and
// the content type of its body.
type Words struct {
	Markup    bool   // HTML or XML: the page of a proxy
	Coded     bool   // a JSON object with a code
	Code      string // the object's code, a body of one code word, or a code of section 7.3
	Message   string // a JSON object's message, a JSON string, or the plain text
	AuthError string // error of a 401, from the header or the body
	AuthText  string // error_description

	shownError, shownText string // AuthError and AuthText with the header's backslashes

	problem       bool   // application/problem+json
	title, detail string // of a problem (RFC 9457)

	steps int // see Steps
}

// Steps returns how often a byte of the body was looked at, for the test that the work is linear.
func (w *Words) Steps() int { return w.steps }

// ErrorCode returns the code to show for the answer. A code from a header keeps its backslashes,
// because a secret in it may contain backslashes.
func (w *Words) ErrorCode() string { return cmp.Or(w.Code, w.shownError) }

// ErrorMessage returns the message to show for the answer, as ErrorCode does: in an
// application/problem+json its title and detail (RFC 9457), elsewhere only if there is no message.
func (w *Words) ErrorMessage() string {
	problem := strings.Join(slices.DeleteFunc([]string{w.title, w.detail}, func(s string) bool { return s == "" }), ": ")
	if w.problem {
		return cmp.Or(problem, w.Message, w.shownText)
	}
	return cmp.Or(w.Message, problem, w.shownText)
}

// TokenExpired reports whether another token may help: the answer names an
// invalid token, and not a token of the wrong kind.
func (w *Words) TokenExpired() bool {
	switch strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(w.AuthError)) {
	case "invalid_token", "expired_token", "token_expired":
		return !w.WrongKind()
	}
	return false
}

// WrongKind reports whether the answer asks for a token of another kind (section 5).
func (w *Words) WrongKind() bool {
	return strings.Contains(strings.ToLower(w.AuthText), "user token required")
}

// Read reads the words of an answer from its header and the beginning of its body, and does work in
// proportion to both. In an object, a code of section 7.3 counts at any depth below a member for
// which codesIn returns true; nil: below no member.
func Read(header http.Header, body []byte, codesIn func(member string) bool) Words {
	w := readChallenge(header)
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	w.problem = media == "application/problem+json"
	w.steps += len(body)
	text := bytes.Trim(body, " \t\r\n\v\f\xef\xbb\xbf") // white space and byte order marks
	switch {
	case len(text) == 0:
	case text[0] == '<':
		w.Markup = true
	case text[0] == '{' || text[0] == '[' || text[0] == '"':
		w.readJSON(text, codesIn)
	default:
		w.readText(string(text))
	}
	return w
}

// maxLevels bounds the nesting to which an answer of unknown shape is read.
const maxLevels = 64

func (w *Words) readText(text string) {
	w.steps += len(text)
	w.Message = text
	w.Markup = strings.HasPrefix(strings.TrimSpace(text), "<")
	if code, ok := lookupCode(text); ok {
		w.Code = code
	} else if isCodeWord(text) {
		w.Code = text
	}
}

// readJSON reads the first value of a text. It walks the tokens instead of
// decoding into a type, because the shape is not known and the body may be cut
// off: the words read before the cut count.
func (w *Words) readJSON(text []byte, codesIn func(member string) bool) {
	r := reader{Words: w, codesIn: codesIn}
	r.tokens(text)
	if !w.problem && w.title == "" && w.detail == "" { // the type of a problem is an address and never a code
		r.levels = append(r.levels[:0], level{object: true, key: "type"})
		r.readCode(r.kind)
	}
}

// tokens takes the tokens of a text, to the end of its first value.
func (r *reader) tokens(text []byte) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for {
		before := dec.InputOffset()
		token, err := dec.Token()
		r.steps += int(dec.InputOffset()-before) + 1
		if err != nil || !r.take(token) {
			return
		}
	}
}

// reader collects the words of a JSON value from its tokens.
type reader struct {
	*Words
	codesIn func(member string) bool // nil: below no member
	levels  []level                  // the open objects and lists
	kind    string                   // member type of the outermost object
}

type level struct {
	object  bool
	key     string
	wantKey bool
}

// take reads a token, and reports whether the value continues.
func (r *reader) take(token json.Token) bool {
	if n := len(r.levels); n > 0 && r.levels[n-1].wantKey {
		if key, ok := token.(string); ok {
			r.levels[n-1].key, r.levels[n-1].wantKey = key, false
			return true
		}
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' || t == '[' {
			r.levels = append(r.levels, level{object: t == '{', wantKey: t == '{'})
			return len(r.levels) <= maxLevels
		}
		r.levels = r.levels[:len(r.levels)-1]
	case string:
		if len(r.levels) == 1 && r.levels[0].key == "type" {
			r.kind = t
		} else {
			r.readCode(t)
		}
		r.value(t)
	case json.Number:
		r.value(t.String())
	}
	if n := len(r.levels); n > 0 {
		r.levels[n-1].wantKey = r.levels[n-1].object
		return true
	}
	return false
}

// readCode sets Code if the value starts with a code of section 7.3.
func (r *reader) readCode(s string) {
	if r.codesIn == nil || len(r.levels) == 0 || !r.codesIn(r.levels[0].key) {
		return
	}
	r.steps += len(s)
	code, ok := lookupCode(s)
	if _, have := lookupCode(r.Code); ok && !have {
		r.Code, r.Coded = code, true
	}
}

// value reads a string or a number. Only members of the outermost object count, and of an object in
// its member "error".
func (r *reader) value(s string) {
	n := len(r.levels)
	r.steps += len(s)
	switch {
	case n == 0:
		r.readText(s)
		return
	case !r.levels[n-1].object, n > 2, n == 2 && r.levels[0].key != "error":
		return
	}
	switch key := r.levels[n-1].key; {
	case n > 1:
	case key == "title":
		r.title = s
	case key == "detail":
		r.detail = s
	}
	switch r.levels[n-1].key {
	case "code":
		if !r.Coded {
			r.Code, r.Coded = s, true
		}
	case "message":
		r.Message = cmp.Or(r.Message, s)
		r.Markup = r.Markup || strings.HasPrefix(strings.TrimSpace(s), "<")
	case "error":
		r.AuthError, r.shownError = cmp.Or(r.AuthError, s), cmp.Or(r.shownError, s)
	case "error_description":
		r.AuthText, r.shownText = cmp.Or(r.AuthText, s), cmp.Or(r.shownText, s)
	}
}

// readChallenge reads error and error_description from WWW-Authenticate.
func readChallenge(header http.Header) Words {
	var w Words
	for _, value := range header["Www-Authenticate"] {
		authParameters(value, func(name, value, written string) {
			switch {
			case name == "error" && w.AuthError == "":
				w.AuthError, w.shownError = value, written
			case name == "error_description" && w.AuthText == "":
				w.AuthText, w.shownText = value, written
			}
		})
	}
	return w
}

// RetryAfter reads Retry-After: seconds, or an HTTP date in one of its three forms, measured from
// the Date header, or from now without Date. Some services send seconds since 1970: a number within
// five years of now is read as such a date. RetryAfter returns 0 if the header is absent or cannot
// be used.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	v := strings.TrimSpace(header.Get("Retry-After"))
	if v != "" && strings.Trim(v, "0123456789") == "" {
		seconds, _ := strconv.ParseInt(v, 10, 64) // on overflow the largest int64
		if left := seconds - now.Unix(); left > -fiveYears && left < fiveYears {
			seconds = max(left, 0)
		}
		return time.Duration(min(seconds, int64(maxDemand/time.Second))) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxDemand)
}

// maxDemand caps the wait that Retry-After can ask for.
const maxDemand = 100 * 365 * 24 * time.Hour

// fiveYears bounds how far a date in seconds may be from now, in seconds.
const fiveYears = 5 * 365 * 24 * 60 * 60

// lookupCode finds a code of section 7.3 at the start of a value.
func lookupCode(value string) (string, bool) {
	value = strings.TrimSpace(value)
	for _, code := range [...]string{JobInactive, JobUnavailable, PostingUnavailable} {
		if rest, ok := strings.CutPrefix(value, code); ok && (rest == "" || notInWord(rune(rest[0]))) {
			return code, true
		}
	}
	return "", false
}

// isCodeWord reports whether a whole body consists of one bare code, such as
// get_project_error: words joined by underscores, no space.
func isCodeWord(s string) bool {
	return len(s) <= 64 && strings.Contains(s, "_") && !strings.ContainsFunc(s, notInWord)
}

func notInWord(r rune) bool {
	return r != '_' && !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
}
