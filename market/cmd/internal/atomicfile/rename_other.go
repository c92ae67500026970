//go:build !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// rename renames a file and syncs the folder, so that the name too survives a
// loss of power.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	dir, _ := split(to)
	return syncFolder(dir)
}

// syncFolder syncs a folder to the disk. It ignores folders that cannot be read
// or synced: trying again would not help, and the file is in place.
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
