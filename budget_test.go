package jobboard

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

// budgetStep is one thing that happens to a budget, and its state after it.
type budgetStep struct {
	at               time.Duration // since the budget was made
	do               string        // "take", "refused", "first", "repeat", or "" for none
	times            int           // 0 means once
	tokens, capacity float64
}

func TestBudget(t *testing.T) {
	for _, test := range []struct {
		name    string
		initial int
		ratio   float64
		steps   []budgetStep
	}{
		{"full at the start", 10, 0.25, []budgetStep{
			{0, "", 0, 10, 10},
			{0, "take", 10, 0, 10},
			{0, "refused", 3, 0, 10},
		}},
		{"time adds nothing", 10, 0.25, []budgetStep{
			{0, "take", 10, 0, 10},
			{time.Second, "refused", 1, 0, 10},
			{24 * time.Hour, "refused", 1, 0, 10},
		}},
		{"a first success adds a share", 10, 0.25, []budgetStep{
			{0, "take", 10, 0, 10},
			{0, "first", 3, 0.75, 10},
			{0, "refused", 1, 0.75, 10},
			{0, "first", 1, 1, 10},
			{0, "take", 1, 0, 10},
		}},
		{"a repeat that succeeds gives back what it took", 10, 0.25, []budgetStep{
			{0, "take", 4, 6, 10},
			{0, "repeat", 3, 9, 10},
			{0, "repeat", 3, 10, 10}, // and never more than there is room for
		}},
		{"the capacity is a share of the successes", 10, 0.25, []budgetStep{
			{0, "first", 40, 10, 10},
			{0, "first", 160, 50, 50},
			{0, "take", 20, 30, 50},
			{0, "repeat", 100, 50, 50},
		}},
		{"repeats are no part of the capacity", 10, 0.25, []budgetStep{
			{0, "repeat", 1000, 10, 10},
		}},
		{"the capacity slides with the window", 10, 0.25, []budgetStep{
			{0, "first", 80, 20, 20},
			{3 * time.Second, "first", 80, 40, 40},
			{9999 * time.Millisecond, "", 0, 40, 40},
			{10 * time.Second, "", 0, 20, 20}, // the first 80 are over
			{12999 * time.Millisecond, "", 0, 20, 20},
			{13 * time.Second, "", 0, 10, 10},
			{13 * time.Second, "take", 10, 0, 10},
		}},
		{"a long silence forgets everything", 10, 0.25, []budgetStep{
			{0, "first", 80, 20, 20},
			{7 * time.Second, "first", 80, 40, 40},
			{time.Hour, "", 0, 10, 10},
			{time.Hour, "first", 80, 20, 20},
		}},
		{"what slides away does not take what is below it", 10, 0.25, []budgetStep{
			{0, "first", 80, 20, 20},
			{0, "take", 17, 3, 20},
			{20 * time.Second, "", 0, 3, 10},
		}},
		{"small", 1, 0.5, []budgetStep{
			{0, "take", 1, 0, 1},
			{0, "refused", 1, 0, 1},
			{0, "first", 2, 1, 1},
			{0, "first", 2, 2, 2},
			{0, "take", 2, 0, 2},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBudget(test.initial, test.ratio)
			for i, step := range test.steps {
				now := b.start.Add(step.at)
				for range max(step.times, 1) {
					switch step.do {
					case "take", "refused":
						if _, ok := b.take(now); ok != (step.do == "take") {
							t.Fatalf("step %d: take = %v", i, ok)
						}
					case "first", "repeat":
						b.succeeded(now, step.do == "repeat")
					}
				}
				if tokens, capacity := b.state(now); tokens != step.tokens || capacity != step.capacity {
					t.Fatalf("step %d: %v tokens of %v, want %v of %v", i, tokens, capacity, step.tokens, step.capacity)
				}
			}
		})
	}
}

// Repeats paid for together start apart, so that those who failed together do
// not come back as one.
func TestBudgetSpread(t *testing.T) {
	b := newBudget(1000, 0.3)
	take := func(at time.Duration) time.Duration {
		t.Helper()
		later, ok := b.take(b.start.Add(at))
		if !ok {
			t.Fatal("no token")
		}
		return later
	}
	for i := range 400 {
		if later, want := take(0), time.Duration(i)*crowdGap%crowdSpread; later != want {
			t.Fatalf("repeat %d starts %v later, want %v", i, later, want)
		}
	}

	// The crowd is gone once its time is over.
	const alone = time.Minute
	if later := take(alone); later != 0 {
		t.Errorf("a repeat alone starts %v later", later)
	}
	if later := take(alone + crowdGap/4); later != 3*crowdGap/4 {
		t.Errorf("the next one starts %v later, want the rest of the gap", later)
	}

	// Where every repeat has a success beside it there is no crowd.
	const busy = 2 * time.Minute
	for i := range 100 {
		b.succeeded(b.start.Add(busy), i%2 == 0)
		if later := take(busy); later > crowdGap {
			t.Fatalf("repeat %d starts %v later among successes", i, later)
		}
	}
}

// A clock that is set back must not keep the window open.
func TestBudgetClockSetBack(t *testing.T) {
	b := newBudget(10, 0.25)
	for range 400 {
		b.succeeded(b.start.Add(time.Second), false)
	}
	now := b.start.Add(time.Minute)
	before := now.Unix()
	*(*uint64)(unsafe.Pointer(&now)) -= 3600 << 30 // the wall clock's seconds, beside the monotonic reading
	if before-now.Unix() != 3600 || now.Sub(b.start) != time.Minute {
		t.Skip("time.Time is not laid out as this test believes")
	}
	if tokens, capacity := b.state(now); tokens != 10 || capacity != 10 {
		t.Errorf("%v tokens of %v a minute after the last success", tokens, capacity)
	}
}

// Nothing is paid for twice, and nothing that is given back is lost.
func TestBudgetConcurrent(t *testing.T) {
	const workers, rounds = 8, 500
	b := newBudget(workers*rounds/2, 0.25)
	now := b.start
	var taken, refused atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range rounds {
				if _, ok := b.take(now); ok {
					taken.Add(1)
				} else {
					refused.Add(1)
				}
				b.state(now)
			}
		})
	}
	all.Wait()
	if taken.Load() != workers*rounds/2 || refused.Load() != workers*rounds/2 {
		t.Errorf("%d repeats paid for and %d refused, want %d of each", taken.Load(), refused.Load(), workers*rounds/2)
	}
	for range workers {
		all.Go(func() {
			for i := range rounds {
				b.succeeded(now, i%2 == 0)
			}
		})
	}
	all.Wait()
	want := float64(workers*rounds/2) * 1.25
	if tokens, _ := b.state(now); tokens != min(want, workers*rounds/2) {
		t.Errorf("%v tokens, want %v", tokens, min(want, workers*rounds/2))
	}
}

// budgetModel says the same as budget in the plainest way: it keeps every
// success and counts them anew each time.
type budgetModel struct {
	initial, ratio, tokens float64
	successes              []int64 // of first attempts, by second
}

func (m *budgetModel) capacity(at time.Duration) float64 {
	n := 0
	for _, s := range m.successes {
		if s > int64(at/time.Second)-10 {
			n++
		}
	}
	return max(m.initial, m.ratio*float64(n))
}

func (m *budgetModel) do(at time.Duration, op byte) (ok bool) {
	m.tokens = min(m.tokens, m.capacity(at))
	switch op {
	case 0:
		ok = m.tokens >= 1
		if ok {
			m.tokens--
		}
	case 1:
		m.successes = append(m.successes, int64(at/time.Second))
		m.tokens = min(m.tokens+m.ratio, m.capacity(at))
	case 2:
		m.tokens = min(m.tokens+1, m.capacity(at))
	}
	return ok
}

// holdAgainstModel reads a schedule: two bits say what happens, the others how
// often or how much later.
func holdAgainstModel(t *testing.T, initial, quarters uint8, schedule []byte) {
	b := newBudget(int(initial), float64(quarters)/4) // quarters are exact
	m := &budgetModel{initial: b.initial, ratio: b.ratio, tokens: b.initial}
	var at time.Duration
	for i, step := range schedule {
		op, n := step&3, int(step>>2)
		if op == 3 {
			at += time.Duration(n*n) * 7 * time.Millisecond // up to 28 s
			n = 0
		}
		now := b.start.Add(at)
		for range n + 1 {
			switch op {
			case 0:
				later, ok := b.take(now)
				if want := m.do(at, op); ok != want {
					t.Fatalf("step %d: take = %v, want %v", i, ok, want)
				}
				if later < 0 || later >= crowdSpread {
					t.Fatalf("step %d: a repeat starts %v later", i, later)
				}
			case 1, 2:
				b.succeeded(now, op == 2)
				m.do(at, op)
			}
		}
		m.do(at, 3)
		tokens, capacity := b.state(now)
		if tokens != m.tokens || capacity != m.capacity(at) {
			t.Fatalf("step %d at %v: %v tokens of %v, want %v of %v", i, at, tokens, capacity, m.tokens, m.capacity(at))
		}
		if tokens < 0 || tokens > capacity {
			t.Fatalf("step %d: %v tokens of %v", i, tokens, capacity)
		}
	}
}

func TestBudgetAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		schedule := make([]byte, random.IntN(60))
		for i := range schedule {
			schedule[i] = byte(random.Uint32())
		}
		holdAgainstModel(t, uint8(1+random.IntN(20)), uint8(random.IntN(9)), schedule)
	}
}

func FuzzBudget(f *testing.F) {
	f.Add(uint8(10), uint8(1), []byte{0xfc, 1, 0xfd, 0xfd, 3, 0x7f, 0xff, 0, 2})
	f.Add(uint8(1), uint8(4), []byte{0, 0, 1, 1, 0xff, 0, 0})
	f.Add(uint8(0), uint8(0), []byte{0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, initial, quarters uint8, schedule []byte) {
		if len(schedule) > 60 {
			return
		}
		holdAgainstModel(t, initial, quarters, schedule)
	})
}

// switchTransport answers every request as it is told.
type switchTransport struct {
	status   atomic.Int64
	requests atomic.Int64
}

func (s *switchTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	return &http.Response{
		StatusCode: int(s.status.Load()), Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader("true")),
	}, nil
}

// One budget serves a client and its applicants for an origin: what one of them
// spends, the others do not have.
func TestBudgetIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &switchTransport{}
		next.status.Store(http.StatusServiceUnavailable)
		client, err := NewClient(Config{
			BaseURL: "https://jobs.example/board", JobDBURL: "https://jobs.example/db", ClientID: "id",
			HTTPClient: &http.Client{Transport: next},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		search := func() error { _, err := client.Search(ctx, "1", Query{}); return err }
		lookup := func() error { _, err := client.JobInformation(ctx, 1); return err }
		applied := func() error {
			_, err := client.Applicant(StaticToken("token")).HasApplied(ctx, 1)
			return err
		}
		for i, step := range []struct {
			status  int
			call    func() error
			sends   int64
			stopped StopReason // "": success
			tokens  float64
		}{
			{503, search, 5, StopAttempts, 6},
			{503, applied, 5, StopAttempts, 2},
			{503, lookup, 3, StopBudget, 0},
			{503, applied, 1, StopBudget, 0},
			{503, search, 1, StopBudget, 0},
			{200, applied, 1, "", 0.3},
			{200, applied, 1, "", 0.6},
			{404, applied, 1, StopFinal, 0.9}, // an answer: the service works
			{501, applied, 1, StopFinal, 0.9},
			{503, lookup, 1, StopBudget, 0.9},
			{200, applied, 1, "", 1.2},
			{503, search, 2, StopBudget, 0.2},
		} {
			next.status.Store(int64(step.status))
			next.requests.Store(0)
			err := step.call()
			var e *Error
			switch {
			case step.stopped == "" && err != nil:
				t.Fatalf("step %d: %v", i, err)
			case step.stopped != "" && (!errors.As(err, &e) || e.Stopped != step.stopped || int64(e.Attempts) != step.sends):
				t.Fatalf("step %d: %v, want %d attempts, stopped: %s", i, err, step.sends, step.stopped)
			}
			if n := next.requests.Load(); n != step.sends {
				t.Fatalf("step %d: %d requests, want %d", i, n, step.sends)
			}
			state := client.RetryBudgets()
			if len(state) != 1 || state[0].Origin != "https://jobs.example:443" || state[0].Capacity != 10 ||
				state[0].Tokens < step.tokens-1e-9 || state[0].Tokens > step.tokens+1e-9 {
				t.Fatalf("step %d: %+v, want %v tokens of 10", i, state, step.tokens)
			}
		}
	})
}

// Two origins have a budget each, and a policy can have none.
func TestBudgetOfEachOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &switchTransport{}
		next.status.Store(http.StatusServiceUnavailable)
		config := Config{
			BaseURL: "https://jobs.example", JobDBURL: "https://db.example", HTTPClient: &http.Client{Transport: next},
			Retry: RetryPolicy{Budget: 3},
		}
		client, err := NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = client.JobInformation(context.Background(), 1)
		got := client.RetryBudgets()
		want := []RetryBudget{{"https://jobs.example:443", 3, 3}, {"https://db.example:443", 0, 3}}
		if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%+v, want %+v", got, want)
		}

		config.Retry.Budget = -1
		if client, err = NewClient(config); err != nil {
			t.Fatal(err)
		}
		next.requests.Store(0)
		for range 20 {
			_, _ = client.JobInformation(context.Background(), 1)
		}
		if n := next.requests.Load(); n != 100 || len(client.RetryBudgets()) != 0 {
			t.Errorf("%d requests, want 100, with budgets %v, want none", n, client.RetryBudgets())
		}
	})
}

// A repeat that is moved by the crowd still fits the caller's time.
func TestBudgetSpreadKeepsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &switchTransport{}
		next.status.Store(http.StatusServiceUnavailable)
		client, err := NewClient(Config{
			BaseURL: "https://jobs.example", HTTPClient: &http.Client{Transport: next}, Retry: RetryPolicy{Budget: 1000},
		})
		if err != nil {
			t.Fatal(err)
		}
		applicant := client.Applicant(StaticToken("token"))
		const callers, limit = 150, 300 * time.Millisecond
		start := time.Now()
		var all sync.WaitGroup
		var repeated atomic.Int64
		for range callers {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				_, err := applicant.HasApplied(ctx, 1)
				var e *Error
				if !errors.As(err, &e) || !errors.Is(err, ErrServer) || e.Stopped != StopDeadline {
					t.Errorf("%v, want the last answer", err)
				} else if e.Attempts >= 2 {
					repeated.Add(1)
				}
			})
		}
		all.Wait()
		if d := time.Since(start); d >= limit {
			t.Errorf("the calls took %v of %v", d, limit)
		}
		if n := repeated.Load(); n != callers {
			t.Errorf("%d of %d callers repeated", n, callers)
		}
	})
}
