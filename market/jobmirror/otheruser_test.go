package jobmirror_test

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A timer copies as one user, and a site reads the copy as another, which may not write the folder: it is
// refused with what to do, or else finds what the next refresh brings. Once a group of both may write
// there, it finds that after each refresh.
func TestSiteOfAnotherUser(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	if os.Getuid() != 0 {
		t.Skip("only root starts a process as another user")
	}
	other := postgres.attributes.Credential
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	text, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "jobs")
	file := filepath.Join(folder, "jobs.db")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	// The timer: a process that comes, copies what there is, and goes.
	night := func(title string, meanwhile func()) {
		t.Helper()
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: title, Language: "de"})
		m, err := jobmirror.Open(t.Context(), file, optionsOf(srv))
		if err != nil {
			t.Fatal(err)
		}
		refresh(t, m)
		meanwhile()
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// The site: what it tells when it starts is its address, or why it does not.
	site := func() string {
		t.Helper()
		command := childCommand(t.Context(), t, childOptions{Database: file, Serve: true})
		command.Path, command.Dir = program, dir
		command.SysProcAttr = &syscall.SysProcAttr{Credential: other}
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = command.Process.Signal(syscall.SIGTERM)
			_ = command.Wait()
		})
		return strings.TrimSpace(line)
	}
	ask := func(address string) (status int, body string) {
		t.Helper()
		resp, err := (&http.Client{Timeout: time.Minute}).Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	// Whoever asks a site is answered with what the last night brought, or told that it cannot.
	check := func(address, title string, must bool) {
		t.Helper()
		ready, _ := ask(address + "/mirror/ready")
		status, body := ask(address + "/api/rest/v2/frontend/jobboards/" + srv.Demo.Channel + "/jobs?search=" + url.QueryEscape(title))
		switch found := status == http.StatusOK && strings.Contains(body, title); {
		case found && ready != http.StatusOK, !found && ready == http.StatusOK, must && !found:
			t.Errorf("asked for %s it answers %d, and whether it is ready %d: %.300s", title, status, ready, body)
		}
	}
	refused := func(when, said string) {
		t.Helper()
		if !strings.Contains(said, "let a group") {
			t.Errorf("%s: %s", when, said)
		}
	}

	night("Schiffbauer", func() {})
	refused("after a refresh", site())
	var beside string
	night("Hebamme", func() {
		if beside = site(); strings.HasPrefix(beside, "http") {
			check(beside, "Hebamme", false)
		} else {
			refused("beside a refresh", beside)
		}
	})
	for _, title := range []string{"Optiker", "Winzer"} {
		night(title, func() {})
		if strings.HasPrefix(beside, "http") {
			check(beside, title, false)
		}
	}

	for name, mode := range map[string]os.FileMode{folder: 0o2775, file: 0o664} {
		if err := os.Chown(name, 0, int(other.Gid)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	address := site()
	for _, title := range []string{"Glasbläser", "Imker", "Kranführer"} {
		night(title, func() { check(address, title, true) })
		check(address, title, true)
		check(site(), title, true)
	}
}
