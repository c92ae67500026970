package store

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// sqliteIDs selects the numbers of a parameter that is a list of them.
const sqliteIDs = "(SELECT value FROM json_each(?))"

var sqliteDialect = dialect{
	Name:      "sqlite",
	Clock:     "0",
	ids:       sqliteIDs,
	in:        "IN " + sqliteIDs,
	notIn:     "NOT IN " + sqliteIDs,
	key:       "INTEGER PRIMARY KEY",
	clustered: " WITHOUT ROWID",
	next:      "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
}

// busyTimeout bounds the time for which SQLite waits for others.
const busyTimeout = 10 * time.Second

// sqliteReaders bounds the readers of one process that work at the same time.
const sqliteReaders = 4

// openSQLite opens the file at path, and makes it unless readOnly.
func openSQLite(ctx context.Context, path string, schema Schema, readOnly bool) (*DB, error) {
	there, err := checkSQLiteFile(path, readOnly)
	if err != nil {
		return nil, err
	}
	if there {
		if err := inspectFile(ctx, path, schema); err != nil {
			return nil, err
		}
	}
	db := &DB{dialect: sqliteDialect, schema: schema, path: path, readers: sqliteDB(path, "ro", sqliteReaders)}
	if !readOnly {
		db.writers, db.turn = sqliteDB(path, "rwc", 1), make(chan struct{}, 1)
		return db, nil
	}
	tables := 0
	err = db.readers.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	if mayNotWrite(err) {
		return nil, errors.Join(fmt.Errorf("jobmirror: %w"+letGroupWrite, err), db.readers.Close())
	}
	return db, nil
}

// letGroupWrite is what to do about a file that cannot be read because nothing may be written
// beside it. SQLite can be told that a file never changes, and reads it then without writing; but
// nobody can promise that, and where the file does change searches find what was, or fail.
const letGroupWrite = "; whoever reads a mirror in SQLite writes beside its file as well: let a group of the users who " +
	"write and read it write the folder and its files, or copy a file that never changes to a folder that may be written"

// mayNotWrite reports whether SQLite failed to make the files that it needs to read
// beside writers.
func mayNotWrite(err error) bool {
	failed, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	const cantOpen, readOnly = 14, 8 // the low byte of an extended code says what it is about
	code := failed.Code() & 0xff
	return code == cantOpen || code == readOnly
}

// allInFile reports whether nobody has the database open and all of it is in its file.
func allInFile(path string) bool {
	_, err := os.Stat(path + "-wal")
	return errors.Is(err, os.ErrNotExist)
}

// inspectFile refuses a database that is no mirror's and leaves it as it is: to
// open it for writing would change how it keeps its journal, and to open it for
// reading may leave files beside it.
func inspectFile(ctx context.Context, path string, schema Schema) error {
	mode := "ro"
	if allInFile(path) {
		mode = "immutable"
	}
	db := sqliteDB(path, mode, 1)
	_, err := schema.inspect(ctx, db, sqliteDialect)
	if !errors.Is(err, ErrNotMirror) && !errors.Is(err, ErrNewer) {
		err = nil // another process may be writing its first page: look again under its locks
	}
	return errors.Join(err, db.Close())
}

// sqliteDB returns connections to a file in a mode of SQLite's: "ro" or "rwc";
// "immutable", to look at a file once without writing beside it; or "copy", to make a copy.
func sqliteDB(path, mode string, size int) *sql.DB {
	q := url.Values{"mode": {mode}}
	switch mode {
	case "immutable":
		q = url.Values{"mode": {"ro"}, "immutable": {"1"}}
	case "copy":
		q = url.Values{"mode": {"ro"}}
	}
	// FULL: committed data is on the disk, also after a power failure.
	pragmas := []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"synchronous(FULL)", "cache_size(-8192)", "temp_store(MEMORY)",
	}
	switch mode {
	case "ro", "immutable":
		pragmas = append(pragmas, "query_only(ON)")
	case "rwc":
		pragmas = append(pragmas, "journal_mode(WAL)", "wal_autocheckpoint(2000)")
		q.Set("_txlock", "immediate")
	}
	q["_pragma"] = pragmas
	escaped := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	if strings.HasPrefix(escaped, "//") {
		escaped = "//" + escaped // else the first part would be a host
	}
	address := url.URL{Scheme: "file", Opaque: escaped, RawQuery: q.Encode()}
	db := sql.OpenDB(preparer(address.String()))
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

// preparer makes connections to SQLite, by its name for a file, that prepare each statement
// once. The driver would prepare a statement each time that it runs.
type preparer string

func (preparer) Driver() driver.Driver { return &sqlite.Driver{} }

func (p preparer) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.open(ctx)
	if mayNotWrite(err) {
		err = fmt.Errorf("writing the database, or beside it: %w: %w", os.ErrPermission, err)
	}
	if err != nil {
		return nil, err
	}
	return &preparing{conn.(sqliteConn), map[string]driver.Stmt{}}, nil
}

// open opens a connection. One that is to give a new file its journal, and finds that another
// process is about to do so, is told at once that the database is busy: no busy_timeout holds
// for that, so open tries again for as long.
func (p preparer) open(ctx context.Context) (driver.Conn, error) {
	for began := time.Now(); ; {
		conn, err := p.Driver().Open(string(p))
		if !isBusy(err) || time.Since(began) > busyTimeout {
			return conn, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// isBusy reports whether others kept SQLite from doing something.
func isBusy(err error) bool {
	failed, ok := errors.AsType[*sqlite.Error](err)
	const busy = 5 // see mayNotWrite
	return ok && failed.Code()&0xff == busy
}

// sqliteConn is a connection of the driver.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type preparing struct {
	sqliteConn
	stmts map[string]driver.Stmt
}

func (c *preparing) stmt(ctx context.Context, text string) (driver.Stmt, error) {
	if stmt, ok := c.stmts[text]; ok {
		return stmt, nil
	}
	stmt, err := c.PrepareContext(ctx, text)
	if err == nil {
		c.stmts[text] = stmt
	}
	return stmt, err
}

func (c *preparing) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	stmt, err := c.stmt(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (c *preparing) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	stmt, err := c.stmt(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
}

func (c *preparing) Close() error {
	for _, stmt := range c.stmts {
		_ = stmt.Close()
	}
	return c.sqliteConn.Close()
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
	case n == 0 && mustExist: // another process may be about to set it up
		return false, fmt.Errorf("%w: the file is empty", ErrNoSchema)
	case n == 0: // SQLite takes an empty file for a new database
		return false, nil
	case !bytes.Equal(head, []byte("SQLite format 3\x00")):
		return false, fmt.Errorf("%w: the file is not of SQLite", ErrNotMirror)
	}
	return true, nil
}
