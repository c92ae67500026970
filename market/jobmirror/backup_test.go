package jobmirror_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A backup of a mirror at work is a whole copy of one moment, which opens.
func TestBackup(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	dir := t.TempDir()
	opts := optionsOf(srv)
	m := open(t, filepath.Join(dir, "jobs.db"), opts)
	refresh(t, m)
	stop := run(t, m)
	defer stop()
	copied := filepath.Join(dir, "backup.db")
	if err := m.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if err := m.Backup(t.Context(), copied); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file that is there: %v", err)
	}
	back := open(t, copied, jobmirror.Options{ReadOnly: true})
	want, got := find(t, m, jobmirror.Query{Limit: 1000}), find(t, back, jobmirror.Query{Limit: 1000})
	if len(got) == 0 || len(got) != len(want) {
		t.Errorf("%d postings, not %d", len(got), len(want))
	}
	checkReplay(t, back)
}

// Whoever may not read the mirror may not read its backup. Any name will do for one.
func TestBackupIsAsPrivateAsTheMirror(t *testing.T) {
	t.Chdir(t.TempDir())
	m := open(t, "jobs.db", jobmirror.Options{})
	for name, mode := range map[string]os.FileMode{"private.db": 0o600, "file:private.db": 0o640, "?mode=memory": 0o600} {
		if err := os.Chmod("jobs.db", mode); err != nil {
			t.Fatal(err)
		}
		// What was broken off may have been made while all might read the mirror.
		if name == "private.db" {
			if err := os.WriteFile(name+".unfinished", []byte("broken off"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Backup(t.Context(), name); err != nil {
			t.Error(err)
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode || info.Size() == 0 {
			t.Errorf("%s of a mirror with %s: %s, %d bytes", name, mode, info.Mode(), info.Size())
		}
	}
	if left, err := filepath.Glob("*.unfinished"); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}

// Of several backups to one file one is made. What another writes is not taken for whole,
// and what was broken off is in nobody's way.
func TestBackupsToOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := open(t, filepath.Join(dir, "jobs.db"), jobmirror.Options{})
	file := filepath.Join(dir, "backup.db")
	if err := os.WriteFile(file+".unfinished", []byte("broken off"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := flock.New(file + ".unfinished")
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}
	err := m.Backup(t.Context(), file)
	kept, _ := os.ReadFile(file + ".unfinished")
	if err == nil || string(kept) != "broken off" {
		t.Errorf("beside one that is being written: %v, which has left %q", err, kept)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := m.Backup(t.Context(), file); err != nil {
		t.Error(err)
	}
	_ = open(t, file, jobmirror.Options{ReadOnly: true})

	// A link, which in a folder of all users may be anybody's, leads to no other file.
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("foreign"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(foreign, filepath.Join(dir, "linked.db.unfinished")); err != nil {
		t.Fatal(err)
	}
	err = m.Backup(t.Context(), filepath.Join(dir, "linked.db"))
	if kept, _ := os.ReadFile(foreign); err == nil || string(kept) != "foreign" {
		t.Errorf("through a link: %v, and the file has %q", err, kept)
	}
}

// Where nothing may be written a mirror is refused, to run it and to read it, and whoever needs it is
// told what to do. Nobody can promise that its file never changes.
func TestWhereNothingMayBeWritten(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	dir := filepath.Join(t.TempDir(), "kept")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "jobs.db")
	m := open(t, file, optionsOf(srv))
	refresh(t, m)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// A link to nowhere in the place of the file that SQLite would make: whoever runs the
	// tests may be allowed to write everywhere.
	if err := os.Symlink(filepath.Join(dir, "nowhere", "file"), file+"-shm"); err != nil {
		t.Fatal(err)
	}
	for _, left := range []bool{false, true} { // what a process has left that was killed
		if left {
			if err := os.WriteFile(file+"-wal", []byte("left"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for what, opts := range map[string]jobmirror.Options{"to write": optionsOf(srv), "to read": {ReadOnly: true}} {
			m, err := jobmirror.Open(t.Context(), file, opts)
			if !errors.Is(err, os.ErrPermission) {
				t.Errorf("%s: %v, %v", what, m, err)
			} else if opts.ReadOnly && !strings.Contains(err.Error(), "let a group") {
				t.Errorf("%s: %v does not say what to do", what, err)
			}
		}
	}
	for _, beside := range []string{"-shm", "-wal"} {
		if err := os.Remove(file + beside); err != nil {
			t.Fatal(err)
		}
	}
	if hits := find(t, open(t, file, jobmirror.Options{ReadOnly: true}), jobmirror.Query{}); len(hits) == 0 {
		t.Error("where it may be written nothing is found")
	}
}

// A path is a path, whatever it looks like.
func TestPathsThatLookOtherwise(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, path := range []string{"/" + filepath.Join(dir, "two slashes.db"), "file:jobs.db", "?mode=memory", "%20#.db", "./jobs.db"} {
		open(t, path, jobmirror.Options{})
		open(t, path, jobmirror.Options{ReadOnly: true})
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

// A reader that follows the log of a PostgreSQL mirror, while a dump of it is put back that
// is older than what the reader has seen, is told to begin anew, and has the tables then;
// the process that runs the mirror goes on.
func TestDumpIsPutBackUnderAReader(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	address := postgres.createMigrated(t)
	m := open(t, address, optionsOf(srv))
	publish := func(title string) {
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: title, Language: "de"})
		refresh(t, m)
		if _, _, err := snapshot(t.Context(), m); err != nil { // which gives what is written its numbers
			t.Fatal(err)
		}
	}
	publish("Schiffbauer")
	dump := filepath.Join(postgres.data, "dump-"+filepath.Base(t.TempDir())+".sql")
	if err := postgres.run("pg_dump", "--clean", "-d", address, "-f", dump); err != nil {
		t.Fatal(err)
	}
	reader := open(t, address, jobmirror.Options{ReadOnly: true})
	rows, at, err := snapshot(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	// follow applies what the log has after the reader's cursor.
	follow := func() error {
		for change, err := range reader.Changes(t.Context(), at) {
			if err == nil {
				err = rows.Apply(change)
			}
			if err != nil {
				return err
			}
			at = change.Cursor
		}
		return nil
	}
	publish("Hebamme")
	if err := follow(); err != nil {
		t.Fatal(err)
	}
	if err := postgres.run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-1", "-d", address, "-f", dump); err != nil {
		t.Fatal(err)
	}
	publish("Kranführer")
	publish("Imker")
	if err := follow(); !errors.Is(err, jobmirror.ErrCursorAhead) {
		t.Errorf("after a dump was put back: %v", err)
	}
	if rows, at, err = snapshot(t.Context(), reader); err != nil {
		t.Fatal(err)
	}
	publish("Glasbläser")
	if err := follow(); err != nil {
		t.Errorf("begun anew: %v", err)
	}
	want, _, err := snapshot(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	rows.Compare(t, "of the reader", want)
	checkReplay(t, m)
}
