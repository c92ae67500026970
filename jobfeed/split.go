package jobfeed

import (
	"bytes"
	"io"
	"math"
	"slices"
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

	steps int64 // bytes that were looked at, once for each time: a test that the work is linear counts them

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
	p := s.at(n)
	s.line, s.bol = p.Line-1, p.Offset-int64(p.Column-1)
	s.r += n
	s.off = p.Offset
}

var newline = []byte{'\n'}

// at returns the position of the byte at i.
func (s *window) at(i int) Position {
	b := s.looked(s.bytes()[:i])
	p := Position{Line: s.line + 1, Offset: s.off + int64(i)}
	bol := s.bol
	if lines := bytes.Count(b, newline); lines > 0 {
		p.Line += lines
		bol = s.off + int64(bytes.LastIndexByte(b, '\n')) + 1
	}
	p.Column = int(p.Offset-bol) + 1
	return p
}

// looked counts bytes that are looked at.
func (s *window) looked(b []byte) []byte {
	s.steps += int64(len(b))
	return b
}

// index returns where the first such text from i on is in the window, or -1.
func (s *window) index(i int, text []byte) int {
	b := s.bytes()
	i = min(i, len(b))
	k := bytes.Index(b[i:], text)
	if k < 0 {
		s.looked(b[i:])
		return -1
	}
	s.looked(b[i : i+k+len(text)])
	return i + k
}

var lessThan = []byte{'<'}

// has reports whether lit stands at i.
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

// name returns where the name that begins at i ends, or its first maxName bytes.
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
		c, why := s.byteAt(i, limit)
		switch {
		case why != whole:
			return i, false, why
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

// byteAt returns the byte at i; long or ended: there is none before the limit.
func (s *window) byteAt(i, limit int) (c byte, why cut) {
	s.steps++
	switch {
	case i >= limit:
		return 0, long
	case i == s.w-s.r && !s.more():
		return 0, ended
	}
	return s.buf[s.r+i], whole
}

// doctype finds the end of the document type declaration at the beginning of
// the window.
func (s *window) doctype() (end int, why cut) {
	depth := 0
	var quote byte
	for i := 2; ; i++ {
		c, why := s.byteAt(i, maxDoctype)
		switch {
		case why != whole:
			return i, why
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '>' && depth <= 0:
			return i + 1, whole
		case c == '<':
			kind := s.section(i)
			if kind < 0 {
				continue
			}
			end, why := s.sectionEnd(i, kind, maxDoctype)
			if why != whole {
				return i, why
			}
			i = end - 1
		}
	}
}

type section struct{ begin, end, what string }

// sections are the markup in which "<" means nothing.
var sections = [...]section{
	{"<!--", "-->", "comment"},
	{"<![CDATA[", "]]>", "CDATA section"},
	{"<?", "?>", "processing instruction"},
}

// section returns the kind of the section that begins with the "<" at i, or -1.
func (s *window) section(i int) int {
	if c, why := s.byteAt(i+1, math.MaxInt); why != whole || c != '!' && c != '?' {
		return -1
	}
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
			if n := s.index(at, term); n >= 0 {
				at, k.found = n, true
			} else {
				at = max(at, len(s.bytes())-len(term)+1)
			}
			k.to = s.off + int64(at)
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
		k := s.index(0, term)
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
	if why == whole && selfClosing || why == ended || why == long {
		return i, why
	}
	for {
		if i, why = s.next(i, limit); why != whole {
			return i, why
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
			if end, why, found := s.endTag(i, limit); found {
				return end, why
			}
		} else if end := s.name(i + 1); isOpening(s.bytes()[i+1 : end]) {
			return i, broken
		}
		i++
	}
}

// next finds the first "<" from i on.
func (s *window) next(i, limit int) (at int, why cut) {
	for {
		k := s.index(i, lessThan)
		switch n := s.w - s.r; {
		case k >= limit:
			return k, long
		case k < 0 && n > limit:
			return n, long
		case k >= 0:
			return k, whole
		case !s.more():
			return n, ended
		default:
			i = n
		}
	}
}

// endTag finds the end of the end tag at i. Not found: it is no entry's.
func (s *window) endTag(i, limit int) (end int, why cut, found bool) {
	j := s.name(i + 2)
	if !isOpening(s.bytes()[i+2 : j]) {
		return 0, 0, false
	}
	for ; ; j++ {
		switch c, why := s.byteAt(j, limit); {
		case why == long:
			return i, long, true
		case why == ended:
			return j, ended, true
		case c == '>':
			return j + 1, whole, true
		case !isSpace(c):
			return 0, 0, false
		}
	}
}

// parse calls the function parse and counts its steps.
func (s *window) parse(raw []byte, maxDepth int, e *Entry) *fault {
	return parse(s.looked(raw), maxDepth, e)
}

// resync looks in a broken entry for a section that was not closed where its
// author meant to: an entry begins in it and then a section of the same kind.
// It returns the beginning of that entry and the end of the section, or -1.
func (s *window) resync(raw []byte) (begin, end int) {
	s.looked(raw)
	for i := 1; ; {
		k := bytes.IndexByte(raw[i:], '<')
		if k < 0 {
			return -1, -1
		}
		i += k
		kind := slices.IndexFunc(sections[:], func(section section) bool {
			return bytes.HasPrefix(raw[i:], []byte(section.begin))
		})
		if kind < 0 {
			i++
			continue
		}
		i += len(sections[kind].begin)
		k = bytes.Index(raw[i:], []byte(sections[kind].end))
		if k < 0 {
			k = len(raw) - i
		}
		if at := s.hidden(raw[i:i+k], kind); at >= 0 {
			return i + at, i + k
		}
		i += k
	}
}

// hidden returns where in the content of a section an entry begins that is
// followed by the beginning of another such section, or -1.
func (s *window) hidden(content []byte, kind int) int {
	s.looked(content)
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

// isOpening reports whether a name, whatever its prefix and case, is that of an
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
	return equalFold(local, want)
}

// equalFold compares a name with lower-case letters, in ASCII only.
func equalFold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if lowerByte(c) != lower[i] {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	return c
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
