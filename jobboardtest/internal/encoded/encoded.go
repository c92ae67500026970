// Package encoded keeps the encoded forms of a value that does not change.
package encoded

import "sync/atomic"

// maxForms bounds the cached forms of one value: a test that tries every switch
// must not fill the memory.
const maxForms = 8

// Forms caches the encoded forms of one value by key, such as a form for each
// language, so that a search need not encode again. The zero value is empty. Any
// number of goroutines may use it.
type Forms[K comparable] struct{ list atomic.Pointer[form[K]] }

type form[K comparable] struct {
	key  K
	data []byte
	next *form[K]
}

// Get returns the form of a key. It calls encode if the form is not cached. The
// caller must not change the bytes.
func (f *Forms[K]) Get(key K, encode func() []byte) []byte {
	head := f.list.Load()
	n := 0
	for x := head; x != nil; x = x.next {
		if x.key == key {
			return x.data
		}
		n++
	}
	fresh := &form[K]{key: key, data: encode(), next: head}
	if n >= maxForms {
		fresh.next = nil
	}
	f.list.CompareAndSwap(head, fresh) // if another goroutine won, the next Get encodes again
	return fresh.data
}
