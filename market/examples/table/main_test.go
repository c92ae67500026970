package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A test runs the program as a process of its own, which is this one with the variable set.
const childVariable = "JOBBOARD_TABLE_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// newPostgres starts a server of the test's own, and returns the address of its database.
func newPostgres(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		t.Skip("there is no PostgreSQL on this machine")
	}
	slices.Sort(found)
	bin := filepath.Dir(found[len(found)-1])
	data, err := os.MkdirTemp("", "table-")
	if err != nil {
		t.Fatal(err)
	}
	attributes := &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // a server refuses to be root's
		u, err := user.Lookup("nobody")
		if err != nil {
			t.Fatal(err)
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(data, int(uid), int(gid))); err != nil {
			t.Fatal(err)
		}
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	run := func(name string, args ...string) {
		t.Helper()
		command := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(bin, name), args...)
		command.SysProcAttr, command.Dir = attributes, data
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	run("initdb", "-D", data+"/db", "-A", "trust", "-U", "partner", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	run("pg_ctl", "-D", data+"/db", "-w", "-l", data+"/log", "-o", fmt.Sprintf("-p %d -h 127.0.0.1 -k '' -F", port), "start")
	t.Cleanup(func() {
		run("pg_ctl", "-D", data+"/db", "-m", "immediate", "-w", "stop")
		_ = os.RemoveAll(data)
	})
	return fmt.Sprintf("postgres://partner@127.0.0.1:%d/postgres?sslmode=disable", port)
}

// audit has the database note each place of the cursor, in the transaction that moves it: a change that
// is applied twice would be there twice, and one that is lost would not be there.
const audit = `
	CREATE TABLE audit (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, cursor TEXT NOT NULL);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit (cursor) VALUES (NEW.cursor); RETURN NEW; END $$;
	CREATE TRIGGER noted AFTER UPDATE ON board_cursor FOR EACH ROW EXECUTE FUNCTION note()`

// The board changes while two processes keep the table, and are killed again and again. In the end the
// table has the rows of the mirror, and each change was applied once, in order.
func TestKilledAtRandom(t *testing.T) {
	address := newPostgres(t)
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), tables+";"+audit); err != nil {
		t.Fatal(err)
	}
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	file := filepath.Join(t.TempDir(), "jobs.db")
	m, err := jobmirror.Open(t.Context(), file, jobmirror.Options{
		Config:   jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel), Languages: []string{"de", "en"}}}, Limit: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	refresh := func() {
		t.Helper()
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	refresh()

	kills, midst := 0, 0
	var children [2]*exec.Cmd
	start := func(i int) {
		t.Helper()
		child := exec.CommandContext(t.Context(), os.Args[0], "-mirror", file, "-database", address)
		child.Env, child.Stderr = append(os.Environ(), childVariable+"=1"), t.Output()
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		children[i] = child
	}
	kill := func(i int) {
		if children[i] != nil {
			_ = children[i].Process.Kill()
			_ = children[i].Wait()
			children[i] = nil
			kills++
		}
	}
	var jobs []int64
	for round := range 15 {
		for i := range children {
			start(i)
		}
		for range 10 {
			job, _ := fake.Publish(fake.Demo.Channel, jobboardtest.Job{Title: fmt.Sprint("Koch ", round), Language: "de"})
			jobs = append(jobs, job.ID)
		}
		if i := rand.IntN(len(jobs)); round%2 == 1 {
			fake.DeactivateJob(jobs[i])
		}
		if round == 7 {
			if err := m.Forget(t.Context(), jobboard.JobID(jobs[0])); err != nil {
				t.Fatal(err)
			}
		}
		before := applied(t, db)
		refresh()
		// The processes are killed in the midst of the changes, wherever they are.
		most, some := time.Now().Add(2*time.Second), before+1+rand.IntN(30)
		for applied(t, db) < some && time.Now().Before(most) {
			<-time.After(time.Duration(rand.IntN(2000)) * time.Microsecond)
		}
		if n := applied(t, db); n >= some && n < before+30 {
			midst++
		}
		kill(0)
		kill(1)
	}
	start(0)
	var end jobmirror.Cursor
	if err := m.Snapshot(t.Context(), func(at jobmirror.Cursor, _ iter.Seq2[jobmirror.Row, error]) error {
		end = at
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) {
		var at string
		if err := db.QueryRowContext(t.Context(), "SELECT cursor FROM board_cursor").Scan(&at); err != nil {
			t.Fatal(err)
		}
		if at == string(end) {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("the cursor is %s, and the log ends at %s", at, end)
		}
	}
	kill(0)
	if midst == 0 {
		t.Error("no process was killed in the midst of the changes")
	}
	checkApplied(t, m, db)
	checkRows(t, m, db)
	t.Logf("%d processes were killed, in %d rounds in the midst of the changes", kills, midst)
}

// applied returns how often the cursor was moved.
func applied(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM audit").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// checkApplied compares the places of the cursor with the log.
func checkApplied(t *testing.T, m *jobmirror.Mirror, db *sql.DB) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT cursor FROM audit ORDER BY number")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var places []jobmirror.Cursor
	for rows.Next() {
		var c jobmirror.Cursor
		if err := rows.Scan(&c); err != nil {
			t.Fatal(err)
		}
		places = append(places, c)
	}
	if err := rows.Err(); err != nil || len(places) < 10 {
		t.Fatalf("the cursor was moved %d times, %v", len(places), err)
	}
	want := places[:1:1] // the snapshot
	for change, err := range m.Changes(t.Context(), places[0]) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, change.Cursor)
	}
	if !slices.Equal(places, want) {
		t.Errorf("%d changes were applied, not %d, or in another order", len(places)-1, len(want)-1)
	}
}

// checkRows compares the tables with the mirror's rows.
func checkRows(t *testing.T, m *jobmirror.Mirror, db *sql.DB) {
	t.Helper()
	want := map[string]any{}
	if err := m.Snapshot(t.Context(), func(_ jobmirror.Cursor, rows iter.Seq2[jobmirror.Row, error]) error {
		for row, err := range rows {
			if err != nil {
				return err
			}
			if row.Posting != nil {
				want[fmt.Sprint("posting ", row.Posting.Posting, row.Posting.Language, " ", row.Posting.Title, " ", int64(row.Posting.Job))] = plain(t, row.Posting)
			}
			if row.Job != nil {
				want[fmt.Sprint("job ", row.Job.Job, " ", row.Job.State)] = plain(t, row.Job)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(t.Context(), `SELECT 'posting ' || posting || language || ' ' || title || ' ' || coalesce(job, 0), record FROM board_postings
		UNION ALL SELECT 'job ' || job || ' ' || state, record FROM board_jobs`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got := map[string]any{}
	for rows.Next() {
		var name string
		var record []byte
		if err := rows.Scan(&name, &record); err != nil {
			t.Fatal(err)
		}
		got[name] = plain(t, json.RawMessage(record))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(want) < 50 || !reflect.DeepEqual(got, want) {
		t.Errorf("the tables have %d rows, the mirror %d", len(got), len(want))
		for name := range want {
			if !reflect.DeepEqual(got[name], want[name]) {
				t.Errorf("%s: %v\nnot %v", name, got[name], want[name])
			}
		}
		for name := range got {
			if want[name] == nil {
				t.Errorf("%s is not in the mirror", name)
			}
		}
	}
}

// plain returns a record as JSON has it.
func plain(t *testing.T, record any) (out any) {
	t.Helper()
	text, err := json.Marshal(record)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
