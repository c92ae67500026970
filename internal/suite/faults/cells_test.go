// Package faults_test holds the client against a table of what can go wrong:
// rows are faults, columns are operations, cells say what the caller gets.
package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// The columns of the table.
const (
	S           = rig.Search
	A           = rig.HasApplied
	P           = rig.ApplicationID
	J           = rig.JobInformation
	subscribe   = rig.Subscribe
	confirm     = rig.Confirm
	unsubscribe = rig.Unsubscribe

	reading  = S | A | P | J
	changing = subscribe | confirm | unsubscribe
)

// A cell is what an operation makes of a fault. The zero cell is none: the
// operation does not meet the fault.
type cell struct {
	requests int  // exactly
	atMost   int  // or from one to so many
	repeated bool // or within the policy: five while the fault lasts; two, and success, if it passes

	err      error // the only sentinel that errors.Is finds; errOther: it is none; nil: success
	orOK     bool  // success will do, too
	executed bool  // the error says that the service may have executed the call
	stopped  jobboard.StopReason
}

var (
	errOther = errors.New("an *Error of no condition")
	never    = cell{}

	once = jobboard.StopNotIdempotent
)

// final is one request, and its error.
func final(err error) cell { return cell{requests: 1, err: err} }

// repeated returns the cell of a failure that may pass by itself: nil is success in any case.
func repeated(err error) cell { return cell{repeated: true, err: err} }

// requests is success after so many.
func requests(n int) cell { return cell{requests: n} }

// row has the cells of a row: one for each operation of the
// interface, and one for streamed postings.
type row [8]cell

const streamed = 7

func every(c cell) row { return at(reading|changing, c) }

func at(columns rig.Column, c cell) row { return row{}.but(columns, c) }

// but returns the row with other cells in some columns.
func (r row) but(columns rig.Column, c cell) row {
	for i := range streamed {
		if columns&(1<<i) != 0 {
			r[i] = c
		}
	}
	if columns&S != 0 {
		r[streamed] = c
	}
	return r
}

// postings is the row with another cell for postings that are streamed.
func (r row) postings(c cell) row {
	r[streamed] = c
	return r
}

func (r row) of(op *rig.Operation) cell {
	if op.Streamed() {
		return r[streamed]
	}
	return r[bits.TrailingZeros(uint(op.Column))]
}

// within returns the bounds for the number of requests, what may come of them
// and why there were no more, where the first so many requests fail; -1: all.
func (c cell) within(faulty int) (least, most int, want cell) {
	want = c
	switch {
	case c.repeated && c.err == nil:
		return 1, 5, want
	case c.repeated && faulty >= 0:
		return faulty + 1, faulty + 1, cell{}
	case c.repeated:
		if want.stopped == "" {
			want.stopped = jobboard.StopAttempts
		}
		return 5, 5, want
	case c.atMost > 0:
		return 1, c.atMost, want
	}
	return c.requests, c.requests, want
}

// conditions lists what errors.Is may find in an error.
var conditions = []error{
	jobboard.ErrPostingNotFound, jobboard.ErrPostingNotAccessible, jobboard.ErrPostingInactive,
	jobboard.ErrProjectNotAvailable, jobboard.ErrProjectNotAccessible, jobboard.ErrApplicationNotFound,
	jobboard.ErrJobInactive, jobboard.ErrJobUnavailable, jobboard.ErrPostingUnavailable,
	jobboard.ErrUnauthorized, jobboard.ErrForbidden, jobboard.ErrServer, jobboard.ErrRateLimited,
	jobboard.ErrRedirect, jobboard.ErrResponseTooLarge, jobboard.ErrDecode, jobboard.ErrTransport,
	jobboard.ErrTimeout, jobboard.ErrToken, jobboard.ErrInvalidInput, context.Canceled, context.DeadlineExceeded,
}

// mismatch says how an error differs from the one wanted, of all conditions.
func mismatch(err, want error) string {
	for _, condition := range conditions {
		is := condition == want || condition == jobboard.ErrTimeout && want == context.DeadlineExceeded
		if errors.Is(err, condition) != is {
			return fmt.Sprintf("is %q: %v; want: %v", condition, !is, want)
		}
	}
	if asError(err) == nil {
		return "is no *Error"
	}
	return misread(err, want)
}

// A meaning is what a caller makes of a condition of section 7: its class, whether the
// service has answered about the job, and the status for the caller's own visitor.
type meaning struct {
	class   error
	settled bool
	status  int
}

var meanings = map[error]meaning{
	jobboard.ErrPostingNotFound:      {jobboard.ErrNotFound, true, http.StatusNotFound},
	jobboard.ErrPostingInactive:      {jobboard.ErrInactive, true, http.StatusGone},
	jobboard.ErrPostingNotAccessible: {jobboard.ErrNotVisible, true, http.StatusNotFound},
	jobboard.ErrProjectNotAvailable:  {jobboard.ErrNotFound, true, http.StatusNotFound},
	jobboard.ErrProjectNotAccessible: {jobboard.ErrNotVisible, true, http.StatusNotFound},
	jobboard.ErrApplicationNotFound:  {nil, true, http.StatusNotFound},
	jobboard.ErrJobInactive:          {jobboard.ErrInactive, true, http.StatusGone},
	jobboard.ErrJobUnavailable:       {jobboard.ErrNotFound, true, http.StatusNotFound},
	jobboard.ErrPostingUnavailable:   {nil, false, http.StatusServiceUnavailable},
	jobboard.ErrUnauthorized:         {nil, false, http.StatusUnauthorized}, // of the applicant's token
	jobboard.ErrForbidden:            {nil, false, http.StatusForbidden},    // of the applicant's token
	jobboard.ErrServer:               {nil, false, http.StatusBadGateway},
	errOther:                         {nil, false, http.StatusBadGateway},
}

// misread says how the meaning of an error differs from that of the wanted condition, if the
// condition has a meaning.
func misread(err, want error) string {
	m, known := meanings[want]
	if !known || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return ""
	}
	for _, class := range []error{jobboard.ErrNotFound, jobboard.ErrInactive, jobboard.ErrNotVisible} {
		if errors.Is(err, class) != (class == m.class) {
			return fmt.Sprintf("is of the class %q: %v; want: %v", class, class != m.class, m.class)
		}
	}
	e := asError(err)
	switch {
	case (want == jobboard.ErrUnauthorized || want == jobboard.ErrForbidden) && e.Credential != "the applicant's token":
		m.status = http.StatusBadGateway
	case want == jobboard.ErrServer && e.RetryAfter > 0:
		m.status = http.StatusServiceUnavailable
	}
	if settled, status := jobboard.Settled(err), jobboard.HTTPStatus(err); settled != m.settled || status != m.status {
		return fmt.Sprintf("is settled: %v, with status %d; want: %v, %d", settled, status, m.settled, m.status)
	}
	return ""
}

func asError(err error) *jobboard.Error {
	if e, ok := errors.AsType[*jobboard.Error](err); ok {
		return e
	}
	return nil
}
