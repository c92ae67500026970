// Package jobfeed reads the job feed of the board: XML of the HR-XML 2 family,
// one PositionOpening per job. A [Reader] yields an [Entry] for each job, with
// what a partner shows of the job and with its identifier, which the job
// information lookup needs (section 4.4 of the interface). An [Index] of the
// entries finds the job of a posting that a search gave. A [Writer] writes feeds,
// for tests.
//
//	r := jobfeed.NewReader(body, nil)
//	for entry, err := range r.Entries() {
//		if bad, ok := errors.AsType[*jobfeed.EntryError](err); ok {
//			log.Print(bad) // this entry is lost, the next one comes
//			continue
//		}
//		if err != nil {
//			return err // the feed could not be read to its end
//		}
//		fmt.Println(entry.JobID, entry.Title)
//	}
//
// # What is read
//
// An entry is a PositionOpening wherever it stands, in whatever wrappers and
// however many there are. Namespaces, prefixes and the case of ASCII letters do
// not matter for any name. Each entry must be well-formed by itself, by the
// rules of encoding/xml, and without declarations; what lies between entries is
// only looked at as far as it takes to find them.
//
// A feed may be compressed with gzip, in several members too. Its encoding is
// that of its byte order mark, else of its XML declaration, else UTF-8; an
// unknown one is ErrEncoding. As browsers do, ISO-8859-1 and US-ASCII are read
// as windows-1252. Bytes that a declared encoding does not have become U+FFFD;
// invalid UTF-8 is a syntax error of its entry.
//
// Nothing is fetched and no entity is expanded but the five of XML and
// character references: a document type declaration is skipped, and an entity
// it declares is undefined.
//
// Repeated identifiers are handed out as often as they occur. The text is that
// of the feed: links may have any scheme, so check them before they are shown.
//
// # Errors
//
// A broken entry is an item of its own, an *[EntryError], and does not end the
// feed: reading goes on at the next start tag of a PositionOpening. Every other
// error is the last item, such as io.ErrUnexpectedEOF for a feed that was cut
// off. So the loop has seen the whole feed if it ended by itself and all its
// errors were of type *EntryError; [Reader.Err] then returns nil.
//
// Comments, CDATA sections and processing instructions hide what looks like an
// entry inside them. In a broken entry, one that somebody forgot to close would
// hide the next entries too. The reader therefore takes it for forgotten, and
// reads the entries in it, in two cases: its end does not come before that of
// the feed or within Options.MaxEntryBytes; or a PositionOpening begins in it,
// and behind that another comment, section or instruction of the same kind. It
// reads the same text again at most 64 times, so that the work is linear in the
// length of the feed.
//
// # Bounds
//
// Memory is that of one entry, at most about twice Options.MaxEntryBytes,
// whatever the length of the feed. Size and depth of an entry, the whole length
// after decompression and the document type declaration are bounded; see
// [Options].
package jobfeed
