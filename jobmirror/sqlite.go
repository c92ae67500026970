package jobmirror

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

var sqliteDialect = dialect{
	name:      "sqlite",
	ids:       "(SELECT value FROM json_each(?))",
	key:       "INTEGER PRIMARY KEY",
	clustered: " WITHOUT ROWID",
	next:      "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
	begin:     "BEGIN IMMEDIATE",
	beginRead: "BEGIN",
	clock:     "0",
	waiting:   "0",
	matcher:   fts5,
}

// sqliteReaders is how many readers of one process work at the same time.
const sqliteReaders = 4

// openSQLite opens the file at path, and makes it unless readOnly.
func openSQLite(ctx context.Context, path string, readOnly bool) (*database, error) {
	there, err := checkSQLiteFile(path, readOnly)
	if err != nil {
		return nil, err
	}
	if there {
		if err := inspectFile(ctx, path); err != nil {
			return nil, err
		}
	}
	readers, err := sqliteDB(path, "ro")
	if err != nil {
		return nil, err
	}
	db := &database{dialect: sqliteDialect, readers: newPool(readers, sqliteReaders, true)}
	if readOnly {
		return db, nil
	}
	writers, err := sqliteDB(path, "rwc")
	if err != nil {
		return nil, errors.Join(err, readers.Close())
	}
	db.writers = newPool(writers, 1, true)
	return db, nil
}

// inspectFile refuses a database that is no mirror's and leaves it as it is: to
// open it for writing would change how it keeps its journal, and to open it for
// reading may leave files beside it.
func inspectFile(ctx context.Context, path string) error {
	mode := "ro"
	if _, err := os.Stat(path + "-wal"); errors.Is(err, os.ErrNotExist) {
		mode = "immutable" // nobody has it open, or all of it is in the file
	}
	db, err := sqliteDB(path, mode)
	if err != nil {
		return err
	}
	_, err = inspect(ctx, db, sqliteDialect)
	if !errors.Is(err, ErrNotMirror) && !errors.Is(err, ErrNewer) {
		err = nil // another process may be writing its first page: look again under its locks
	}
	return errors.Join(err, db.Close())
}

// sqliteDB opens a file in a mode of SQLite's: "ro" or "rwc"; or "immutable", to
// read a file that does not change.
func sqliteDB(path, mode string) (*sql.DB, error) {
	q := url.Values{"mode": {mode}}
	if mode == "immutable" {
		q = url.Values{"mode": {"ro"}, "immutable": {"1"}}
	}
	// FULL: what was committed is on the disk, also after a power failure.
	pragmas := []string{"busy_timeout(10000)", "synchronous(FULL)", "cache_size(-8192)", "temp_store(MEMORY)"}
	if mode != "rwc" {
		pragmas = append(pragmas, "query_only(ON)")
	} else {
		pragmas = append(pragmas, "journal_mode(WAL)", "wal_autocheckpoint(2000)")
	}
	q["_pragma"] = pragmas
	escaped := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	address := url.URL{Scheme: "file", Opaque: escaped, RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("jobmirror: %w", err)
	}
	return db, nil
}

// checkSQLiteFile finds a file that is something else before SQLite touches it,
// and reports whether there is one.
func checkSQLiteFile(path string, mustExist bool) (there bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && !mustExist {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return false, fmt.Errorf("jobmirror: the database's folder: %w", err)
		}
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("jobmirror: the database: %w", err)
	}
	defer f.Close()
	head := make([]byte, 16)
	n, err := io.ReadFull(f, head)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return false, fmt.Errorf("jobmirror: the database: %w", err)
	case n == 0 && !mustExist: // SQLite takes an empty file for a new database
		return false, nil
	case !bytes.Equal(head, []byte("SQLite format 3\x00")):
		return false, fmt.Errorf("%w: the file is not of SQLite", ErrNotMirror)
	}
	return true, nil
}
