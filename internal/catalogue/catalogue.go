// Package catalogue reads the catalogue of a job information: a list of some 200
// entries, each with an identifier and a label, that is the same in thousands of
// answers.
//
// A [Cache] keeps each catalogue together with the JSON that it was read from. If
// an answer has the same bytes again, [Read] returns the kept list and parses
// nothing. For any other catalogue, Read copies its JSON once: the texts of the
// list are parts of that copy, but for those with escapes, and the cache keeps
// the copy to compare later answers with.
package catalogue

import (
	"bytes"
	"math"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
	"github.com/jobboard-sdk/jobboard-go/internal/swar"
	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// A Reading holds the state of [Read] and its buffers. The zero value is ready
// to use, for one catalogue after the other.
type Reading struct {
	r       *jsonread.Reader
	json    []byte // from the catalogue on
	entries []entry
	odd     jsonread.Text // the texts that do not stand in json as they are
	order   jsonread.Order
}

// An entry holds the two texts of an element of the list.
type entry struct{ id, label piece }

// A piece is a part of the JSON, or of Reading.odd where odd is set.
type piece struct {
	jsonread.Piece
	odd bool
}

func (p piece) of(json, odd string) string {
	if p.odd {
		return p.In(odd)
	}
	return p.In(json)
}

type member = jsonread.Member[*Reading]

var object = jsonread.NewObject([]member{
	{Name: "id", Read: func(s *Reading) { s.last().id = s.text((*jsonread.Reader).OptID) }},
	{Name: "label", Read: func(s *Reading) { s.last().label = s.text((*jsonread.Reader).OptString) }},
})

// Read reads the catalogue that comes next in r, or null for nil. It takes the
// catalogue from cache, or adds it there; cache may be nil. element returns an
// element of the list, made of its two texts.
func Read[T any](s *Reading, r *jsonread.Reader, cache *Cache[[]T], element func(id, label string) T) []T {
	if r.Null() {
		return nil
	}
	json := r.Rest()
	if cache != nil {
		if list, n, ok := cache.Find(json); ok {
			r.Advance(n)
			return list
		}
	}
	if int64(len(json)) > math.MaxUint32 { // more than a piece can mark
		r.Fail(window.ErrTooLarge)
	}
	s.read(r, json)
	n := len(json) - len(r.Rest())
	list := jsonread.Make[T](r, len(s.entries))
	odd := r.Join(&s.odd)
	if r.Err() != nil || !r.Charge(n) {
		return nil
	}
	text := string(json[:n])
	for i, e := range s.entries {
		list[i] = element(e.id.of(text, odd), e.label.of(text, odd))
	}
	if cache == nil {
		return list
	}
	return cache.Add(text, list)
}

// Release empties the buffers, so that they keep no memory alive, and drops
// those that an unusual answer made large.
func (s *Reading) Release() {
	s.r, s.json = nil, nil
	s.odd.Reset()
	s.entries = jsonread.Reuse(s.entries)
}

// read reads the elements of the catalogue with which json begins.
func (s *Reading) read(r *jsonread.Reader, json []byte) {
	s.r, s.json, s.entries = r, json, s.entries[:0]
	s.odd.Reset()
	var usual spelling
	if !r.Array() {
		return
	}
	for n := 0; r.Next(); n++ {
		s.entries = jsonread.Append(r, s.entries, entry{})
		object.Read(r, &s.order, s)
		if r.Err() != nil {
			r.WithinIndex(n)
			return
		}
		if end := len(json) - len(r.Rest()); n > 0 && usual.learn(json[:end], s.entries[len(s.entries)-2:]) {
			more, to := s.readAlike(end, usual)
			if n += more; r.Err() != nil {
				return
			}
			r.Advance(to - end)
		}
	}
}

func (s *Reading) last() *entry { return &s.entries[len(s.entries)-1] }

// text reads an identifier or a label. read reads one that does not stand in the
// JSON as it is: one with escapes, a number, null.
func (s *Reading) text(read func(*jsonread.Reader, *jsonread.Text) jsonread.Piece) piece {
	if s.r.Peek() == '"' {
		rest := s.r.Rest()[1:]
		if n := swar.Verbatim(rest); n < len(rest) && rest[n] == '"' {
			at := len(s.json) - len(rest)
			s.r.Advance(n + 2)
			return pieceOf(at, at+n)
		}
	}
	return piece{read(s.r, &s.odd), true}
}

// pieceOf returns the piece of the JSON from lo to hi.
func pieceOf(lo, hi int) piece { return piece{jsonread.Piece{Lo: uint32(lo), Hi: uint32(hi)}, false} }

// A spelling holds the JSON of a catalogue's elements around their two texts,
// white space, order and unknown members included. Elements of the same
// spelling have the same meaning.
type spelling struct {
	gap     []byte // from the label of one element to the identifier of the next
	between []byte // from there to its label
	after   []byte // from there to its end, with which gap begins
}

// learn reads the spelling of the second of two entries, which ends json. It
// reports false if no other element can share that spelling.
func (s *spelling) learn(json []byte, two []entry) bool {
	before, id, label := two[0].label, two[1].id, two[1].label
	if before.odd || id.odd || label.odd || before.Hi == 0 || before.Hi >= id.Lo || id.Hi >= label.Lo {
		return false
	}
	*s = spelling{json[before.Hi:id.Lo], json[id.Hi:label.Lo], json[label.Hi:]}
	return bytes.HasPrefix(s.gap, s.after)
}

// readAlike reads the elements that start at end, right behind an element of the
// spelling usual, as long as they have the same spelling. It returns their
// number and where they end.
func (s *Reading) readAlike(end int, usual spelling) (n, to int) {
	b, i := s.json, end-len(usual.after)
	for {
		id := i + len(usual.gap)
		if id > len(b) || !bytes.Equal(b[i:id], usual.gap) {
			break
		}
		idEnd := id + swar.Verbatim(b[id:])
		label := idEnd + len(usual.between)
		if label > len(b) || !bytes.Equal(b[idEnd:label], usual.between) {
			break
		}
		i = label + swar.Verbatim(b[label:])
		s.entries = jsonread.Append(s.r, s.entries, entry{pieceOf(id, idEnd), pieceOf(label, i)})
		n++
	}
	if s.r.Err() == nil && !bytes.HasPrefix(b[i:], usual.after) {
		// The last one does not end as the others do: it is read again.
		s.entries = s.entries[:len(s.entries)-1]
		n--
		i = int(s.last().label.Hi)
	}
	return n, i + len(usual.after)
}
