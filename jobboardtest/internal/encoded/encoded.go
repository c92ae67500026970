// Package encoded keeps the encoded forms of a value that does not change.
package encoded

import "sync/atomic"

// maxForms bounds the forms of one value: a test that walks through every switch
// must not keep them all.
const maxForms = 8

// Forms holds the forms of one value by their keys, such as one for each language
// that is asked for, so that a search is answered with bytes that are there. The
// zero value is empty. Any number of goroutines may use it.
type Forms[K comparable] struct{ list atomic.Pointer[form[K]] }

type form[K comparable] struct {
	key  K
	data []byte
	next *form[K]
}

// Get returns the form of a key, which encode makes where it is not there. Change
// nothing in it.
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
	f.list.CompareAndSwap(head, fresh) // lost the race: encode again next time
	return fresh.data
}
