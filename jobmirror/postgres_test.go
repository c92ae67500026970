package jobmirror_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// server is a PostgreSQL server of the tests' own.
type server struct {
	bin, data  string
	port       int
	attributes *syscall.SysProcAttr // of a process that is not root's
	run        func(name string, args ...string) error
	databases  atomic.Int32
}

var postgres *server // nil: the machine has no PostgreSQL

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	var err error
	if postgres, err = startPostgres(); err != nil {
		fmt.Fprintln(os.Stderr, "postgres:", err)
		os.Exit(1)
	}
	if postgres != nil {
		jobmirror.Databases["postgres"] = func(t *testing.T) string { return postgres.create(t) }
	} else if os.Getenv("JOBBOARD_NEED_POSTGRES") != "" {
		fmt.Fprintln(os.Stderr, "postgres: JOBBOARD_NEED_POSTGRES is set, and there is no PostgreSQL on this machine")
		os.Exit(1)
	}
	code := m.Run()
	if postgres != nil {
		if err := postgres.stop("immediate"); err != nil {
			fmt.Fprintln(os.Stderr, "postgres:", err)
			code = 1
		}
		os.RemoveAll(postgres.data)
	}
	os.Exit(code)
}

// startPostgres starts a server on a free port of loopback: as another user
// where the tests run as root, which the server refuses.
func startPostgres() (*server, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return nil, nil
	}
	slices.Sort(found)
	s := &server{bin: filepath.Dir(found[len(found)-1])}
	var err error
	if s.data, err = os.MkdirTemp("", "jobmirror-postgres-"); err != nil {
		return nil, err
	}
	attributes := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		u, err := user.Lookup("nobody")
		if err != nil {
			return nil, err
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(s.data, int(uid), int(gid))); err != nil {
			return nil, err
		}
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	s.attributes = attributes
	s.run = func(name string, args ...string) error {
		command := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...)
		command.SysProcAttr, command.Dir = attributes, s.data
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, out)
		}
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	if err := s.run("initdb", "-D", s.data+"/db", "-A", "trust", "-U", "mirror", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"); err != nil {
		return nil, err
	}
	return s, s.start()
}

func (s *server) start() error {
	settings := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=%s -c max_connections=500", s.port, s.data)
	if !long() {
		settings += " -c fsync=off" // no test takes the power away
	}
	return s.run("pg_ctl", "-D", s.data+"/db", "-w", "-t", "60", "-l", s.data+"/log", "-o", settings, "start")
}

func (s *server) stop(mode string) error {
	return s.run("pg_ctl", "-D", s.data+"/db", "-w", "-m", mode, "stop")
}

func (s *server) address(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("mirror"), Host: "127.0.0.1:" + strconv.Itoa(s.port), Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}

// create makes an empty database.
func (s *server) create(t *testing.T) string {
	t.Helper()
	return s.createFrom(t, "template1")
}

// createFrom makes a database that is a copy of another one.
func (s *server) createFrom(t *testing.T, template string) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.databases.Add(1))
	execute(t, s.address("postgres"), "CREATE DATABASE "+name+" TEMPLATE "+template)
	return s.address(name)
}

// execute runs a statement at an address.
func execute(t *testing.T, address, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := openSQL(t, address).ExecContext(ctx, statement); err != nil {
		t.Fatal(err)
	}
}
