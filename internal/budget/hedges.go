package budget

import "sync"

// Hedges bounds the second requests that are sent because the first is slow: each
// first attempt that succeeds allows a twentieth of one. None is given back, so that
// a service whose answers are all late gets hardly more requests than before. The
// zero value allows none yet. It is safe for concurrent use.
type Hedges struct {
	mu      sync.Mutex
	allowed float64
}

const (
	hedgeRatio = 0.05
	hedgesMost = 5
)

// Earn books a first attempt that succeeded.
func (h *Hedges) Earn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.allowed = min(h.allowed+hedgeRatio, hedgesMost)
}

// Take reports whether a second request may be sent, and counts it.
func (h *Hedges) Take() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.allowed < 1 {
		return false
	}
	h.allowed--
	return true
}
