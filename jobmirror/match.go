package jobmirror

import (
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/words"
)

// matcher is the text index of a database.
type matcher struct {
	and, or, less string // stand between the parts of an expression
	quote         string // stands around a token; in it, it is doubled
	begins        string // stands behind a token where longer ones will do too
	parts         words.Pieces

	put    string // the statement that indexes a posting under tokens, in place of those it had
	remove string // the statement that takes a posting out
	// hits is the query for the postings that match a text and whose identifiers are above
	// one number and below another, in the order of their identifiers. Its parameters are the
	// text, the lower number and the higher one. Behind it the caller writes DESC or nothing,
	// and LIMIT.
	hits string
	// near is the query for the same among the next @among postings alone: the first ones
	// between the two numbers, in ascending order where @order is empty and in descending order
	// where it is DESC. Its parameters are the lower number, the higher one, the text, and how
	// many hits it returns at most. near is empty for an index in which hits with a LIMIT stops
	// after enough rows; in the other one hits reads all that match.
	near string
	// from is a table of the postings that match a text, under the name h with the
	// column id.
	from string
	// listed is the query for the facets of so many of the postings that match a text and
	// follow another, each with its kind before it and a NUL, which no value has, between two;
	// and for the last of these postings. It is empty where the database counts by groups
	// without sorting every facet first.
	listed string

	// plan is the statement that has the database use the index in a transaction, where it
	// may take it for cheaper to read every posting's tokens.
	plan string

	// pieces is the query for the number of pieces that the index consists of, each of
	// which is looked through for each token, for their size and for that of the largest;
	// merge is the statement that puts some pages of them together. Both are empty where
	// the index is in one piece.
	pieces, merge string
}

// fts5 is a contentless table of SQLite's FTS5: an index of tokens without
// positions, whose rows can be deleted.
var fts5 = matcher{
	and: " AND ", or: " OR ", less: " NOT ", quote: `"`, begins: "*", parts: words.ShortToo,
	put:    "INSERT OR REPLACE INTO search (rowid, words) VALUES (?, ?)",
	remove: "DELETE FROM search WHERE rowid = ?",
	hits:   "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid",
	from:   "(SELECT rowid AS id FROM search WHERE search MATCH ?) h",
	listed: "SELECT coalesce(group_concat(c.kind || c.value, char(0)), ''), max(h.id)" +
		" FROM (SELECT rowid AS id FROM search WHERE search MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?) h" +
		" LEFT JOIN facets c ON c.posting = h.id",
	pieces: "SELECT count(*), coalesce(sum(n), 0), coalesce(max(n), 0) FROM (SELECT max(pgno) AS n FROM search_idx GROUP BY segid)",
	merge:  "INSERT INTO search (search, rank) VALUES ('merge', ?)",
}

// tsvector is a table of PostgreSQL with a GIN index over tokens.
var tsvector = matcher{
	and: " & ", or: " | ", less: " & !", quote: "'", begins: ":*", parts: words.LongOnly,
	put: `INSERT INTO search (posting, words) VALUES (?, array_to_tsvector(string_to_array(?, ' ')))
		ON CONFLICT (posting) DO UPDATE SET words = excluded.words WHERE search.words <> excluded.words`,
	remove: "DELETE FROM search WHERE posting = ?",
	// Of posting + 0 there is no index, which would be read from its end until enough
	// postings match.
	hits: "SELECT posting FROM search WHERE words @@ (?)::tsquery AND posting + 0 > ? AND posting + 0 < ? ORDER BY posting + 0",
	near: "SELECT posting FROM (SELECT posting, words FROM search WHERE posting > ? AND posting < ? ORDER BY posting @order LIMIT @among) s" +
		" WHERE words @@ (?)::tsquery ORDER BY posting @order LIMIT ?",
	from: "(SELECT posting AS id FROM search WHERE words @@ (?)::tsquery) h",
	plan: "SET LOCAL enable_seqscan = off",
}

// matcherOf returns the text index of a database.
func matcherOf(db *database) *matcher {
	if db.Shared {
		return &tsvector
	}
	return &fts5
}

// text writes an expression as the index reads it.
func (m *matcher) text(e words.Expr) string {
	var b strings.Builder
	m.write(&b, e)
	return b.String()
}

func (m *matcher) write(b *strings.Builder, e words.Expr) {
	between := m.and
	switch e.Op {
	case words.Token, words.Begins:
		b.WriteString(m.quote + strings.ReplaceAll(e.Text, m.quote, m.quote+m.quote) + m.quote)
		if e.Op == words.Begins {
			b.WriteString(m.begins)
		}
		return
	case words.Or:
		between = m.or
	case words.Less:
		between = m.less
	}
	if len(e.Of) == 0 { // every posting
		m.write(b, words.Expr{Text: tagAll})
		return
	}
	b.WriteByte('(')
	for i, of := range e.Of {
		if i > 0 {
			b.WriteString(between)
		}
		m.write(b, of)
	}
	b.WriteByte(')')
}
