package jobboard

import (
	"sync"
	"time"
)

// budget bounds the repeats of one origin by its successes, so that a service
// that is down is not asked several times as often as one that works. Time
// alone adds nothing: a long outage ends with nearly one request a call.
type budget struct {
	initial float64 // tokens at the start, and the least capacity
	ratio   float64 // what a first-attempt success adds, and its share of the capacity
	start   time.Time

	mu     sync.Mutex
	tokens float64
	recent [budgetSeconds]int32 // first-attempt successes by second
	sum    int                  // of recent
	second int64                // the second of the newest slot, since start
	next   time.Time            // when the next repeat may start, apart from its wait
}

const (
	budgetSeconds = 10

	// Repeats paid for at one moment start one gap after the other, until
	// they fill the spread; each answer in between takes a gap back.
	crowdGap    = 4 * time.Millisecond
	crowdSpread = 800 * time.Millisecond
)

func newBudget(initial int, ratio float64) *budget {
	return &budget{initial: float64(initial), ratio: ratio, start: time.Now(), tokens: float64(initial)}
}

// take pays for a repeat, or says that there is nothing to pay with. The repeat
// is to start so much later than it would alone: calls that failed together
// must not come back together.
func (b *budget) take(now time.Time) (later time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slide(now)
	if b.tokens < 1 {
		return 0, false
	}
	b.tokens--
	if later = b.next.Sub(now); later < 0 || later >= crowdSpread {
		later = 0
	}
	b.next = now.Add(later + crowdGap)
	return later, true
}

// succeeded books a call that was answered: a first attempt earns a share of a
// repeat, a repeat gives back what it took.
func (b *budget) succeeded(now time.Time, repeat bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slide(now)
	if repeat {
		b.tokens++
	} else {
		b.recent[b.second%budgetSeconds]++
		b.sum++
		b.tokens += b.ratio
	}
	b.tokens = min(b.tokens, b.capacity())
	b.next = b.next.Add(-crowdGap) // not all calls fail
}

func (b *budget) state(now time.Time) (tokens, capacity float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slide(now)
	return b.tokens, b.capacity()
}

func (b *budget) capacity() float64 { return max(b.initial, b.ratio*float64(b.sum)) }

// slide forgets the seconds that are over.
func (b *budget) slide(now time.Time) {
	second := int64(now.Sub(b.start) / time.Second) // a clock that is set back does not stop it
	if second <= b.second {
		return
	}
	for s := max(b.second+1, second-budgetSeconds+1); s <= second; s++ {
		slot := &b.recent[s%budgetSeconds]
		b.sum -= int(*slot)
		*slot = 0
	}
	b.second = second
	b.tokens = min(b.tokens, b.capacity())
}
