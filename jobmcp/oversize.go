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
		case c == ',':
			f.inValue = false
			f.name = f.name[:0]
		}
	}
}

// keep keeps a character of a name, or of the value of "id".
func (f *idFinder) keep(c byte) {
	switch ends := !f.inString && (c == ',' || c == '}'); {
	case f.depth != 1 || ends:
	case !f.inValue && c != ':' && len(f.name) <= len(`"id"`):
		f.name = append(bytes.TrimSpace(f.name), c)
	case f.inValue && len(f.id) <= maxID && string(bytes.TrimSpace(f.name)) == `"id"`:
		f.id = append(f.id, c)
	}
}

// text returns the identifier as JSON, null where none was seen.
func (f *idFinder) text() string {
	var number float64
	var text string
	id := bytes.TrimSpace(f.id)
	if len(id) > maxID || json.Unmarshal(id, &text) != nil && json.Unmarshal(id, &number) != nil {
		return "null"
	}
	return string(id)
}
