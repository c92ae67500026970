package jobmirror

import (
	"strings"
)

// expression is what the text index is asked: every clause must hold. A clause
// holds if one of its alternatives does, and that if the posting has each of its
// tokens.
type expression [][][]string

// matcher is the text index of a database.
type matcher struct {
	and, or, quote string // how an expression is written; a quote in a token is doubled

	put    string // the statement that indexes a posting under tokens, in place of those it had
	remove string // the statement that takes a posting out
	// hits is the query for the postings that match a text, between two others,
	// in the order of their identifiers.
	hits string
	// from is a table of the postings that match a text, under the name h with the
	// column id.
	from string
}

// fts5 is a contentless table of SQLite's FTS5: an index of tokens without
// positions, whose rows can be deleted.
var fts5 = matcher{
	and: " AND ", or: " OR ", quote: `"`,
	put:    "INSERT OR REPLACE INTO search (rowid, words) VALUES (?, ?)",
	remove: "DELETE FROM search WHERE rowid = ?",
	hits:   "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid",
	from:   "(SELECT rowid AS id FROM search WHERE search MATCH ?) h",
}

// tsvector is a table of PostgreSQL with a GIN index over tokens.
var tsvector = matcher{
	and: " & ", or: " | ", quote: "'",
	put: `INSERT INTO search (posting, words) VALUES (?, array_to_tsvector(string_to_array(?, ' ')))
		ON CONFLICT (posting) DO UPDATE SET words = excluded.words`,
	remove: "DELETE FROM search WHERE posting = ?",
	hits:   "SELECT posting FROM search WHERE words @@ (?)::tsquery AND posting > ? AND posting < ? ORDER BY posting",
	from:   "(SELECT posting AS id FROM search WHERE words @@ (?)::tsquery) h",
}

// text writes an expression as the index reads it.
func (m *matcher) text(e expression) string {
	clauses := make([]string, len(e))
	for i, clause := range e {
		alternatives := make([]string, len(clause))
		for j, tokens := range clause {
			quoted := make([]string, len(tokens))
			for k, token := range tokens {
				quoted[k] = m.quote + strings.ReplaceAll(token, m.quote, m.quote+m.quote) + m.quote
			}
			alternatives[j] = "(" + strings.Join(quoted, m.and) + ")"
		}
		clauses[i] = "(" + strings.Join(alternatives, m.or) + ")"
	}
	return strings.Join(clauses, m.and)
}
