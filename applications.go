package jobboard

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/refusal"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// HasApplied reports whether the applicant has an application for the job (4.2);
// a withdrawn one counts. It returns ErrDecode for an answer that is neither
// true nor false.
//
// Errors: ErrPostingNotFound, ErrPostingNotAccessible, ErrPostingInactive,
// ErrProjectNotAvailable, ErrProjectNotAccessible, ErrUnauthorized,
// ErrForbidden, and those of every call.
func (a *Applicant) HasApplied(ctx context.Context, job JobID) (bool, error) {
	return a.hasApplied(ctx, job, nil)
}

func (a *Applicant) hasApplied(ctx context.Context, job JobID, turn *gate.Turn) (bool, error) {
	return ask(ctx, a, opHasApplied, job, turn, decodeBool)
}

// ApplicationID returns the identifier of the applicant's application for the
// job (4.3), also of a withdrawn one.
//
// Errors: ErrApplicationNotFound if there is none, ErrPostingNotFound,
// ErrPostingNotAccessible, ErrPostingInactive, ErrProjectNotAvailable,
// ErrUnauthorized, ErrForbidden, and those of every call.
func (a *Applicant) ApplicationID(ctx context.Context, job JobID) (ApplicationID, error) {
	return ask(ctx, a, opApplicationID, job, nil, decodeApplicationID)
}

// ask sends the applied check or the application lookup; decode reads the answer.
func ask[T any](
	ctx context.Context, a *Applicant, op *operation, job JobID, turn *gate.Turn, decode func([]byte) (T, error),
) (value T, err error) {
	e := a.endpoint.made()
	if err := checkJob(job); err != nil {
		return value, e.refuse(ctx, op, err)
	}
	path, _, _ := address.Fill(op.path, job.String()) // digits need no escape
	err = e.do(ctx, op, request{Request: call.Request{Path: path, Turn: turn}}, func(got answer) error {
		body, err := got.Bytes()
		if err != nil {
			return err
		}
		if op == opApplicationID && !transport.Framed(got.Response) {
			return transport.ErrCut // a truncated identifier looks like a whole one
		}
		value, err = decode(body)
		return err
	})
	return value, err
}

// decodeBool reads an answer that is true or false and nothing else.
func decodeBool(body []byte) (bool, error) {
	return decode(body, func(d *decoder) bool { return d.Bool() })
}

const maxApplicationID = 256

// decodeApplicationID reads an identifier, bare or as a JSON string, with white
// space around it. The identifier may be all digits. An object, a list, a page, a
// sentence, a path, binary data and a word of notIDs are errors.
func decodeApplicationID(body []byte) (ApplicationID, error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if !utf8.Valid(text) {
		return "", errUndecodable("the application identifier is not UTF-8")
	}
	id := string(text)
	switch {
	case len(text) == 0:
		return "", errUndecodable("the application identifier is empty")
	case text[0] == '{' || text[0] == '[':
		return "", errUndecodable("the application identifier is a JSON object or array")
	case text[0] == '"':
		if err := json.Unmarshal(text, &id); err != nil {
			return "", errUndecodable("the answer is not one JSON string")
		}
	}
	switch {
	case id == "":
		return "", errUndecodable("the application identifier is empty")
	case len(id) > maxApplicationID:
		return "", errUndecodable("the application identifier is longer than 256 bytes")
	case slices.ContainsFunc(notIDs[:], func(word string) bool { return strings.EqualFold(id, word) }):
		return "", errUndecodable("the application identifier is a word such as OK or null")
	case strings.ContainsFunc(id, isNeverInID):
		return "", errUndecodable("the application identifier holds a character that no identifier has")
	}
	return ApplicationID(id), nil
}

// notIDs lists words, in upper or lower case, with which services answer when they have no
// identifier; the interface's own codes are among them (7.2 and 7.3).
var notIDs = [...]string{
	"OK", "ERROR", "SUCCESS", "true", "false", "null",
	"get_project_error", "get_application_error", refusal.JobInactive, refusal.JobUnavailable, refusal.PostingUnavailable,
}

// isNeverInID reports whether r is a character that no application identifier
// has: a control character, white space, one that cannot be seen, or one of paths,
// pages and JSON.
func isNeverInID(r rune) bool {
	return strings.ContainsRune(`<"/\`, r) || r == utf8.RuneError ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector)
}
