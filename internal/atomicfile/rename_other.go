//go:build !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// rename gives the file its name and writes the folder to the disk, so that
// the name lasts too.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	dir, _ := split(to)
	return syncFolder(dir)
}

// syncFolder writes a folder to the disk. It ignores a system that never permits this for the
// folder, because the file is in place.
func syncFolder(name string) error {
	dir, err := os.Open(name)
	if err == nil {
		err = errors.Join(dir.Sync(), dir.Close())
	}
	for _, refused := range []error{fs.ErrPermission, errors.ErrUnsupported, syscall.EINVAL} {
		if errors.Is(err, refused) {
			return nil
		}
	}
	return err
}
