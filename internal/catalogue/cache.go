package catalogue

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
)

// Bounds of a Cache. A catalogue has about 10 KB, and each language has its own.
const (
	MaxValues = 32
	MaxText   = 256 << 10 // of one value, in bytes
	MaxTotal  = 1 << 20   // of all texts, in bytes
)

// A Cache keeps values by the text that they were decoded from. It compares whole texts, because a
// service could send two catalogues with the same hash. The zero value is empty, and all methods
// may be called at the same time. T is the client's own type of a catalogue, which this package
// cannot import.
type Cache[T any] struct {
	known  atomic.Pointer[[]*cached[T]] // read without a lock, replaced under mu
	mu     sync.Mutex
	missed [MaxValues]uint64 // hashes of recent texts that did not fit
	next   int               // index in missed
}

type cached[T any] struct {
	text  string
	value T
	used  atomic.Bool
}

// Find returns the value whose text stands at the start of b, and the length of that
// text. Each text is a whole JSON array, so no text is the beginning of another.
func (c *Cache[T]) Find(b []byte) (value T, n int, ok bool) {
	if known := c.known.Load(); known != nil {
		for _, k := range *known {
			if len(k.text) <= len(b) && string(b[:len(k.text)]) == k.text {
				if !k.used.Load() {
					k.used.Store(true)
				}
				return k.value, len(k.text), true
			}
		}
	}
	return value, 0, false
}

// Add keeps value as the decoded form of text. It returns value, or the value that another caller
// added for text meanwhile. A full cache keeps a value only if its text comes twice in short order,
// so that a cycle of more texts than fit costs little more than no cache. The value then replaces
// values not used since the cache last needed room, the oldest first.
func (c *Cache[T]) Add(text string, value T) T {
	if len(text) > MaxText {
		return value
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var kept []*cached[T]
	if p := c.known.Load(); p != nil {
		kept = *p
	}
	total := len(text)
	for _, k := range kept {
		if k.text == text {
			return k.value
		}
		total += len(k.text)
	}
	full := func() bool { return len(kept) >= MaxValues || total > MaxTotal }
	if full() && !c.again(text) {
		return value
	}
	kept = slices.Clone(kept)
	for full() {
		i := slices.IndexFunc(kept, func(k *cached[T]) bool { return !k.used.Load() })
		if i < 0 {
			for _, k := range kept {
				k.used.Store(false)
			}
			i = 0
		}
		total -= len(kept[i].text)
		kept = slices.Delete(kept, i, i+1)
	}
	kept = append(kept, &cached[T]{text: text, value: value})
	c.known.Store(&kept)
	return value
}

// again reports whether text recently did not fit, and remembers text if not. It compares hashes of
// 256 bytes, so it may confuse similar texts.
func (c *Cache[T]) again(text string) bool {
	const enough = 256
	middle := max(0, len(text)-enough) / 2
	hash := maphash.String(seed, text[middle:min(len(text), middle+enough)])
	if i := slices.Index(c.missed[:], hash); i >= 0 {
		c.missed[i] = 0
		return true
	}
	c.missed[c.next] = hash
	c.next = (c.next + 1) % len(c.missed)
	return false
}

var seed = maphash.MakeSeed()
