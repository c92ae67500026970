package jobboard

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// unknownMembers holds the members of an object that the interface does not name.
type unknownMembers = map[string]json.RawMessage

// An objectWriter writes JSON objects. Unlike encoding/json it does not read what
// MarshalJSON methods return once more at each level: a page would take a third
// longer. The first error stays.
type objectWriter struct {
	bytes.Buffer
	encoder *json.Encoder
	err     error
}

func newObjectWriter() *objectWriter {
	w := new(objectWriter)
	w.encoder = json.NewEncoder(&w.Buffer)
	w.encoder.SetEscapeHTML(false) // whoever encodes what is around it decides that
	return w
}

// value writes the JSON of v.
func (w *objectWriter) value(v any) {
	if w.err != nil {
		return
	}
	if w.err = w.encoder.Encode(v); w.err == nil {
		w.Truncate(w.Len() - len("\n"))
	}
}

// reopen takes back the end of what was written last.
func (w *objectWriter) reopen(end string) {
	if w.err == nil {
		w.Truncate(w.Len() - len(end))
	}
}

// end writes the unknown members of an object, in the order of their names, and
// its end. It leaves out one whose name is like one of the object's own.
func (w *objectWriter) end(unknown unknownMembers, own func(name string) bool) {
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		if !own(name) {
			w.WriteByte(',')
			w.value(name)
			w.WriteByte(':')
			w.value(unknown[name])
		}
	}
	w.WriteByte('}')
}

// marshalObject returns the JSON of v, a struct with at least one member, and of
// the unknown members behind it.
func marshalObject(v any, unknown unknownMembers, own func(name string) bool) ([]byte, error) {
	w := newObjectWriter()
	w.value(v)
	w.reopen("}")
	w.end(unknown, own)
	return w.Bytes(), w.err
}
