package textindex

import "github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"

const (
	// manyPieces is the number of pieces of an index that are left alone.
	manyPieces = 4
	// smallShare is a divisor of the index: pieces that together have this share of it are merged
	// with the largest piece. That writes the whole index: for each new posting eight are written,
	// if the new postings are an eighth of the index. With less, the small pieces are merged among
	// themselves.
	smallShare = 8
	// mergePages bounds the pages of the index that a transaction writes, so that nobody waits
	// for it for long.
	mergePages = 250
)

// Merge puts the pieces of an index together.
type Merge struct {
	index *Index
	pages int // that the next step writes; a number below 0 begins with all pieces
}

// HasPieces reports whether the index may be in several pieces.
func (x *Index) HasPieces() bool { return x.pieces != "" }

// Merge returns the merge that the index needs, nil where it has few pieces.
func (x *Index) Merge(t *store.Tx) (*Merge, error) {
	n, size, largest, err := x.Fragments(t)
	if err != nil || n <= manyPieces {
		return nil, err
	}
	m := &Merge{index: x, pages: mergePages}
	if smallShare*(size-largest) >= size {
		m.pages = -mergePages
	}
	return m, nil
}

// Fragments returns the number of pieces that the index is in, their size and that of the
// largest, in pages; all are 0 for an index that never falls into pieces.
func (x *Index) Fragments(t *store.Tx) (n, size, largest int64, err error) {
	if x.HasPieces() {
		err = t.Row(x.pieces, nil, &n, &size, &largest)
	}
	return n, size, largest, err
}

// Step does a part of a merge, and reports whether another part remains.
func (m *Merge) Step(t *store.Tx) (more bool, err error) {
	before, err := store.Value[int64](t, "SELECT total_changes()")
	if err != nil {
		return false, err
	}
	if _, err := t.Exec(m.index.merge, m.pages); err != nil {
		return false, err
	}
	m.pages = mergePages
	after, err := store.Value[int64](t, "SELECT total_changes()")
	return after-before > 1, err // the statement itself counts as one
}
