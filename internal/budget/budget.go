// Package budget bounds how many requests to one origin are repeated: a success adds tokens, a
// repeat takes one. So repeats do not multiply the load on a service that is down.
package budget

import (
	"sync"
	"sync/atomic"
	"time"
)

// Budget holds tokens, one for each repeat that may be made. First attempts
// that succeed fill it; time alone adds nothing, so a long outage ends with
// nearly one request a call. It is safe for concurrent use.
type Budget struct {
	initial float64 // tokens at the start, and the smallest capacity
	ratio   float64 // tokens that a first-attempt success adds to tokens and to capacity
	start   time.Time

	mu     sync.Mutex
	tokens float64
	recent [longWindow]int32 // first-attempt successes by second
	short  int               // of the last shortWindow seconds
	long   int               // of the last longWindow seconds
	second int64             // the second of the newest slot, since start
	next   time.Time         // start of the next repeat, see Spread

	success time.Time // the last success

	credentialsRefused atomic.Bool // see SetCredentialsRefused
}

const (
	shortWindow = 10
	longWindow  = 60

	// quiet bounds the capacity that the long window gives: enough for a client with a few calls a
	// minute, and too little to hurt a service.
	quiet = 10

	// Repeats paid for at the same moment start one crowdGap apart, within crowdSpread; each
	// success meanwhile shortens the queue by one gap.
	crowdGap    = 4 * time.Millisecond
	crowdSpread = 800 * time.Millisecond
)

// New returns a budget that begins with initial tokens. Its capacity is
// max(initial, min(10, ratio*S60), ratio*S10), where S60 and S10 are the
// first-attempt successes of the last 60 and 10 seconds.
func New(initial int, ratio float64) *Budget {
	return &Budget{initial: float64(initial), ratio: ratio, start: time.Now(), tokens: float64(initial)}
}

// Pay takes tokens for a repeat, and reports whether the budget had enough.
func (b *Budget) Pay(now time.Time, tokens float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slide(now)
	if b.tokens < tokens {
		return false
	}
	b.tokens -= tokens
	return true
}

// Spread returns an extra wait for a repeat, 0 to 0.8 s. Repeats paid for at the same moment start
// 4 ms apart, so that calls that failed together do not repeat together.
func (b *Budget) Spread(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	later := b.next.Sub(now)
	if later < 0 || later >= crowdSpread {
		later = 0
	}
	b.next = now.Add(later + crowdGap)
	return later
}

// Earn adds ratio tokens for a first attempt that succeeded.
func (b *Budget) Earn(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slide(now)
	b.recent[b.second%longWindow]++
	b.short++
	b.long++
	b.success = now
	b.add(b.ratio)
}

// Return gives back the token of a repeat that succeeded.
func (b *Budget) Return(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.success = now
	b.add(1)
}

// SucceededSince reports whether a request has succeeded after the given time.
func (b *Budget) SucceededSince(then time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.success.After(then)
}

// SetCredentialsRefused notes whether the origin refuses renewed credentials: true when it refused
// one, false when it accepted any. It does nothing for a nil Budget.
func (b *Budget) SetCredentialsRefused(refused bool) {
	if b != nil && b.credentialsRefused.Load() != refused {
		b.credentialsRefused.Store(refused)
	}
}

// CredentialsRefused returns what SetCredentialsRefused noted last, and false for a nil Budget.
func (b *Budget) CredentialsRefused() bool { return b != nil && b.credentialsRefused.Load() }

func (b *Budget) add(tokens float64) {
	b.tokens = min(b.tokens+tokens, b.capacity())
	b.next = b.next.Add(-crowdGap) // a success: calls do not all fail together
}

// State returns the number of tokens and the capacity, both at now.
func (b *Budget) State(now time.Time) (tokens, capacity float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slide(now)
	return b.tokens, b.capacity()
}

func (b *Budget) capacity() float64 {
	return max(b.initial, min(quiet, b.ratio*float64(b.long)), b.ratio*float64(b.short))
}

// slide drops successes older than the windows.
func (b *Budget) slide(now time.Time) {
	second := int64(now.Sub(b.start) / time.Second) // now and start have monotonic clocks
	if second <= b.second {
		return
	}
	if second-b.second >= longWindow {
		b.recent, b.short, b.long = [longWindow]int32{}, 0, 0
	} else {
		for s := b.second + 1; s <= second; s++ {
			b.long -= int(b.recent[s%longWindow])
			b.recent[s%longWindow] = 0
			if s >= shortWindow {
				b.short -= int(b.recent[(s-shortWindow)%longWindow])
			}
		}
	}
	b.second = second
	b.tokens = min(b.tokens, b.capacity())
}
