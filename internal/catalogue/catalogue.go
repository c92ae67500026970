// Package catalogue reads the catalogue of a job information: about 200 entries with an identifier
// and a label, the same list in thousands of answers.
//
// A [Cache] keeps each catalogue together with the JSON that it was read from. If
// an answer has the same bytes again, [Read] returns the kept list and parses
// nothing. For any other catalogue, Read copies its JSON once: the texts of the
// list are parts of that copy, but for those with escapes, and the cache keeps
// the copy to compare later answers with.
package catalogue

import (
	"math"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
	"github.com/jobboard-sdk/jobboard-go/internal/swar"
	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// A Reading holds the state of [Read] and its buffers. The zero value is ready, and may be used
// again for the next catalogue.
type Reading struct {
	r       *jsonread.Reader
	json    []byte // the document from the catalogue to its end
	entries []entry
	odd     jsonread.Text // decoded texts with escapes, and numbers
	order   jsonread.Order
}

// An entry holds the two texts of an element of the list.
type entry struct{ id, label part }

// A part marks a part of the catalogue's JSON, or of Reading.odd if odd is set.
type part struct {
	jsonread.Piece
	odd bool
}

func (p part) of(json, odd string) string {
	if p.odd {
		return p.In(odd)
	}
	return p.In(json)
}

type member = jsonread.Member[*Reading]

var object = jsonread.NewObject([]member{
	{Name: "id", Read: func(s *Reading) { s.last().id = s.text("id") }},
	{Name: "label", Read: func(s *Reading) { s.last().label = s.text("label") }},
}).Lenient()

// Read reads the catalogue that comes next in r. It returns nil for any other value than a list, and
// leaves out elements that cannot be read: that are no object, have a member twice, or an object or
// list for a text. It looks in cache for the same JSON, and adds a new catalogue; cache may be nil. element makes an element of the list from
// identifier and label.
func Read[T any](s *Reading, r *jsonread.Reader, cache *Cache[[]T], element func(id, label string) T) []T {
	if r.Peek() != '[' {
		r.Skip()
		return nil
	}
	json := r.Rest()
	if cache != nil {
		if list, n, ok := cache.Find(json); ok {
			r.Advance(n)
			return list
		}
	}
	if int64(len(json)) > math.MaxUint32 { // a Piece has 32-bit offsets
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
	if !r.Array() {
		return
	}
	for n := 0; r.Next(); n++ {
		s.entries = jsonread.Append(r, s.entries, entry{})
		if object.Read(r, &s.order, s); r.Err() != nil {
			r.WithinIndex(n)
			return
		}
		if r.Flaw.Reason != "" {
			s.entries = s.entries[:len(s.entries)-1]
		}
	}
}

func (s *Reading) last() *entry { return &s.entries[len(s.entries)-1] }

// text reads an identifier or a label, the member of that name. It marks a string without escapes in
// the JSON, decodes a string with escapes or a number, and reads null as "".
func (s *Reading) text(name string) part {
	if s.r.Peek() == '"' {
		rest := s.r.Rest()[1:]
		if n := swar.Verbatim(rest); n < len(rest) && rest[n] == '"' {
			at := uint32(len(s.json) - len(rest))
			s.r.Advance(n + 2)
			return part{Piece: jsonread.Piece{Lo: at, Hi: at + uint32(n)}}
		}
	}
	if s.r.Null() {
		return part{}
	}
	p, ok := s.r.TryText(&s.odd)
	if !ok {
		s.r.Note(name, "not a text")
	}
	return part{p, true}
}
