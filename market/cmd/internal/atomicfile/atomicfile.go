// Package atomicfile replaces files in one step. Whoever ends the program or
// the machine meanwhile leaves the old file or the new one, never a part.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write replaces the file of that name by what write writes, or makes it. When
// Write returns nil the content and the name are on the disk. On an error the
// old file, if there was one, is as it was, or the new one is whole in its
// place and only its name may not outlast a loss of power. The file is readable
// and writable by its owner alone.
func Write(name string, write func(io.Writer) error) error {
	dir, base := split(name)
	f, err := os.CreateTemp(dir, "."+base+".*.tmp")
	if err != nil {
		return err
	}
	defer func() { // also where write panics; a file that is in its place has been closed and renamed
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

// split returns the folder of a file and its name there.
func split(name string) (dir, base string) {
	dir, base = filepath.Split(name)
	return cmp.Or(dir, "."), base
}
