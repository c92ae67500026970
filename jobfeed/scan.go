package jobfeed

import (
	"bytes"
	"fmt"
	"io"
)

// A Reader goes through the feed from one "<" to the next. Around the entries it
// notes which elements are open and their language. Behind a broken entry it is
// skipping: nothing counts until an entry begins or ends.

// open begins to read, and ends a feed that does not begin as XML does.
func (r *Reader) open() {
	w := &r.win
	var err error
	if w.src, err = text(r.src); err != nil {
		_ = r.end(err, "")
		return
	}
	for {
		rest := bytes.TrimLeft(w.bytes(), " \t\r\n")
		w.discard(len(w.bytes()) - len(rest))
		if len(rest) > 0 || !w.more() {
			break
		}
	}
	if w.peek(0) != '<' && len(w.bytes()) > 0 {
		w.fill(64) // so that the error does not depend on read sizes
		_ = r.end(fmt.Errorf("%w: it begins with %.20q", ErrNotFeed, w.bytes()), "")
	}
}

// scan goes beyond the next markup. It returns the entry or the error that
// stands there, if any.
func (r *Reader) scan() (*Entry, error) {
	if !r.skipText() {
		return nil, r.stop(r.where())
	}
	w := &r.win
	if kind := w.section(0); kind >= 0 {
		return nil, r.section(kind)
	}
	switch w.peek(1) {
	case '/':
		r.endTag()
	case '!':
		return nil, r.declaration()
	default:
		return r.startTag()
	}
	return nil, nil
}

// skipText discards what stands before the next markup; false: there is none.
func (r *Reader) skipText() bool {
	w := &r.win
	for {
		if k := w.index(0, lessThan); k >= 0 {
			w.discard(k)
			return true
		}
		w.discard(len(w.bytes()))
		if !w.more() {
			return false
		}
	}
}

// where names what the reader is in, for a feed that ends there.
func (r *Reader) where() string {
	switch {
	case r.skipping:
		return "an entry"
	case len(r.wrappers) > 0:
		return fmt.Sprintf("element %.40q", r.wrappers[0].name)
	}
	return ""
}

// section skips a comment or the like that is not in an entry.
func (r *Reader) section(kind int) error {
	if r.skipping {
		r.skipSection(kind)
		return nil
	}
	start, what := r.win.at(0), sections[kind].what
	nested, ok := r.win.skipSection(kind)
	switch {
	case !ok:
		return r.stop(fmt.Sprintf("a %s that begins in line %d", what, start.Line))
	case nested && sections[kind].begin == "<!--":
		reason := "a comment that holds the beginning of another; entries in it are lost"
		return &EntryError{Position: start, Entry: start, Err: ErrSyntax, Reason: reason}
	}
	return nil
}

// endTag takes the end tag at the beginning of the window.
func (r *Reader) endTag() {
	end, opening := r.win.name(2)
	switch {
	case opening:
		r.skipping = false
	case !r.skipping:
		r.leave(r.win.bytes()[2:end])
	}
	r.win.discard(end)
}

// declaration skips the markup that begins with "<!" at the beginning of the
// window. A document type declaration counts only where it may stand.
func (r *Reader) declaration() error {
	w := &r.win
	name, _ := w.name(2)
	if r.skipping || len(r.wrappers) > 0 || !equalFold(w.bytes()[2:name], "doctype") {
		w.discard(2)
		return nil
	}
	end, why := w.doctype()
	switch why {
	case long:
		return r.end(fmt.Errorf("%w: a document type declaration of over %d bytes", ErrTooLarge, maxDoctype), "")
	case ended:
		return r.stop("a document type declaration")
	}
	w.discard(end)
	return nil
}

// startTag takes the start tag at the beginning of the window, or a "<" that
// begins no tag.
func (r *Reader) startTag() (*Entry, error) {
	w := &r.win
	end, opening := w.name(1)
	switch {
	case opening:
		r.element, r.skipping = true, false
		return r.entry()
	case end == 1, r.skipping:
		w.discard(end)
		return nil, nil
	case !r.element && equalFold(w.bytes()[1:end], "html"):
		return nil, r.end(fmt.Errorf("%w: a page of HTML", ErrNotFeed), "")
	}
	r.element = true
	return nil, r.enter(end)
}

// enter reads the start tag of an element around the entries; its name ends at
// nameEnd.
func (r *Reader) enter(nameEnd int) error {
	w := &r.win
	end, empty, why := w.tag(r.maxEntry)
	switch {
	case why == ended:
		return r.stop("a tag")
	case why == long:
		at := w.at(0)
		w.discard(end)
		reason := fmt.Sprintf("a tag of over %d bytes", r.maxEntry)
		return &EntryError{Position: at, Entry: at, Err: ErrTooLarge, Reason: reason}
	case empty, why == broken:
	case len(r.wrappers) == maxWrappers:
		r.deeper++
	default:
		lang := languageOf(w.bytes()[:end])
		if lang == "" {
			lang = r.language()
		}
		r.wrappers = append(r.wrappers, wrapper{string(w.bytes()[1:nameEnd]), lang})
	}
	w.discard(end)
	return nil
}

// language returns that of the innermost element around the entries.
func (r *Reader) language() string {
	if len(r.wrappers) == 0 {
		return ""
	}
	return r.wrappers[len(r.wrappers)-1].lang
}

// leave closes the innermost element of that name, and with it those in it that
// were not closed.
func (r *Reader) leave(name []byte) {
	if r.deeper > 0 {
		r.deeper--
		return
	}
	for i := len(r.wrappers) - 1; i >= 0; i-- {
		if r.wrappers[i].name == string(name) {
			r.wrappers = r.wrappers[:i]
			return
		}
	}
}

// skipSection skips a section in the rest of a broken entry, unless it looks as
// if it was never closed; then it goes on inside of it.
func (r *Reader) skipSection(kind int) {
	w := &r.win
	begin := len(sections[kind].begin)
	end, why := w.sectionEnd(0, kind, r.maxEntry)
	if why != whole {
		w.discard(begin)
		return
	}
	content := w.bytes()[begin : end-len(sections[kind].end)]
	if at := w.hidden(content, kind); at >= 0 && r.mayResync(w.off+int64(end)) {
		w.discard(begin + at)
		return
	}
	w.discard(end)
}

// mayResync reports whether the text up to the offset, which was looked at, may
// be read once more from inside of a section in it.
func (r *Reader) mayResync(end int64) bool {
	if r.win.off >= r.resyncEnd {
		r.resyncs = 0
	}
	r.resyncEnd = max(r.resyncEnd, end)
	r.resyncs++
	return r.resyncs <= maxResyncs
}

// entry reads the entry at the beginning of the window. It returns neither an
// entry nor an error if that is to be skipped.
func (r *Reader) entry() (*Entry, error) {
	w := &r.win
	n, open, why := w.entry(r.maxEntry)
	raw := w.bytes()[:n:n]
	switch {
	case why == whole && r.skip != nil && r.skip(raw):
		w.discard(n)
		return nil, nil
	case why == ended && open < 0 && w.err != io.EOF:
		return nil, r.stop("")
	}
	r.ahead = n
	e := &Entry{Position: w.at(0), Language: r.language()}
	var f *fault
	if why == long && open < 0 {
		f = &fault{0, ErrTooLarge, fmt.Sprintf("the entry is over %d bytes long", r.maxEntry)}
	} else {
		f = parse(w.looked(raw), r.maxDepth, e)
	}
	switch f {
	case nil:
		e.raw = raw
		r.last = e
		return e, nil
	case errOpen:
		f = r.notClosed(n, open, why)
	}
	r.resume(raw, open, why)
	return nil, &EntryError{Position: w.at(f.at), Entry: e.Position, JobID: e.JobID, Err: f.kind, Reason: f.reason}
}

// resume settles where reading goes on after a broken entry.
func (r *Reader) resume(raw []byte, open int, why cut) {
	w := &r.win
	begin := w.resync(raw)
	switch {
	case begin >= 0 && r.mayResync(w.off+int64(len(raw))):
		r.ahead = begin
	case open >= 0:
		r.skipping = true
		r.ahead = len(raw) + len(sections[open].begin)
	case why == long, why == ended: // ended: so that the feed ends inside of an entry
		r.skipping = true
	}
}

// notClosed returns the fault of an entry of n bytes whose elements are not all
// closed.
func (r *Reader) notClosed(n, open int, why cut) *fault {
	section := ""
	if open >= 0 {
		section = sections[open].what
	}
	switch {
	case why == broken:
		return &fault{n, ErrSyntax, "the entry is not closed where the next one begins"}
	case why == whole:
		return &fault{n, ErrSyntax, "malformed markup at the entry's end"}
	case open < 0:
		return &fault{n, io.ErrUnexpectedEOF, "the feed ends inside the entry"}
	case why == ended:
		return &fault{n, ErrSyntax, "a " + section + " that is not closed"}
	}
	reason := fmt.Sprintf("a %s that is not closed within the %d bytes of an entry", section, r.maxEntry)
	return &fault{n, ErrTooLarge, reason}
}
