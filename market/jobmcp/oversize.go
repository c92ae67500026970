package jobmcp

import (
	"bytes"
	"encoding/json"
)

// maxID is the longest identifier, in bytes, that idFinder returns.
const maxID = 256

// idFinder finds the identifier of a request that is too long for memory: the member "id" of
// the outermost object. It reads the message in parts.
type idFinder struct {
	depth    int
	inString bool
	escaped  bool   // the next character is escaped in a string
	inValue  bool   // reading the value of a member of the outermost object
	name     []byte // beginning of that member's name, with quotes
	id       []byte // value of "id"
	whole    bool   // the end of id was read
}

// see reads the next part of the message.
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
			if f.namesID() { // of several members "id" the last counts
				f.id, f.whole = f.id[:0], false
			}
		case c == ',':
			f.inValue = false
			f.name = f.name[:0]
		}
	}
}

// keep appends a character to name, or to the value of "id".
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

// namesID reports whether the current member of the outermost object is "id".
func (f *idFinder) namesID() bool { return string(bytes.TrimSpace(f.name)) == `"id"` }

// text returns the identifier as JSON, or null if its end was not read: a number that is
// cut short is a different identifier.
func (f *idFinder) text() string {
	var number float64
	var text string
	id := bytes.TrimSpace(f.id)
	if !f.whole || len(id) > maxID || json.Unmarshal(id, &text) != nil && json.Unmarshal(id, &number) != nil {
		return "null"
	}
	return string(id)
}
