package jobfeed

import (
	"bytes"
	"strings"
)

// encoding/xml cannot continue after a syntax error, so this file first cuts the text into entries.
// It knows tags, comments, CDATA sections and processing instructions. Outside of these three
// sections every "<" begins markup. XML forbids "<" in attribute values, so a "<" there shows that
// a quote is missing, and the next tag is found.

// markup names the kinds of markup that a "<" can begin.
type markup int

// The kinds of markup. The first three are sections, inside which "<" is text.
const (
	comment markup = iota
	cdata
	instruction
	entryStart // the start tag of an entry
	entryEnd   // the end tag of an entry
	startTag   // any other start tag, or a "<" without a name
	endTag     // any other end tag
	directive  // "<!" that begins no section

	sectionKinds = entryStart
	noSection    = sectionKinds
)

var sections = [sectionKinds]struct {
	begin, end []byte
	what       string
}{
	comment:     {[]byte("<!--"), []byte("-->"), "comment"},
	cdata:       {[]byte("<![CDATA["), []byte("]]>"), "CDATA section"},
	instruction: {[]byte("<?"), []byte("?>"), "processing instruction"},
}

const (
	longestBegin = len("<![CDATA[") // of a section
	maxName      = 256              // longest part of a name that nameIn reads
	white        = " \t\r\n"
)

// markupIn returns the kind of markup at the start of b, and the end of its name or of the
// section's opening.
func markupIn(b []byte) (kind markup, end int) {
	kind, end = startTag, 1
	if len(b) > 1 {
		switch b[1] {
		case '/':
			kind, end = endTag, 2
		case '!', '?':
			for section, s := range sections {
				if bytes.HasPrefix(b, s.begin) {
					return markup(section), len(s.begin)
				}
			}
			kind, end = directive, 2
		}
	}
	name := nameIn(b[end:])
	end += len(name)
	switch {
	case !isOpening(name):
	case kind == startTag:
		kind = entryStart
	case kind == endTag:
		kind = entryEnd
	}
	return kind, end
}

// nameIn returns the name that b begins with, or its first maxName bytes.
func nameIn(b []byte) []byte {
	b = b[:min(len(b), maxName)]
	for i, c := range b {
		if !nameByte[c] {
			return b[:i]
		}
	}
	return b
}

// nameByte tells which bytes a name may consist of.
var nameByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '_' || c == ':' || c == '.' || c == '-' || c >= 0x80
	}
	return t
}()

// isOpening reports whether an element name, without prefix and case, is PositionOpening.
func isOpening(name []byte) bool {
	const want = "positionopening"
	prefix := len(name) - len(want)
	return prefix >= 0 && (prefix == 0 || name[prefix-1] == ':') && equalFold(name[prefix:], want)
}

// localName returns an element's name without its prefix.
func localName(name []byte) []byte { return name[bytes.LastIndexByte(name, ':')+1:] }

// equalFold compares a name with one in ASCII, whatever the case of ASCII letters.
// Letters beyond ASCII that fold to ASCII letters take more bytes, so the lengths differ.
func equalFold[T string | []byte](name T, ascii string) bool {
	return len(name) == len(ascii) && strings.EqualFold(string(name), ascii)
}

// markup returns the kind of markup that the "<" at i begins, and the end of its name or of the
// section's opening.
func (w *window) markup(i int) (kind markup, end int) {
	for {
		kind, end = markupIn(w.text[i:])
		end += i
		sure := i+longestBegin <= len(w.text) && end < len(w.text)
		if sure || !w.more() {
			return kind, end
		}
	}
}

// A cut says why the search for an end stopped.
type cut int

const (
	whole  cut = iota
	broken     // at misplaced markup
	ended      // at the end of the text
	long       // at the limit
)

// entry finds the end of the entry at the beginning of the window. If open is a section, such as a
// comment, without an end in the text (ended) or within the limit (long), end is the start of that
// section.
func (w *window) entry(limit int) (end int, open markup, why cut) {
	i, selfClosing, why := w.tag(limit)
	if selfClosing {
		return i, noSection, why
	}
	for {
		if i, why = w.next(i, limit); why != whole {
			return i, noSection, why
		}
		kind, end := w.markup(i)
		switch kind {
		case comment, cdata, instruction:
			if end, why = w.sectionEnd(i, kind, limit); why != whole {
				return end, kind, why
			}
		case entryStart:
			return i, noSection, broken
		case entryEnd:
			if end, why = w.closed(i, end, limit); why != broken {
				return end, noSection, why
			}
		}
		i = end
	}
}

var lessThan = []byte{'<'}

// next finds the first "<" from i on.
func (w *window) next(i, limit int) (at int, why cut) {
	for {
		k, n := w.index(i, lessThan), len(w.text)
		switch {
		case k >= limit:
			return k, long
		case k >= 0:
			return k, whole
		case n > limit:
			return n, long
		case !w.more():
			return n, ended
		}
		i = n
	}
}

// byteAt returns the byte at i; long or ended: there is none before the limit.
func (w *window) byteAt(i, limit int) (c byte, why cut) {
	w.steps++
	switch {
	case i >= limit:
		return 0, long
	case i == len(w.text) && !w.more():
		return 0, ended
	}
	return w.text[i], whole
}

// closed finds the end of the end tag at i, whose name ends at end; broken: other characters than
// white space follow the name.
func (w *window) closed(i, end, limit int) (int, cut) {
	for ; ; end++ {
		c, why := w.byteAt(end, limit)
		switch {
		case why == long:
			return i, long
		case why == ended:
			return end, ended
		case c == '>':
			return end + 1, whole
		case strings.IndexByte(white, c) < 0:
			return end, broken
		}
	}
}

// tag finds the end of the start tag at the beginning of the window.
func (w *window) tag(limit int) (end int, selfClosing bool, why cut) {
	quote := byte(0) // the open quote; 0: none
	for i := 1; ; i++ {
		c, why := w.byteAt(i, limit)
		switch {
		case why != whole:
			return i, false, why
		case c == '<':
			return i, false, broken
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"', c == '\'':
			quote = c
		case c == '>':
			return i + 1, w.text[i-1] == '/', whole
		}
	}
}

// searched is a part of the text, between two offsets, that holds no end of a section. Without it,
// sections that share an end, or lack an end, would search the same text many times.
type searched struct{ from, to int64 }

// sectionEnd finds the end of the section that begins at i.
func (w *window) sectionEnd(i int, kind markup, limit int) (end int, why cut) {
	term := sections[kind].end
	from := w.start.Offset + int64(i+len(sections[kind].begin))
	s := &w.searched[kind]
	if from < s.from || from > s.to {
		*s = searched{from, from}
	}
	for {
		at := int(s.to - w.start.Offset)
		found := w.index(at, term)
		if found < 0 {
			at = max(at, len(w.text)-len(term)+1) // the last bytes may begin the end
		} else {
			at = found
		}
		s.to = w.start.Offset + int64(at)
		switch {
		case at+len(term) > limit:
			return i, long
		case found >= 0:
			return at + len(term), whole
		case !w.more():
			return i, ended
		}
	}
}
