package budget

import "time"

// probePause begins at a refused probe. Until it ends, a probe is not free.
const probePause = time.Second

// BeginProbe begins a probe, the repeat that finds out for several calls whether
// the service takes a new token. It is free if no other probe is under way, and
// none was refused within the last second. Else it takes a token, and twice as many
// for each probe that was refused since a call succeeded: a service that refuses
// every token gets few of them. If there are too few tokens, BeginProbe returns the
// channel that is closed at the end of a probe under way, to be called again then, or
// nil: there may be no probe now, nor a free one for a second.
func (b *Budget) BeginProbe(now time.Time) (allowed, paid bool, ended <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slide(now)
	switch {
	case b.probes == 0 && now.Sub(b.refused) > probePause:
	case b.tokens >= b.probePrice:
		b.tokens -= b.probePrice
		paid = true
	case b.probes > 0:
		if b.probeEnds == nil {
			b.probeEnds = make(chan struct{})
		}
		return false, false, b.probeEnds
	default:
		b.refused = now // else a crowd of bad sources would get a free one every other second
		return false, false, nil
	}
	b.probes++
	return true, paid, nil
}

// EndProbe ends a probe; refused says that the service did not take the token.
func (b *Budget) EndProbe(now time.Time, refused bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probes--
	if refused {
		b.refused = now
		b.probePrice *= 2
	}
	if b.probeEnds != nil {
		close(b.probeEnds)
		b.probeEnds = nil
	}
}
