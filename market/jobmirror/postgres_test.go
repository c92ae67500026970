package jobmirror_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// server is a PostgreSQL server of the tests' own, or of one test's.
type server struct {
	bin, data  string
	port       int
	attributes *syscall.SysProcAttr // of a process whose user is not root
	run        func(name string, args ...string) error
	begin      func() error // makes the server's files and starts it, the first time
	end        func() error // ends it for good
	databases  atomic.Int32
	migrated   func() (name string, err error) // makes the database that is copied where a mirror's tables are to be there
}

var postgres *server // nil: the machine has no PostgreSQL

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	atOnce()
	if !testenv.Whole() {
		debug.SetGCPercent(400) // a tenth of the processor time otherwise goes into collecting
	}
	forget, err := inMemory()
	if err != nil {
		fmt.Fprintln(os.Stderr, "the tests' files:", err)
		os.Exit(1)
	}
	if postgres, err = newServer(); err != nil {
		fmt.Fprintln(os.Stderr, "postgres:", err)
		os.Exit(1)
	}
	if postgres != nil {
		jobmirror.Databases["postgres"] = func(t *testing.T) string { return postgres.createMigrated(t) }
	} else if os.Getenv("JOBBOARD_NEED_POSTGRES") != "" {
		fmt.Fprintln(os.Stderr, "postgres: JOBBOARD_NEED_POSTGRES is set, and there is no PostgreSQL on this machine")
		os.Exit(1)
	}
	code := m.Run()
	if postgres != nil {
		if err := postgres.end(); err != nil {
			fmt.Fprintln(os.Stderr, "postgres:", err)
			code = 1
		}
	}
	if err := forget(); err != nil {
		fmt.Fprintln(os.Stderr, "the tests' files:", err)
		code = 1
	}
	os.Exit(code)
}

// serverFiles is where servers have their files: on disk, unless inMemory finds room for some gigabytes.
var serverFiles = os.TempDir()

// inMemory has the tests' other files in memory, but in a long run, where the machine has room
// for them there: no test takes the power away, and half of what SQLite takes of a processor is
// the disk's. So has it those of servers for a share of the tests: a new database, of which there are two
// hundred, takes a quarter of the processor time there. forget removes them; a helper process does so if the
// tests are killed.
func inMemory() (forget func() error, err error) {
	const memory, room, forServers = "/dev/shm", 4 << 30, 12 << 30
	var has syscall.Statfs_t
	if err := syscall.Statfs(memory, &has); err != nil || long() || os.Getenv("TMPDIR") != "" || has.Bavail*uint64(has.Bsize) < room {
		return func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp(memory, "jobmirror-tests-")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Setenv("TMPDIR", dir)); err != nil { // a server's user reads what is there
		return nil, err
	}
	if !testenv.Whole() && has.Bavail*uint64(has.Bsize) >= forServers {
		serverFiles = dir
	}
	keeper := exec.CommandContext(context.Background(), "sh", "-c", `read -r _; rm -rf "$1"`, "sh", dir)
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := keeper.StdinPipe()
	if err != nil {
		return nil, err
	}
	return func() error { return errors.Join(pipe.Close(), keeper.Wait()) }, keeper.Start()
}

// atOnce lets more tests run side by side than there are processors: those that are
// marked as parallel wait most of the time, for leases to end and for processes that
// are killed.
func atOnce() {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
}

// newServer returns a server on a free port of loopback that begins when the first test needs
// it: as another user where the tests run as root, which the server refuses. It is nil if
// PostgreSQL is not installed.
func newServer() (*server, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return nil, nil
	}
	slices.Sort(found)
	s := &server{bin: filepath.Dir(found[len(found)-1])}
	s.migrated = sync.OnceValues(func() (string, error) {
		const name = "migrated"
		if err := s.execute("CREATE DATABASE " + name); err != nil {
			return "", err
		}
		return name, jobmirror.Migrate(context.Background(), s.address(name))
	})
	var err error
	if s.data, err = os.MkdirTemp(serverFiles, "jobmirror-postgres-"); err != nil {
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
	if s.end, err = s.keep(); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	s.begin = sync.OnceValue(func() error {
		err := s.run("initdb", "-D", s.data+"/db", "-A", "trust", "-U", "mirror", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
		if err != nil {
			return err
		}
		return s.start()
	})
	return s, nil
}

// keep starts a process that stops the server and removes its files when end is called, or when
// this process ends without it: when it is killed, or a test takes too long. The process reads
// from a pipe, and comes to its end then. It has a session of its own, so that a signal to the
// tests does not end it as well. Nobody waits for the files to be removed: there are some
// gigabytes of them.
func (s *server) keep() (end func() error, err error) {
	const script = `
		trap "" PIPE # nobody may be left who reads what it says
		stop() { [ ! -e "$2/db/postmaster.pid" ] || "$1/pg_ctl" -D "$2/db" -m immediate -w stop >&2; }
		read -r _
		stop "$@" && echo stopped
		cd /
		for _ in 1 2 3 4 5; do
			rm -rf "$2" && break
			sleep 1
			stop "$@" # it was just being started
		done`
	keeper := exec.CommandContext(context.Background(), "sh", "-c", script, "sh", s.bin, s.data)
	attributes := *s.attributes
	attributes.Setsid = true
	keeper.SysProcAttr, keeper.Dir = &attributes, s.data
	pipe, err1 := keeper.StdinPipe()
	said, err2 := keeper.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return func() error {
		if err := pipe.Close(); err != nil {
			return err
		}
		if text, err := bufio.NewReader(said).ReadString('\n'); err != nil {
			return fmt.Errorf("the server may not have stopped: %q, %w", text, err)
		}
		return nil
	}, keeper.Start()
}

func (s *server) start() error {
	settings := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=%s -c max_connections=500", s.port, s.data)
	if !long() {
		settings += " -c fsync=off -c full_page_writes=off" // no test takes the power away
	}
	if !testenv.Whole() {
		settings += " -c autovacuum=off" // it goes through all databases, which are small and soon done with
	}
	return s.run("pg_ctl", "-D", s.data+"/db", "-w", "-t", "60", "-l", s.data+"/log", "-o", settings, "start")
}

// ownServer starts a server for a test that takes it away or lets it crash, while
// others go on.
func ownServer(t *testing.T) *server {
	t.Helper()
	needPostgres(t)
	s, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
	if err := s.begin(); err != nil {
		t.Fatal(err)
	}
	return s
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
	if err := s.begin(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("test%d", s.databases.Add(1))
	if err := s.execute("CREATE DATABASE " + name + " TEMPLATE " + template); err != nil {
		t.Fatal(err)
	}
	return s.address(name)
}

// createMigrated makes a database that has a mirror's tables.
func (s *server) createMigrated(t *testing.T) string {
	t.Helper()
	if err := s.begin(); err != nil {
		t.Fatal(err)
	}
	template, err := s.migrated()
	if err != nil {
		t.Fatal(err)
	}
	return s.createFrom(t, template)
}

// execute runs a statement beside all databases.
func (s *server) execute(statement string) error {
	db, err := sql.Open("pgx", s.address("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = db.ExecContext(ctx, statement)
	return err
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
