package jobmirror_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
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

// The guide's SQL finds something in the copy of the stand-in's demo.
func TestGuideQueriesTheTables(t *testing.T) {
	_, query, ok := strings.Cut(guide(t, "market/docs/your-own-table.md", "SQL on the mirror's tables"), "```sql\n")
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
