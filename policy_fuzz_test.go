package jobboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// A fuzzFault is one attempt's fate in the fault schedule.
type fuzzFault struct {
	name       string
	status     int // 0: no answer
	err        error
	retryAfter string
	takes      time.Duration // before the answer
	cut        bool          // the body is cut off
	// What the model knows of it.
	repeats string // the methods that are sent again
	free    bool   // nothing was sent: no token of the budget
	want    error  // the call's condition if this answer is the last
}

// Methods repeated after a fault.
const (
	idempotent = "GET PUT DELETE"
	every      = idempotent + " POST"
)

var fuzzFaults = []fuzzFault{
	{name: "ok", status: 200},
	{name: "ok, later", status: 200, takes: 2 * time.Second},
	{name: "400", status: 400},
	{name: "401", status: 401, want: ErrUnauthorized},
	{name: "403", status: 403, want: ErrForbidden},
	{name: "404", status: 404},
	{name: "429", status: 429, repeats: every, want: ErrRateLimited},
	{name: "429 in 2", status: 429, retryAfter: "2", repeats: every, want: ErrRateLimited},
	{name: "429 in a day", status: 429, retryAfter: "86400", repeats: every, want: ErrRateLimited},
	{name: "500", status: 500, repeats: idempotent, want: ErrServer},
	{name: "501", status: 501, want: ErrServer},
	{name: "502", status: 502, repeats: idempotent, want: ErrServer},
	{name: "503", status: 503, repeats: idempotent, want: ErrServer},
	{name: "503 in 1", status: 503, retryAfter: "1", repeats: idempotent, want: ErrServer},
	{name: "503 in a day", status: 503, retryAfter: "86400", repeats: idempotent, want: ErrServer},
	{name: "504", status: 504, takes: 5 * time.Second, repeats: idempotent, want: ErrServer},
	{name: "reset", err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}, repeats: idempotent, want: ErrTransport},
	{name: "EOF", err: io.EOF, repeats: idempotent, want: ErrTransport},
	{name: "refused", err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, repeats: every, free: true, want: ErrTransport},
	{name: "no such name", err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, want: ErrTransport},
	{name: "strange", err: errors.New("tls: some alert"), want: ErrTransport},
	{name: "silence", takes: time.Hour, repeats: idempotent, want: ErrTimeout},
	{name: "cut", status: 200, cut: true, repeats: http.MethodGet, want: ErrTransport},
}

// policyModel says the policy once more, in other words: how many requests go out,
// and how the call ends. The waits are random; the model knows their bounds, and says so
// where the outcome depends on chance.
type policyModel struct {
	method      string
	maxAttempts int
	budget      float64 // tokens; negative: none
	limit       time.Duration
}

func (m policyModel) run(schedule []fuzzFault) (requests int, last fuzzFault, stopped StopReason, sure bool) {
	var least, most time.Duration // since the start of the call
	for n := 0; ; n++ {
		f := schedule[min(n, len(schedule)-1)]
		requests++
		took := min(f.takes, 15*time.Second)
		least, most = least+took, most+took
		if most >= m.limit {
			return requests, f, "", false // the end of the caller's time comes in between
		}
		repeats := strings.Contains(f.repeats, m.method)
		demand, _ := time.ParseDuration(f.retryAfter + "s") // 0 if there is none
		switch {
		case f.repeats == "":
			return requests, f, StopFinal, true
		case !repeats && f.cut:
			return requests, f, StopFinal, true // executed, as the status says
		case !repeats:
			return requests, f, StopNotIdempotent, true
		case demand > 30*time.Second:
			return requests, f, StopRetryAfter, true
		case n+1 >= m.maxAttempts:
			return requests, f, StopAttempts, true
		}
		d := min(200*time.Millisecond<<n, 5*time.Second)
		from, to := d/2, d
		if demand > 0 {
			from, to = demand, demand+500*time.Millisecond
		}
		switch {
		case least+from >= m.limit:
			return requests, f, StopDeadline, true
		case most+to >= m.limit-time.Millisecond:
			return requests, f, "", false
		}
		if m.budget >= 0 && !f.free {
			if m.budget < 1 {
				return requests, f, StopBudget, true
			}
			m.budget--
		}
		least, most = least+from, most+to
	}
}

// FuzzFaultSchedule: whatever sequence of faults a service goes through, the
// requests and the outcome are the model's.
func FuzzFaultSchedule(f *testing.F) {
	for i := range fuzzFaults {
		for op := range byte(4) {
			f.Add([]byte{byte(i)}, op, byte(5), byte(10), byte(0))
			f.Add([]byte{byte(i), byte(i), 0}, op, byte(3), byte(1), byte(20))
			f.Add([]byte{12, byte(i), 6, 0}, op, byte(5), byte(255), byte(7))
		}
	}
	f.Fuzz(func(t *testing.T, script []byte, op, attempts, budget, limit byte) {
		if len(script) == 0 || len(script) > 12 {
			return
		}
		var schedule []fuzzFault
		for _, b := range script {
			schedule = append(schedule, fuzzFaults[int(b)%len(fuzzFaults)])
		}
		m := policyModel{
			method: []string{"GET", "PUT", "DELETE", "POST"}[op%4], maxAttempts: int(attempts)%7 + 1,
			budget: float64(budget % 12), limit: time.Minute,
		}
		policy := RetryPolicy{MaxAttempts: m.maxAttempts, Budget: int(m.budget)}
		if m.budget == 0 {
			policy.Budget, m.budget = -1, -1
		}
		ctx := context.Background()
		if limit%32 != 0 {
			m.limit = time.Duration(limit%32) * time.Second
		}
		synctest.Test(t, func(t *testing.T) {
			if limit%32 != 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, m.limit)
				defer cancel()
			}
			requests := 0
			c, err := NewClient(Config{
				BaseURL: "https://api.example", ClientID: "id", Retry: policy,
				HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
					f := schedule[min(requests, len(schedule)-1)]
					requests++
					select {
					case <-time.After(f.takes):
					case <-r.Context().Done():
						return nil, r.Context().Err()
					}
					if f.err != nil {
						return nil, f.err
					}
					body := io.Reader(strings.NewReader(`{"totalNumberOfJobs":0,"results":[]}`))
					if f.status != 200 {
						body = strings.NewReader("")
					}
					if f.cut {
						body = io.MultiReader(strings.NewReader(`{"total`), iotest.ErrReader(io.ErrUnexpectedEOF))
					}
					return &http.Response{StatusCode: f.status, Header: http.Header{"Retry-After": {f.retryAfter}}, Body: io.NopCloser(body), Request: r}, nil
				})},
			})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			switch op % 4 {
			case 0:
				_, err = c.Search(ctx, "ch", Query{})
			case 1:
				_, err = c.ConfirmSubscription(ctx, "a", nil)
			case 2:
				_, err = c.Unsubscribe(ctx, "a")
			case 3:
				_, err = c.Subscribe(ctx, SubscriptionRequest{})
			}
			took := time.Since(start)
			say := func() string {
				var names []string
				for _, f := range schedule {
					names = append(names, f.name)
				}
				return fmt.Sprintf("%s %q, %d attempts, budget %v, %v: %d requests in %v, %v", m.method, names, m.maxAttempts, m.budget, m.limit, requests, took, err)
			}
			if took > m.limit {
				t.Fatalf("%s: longer than the caller had", say())
			}
			wantRequests, last, stopped, sure := m.run(schedule)
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Attempts != requests) {
				t.Fatalf("%s: %#v", say(), e)
			}
			if requests > m.maxAttempts {
				t.Fatalf("%s: more requests than attempts", say())
			}
			if !sure {
				return
			}
			if requests != wantRequests {
				t.Fatalf("%s: the model has %d", say(), wantRequests)
			}
			if good := last.status == 200 && !last.cut; good != (err == nil) {
				t.Fatalf("%s: the model ends with %s", say(), last.name)
			}
			if err == nil {
				return
			}
			if e.Stopped != stopped || last.want != nil && !errors.Is(err, last.want) || last.want == nil && e.Err != nil || last.err == nil && e.StatusCode != last.status {
				t.Fatalf("%s: stopped %q, the model says %q, after %s", say(), e.Stopped, stopped, last.name)
			}
			if changed := m.method != "GET"; !changed && e.MayHaveExecuted {
				t.Fatalf("%s: a GET may have been executed", say())
			}
		})
	})
}
