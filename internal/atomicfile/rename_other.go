//go:build !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// rename gives the file its name and writes the folder to the disk, so that
// the name lasts too. A folder that cannot be read or synced is left to the
// system: it refuses for good, and the file is in place.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	err := syncFolder(filepath.Dir(to))
	for _, refused := range []error{fs.ErrPermission, errors.ErrUnsupported, syscall.EINVAL} {
		if errors.Is(err, refused) {
			return nil
		}
	}
	return err
}

func syncFolder(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
