package jobboardtest

import (
	"net/http"
	"strings"
	"sync"
)

// mounts holds the handlers of paths of {base_url} that are no part of the interface.
type mounts struct {
	mu sync.RWMutex
	at map[string]http.Handler // nil for a removed path
}

// mount serves a path and all paths below it; "/" serves the root path alone. A nil
// handler removes a path.
func (m *mounts) mount(path string, h http.Handler) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at["/"+strings.Trim(path, "/")] = h
}

// find returns the handler of the longest mounted path that is p or a parent of
// p, or nil.
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
