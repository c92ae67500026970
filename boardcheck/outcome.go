package boardcheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// class says what an outcome of a call tells of the board.
type class int

const (
	good    class = iota // an answer as the interface has it
	said                 // a condition of section 7
	unread               // no table of the interface has it
	trouble              // nothing: an outage, or a credential that is refused
)

// result is the outcome of one call.
type result struct {
	name  string // as in the profile, such as "ok" or "ErrDecode of applyPossible"
	class class
}

// The names of good answers.
const (
	outcomeOK    = "ok"
	outcomeEmpty = "an empty list"
	outcomeTrue  = "true"
	outcomeFalse = "false"
)

// conditions are the root's errors, the special before the general.
var conditions = []struct {
	err   error
	name  string
	class class
}{
	{jobboard.ErrPostingNotFound, "ErrPostingNotFound", said},
	{jobboard.ErrPostingNotAccessible, "ErrPostingNotAccessible", said},
	{jobboard.ErrPostingInactive, "ErrPostingInactive", said},
	{jobboard.ErrProjectNotAvailable, "ErrProjectNotAvailable", said},
	{jobboard.ErrProjectNotAccessible, "ErrProjectNotAccessible", said},
	{jobboard.ErrApplicationNotFound, "ErrApplicationNotFound", said},
	{jobboard.ErrJobInactive, "ErrJobInactive", said},
	{jobboard.ErrJobUnavailable, "ErrJobUnavailable", said},
	{jobboard.ErrPostingUnavailable, "ErrPostingUnavailable", said},
	{jobboard.ErrToken, "ErrToken", trouble},
	{jobboard.ErrUnauthorized, "ErrUnauthorized", trouble},
	{jobboard.ErrForbidden, "ErrForbidden", trouble},
	{jobboard.ErrRateLimited, "ErrRateLimited", trouble},
	{jobboard.ErrServer, "ErrServer", trouble},
	{jobboard.ErrRedirect, "ErrRedirect", unread},
	{jobboard.ErrResponseTooLarge, "ErrResponseTooLarge", unread},
	{jobboard.ErrDecode, "ErrDecode", unread},
	{jobboard.ErrTimeout, "ErrTimeout", trouble},
	{jobboard.ErrTransport, "ErrTransport", trouble},
	{jobfeed.ErrNotFeed, "ErrNotFeed", unread},
	{jobfeed.ErrEncoding, "ErrEncoding", unread},
	{jobfeed.ErrTooLarge, "ErrTooLarge", unread},
	{context.DeadlineExceeded, "ErrTimeout", trouble},
}

// resultOf returns the outcome of a call that failed.
func resultOf(err error) result {
	for _, c := range conditions {
		if !errors.Is(err, c.err) {
			continue
		}
		name := c.name
		if member := refusedMember(err); name == "ErrDecode" && member != "" {
			name += " of " + member
		}
		return result{name, c.class}
	}
	if e, ok := errors.AsType[*jobboard.Error](err); ok && e.StatusCode != 0 {
		return unnamed(e.StatusCode, len(e.Body))
	}
	return result{"no answer", trouble}
}

// unnamed is the outcome of an answer without a condition: its status, and about how long it is.
func unnamed(status, length int) result {
	size := "of 1 KiB and more"
	switch {
	case length == 0:
		size = "empty"
	case length < 1<<10:
		size = "under 1 KiB"
	}
	return result{fmt.Sprintf("error without a condition, status %d, %s", status, size), unread}
}

var memberInError = regexp.MustCompile(`[A-Za-z_]+`)

// refusedMember returns the member of the interface that the text of an ErrDecode names, or "".
func refusedMember(err error) string {
	e, ok := errors.AsType[*jobboard.Error](err)
	if !ok || e.Err == nil {
		return ""
	}
	for _, word := range memberInError.FindAllString(e.Err.Error(), -1) {
		if memberNames[word] {
			return word
		}
	}
	return ""
}

// memberNames are the names of the interface's members, without their paths.
var memberNames = func() map[string]bool {
	names := map[string]bool{}
	for path := range interfaceMembers {
		if _, name, _ := cutLast(path); isWord(name) {
			names[name] = true
		}
	}
	return names
}()

// answerOf returns status, media type and redirects of the last answer of a call.
func answerOf(seen []*exchange) string {
	if len(seen) == 0 {
		return "none"
	}
	last := seen[len(seen)-1]
	text := strconv.Itoa(last.status) + " " + last.media
	first := len(seen) - 1
	for first > 0 && isRedirect(seen[first-1]) {
		first--
	}
	for _, x := range seen[first:] {
		if x.target != "" {
			text += ", redirect to " + x.target
		}
	}
	return text
}

func isRedirect(x *exchange) bool {
	return x.status/100 == 3 && x.status != http.StatusNotModified && x.target != ""
}
