package textindex

import (
	"context"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// An index of FTS5 is built anew as a second table, which takes the place of the first once it has all
// postings: what is damaged in the first is not read. PostgreSQL builds its index anew by itself from
// the rows of its table, which are written anew one by one.

// named returns an index of FTS5 whose table has another name.
func (x Index) named(name string) *Index {
	for _, text := range []*string{&x.Table, &x.TableFrom, &x.put, &x.remove, &x.hits, &x.pieces, &x.merge} {
		*text = strings.ReplaceAll(*text, "search", name)
	}
	return &x
}

// newFTS5 is the index that is built beside FTS5.
var newFTS5 = FTS5.named("search_new")

// Beside returns the index that is built beside this one, which goes on to answer; nil where the
// database builds its index anew by itself.
func (x *Index) Beside() *Index {
	if x == &FTS5 {
		return newFTS5
	}
	return nil
}

// Make makes the index that is built beside this one, without a posting, by the statements that made
// this one's table.
func (x *Index) Make(t *store.Tx, statements string) error {
	if err := x.Abandon(t); err != nil {
		return err
	}
	for statement := range strings.SplitSeq(strings.ReplaceAll(statements, "search", "search_new"), ";\n") {
		if _, err := t.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// Abandon removes the index that is built beside this one, if there is one.
func (x *Index) Abandon(t *store.Tx) error { return t.Do("DROP TABLE IF EXISTS search_new") }

// Replace puts the index that was built beside this one in its place.
func (x *Index) Replace(t *store.Tx) error {
	// FTS5 opens a table before it drops it, and reads its settings, which may be damaged.
	return t.DoAll(nil, "DELETE FROM search_config", "INSERT INTO search_config SELECT * FROM search_new_config",
		"DROP TABLE search", "ALTER TABLE search_new RENAME TO search")
}

// Renew has the database build its own indexes of some tables anew, while they answer. It needs a
// role that owns the tables. Where Beside is not nil it does nothing.
func (x *Index) Renew(ctx context.Context, db *store.DB, tables ...string) error {
	if x.Beside() != nil {
		return nil
	}
	return db.RebuildIndexes(ctx, tables...)
}
