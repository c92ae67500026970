package control

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// patience records how long its writer may take.
type patience struct {
	*httptest.ResponseRecorder
	left time.Duration
}

func (p *patience) SetWriteDeadline(t time.Time) error {
	p.left = time.Until(t)
	return nil
}

// A page that has stopped reading is let go after a minute.
func TestPageThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		handler := New(jobboardtest.New(t, jobboardtest.WithoutSockets()))
		w := &patience{ResponseRecorder: httptest.NewRecorder()}
		done := make(chan struct{})
		go func() {
			defer close(done)
			handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/events", http.NoBody))
		}()
		synctest.Wait()
		leave()
		<-done
		if w.Code != http.StatusOK || w.left != time.Minute {
			t.Errorf("%d, and it waits %v for a page that does not read: %.200s", w.Code, w.left, w.Body)
		}
	})
}
