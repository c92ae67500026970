package jobmirror

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// limit spaces out the requests of a mirror. It is the client's
// Config.Limiter, which is asked before every request that is sent.
type limit struct {
	interval time.Duration // between two requests when nothing is wrong; 0: no limit

	mu     sync.Mutex
	next   time.Time // when the next request may be sent
	paused time.Time // until when none may be
	slowed int       // the interval is doubled so many times
	calm   time.Time // when slowed was last changed
}

const (
	maxSlowed  = 4                // a sixteenth of the rate
	calmAfter  = 30 * time.Second // without a 429 the rate doubles
	firstPause = time.Second      // after a 429 without Retry-After
	maxPause   = time.Hour
)

func newLimit(perSecond float64) *limit {
	l := &limit{}
	if perSecond > 0 {
		l.interval = time.Duration(float64(time.Second) / perSecond)
	}
	return l
}

// Wait returns when a request may be sent.
func (l *limit) Wait(ctx context.Context) error {
	for {
		slot := l.take()
		if wait := time.Until(slot); wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return ctx.Err()
			}
		}
		l.mu.Lock()
		void := slot.Before(l.paused)
		l.mu.Unlock()
		// Who was waiting when a pause began takes a new place behind it, or
		// all would be sent at once at its end.
		if !void {
			return ctx.Err()
		}
	}
}

// take returns when the next request may be sent, and gives that place away.
func (l *limit) take() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for l.slowed > 0 && now.Sub(l.calm) >= calmAfter {
		l.slowed--
		l.calm = l.calm.Add(calmAfter)
	}
	slot := now
	for _, at := range []time.Time{l.next, l.paused} {
		if at.After(slot) {
			slot = at
		}
	}
	l.next = slot.Add(l.interval << l.slowed)
	return slot
}

// pause stops all requests for a time, and halves their rate after it.
func (l *limit) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if until := now.Add(min(d, maxPause)); until.After(l.paused) {
		l.paused = until
	}
	// Answers to requests that were under way tell the same thing again.
	if now.Sub(l.calm) >= time.Second {
		l.slowed = min(l.slowed+1, maxSlowed)
		l.calm = now
	}
}

// observe slows down when an answer asks for it.
func (l *limit) observe(status int, retryAfter string) {
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && retryAfter != "" {
		seconds, _ := strconv.Atoi(retryAfter)
		l.pause(max(time.Duration(seconds)*time.Second, firstPause))
	}
}

// state is what is known of the limit for Status.
func (l *limit) state() (paused time.Time, rate float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.interval > 0 {
		rate = float64(time.Second) / float64(l.interval<<l.slowed)
	}
	return l.paused, rate
}

// observer watches the client's attempts for answers that ask to slow down.
func (l *limit) observer(other *jobboard.Observer) *jobboard.Observer {
	o := jobboard.Observer{}
	if other != nil {
		o = *other
	}
	call, attempt := o.Call, o.Attempt
	o.Attempt = func(ctx context.Context, start jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
		var end func(jobboard.AttemptEnd)
		if attempt != nil {
			ctx, end = attempt(ctx, start)
		}
		return ctx, func(e jobboard.AttemptEnd) {
			if e.StatusCode == http.StatusTooManyRequests {
				l.pause(max(e.Wait, firstPause))
			}
			if end != nil {
				end(e)
			}
		}
	}
	o.Call = func(ctx context.Context, start jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
		var end func(jobboard.CallEnd)
		if call != nil {
			ctx, end = call(ctx, start)
		}
		return ctx, func(e jobboard.CallEnd) {
			if e.Err != nil && e.Err.RetryAfter > 0 {
				l.pause(e.Err.RetryAfter)
			}
			if end != nil {
				end(e)
			}
		}
	}
	return &o
}

// limiters asks several in turn.
type limiters []jobboard.Limiter

func (l limiters) Wait(ctx context.Context) error {
	for _, each := range l {
		if err := each.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
