package jobfeed

// encoding/xml cannot go on after a syntax error, so the text is first cut into
// entries by the little of XML that this takes: tags, comments, CDATA sections
// and processing instructions. A "<" begins markup everywhere but in those
// three, in attribute values too, where XML does not allow it: that is what
// makes it possible to find the next tag after a broken one.

// A cut says why something ends where it does.
type cut int

const (
	whole  cut = iota
	broken     // by markup that does not belong there
	ended      // by the end of the text
	long       // by the bound
)

// entry finds the end of the entry at the beginning of the window. With open,
// the kind of a section, that is where one begins that has no end before the
// text's (ended) or within the limit (long); else open is -1.
func (s *window) entry(limit int) (end, open int, why cut) {
	i, selfClosing, why := s.tag(limit)
	if selfClosing || why == ended || why == long {
		return i, -1, why
	}
	for {
		if i, why = s.next(i, limit); why != whole {
			return i, -1, why
		}
		if kind := s.section(i); kind >= 0 {
			if i, why = s.sectionEnd(i, kind, limit); why != whole {
				return i, kind, why
			}
			continue
		}
		if end, why, found := s.entryTag(i, limit); found {
			return end, -1, why
		}
		i++
	}
}

var lessThan = []byte{'<'}

// next finds the first "<" from i on.
func (s *window) next(i, limit int) (at int, why cut) {
	for {
		k, n := s.index(i, lessThan), len(s.bytes())
		switch {
		case k >= limit:
			return k, long
		case k >= 0:
			return k, whole
		case n > limit:
			return n, long
		case !s.more():
			return n, ended
		}
		i = n
	}
}

// entryTag finds the end of an entry at the tag at i: that of its end tag, or
// the beginning of the next entry. Not found: it is another tag.
func (s *window) entryTag(i, limit int) (end int, why cut, found bool) {
	if s.peek(i+1) != '/' {
		_, found = s.name(i + 1)
		return i, broken, found
	}
	end, found = s.name(i + 2)
	for ; found; end++ {
		switch c, why := s.byteAt(end, limit); {
		case why == long:
			return i, long, true
		case why == ended:
			return end, ended, true
		case c == '>':
			return end + 1, whole, true
		default:
			found = isSpace(c)
		}
	}
	return i, whole, false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// quotes is what encloses a byte of a tag; 0: nothing.
type quotes byte

// around takes the next byte, and reports whether it is quoted or a quote.
func (q *quotes) around(c byte) bool {
	switch {
	case *q == 0 && c != '"' && c != '\'':
		return false
	case *q == 0:
		*q = quotes(c)
	case *q == quotes(c):
		*q = 0
	}
	return true
}

// tag finds the end of the start tag at the beginning of the window.
func (s *window) tag(limit int) (end int, selfClosing bool, why cut) {
	var quoted quotes
	for i := 1; ; i++ {
		c, why := s.byteAt(i, limit)
		switch {
		case why != whole:
			return i, false, why
		case c == '<':
			return i, false, broken
		case !quoted.around(c) && c == '>':
			return i + 1, s.buf[s.r+i-1] == '/', whole
		}
	}
}

// doctype finds the end of the document type declaration at the beginning of
// the window.
func (s *window) doctype() (end int, why cut) {
	depth := 0
	var quoted quotes
	for i := 2; ; i++ {
		c, why := s.byteAt(i, maxDoctype)
		switch {
		case why != whole:
			return i, why
		case quoted.around(c):
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
