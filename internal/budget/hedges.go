package budget

import "sync"

// Hedges is the allowance for second requests, sent because a first request is slow. 20 first
// attempts that succeed allow one hedge. A hedge that succeeds gives nothing back, so that a
// service with only slow answers gets hardly more requests. The zero value allows none yet. It is
// safe for concurrent use.
type Hedges struct {
	mu      sync.Mutex
	allowed float64
}

const (
	hedgeRatio = 0.05
	hedgesMost = 5
)

// Earn adds a twentieth of a hedge for a first attempt that succeeded.
func (h *Hedges) Earn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.allowed = min(h.allowed+hedgeRatio, hedgesMost)
}

// Take takes one hedge from the allowance, and reports whether it had one.
func (h *Hedges) Take() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.allowed < 1 {
		return false
	}
	h.allowed--
	return true
}
