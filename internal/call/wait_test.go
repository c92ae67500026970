package call

import (
	"math"
	"testing"
	"time"
)

// A wait doubles up to the longest, and has at least half of itself for sure. What
// the service asks for comes with at most a quarter more, and half a second.
func TestWaits(t *testing.T) {
	p := Policy{MinWait: 200, MaxWait: 5000, MaxRetryAfter: time.Minute}
	for _, test := range []struct {
		repeat          int
		asked, from, to time.Duration
	}{
		{0, 0, 100, 200},
		{1, 0, 200, 400},
		{4, 0, 1600, 3200},
		{5, 0, 2500, 5000},
		{100, 0, 2500, 5000},
		{100, 100, 100, 125},
		{0, time.Second, time.Second, 1250 * time.Millisecond},
		{0, time.Minute, time.Minute, time.Minute + 500*time.Millisecond},
		{0, time.Minute + 1, 100, 200},
	} {
		least, most := time.Duration(math.MaxInt64), time.Duration(0)
		for range 1000 {
			wait := p.wait(test.repeat, test.asked)
			least, most = min(least, wait), max(most, wait)
		}
		spread := (test.to - test.from) / 20
		if least < test.from || most > test.to || least > test.from+spread || most < test.to-spread {
			t.Errorf("repeat %d, asked for %v: %v to %v, want %v to %v", test.repeat, test.asked, least, most, test.from, test.to)
		}
	}
	own := Policy{MinWait: 3, MaxWait: 4}
	if wait := own.wait(1, 0); wait < 2 || wait > 4 {
		t.Errorf("3 ns doubled, but at most 4: %v", wait)
	}
}
