package jobmirror_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// throughPooler holds what a pooler needs in the address of a database.
const throughPooler = "&default_query_exec_mode=cache_describe"

// pgbouncer starts PgBouncer before a server, lending sessions out for a transaction, and
// returns its port.
func pgbouncer(t *testing.T, before *server) int {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("JOBBOARD_NEED_POSTGRES") != "" {
			t.Fatal("JOBBOARD_NEED_POSTGRES is set, and there is no PgBouncer on this machine")
		}
		t.Skip("there is no PgBouncer on this machine")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	number := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	port := strconv.Itoa(number)
	file := filepath.Join(before.data, "pgbouncer-"+port+".ini")
	replaceFile(t, file, fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d user=mirror
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
max_client_conn = 500
`, before.port, port))
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	// It is killed when the pipe is closed, also because the tests were killed.
	const script = `"$@" & read -r _; kill -KILL $!`
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", script, "sh", program, "-q", file)
	command.SysProcAttr, command.Dir = before.attributes, before.data
	var told lines
	command.Stderr = &told
	pipe, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pipe.Close()
		_ = command.Wait()
	})
	until(t, 20*time.Second, "PgBouncer listens", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return number
}

// With PgBouncer, which lends six sessions per transaction to three mirrors, everything works
// as without it: a fill, a timer's Refresh beside it, the limit, readers, the log of changes.
func TestBehindAPooler(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	feed := filepath.Join(t.TempDir(), "feed.xml")
	jobs := manyJobs(srv, 600)
	feedOf(t, feed, jobs, 0)
	address := postgres.create(t)
	pooled := strings.Replace(address, ":"+strconv.Itoa(postgres.port), ":"+strconv.Itoa(pgbouncer(t, postgres)), 1)

	opts := optionsOf(srv)
	opts.Feeds = append(opts.Feeds, jobmirror.Feed{Address: feed})
	opts.Limit, opts.RefreshEvery = 300, time.Second
	if _, err := jobmirror.Open(t.Context(), pooled, opts); err == nil || !strings.Contains(err.Error(), throughPooler[1:]) {
		t.Errorf("an address that does not say that it is a pooler's: %v", err)
	}
	pooled += throughPooler
	if _, err := jobmirror.Open(t.Context(), pooled, opts); !errors.Is(err, jobmirror.ErrNoSchema) || !strings.Contains(err.Error(), "pooler") {
		t.Errorf("setting up through a pooler: %v", err)
	}
	if err := jobmirror.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	first, second, reader := open(t, pooled, opts), open(t, pooled, opts), open(t, pooled, jobmirror.Options{ReadOnly: true})
	stop := run(t, first, second)
	known := 0
	until(t, time.Minute, "the jobs are known", func() bool {
		known = countOpen(t, reader)
		return known >= 600
	})
	refresh(t, first)
	srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Kranführer", Language: "de"})
	until(t, time.Minute, "a new posting is found", func() bool {
		page, err := reader.Search(t.Context(), jobmirror.Query{Text: "kranführer", Facets: true})
		return err == nil && page.Facets.Total > 0
	})
	stop()
	if status, err := reader.Status(t.Context()); err != nil || status.Failing > 0 {
		t.Errorf("%+v, %v", status, err)
	}
	checkReplay(t, first)
}
