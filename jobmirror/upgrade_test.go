package jobmirror_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"
	gdb "github.com/pressly/goose/v3/database"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// later is what a later version would add to the tables: each statement by itself,
// so that no two tables are locked together while programs are at work.
const later = `-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE jobs ADD COLUMN salary TEXT NOT NULL DEFAULT '';
ALTER TABLE postings ADD COLUMN salary TEXT;
ALTER TABLE sources ADD COLUMN salaries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE limits ADD COLUMN burst BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_salary ON jobs (salary);
CREATE TABLE salaries (job BIGINT PRIMARY KEY, amount BIGINT NOT NULL);
-- +goose Down
SELECT 1;
`

// migrateLater migrates a database as a later version does.
func migrateLater(t *testing.T, address string) *sql.DB {
	t.Helper()
	name, driver, dialect := "sqlite", "sqlite", gdb.DialectSQLite3
	if strings.HasPrefix(address, "postgres") {
		name, driver, dialect = "postgres", "pgx", gdb.DialectPostgres
	} else {
		address += "?_pragma=busy_timeout(10000)"
	}
	known, err := jobmirror.MigrationsOf(name)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"90000_salaries.sql": {Data: []byte(later)}}
	entries, err := fs.ReadDir(known, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := fs.ReadFile(known, path.Join(".", entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = &fstest.MapFile{Data: text}
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	provider, err := goose.NewProvider(dialect, db, files, goose.WithTableName("mirror_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	done, err := provider.Up(t.Context())
	if err != nil || len(done) != 1 {
		t.Fatal(done, err)
	}
	return db
}

func TestOlderVersionWorksBesideANewerSchema(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		m := open(t, address, opts)
		refresh(t, m) // its statements are prepared
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx) }()
		processes(t, m, 1)
		db := migrateLater(t, address)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}

		knows := func(m *jobmirror.Mirror, title string) {
			t.Helper()
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: title, Language: "de"})
			refresh(t, m)
			page, err := m.Search(t.Context(), jobmirror.Query{Text: title})
			if err != nil || len(page.Postings) == 0 {
				t.Errorf("%q is not found: %v", title, err)
			}
			checkReplay(t, m)
		}
		knows(m, "Hebamme") // while it runs
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		m = open(t, address, opts)
		knows(m, "Kranführer") // and after a restart
		if err := m.Close(); err != nil {
			t.Error(err)
		}

		// A release later the newer version takes something away, and says so.
		if _, err := db.ExecContext(t.Context(), "UPDATE mirror SET value = '90000' WHERE name = 'oldest'"); err != nil {
			t.Fatal(err)
		}
		if _, err := jobmirror.Open(t.Context(), address, opts); !errors.Is(err, jobmirror.ErrNewer) {
			t.Errorf("a schema without what it needs: %v", err)
		}
	})
}
