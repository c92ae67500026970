package stall_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/internal/stall"
)

// slow is a body that gives a byte after a time, until its request ends.
type slow struct {
	ctx    context.Context
	after  time.Duration
	left   int
	closed bool
}

func (s *slow) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(s.after):
		s.left--
		return copy(p, "x"), nil
	case <-s.ctx.Done():
		return 0, errors.New("the connection is closed")
	}
}

func (s *slow) Close() error {
	s.closed = true
	return nil
}

// What comes all the time may take any time, and so may its reader.
func TestSlowAnswerIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := stall.New(t.Context(), time.Second)
		body := &slow{ctx: w.Context(), after: 999 * time.Millisecond, left: 10}
		w.Answered(body)
		for range 10 {
			if n, err := w.Read(make([]byte, 8)); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			time.Sleep(time.Hour)
		}
		if _, err := w.Read(make([]byte, 8)); err != io.EOF {
			t.Errorf("the end is %v", err)
		}
		if err := w.Close(); err != nil || !body.closed || !errors.Is(context.Cause(w.Context()), context.Canceled) {
			t.Errorf("closed: %t, %v, %v", body.closed, err, context.Cause(w.Context()))
		}
	})
}

// A host that is silent is given up, before its answer and within it.
func TestSilentHostIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		check := func(when string, w *stall.Watch, began time.Time, err error) {
			t.Helper()
			if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "it sent nothing for 1s" || time.Since(began) != time.Second {
				t.Errorf("%s: %v after %s", when, err, time.Since(began))
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		began := time.Now()
		w := stall.New(t.Context(), time.Second)
		<-w.Context().Done()
		check("before its answer", w, began, w.Cause(errors.New("canceled")))

		w = stall.New(t.Context(), time.Second)
		w.Answered(&slow{ctx: w.Context(), after: time.Hour, left: 1})
		began = time.Now()
		_, err := w.Read(make([]byte, 8))
		check("within it", w, began, err)

		w = stall.New(t.Context(), time.Second)
		errWait := errors.New("told by who waits")
		if err := w.Redirected(func() error { time.Sleep(time.Hour); return errWait }); err != errWait {
			t.Errorf("a wait ends with %v", err)
		}
		began = time.Now()
		<-w.Context().Done()
		check("after a redirect", w, began, w.Cause(nil))
	})
}

// An error of the body stays, and so does the cause of a context that ended before.
func TestOtherEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errBody, errOuter := errors.New("reset"), errors.New("the caller left")
		ctx, cancel := context.WithCancelCause(t.Context())
		w := stall.New(ctx, time.Second)
		defer w.Close()
		w.Answered(io.NopCloser(failing{errBody}))
		if _, err := w.Read(make([]byte, 8)); err != errBody {
			t.Errorf("an error of the body is %v", err)
		}
		cancel(errOuter)
		if _, err := w.Read(make([]byte, 8)); err != errOuter {
			t.Errorf("a context that ended is %v", err)
		}
	})
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }
