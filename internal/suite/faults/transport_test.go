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
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// throughTransport makes the operation of a trial a request that goes through
// Applicant.Transport. The outcome is an error that its caller gets, also with the
// body, and otherwise the one that the observer is told. A redirect's value is its
// status.
func throughTransport(t *trial) {
	op := *t.op
	op.Name, op.Template, op.Slot = "Transport", "", rig.Applicant
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
		if t.requestBody != nil {
			req.Body = t.requestBody
		}
		resp, err := a.Transport().RoundTrip(req)
		if t.requestBody != nil {
			synctest.Wait() // the service learns that its client has left
		}
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
		if text := strings.Trim(string(body), "\ufeff \r\n\t"); text != "" {
			err = json.Unmarshal(body, &value)
		}
		if err != nil {
			t.problem("the answer is not the service's: %v", err)
		}
		return value, nil
	}
	t.op = &op
}

// toldKey is the context key of where the observer leaves a call's end.
type toldKey struct{}

// outcome says what becomes of a form of a fault for a request that goes through
// Applicant.Transport, from the cell of HasApplied, and may change the form. The zero cell is
// none: such a request never meets the fault.
type outcome func(v *form, c cell) cell

// notMet: the fault is in an answer's content, which the transport does not read.
func notMet(*form, cell) cell { return never }

// notRepeated: the answer has begun, and the caller already has it.
func notRepeated(v *form, c cell) cell {
	if c == never || v.name == "white space" { // which comes, drop by drop
		return never
	}
	return final(c.err)
}

// unexplained: only the header says why a token was refused.
func unexplained(v *form, c cell) cell {
	if v.header == nil {
		c.requests, v.after = 2, fetchedAtMost(2)
	}
	return c
}

// wordless: the text of a 403 has no meaning.
func wordless(*form, cell) cell { return final(jobboard.ErrForbidden) }

// readToItsEnd: the caller reads all of the body.
func readToItsEnd(v *form, c cell) cell {
	v.readAtMost = 0
	return c
}

// emptyIsGood: an answer without a body is an answer.
func emptyIsGood(v *form, _ cell) cell {
	v.check = nothing
	return requests(1)
}

// handedOn: a redirect is for the caller.
func handedOn(v *form, _ cell) cell {
	v.check = func(_ *rig.Operation, value any) string {
		if status, is := value.(int); !is || status < 300 || status > 399 {
			return fmt.Sprintf("the answer is %v, want the redirect", value)
		}
		return ""
	}
	return requests(1)
}

// ownBound: the road has a bound of its own.
func ownBound(v *form, c cell) cell {
	v.configure = func(t *trial) { t.cfg.MaxBodyBytes = 4 << 20 }
	return c
}

// brokenGzip: of all encodings the road knows gzip alone.
func brokenGzip(v *form, c cell) cell {
	if strings.HasPrefix(v.name, "plain, told") || strings.HasPrefix(v.name, "gzip w") {
		return c
	}
	return never
}

// transportCell returns the cell of a request that goes through Applicant.Transport. It equals
// HasApplied's up to the header of an answer, but texts have no meaning here.
func transportCell(f *fault, v *form) cell {
	c := f.cells.of(rig.Op("HasApplied"))
	if v.says = nil; !slices.Contains(v.header, "WWW-Authenticate") { // words of the body, which nobody reads
		v.code = ""
	}
	if f.transport != nil {
		return f.transport(v, c)
	}
	for _, meaning := range []error{
		jobboard.ErrPostingNotFound, jobboard.ErrPostingInactive,
		jobboard.ErrProjectNotAvailable, jobboard.ErrProjectNotAccessible,
	} {
		if errors.Is(c.err, meaning) {
			return final(errOther)
		}
	}
	return c
}

// blockedBodyFaults are those of a request whose body blocks in Read, once a part of it was
// sent.
func blockedBodyFaults() []fault {
	row := func(err error) row {
		return at(reading, final(err)).but(changing, cell{requests: 1, err: err, executed: true})
	}
	forms := func(drive func(*trial, cell)) []form {
		return []form{
			{name: "a pipe that nobody writes to", configure: blockedBody(false), drive: drive, wanted: wanted{after: bodyClosed}},
			{name: "a reader that minds no Close", configure: blockedBody(true), drive: drive, wanted: wanted{after: bodyClosed}},
			{name: "over HTTP/2", configure: blockedBodyOverHTTP2, drive: drive, wanted: wanted{after: bodyClosed}},
		}
	}
	late := row(jobboard.ErrTimeout)
	for i := range late {
		late[i].stopped = once
	}
	return []fault{
		{name: "request body blocks until the deadline", cells: row(context.DeadlineExceeded), forms: forms(withDeadline(2*time.Second, 2*time.Second))},
		{name: "request body blocks until the cancel", cells: row(context.Canceled), forms: forms(cancelWhileBlocked)},
		{name: "request body blocks until the attempt's time is over", cells: late, forms: forms(withDeadline(time.Minute, 5*time.Second))},
	}
}

// blockedReader gives a few bytes and blocks in the second Read: for ever, or to its Close.
type blockedReader struct {
	stubborn bool
	release  chan struct{} // closed when the trial ends
	reads    atomic.Int64
	reading  atomic.Bool
	closes   atomic.Int64
	closed   chan struct{}
}

func (r *blockedReader) Read(p []byte) (int, error) {
	if r.reads.Add(1) == 1 {
		return copy(p, "first"), nil
	}
	r.reading.Store(true)
	defer r.reading.Store(false)
	if r.stubborn {
		<-r.release
		return copy(p, "a part that nobody waits for"), nil
	}
	select {
	case <-r.closed:
	case <-r.release:
	}
	return 0, io.ErrClosedPipe
}

func (r *blockedReader) Close() error {
	if r.closes.Add(1) == 1 {
		close(r.closed)
	}
	return nil
}

func blockedBody(stubborn bool) func(*trial) {
	return func(t *trial) {
		t.requestBody = &blockedReader{stubborn: stubborn, release: t.release, closed: make(chan struct{})}
	}
}

func blockedBodyOverHTTP2(t *trial) {
	overHTTP2(t)
	blockedBody(true)(t)
}

// bodyClosed: it is closed, once, and no Read begins any more.
func bodyClosed(t *trial, _ error) {
	synctest.Wait()
	body := t.requestBody.(*blockedReader)
	if n := body.closes.Load(); n != 1 || body.reads.Load() != 2 || body.reading.Load() != body.stubborn {
		t.problem("the body is read %d times and closed %d times, and is in Read: %v", body.reads.Load(), n, body.reading.Load())
	}
}

// A request whose body blocks in Read ends with its context all the same, whatever its
// method.
func TestRequestBodyBlocks(t *testing.T) {
	for _, f := range blockedBodyFaults() {
		t.Run(f.name, func(t *testing.T) {
			for i, v := range f.forms {
				for j, op := range rig.Operations {
					synctest.Test(t, func(t *testing.T) {
						trials(t, &f, &v, op, i+j, func(tr *trial, c cell) []string {
							throughTransport(tr)
							return tr.run(c)
						})
					})
				}
			}
		})
	}
}

// A request of the caller's own is a column of the table, too, for faults of the transport.
func TestFaultMatrixOfTransport(t *testing.T) {
	all := int64(0)
	for _, f := range slices.Concat(
		connectionFaults(), statusFaults(), redirectFaults(), bodyFaults(), callerFaults(),
	) {
		t.Run(f.name, func(t *testing.T) {
			runs, met := int64(0), false
			for i, v := range f.forms {
				c := transportCell(&f, &v)
				if c == never {
					continue
				}
				met = met || v.only == 0 || v.only&A != 0
				f := f
				f.cells = at(A, c)
				synctest.Test(t, func(t *testing.T) {
					runs += trials(t, &f, &v, rig.Op("HasApplied"), i, func(tr *trial, c cell) []string {
						throughTransport(tr)
						return tr.run(c)
					})
				})
			}
			if met && runs == 0 {
				t.Error("it has no run")
			}
			all += runs
		})
	}
	t.Logf("figure: fault matrix: %d runs through Applicant.Transport", all)
}
