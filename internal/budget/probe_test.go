package budget

import (
	"testing"
	"testing/synctest"
	"time"
)

// A probe is free, pays a token, waits for another probe, or is refused.
func TestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(4, 0.3)
		begin := func(allowed, paid, waits bool) <-chan struct{} {
			t.Helper()
			a, p, ended := b.BeginProbe(time.Now())
			if a != allowed || p != paid || (ended != nil) != waits {
				tokens, _ := b.State(time.Now())
				t.Errorf("allowed %v, paid %v, waits %v, %v tokens; want %v, %v, %v", a, p, ended != nil, tokens, allowed, paid, waits)
			}
			return ended
		}
		begin(true, false, false)
		for range 4 { // beside it
			begin(true, true, false)
		}
		first := begin(false, false, true)
		if begin(false, false, true) != first {
			t.Error("who waits has a channel of its own")
		}
		for range 4 {
			b.EndProbe(time.Now(), false)
		}
		<-first
		begin(false, false, true) // the free probe is still under way
		b.EndProbe(time.Now(), false)
		begin(true, false, false) // it was not refused
		b.EndProbe(time.Now(), true)
		begin(false, false, false)
		time.Sleep(time.Second) // a waiting probe still counts, and so does the refused one
		begin(false, false, false)
		time.Sleep(time.Second)
		begin(false, false, false)
		time.Sleep(time.Second + 1)
		begin(true, false, false)
		b.EndProbe(time.Now(), true)
		for range 3 {
			b.Return(time.Now())
		}
		for range 2 {
			begin(true, true, false) // a success has made them cheap again
		}
		b.EndProbe(time.Now(), true)
		begin(false, false, true)
		b.EndProbe(time.Now(), true)
		for range 4 {
			b.tokens++ // 5, where one costs 4
		}
		begin(true, true, false)
		begin(false, false, true)
	})
}
