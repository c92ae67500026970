package budget

import "time"

// probePause begins at a refused probe. Until it ends, a probe is not free.
const probePause = time.Second

// BeginProbe asks for a probe, the repeat that finds out for several calls whether the service
// accepts a new credential. A probe is free if no probe is under way and none was refused within
// the last second. Otherwise it costs a budget token, doubled for each probe that was refused since
// a call succeeded, so that a service which refuses every credential gets few probes. If the budget
// has too few tokens, BeginProbe refuses. The caller tries again when the channel ended is closed,
// because a probe has ended then. If ended is nil, no probe is under way, and no probe is free for
// another second.
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
		b.refused = now // or a crowd of bad token sources would get a free probe every other second
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
