package jobfeed

import "bytes"

// After a broken entry reading continues at the next entry. Sections make this hard: a
// PositionOpening inside a section is text, but a section that its author forgot to close hides the
// following entries.

// resume decides where reading continues after a broken entry.
func (r *Reader) resume(raw []byte, open markup, why cut) {
	w := &r.win
	begin := w.resync(raw)
	switch {
	case begin >= 0 && r.mayResync(w.start.Offset+int64(len(raw))):
		r.ahead = begin
	case open != noSection:
		r.skipping = true
		r.ahead = len(raw) + len(sections[open].begin)
	case why == long, why == ended: // ended: the feed ends inside an entry
		r.skipping = true
	}
}

// skipSection skips a section in the rest of a broken entry. If the section seems not closed,
// reading continues at the entry inside.
func (r *Reader) skipSection(kind markup) {
	w := &r.win
	begin := len(sections[kind].begin)
	end, why := w.sectionEnd(0, kind, r.opts.MaxEntryBytes)
	if why != whole {
		w.discard(begin)
		return
	}
	content := w.text[begin : end-len(sections[kind].end)]
	if at := w.hidden(content, kind); at >= 0 && r.mayResync(w.start.Offset+int64(end)) {
		w.discard(begin + at)
		return
	}
	w.discard(end)
}

// mayResync reports whether the reader may go back into the section that ends at offset end.
func (r *Reader) mayResync(end int64) bool {
	if r.win.start.Offset >= r.resyncEnd {
		r.resyncs = 0
	}
	r.resyncEnd = max(r.resyncEnd, end)
	r.resyncs++
	return r.resyncs <= maxResyncs
}

// resync looks in a broken entry for a section that seems not closed, because an entry begins
// inside and then a section of the same kind. It returns the start of that entry, or -1.
func (w *window) resync(raw []byte) (begin int) {
	w.looked(raw)
	for i := 1; i < len(raw); i++ {
		k := bytes.IndexByte(raw[i:], '<')
		if k < 0 {
			break
		}
		i += k
		kind, n := markupIn(raw[i:])
		if kind >= noSection {
			continue
		}
		i += n
		content, _, _ := bytes.Cut(raw[i:], sections[kind].end)
		if at := w.hidden(content, kind); at >= 0 {
			return i + at
		}
		i += len(content)
	}
	return -1
}

// hidden looks in the content of a section for a start tag of an entry, followed by the opening of
// a section of the same kind. It returns the index of the start tag, or -1.
func (w *window) hidden(content []byte, kind markup) int {
	w.looked(content)
	rest := content[:max(0, bytes.LastIndex(content, sections[kind].begin))]
	for i, c := range rest {
		if c != '<' {
			continue
		}
		if kind, _ := markupIn(rest[i:]); kind == entryStart {
			return i
		}
	}
	return -1
}
