package jobmirror_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A server that goes away while the mirror is opened does not make its database another
// program's.
func TestServerGoesAwayWhileItIsOpened(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.createMigrated(t)
	for _, part := range []string{"pg_tables", "'oldest'", "mirror_versions"} {
		between, seen := newProxy(t, postgres.port), make(chan struct{}, 1)
		between.sees = func(toServer bool) func([]byte) {
			if !toServer {
				return nil
			}
			return func(sent []byte) {
				if bytes.Contains(sent, []byte(part)) {
					select {
					case seen <- struct{}{}:
					default:
					}
					between.refuse()
				}
			}
		}
		_, err := jobmirror.Open(t.Context(), between.address(t, address), jobmirror.Options{})
		if err == nil || len(seen) == 0 || errors.Is(err, jobmirror.ErrNotMirror) || errors.Is(err, jobmirror.ErrNewer) || errors.Is(err, jobmirror.ErrNoSchema) {
			t.Errorf("the server goes away at %s: seen %t, %v", part, len(seen) > 0, err)
		}
	}
}

// needPostgres skips a test where there is no PostgreSQL.
func needPostgres(t *testing.T) {
	t.Helper()
	if postgres == nil {
		t.Skip("there is no PostgreSQL on this machine")
	}
}

// asUser is an address for another role.
func asUser(t *testing.T, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(name, "secret")
	return u.String()
}

// query reads the one value of a statement.
func query[T any](t *testing.T, address, statement string, args ...any) (value T) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(context.WithoutCancel(t.Context()), statement, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

const countTables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"

// Tables that were made before the first release have the number of this version's. Opening
// them, for writing or for reading, gives an error that says what to do.
func TestTablesOfBeforeTheFirstRelease(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		m := open(t, address, jobmirror.Options{})
		for old, change := range map[string][2]string{
			"without the secret": {"UPDATE mirror SET name = 'old' WHERE name = 'secret'", "UPDATE mirror SET name = 'secret' WHERE name = 'old'"},
			"without a column":   {"ALTER TABLE sources RENAME COLUMN made TO created", "ALTER TABLE sources RENAME COLUMN created TO made"},
			"without a table":    {"ALTER TABLE stemmers RENAME TO languages", "ALTER TABLE languages RENAME TO stemmers"},
			"with a column":      {"ALTER TABLE sources ADD COLUMN colour TEXT", "ALTER TABLE sources DROP COLUMN colour"},
			"without an index":   {"DROP INDEX jobs_due", "CREATE INDEX jobs_due ON jobs (next_due)"},
		} {
			if err := jobmirror.Exec(t.Context(), m, change[0]); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{false, true} {
				_, err := jobmirror.Open(t.Context(), address, jobmirror.Options{ReadOnly: readOnly})
				if !errors.Is(err, jobmirror.ErrNotMirror) || !strings.Contains(err.Error(), "let the board be copied anew") {
					t.Errorf("%s, read only %t: %v", old, readOnly, err)
				}
			}
			if err := jobmirror.Exec(t.Context(), m, change[1]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The tables that an earlier commit made are told from today's, though both have the number of the first release. The
// files in testdata are what it made of an empty database.
func TestTablesOfAnEarlierCommit(t *testing.T) {
	t.Parallel()
	for name := range jobmirror.Databases {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("testdata/unreleased/" + name + ".sql")
			if err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(t.TempDir(), "jobs.db")
			if name == "postgres" {
				at = postgres.create(t)
			}
			if _, err := openSQL(t, at).ExecContext(t.Context(), string(text)); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{false, true} {
				_, err := jobmirror.Open(t.Context(), at, jobmirror.Options{ReadOnly: readOnly})
				if !errors.Is(err, jobmirror.ErrNotMirror) || !strings.Contains(err.Error(), "let the board be copied anew") {
					t.Errorf("read only %t: %v", readOnly, err)
				}
			}
		})
	}
}

// A schema of PostgreSQL may have a name that is written in quotes: a mirror is set up there,
// run, read, and refused where its tables are older than the first release's.
func TestSchemaInQuotes(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	for _, schema := range []string{`"TheJobs"`, `"My Jobs, ""old"" & 'new'"`} {
		address := postgres.create(t)
		execute(t, address, "CREATE SCHEMA "+schema)
		there := address + "&search_path=" + strings.ReplaceAll(url.QueryEscape(schema), "+", "%20")
		if err := jobmirror.Migrate(t.Context(), there); err != nil {
			t.Fatal(err)
		}
		m := open(t, there, newShelf(3).options())
		refresh(t, m)
		if n := len(find(t, open(t, there, jobmirror.Options{ReadOnly: true}), jobmirror.Query{})); n != 3 {
			t.Errorf("%s: found %d", schema, n)
		}
		if n := query[int](t, address, countTables); n != 0 {
			t.Errorf("%s: %d tables are in another schema", schema, n)
		}
		execute(t, there, "ALTER TABLE stemmers RENAME TO languages")
		if _, err := jobmirror.Open(t.Context(), there, jobmirror.Options{}); !errors.Is(err, jobmirror.ErrNotMirror) {
			t.Errorf("%s, with old tables: %v", schema, err)
		}
	}
}

// An address that does not say rightly which schema it means is told how to, before
// anything is made.
func TestSearchPathWithoutSchema(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.create(t)
	execute(t, address, `CREATE SCHEMA "My Jobs"`)
	for _, wrong := range []string{"My%20Jobs", "%22My+Jobs%22", "%22my%20jobs%22", "unknown"} {
		for _, readOnly := range []bool{false, true} {
			_, err := jobmirror.Open(t.Context(), address+"&search_path="+wrong, jobmirror.Options{ReadOnly: readOnly})
			if err == nil || !strings.Contains(err.Error(), "search_path=%22My%20Jobs%22") {
				t.Errorf("%s, read only %t: %v", wrong, readOnly, err)
			}
		}
	}
}

// Processes of a fleet that start at once set the tables up once.
func TestManySetUpAtOnce(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.create(t)
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() { errs <- jobmirror.Migrate(t.Context(), address) }()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	tables := query[int](t, address, countTables)
	if err := jobmirror.Migrate(t.Context(), address); err != nil {
		t.Error(err)
	}
	if n := query[int](t, address, countTables); n != tables || query[int](t, address, "SELECT count(*) FROM jobs") != 0 {
		t.Errorf("%d tables, and %d before", n, tables)
	}
}

// A role that may not create tables runs a mirror that another one set up, and
// is told what is missing where nobody did.
func TestWithoutTheRightToCreateTables(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	address := postgres.create(t)
	database := address[strings.LastIndex(address, "/")+1 : strings.Index(address, "?")]
	execute(t, address, "CREATE ROLE poor_"+database+" LOGIN")
	poor := asUser(t, address, "poor_"+database)
	refused := func(when string, want error) {
		before := query[int](t, address, countTables)
		_, err := jobmirror.Open(t.Context(), poor, jobmirror.Options{})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "SQLSTATE 42501") { // whatever the server's language
			t.Errorf("%s: %v", when, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the password is in %v", when, err)
		}
		if n := query[int](t, address, countTables); n != before {
			t.Errorf("%s: %d tables, and %d before", when, n, before)
		}
	}
	refused("an empty database", jobmirror.ErrNoSchema)
	if err := jobmirror.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	execute(t, address, "GRANT ALL ON ALL TABLES IN SCHEMA public TO poor_"+database)
	execute(t, address, "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO poor_"+database)
	open(t, poor, jobmirror.Options{})
}

// The grants that the documentation lists are enough, to run a mirror and to read one,
// and a role that lacks some is told which.
func TestGrants(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	address := postgres.create(t)
	database := address[strings.LastIndex(address, "/")+1 : strings.Index(address, "?")]
	if err := jobmirror.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)## Backups and roles.*?```sql\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the documentation lists no grants")
	}
	for _, role := range []string{"runner", "reader"} {
		execute(t, address, "CREATE ROLE "+role+"_"+database+" LOGIN")
	}
	runner, reader := asUser(t, address, "runner_"+database), asUser(t, address, "reader_"+database)
	if _, err := jobmirror.Open(t.Context(), reader, jobmirror.Options{ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "GRANT this role SELECT") {
		t.Errorf("a reader without grants: %v", err)
	}
	grants := strings.TrimSpace(string(block[1])) + "; REVOKE SELECT ON mirror_versions FROM mirror_reader"
	for statement := range strings.SplitSeq(grants, ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			statement = strings.NewReplacer("mirror_runner", "runner_"+database, "mirror_reader", "reader_"+database).Replace(statement)
			execute(t, address, statement)
		}
	}
	m := open(t, runner, optionsOf(srv))
	refresh(t, m)
	if err := m.Forget(t.Context(), jobboard.JobID(srv.Demo.OpenJob)); err != nil {
		t.Error(err)
	}
	if _, err := jobmirror.Open(t.Context(), reader, jobmirror.Options{ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "GRANT this role SELECT") {
		t.Errorf("a reader without one of the grants: %v", err)
	}
	execute(t, address, "GRANT SELECT ON mirror_versions TO reader_"+database)
	read := open(t, reader, jobmirror.Options{ReadOnly: true})
	if hits := find(t, read, jobmirror.Query{}); len(hits) == 0 {
		t.Error("the reader finds nothing")
	}
	if _, err := read.Status(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := jobmirror.Open(t.Context(), reader, optionsOf(srv)); err == nil || !strings.Contains(err.Error(), "GRANT this role") {
		t.Errorf("a reader that is to refresh: %v", err)
	}
	whole := len(find(t, read, jobmirror.Query{Limit: 1000}))
	execute(t, address, "DELETE FROM search")
	if err := m.Rebuild(t.Context()); err != nil {
		t.Errorf("who runs the mirror rebuilds the index: %v", err)
	}
	if n := len(find(t, read, jobmirror.Query{Limit: 1000})); n != whole || n == 0 {
		t.Errorf("after Rebuild by who runs the mirror the reader finds %d of %d", n, whole)
	}
}
