package textindex

import (
	"bytes"
	"cmp"
	"database/sql"
	"errors"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// FTS5 keeps its index in segments, and removes a posting from the segment that lists it. It finds that
// one by a number: the posting's is in the column origin of search_docsize, and each segment has the
// postings of a range of numbers. Where the number is another, the posting stays in its segment, and is
// found by words that it no longer has once it changes. No statement tells which segment lists a posting,
// so segments are read here in the format of FTS5, which its fts5_index.c describes.

// segment is a segment of FTS5's index.
type segment struct {
	id, first, last uint64 // the number of the segment, and of its first and last page
	oldest, newest  uint64 // the range of the numbers of its postings
}

// Undeletable calls each with the postings that would stay in the index when they are removed, among
// those whose numbers are above one number and at most another. Where the index cannot be read so far it
// stops: what is damaged there shows in what Find finds. While segments are being merged, their postings
// may have any number of theirs, as they may once that is done.
func (x *Index) Undeletable(t *store.Tx, above, last int64, each func(posting int64)) error {
	if x.Beside() == nil {
		return nil
	}
	structure, err := store.Value[[]byte](t, "SELECT block FROM search_data WHERE id = 10")
	if err != nil {
		return orNil(err)
	}
	var postings, origins []int64
	const query = "SELECT id, origin FROM search_docsize WHERE id > ? AND id <= ? ORDER BY id"
	err = t.Rows(query, []any{above, last}, func(scan func(...any) error) error {
		var posting int64
		var origin sql.NullInt64
		err := scan(&posting, &origin)
		postings, origins = append(postings, posting), append(origins, origin.Int64)
		return err
	})
	if err != nil {
		return err
	}
	seen := make([]bool, len(postings))
	// An older segment may still list what a newer one has in its place.
	for _, s := range segmentsOf(structure) {
		err := s.postings(t, func(posting int64) {
			i, ok := slices.BinarySearch(postings, posting)
			if !ok || seen[i] {
				return
			}
			seen[i] = true
			if origin := uint64(origins[i]); origin < s.oldest || origin > s.newest {
				each(posting)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// orNil returns nil for the error of a row that is not there.
func orNil(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// segmentsOf returns the segments of FTS5's structure record, the newest first.
func segmentsOf(structure []byte) (list []segment) {
	cookie := min(4, len(structure))
	rest, ok := bytes.CutPrefix(structure[cookie:], []byte{0xff, 0, 0, 1})
	if !ok { // segments without ranges, from which nothing is removed by its number
		return nil
	}
	r := &page{bytes: rest}
	levels := r.number()
	r.number() // of segments
	r.number() // of pages ever written
	for ; levels > 0 && !r.broken; levels-- {
		r.number() // of segments that are being merged
		for n := r.number(); n > 0 && !r.broken; n-- {
			s := segment{r.number(), r.number(), r.number(), r.number(), r.number()}
			for range 3 { // about what was removed
				r.number()
			}
			if !r.broken {
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b segment) int { return cmp.Compare(b.newest, a.newest) })
	return list
}

// postings calls each with the postings that the segment lists under Every.
func (s segment) postings(t *store.Tx, each func(posting int64)) error {
	token := []byte("0" + Every) // 0: of the index of whole tokens, not of their beginnings
	const query = "SELECT pgno >> 1 FROM search_idx WHERE segid = ? AND term <= ? ORDER BY term DESC LIMIT 1"
	begins, err := store.Value[int64](t, query, int64(s.id), token)
	if orNil(err) != nil {
		return err
	}
	number := max(uint64(begins), s.first)
	p, err := s.read(t, number)
	if err != nil || !p.find(token) {
		return err
	}
	for {
		p.list(each)
		if p.ends <= p.size || p.broken || number >= s.last {
			return nil
		}
		number++
		if p, err = s.read(t, number); err != nil {
			return err
		}
	}
}

// page is a page of a segment, which is read from a place on.
type page struct {
	bytes  []byte
	at     int
	broken bool  // there is no such page, or it ends too early
	size   int   // of the tokens and their postings, behind which the places of the tokens stand
	places []int // of the page's tokens
	ends   int   // where the list of postings ends that is read next; behind size: on a later page
}

// read reads a page of a segment. What is read next is the rest of the list of the page before.
func (s segment) read(t *store.Tx, number uint64) (*page, error) {
	b, err := store.Value[[]byte](t, "SELECT block FROM search_data WHERE id = ?", int64(s.id<<37|number))
	if err != nil || len(b) < 4 {
		return &page{broken: true}, orNil(err)
	}
	p := &page{bytes: b, size: int(b[2])<<8 | int(b[3])}
	place := uint64(0)
	for p.at = p.size; p.at < len(b); {
		if place += p.number(); p.broken || place >= uint64(p.size) {
			return &page{broken: true}, nil
		}
		p.places = append(p.places, int(place))
	}
	p.begin(4, 0)
	return p, nil
}

// begin has a list of postings read next that begins at a place and ends at a token of the page, given by
// its number.
func (p *page) begin(at, token int) {
	p.at, p.ends = at, len(p.bytes)+1
	if token < len(p.places) {
		p.ends = p.places[token]
	}
}

// find has the postings of a token read next, and reports whether the page has it.
func (p *page) find(token []byte) bool {
	var is []byte
	for i, place := range p.places {
		p.at = place
		kept := uint64(0) // of the token before, which the page's first one does not have
		if i > 0 {
			kept = p.number()
		}
		n := p.number()
		if p.broken || kept > uint64(len(is)) || n > uint64(len(p.bytes)-p.at) {
			return false
		}
		is = append(is[:kept], p.bytes[p.at:p.at+int(n)]...)
		if bytes.Equal(is, token) {
			p.begin(p.at+int(n), i+1)
			return true
		}
	}
	return false
}

// list calls each with the postings of the list that is read next, as far as the page has them.
func (p *page) list(each func(posting int64)) {
	end, posting := min(p.ends, p.size), uint64(0)
	for p.at < end {
		if posting += p.number(); p.broken {
			return
		}
		each(int64(posting))
	}
}

// number reads a number of one to nine bytes.
func (p *page) number() (n uint64) {
	for i := range 9 {
		if p.broken = p.broken || p.at >= len(p.bytes); p.broken {
			return 0
		}
		b := p.bytes[p.at]
		p.at++
		if i == 8 {
			return n<<8 | uint64(b)
		}
		if n = n<<7 | uint64(b&0x7f); b < 0x80 {
			break
		}
	}
	return n
}
