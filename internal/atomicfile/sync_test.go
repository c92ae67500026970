//go:build unix

package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFullDisk: what could not be written to its end takes nobody's place, and
// nothing of it stays.
func TestFullDisk(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	limited := before
	limited.Cur = 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err := Write(filepath.Join(dir, "state"), func(w io.Writer) error {
		_, err := io.WriteString(w, "more than ten bytes")
		return err
	})
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("a file that could not be written: %v", err)
	}
	if left, err := os.ReadDir(dir); len(left) != 0 || err != nil {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// TestFilesAreClosed: a Write that fails leaves no file open.
func TestFilesAreClosed(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	before := open()
	for range 10 {
		if Write(filepath.Join(t.TempDir(), "state"), func(io.Writer) error { return io.ErrClosedPipe }) == nil {
			t.Error("the error is lost")
		}
	}
	if after := open(); after > before {
		t.Errorf("%d files are open, %d before", after, before)
	}
}

// TestSyncFolder: if the system refuses to sync a folder, the file is still in place.
func TestSyncFolder(t *testing.T) {
	if err := syncFolder(os.DevNull); err != nil {
		t.Errorf("what cannot be synced: %v", err)
	}
	if err := syncFolder(filepath.Join(t.TempDir(), "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
}
