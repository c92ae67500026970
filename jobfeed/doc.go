// Package jobfeed reads the job feed of the board: XML of the HR-XML 2 family, as a rule one
// PositionOpening per job. A [Reader] yields an [Entry] for each job, with the texts that a partner shows and the
// job identifier that the job information lookup needs (section 4.4 of the interface). An [Index]
// of the entries finds the job of a posting from a search. Package feedtest writes feeds, for tests.
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
// An entry is any PositionOpening, at any depth and in any wrapper elements. Namespaces, prefixes
// and the case of ASCII letters do not matter for any name. Each entry must be well-formed by
// itself, by the rules of encoding/xml, and without declarations; text between entries is read only
// to find the next entry.
//
// A PositionOpening with several PositionRecordInfo gives an entry for each. The elements after a record
// belong to its job. Elements before the first record belong to all jobs, and so do elements after the
// last of several adjacent records. A record may also stand in an element of its own together with the
// elements of its job, if the opening has no record outside of such elements. If a record has several
// identifiers, the number counts, and two different numbers are an error of the entry.
//
// A feed without entries is no error if its first element, whatever its prefix and case, is one of:
// PositionOpenings, PositionOpeningList, PositionList, Positions, Jobs, JobList, JobFeed, Feed, HRXML,
// StaffingOrder, StaffingOrders; or if it has one of the elements PositionRecordInfo, PositionPostings,
// PositionPosting, PositionProfile or PositionSupplier. Any other XML without a PositionOpening, such as a
// SOAP fault or the feed of another vendor's format, is ErrNotFeed.
//
// A feed may be compressed with gzip, in several members too. Its encoding is that of its
// byte order mark, else of its XML declaration, else UTF-8; an unknown one is
// ErrEncoding. As browsers do, ISO-8859-1 and US-ASCII are read as windows-1252. Bytes
// that are invalid in a declared encoding become U+FFFD; invalid UTF-8 is a syntax error
// of its entry.
//
// The reader fetches nothing, and expands only XML's five entities and character references: it
// skips a document type declaration, and entities declared there are undefined.
//
// If identifiers repeat, every entry is yielded. Texts come from the feed and are untrusted: a link
// may have any scheme, so check links before you show them.
//
// # Errors
//
// A broken entry is an error in the loop, an *[EntryError], and does not end the feed: reading
// continues at the next start tag of a PositionOpening. Every other error is the last item, such as
// io.ErrUnexpectedEOF for a feed that was cut off. So the loop has seen the whole feed if it was
// not broken off and every error was an *EntryError; [Reader.Err] then returns nil.
//
// A PositionOpening inside a comment, CDATA section or processing instruction is no entry. But if a
// broken entry has such a section whose author forgot to close it, the section would hide the next
// entries. The reader treats a section as not closed, and reads the entries inside, in two cases:
// the section has no end in the feed or within Options.MaxEntryBytes; or a PositionOpening begins
// in the section, and a section of the same kind begins after it. The reader reads the same text
// again at most 64 times, so that its work is linear in the length of the feed.
//
// # Bounds
//
// A Reader needs memory for one entry, at most about twice Options.MaxEntryBytes, however long the
// feed is. Size and depth of an entry, the whole length after decompression and the document type
// declaration are bounded; see [Options].
package jobfeed
