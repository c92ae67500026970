package jobboardtest

import (
	"net/http"
	"strings"
	"sync"
)

// mounts holds the handlers of paths of {base_url} that are no part of the interface.
type mounts struct {
	mu sync.RWMutex
	at map[string]http.Handler // nil ones were taken away
}

// mount serves a path and all paths below it; "/" is that path alone. A nil handler
// takes a path away.
func (m *mounts) mount(path string, h http.Handler) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at["/"+strings.Trim(path, "/")] = h
}

// find returns the handler of the longest path that p is or is below of; nil:
// there is none.
func (m *mounts) find(p string) http.Handler {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for at := p; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if h := m.at[at]; h != nil && (at != "/" || p == "/") {
			return h
		}
	}
	return nil
}
