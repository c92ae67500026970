package multimap

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
)

// A Reading reads one Map at a time out of JSON and is reused: call Read if the item has a map,
// then Join. The zero value is ready to use.
type Reading struct {
	keys   []string
	values []jsonread.Piece    // of all keys
	counts []byte              // how many values each key has, as Map keeps it
	others map[string]struct{} // the keys read so far, once they are many or one was left out
	order  jsonread.Order
	bulk   int64 // bytes of the values that Fit may remove
}

// manyKeys is the number of keys from which a set finds repeated keys.
const manyKeys = 32

// Omitted holds the keys to leave out. The zero value holds none.
type Omitted struct {
	Bulk  string // suffix of keys whose values do not count towards the item's bound; see Reading.Fit
	known uint32 // bit i: name i is left out
	other []string
}

// Omit returns an Omitted that leaves out keys.
func Omit(names *jsonread.Names, keys []string) (o Omitted) {
	for _, key := range keys {
		if i := names.Find([]byte(key)); i >= 0 {
			o.known |= 1 << i
		} else {
			o.other = append(o.other, key)
		}
	}
	return o
}

// has reports whether a key is left out; i is the index of the key in the names, or -1.
func (o *Omitted) has(i int, key []byte) bool {
	if i >= 0 {
		return o.known&(1<<i) != 0
	}
	return slices.Contains(o.other, string(key))
}

// empty makes the buffers ready for another map.
func (m *Reading) empty() {
	m.keys, m.values, m.counts = m.keys[:0], m.values[:0], m.counts[:0]
	if len(m.others) > 1024 {
		m.others = nil // clearing a large map each time would cost more
	}
	clear(m.others)
	m.bulk = 0
}

// Release empties the buffers, so that they keep no memory alive, and drops
// those that an unusual answer made large.
func (m *Reading) Release() {
	m.keys, m.values, m.counts = jsonread.Reuse(m.keys), jsonread.Reuse(m.values), jsonread.Reuse(m.counts)
	m.empty()
}

// Read reads an object of arrays of strings, or null for one without keys. The strings go to the
// end of text. It reads a bare string as an array of one string, and null as an empty array. It
// reads numbers, true and false as strings, as jsonread.Reader.TryText does. It leaves out a key
// whose value is an object, and skips nulls, objects and arrays inside an array. It notes a repeated
// key in the reader's Flaw. Errors and the Flaw show only known names, because unknown keys are text
// of the service.
func (m *Reading) Read(r *jsonread.Reader, text *jsonread.Text, names *jsonread.Names, omit *Omitted) {
	if r.Null() || !r.Object() {
		return
	}
	c := jsonread.Cursor{Lenient: true}
	for {
		i, key, ok := c.Next(r, names, &m.order)
		if !ok {
			return
		}
		if i < 0 && key == nil {
			continue // repeated
		}
		if omit.has(i, key) {
			r.Aside()
			r.Pass()
			r.Back()
			continue
		}
		shown := other
		var name string
		if i >= 0 {
			name = names.At(i)
			shown = name
		} else {
			name = m.otherKey(r, key)
		}
		m.keys = jsonread.Append(r, m.keys, name)
		read := m.readValues
		if omit.Bulk != "" && strings.HasSuffix(name, omit.Bulk) {
			read = m.readBulk
		}
		n := read(r, text)
		if r.Err() != nil {
			r.Within(shown)
			return
		}
		if n < 0 {
			m.leaveOut()
			continue
		}
		r.Charge(4) // covers the growth of counts, which doubles when full
		m.counts = binary.AppendUvarint(m.counts, uint64(n))
	}
}

// other stands for an unknown key in errors.
const other = "*"

// leaveOut takes away the key that was read last.
func (m *Reading) leaveOut() {
	if len(m.others) == 0 {
		m.remember() // or the key could be repeated
	}
	m.keys = m.keys[:len(m.keys)-1]
}

// remember puts the keys read so far into others.
func (m *Reading) remember() {
	if m.others == nil {
		m.others = make(map[string]struct{}, 4*manyKeys)
	}
	for _, key := range m.keys {
		m.others[key] = struct{}{}
	}
}

// otherKey returns an unknown key, and notes if the key occurred before.
func (m *Reading) otherKey(r *jsonread.Reader, key []byte) string {
	name := r.Shared(key)
	var twice bool
	if len(m.keys) < manyKeys && len(m.others) == 0 {
		twice = slices.Contains(m.keys, name)
	} else {
		if len(m.others) == 0 {
			m.remember()
		}
		r.Charge(96)
		_, twice = m.others[name]
		m.others[name] = struct{}{}
	}
	if twice {
		r.Note(other, jsonread.Twice)
	}
	return name
}

const (
	maxBulk = 1024 // most values of a key that Fit may remove
	tooMuch = 1 << 60
)

// readBulk reads the strings of a key as readValues does, but they do not count towards the item's
// bound. If they pass the bound, it stops keeping them, because Fit will remove the key.
func (m *Reading) readBulk(r *jsonread.Reader, text *jsonread.Text) (n int) {
	lo := text.Len()
	r.Stop = r.Offset() + max(r.Room()-m.bulk, 1)
	r.Aside()
	n = m.readValues(r, text)
	bytes := r.Back()
	m.bulk += bytes
	r.Stop = 0
	r.Return(2 * min(bytes, int64(text.Len()-lo))) // Stop bounds their memory, here and in Join
	return n
}

// Fit removes the keys that end in bulk, with their values, if the item would exceed its bound with
// them. It reports whether it removed them.
func (m *Reading) Fit(r *jsonread.Reader, bulk string) bool {
	if m.bulk <= r.Room() || r.Err() != nil {
		return false
	}
	keys, values, counts := m.keys[:0], m.values[:0], m.counts[:0]
	left := m.values
	for i, rest := 0, string(m.counts); rest != ""; i++ {
		var n int
		n, rest = nextCount(rest)
		if !strings.HasSuffix(m.keys[i], bulk) {
			keys, values = append(keys, m.keys[i]), append(values, left[:n]...)
			counts = binary.AppendUvarint(counts, uint64(n))
		}
		left = left[n:]
	}
	m.keys, m.values, m.counts = keys, values, counts
	return true
}

// readValues reads the strings of a key and returns how many there are; -1: the value has no strings
// and is left out.
func (m *Reading) readValues(r *jsonread.Reader, text *jsonread.Text) (n int) {
	if r.OpenIs(`["`) {
		m.values = jsonread.Append(r, m.values, r.RestOfString(text))
		if n = 1; r.Err() != nil {
			r.WithinIndex(0)
		}
	} else {
		switch r.Peek() {
		case 'n':
			r.Null()
			return 0
		case '[':
			r.Array()
		default:
			return m.readValue(r, text, -1)
		}
	}
	for i := n; r.Err() == nil && r.Next(); i++ {
		if r.Stop > 0 && (r.Past() || n == maxBulk) {
			m.bulk = tooMuch
			r.Skip()
		} else {
			n += m.readValue(r, text, 0)
		}
		if r.Err() != nil {
			r.WithinIndex(i)
		}
	}
	return n
}

// readValue reads a string, number, true or false and returns 1. It skips any other value and returns
// without.
func (m *Reading) readValue(r *jsonread.Reader, text *jsonread.Text, without int) int {
	p, ok := r.TryText(text)
	if !ok {
		return without
	}
	m.values = jsonread.Append(r, m.values, p)
	return 1
}

// Drop forgets the map, in place of Join.
func (m *Reading) Drop() { m.empty() }

// Join returns the whole text of the item, and the map, whose strings are slices of the text. The
// counts are stored at the end of the text, which saves an allocation.
func (m *Reading) Join(r *jsonread.Reader, item *jsonread.Text) (_ Map, text string) {
	defer m.empty()
	counts := r.Add(item, m.counts)
	text = r.Join(item)
	list := jsonread.Make[string](r, len(m.keys)+len(m.values))
	if len(list) == 0 {
		return Map{}, text
	}
	packed := counts.In(text)
	next, values := 0, m.values
	for i, rest := 0, packed; rest != ""; i++ {
		var n int
		n, rest = nextCount(rest)
		list[next] = m.keys[i]
		for k, v := range values[:n] {
			list[next+1+k] = v.In(text)
		}
		next, values = next+1+n, values[n:]
	}
	return Map{strings: list, counts: packed}, text
}
