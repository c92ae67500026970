package jobpublish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// timed is a client that notes when the first byte came.
type timed struct {
	*httptest.ResponseRecorder
	began time.Time
	first time.Duration
}

func (w *timed) Write(p []byte) (int, error) {
	if w.Body.Len() == 0 && len(p) > 0 {
		w.first = time.Since(w.began)
	}
	return w.ResponseRecorder.Write(p)
}

// visit returns what a client gets, and whether the answer was cut off.
func visit(h http.Handler, change func(*http.Request)) (w *timed, cut bool) {
	w = &timed{ResponseRecorder: httptest.NewRecorder(), began: time.Now()}
	defer func() { cut = recover() == http.ErrAbortHandler }()
	r := httptest.NewRequest(http.MethodGet, "/x", nil)
	if change != nil {
		change(r)
	}
	h.ServeHTTP(w, r)
	return w, false
}

// slowJobs yields n jobs with advertisements of 40 kB, one a second, and then fails, unless the failure
// is nil.
func slowJobs(n int, failure *error) func(context.Context) iter.Seq2[Job, error] {
	return func(context.Context) iter.Seq2[Job, error] {
		return func(yield func(Job, error) bool) {
			for i := range n {
				job := numbered(i + 1)
				job.URL += "/x"
				posting := *job.Posting
				text := fmt.Sprintf("<p>Job %d. %s", i, strings.Repeat("Schäfer & Co. ", 3000))
				posting.Config = jobboard.NewPostingConfig(map[string][]string{jobboard.KeyAdText: {text}})
				job.Posting = &posting
				time.Sleep(time.Second)
				if !yield(job, nil) {
					return
				}
			}
			if *failure != nil {
				yield(Job{}, *failure)
			}
		}
	}
}

// streams are the handlers that send a file while it is written.
var streams = map[string]func(*Feeds) http.Handler{
	"RSS": func(f *Feeds) http.Handler { return f.RSS("/x") },
}

// Who asks for a feed that takes minutes to write gets its beginning after some seconds and its rest as it is
// written, whenever he comes; it is the file that others get later. Who asks for a part, or whether he
// has it already, waits for the whole.
func TestFirstByteOfALongFeed(t *testing.T) {
	for name, of := range streams {
		synctest.Test(t, func(t *testing.T) {
			var none error
			h := of(newFeeds(t, slowJobs(100, &none)))
			var clients [4]*timed
			var all sync.WaitGroup
			for i, c := range []struct {
				comes  time.Duration
				change func(*http.Request)
				first  time.Duration // the latest
			}{
				{0, nil, 5 * time.Second},
				{50 * time.Second, nil, 2 * time.Second},
				{time.Second, func(r *http.Request) { r.Header.Set("Range", "bytes=0-9") }, 99 * time.Second},
				{time.Second, func(r *http.Request) { r.Header.Set("If-None-Match", `"x"`) }, 99 * time.Second},
			} {
				all.Go(func() {
					time.Sleep(c.comes)
					w, cut := visit(h, c.change)
					if clients[i] = w; cut || w.first > c.first || c.first == 99*time.Second && w.first < c.first {
						t.Errorf("%s: client %d has the first byte after %s, cut off: %t", name, i, w.first, cut)
					}
				})
			}
			all.Wait()
			later, _ := visit(h, nil)
			if later.first != 0 || later.Header().Get("ETag") == "" {
				t.Errorf("%s: later: %s, %v", name, later.first, later.Header())
			}
			for i, w := range clients {
				if same := w.Body.String() == later.Body.String(); w.Code/100 != 2 || same != (i != 2) {
					t.Errorf("%s: client %d has %d, %d bytes of %d", name, i, w.Code, w.Body.Len(), later.Body.Len())
				}
				if got := w.Header().Get("Content-Type"); got != later.Header().Get("Content-Type") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s: client %d: %v", name, i, w.Header())
				}
				if streamed := w.Header().Get("ETag") == ""; streamed != (i < 2) || w.Header().Get("Cache-Control") != "public, max-age=60" {
					t.Errorf("%s: client %d: %v", name, i, w.Header())
				}
			}
		})
	}
}

// A file that took longer to write than MaxAge is served for MaxAge.
func TestLongFeedIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var none error
		feeds := newFeeds(t, func(ctx context.Context) iter.Seq2[Job, error] {
			asked++
			return slowJobs(200, &none)(ctx)
		})
		h := feeds.Atom("/x")
		for i, c := range []struct{ asked, took int }{{1, 200}, {1, 0}, {2, 200}} {
			w, _ := visit(h, nil)
			if w.Code != 200 || asked != c.asked || time.Since(w.began) != time.Duration(c.took)*time.Second {
				t.Errorf("visit %d: %d after %s, asked %d times", i, w.Code, time.Since(w.began), asked)
			}
			time.Sleep(59*time.Second + time.Duration(i)*time.Second)
		}
	})
}

// When the jobs are not known any more, an answer that has begun is cut off, and others are told so.
func TestLongFeedThatFails(t *testing.T) {
	for name, of := range streams {
		synctest.Test(t, func(t *testing.T) {
			failure := errors.New("the database is down")
			h := of(newFeeds(t, slowJobs(20, &failure)))
			var all sync.WaitGroup
			all.Go(func() {
				if w, cut := visit(h, nil); !cut || w.Code != 200 || w.Body.Len() == 0 {
					t.Errorf("%s: %d, %d bytes, cut off: %t", name, w.Code, w.Body.Len(), cut)
				}
			})
			all.Go(func() {
				if w, _ := visit(h, func(r *http.Request) { r.Method = http.MethodHead }); w.Code != 503 {
					t.Errorf("%s: %d without an answer", name, w.Code)
				}
			})
			time.Sleep(19*time.Second + time.Second/2)
			if w, cut := visit(h, nil); w.Code != 503 || cut { // in time to be told
				t.Errorf("%s: %d, cut off: %t", name, w.Code, cut)
			}
			all.Wait()
			early := of(newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
				return func(yield func(Job, error) bool) {
					if yield(withAd(1, "<p>Wool"), nil) {
						time.Sleep(10 * time.Second)
						yield(Job{}, failure)
					}
				}
			}))
			if w, cut := visit(early, nil); w.Code != 503 || cut {
				t.Errorf("%s: before the first bytes: %d, cut off: %t", name, w.Code, cut)
			}
			failure = nil
			if w, cut := visit(h, nil); w.Code != 200 || cut {
				t.Errorf("%s: afterwards %d, cut off: %t", name, w.Code, cut)
			}
		})
	}
}

// A client that leaves ends its own answer alone.
func TestLongFeedWithoutItsClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var none error
		h := newFeeds(t, func(ctx context.Context) iter.Seq2[Job, error] {
			asked++
			return slowJobs(60, &none)(ctx)
		}).RSS("/x")
		ctx, leave := context.WithTimeout(t.Context(), 20*time.Second)
		defer leave()
		if w, cut := visit(h, func(r *http.Request) { *r = *r.WithContext(ctx) }); !cut || time.Since(w.began) != 20*time.Second {
			t.Errorf("left after %s, cut off: %t", time.Since(w.began), cut)
		}
		if w, _ := visit(h, nil); w.Code != 200 || asked != 1 {
			t.Errorf("%d, asked %d times", w.Code, asked)
		}
	})
}

// A panic of the site's own code reaches those who wait, and does not end the program or the feed.
func TestJobsThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := true
		h := newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
			return func(yield func(Job, error) bool) {
				if yield(numbered(1), nil) && broken {
					panic("nil map")
				}
			}
		}).Sitemap("/x")
		func() {
			defer func() {
				if cause := fmt.Sprint(recover()); !strings.Contains(cause, "nil map") || !strings.Contains(cause, "TestJobsThatPanic") {
					t.Errorf("it panics with %s", cause)
				}
			}()
			get(h, "/x")
		}()
		broken = false
		if w := get(h, "/x"); w.Code != 200 {
			t.Error(w.Code)
		}
	})
}
