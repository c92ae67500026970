package call

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// maxRefusal bounds what is read of a refused answer.
const maxRefusal = 64 << 10

// Answer reads a response within its bounds.
type Answer struct {
	transport.Body
	Response *http.Response
	At       time.Time // when its header came

	call     *Call
	exchange transport.Exchange
	lasted   time.Duration // from the header to Close, and 1 ns more; 0: not closed yet
	whole    []byte        // the body that Bytes has read
}

// Closed returns when the answer was closed, or false if it is open.
func (a *Answer) Closed() (at time.Time, ok bool) { return a.At.Add(a.lasted - 1), a.lasted > 0 }

// Waited returns how long reads have waited for bytes.
func (a *Answer) Waited() time.Duration { return a.exchange.Waited() }

// Bytes reads a small answer whole. It is valid until the call ends.
func (a *Answer) Bytes() ([]byte, error) {
	c := a.call
	if c.buffer == nil {
		c.buffer = bodyBuffers.Get().(*bytes.Buffer)
	}
	c.buffer.Reset()
	_, err := c.buffer.ReadFrom(a)
	a.whole = c.buffer.Bytes()
	return a.whole, err
}

// Unzip lets Read decompress the answer to a given request, of which nothing was read yet.
func (a *Answer) Unzip() error {
	compressed := &http.Response{Body: &a.exchange, Header: http.Header{"Content-Encoding": {"gzip"}}}
	return a.Open(a.exchange.Context(), compressed, a.Limit())
}

// Interrupt ends a Read in another goroutine.
func (a *Answer) Interrupt() { a.exchange.GiveUp() }

// Close ends reading and the exchange, once. It does nothing for nil.
func (a *Answer) Close() {
	switch {
	case a == nil || a.lasted > 0:
		return
	case a.Opened():
		a.Body.Close()
	default:
		_ = a.exchange.Close()
	}
	a.lasted = max(time.Since(a.At), 0) + 1
}

// maxDiscard bounds the time that discard reads.
const maxDiscard = 50 * time.Millisecond

// discard closes the answer to a given request that is repeated. It first reads what is left of a
// small answer, if that comes before end and within maxDiscard, so that the connection can be used
// again.
func (a *Answer) discard(end time.Time) {
	if most := time.Now().Add(maxDiscard); most.Before(end) {
		end = most
	}
	a.exchange.EndBy(end)
	transport.Drain(&a.exchange)
	a.Close()
}

// errPart refuses an answer with status 206: a part of an identifier looks like a whole one.
var errPart = errors.New("only a part of an answer, which nobody asked for")

// read reads the answer during the attempt, so that a truncated answer counts as a failed attempt. It
// returns nil if the owner accepted the answer.
func (c *Call) read(a *Answer) (failed *Failure) {
	if c.request.Given != nil {
		return c.handOn(a)
	}
	err := a.open(a.Response)
	switch {
	case a.Response.StatusCode > 299: // transport.Complete refuses a status under 200
		failed = c.refused(a, err)
	case err != nil:
		failed = a.Broken(err)
	case a.Response.StatusCode == http.StatusPartialContent:
		failed = a.Broken(errPart)
	default:
		if err := c.owner.Accept(a); err != nil {
			failed = a.Broken(err)
		}
	}
	if failed != nil || !c.request.Stream {
		a.Close()
	}
	return failed
}

// handOn hands the answer to a given request to the owner, unread.
func (c *Call) handOn(a *Answer) *Failure {
	// open gets no header, so that it neither decompresses nor reads.
	_ = a.open(&http.Response{Body: a.Response.Body})
	if a.Response.StatusCode >= 400 {
		return &Failure{Kind: Refused, Response: a.Response, Answer: a}
	}
	if err := c.owner.Accept(a); err != nil {
		return a.Broken(err)
	}
	return nil
}

func (a *Answer) open(resp *http.Response) error {
	return a.Open(a.exchange.Context(), resp, a.call.request.Limit)
}

// refused returns the failure of an answer whose status is no success; err says why its body cannot
// be read. If the body is truncated, refused uses the part that arrived when the status alone decides
// about a repeat.
func (c *Call) refused(a *Answer, err error) *Failure {
	f := &Failure{Kind: Refused, Response: a.Response}
	if err == nil {
		f.Body, err = io.ReadAll(io.LimitReader(a, maxRefusal+1)) // the byte beyond the bound shows that the body is longer
		if len(f.Body) > maxRefusal {
			f.Body, err = f.Body[:maxRefusal], nil
		}
	}
	if lost := a.Lost(); err != nil && lost != nil && outcomeOf(f.Status()) == final {
		return c.cutShort(a, lost)
	}
	return f
}

// Broken returns the failure of an answer with a good status that the owner refused, with err, or
// that did not arrive whole. The good status means that the service executed a call that changes
// something.
func (a *Answer) Broken(err error) *Failure {
	c := a.call
	lost := a.Lost()
	if lost == nil && errors.Is(err, transport.ErrCut) {
		lost = err
	}
	if lost != nil {
		f := c.cutShort(a, lost)
		if f.outcome != final {
			f.outcome = cutOff
		}
		return f
	}
	return &Failure{
		Kind: Unusable, Err: err, Response: a.Response, MayHaveExecuted: !c.request.safe(),
		Body: a.kept(), Sample: bytes.Clone(a.Sample()),
	}
}

// cutShort returns the failure of an answer whose end did not arrive. Its status did arrive.
func (c *Call) cutShort(a *Answer, err error) *Failure {
	f := c.lost(a, err)
	f.Response, f.MayHaveExecuted = a.Response, !c.request.safe()
	return f
}

// kept returns the part of the answer that a Failure keeps.
func (a *Answer) kept() []byte {
	if a.whole != nil {
		return bytes.Clone(a.whole[:min(len(a.whole), maxRefusal)])
	}
	return bytes.Clone(a.Sample())
}
