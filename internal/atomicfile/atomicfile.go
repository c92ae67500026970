// Package atomicfile replaces files in one step. If the program or the machine stops meanwhile, the
// old file or the new file is there, never a part.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Write makes or replaces the file of that name, with the bytes that write writes. When Write
// returns nil the content and the name are on the disk. On an error the old file is unchanged, with
// one exception: if syncing the folder fails, the new file is already in place, but a loss of power
// may bring the old file back. The file is readable and writable by its owner alone.
func Write(name string, write func(io.Writer) error) error {
	dir, base := split(name)
	f, err := os.CreateTemp(dir, prefix(base)+"*"+suffix)
	if err != nil {
		return err
	}
	defer func() { // also if write panics; after the rename both calls fail and change nothing
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	b := bufio.NewWriterSize(f, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := errors.Join(b.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := rename(f.Name(), name); err != nil {
		return fmt.Errorf("replacing %s: %w", name, err)
	}
	return nil
}

// RemoveLeftovers removes the temporary files that killed processes left beside the file of that
// name. No Write of that name may run meanwhile.
func RemoveLeftovers(name string) {
	dir, base := split(name)
	entries, _ := os.ReadDir(dir) // a folder that cannot be read needs no clean-up
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), prefix(base))
		middle, temporary := strings.CutSuffix(middle, suffix)
		if ok && temporary && isRandom(middle) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// split returns the folder of a file and its name there.
func split(name string) (dir, base string) {
	dir, base = filepath.Split(name)
	return cmp.Or(dir, "."), base
}

// The names of unfinished files. CreateTemp puts digits between the two.
func prefix(base string) string { return "." + base + "." }

const suffix = ".tmp"

func isRandom(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
