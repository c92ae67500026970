package jobboard

import (
	"net/http"

	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
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
	{ops: opsLookup, from: 0, to: 999, code: refusal.JobInactive, result: ErrJobInactive},
	{ops: opsLookup, from: 0, to: 999, code: refusal.JobUnavailable, result: ErrJobUnavailable},
	{ops: opsLookup, from: 0, to: 999, code: refusal.PostingUnavailable, result: ErrPostingUnavailable},

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
func classify(op *operation, status int, w *refusal.Words) error {
	for _, c := range conditions {
		if c.ops&op.set() != 0 && c.from <= status && status <= c.to && c.matches(w) {
			return c.result
		}
	}
	return nil
}

func (c conditionRow) matches(w *refusal.Words) bool {
	switch {
	case c.code != "":
		return c.code == w.Code && (c.says == "" || w.Say(c.says))
	case c.says != "":
		// A code, an authorization error or a page from elsewhere tells
		// another story, whatever words it uses.
		return !w.Coded && w.AuthError == "" && !w.Markup && w.Say(c.says)
	}
	return true
}

// readWords reads the words of an answer to op. The lookup's codes count
// wherever they stand, but not in what could be a job information.
func readWords(op *operation, status int, header http.Header, body []byte) refusal.Words {
	var codesIn func(member string) bool
	if op.set()&opsLookup != 0 {
		codesIn = func(member string) bool { return status >= 300 || !infoObject.Has(member) }
	}
	return refusal.Read(header, body, codesIn)
}
