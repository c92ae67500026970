package budget

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
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
			{0, "repeat", 3, 10, 10}, // and never more than its capacity
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
		{"a quiet client keeps ten by the successes of a minute", 2, 0.25, []budgetStep{
			{0, "first", 4, 2, 2},
			{9 * time.Second, "first", 16, 5, 5},
			{30 * time.Second, "first", 100, 25, 25},
			{45 * time.Second, "", 0, 10, 10}, // the short window is over
			{89 * time.Second, "", 0, 10, 10},
			{90 * time.Second, "", 0, 2, 2},
		}},
		{"who read the clock before another forgets nothing", 10, 0.25, []budgetStep{
			{time.Second, "first", 80, 20, 20},
			{999 * time.Millisecond, "", 0, 20, 20},
			{10 * time.Second, "", 0, 20, 20},
			{11 * time.Second, "", 0, 10, 10},
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
			b := New(test.initial, test.ratio)
			for i, step := range test.steps {
				now := b.start.Add(step.at)
				for range max(step.times, 1) {
					switch step.do {
					case "take", "refused":
						if ok := b.Pay(now, 1); ok != (step.do == "take") {
							t.Fatalf("step %d: take = %v", i, ok)
						}
					case "first":
						b.Earn(now)
					case "repeat":
						b.Return(time.Now())
					}
				}
				if tokens, capacity := b.State(now); tokens != step.tokens || capacity != step.capacity {
					t.Fatalf("step %d: %v tokens of %v, want %v of %v", i, tokens, capacity, step.tokens, step.capacity)
				}
			}
		})
	}
}

// Repeats paid for together start apart, so that those who failed together do
// not come back as one.
func TestBudgetSpread(t *testing.T) {
	b := New(1000, 0.3)
	take := func(at time.Duration) time.Duration { return b.Spread(b.start.Add(at)) }
	const gap = 4 * time.Millisecond
	for i := range 400 {
		if later, want := take(0), time.Duration(i%200)*gap; later != want {
			t.Fatalf("repeat %d starts %v later, want %v", i, later, want)
		}
	}

	// The crowd is gone once its time is over.
	const alone = time.Minute
	if later := take(alone); later != 0 {
		t.Errorf("a repeat alone starts %v later", later)
	}
	if later := take(alone + gap - 1); later != 1 {
		t.Errorf("the next one starts %v later, want the rest of the gap", later)
	}

	// If each repeat is matched by a success there is no crowd.
	const busy = 2 * time.Minute
	for i := range 100 {
		book(b, b.start.Add(busy), i%2 == 0)
		if later := take(busy); later > gap {
			t.Fatalf("repeat %d starts %v later among successes", i, later)
		}
	}
}

// A clock that is set back must not keep the window open.
func TestBudgetClockSetBack(t *testing.T) {
	b := New(10, 0.25)
	for range 400 {
		b.Earn(b.start.Add(time.Second))
	}
	now := b.start.Add(time.Minute)
	before := now.Unix()
	*(*uint64)(unsafe.Pointer(&now)) -= 3600 << 30 // the wall clock's seconds, beside the monotonic reading
	if before-now.Unix() != 3600 || now.Sub(b.start) != time.Minute {
		t.Skip("time.Time is not laid out as this test believes")
	}
	if tokens, capacity := b.State(now); tokens != 10 || capacity != 10 {
		t.Errorf("%v tokens of %v a minute after the last success", tokens, capacity)
	}
}

// Nothing is paid for twice, and nothing that is given back is lost.
func TestBudgetConcurrent(t *testing.T) {
	const workers, rounds = 8, 500
	b := New(workers*rounds/2, 0.25)
	now := b.start
	var taken, refused atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range rounds {
				if b.Pay(now, 1) {
					taken.Add(1)
				} else {
					refused.Add(1)
				}
				b.State(now)
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
				book(b, now, i%2 == 0)
			}
		})
	}
	all.Wait()
	want := float64(workers*rounds/2) * 1.25
	if tokens, _ := b.State(now); tokens != min(want, workers*rounds/2) {
		t.Errorf("%v tokens, want %v", tokens, min(want, workers*rounds/2))
	}
}

// book books an answer, of a repeat or of a first attempt.
func book(b *Budget, now time.Time, repeat bool) {
	if repeat {
		b.Return(time.Now())
	} else {
		b.Earn(now)
	}
}

// budgetModel says the same as budget in the plainest way: it keeps every
// success and counts them anew each time.
type budgetModel struct {
	initial, ratio, tokens float64
	successes              []int64 // of first attempts, by second
}

func (m *budgetModel) capacity(at time.Duration) float64 {
	short, long := 0, 0
	for _, s := range m.successes {
		if s > int64(at/time.Second)-10 {
			short++
		}
		if s > int64(at/time.Second)-60 {
			long++
		}
	}
	return max(m.initial, min(10, m.ratio*float64(long)), m.ratio*float64(short))
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
	b := New(int(initial), float64(quarters)/4) // quarters are exact
	m := &budgetModel{initial: b.initial, ratio: b.ratio, tokens: b.initial}
	var at time.Duration
	for i, step := range schedule {
		op, n := step&3, int(step>>2)
		if op == 3 {
			// Up to 28 s. Nobody looks before something happens.
			at += time.Duration(n*n) * 7 * time.Millisecond
			continue
		}
		now := b.start.Add(at)
		for range n + 1 {
			switch op {
			case 0:
				if ok, want := b.Pay(now, 1), m.do(at, op); ok != want {
					t.Fatalf("step %d: Pay = %v, want %v", i, ok, want)
				}
				if later := b.Spread(now); later < 0 || later >= crowdSpread {
					t.Fatalf("step %d: a repeat starts %v later", i, later)
				}
			case 1, 2:
				book(b, now, op == 2)
				m.do(at, op)
			}
		}
		tokens, capacity := b.State(now)
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
		holdAgainstModel(t, uint8(random.IntN(20)), uint8(random.IntN(9)), schedule)
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
