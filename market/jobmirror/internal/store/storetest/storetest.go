//go:build unix

// Package storetest runs the tests of packages that keep tables in a store, on both databases.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Tables are what a test's database has beside those that each mirror's has.
type Tables struct {
	SQL string                  // of both databases
	Add []func(s *store.Schema) // AddTables of packages
	// Counters are the names of what Tx.Next raises.
	Counters []string
}

// Each runs a test on a new database of each kind: on SQLite, and on a server of PostgreSQL where the machine has
// one. again opens the database once more, as another process does.
func Each(t *testing.T, tables Tables, test func(t *testing.T, db *store.DB, again func() *store.DB)) {
	t.Helper()
	schema := tables.schema()
	run := func(name string, address func(t *testing.T) string) {
		t.Run(name, func(t *testing.T) {
			at := address(t)
			open := func() *store.DB {
				db, err := store.Open(t.Context(), at, schema, false)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				return db
			}
			db := open()
			if err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			test(t, db, open)
		})
	}
	run("sqlite", func(t *testing.T) string { return filepath.Join(t.TempDir(), "test.db") })
	bin := postgresPrograms()
	switch {
	case bin != "":
		run("postgres", func(t *testing.T) string {
			t.Helper()
			s, err := begin()
			if err == nil {
				var address string
				if address, err = s.create(); err == nil {
					return address
				}
			}
			t.Fatal(err)
			return ""
		})
	case os.Getenv("JOBBOARD_NEED_POSTGRES") != "":
		t.Error("JOBBOARD_NEED_POSTGRES is set, and there is no PostgreSQL on this machine")
	}
}

func (t Tables) schema() store.Schema {
	s := store.Schema{Program: "test", Version: 1, Own: map[string]string{}, Tables: `
		CREATE TABLE mirror (name TEXT PRIMARY KEY, value TEXT NOT NULL) @clustered;
		INSERT INTO mirror VALUES ('program', 'test'), ('oldest', '1');
		CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL) @clustered;` + t.SQL}
	for _, name := range t.Counters {
		s.Own["postgres"] += "CREATE SEQUENCE mirror_" + name + ";"
	}
	for _, add := range t.Add {
		add(&s)
	}
	return s
}

// server is a server of PostgreSQL on a port of loopback. It belongs to the process, and ends with it.
type server struct {
	bin, data string
	port      int
	as        *syscall.SysProcAttr // another user where the tests run as root, whom the server refuses
	alive     io.Closer            // the end of a pipe: once it is closed the server is stopped
	databases atomic.Int32
}

// begin starts the server of this process, the first time.
var begin = sync.OnceValues(func() (s *server, err error) {
	s = &server{bin: postgresPrograms(), as: &syscall.SysProcAttr{}}
	if s.data, err = os.MkdirTemp("", "storetest-"); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			return nil, err
		}
		uid, err1 := strconv.ParseUint(nobody.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(nobody.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(s.data, int(uid), int(gid))); err != nil {
			return nil, err
		}
		s.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	if err := s.keep(); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	s.port, err = strconv.Atoi(port)
	if err := errors.Join(err, listener.Close()); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=%s -c fsync=off", s.port, s.data)
	return s, errors.Join(
		s.run("initdb", "-D", s.data+"/db", "-A", "trust", "-U", "mirror", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"),
		s.run("pg_ctl", "-D", s.data+"/db", "-w", "-t", "60", "-l", s.data+"/log", "-o", settings, "start"),
	)
})

// keep starts a process that stops the server and removes its files once this process has ended, in whatever way.
func (s *server) keep() error {
	const script = `
		read -r _
		"$1/pg_ctl" -D "$2/db" -m immediate -w stop
		cd / && rm -rf "$2"`
	keeper := exec.CommandContext(context.Background(), "sh", "-c", script, "sh", s.bin, s.data)
	as := *s.as
	as.Setsid = true
	keeper.SysProcAttr, keeper.Dir = &as, s.data
	pipe, err := keeper.StdinPipe()
	s.alive = pipe
	if err != nil {
		return err
	}
	return keeper.Start()
}

func (s *server) run(name string, args ...string) error {
	command := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...)
	command.SysProcAttr, command.Dir = s.as, s.data
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// create makes an empty database, and returns its address.
func (s *server) create() (address string, err error) {
	name := "test" + strconv.Itoa(int(s.databases.Add(1)))
	port := strconv.Itoa(s.port)
	err = s.run("createdb", "-h", "127.0.0.1", "-p", port, "-U", "mirror", name)
	return "postgres://mirror@127.0.0.1:" + port + "/" + name + "?sslmode=disable", err
}

// postgresPrograms returns the folder of the newest PostgreSQL; empty: the machine has none.
func postgresPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}
