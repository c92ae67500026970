package jobfeed

import (
	"bytes"
	"io"
)

// encoding/xml cannot go on after a syntax error, so the text is first cut into
// entries by the little of XML that this takes: tags, comments, CDATA sections
// and processing instructions. A "<" begins markup everywhere but in those
// three, in attribute values too, where XML does not allow it: that is what
// makes it possible to find the next tag after a broken one.

// window is the part of the text that is in memory. Indexes into it stay good
// while more is read and begin anew when its beginning is discarded.
type window struct {
	src  io.Reader
	buf  []byte
	r, w int   // buf[r:w] is the window
	err  error // why src gives no more; io.EOF at its end
	left int64 // bytes src may still give; negative: no bound

	off  int64 // of the window's beginning
	line int   // lines that end before it
	bol  int64 // where its line begins

	// What is known of the ends of each kind of section. It keeps many sections
	// that share an end, or have none, from being searched many times.
	known [len(sections)]known
}

// known: no end of a section begins at from or later and before to; with found,
// one begins at to.
type known struct {
	from, to int64
	found    bool
}

const minWindow = 64 << 10

func (s *window) bytes() []byte { return s.buf[s.r:s.w] }

// more makes the window longer; false: it cannot be.
func (s *window) more() bool {
	if s.err != nil {
		return false
	}
	if s.r == s.w {
		s.r, s.w = 0, 0
	}
	if s.w == len(s.buf) {
		buf := s.buf
		if kept := s.w - s.r; kept > len(buf)-minWindow/2 {
			buf = make([]byte, max(minWindow, min(2*len(buf), len(buf)+1<<20)))
		}
		s.w = copy(buf, s.buf[s.r:s.w])
		s.buf, s.r = buf, 0
	}
	for range 100 {
		n, err := s.src.Read(s.buf[s.w:])
		if s.left >= 0 {
			if int64(n) > s.left {
				n, err = int(s.left), ErrTooLarge
			}
			s.left -= int64(n)
		}
		s.w += n
		s.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// discard takes n bytes from the beginning.
func (s *window) discard(n int) {
	b := s.buf[s.r : s.r+n]
	if lines := bytes.Count(b, newline); lines > 0 {
		s.line += lines
		s.bol = s.off + int64(bytes.LastIndexByte(b, '\n')) + 1
	}
	s.r += n
	s.off += int64(n)
}

var newline = []byte{'\n'}

// at is the position of the byte at i.
func (s *window) at(i int) Position {
	b := s.bytes()[:i]
	p := Position{Line: s.line + 1, Offset: s.off + int64(i)}
	bol := s.bol
	if lines := bytes.Count(b, newline); lines > 0 {
		p.Line += lines
		bol = s.off + int64(bytes.LastIndexByte(b, '\n')) + 1
	}
	p.Column = int(p.Offset-bol) + 1
	return p
}

// has tells whether lit stands at i.
func (s *window) has(i int, lit string) bool {
	for {
		b := s.bytes()[i:]
		if len(b) >= len(lit) {
			return string(b[:len(lit)]) == lit
		}
		if string(b) != lit[:len(b)] || !s.more() {
			return false
		}
	}
}

// maxName bounds the names that are looked at.
const maxName = 256

// name is the end of the name that begins at i, or of its first maxName bytes.
func (s *window) name(i int) int {
	for end := i; ; end++ {
		if end == s.w-s.r && !s.more() || end-i == maxName || !nameByte[s.bytes()[end]] {
			return end
		}
	}
}

// A cut says why something ends where it does.
type cut int

const (
	whole    cut = iota
	broken       // by markup that does not belong there
	ended        // by the end of the text
	long         // by the bound
	open         // by a section that is not closed before the text ends
	openLong     // by a section that is not closed within the bound
)

// tag finds the end of the start tag at the beginning of the window.
func (s *window) tag(limit int) (end int, selfClosing bool, why cut) {
	var quote byte
	for i := 1; ; i++ {
		if i >= limit {
			return i, false, long
		}
		if i == s.w-s.r && !s.more() {
			return i, false, ended
		}
		switch c := s.buf[s.r+i]; {
		case c == '<':
			return i, false, broken
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '>':
			return i + 1, s.buf[s.r+i-1] == '/', whole
		}
	}
}

// sections are the markup in which "<" means nothing.
var sections = [...]struct{ begin, end, what string }{
	{"<!--", "-->", "comment"},
	{"<![CDATA[", "]]>", "CDATA section"},
	{"<?", "?>", "processing instruction"},
}

// section is the kind of the section that begins at i, or -1.
func (s *window) section(i int) int {
	for kind := range sections {
		if s.has(i, sections[kind].begin) {
			return kind
		}
	}
	return -1
}

// sectionEnd finds the end of the section that begins at i.
func (s *window) sectionEnd(i, kind, limit int) (end int, why cut) {
	term := []byte(sections[kind].end)
	from := i + len(sections[kind].begin)
	k := &s.known[kind]
	if abs := s.off + int64(from); abs < k.from || abs > k.to {
		*k = known{from: abs, to: abs}
	}
	for {
		at := int(k.to - s.off)
		if !k.found {
			b := s.bytes()
			if n := bytes.Index(b[min(at, len(b)):], term); n >= 0 {
				at += n
				k.to, k.found = s.off+int64(at), true
			} else if at = max(at, len(b)-len(term)+1); true {
				k.to = s.off + int64(at)
			}
		}
		switch {
		case at+len(term) > limit:
			return i, long
		case k.found:
			return at + len(term), whole
		case !s.more():
			return i, ended
		}
	}
}

// skipSection discards the section at the beginning of the window, however long
// it is. nested: another of its kind begins in it. False: it does not end.
func (s *window) skipSection(kind int) (nested, ok bool) {
	begin, term := []byte(sections[kind].begin), []byte(sections[kind].end)
	s.discard(len(begin))
	for {
		b := s.bytes()
		k := bytes.Index(b, term)
		body := b[:max(0, len(b)-len(term)+1)] // the rest may belong to the end
		if k >= 0 {
			body = b[:k]
		}
		nested = nested || bytes.Contains(body, begin)
		if k >= 0 {
			s.discard(k + len(term))
			return nested, true
		}
		s.discard(max(0, len(body)-len(begin)+1))
		if !s.more() {
			return nested, false
		}
	}
}

// entry finds the end of the entry at the beginning of the window. With open
// and openLong, the section begins there.
func (s *window) entry(limit int) (end int, why cut) {
	i, selfClosing, why := s.tag(limit)
	switch {
	case why == whole && selfClosing, why == ended, why == long:
		return i, why
	}
	for {
		b := s.bytes()
		k := bytes.IndexByte(b[i:], '<')
		if k < 0 {
			if i = len(b); i > limit {
				return i, long
			}
			if !s.more() {
				return i, ended
			}
			continue
		}
		if i += k; i >= limit {
			return i, long
		}
		if kind := s.section(i); kind >= 0 {
			end, why := s.sectionEnd(i, kind, limit)
			switch why {
			case ended:
				return i, open
			case long:
				return i, openLong
			}
			i = end
			continue
		}
		if s.has(i, "</") {
			j := s.name(i + 2)
			if !isOpening(s.bytes()[i+2 : j]) {
				i += 2
				continue
			}
			for { // white space and ">"
				if j == s.w-s.r && !s.more() {
					return j, ended
				}
				if c := s.bytes()[j]; c == '>' {
					if j+1 > limit {
						return i, long
					}
					return j + 1, whole
				} else if !isSpace(c) {
					break
				}
				if j++; j > limit {
					return i, long
				}
			}
			i = j
			continue
		}
		if j := s.name(i + 1); isOpening(s.bytes()[i+1 : j]) {
			return i, broken
		}
		i++
	}
}

// resync looks in a broken entry for a section that was not closed where its
// author meant to: an entry begins in it and then a section of the same kind.
// It gives the beginning of that entry and the end of the section, or -1.
func resync(raw []byte) (begin, end int) {
	for i := 1; ; {
		k := bytes.IndexByte(raw[i:], '<')
		if k < 0 {
			return -1, -1
		}
		i += k
		kind := -1
		for n := range sections {
			if bytes.HasPrefix(raw[i:], []byte(sections[n].begin)) {
				kind = n
				break
			}
		}
		if kind < 0 {
			i++
			continue
		}
		i += len(sections[kind].begin)
		k = bytes.Index(raw[i:], []byte(sections[kind].end))
		if k < 0 {
			k = len(raw) - i
		}
		if at := hidden(raw[i:i+k], kind); at >= 0 {
			return i + at, i + k
		}
		i += k
	}
}

// hidden is where in the content of a section an entry begins that is followed
// by the beginning of another such section, or -1.
func hidden(content []byte, kind int) int {
	last := bytes.LastIndex(content, []byte(sections[kind].begin))
	for i := 0; i < last; i++ {
		k := bytes.IndexByte(content[i:last], '<')
		if k < 0 {
			break
		}
		i += k
		j := i + 1
		for j < last && j-i <= maxName && nameByte[content[j]] {
			j++
		}
		if isOpening(content[i+1 : j]) {
			return i
		}
	}
	return -1
}

// isOpening tells whether a name, whatever its prefix and case, is that of an
// entry.
func isOpening(name []byte) bool {
	const want = "positionopening"
	if len(name) < len(want) {
		return false
	}
	prefix, local := name[:len(name)-len(want)], name[len(name)-len(want):]
	if len(prefix) > 0 && prefix[len(prefix)-1] != ':' {
		return false
	}
	for i, c := range local {
		if c|0x20 != want[i] {
			return false
		}
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// nameByte: the bytes a name may consist of.
var nameByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '_' || c == ':' || c == '.' || c == '-' || c >= 0x80
	}
	return t
}()
