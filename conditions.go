package jobboard

import (
	"errors"
	"net/http"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
)

// Judge finds the condition of a refused answer. It reports whether the condition is final: the
// service knows what it says, so no repeat changes it, whatever the status.
func (c *invocation) Judge(f *call.Failure) (final bool) {
	f.Words, f.Condition = classify(c.op, f.Status(), f.Header(), f.Body, anyMember)
	return f.Condition != nil && !errors.Is(f.Condition, ErrServer) && !errors.Is(f.Condition, ErrRateLimited)
}

// conditionRow maps failed answers to a condition. A row matches an answer that
// meets all its fields; the first row that matches counts.
type conditionRow struct {
	ops    []*operation      // nil: every one
	from   int               // lowest status
	to     int               // highest status
	code   string            // the service's code
	denies *refusal.Sentence // the message must be this sentence; without code, the answer must have none
	result error
}

var (
	opsLookup      = []*operation{opJobInformation}
	opsApplicant   = []*operation{opHasApplied, opApplicationID}
	opsApplication = []*operation{opApplicationID}
)

// conditions lists the conditions of section 7 and those that HTTP adds. Status, form of the body
// and code decide first. Words decide only if status, form and code cannot, and only if the message is
// one of the interface's own sentences. Any other message says nothing about the job, so that a
// failure never reads as a job that is gone.
var conditions = []conditionRow{
	// 7.3: these codes count with any status.
	{ops: opsLookup, to: 999, code: refusal.JobInactive, result: ErrJobInactive},
	{ops: opsLookup, to: 999, code: refusal.JobUnavailable, result: ErrJobUnavailable},
	{ops: opsLookup, to: 999, code: refusal.PostingUnavailable, result: ErrPostingUnavailable},

	// 7.2: JSON with a code, then plain messages.
	{
		ops: opsApplicant, from: 402, to: 428, code: "get_project_error", denies: refusal.ProjectNotAccessible,
		result: ErrProjectNotAccessible,
	},
	{
		ops: opsApplicant, from: 402, to: 428, code: "get_project_error", denies: refusal.ProjectNotAvailable,
		result: ErrProjectNotAvailable,
	},
	{ops: opsApplication, from: 402, to: 428, code: "get_application_error", result: ErrApplicationNotFound},
	{ops: opsApplicant, from: 404, to: 404, denies: refusal.PostingNotFound, result: ErrPostingNotFound},
	{ops: opsApplicant, from: 403, to: 403, denies: refusal.PostingNotAccessible, result: ErrPostingNotAccessible},
	{ops: opsApplicant, from: 410, to: 410, denies: refusal.PostingInactive, result: ErrPostingInactive},

	// 7.1 and every operation.
	{from: 300, to: 399, result: ErrRedirect},
	{from: 401, to: 401, result: ErrUnauthorized},
	{from: 403, to: 403, result: ErrForbidden},
	{from: 429, to: 429, result: ErrRateLimited},
	{from: 500, to: 599, result: ErrServer},
}

// classify returns the words of an answer to op, and the condition that status and words mean; nil:
// the interface does not name it. The lookup's codes count at any depth below a member that codesIn
// accepts.
func classify(op *operation, status int, header http.Header, body []byte, codesIn func(member string) bool) (refusal.Words, error) {
	if op != opJobInformation {
		codesIn = nil
	}
	w := refusal.Read(header, body, codesIn)
	for _, row := range conditions {
		if row.matches(op, status, &w) {
			return w, row.result
		}
	}
	return w, nil
}

// anyMember accepts every member: in a refused answer a code counts anywhere.
func anyMember(string) bool { return true }

func (c conditionRow) matches(op *operation, status int, w *refusal.Words) bool {
	switch {
	case c.ops != nil && !slices.Contains(c.ops, op), status < c.from, status > c.to:
		return false
	case c.code != "":
		return c.code == w.Code && (c.denies == nil || w.Denies(c.denies))
	case c.denies != nil:
		// An answer with a code, an authorization error or a page is not about the posting, even if
		// it contains the sentence.
		return !w.Coded && w.Code == "" && w.AuthError == "" && !w.Markup && w.Denies(c.denies)
	}
	return true
}
