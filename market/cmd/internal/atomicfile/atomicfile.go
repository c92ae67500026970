// Package atomicfile replaces files in one step. If the program or the machine
// stops meanwhile, the old file or the new one is there, never a part.
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

// Write creates or replaces a file with the content that write writes. When
// Write returns nil, content and name are safe on the disk. On an error either
// nothing has changed, or the complete new file is in place but its name may
// not survive a loss of power. The file is readable and writable by its owner
// alone.
func Write(name string, write func(io.Writer) error) error {
	dir, base := split(name)
	f, err := os.CreateTemp(dir, "."+base+".*.tmp")
	if err != nil {
		return err
	}
	defer func() { // also if write panics; after a success both calls fail harmlessly
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
