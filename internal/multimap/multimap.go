// Package multimap keeps lists of strings by key, as the config of a posting
// does (section 2.3). A [Map] is one slice of strings and one string of counts,
// however many keys it has. A [Reading] reads Maps out of JSON.
package multimap

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
)

// A Map holds keys, each with a list of strings, in the document's order. It is immutable; the zero
// value has no keys.
type Map struct {
	strings []string // each key followed by its values
	counts  string   // how many values each key has, as uvarints
}

// New returns a map with a copy of m, sorted by key.
func New(m map[string][]string) Map {
	n := len(m)
	for _, values := range m {
		n += len(values)
	}
	list := slices.Grow([]string(nil), n)
	var counts []byte
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(append(list, key), m[key]...)
		counts = binary.AppendUvarint(counts, uint64(len(m[key])))
	}
	return Map{strings: list, counts: string(counts)}
}

// nextCount returns the count at the start of counts and the rest of counts.
func nextCount(counts string) (n int, rest string) {
	if c := counts[0]; c < 0x80 {
		return int(c), counts[1:]
	}
	count, size := binary.Uvarint([]byte(counts[:min(len(counts), binary.MaxVarintLen64)]))
	return int(count), counts[size:]
}

// Len returns the number of keys.
func (m Map) Len() int {
	n := 0
	for i := range len(m.counts) {
		if m.counts[i] < 0x80 {
			n++
		}
	}
	return n
}

// Get returns the strings under key: nil if the map lacks the key, and an empty non-nil slice if
// the key has no strings. Appending to the slice copies.
func (m Map) Get(key string) []string {
	list := m.strings
	for counts := m.counts; counts != ""; {
		var n int
		n, counts = nextCount(counts)
		if list[0] == key {
			return list[1 : 1+n : 1+n]
		}
		list = list[1+n:]
	}
	return nil
}

// All yields every key with its strings, in order.
func (m Map) All() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		list := m.strings
		for counts := m.counts; counts != ""; {
			var n int
			n, counts = nextCount(counts)
			if !yield(list[0], list[1:1+n:1+n]) {
				return
			}
			list = list[1+n:]
		}
	}
}

// Equal reports whether both have the same keys with the same strings. The order of keys does not
// matter; the order of a key's strings does.
func (m Map) Equal(other Map) bool {
	if m.counts == other.counts && slices.Equal(m.strings, other.strings) {
		return true
	}
	if m.Len() != other.Len() {
		return false
	}
	others := maps.Collect(other.All())
	for key, values := range m.All() {
		if other, ok := others[key]; !ok || !slices.Equal(values, other) {
			return false
		}
	}
	return true
}

// MarshalJSON returns an object of arrays of strings, in order.
func (m Map) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	text := json.NewEncoder(&b)
	text.SetEscapeHTML(false) // the encoder of the surrounding value decides
	write := func(before byte, v any) error {
		b.WriteByte(before)
		err := text.Encode(v)
		b.Truncate(b.Len() - 1) // the newline
		return err
	}
	separator := byte('{')
	for key, values := range m.All() {
		if err := errors.Join(write(separator, key), write(':', values)); err != nil {
			return nil, err
		}
		separator = ','
	}
	if m.Len() == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
