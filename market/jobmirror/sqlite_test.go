package jobmirror

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestSQLiteIsSafeByItsSettings(t *testing.T) {
	t.Parallel()
	m, err := Open(t.Context(), filepath.Join(t.TempDir(), "a b#c%d?.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	err = m.db.update(t.Context(), func(t2 *tx) error {
		var synchronous int
		var journal string
		if err := errors.Join(t2.Row("PRAGMA synchronous", nil, &synchronous), t2.Row("PRAGMA journal_mode", nil, &journal)); err != nil {
			return err
		}
		if synchronous != 2 || journal != "wal" {
			t.Errorf("synchronous is %d, not FULL; the journal is %s", synchronous, journal)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A disk that is full at any page fails the refresh, loses nothing, and lets the
// next one go on.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	m, err := Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db"), Options{
		Config:   jobboard.Config{BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: srv.Demo.ClientID},
		Channels: []Channel{{ID: jobboard.ChannelID(srv.Demo.Channel), Languages: []string{"de", "en"}}},
		Feeds:    []Feed{{Name: "feed", Address: srv.FeedURL}},
		Limit:    -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	pages := func(limit int) (used int) {
		only := m.db.Alone()
		if err := only.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&used); err != nil {
			t.Fatal(err)
		}
		if limit > 0 {
			if _, err := only.ExecContext(t.Context(), "PRAGMA max_page_count = "+strconv.Itoa(used+limit)); err != nil {
				t.Fatal(err)
			}
		}
		return used
	}
	ready := func() string {
		w := httptest.NewRecorder()
		m.ServeReady(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/ready", nil))
		return w.Body.String()
	}
	full := 0
	for i := range 100 {
		pages(1 + 2*i)
		err := m.Refresh(t.Context())
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), "full") {
			t.Fatal(err)
		}
		full++
		CheckReplay(t, m)
		if said := ready(); !strings.Contains(said, "cannot be written: its disk is full") {
			t.Errorf("whether it is ready: %s", said)
		}
	}
	if full < 3 {
		t.Errorf("the disk was full %d times", full)
	}
	if _, err := m.JobInformation(t.Context(), jobboard.JobID(srv.Demo.OpenJob)); err != nil {
		t.Error(err)
	}
	CheckReplay(t, m)
}

// otherDatabase makes a database with the journal that SQLite has by default.
func otherDatabase(t *testing.T, path string, statements ...string) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// contents returns a folder's files with their bytes.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, d.Type())
		if !d.IsDir() {
			text, _ := os.ReadFile(path)
			b.Write(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A source whose address is missing is refused before anything is written.
func TestOpenRefusesSourcesWithoutTheirAddress(t *testing.T) {
	t.Parallel()
	board, lookups := jobboard.Config{BaseURL: "http://127.0.0.1:1", ClientID: "10"}, jobboard.Config{JobDBURL: "http://127.0.0.1:1"}
	channels, feeds := []Channel{{ID: "whole"}}, []Feed{{Address: "none.xml"}}
	for name, c := range map[string]struct {
		opts  Options
		field string // empty: it is opened
	}{
		"a feed alone":                  {Options{Config: lookups, Feeds: feeds}, ""},
		"a feed without lookups":        {Options{Config: board, Feeds: feeds}, "JobDBURL"},
		"a channel and a feed likewise": {Options{Config: board, Channels: channels, Feeds: feeds}, "JobDBURL"},
		"a channel without lookups":     {Options{Config: board, Channels: channels}, "JobDBURL"},
		"that is meant":                 {Options{Config: board, Channels: channels, LookupEvery: -1}, ""},
		"a channel without a board":     {Options{Config: lookups, Channels: channels}, "BaseURL"},
		"to read only":                  {Options{Channels: channels, Feeds: feeds, ReadOnly: true}, ""},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "jobs.db")
		if c.opts.ReadOnly {
			path = guarded(t).db.address
		}
		m, err := Open(t.Context(), path, c.opts)
		if c.field == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if err := m.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		wrong, ok := errors.AsType[*jobboard.ConfigError](err)
		if !ok || wrong.Field != c.field || !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file is made, %v", name, err)
		}
	}
}

// What is no mirror's database, or is a newer one's, is refused in clear words,
// and not a byte of it changes.
func TestOpenRefusesWhatIsNoMirror(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("some notes of mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret.db")
	if err := os.WriteFile(secret, []byte("SQLite format 3\x00"), 0o000); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.db")
	if err := os.WriteFile(broken, []byte("SQLite format 3\x00and then something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Open(t.Context(), filepath.Join(dir, "newer.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = m.db.update(t.Context(), func(t *tx) error {
		_, err := t.Exec("UPDATE mirror SET value = '99' WHERE name = 'oldest'")
		return err
	})
	if err := errors.Join(err, m.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path  string
		want  error // nil: any
		words string
	}{
		"a text":     {text, ErrNotMirror, "not of SQLite"},
		"recipes":    {otherDatabase(t, filepath.Join(dir, "a.db"), "CREATE TABLE recipes (name TEXT)"), ErrNotMirror, `a table "recipes"`},
		"of jobs":    {otherDatabase(t, filepath.Join(dir, "b.db"), "CREATE TABLE jobs (name TEXT)"), ErrNotMirror, `a table "jobs"`},
		"a mirror":   {otherDatabase(t, filepath.Join(dir, "c.db"), "CREATE TABLE mirror (glass TEXT)"), ErrNotMirror, `"mirror"`},
		"with a WAL": {otherDatabase(t, filepath.Join(dir, "d.db"), "PRAGMA journal_mode = WAL", "CREATE TABLE x (y)"), ErrNotMirror, `a table "x"`},
		"a newer":    {filepath.Join(dir, "newer.db"), ErrNewer, "schema 99"},
		"broken":     {broken, nil, "jobmirror: "},
		"a folder":   {dir, nil, "is a directory"},
		"no folder":  {filepath.Join(dir, "no", "such.db"), os.ErrNotExist, "folder"},
		"in a file":  {filepath.Join(text, "x.db"), nil, "not a directory"},
		"unreadable": {secret, os.ErrPermission, "permission"},
		"no address": {"", nil, "no address"},
		"words":      {"host=db user=u password=secret@ dbname=mirror", nil, "postgres://"},
		"one slash":  {"postgres:/u:secret@h/db", nil, "postgres://"},
		"no colon":   {"postgres//u:secret@h/db", nil, "postgres://"},
		"no scheme":  {"user:secret@h:5432/db", nil, "postgres://"},
		"a slash":    {"user:/secret@h/db", nil, "postgres://"},
		"in quotes":  {"'postgres:u:secret@h/db'", nil, "postgres://"},
		"a scheme":   {"mysql://u:secret@h/db", nil, "mysql://"},
	} {
		if name == "unreadable" && os.Geteuid() == 0 {
			continue // nothing is, for root
		}
		before := contents(t, dir)
		for _, readOnly := range []bool{false, true} {
			if name == "no folder" && readOnly {
				continue // the missing file is the error then
			}
			m, err := Open(t.Context(), c.path, Options{ReadOnly: readOnly})
			if err == nil {
				m.Close()
				t.Errorf("%s is opened", name)
				continue
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "secret@") {
				t.Errorf("%s: %v, not %v with %q", name, err, c.want, c.words)
			}
		}
		if contents(t, dir) != before {
			t.Errorf("%s was written to, or beside", name)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "none.db"), Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there, to read: %v", err)
	}
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), empty, Options{ReadOnly: true}); !errors.Is(err, ErrNoSchema) {
		t.Errorf("a file that another process is about to set up, to read: %v", err)
	}
}

// Of two processes that open a new file, the second waits for the first to give it its journal.
func TestNewFileIsOpenedByTwo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "jobs.db")
	synctest.Test(t, func(t *testing.T) {
		// Its COMMIT waits while Open reads the file, and would else be told that the database is busy.
		other, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		other.SetMaxOpenConns(1)
		if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() {
			if _, err := other.ExecContext(t.Context(), "COMMIT"); err != nil {
				t.Error(err)
			}
		})
		m, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}
