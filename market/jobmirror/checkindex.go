package jobmirror

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// IndexCheck tells what CheckIndex has found. The index is right where Damaged reports false.
type IndexCheck struct {
	Postings int // postings that were compared
	Waiting  int // postings that have changed and wait to be indexed, so that they were not compared
	// Differ counts the postings that the index holds otherwise than they are, or not at all, those
	// that it would hold further once they change, and those that it holds though they are gone.
	Differ int
	First  []IndexDifference // the first of them, ten at most
	// Words counts the words of postings that are missing where a mistyped word is corrected and
	// suggestions are made.
	Words int
	// Tokens counts the tokens that the index lists under more or fewer postings than it finds.
	Tokens int
	// Unreadable is what the database says where it cannot read the index, and empty where it can.
	// Nothing is compared then.
	Unreadable string
}

// Damaged reports whether the index is to be built anew, by Mirror.Reindex.
func (c *IndexCheck) Damaged() bool {
	return c.Differ > 0 || c.Words > 0 || c.Tokens > 0 || c.Unreadable != ""
}

// IndexDifference is a posting that the index holds otherwise than it is.
type IndexDifference struct {
	Row int64 // of the database's table of postings
	// Posting and Language tell which posting it is; 0: there is none, and the index holds one.
	Posting  jobboard.JobPostingID
	Language string
}

// maxDifferences bounds IndexCheck.First.
const maxDifferences = 10

// CheckIndex makes of each posting once more what the search index should hold of it, and compares. The
// database's own checks find next to nothing of what may be wrong here: they do not know which words
// a posting has.
//
// It reads one state of the database, however long that takes, and works at most half of the time;
// nobody waits for it. Meanwhile SQLite's log beside the database grows by what is written, and
// PostgreSQL keeps old rows, both as during a backup. Its memory does not grow with the postings beyond
// some 20 MB.
//
// An error says that nothing can be said about the index: ErrNotMirror and the like come from Open, and
// one is returned while a process of another version indexes.
func (m *Mirror) CheckIndex(ctx context.Context) (*IndexCheck, error) {
	out := &IndexCheck{}
	err := m.db.view(ctx, func(t *tx) error {
		own, err := t.db.search.InForm(t.Tx)
		if err != nil {
			return err
		}
		if !own {
			return errOtherForm
		}
		return indexTx{t}.checkIndex(out, giveWay(ctx))
	})
	if err != nil && store.IsDamage(err) {
		return &IndexCheck{Unreadable: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (t indexTx) checkIndex(out *IndexCheck, rest func()) error {
	next := func(after int64) ([]search.ToCheck, error) {
		list, err := t.toCheck(after)
		for _, one := range list {
			if one.Waits {
				out.Waiting++
			}
		}
		return list, err
	}
	found, err := t.db.search.Check(t.Tx, next, rest)
	if err != nil {
		return err
	}
	out.Postings, out.Differ, out.Words, out.Tokens = found.Compared, len(found.Differ), len(found.Words), found.Tokens
	for _, row := range found.Differ[:min(len(found.Differ), maxDifferences)] {
		d := IndexDifference{Row: row}
		err := t.Row("SELECT posting, language FROM postings WHERE id = ?", []any{row}, &d.Posting, &d.Language)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		out.First = append(out.First, d)
	}
	return nil
}

// toCheck returns the documents of the next postings after a row.
func (t indexTx) toCheck(after int64) ([]search.ToCheck, error) {
	rows, err := t.read("id IN (SELECT id FROM postings WHERE id > ? ORDER BY id LIMIT ?) ORDER BY id", after, indexBatch)
	if err != nil {
		return nil, err
	}
	waiting, err := store.Pairs[int64, bool](t, "SELECT posting, 1 = 1 FROM unindexed WHERE posting IN @ids",
		store.IDsOf(rows, func(r *row) int64 { return r.id }))
	if err != nil {
		return nil, err
	}
	documents, err := t.documents(rows)
	if err != nil {
		return nil, err
	}
	list := make([]search.ToCheck, len(rows))
	for i, r := range rows {
		due := r.visibilityDue > 0 && r.visibilityDue <= t.Now
		list[i] = search.ToCheck{Document: documents[i], Waits: waiting[r.id] || due}
	}
	return list, nil
}
