package faults_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// throughTransport makes the operation of a trial a request that goes through
// Applicant.Transport. The outcome is an error that its caller gets, also with the
// body, and otherwise the one that the observer is told. A redirect's value is its
// status.
func throughTransport(t *trial) {
	op := *t.op
	op.Name, op.Template = "Transport", ""
	t.cfg.Observer = &jobboard.Observer{
		Call: func(ctx context.Context, _ jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
			told, _ := ctx.Value(toldKey{}).(*jobboard.CallEnd)
			return nil, func(end jobboard.CallEnd) { *told = end }
		},
	}
	op.Call = func(ctx context.Context, _ *jobboard.Client, a *jobboard.Applicant) (any, error) {
		told := &jobboard.CallEnd{}
		ctx = context.WithValue(ctx, toldKey{}, told)
		req := rig.Must(http.NewRequestWithContext(ctx, op.Method, t.cfg.BaseURL+op.Path, http.NoBody))
		resp, err := a.Transport().RoundTrip(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		if told.StatusCode != resp.StatusCode || (told.Err != nil) != (resp.StatusCode >= 400) {
			t.problem("the answer has status %d, and the observer is told %+v", resp.StatusCode, told)
		}
		if told.Err != nil {
			whole := t.form.serve == nil && !slices.Contains(t.form.header, "Content-Encoding")
			if whole && (resp.StatusCode != t.status || string(body) != t.form.body) {
				t.problem("the answer is %d %.100q", resp.StatusCode, body)
			}
			return nil, told.Err
		}
		if resp.StatusCode >= 300 {
			return resp.StatusCode, nil
		}
		var value any
		if len(body) > 0 {
			err = json.Unmarshal(body, &value)
		}
		if err != nil && !strings.HasPrefix(t.fault.row, "30") {
			t.problem("the answer is not the service's: %v", err)
		}
		return value, nil
	}
	t.op = &op
}

// toldKey is the context key of where the observer leaves a call's end.
type toldKey struct{}

// transportCell returns what becomes of a fault for a request that goes through
// Applicant.Transport, and false where the fault is none of the road's. It is the cell
// of HasApplied up to the header of an answer. Words have no meaning here, what
// happens to the body is not repeated, and redirects are for the caller.
func transportCell(f *fault, v *form) (cell, bool) {
	c := f.cells.of(rig.Op("HasApplied"))
	conditions := []error{
		jobboard.ErrPostingNotFound, jobboard.ErrPostingInactive,
		jobboard.ErrProjectNotAvailable, jobboard.ErrProjectNotAccessible,
	}
	switch f.row {
	case "9", "10":
		return final(c.err), c != never && v.name != "white space" // which comes, drop by drop
	case "16":
		return final(jobboard.ErrForbidden), true
	case "21":
		v.readAtMost = 0 // the caller reads it to its end
		return c, true
	case "30":
		v.check = nothing
		return requests(1), true
	case "31", "32", "33":
		v.check = func(_ *rig.Operation, value any) string {
			if status, is := value.(int); !is || status < 300 || status > 399 {
				return fmt.Sprintf("the answer is %v, want the redirect", value)
			}
			return ""
		}
		return requests(1), true
	case "41": // the road has a bound of its own
		v.configure = func(t *trial) { t.cfg.MaxBodyBytes = 4 << 20 }
		return c, true
	case "42":
		return c, strings.HasPrefix(v.name, "plain, told") || strings.HasPrefix(v.name, "gzip w")
	case "":
		return never, false
	}
	if slices.ContainsFunc(conditions, func(known error) bool { return errors.Is(c.err, known) }) {
		return final(errOther), true
	}
	return c, c != never
}

// A request of the caller's own has a column of the table, too, where the fault is
// one of the road and not of the answer's content.
func TestFaultMatrixOfTransport(t *testing.T) {
	rows := strings.Fields(`1 1b 2 3 4 5 6 7 7b 8 9 10 11 12 13 13b 14 15 16 17 17b 17c 18 19 20 21 22 23 24 25 26 26b 27 28
		30 31 32 33 41 42 50 51 52 53 54 54b 54c 55 57 58`)
	runs := map[string]int64{}
	for _, f := range slices.Concat(
		connectionFaults(), statusFaults(), redirectFaults(), bodyFaults(), callerFaults(),
	) {
		if !slices.Contains(rows, f.row) {
			continue
		}
		for i, v := range f.forms {
			c, meets := transportCell(&f, &v)
			if !meets {
				continue
			}
			f := f
			f.cells = at(A, c)
			synctest.Test(t, func(t *testing.T) {
				runs[f.row] += trials(t, &f, &v, rig.Op("HasApplied"), i, func(tr *trial, c cell) []string {
					throughTransport(tr)
					return tr.run(c)
				})
			})
		}
	}
	for _, row := range rows {
		if runs[row] == 0 {
			t.Errorf("row %s has no run", row)
		}
	}
}
