// Package textindex keeps postings in the text index of a database, each under its tokens, and
// finds those whose tokens an expression asks for. On SQLite the index is a table of FTS5, on
// PostgreSQL a table with a GIN index. A posting is the number of its row; only the caller
// knows what a posting contains, and its tokens.
package textindex

import (
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Tokens that stand in the index beside words. They begin with an underscore, which no word
// holds.
const (
	Every = "_p" // of every posting; Put adds it
	None  = "_n" // of no posting
)

// Index is the text index of a database.
type Index struct {
	// Pieces says which pieces of words are tokens.
	Pieces words.Pieces
	// Table is a table of the postings that match a question, for a statement that joins it: it
	// has the name h and the column id. Its parameter is the question.
	Table string
	// TableFrom is such a table of the first of these postings: its parameters are the question,
	// the number of the posting after which it begins, and the largest number of rows. It is empty
	// where an index would read all that match for each part.
	TableFrom string

	and, or, less string // stand between the parts of an expression
	quote         string // stands around a token; in it, it is doubled
	begins        string // stands behind a token where longer ones will do too

	put    string // the statement that indexes a posting under tokens, in place of those it had
	remove string // the statement that takes a posting out
	// hits is the query for the postings that match a question and whose numbers are above one
	// number and below another, in the order of their numbers. Its parameters are the question,
	// the lower number and the higher one. Behind it the caller writes DESC or nothing, and LIMIT.
	hits string
	// near is the query for the same among the next @among postings alone: the first ones between
	// the two numbers, in ascending order where @order is empty and in descending order where it
	// is DESC. Its parameters are the lower number, the higher one, the question, and how many
	// hits it returns at most. near is empty for an index in which hits with a LIMIT stops after
	// enough rows; in an index with near, hits reads every posting that matches, in spite of a
	// LIMIT.
	near string

	// plan is the statement that has the database use the index in a transaction, where it
	// may take it for cheaper to read every posting's tokens, and compile no plan of the
	// transaction: the plan of a table that is read whole all the same has such a cost then that it
	// would be compiled, which takes a hundred times as long as to read the table.
	plan string

	// merge is the statement that puts some pages of two pieces of the index together, each of which is searched for
	// every token; empty for an index that always has one piece.
	merge string
}

// FTS5 is a contentless table of SQLite's FTS5: an index of tokens without
// positions, whose rows can be deleted.
var FTS5 = Index{
	Pieces:    words.ShortToo,
	Table:     "(SELECT rowid AS id FROM search WHERE search MATCH ?) h",
	TableFrom: "(SELECT rowid AS id FROM search WHERE search MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?) h",
	and:       " AND ", or: " OR ", less: " NOT ", quote: `"`, begins: "*",
	put:    "INSERT OR REPLACE INTO search (rowid, words) VALUES (?, ?)",
	remove: "DELETE FROM search WHERE rowid = ?",
	hits:   "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid",
	merge:  "INSERT INTO search (search, rank) VALUES ('merge', ?)",
}

// GIN is a table of PostgreSQL with a GIN index over tokens.
var GIN = Index{
	Pieces: words.LongOnly,
	Table:  "(SELECT document AS id FROM search WHERE words @@ (?)::tsquery) h",
	and:    " & ", or: " | ", less: " & !", quote: "'", begins: ":*",
	put: `INSERT INTO search (document, words) VALUES (?, array_to_tsvector(string_to_array(?, ' ')))
		ON CONFLICT (document) DO UPDATE SET words = excluded.words WHERE search.words <> excluded.words`,
	remove: "DELETE FROM search WHERE document = ?",
	// Of document + 0 there is no index, which would be read from its end until enough
	// postings match.
	hits: "SELECT document FROM search WHERE words @@ (?)::tsquery AND document + 0 > ? AND document + 0 < ? ORDER BY document + 0",
	near: "SELECT document FROM (SELECT document, words FROM search WHERE document > ? AND document < ? ORDER BY document @order LIMIT @among) s" +
		" WHERE words @@ (?)::tsquery ORDER BY document @order LIMIT ?",
	plan: "SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)",
}

// Of returns the text index of a database.
func Of(db *store.DB) *Index {
	if db.Shared {
		return &GIN
	}
	return &FTS5
}

// Put indexes a posting under tokens, in place of those that it had.
func (x *Index) Put(t *store.Tx, posting int64, tokens []string) error {
	return t.Do(x.put, posting, strings.Join(append(tokens, Every), " "))
}

// Remove takes a posting out of the index.
func (x *Index) Remove(t *store.Tx, posting int64) error { return t.Do(x.remove, posting) }

// Prepare has the database use the index for what is asked in a transaction that reads.
func (x *Index) Prepare(t *store.Tx) error {
	if x.plan == "" {
		return nil
	}
	_, err := t.Exec(x.plan)
	return err
}

// mergePages bounds the pages of the index that a transaction writes to put pieces together, so that nobody waits
// for it for long.
const mergePages = 250

// Merge puts some pages of the pieces of the index together, and reports whether more may be. Pieces of about the same size
// become one: so a few are left, and the largest is not written again for each small one.
func (x *Index) Merge(t *store.Tx) (more bool, err error) {
	if x.merge == "" {
		return false, nil
	}
	before, err := store.Value[int64](t, "SELECT total_changes()")
	if err != nil {
		return false, err
	}
	if _, err := t.Exec(x.merge, mergePages); err != nil {
		return false, err
	}
	after, err := store.Value[int64](t, "SELECT total_changes()")
	return after-before > 1, err // the statement itself counts as one
}

// Count counts the postings that match a question.
func (x *Index) Count(t *store.Tx, q Question) (int, error) {
	return store.Value[int](t, "SELECT count(*) FROM "+x.Table, string(q))
}

// Any reports whether a posting matches a question.
func (x *Index) Any(t *store.Tx, q Question) (bool, error) {
	n, err := store.Value[int](t, "SELECT count(*) FROM (SELECT 1 FROM "+x.Table+" LIMIT 1) one", string(q))
	return n > 0, err
}

// All returns all postings that match a question, in no order.
func (x *Index) All(t *store.Tx, q Question) ([]int64, error) {
	return t.Numbers("SELECT h.id FROM "+x.Table, string(q))
}

// Among returns those of some postings that match a question, in no order.
func (x *Index) Among(t *store.Tx, q Question, postings []int64) ([]int64, error) {
	return t.Numbers("SELECT h.id FROM "+x.Table+" WHERE h.id IN @ids", string(q), store.IDs(postings))
}
