package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"golang.org/x/oauth2"
)

// bulkBoard answers lookups from memory, in virtual time.
type bulkBoard struct {
	takes  time.Duration
	answer func(job int, attempt int) (status int, header http.Header)

	mu      sync.Mutex
	seen    map[int]int
	running int
	most    int
	sent    []time.Time
	paths   map[string]int
}

func (b *bulkBoard) RoundTrip(r *http.Request) (*http.Response, error) {
	job, _ := strconv.Atoi(r.URL.Query().Get("jobid"))
	b.mu.Lock()
	if b.seen == nil {
		b.seen, b.paths = map[int]int{}, map[string]int{}
	}
	b.seen[job]++
	b.paths[r.URL.Path]++
	attempt := b.seen[job]
	b.sent = append(b.sent, time.Now())
	b.running++
	b.most = max(b.most, b.running)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.running--
		b.mu.Unlock()
	}()
	select {
	case <-time.After(b.takes):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	status, header := 200, http.Header{}
	if b.answer != nil {
		status, header = b.answer(job, attempt)
	}
	body := ""
	switch {
	case status != 200:
	case strings.HasSuffix(r.URL.Path, "/applied"):
		body = "true"
	default:
		body = fmt.Sprintf(`{"jobId":%d,"jobTitle":"Nurse","applyPossible":true}`, job)
	}
	return rig.Respond(r, status, header, strings.NewReader(body))
}

func (b *bulkBoard) client(t *testing.T, retry jobboard.RetryPolicy) *jobboard.Client {
	t.Helper()
	return withTransport(t, jobboard.Config{JobDBURL: jobDB, Retry: retry}, b.RoundTrip)
}

// upTo gives the jobs 1 to n.
func upTo(n int) iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		for id := range jobboard.JobID(n) {
			if !yield(id+1, nil) {
				return
			}
		}
	}
}

func TestBulkConcurrency(t *testing.T) {
	for asked, want := range map[int]int{0: 16, -1: 16, 1: 1, 3: 3, 128: 128, 1024: 1024, 5000: 1024} {
		synctest.Test(t, func(t *testing.T) {
			b := &bulkBoard{takes: time.Second}
			jobs := want + 50
			got := map[jobboard.JobID]bool{}
			start := time.Now()
			for r := range b.client(t, jobboard.RetryPolicy{}).BulkJobInformation(t.Context(), upTo(jobs), jobboard.BulkOptions{Concurrency: asked}) {
				if r.Err != nil || r.Value.JobID != r.Job || got[r.Job] {
					t.Errorf("%d: %v", r.Job, r.Err)
				}
				got[r.Job] = true
			}
			took := time.Duration((jobs+want-1)/want) * time.Second // each round answers after a second
			if len(got) != jobs || b.most != want || time.Since(start) != took {
				t.Errorf("concurrency %d: %d results, %d at once, %v", asked, len(got), b.most, time.Since(start))
			}
		})
	}
}

// Both bulk calls make the request of their own operation.
// The default transport keeps the connections of a bulk call, and opens no other one for each job. It may open some more than
// there are calls at once: one for a call that another connection has become free for meanwhile.
func TestBulkKeepsConnections(t *testing.T) {
	const jobs, concurrency = 3000, 64
	var opened atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jobId":%s,"jobTitle":"Nurse","applyPossible":true}`, r.URL.Query().Get("jobid"))
	}))
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	client, err := jobboard.NewClient(jobboard.Config{JobDBURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	for r := range client.BulkJobInformation(t.Context(), upTo(jobs), jobboard.BulkOptions{Concurrency: concurrency}) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	if n := opened.Load(); n > 2*concurrency {
		t.Errorf("%d connections for %d jobs, %d at once", n, jobs, concurrency)
	}
}

func TestBulkOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bulkBoard{}
		a := withToken(b.client(t, jobboard.RetryPolicy{}))
		broken := errors.New("broken")
		input := func(yield func(jobboard.JobID, error) bool) {
			again := jobboard.JobID(1)
			_ = yield(1, nil) && yield(again, nil) && yield(7, broken) && yield(2, nil)
		}
		var got []string
		for r := range a.BulkHasApplied(t.Context(), input, jobboard.BulkOptions{}) {
			got = append(got, fmt.Sprint(r.Job, r.Value, r.Err))
		}
		slices.Sort(got)
		if want := []string{"1 true <nil>", "2 true <nil>", "7 false broken"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if b.paths["/api/rest/v3/frontend/jobs/1/applied"] != 1 || len(b.paths) != 2 {
			t.Errorf("%v", b.paths)
		}
	})
}

// A bulk call whose context has ended says so once, as every call does.
func TestBulkAfterTheEnd(t *testing.T) {
	b := &bulkBoard{}
	a := withToken(b.client(t, jobboard.RetryPolicy{}))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	for _, ctx := range []context.Context{canceled, late} {
		results := 0
		for r := range a.BulkHasApplied(ctx, upTo(5), jobboard.BulkOptions{}) {
			results++
			e, ok := errors.AsType[*jobboard.Error](r.Err)
			if !ok || e.Op != "HasApplied" || !errors.Is(e, ctx.Err()) || errors.Is(e, jobboard.ErrTimeout) != (ctx == late) {
				t.Errorf("%+v", r)
			}
			if ctx == canceled && e.Stopped != jobboard.StopCanceled {
				t.Errorf("stopped: %s", e.Stopped)
			}
		}
		if results != 1 || len(b.sent) != 0 {
			t.Errorf("%d results, %d requests", results, len(b.sent))
		}
	}
}

// Jobs that wait for their repeat hold no place: where one job in 20 always
// fails, good results come nearly as fast as without repeats. The repeats are
// a sixth of the requests.
func TestBulkUnderFailure(t *testing.T) {
	const concurrency = 128
	jobs := 50_000
	if rig.Race || !testenv.Whole() { // fewer fail than may wait, which TestBulkBoundsWhatWaits is about
		jobs = 10_000
	}
	lastGood := func(takes time.Duration, attempts int) (took time.Duration, most int) {
		synctest.Test(t, func(t *testing.T) {
			b := &bulkBoard{takes: takes, answer: func(job, _ int) (int, http.Header) {
				if job%20 == 0 {
					return 500, http.Header{}
				}
				return 200, http.Header{}
			}}
			c := b.client(t, jobboard.RetryPolicy{MaxAttempts: attempts})
			start, failed := time.Now(), 0
			for r := range c.BulkJobInformation(t.Context(), upTo(jobs), jobboard.BulkOptions{Concurrency: concurrency}) {
				if r.Err == nil {
					took = time.Since(start)
				} else if failed++; !errors.Is(r.Err, jobboard.ErrServer) {
					t.Error(r.Err)
				}
			}
			if failed != jobs/20 {
				t.Errorf("%d failed, not %d", failed, jobs/20)
			}
			most = b.most
		})
		return took, most
	}
	without, _ := lastGood(12*time.Millisecond, 1)
	with, most := lastGood(12*time.Millisecond, 5)
	share := float64(without) / float64(with)
	t.Logf("figure: bulk of %d at once, 5 %% of the jobs fail: %.0f %% of the good results a second without repeats", concurrency, 100*share)
	if share < 0.8 || most != concurrency {
		t.Errorf("%.2f of a run without repeats, %d at once", share, most)
	}

	// A service that is faster than that is held back by the bound on what waits.
	fast, most := lastGood(5*time.Millisecond, 5)
	failing := float64(jobs/20) / fast.Seconds() / concurrency
	t.Logf("figure: at most %.1f times Concurrency jobs a second fail for good", failing)
	if failing < 3 || most != concurrency {
		t.Errorf("%.1f times Concurrency jobs a second fail for good, %d at once", failing, most)
	}
}

// At most 8 times Concurrency jobs wait; then the input pauses.
func TestBulkBoundsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bulkBoard{answer: func(int, int) (int, http.Header) { return 503, http.Header{"Retry-After": {"20"}} }}
		c := b.client(t, jobboard.RetryPolicy{Budget: -1, MaxAttempts: 2})
		var pulled atomic.Int32
		input := func(yield func(jobboard.JobID, error) bool) {
			for id := range jobboard.JobID(1000) {
				pulled.Add(1)
				if !yield(id+1, nil) {
					return
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		results := c.BulkJobInformation(ctx, input, jobboard.BulkOptions{Concurrency: 4})
		time.AfterFunc(10*time.Second, func() {
			if n := pulled.Load(); n < 8*4 || n > 9*4+2 {
				t.Errorf("%d jobs were taken while %d may wait", n, 8*4)
			}
			cancel()
		})
		for range results { // ends because of cancel
		}
	})
}

// A job that waits for its repeat keeps at most 16 KiB, beside what its failed answer
// had: its goroutine, its call and its timer.
func TestBulkJobThatWaitsIsSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiting = 8 * 128
		b := &bulkBoard{answer: func(int, int) (int, http.Header) { return 503, http.Header{"Retry-After": {"20"}} }}
		c := b.client(t, jobboard.RetryPolicy{Budget: -1, MaxAttempts: 2})
		before, failed := inUse(), 0
		time.AfterFunc(10*time.Second, func() {
			each := (inUse() - before) / waiting
			b.mu.Lock()
			defer b.mu.Unlock()
			t.Logf("figure: a job of a bulk call that waits keeps %d bytes", each)
			if len(b.sent) != waiting || !rig.Race && each > 16<<10 { // the detector needs memory of its own
				t.Errorf("%d jobs wait, and each keeps %d bytes", len(b.sent), each)
			}
		})
		for r := range c.BulkJobInformation(t.Context(), upTo(waiting), jobboard.BulkOptions{Concurrency: 128}) {
			if r.Err != nil {
				failed++
			}
		}
		if failed != waiting {
			t.Errorf("%d jobs failed", failed)
		}
	})
}

// inUse returns the bytes that the program uses.
func inUse() int {
	runtime.GC()
	runtime.GC() // what was in pools goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}

// New jobs and due repeats take turns: neither waits for the other's end.
func TestBulkIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bulkBoard{takes: time.Second, answer: func(job, attempt int) (int, http.Header) {
			if job <= 8 && attempt < 3 {
				return 503, http.Header{}
			}
			return 200, http.Header{}
		}}
		c := b.client(t, jobboard.RetryPolicy{Budget: -1, MinWait: time.Millisecond, MaxWait: time.Millisecond})
		order := map[jobboard.JobID]int{}
		for r := range c.BulkJobInformation(t.Context(), upTo(60), jobboard.BulkOptions{Concurrency: 1}) {
			if r.Err != nil {
				t.Error(r.Err)
			}
			order[r.Job] = len(order)
		}
		if at := order[8]; at > 40 {
			t.Errorf("a repeated job came as result %d: new ones went first", at)
		}
		if at := order[20]; at > 45 {
			t.Errorf("a new job came as result %d: repeats went first", at)
		}
	})
}

func TestBulkBreakOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bulkBoard{answer: func(job, _ int) (int, http.Header) { return 503, http.Header{} }}
		c := b.client(t, jobboard.RetryPolicy{Budget: -1, MinWait: time.Hour, MaxWait: time.Hour, MaxAttempts: 2})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
		defer cancel()
		start := time.Now()
		input := func(yield func(jobboard.JobID, error) bool) {
			for id := range jobboard.JobID(200) {
				if !yield(id+1, nil) {
					return
				}
			}
			time.Sleep(time.Minute)
			yield(0, errors.New("the end"))
		}
		for r := range c.BulkJobInformation(ctx, input, jobboard.BulkOptions{Concurrency: 64}) {
			if r.Err != nil && r.Job == 0 {
				break // 200 jobs wait for an hour
			}
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("breaking off took %v more", took-time.Minute)
		}
		// The bubble fails if a goroutine stays behind.
	})
}

// What the program calls with the context of a bulk call's request is a call of
// its own: its repeats do not give the job's place away.
func TestBulkTokenNeedsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bulkBoard{answer: func(_, attempt int) (int, http.Header) {
			if attempt == 1 {
				return 503, http.Header{}
			}
			return 200, http.Header{}
		}}
		asked := b.client(t, jobboard.RetryPolicy{Budget: -1})
		c := withTransport(t, jobboard.Config{
			JobDBURL: jobDB,
			JobDBTokenSource: jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
				_, err := asked.JobInformation(ctx, 1)
				return &oauth2.Token{AccessToken: "token"}, err
			}),
		}, new(bulkBoard).RoundTrip)
		start := time.Now()
		for r := range c.BulkJobInformation(t.Context(), upTo(3), jobboard.BulkOptions{Concurrency: 1}) {
			if r.Err != nil {
				t.Error(r.Err)
			}
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("three jobs took %v", took)
		}
	})
}

// slowLimiter lets one request through every gap, and refuses one whose turn
// comes after its context ends, as rate.Limiter does.
type slowLimiter struct {
	gap  time.Duration
	mu   sync.Mutex
	next time.Time
}

func (l *slowLimiter) Wait(ctx context.Context) error {
	l.mu.Lock()
	turn := time.Now()
	if l.next.After(turn) {
		turn = l.next
	}
	if end, ok := ctx.Deadline(); ok && turn.After(end) {
		l.mu.Unlock()
		return errLimited
	}
	l.next = turn.Add(l.gap)
	l.mu.Unlock()
	return wait(ctx, time.Until(turn))
}

// However slow Config.Limiter is, no job of a bulk call is lost to the wait for it.
func TestBulkWithSlowLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		c := served(t, jobboard.Config{Limiter: &slowLimiter{gap: 10 * time.Second}}, func(r *http.Request) *http.Response {
			if sent++; sent%5 == 1 {
				return answer(r, 429, "")
			}
			return answer(r, 200, "true")
		})
		for r := range withToken(c).BulkHasApplied(t.Context(), upTo(40), jobboard.BulkOptions{}) {
			if r.Err != nil {
				t.Errorf("job %d: %v", r.Job, r.Err)
			}
		}
		if sent != 50 {
			t.Errorf("%d requests", sent)
		}
	})
}

// Code of the caller that panics in a goroutine of the library must not end the
// program: a web handler recovers from what happens in its own.
func TestBulkPassesPanicsOn(t *testing.T) {
	working := served(t, jobboard.Config{}, func(r *http.Request) *http.Response { return answer(r, 200, "true") })
	broken := served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
		if strings.Contains(r.URL.Path, "/3/") {
			panic("the third job")
		}
		return answer(r, 200, "true")
	})
	for name, test := range map[string]struct {
		client *jobboard.Client
		jobs   iter.Seq2[jobboard.JobID, error]
		want   any
	}{
		"input": {working, func(yield func(jobboard.JobID, error) bool) {
			_ = yield(1, nil) && yield(2, nil)
			panic("the input")
		}, "the input"},
		"no input":  {client: working},
		"transport": {broken, upTo(100), "the third job"},
	} {
		inBubble(t, name, func(t *testing.T) {
			defer func() {
				if p := recover(); p == nil || test.want != nil && p != test.want {
					t.Errorf("panic %v, want %v", p, test.want)
				}
			}()
			a := test.client.Applicant(jobboard.StaticToken("token"))
			for range a.BulkHasApplied(t.Context(), test.jobs, jobboard.BulkOptions{Concurrency: 2}) {
			}
		})
	}
}

// A test that ends itself in its own transport or input, with t.FailNow, is not
// waited for: what it left undone ends the run.
func TestBulkPassesGoexitOn(t *testing.T) {
	a := withToken(served(t, jobboard.Config{JobDBURL: jobDB}, func(*http.Request) *http.Response {
		runtime.Goexit()
		return nil
	}))
	for name, call := range map[string]func(context.Context){
		"transport": func(ctx context.Context) {
			for range a.BulkHasApplied(ctx, upTo(100), jobboard.BulkOptions{Concurrency: 2}) {
			}
		},
		"input": func(ctx context.Context) {
			for range a.BulkHasApplied(ctx, func(func(jobboard.JobID, error) bool) { runtime.Goexit() }, jobboard.BulkOptions{}) {
			}
		},
		"Precheck": func(ctx context.Context) { _, _ = a.Precheck(ctx, 1) },
	} {
		inBubble(t, name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			returned, ended := false, false
			go func() {
				defer func() { ended = true }()
				call(ctx)
				returned = true
			}()
			synctest.Wait()
			if returned || !ended {
				t.Errorf("returned %v, ended %v", returned, ended)
			}
			cancel()
			synctest.Wait()
		})
	}
}

// A job canceled while it waits to be repeated is not sent again.
func TestBulkCanceledInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		limiter := &countingLimiter{}
		c := served(t, jobboard.Config{Limiter: limiter, Retry: jobboard.RetryPolicy{MinWait: 1, MaxWait: 1}}, func(r *http.Request) *http.Response {
			if sent++; sent == 2 {
				time.Sleep(time.Second) // without a look at its context
			}
			return answer(r, 503, "")
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		for r := range withToken(c).BulkHasApplied(ctx, upTo(2), jobboard.BulkOptions{Concurrency: 1}) {
			var e *jobboard.Error
			if !errors.As(r.Err, &e) || e.Stopped != jobboard.StopCanceled || e.Attempts != 1 || !errors.Is(r.Err, context.Canceled) {
				t.Errorf("job %d: %#v", r.Job, r.Err)
			}
		}
		if sent != 2 || limiter.asked != 2 {
			t.Errorf("%d requests, %d questions", sent, limiter.asked)
		}
	})
}
