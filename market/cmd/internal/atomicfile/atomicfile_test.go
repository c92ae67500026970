package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/atomicfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func want(t *testing.T, file, content string) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != content {
		t.Errorf("%s holds %q, %v; want %q", file, got, err, content)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a[b]*.json")
	if runtime.GOOS == "windows" {
		file = filepath.Join(dir, "a[b].json")
	}
	long := strings.Repeat("content", 100_000) // more than the buffer
	for _, content := range []string{"one", long, ""} {
		if err := atomicfile.Write(file, text(content)); err != nil {
			t.Fatal(err)
		}
		want(t, file, content)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestWriteInWorkingFolder writes a name without a folder.
func TestWriteInWorkingFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, elsewhere := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(elsewhere, "nowhere")
	}
	if err := atomicfile.Write("state", text("x")); err != nil {
		t.Fatal(err)
	}
	want(t, "state", "x")
	if got := names(t, "."); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state")
	if err := atomicfile.Write(file, text("old")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := atomicfile.Write(file, func(w io.Writer) error {
		_, _ = io.WriteString(w, "new")
		return boom
	})
	if !errors.Is(err, boom) {
		t.Error(err)
	}
	want(t, file, "old")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of write is lost")
			}
		}()
		_ = atomicfile.Write(file, func(io.Writer) error { panic(boom) })
	}()
	want(t, file, "old")
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(folder, text("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if err := atomicfile.Write(filepath.Join(dir, "nowhere", "x"), text("x")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("the folder holds %q", got)
	}
}

// TestKilled kills a process that replaces a file again and again, and finds
// the file whole each time.
func TestKilled(t *testing.T) {
	const size = 300_000
	if file := os.Getenv("ATOMICFILE_TEST"); file != "" {
		for c := byte('a'); ; c = 'a' + (c-'a'+1)%26 {
			if err := atomicfile.Write(file, text(strings.Repeat(string(c), size))); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "state")
	for i := range 15 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "ATOMICFILE_TEST="+file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for {
			if content, _ := os.ReadFile(file); len(content) > 0 && content[0] != 'a' {
				break // it has been replaced
			}
		}
		<-time.After(time.Duration(i) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		content, err := os.ReadFile(file)
		if err != nil || len(content) != size || strings.Count(string(content), string(content[:1])) != size {
			t.Fatalf("%d bytes, %v", len(content), err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
