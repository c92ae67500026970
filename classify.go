package jobboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/challenge"
)

// conditionRow maps failed answers to a condition. A row matches an answer that
// meets all its fields; the first row that matches counts.
type conditionRow struct {
	ops    opSet
	from   int    // lowest status
	to     int    // highest status
	code   string // the service's code
	says   string // words one of which the message holds, separated by |; only where no code tells
	result error
}

// conditions lists the conditions of section 7 and those that HTTP adds. Status,
// form of the body and code decide first. Words decide only if nothing else
// can, and then few of them, because the service's sentences vary.
var conditions = []conditionRow{
	// 7.3: these codes count with any status.
	{ops: opsLookup, from: 0, to: 999, code: "ERROR_JOB_INACTIVE", result: ErrJobInactive},
	{ops: opsLookup, from: 0, to: 999, code: "ERROR_JOB_UNAVAILABLE", result: ErrJobUnavailable},
	{ops: opsLookup, from: 0, to: 999, code: "ERROR_POSTING_UNAVAILABLE", result: ErrPostingUnavailable},

	// 7.2: JSON with a code, then plain messages.
	{
		ops: opsApplicant, from: 402, to: 428, code: "get_project_error", says: "accessible",
		result: ErrProjectNotAccessible,
	},
	{ops: opsApplicant, from: 402, to: 428, code: "get_project_error", result: ErrProjectNotAvailable},
	{ops: opApplicationID.set(), from: 402, to: 428, code: "get_application_error", result: ErrApplicationNotFound},
	{ops: opsApplicant, from: 404, to: 404, says: "posting", result: ErrPostingNotFound},
	{ops: opsApplicant, from: 403, to: 403, says: "posting|accessible", result: ErrPostingNotAccessible},
	{ops: opsApplicant, from: 410, to: 410, says: "posting|job|inactive", result: ErrPostingInactive},

	// 7.1 and every operation.
	{ops: opsAll, from: 300, to: 399, result: ErrRedirect},
	{ops: opsAll, from: 401, to: 401, result: ErrUnauthorized},
	{ops: opsAll, from: 403, to: 403, result: ErrForbidden},
	{ops: opsAll, from: 429, to: 429, result: ErrRateLimited},
	{ops: opsAll, from: 500, to: 599, result: ErrServer},
}

// classify returns the condition of an answer, or nil if the interface has no
// name for it.
func classify(op *operation, status int, w words) error {
	for _, c := range conditions {
		if c.ops&op.set() != 0 && c.from <= status && status <= c.to && c.matches(w) {
			return c.result
		}
	}
	return nil
}

func (c conditionRow) matches(w words) bool {
	switch {
	case c.code != "":
		return c.code == w.code && (c.says == "" || w.say(c.says))
	case c.says != "":
		// A code, an authorization error or a page from elsewhere tells
		// another story, whatever words it uses.
		return !w.coded && w.authError == "" && !w.markup && w.say(c.says)
	}
	return true
}

// words holds the code and the text of a failed answer, whatever the form and
// the content type of its body.
type words struct {
	markup    bool   // HTML or XML: a page of some machine in between
	coded     bool   // a JSON object with a code
	code      string // that code; a bare code word that is the whole body; an ERROR_ code
	message   string // a JSON object's message, a JSON string, or the plain text
	authError string // error of section 5's answers, from header or body
	authText  string // error_description
}

func (w words) say(list string) bool {
	text := strings.ToLower(w.message)
	for word := range strings.SplitSeq(list, "|") {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// errorCode returns the code that an Error shows, and errorMessage its message.
func (w words) errorCode() string {
	if w.code != "" {
		return w.code
	}
	return w.authError
}

func (w words) errorMessage() string {
	if w.message != "" {
		return w.message
	}
	return w.authText
}

// tokenExpired reports whether another token may help: the answer names an
// invalid token, and not a token of the wrong kind (section 5).
func (w words) tokenExpired() bool {
	switch strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(w.authError)) {
	case "invalid_token", "expired_token", "token_expired":
		return !strings.Contains(strings.ToLower(w.authText), "user token required")
	}
	return false
}

// readWords reads the code and the text of an answer from its header and the
// bounded beginning of its body.
func readWords(op *operation, status int, header http.Header, body []byte) words {
	w := readChallenge(header)
	text := bytes.Trim(body, " \t\r\n\v\f\xef\xbb\xbf") // white space and byte order marks
	switch {
	case len(text) == 0:
	case text[0] == '<':
		w.markup = true
	case text[0] == '{' || text[0] == '[' || text[0] == '"':
		w.readJSON(op, status, text)
	default:
		w.readText(string(text))
	}
	return w
}

// maxLevels bounds the nesting to which an answer of unknown shape is read.
const maxLevels = 64

func (w *words) readText(text string) {
	w.message = text
	w.markup = strings.HasPrefix(strings.TrimSpace(text), "<")
	if code, ok := lookupCode(text); ok {
		w.code = code
	} else if isCodeWord(text) {
		w.code = text
	}
}

// readJSON reads the first value of a text. It walks the tokens instead of
// decoding into a type, because the shape is not known and the body may be cut
// off: the words read before the cut count.
func (w *words) readJSON(op *operation, status int, text []byte) {
	r := wordsReader{words: w, codes: op.set()&opsLookup != 0, status: status}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil || !r.take(token) {
			return
		}
	}
}

// wordsReader collects the words of a JSON value from its tokens.
type wordsReader struct {
	*words
	codes  bool // those of section 7.3 count
	status int
	levels []jsonLevel // the open objects and lists
}

type jsonLevel struct {
	object  bool
	key     string
	wantKey bool
}

// take reads a token, and reports whether another one is wanted.
func (r *wordsReader) take(token json.Token) bool {
	if n := len(r.levels); n > 0 && r.levels[n-1].wantKey {
		if key, ok := token.(string); ok {
			r.levels[n-1].key, r.levels[n-1].wantKey = key, false
			return true
		}
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' || t == '[' {
			r.levels = append(r.levels, jsonLevel{object: t == '{', wantKey: t == '{'})
			return len(r.levels) <= maxLevels
		}
		r.levels = r.levels[:len(r.levels)-1]
	case string:
		r.readCode(t)
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

// readCode takes a value that starts with a code for that code (7.3), outside
// the members of a job information.
func (r *wordsReader) readCode(s string) {
	if !r.codes || len(r.levels) == 0 || r.status < 300 && isJobInformationMember(r.levels[0].key) {
		return
	}
	code, ok := lookupCode(s)
	if _, have := lookupCode(r.code); ok && !have {
		r.code, r.coded = code, true
	}
}

// value reads a string or a number. Of objects only the outermost tells, and
// the one that is its error.
func (r *wordsReader) value(s string) {
	n := len(r.levels)
	switch {
	case n == 0:
		r.readText(s)
		return
	case !r.levels[n-1].object, n > 2, n == 2 && r.levels[0].key != "error":
		return
	}
	switch r.levels[n-1].key {
	case "code":
		if !r.coded {
			r.code, r.coded = s, true
		}
	case "message":
		r.message = cmp.Or(r.message, s)
		r.markup = r.markup || strings.HasPrefix(strings.TrimSpace(s), "<")
	case "error":
		r.authError = cmp.Or(r.authError, s)
	case "error_description":
		r.authText = cmp.Or(r.authText, s)
	}
}

// readChallenge reads error and error_description from WWW-Authenticate.
func readChallenge(header http.Header) words {
	var w words
	for _, value := range header["Www-Authenticate"] {
		challenge.Parameters(value, func(name, value string) {
			switch {
			case name == "error" && w.authError == "":
				w.authError = value
			case name == "error_description" && w.authText == "":
				w.authText = value
			}
		})
	}
	return w
}

// lookupCode finds a code of section 7.3 at the start of a value.
func lookupCode(value string) (string, bool) {
	value = strings.TrimSpace(value)
	for _, code := range [...]string{"ERROR_JOB_INACTIVE", "ERROR_JOB_UNAVAILABLE", "ERROR_POSTING_UNAVAILABLE"} {
		if rest, ok := strings.CutPrefix(value, code); ok && (rest == "" || !isWordByte(rest[0])) {
			return code, true
		}
	}
	return "", false
}

// isCodeWord reports whether a whole body consists of one bare code, such as
// get_project_error: words joined by underscores, no space.
func isCodeWord(s string) bool {
	if len(s) > 64 || !strings.Contains(s, "_") {
		return false
	}
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return true
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func isJobInformationMember(key string) bool {
	switch key {
	case "jobId", "jobTitle", "jobLanguage", "applyPossible", "dataSecurityLink", "questions", "nationalities",
		"timestamp", "companyName", "companyId", "location", "additionalLocations":
		return true
	}
	return false
}
