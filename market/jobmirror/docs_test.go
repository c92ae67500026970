package jobmirror_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// guide returns a section of a page, by its path in the repository.
func guide(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", page, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

var code = regexp.MustCompile("`([a-z_]+)`")

// The page lists the tables of both databases, and names only columns that exist.
func TestGuideListsTheTables(t *testing.T) {
	section := guide(t, "market/docs/promises.md", "The tables")
	listed := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		name := code.FindStringSubmatch(cells[1])[1]
		for _, column := range code.FindAllStringSubmatch(cells[3], -1) {
			listed[name] = append(listed[name], column[1])
		}
	}
	if len(listed) < 10 {
		t.Fatalf("the guide lists %d tables", len(listed))
	}
	onBoth(t, func(t *testing.T, address string) {
		open(t, address, jobmirror.Options{})
		list := "SELECT name FROM sqlite_schema WHERE type = 'table'"
		if strings.HasPrefix(address, "postgres") {
			list = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
		}
		db := openSQL(t, address)
		for name, columns := range listed {
			have, err := columnsOf(t.Context(), db, name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for _, column := range columns {
				if !slices.Contains(have, column) {
					t.Errorf("%s has no column %s", name, column)
				}
			}
		}
		rows, err := db.QueryContext(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			own := strings.HasPrefix(name, "search_") || strings.HasPrefix(name, "sqlite_")
			if !own && name != "mirror_versions" && !strings.Contains(section, name) {
				t.Errorf("the guide does not name the table %s", name)
			}
		}
	})
}

// The guide's SQL finds something in the copy of the stand-in's demo.
func TestGuideQueriesTheTables(t *testing.T) {
	_, query, ok := strings.Cut(guide(t, "market/docs/promises.md", "The tables"), "```sql\n")
	query, _, _ = strings.Cut(query, "```")
	if !ok {
		t.Fatal("the guide has no SQL")
	}
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		refresh(t, open(t, address, optionsOf(srv)))
		db := openSQL(t, address)
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		found := map[int64]string{}
		for rows.Next() {
			var (
				title string
				job   int64
			)
			if err := rows.Scan(&title, &job); err != nil {
				t.Fatal(err)
			}
			found[job] = title
		}
		if found[srv.Demo.OpenJob] == "" {
			t.Errorf("the query finds %v, without job %d", found, srv.Demo.OpenJob)
		}
	})
}

// openSQL opens a mirror's database as any program may.
func openSQL(t *testing.T, address string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(address, "postgres") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// columnsOf returns the names of a table's columns.
func columnsOf(ctx context.Context, db *sql.DB, table string) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	return columns, errors.Join(err, rows.Err())
}
