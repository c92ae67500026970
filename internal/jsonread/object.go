package jsonread

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// MaxMembers bounds the members of a kind of object.
const MaxMembers = 31

// Names holds the names of the members of a kind of object.
type Names struct {
	list  []string
	guess []string // each as services mostly write it, for Scanner.NextKey
}

// NewNames returns a Names of at most [MaxMembers] names.
func NewNames(names ...string) Names {
	n := Names{list: names}
	for _, name := range names {
		n.guess = append(n.guess, `,"`+name+`":`)
	}
	return n
}

// At returns the name of member i.
func (n *Names) At(i int) string { return n.list[i] }

// Find returns the number of the member with the key, or -1.
func (n *Names) Find(key []byte) int {
	for i, name := range n.list {
		if name == string(key) {
			return i
		}
	}
	return -1
}

// Like reports whether a key equals a name apart from upper and lower case: many JSON decoders take
// such a key for the name.
func (n *Names) Like(key string) bool {
	for _, name := range n.list {
		if strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}

// An Order predicts which member comes next in an object. A service writes the members of all its
// objects in the same order, so a prediction is mostly right, and comparing a key with one name is
// cheaper than searching all names. Order[0] is the first member, Order[i+1] the one after member
// i, both numbered from 1; 0 predicts nothing. The member that came replaces a wrong prediction.
type Order [MaxMembers + 1]uint8

// A Cursor walks over the members of one object. The zero value stands before the first member.
type Cursor struct {
	Lenient bool // a repeated name is noted in Reader.Flaw and its value skipped, instead of an error

	last    uint8 // number of the last known member, from 1; 0: none yet
	seen    uint32
	unknown []byte // the array that the values of unknown members share
}

// Next reads the key of the object's next member, and returns the index of the name in names. For
// an unknown key it returns -1 and the key, which is valid until the next call. It reports false
// after an error and at the end of the object. A repeated name is an error; a lenient cursor returns
// -1 and no key for it.
func (c *Cursor) Next(r *Reader, names *Names, order *Order) (i int, key []byte, ok bool) {
	predicted := order[c.last]
	if predicted != 0 {
		guess := names.guess[predicted-1]
		if c.last != 0 && r.Is(guess) {
			ok = true
		} else {
			key, ok = r.NextKey(guess)
		}
	} else {
		key, ok = r.NextKey("")
	}
	if !ok {
		return -1, nil, false
	}
	i = int(predicted) - 1
	if key != nil {
		if i = names.Find(key); i < 0 {
			return -1, key, true
		}
		order[c.last] = uint8(i + 1)
	}
	c.last = uint8(i + 1)
	if c.seen&(1<<i) != 0 {
		if c.Lenient {
			r.Note(names.list[i], Twice)
			r.Skip()
			return -1, nil, r.Err() == nil
		}
		r.Fail(Twice)
		r.Within(names.list[i])
		return -1, nil, false
	}
	c.seen |= 1 << i
	return i, nil, true
}

// Twice is the reason of an object in which a name is repeated.
const Twice jsonscan.Error = "occurs twice"

// A Member describes a member of an object: its name, and the function that reads its value into D,
// such as a pointer to the decoder.
type Member[D any] struct {
	Name     string
	Required bool
	Read     func(D)
}

// An Object reads a kind of object into D. Each known member may occur once, a required member must
// occur, and unknown members are kept or skipped.
type Object[D any] struct {
	members  []Member[D]
	names    Names
	required uint32
	lenient  bool
	unknown  func(D) *map[string]json.RawMessage
}

// NewObject returns the kind of object that has these members, at most
// [MaxMembers].
func NewObject[D any](members []Member[D]) *Object[D] {
	o := &Object[D]{members: members}
	var names []string
	for i, m := range members {
		names = append(names, m.Name)
		if m.Required {
			o.required |= 1 << i
		}
	}
	o.names = NewNames(names...)
	return o
}

// KeepUnknown makes the object keep unknown members in the map to which in returns a pointer. The
// map is made for the first unknown member. KeepUnknown returns o.
func (o *Object[D]) KeepUnknown(in func(D) *map[string]json.RawMessage) *Object[D] {
	o.unknown = in
	return o
}

// Lenient makes Read note in Reader.Flaw, and not fail, if the value is no object, if a member
// occurs twice, or if a required member is missing. Read then passes over the whole value. Lenient
// returns o.
func (o *Object[D]) Lenient() *Object[D] {
	o.lenient = true
	return o
}

// Has reports whether the object has a member of that name.
func (o *Object[D]) Has(name string) bool { return o.names.Find([]byte(name)) >= 0 }

// HasLike reports whether the object has a member of that name, in upper or lower case.
func (o *Object[D]) HasLike(name string) bool { return o.names.Like(name) }

// Read reads the object that comes next, to its end. A lenient object begins with an empty
// Reader.Flaw.
func (o *Object[D]) Read(r *Reader, order *Order, d D) {
	c := Cursor{Lenient: o.lenient}
	if o.lenient {
		r.Flaw = Flaw{}
		if r.Peek() != '{' {
			r.Note("", "not an object")
			r.Skip()
			return
		}
	}
	if r.Object() {
		for o.Step(r, &c, order, d) {
		}
	}
}

// Step reads the next member; the caller has called Reader.Object before the first. At the end
// of the object Step reports false, and fails if a required member is missing.
func (o *Object[D]) Step(r *Reader, c *Cursor, order *Order, d D) bool {
	i, key, ok := c.Next(r, &o.names, order)
	switch {
	case i >= 0:
		o.members[i].Read(d)
		if r.Err() != nil {
			r.Within(o.members[i].Name)
			return false
		}
	case key != nil && o.unknown != nil:
		o.keep(r, c, key, d)
	case key != nil:
		r.Skip()
	case !ok && r.Err() == nil:
		o.require(r, c)
	}
	return ok
}

const (
	// maxUnknown bounds the text of an unknown member.
	maxUnknown = 1 << 20
	// memberCost and mapCost estimate, in bytes, the memory of an unknown member
	// besides its text, and of the map that holds it.
	memberCost = 96
	mapCost    = 400 + sharedValues
	// sharedValues is the size, in bytes, of the array that the values of an object's unknown
	// members share.
	sharedValues = 128
)

// keep keeps an unknown member, whose value comes next. If the key occurred before, the new value
// replaces the old. keep leaves out a value over maxUnknown or over the reader's Spare. It also
// leaves out a key that is like a name, because another JSON decoder would take it for the name.
func (o *Object[D]) keep(r *Reader, c *Cursor, key []byte, d D) {
	room := r.Spare - int64(len(key)) - memberCost - mapCost
	if room <= 0 || o.names.Like(string(key)) {
		r.Skip()
		return
	}
	name := r.names.get(key) // reading the value may overwrite key
	r.Peek()
	r.Record(int(min(room, maxUnknown)))
	r.Skip()
	value, ok := r.Recorded()
	kept := o.unknown(d)
	if !ok {
		delete(*kept, name)
		return
	}
	r.Spare -= int64(len(key)+len(value)) + memberCost
	if *kept == nil {
		r.Spare -= mapCost
		*kept = make(map[string]json.RawMessage, 1)
	}
	(*kept)[name] = c.keep(value)
}

// keep returns a copy of the value of an unknown member, in which U+FFFD replaces each invalid
// UTF-8 byte. Short values of one object share an array.
func (c *Cursor) keep(value []byte) []byte {
	if !utf8.Valid(value) {
		value = []byte(string([]rune(string(value))))
	}
	if len(value) > cap(c.unknown)-len(c.unknown) {
		c.unknown = make([]byte, 0, max(len(value), sharedValues))
	}
	from := len(c.unknown)
	c.unknown = append(c.unknown, value...)
	return c.unknown[from:len(c.unknown):len(c.unknown)]
}

// require fails for the first required member that was not seen, or notes it.
func (o *Object[D]) require(r *Reader, c *Cursor) {
	const missing = jsonscan.Error("is missing")
	for i, m := range o.members {
		if (o.required&^c.seen)&(1<<i) != 0 {
			if c.Lenient {
				r.Note(m.Name, missing)
				return
			}
			r.Fail(missing)
			r.Within(m.Name)
			return
		}
	}
}
