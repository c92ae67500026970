package jobmirror

import (
	"strings"
)

// expression is what the text index is asked: every clause must hold. A clause
// holds if one of its alternatives does, and that if the posting has each of its
// tokens.
type expression [][][]string

// matcher is the text index of a database.
type matcher interface {
	// text writes an expression as the index reads it.
	text(e expression) string
	// put indexes a posting under tokens, in place of those it had.
	put(t *tx, id int64, tokens []string) error
	// remove is the statement that takes a posting out.
	remove() string
	// hits is the query for the identifiers that match, between two of them,
	// in an order; its parameters are text, lower bound, upper bound and limit.
	hits(newestFirst bool) string
	// from is a table of the identifiers that match, under the name h with the
	// column id; its parameter is text.
	from() string
}

// write joins an expression's tokens by a database's operators.
func (e expression) write(and, or string, quote func(string) string) string {
	clauses := make([]string, len(e))
	for i, clause := range e {
		alternatives := make([]string, len(clause))
		for j, tokens := range clause {
			quoted := make([]string, len(tokens))
			for k, token := range tokens {
				quoted[k] = quote(token)
			}
			alternatives[j] = "(" + strings.Join(quoted, and) + ")"
		}
		clauses[i] = "(" + strings.Join(alternatives, or) + ")"
	}
	return strings.Join(clauses, and)
}

// fts5 is a contentless table of SQLite's FTS5: an index of tokens without
// positions, whose rows can be deleted.
type fts5 struct{}

func (fts5) text(e expression) string {
	return e.write(" AND ", " OR ", func(token string) string { return `"` + strings.ReplaceAll(token, `"`, `""`) + `"` })
}

func (fts5) put(t *tx, id int64, tokens []string) error {
	_, err := t.exec("INSERT OR REPLACE INTO search (rowid, words) VALUES (?, ?)", id, strings.Join(tokens, " "))
	return err
}

func (fts5) remove() string { return "DELETE FROM search WHERE rowid = ?" }

func (fts5) hits(newestFirst bool) string {
	const query = "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid "
	if newestFirst {
		return query + "DESC LIMIT ?"
	}
	return query + "LIMIT ?"
}

func (fts5) from() string { return "(SELECT rowid AS id FROM search WHERE search MATCH ?) h" }

// tsvector is a table of PostgreSQL with a GIN index over tokens.
type tsvector struct{}

func (tsvector) text(e expression) string {
	return e.write(" & ", " | ", func(token string) string { return "'" + strings.ReplaceAll(token, "'", "''") + "'" })
}

func (tsvector) put(t *tx, id int64, tokens []string) error {
	_, err := t.exec(`INSERT INTO search (posting, words) VALUES (?, array_to_tsvector(string_to_array(?, ' ')))
		ON CONFLICT (posting) DO UPDATE SET words = excluded.words`, id, strings.Join(tokens, " "))
	return err
}

func (tsvector) remove() string { return "DELETE FROM search WHERE posting = ?" }

func (tsvector) hits(newestFirst bool) string {
	const query = "SELECT posting FROM search WHERE words @@ (?)::tsquery AND posting > ? AND posting < ? ORDER BY posting "
	if newestFirst {
		return query + "DESC LIMIT ?"
	}
	return query + "LIMIT ?"
}

func (tsvector) from() string {
	return "(SELECT posting AS id FROM search WHERE words @@ (?)::tsquery) h"
}
