package jobfeed

import (
	"bytes"
	"slices"
)

type section struct{ begin, end, what string }

// sections are the markup in which "<" means nothing.
var sections = [...]section{
	{"<!--", "-->", "comment"},
	{"<![CDATA[", "]]>", "CDATA section"},
	{"<?", "?>", "processing instruction"},
}

// longestBegin is the length of the longest beginning of a section.
const longestBegin = len("<![CDATA[")

// sectionIn returns the kind of the section at the beginning of b, or -1.
func sectionIn(b []byte) (kind int) {
	return slices.IndexFunc(sections[:], func(s section) bool { return bytes.HasPrefix(b, []byte(s.begin)) })
}

// section returns the kind of the section that begins with the "<" at i, or -1.
func (s *window) section(i int) (kind int) {
	if c := s.peek(i + 1); c != '!' && c != '?' {
		return -1
	}
	s.fill(i + longestBegin)
	return sectionIn(s.bytes()[i:])
}

// known says that no end of a section begins at from or later and before to;
// with found, one begins at to.
type known struct {
	from, to int64
	found    bool
}

// sectionEnd finds the end of the section that begins at i.
func (s *window) sectionEnd(i, kind, limit int) (end int, why cut) {
	term := []byte(sections[kind].end)
	from := s.off + int64(i+len(sections[kind].begin))
	k := &s.known[kind]
	if from < k.from || from > k.to {
		*k = known{from: from, to: from}
	}
	for {
		if !k.found {
			s.search(k, term)
		}
		end := int(k.to-s.off) + len(term)
		switch {
		case end > limit:
			return i, long
		case k.found:
			return end, whole
		case !s.more():
			return i, ended
		}
	}
}

// search looks for the end of a section in what is in memory and not yet known.
func (s *window) search(k *known, term []byte) {
	at := int(k.to - s.off)
	if n := s.index(at, term); n >= 0 {
		at, k.found = n, true
	} else {
		at = max(at, len(s.bytes())-len(term)+1)
	}
	k.to = s.off + int64(at)
}

// skipSection discards the section at the beginning of the window, however long
// it is. nested: another of its kind begins in it. False: it does not end.
func (s *window) skipSection(kind int) (nested, ok bool) {
	begin, term := []byte(sections[kind].begin), []byte(sections[kind].end)
	s.discard(len(begin))
	for {
		b := s.bytes()
		k := s.index(0, term)
		if k >= 0 {
			nested = nested || bytes.Contains(b[:k], begin)
			s.discard(k + len(term))
			return nested, true
		}
		b = b[:max(0, len(b)-len(term)+1)] // the rest may belong to the end
		nested = nested || bytes.Contains(b, begin)
		s.discard(max(0, len(b)-len(begin)+1))
		if !s.more() {
			return nested, false
		}
	}
}

// resync looks in a broken entry for a section that was not closed where its
// author meant to: an entry begins in it and then a section of the same kind.
// It returns the beginning of that entry, or -1.
func (s *window) resync(raw []byte) (begin int) {
	s.looked(raw)
	for i := 1; ; {
		k := bytes.IndexByte(raw[i:], '<')
		if k < 0 {
			return -1
		}
		i += k
		kind := sectionIn(raw[i:])
		if kind < 0 {
			i++
			continue
		}
		i += len(sections[kind].begin)
		content, _, _ := bytes.Cut(raw[i:], []byte(sections[kind].end))
		if at := s.hidden(content, kind); at >= 0 {
			return i + at
		}
		i += len(content)
	}
}

// hidden returns where in the content of a section an entry begins that is
// followed by the beginning of another such section, or -1.
func (s *window) hidden(content []byte, kind int) int {
	s.looked(content)
	rest := content[:max(0, bytes.LastIndex(content, []byte(sections[kind].begin)))]
	for at := 0; ; {
		k := bytes.IndexByte(rest[at:], '<')
		if k < 0 {
			return -1
		}
		at += k
		if isOpening(nameIn(rest[at+1:])) {
			return at
		}
		at++
	}
}
