package jobmirror

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	gdb "github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

//go:embed schema
var schemaFiles embed.FS

// schema is the newest migration that this version of the package knows. A
// database tells in its row "oldest" which is the oldest that may use it, so a
// migration that only adds leaves older programs at work.
const schema = 1

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
)

// errPooled is an ErrNoSchema: setting up holds locks for longer than a transaction.
var errPooled = fmt.Errorf("%w: Migrate, or jobboard-mirror migrate, needs the server's own address, not a pooler's", ErrNoSchema)

// inspect says whether the database has tables of a mirror, and refuses one
// that this version must not use.
func inspect(ctx context.Context, db *sql.DB, d dialect) (version int, err error) {
	list := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if d.shared {
		list = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	tables, err := names(ctx, db, list)
	if err != nil {
		return 0, err
	}
	if !tables["mirror"] {
		own, err := d.tables()
		if err != nil {
			return 0, err
		}
		for name := range tables {
			// Other tables may share a PostgreSQL schema, not a file; but not the names of a
			// mirror's own. The table of versions alone is a set-up that was killed.
			if name != versionTable && (!d.shared || strings.Contains(own, "CREATE TABLE "+name+" (")) {
				return 0, fmt.Errorf("%w: it has a table %q and is not a mirror", ErrNotMirror, name)
			}
		}
		return 0, nil
	}
	var program, oldest string
	err = db.QueryRowContext(ctx, `SELECT (SELECT value FROM mirror WHERE name = 'program'), (SELECT value FROM mirror WHERE name = 'oldest')`).
		Scan(&program, &oldest)
	if err != nil || program != "jobmirror" {
		return 0, fmt.Errorf("%w: its table \"mirror\" is not a mirror's", ErrNotMirror)
	}
	if n, err := strconv.Atoi(oldest); err != nil || n > schema {
		return 0, fmt.Errorf("%w: it needs schema %s, and this program has %d", ErrNewer, oldest, schema)
	}
	if err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM "+versionTable).Scan(&version); err != nil {
		return 0, fmt.Errorf("jobmirror: %w", err)
	}
	return version, nil
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

// Migrate sets up the tables of the mirror at an address, or brings them up to
// this version's. Open does the same. Migrate is
// for a role that may create tables, so that the one that runs the mirror need
// not. Programs of an older version may run meanwhile.
func Migrate(ctx context.Context, address string) error {
	m, err := Open(ctx, address, Options{})
	if err != nil {
		return err
	}
	return m.Close()
}

// migrate brings the tables up to this version's, and then takes the steps of later
// ones.
func migrate(ctx context.Context, db *sql.DB, d dialect, later ...string) error {
	tables, err := d.tables()
	if err != nil {
		return err
	}
	kind := gdb.DialectSQLite3
	options := []goose.ProviderOption{goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true)}
	if d.shared {
		one, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("jobmirror: %w", err)
		}
		kind, options = gdb.DialectPostgres, append(options, goose.WithSessionLocker(one))
	}
	for i, text := range append([]string{tables}, later...) {
		options = append(options, goose.WithGoMigrations(goose.NewGoMigration(int64(i+1), d.step(text, i > 0), nil)))
	}
	provider, err := goose.NewProvider(kind, db, nil, options...)
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return missingRight(fmt.Errorf("jobmirror: setting up the tables: %w", err))
	}
	return nil
}

// tables returns the statements that make the tables of a new database.
func (d dialect) tables() (string, error) {
	both, err := schemaFiles.ReadFile("schema/tables.sql")
	if err != nil {
		return "", err
	}
	own, err := schemaFiles.ReadFile("schema/" + d.name + ".sql")
	return strings.NewReplacer("@key", d.key, " @clustered", d.clustered).Replace(string(both)) + string(own), err
}

// step returns the migration that a text is: one transaction. But where programs are
// at work meanwhile, and would have to wait for each other if a transaction locked
// one table after the other, each statement is one of its own. Such a step may be
// begun again after some of its statements: they say IF NOT EXISTS.
func (d dialect) step(text string, atWork bool) *goose.GoFunc {
	if !d.shared || !atWork {
		return &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, text)
			return err
		}}
	}
	return &goose.GoFunc{RunDB: func(ctx context.Context, db *sql.DB) error {
		for statement := range strings.SplitSeq(text, ";\n") {
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}}
}
