package multimap

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// A Reading reads Maps out of JSON, one after the other: each by Read, unless its
// item has none, and Join. The zero value is ready to use.
type Reading struct {
	keys   []string
	values []jsonread.Piece    // of all keys
	counts []byte              // how many values each key has, as Map keeps it
	others map[string]struct{} // the keys without a known name, once there are many
	order  jsonread.Order
	bulk   int64 // bytes of the values that Drop leaves out
}

// manyKeys bounds the keys of a map that are compared one by one.
const manyKeys = 32

// Omitted holds the keys to leave out. The zero value holds none.
type Omitted struct {
	Bulk  string // ends the keys whose values do not count for the bound of the item; see Reading.Fit
	known uint32 // by their numbers in the names
	other []string
}

// Omit returns the keys as ones to leave out.
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

// has reports whether a key is left out; i is its number in the names, or -1.
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
		m.others = nil // to empty a large map each time would cost more
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

// Read reads an object of arrays of strings, or null for one without keys. The
// strings go to the end of text. It takes a string in place of an array for an
// array of that string, null in place of an array for an empty one, and leaves
// null in an array out. A key that comes twice is an error, which shows only
// names: what a service calls its keys is its own affair.
func (m *Reading) Read(r *jsonread.Reader, text *jsonread.Text, names *jsonread.Names, omit *Omitted) {
	if r.Null() || !r.Object() {
		return
	}
	var c jsonread.Cursor
	for {
		i, key, ok := c.Next(r, names, &m.order)
		if !ok {
			return
		}
		if omit.has(i, key) {
			r.Aside()
			r.Pass()
			r.Back()
			continue
		}
		shown := "*"
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
		r.Charge(4) // at most that for each byte of counts, which doubles when it is full
		m.counts = binary.AppendUvarint(m.counts, uint64(n))
	}
}

// otherKey returns a key without a known name, which must not have come before.
func (m *Reading) otherKey(r *jsonread.Reader, key []byte) string {
	name := r.Shared(key)
	var twice bool
	if len(m.keys) < manyKeys {
		twice = slices.Contains(m.keys, name)
	} else {
		if len(m.others) == 0 {
			if m.others == nil {
				m.others = make(map[string]struct{}, 4*manyKeys)
			}
			for _, key := range m.keys {
				m.others[key] = struct{}{}
			}
		}
		r.Charge(96)
		_, twice = m.others[name]
		m.others[name] = struct{}{}
	}
	if twice {
		r.Fail(jsonscan.Error("occurs twice"))
	}
	return name
}

const (
	maxBulk = 1024 // values of a key that may be left out
	tooMuch = 1 << 60
)

// readBulk reads the strings of a key as readValues does, but they do not count towards
// the bound of the item. Of those for which it has no room left, it keeps only some: Fit
// leaves them out.
func (m *Reading) readBulk(r *jsonread.Reader, text *jsonread.Text) (n int) {
	lo := text.Len()
	r.Stop = r.Offset() + max(r.Room()-m.bulk, 1)
	r.Aside()
	n = m.readValues(r, text)
	bytes := r.Back()
	m.bulk += bytes
	r.Stop = 0
	r.Return(2 * min(bytes, int64(text.Len()-lo))) // what they take, here and in Join, is bounded by Stop
	return n
}

// Fit takes out the keys whose names end in bulk, with their values, if the item would be
// over its bound with them, and reports whether it did.
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

// readValues reads the strings of a key and returns how many there are.
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
		case '"':
			m.values = jsonread.Append(r, m.values, r.String(text))
			return 1
		}
		r.Array()
	}
	for i := n; r.Err() == nil && r.Next(); i++ {
		if r.Stop > 0 && (r.Past() || n == maxBulk) {
			m.bulk = tooMuch
			r.Skip()
		} else if !r.Null() {
			m.values = jsonread.Append(r, m.values, r.String(text))
			n++
		}
		if r.Err() != nil {
			r.WithinIndex(i)
		}
	}
	return n
}

// Join returns the whole text of the item, and the map that was read, with its
// strings cut from that text. The counts are added to it, to share its memory.
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
