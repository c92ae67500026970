package jobsite

import (
	"maps"
	"sync"
	"time"
)

// memory keeps sessions in memory until they expire. It replaces the memory store of scs,
// whose cleanup goroutine races when it is stopped right after the start.
type memory struct {
	mu       sync.Mutex
	sessions map[string]remembered
	swept    time.Time // last removal of expired sessions
}

type remembered struct {
	data   []byte
	expiry time.Time
}

// Find returns the session of a token.
func (m *memory) Find(token string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.sessions[token]
	return found.data, ok && time.Now().Before(found.expiry), nil
}

// Commit stores a session. At most once a minute it removes expired sessions.
func (m *memory) Commit(token string, data []byte, expiry time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); now.Sub(m.swept) >= time.Minute {
		maps.DeleteFunc(m.sessions, func(_ string, s remembered) bool { return !now.Before(s.expiry) })
		m.swept = now
	}
	m.sessions[token] = remembered{data, expiry}
	return nil
}

// Delete removes the session of a token.
func (m *memory) Delete(token string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, token)
	return nil
}
