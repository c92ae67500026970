package textindex

import (
	"errors"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Renew drops the table of an index of FTS5 and makes it anew, by the statements that made it, without a
// posting.
func (x *Index) Renew(t *store.Tx, statements string) error {
	// FTS5 opens a table before it drops it, and reads its settings, which may be damaged: 4 is the
	// version of its format.
	err := t.DoAll(nil, "DELETE FROM search_config", "INSERT INTO search_config (k, v) VALUES ('version', 4)", "DROP TABLE search")
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(strings.TrimSpace(statements), ";\n") {
		if _, err := t.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// Check has FTS5 check its index, and returns what it finds as an error. Other indexes it cannot check.
func (x *Index) Check(t *store.Tx) error {
	if x != &FTS5 {
		return nil
	}
	return t.Rows("PRAGMA integrity_check(search)", nil, func(scan func(...any) error) error {
		var found string
		if err := scan(&found); err != nil || found == "ok" {
			return err
		}
		return errors.New("jobmirror: SQLite finds the search index damaged: " + found)
	})
}
