package jobmcp

import (
	"bytes"
	"encoding/json"
)

// maxID bounds the identifier of a request that is too long to be kept.
const maxID = 256

// idFinder finds the identifier of a request that is too long to be kept: the member "id" of
// the outermost object. It sees the message in parts.
type idFinder struct {
	depth    int
	inString bool
	escaped  bool   // the next character of a string
	inValue  bool   // of a member of the outermost object, after its colon
	name     []byte // of that member, with its quotes, as far as it matters
	id       []byte // value of "id"
	whole    bool   // its end was seen
}

// see reads a further part of the message.
func (f *idFinder) see(part []byte) {
	for _, c := range part {
		f.keep(c)
		switch {
		case f.escaped:
			f.escaped = false
		case f.inString:
			f.escaped = c == '\\'
			f.inString = c != '"'
		case c == '"':
			f.inString = true
		case c == '{' || c == '[':
			f.depth++
		case c == '}' || c == ']':
			f.depth--
		case f.depth != 1:
		case c == ':':
			f.inValue = true
			if f.namesID() { // the last of several counts
				f.id, f.whole = f.id[:0], false
			}
		case c == ',':
			f.inValue = false
			f.name = f.name[:0]
		}
	}
}

// keep keeps a character of a name, or of the value of "id".
func (f *idFinder) keep(c byte) {
	switch ends := !f.inString && (c == ',' || c == '}'); {
	case f.depth != 1:
	case ends:
		f.whole = f.whole || f.inValue && f.namesID()
	case !f.inValue && c != ':' && len(f.name) <= len(`"id"`):
		f.name = append(bytes.TrimSpace(f.name), c)
	case f.inValue && len(f.id) <= maxID && f.namesID():
		f.id = append(f.id, c)
	}
}

// namesID reports whether the member of the outermost object is "id".
func (f *idFinder) namesID() bool { return string(bytes.TrimSpace(f.name)) == `"id"` }

// text returns the identifier as JSON, null where none was seen to its end: the beginning of
// a number is another number.
func (f *idFinder) text() string {
	var number float64
	var text string
	id := bytes.TrimSpace(f.id)
	if !f.whole || len(id) > maxID || json.Unmarshal(id, &text) != nil && json.Unmarshal(id, &number) != nil {
		return "null"
	}
	return string(id)
}
