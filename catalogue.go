package jobboard

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Bounds of a catalogueCache: a service has a catalogue for each language it
// speaks, each of some 10 KB.
const (
	maxCatalogues     = 32
	maxCatalogueBytes = 256 << 10 // of one catalogue's JSON
	maxCatalogueTotal = 1 << 20   // of all
)

// catalogueCache keeps nationality catalogues, so that the thousands of
// answers that have the same one share it, and it need not be decoded again.
// A catalogue is known by all the bytes of its JSON; nothing less could be
// trusted, as the service decides what it sends. The zero value is empty, and
// all methods may be called at the same time.
type catalogueCache struct {
	known atomic.Pointer[[]*catalogue] // read without a lock, replaced under mu
	mu    sync.Mutex
}

type catalogue struct {
	json string
	list []IDLabel // its capacity is its length
	used atomic.Bool
}

// find returns the catalogue whose JSON stands at the start of b. JSON arrays
// end where their bracket does, so one cannot begin with another.
func (c *catalogueCache) find(b []byte) *catalogue {
	known := c.known.Load()
	if known == nil {
		return nil
	}
	for _, k := range *known {
		if len(k.json) <= len(b) && string(b[:len(k.json)]) == k.json {
			if !k.used.Load() {
				k.used.Store(true)
			}
			return k
		}
	}
	return nil
}

// add keeps list as what json decodes to, and returns it, or what another
// caller added meanwhile. The strings of list may be cut from json. Those not used since the last time that room was
// needed make room first, the oldest before the others.
func (c *catalogueCache) add(json string, list []IDLabel) []IDLabel {
	if len(json) > maxCatalogueBytes {
		return list
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var old []*catalogue
	if p := c.known.Load(); p != nil {
		old = *p
	}
	total := len(json)
	for _, k := range old {
		if k.json == json {
			return k.list
		}
		total += len(k.json)
	}
	kept := slices.Clone(old)
	for len(kept) >= maxCatalogues || total > maxCatalogueTotal {
		i := slices.IndexFunc(kept, func(k *catalogue) bool { return !k.used.Load() })
		if i < 0 {
			for _, k := range kept {
				k.used.Store(false)
			}
			i = 0
		}
		total -= len(kept[i].json)
		kept = slices.Delete(kept, i, i+1)
	}
	kept = append(kept, &catalogue{json: json, list: list})
	c.known.Store(&kept)
	return list
}
