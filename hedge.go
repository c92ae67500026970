package jobboard

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// hedge sends the request of an attempt a second time if the first one has no header after
// RetryPolicy.Hedge. The two requests race to the header of an answer: the attempt continues with
// the exchange of the winner, and the loser is ended.
type hedge struct {
	call   *call
	req    *http.Request
	auth   *credential.Authorization
	limits transport.Limits
	number int                 // the second request's AttemptStart.Number
	first  *transport.Exchange // of the attempt
	timer  *time.Timer
	crew   gate.Crew     // carries panics to the caller
	done   chan struct{} // closed when the second request has ended or was not allowed

	mu       sync.Mutex
	answered bool               // the first request has an answer or failed: the second request must not start
	won      bool               // one of the two requests has received the good answer that counts
	stopWait context.CancelFunc // ends the wait for the Limiter; nil: nobody waits
	began    bool               // the second request has been given its exchange

	over bool // stop was called

	// What the caller reads after done.
	sent     bool
	exchange transport.Exchange
	resp     *http.Response // the good answer, if the second request has won
	watch    *watch
}

// errBeaten ends the request of the two that lost.
var errBeaten = errors.New("the other request of the hedge was answered first")

// startHedge returns the hedge of the attempt that sends req, or nil if the attempt is not hedged.
// Bulk calls are not hedged, because they want throughput. A repeat with a renewed token is not
// hedged either: if the service refuses that token too, the call has sent two requests and no more.
func (c *call) startHedge(
	first *transport.Exchange, req *http.Request, auth *credential.Authorization, limits transport.Limits,
) *hedge {
	after, reads := c.endpoint.config.Retry.Hedge, c.op.method == http.MethodGet || c.op.method == http.MethodHead
	if after == 0 || !reads || c.request.turn != nil || c.given != nil && c.given.hasBody() {
		return nil
	}
	if c.last != nil && c.last.outcome == renewed {
		return nil
	}
	h := &hedge{
		call: c, req: req, auth: auth, limits: limits, number: c.attempts + 1, first: first, done: make(chan struct{}),
	}
	h.crew.Cancel = func() {}
	h.timer = time.AfterFunc(after, func() {
		defer close(h.done)
		h.crew.Do(h.send)
	})
	return h
}

// send sends the second request, in a goroutine of its own, if that is allowed.
func (h *hedge) send() {
	c := h.call
	if h.first.Framed() || !c.endpoint.mayHedge() || !h.allowed() {
		return
	}
	h.sent = true
	h.watch = c.watch.beside()
	ctx, observed := h.watch.startAttempt(c.ctx, AttemptStart{Number: h.number, Hedge: true})
	x := &h.exchange
	closed := false
	finish := func() {
		if !closed {
			closed = true
			_ = x.Close()
		}
	}
	h.mu.Lock()
	x.Unshared = true
	x.Begin(ctx, h.limits, c.endpoint.standard, false)
	h.began = true
	if h.won {
		x.End(errBeaten)
	}
	h.mu.Unlock()
	defer func() {
		if h.resp == nil {
			finish()
		}
	}()
	sent := h.req.WithContext(x.Context())
	sent.Header = c.endpoint.headers.Whole(observed, c.request.kind, c.request.language, h.auth, c.endpoint.standard)
	if c.given != nil {
		sent.Header = c.headerGiven(observed, h.auth)
	}
	resp, err := c.endpoint.next(sent)
	if err == nil {
		err = transport.Complete(resp)
	}
	if err == nil && isGoodAnswer(resp.StatusCode) && c.endpoint.origin.Redirect(sent.URL, resp) == nil && h.win() {
		h.resp = resp
		h.first.End(errBeaten)
		return
	}
	end := c.beaten(h.watch, x, resp, err)
	finish()
	h.watch.endAttempt(end)
}

// beaten drops the answer of the hedged request that lost, and returns the AttemptEnd that the
// observer gets for it. A request that was ended because the other won has not failed.
func (c *call) beaten(w *watch, x *transport.Exchange, resp *http.Response, err error) AttemptEnd {
	if err != nil {
		if err = x.Cause(err); errors.Is(err, errBeaten) {
			return AttemptEnd{Beaten: true}
		}
		return AttemptEnd{Err: err}
	}
	_ = resp.Body.Close()
	w.answered(resp, &c.secrets)
	if isGoodAnswer(resp.StatusCode) {
		return AttemptEnd{Beaten: true}
	}
	_, err = classify(c.op, resp.StatusCode, resp.Header, nil, nil)
	return AttemptEnd{Err: err}
}

// isGoodAnswer reports whether an answer ends the race: the service works.
func isGoodAnswer(status int) bool { return status < 500 && status != http.StatusTooManyRequests }

// allowed asks the Limiter for the second request, until the first has an answer.
func (h *hedge) allowed() bool {
	ctx, cancel := context.WithCancel(h.call.ctx)
	defer cancel()
	h.mu.Lock()
	h.stopWait = cancel
	answered := h.answered
	h.mu.Unlock()
	if answered {
		return false
	}
	if limiter := h.call.endpoint.config.Limiter; limiter != nil && limiter.Wait(ctx) != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.answered
}

// win claims the race for a good answer, and reports whether it was the first.
func (h *hedge) win() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := !h.won
	h.won = true
	return first
}

// stop prevents the second request if it has not started. If unwanted is set, stop also ends a
// second request under way. stop returns when the hedge's goroutine has ended.
func (h *hedge) stop(unwanted bool) {
	h.over = true
	if h.timer.Stop() {
		return
	}
	h.mu.Lock()
	h.answered = true
	if h.stopWait != nil {
		h.stopWait()
	}
	if unwanted && h.began {
		h.exchange.End(errBeaten)
	}
	h.mu.Unlock()
	<-h.done
}

// abandon ends the second request if the attempt broke off without calling settle, such as in a
// panic. h may be nil.
func (h *hedge) abandon() {
	if h == nil || h.over {
		return
	}
	h.stop(true)
	if h.resp != nil {
		end := h.call.beaten(h.watch, &h.exchange, h.resp, nil)
		_ = h.exchange.Close()
		h.watch.endAttempt(end)
	}
}

// settle decides between the outcome of the first request and the second one. It
// returns the exchange, answer and error of the attempt; the other is over.
func (h *hedge) settle(resp *http.Response, err error) (*transport.Exchange, *http.Response, error) {
	c := h.call
	good := err == nil && isGoodAnswer(resp.StatusCode)
	h.stop(good && h.win())
	if h.sent {
		c.attempts++
	}
	h.crew.Wait()
	if h.resp == nil {
		return h.first, resp, err
	}
	end := c.beaten(c.watch, h.first, resp, err)
	_ = h.first.Close()
	c.watch.replace(h.watch, end)
	return &h.exchange, h.resp, nil
}

// mayHedge reports whether a second request may be sent, and takes it from the allowance for
// hedges. The retry budget must have a token, but loses none.
func (e *endpoint) mayHedge() bool {
	if e.budget != nil {
		if tokens, _ := e.budget.State(time.Now()); tokens < 1 {
			return false
		}
	}
	return e.hedges.Take()
}
