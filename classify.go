package jobboard

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/challenge"
)

// conditionRow is a row of the one table that says what a failed answer means.
// A row matches where everything it names does; the first match wins.
type conditionRow struct {
	ops    opSet
	from   int    // lowest status
	to     int    // highest status
	code   string // the service's code
	says   string // words one of which the message holds, separated by |; only where no code tells
	result error
}

// conditions is section 7, and what HTTP says beyond it. Status, form of the
// body and code decide first; words only where nothing else can, and then few
// of them, because the sentences vary.
var conditions = []conditionRow{
	// 7.3: these codes count with any status.
	{ops: opsLookup, from: 0, to: 999, code: "ERROR_JOB_INACTIVE", result: ErrJobInactive},
	{ops: opsLookup, from: 0, to: 999, code: "ERROR_JOB_UNAVAILABLE", result: ErrJobUnavailable},
	{ops: opsLookup, from: 0, to: 999, code: "ERROR_POSTING_UNAVAILABLE", result: ErrPostingUnavailable},

	// 7.2: JSON with a code, then plain messages.
	{ops: opsApplicant, from: 402, to: 428, code: "get_project_error", says: "accessible", result: ErrProjectNotAccessible},
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

// classify gives the condition of an answer, or nil where the interface has no
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

// words is what a failed answer says, whatever the form of its body and the
// label on it.
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

// errorCode and errorMessage are what an Error shows.
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

// tokenExpired says whether another token may help: the answer speaks of an
// invalid token, and not of a token of the wrong kind (section 5).
func (w words) tokenExpired() bool {
	switch strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(w.authError)) {
	case "invalid_token", "expired_token", "token_expired":
		return !strings.Contains(strings.ToLower(w.authText), "user token required")
	}
	return false
}

// readWords reads what an answer says from its header and the bounded
// beginning of its body.
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

// maxLevels is as deep as an answer without a known shape is looked at.
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

// readJSON walks the tokens instead of decoding into a shape, because the
// shape is what is not known, and the body may be cut off.
func (w *words) readJSON(op *operation, status int, text []byte) {
	type level struct {
		object  bool
		key     string
		wantKey bool
	}
	var stack []level
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	value := func(s string, str bool) {
		if len(stack) == 0 {
			w.readText(s)
			return
		}
		top := &stack[len(stack)-1]
		// Outside a member of the job information itself, a value that
		// starts with a code is that code (7.3).
		if code, ok := lookupCode(s); str && ok && op.set()&opsLookup != 0 &&
			(status >= 300 || !isJobInformationMember(stack[0].key)) {
			if _, have := lookupCode(w.code); !have {
				w.code, w.coded = code, true
			}
		}
		if !top.object || len(stack) > 2 || len(stack) == 2 && stack[0].key != "error" {
			return
		}
		set := func(field *string) {
			if *field == "" {
				*field = s
			}
		}
		switch top.key {
		case "code":
			if !w.coded {
				w.code, w.coded = s, true
			}
		case "message":
			set(&w.message)
			w.markup = w.markup || strings.HasPrefix(strings.TrimSpace(s), "<")
		case "error":
			set(&w.authError)
		case "error_description":
			set(&w.authText)
		}
	}
	for {
		token, err := dec.Token()
		if err != nil {
			return // the end, or the cut: what was read counts
		}
		if n := len(stack); n > 0 && stack[n-1].object && stack[n-1].wantKey {
			if key, ok := token.(string); ok {
				stack[n-1].key, stack[n-1].wantKey = key, false
				continue
			}
		}
		closed := false
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				if len(stack) == maxLevels {
					return
				}
				stack = append(stack, level{object: t == '{', wantKey: t == '{'})
				continue
			}
			stack = stack[:len(stack)-1]
			closed = true
		case string:
			value(t, true)
		case json.Number:
			value(t.String(), false)
		}
		if n := len(stack); n > 0 {
			stack[n-1].wantKey = stack[n-1].object
		} else if closed {
			return
		}
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

// isCodeWord says whether a whole body is one bare code, such as
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
