package jobfeed

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// A Reader moves through the feed from one "<" to the next. Between entries it keeps the open
// elements and their language. After a broken entry it is skipping: it ignores all markup until an
// entry begins or ends.

// open starts reading, and ends the feed with ErrNotFeed if its first character is not "<".
func (r *Reader) open() {
	w := &r.win
	var err error
	if w.src, err = text(r.src); err != nil {
		_ = r.fail(err)
		return
	}
	for len(w.text) == 0 && w.more() {
		w.discard(len(w.text) - len(bytes.TrimLeft(w.text, white)))
	}
	if len(w.text) > 0 && w.text[0] != '<' {
		w.fill(20 * utf8.UTFMax) // or the quoted text would depend on read sizes
		_ = r.fail(fmt.Errorf("%w: it begins with %.20q", ErrNotFeed, w.text))
	}
}

// scan reads the next markup. It returns an entry, an error, or neither if the markup was something
// else.
func (r *Reader) scan() (*Entry, error) {
	w := &r.win
	if found, _ := w.discardTo(lessThan, nil); !found {
		return nil, r.stop(r.where())
	}
	switch kind, end := w.markup(0); {
	case kind == entryStart:
		r.element, r.isFeed, r.skipping = true, true, false
		return r.entry()
	case kind == entryEnd:
		r.skipping = false
		w.discard(end)
	case r.skipping && kind < noSection:
		r.skipSection(kind)
	case r.skipping:
		w.discard(end)
	case kind < noSection:
		return nil, r.section(kind)
	case kind == directive:
		return nil, r.directive(end)
	case kind == startTag:
		return nil, r.startTag(end)
	default: // an end tag
		r.leave(w.text[2:end])
		w.discard(end)
	}
	return nil, nil
}

// where names the entry or element around the reader, for the error of a truncated feed.
func (r *Reader) where() string {
	switch {
	case r.skipping:
		return "an entry"
	case len(r.wrappers) > 0:
		return fmt.Sprintf("element %.40q", r.wrappers[0].name)
	}
	return ""
}

// section discards a section between entries.
func (r *Reader) section(kind markup) error {
	w, s := &r.win, sections[kind]
	at := w.start
	w.discard(len(s.begin))
	ends, nested := w.discardTo(s.end, s.begin)
	if !ends {
		return r.stop(fmt.Sprintf("a %s that begins in line %d", s.what, at.Line))
	}
	w.discard(len(s.end))
	if nested && kind == comment {
		reason := "a comment that holds the beginning of another; entries in it are lost"
		return &EntryError{Position: at, Entry: at, Err: ErrSyntax, Reason: reason}
	}
	return nil
}

// directive discards the markup that begins with "<!" at the beginning of the window. It
// reads a document type declaration only outside of all elements.
func (r *Reader) directive(nameEnd int) error {
	w := &r.win
	if len(r.wrappers) > 0 || !equalFold(w.text[2:nameEnd], "doctype") {
		w.discard(nameEnd)
		return nil
	}
	w.fill(maxDoctype)
	d := newDecoder(w.looked(w.text[:min(len(w.text), maxDoctype)]))
	switch _, err := d.RawToken(); {
	case err == nil:
		w.discard(int(d.InputOffset()))
		return nil
	case len(w.text) >= maxDoctype:
		return r.fail(fmt.Errorf("%w: a document type declaration of over %d bytes", ErrTooLarge, maxDoctype))
	}
	return r.stop("a document type declaration")
}

// startTag takes the start tag at the beginning of the window, or a "<" that
// begins no tag.
func (r *Reader) startTag(nameEnd int) error {
	w := &r.win
	switch {
	case nameEnd == 1:
		w.discard(nameEnd)
		return nil
	case !r.element && equalFold(w.text[1:nameEnd], "html"):
		return r.fail(fmt.Errorf("%w: a page of HTML", ErrNotFeed))
	}
	name := localName(w.text[1:nameEnd])
	if !r.element {
		r.root = string(name)
	}
	r.isFeed = r.isFeed || isOfFeed(name, !r.element)
	r.element = true
	at := w.start
	end, empty, why := w.tag(r.opts.MaxEntryBytes)
	switch {
	case why == ended:
		return r.stop("a tag")
	case why == whole && !empty:
		r.enter(string(w.text[1:nameEnd]), w.text[:end])
	}
	w.discard(end)
	if why == long {
		reason := fmt.Sprintf("a tag of over %d bytes", r.opts.MaxEntryBytes)
		return &EntryError{Position: at, Entry: at, Err: ErrTooLarge, Reason: reason}
	}
	return nil
}

// enter opens an element around the entries.
func (r *Reader) enter(name string, tag []byte) {
	if len(r.wrappers) == maxWrappers {
		r.deeper++
		return
	}
	lang := cmp.Or(languageOf(tag), r.language())
	r.wrappers = append(r.wrappers, wrapper{name, lang})
}

// language returns the language of the innermost element around the entries.
func (r *Reader) language() string {
	if len(r.wrappers) == 0 {
		return ""
	}
	return r.wrappers[len(r.wrappers)-1].lang
}

// leave closes the innermost wrapper of that name, and unclosed wrappers inside it.
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

// entry reads the entry at the beginning of the window. It returns neither an entry nor an error if
// Options.Skip returns true.
func (r *Reader) entry() (*Entry, error) {
	w := &r.win
	n, open, why := w.entry(r.opts.MaxEntryBytes)
	raw := w.text[:n:n]
	switch {
	case why == whole && r.opts.Skip != nil && r.opts.Skip(raw):
		w.discard(n)
		return nil, nil
	case why == ended && open == noSection && w.err != io.EOF:
		return nil, r.stop("")
	}
	r.ahead = n
	e := &Entry{Position: w.start, Language: r.language()}
	var first result
	var others []result
	if why == long && open == noSection {
		f := &fault{0, ErrTooLarge, fmt.Sprintf("the entry is over %d bytes long", r.opts.MaxEntryBytes)}
		first = result{entry: e, fault: f}
	} else {
		first, others = parse(w.looked(raw), r.opts.MaxDepth, e)
	}
	if first.fault == errOpen {
		first.fault = r.notClosed(n, open, why)
	}
	if first.fault != nil && !slices.ContainsFunc(others, func(res result) bool { return res.fault == nil }) {
		r.resume(raw, open, why)
	}
	r.begun = w.start
	return r.give(raw, first, others)
}

// give returns a result, and keeps the others of the opening for the next calls. The bytes stay in the
// window until all are given.
func (r *Reader) give(raw []byte, first result, others []result) (*Entry, error) {
	w, e := &r.win, first.entry
	r.raw, r.others = raw, others
	if first.begin > 0 {
		r.begun = w.at(r.begun, first.begin) // counting on, so that many records of an opening take no longer
		e.Position = r.begun
	}
	if f := first.fault; f != nil {
		return nil, &EntryError{Position: w.at(e.Position, max(f.at, first.begin)), Entry: e.Position, JobID: e.JobID, Err: f.kind, Reason: f.reason}
	}
	e.raw = raw
	r.last = e
	return e, nil
}

// notClosed returns the fault of an entry of n bytes that has an unclosed element.
func (r *Reader) notClosed(n int, open markup, why cut) *fault {
	switch {
	case why == broken:
		return &fault{n, ErrSyntax, "the entry is not closed where the next one begins"}
	case why == whole:
		return &fault{n, ErrSyntax, "malformed markup at the entry's end"}
	case open == noSection:
		return &fault{n, io.ErrUnexpectedEOF, "the feed ends inside the entry"}
	case why == ended:
		return &fault{n, ErrSyntax, "a " + sections[open].what + " that is not closed"}
	}
	what, limit := sections[open].what, r.opts.MaxEntryBytes
	reason := fmt.Sprintf("a %s that is not closed within the %d bytes of an entry", what, limit)
	return &fault{n, ErrTooLarge, reason}
}
