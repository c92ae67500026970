package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	gdb "github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
	"modernc.org/sqlite"
)

// Schema says which tables a database has.
type Schema struct {
	// Program is stored in the database and tells it from databases of other programs.
	Program string
	// Version is the newest migration that this version of the program knows. A
	// database tells in its row "oldest" which is the oldest that may use it, so a
	// migration that only adds leaves older programs at work.
	Version int
	// Tables are the statements that make the tables of both databases, and Own those
	// of each, by its name.
	Tables string
	Own    map[string]string
}

const versionTable = "mirror_versions"

// Errors of Open.
var (
	// ErrNotMirror reports that the database belongs to another program, or is none.
	ErrNotMirror = errors.New("jobmirror: not a mirror's database")
	// ErrNewer reports that a newer version of this package changed the database in a way
	// that this one does not understand.
	ErrNewer = errors.New("jobmirror: the database needs a newer version of this program")
	// ErrNoSchema reports that the database has no tables yet, or older ones, and was
	// opened only to read or without the right to make them.
	ErrNoSchema = errors.New("jobmirror: the database is not set up for this version")
	// ErrUnreleased is an ErrNotMirror of tables that have the number of the first release's
	// and are older.
	ErrUnreleased = fmt.Errorf("%w: its tables were made before the first release, and nothing brings them up to date; "+
		"remove the database, or name an empty one, and let the board be copied anew", ErrNotMirror)
)

// errPooled is an ErrNoSchema: setting up holds locks for longer than a transaction.
var errPooled = fmt.Errorf("%w: Migrate, or jobboard-mirror migrate, needs the server's own address, not a pooler's", ErrNoSchema)

// inspect says whether the database has tables of a mirror, and refuses one
// that this version must not use.
func (s Schema) inspect(ctx context.Context, db *sql.DB, d dialect) (version int, err error) {
	list := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if d.Shared {
		// The list includes tables that the role may not read.
		list = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()"
	}
	tables, err := names(ctx, db, list)
	if err != nil {
		return 0, err
	}
	if !tables["mirror"] {
		own := s.tables(d)
		for name := range tables {
			// Other tables may share a PostgreSQL schema, not a file; but not the names of a
			// mirror's own. The table of versions alone is a set-up that was killed.
			if name != versionTable && (!d.Shared || strings.Contains(own, "CREATE TABLE "+name+" (")) {
				return 0, fmt.Errorf("%w: it has a table %q and is not a mirror", ErrNotMirror, name)
			}
		}
		return 0, d.checkSearchPath(ctx, db)
	}
	if err := s.checkProgram(ctx, db); err != nil {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM "+versionTable).Scan(&version); err != nil {
		return 0, fmt.Errorf("jobmirror: %w", withHint(err))
	}
	if version != 1 {
		return version, nil // later migrations may drop tables and columns of the first one
	}
	return version, s.checkTables(ctx, db, d)
}

// checkSearchPath returns an error if PostgreSQL would not know where to make tables.
func (d dialect) checkSearchPath(ctx context.Context, db *sql.DB) error {
	if !d.Shared {
		return nil
	}
	var nowhere bool
	if err := db.QueryRowContext(ctx, "SELECT current_schema() IS NULL").Scan(&nowhere); err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	if nowhere {
		return fmt.Errorf("%w: its search_path names no schema that is there and open to this role%s", ErrNoSchema, quoteSchema)
	}
	return nil
}

var (
	createTable = regexp.MustCompile(`(?ms)^CREATE TABLE (\w+) \((.*?)^\)`)
	createIndex = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?INDEX (\w+) `)
	columnOf    = regexp.MustCompile(`(?m)^    ([a-z_]+) `)
)

// checkTables returns ErrUnreleased unless the database has the columns and the indexes of the first release, and its
// tables no further columns. So tables of an earlier commit are told, of whichever table the next one is changed.
func (s Schema) checkTables(ctx context.Context, db *sql.DB, d dialect) error {
	// Not of virtual tables: one that is damaged must not keep the others from being opened.
	columns := "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'"
	indexes := "SELECT name FROM sqlite_schema WHERE type = 'index'"
	if d.Shared {
		columns = `SELECT t.relname || '.' || c.attname FROM pg_catalog.pg_attribute c JOIN pg_catalog.pg_class t ON t.oid = c.attrelid
			JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = current_schema() AND t.relkind = 'r' AND c.attnum > 0 AND NOT c.attisdropped`
		indexes = "SELECT indexname FROM pg_catalog.pg_indexes WHERE schemaname = current_schema()"
	}
	have, err := names(ctx, db, columns+" UNION ALL "+indexes)
	if err != nil {
		return err
	}
	text := s.Tables + s.Own[d.Name]
	for _, table := range createTable.FindAllStringSubmatch(text, -1) {
		for _, column := range columnOf.FindAllStringSubmatch(table[2], -1) {
			name := table[1] + "." + column[1]
			if !have[name] {
				return ErrUnreleased
			}
			delete(have, name)
		}
		for name := range have {
			if strings.HasPrefix(name, table[1]+".") {
				return ErrUnreleased
			}
		}
	}
	for _, index := range createIndex.FindAllStringSubmatch(text, -1) {
		if !have[index[1]] {
			return ErrUnreleased
		}
	}
	return nil
}

// checkProgram returns an error unless the table mirror says that the database is one of
// this program, which this version may use.
func (s Schema) checkProgram(ctx context.Context, db *sql.DB) error {
	var program, oldest sql.NullString
	err := db.QueryRowContext(ctx, `SELECT (SELECT value FROM mirror WHERE name = 'program'), (SELECT value FROM mirror WHERE name = 'oldest')`).
		Scan(&program, &oldest)
	if err != nil && !isUnfit(err) {
		return fmt.Errorf("jobmirror: %w", withHint(err))
	}
	if err != nil || program.String != s.Program {
		return fmt.Errorf("%w: its table \"mirror\" is not a mirror's", ErrNotMirror)
	}
	if n, err := strconv.Atoi(oldest.String); err != nil || n > s.Version {
		return fmt.Errorf("%w: it needs schema %s, and this program has %d", ErrNewer, oldest.String, s.Version)
	}
	return nil
}

// isUnfit reports whether the database refused a statement because its tables are others
// than those of the statement.
func isUnfit(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "42") && hint(e) == ""
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	const sqlError = 1
	return ok && e.Code() == sqlError
}

func names(ctx context.Context, db *sql.DB, query string) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("jobmirror: %w", err)
	}
	defer rows.Close()
	out := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("jobmirror: %w", err)
		}
		out[name] = true
	}
	return out, rows.Err()
}

// Version returns the newest migration that the database has; 0: it has no tables yet.
// Its errors are ErrNotMirror, ErrNewer and the database's.
func (db *DB) Version(ctx context.Context) (int, error) {
	if db.writers != nil { // creates a missing file
		return db.schema.inspect(ctx, db.writers, db.dialect)
	}
	return db.schema.inspect(ctx, db.readers, db.dialect)
}

// Migrate brings the tables up to this version's.
func (db *DB) Migrate(ctx context.Context) error {
	if db.Pooled {
		return errPooled
	}
	kind, pool := gdb.DialectSQLite3, db.writers
	options := []goose.ProviderOption{goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true)}
	if db.Shared {
		one, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("jobmirror: %w", err)
		}
		// The lock takes a connection of its own, beside those of the steps.
		kind, pool, options = gdb.DialectPostgres, db.readers, append(options, goose.WithSessionLocker(one))
	}
	first := &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, db.schema.tables(db.dialect))
		return err
	}}
	options = append(options, goose.WithGoMigrations(goose.NewGoMigration(1, first, nil)))
	provider, err := goose.NewProvider(kind, pool, nil, options...)
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return missingRight(fmt.Errorf("jobmirror: setting up the tables: %w", err))
	}
	return nil
}

// tables returns the statements that make the tables of a new database.
func (s Schema) tables(d dialect) string {
	return strings.NewReplacer("@key", d.key, " @clustered", d.clustered).Replace(s.Tables) + s.Own[d.Name]
}
