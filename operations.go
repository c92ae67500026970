package jobboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// operation holds one endpoint of section 4 and its rules.
type operation struct {
	name   string // the public method
	method string
	path   string // the template an Error shows
	id     opSet
	limit  int64 // default bound of the decompressed answer
	stream bool  // the answer is read while the caller looks at it
}

// opSet is a set of operations.
type opSet uint16

func (op *operation) set() opSet { return op.id }

// safe reports whether a request that got no answer may be repeated, because it
// changes nothing.
func (op *operation) safe() bool { return op.method == http.MethodGet }

const (
	searchPath      = "/api/rest/v2/frontend/jobboards/{channelID}/jobs"
	appliedPath     = "/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	applicationPath = "/api/rest/v3/frontend/jobs/{jobDbId}/application"
	lookupPath      = "/jobdb/public/apply/external"

	smallAnswer  = 4 << 20
	searchAnswer = 64 << 20
	streamAnswer = 1 << 30
	maxPosting   = 1 << 20
)

var (
	opSearch         = &operation{"Search", http.MethodGet, searchPath, 1 << 0, searchAnswer, false}
	opPostings       = &operation{"Postings", http.MethodGet, searchPath, 1 << 1, streamAnswer, true}
	opHasApplied     = &operation{"HasApplied", http.MethodGet, appliedPath, 1 << 2, smallAnswer, false}
	opApplicationID  = &operation{"ApplicationID", http.MethodGet, applicationPath, 1 << 3, smallAnswer, false}
	opJobInformation = &operation{"JobInformation", http.MethodGet, lookupPath, 1 << 4, smallAnswer, false}
	opSubscribe      = &operation{"Subscribe", http.MethodPost, "/jobabo", 1 << 5, smallAnswer, false}
	opConfirm        = &operation{"ConfirmSubscription", http.MethodPut, "/jobabo/{aboId}", 1 << 6, smallAnswer, false}
	opUnsubscribe    = &operation{"Unsubscribe", http.MethodDelete, "/jobabo/{aboId}", 1 << 7, smallAnswer, false}

	opsAll       = opSet(1<<8 - 1)
	opsLookup    = opJobInformation.set()
	opsApplicant = opHasApplied.set() | opApplicationID.set()
)

// segment returns s escaped as one path segment. No other function escapes
// paths. It refuses text that would leave its segment or cannot be a name; its
// error calls the text what.
func segment(what, s string) (string, error) {
	switch {
	case s == "":
		return "", invalid("%s is empty", what)
	case s == "." || s == "..":
		return "", invalid("%s would leave its place in the path", what)
	case len(s) > 1024:
		return "", invalid("%s is longer than 1024 bytes", what)
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return "", invalid("%s holds a control character", what)
		}
	}
	return url.PathEscape(s), nil
}

// pathOf returns the template with its one {placeholder} replaced by id. raw is
// the escaped path, empty if it does not differ.
func pathOf(template, what, id string) (path, raw string, err error) {
	escaped, err := segment(what, id)
	if err != nil {
		return "", "", err
	}
	before, rest, _ := strings.Cut(template, "{")
	_, after, _ := strings.Cut(rest, "}")
	path = before + id + after
	if escaped != id {
		raw = before + escaped + after
	}
	return path, raw, nil
}

// jobPath returns the template with its one {placeholder} replaced by a job's
// identifier, which needs no escaping.
func jobPath(template string, job JobID) (string, error) {
	if job < 1 {
		return "", invalid("job identifier %d is not positive", int64(job))
	}
	before, rest, _ := strings.Cut(template, "{")
	_, after, _ := strings.Cut(rest, "}")
	b := make([]byte, 0, 64)
	b = append(b, before...)
	b = strconv.AppendInt(b, int64(job), 10)
	b = append(b, after...)
	return string(b), nil
}
