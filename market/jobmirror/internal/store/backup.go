package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// Backup writes a whole copy of the database to a new file, of one moment, while others
// go on to write. Who may read the database may read the copy. Its errors are os.ErrExist
// where the file is there, and errors.ErrUnsupported for a database that is no file.
func (db *DB) Backup(ctx context.Context, path string) error {
	if db.Shared {
		return fmt.Errorf("jobmirror: a server has its own way to back up, such as pg_dump: %w", errors.ErrUnsupported)
	}
	if err := db.backup(ctx, path); err != nil {
		return fmt.Errorf("jobmirror: the backup: %w", err)
	}
	return nil
}

func (db *DB) backup(ctx context.Context, path string) error {
	like, err := os.Stat(db.path)
	if err != nil {
		return err
	}
	// A copy that was broken off never stands under the name of a whole one. The name is
	// absolute: SQLite takes one that begins with "file:" for an address.
	unfinished, err := filepath.Abs(path + ".unfinished")
	if err != nil {
		return err
	}
	release, err := reserve(unfinished, like.Mode().Perm()|0o600)
	defer release()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		_ = os.Remove(unfinished)
		return fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	source := sqliteDB(db.path, "copy", 1)
	_, err = source.ExecContext(ctx, "VACUUM INTO ?", unfinished)
	err = errors.Join(err, source.Close())
	if err == nil {
		err = onDisk(unfinished)
	}
	if err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		_ = os.Remove(unfinished)
	}
	return err
}

// reserve makes an empty file that nobody else writes until release is called, in the
// place of one that was broken off.
func reserve(path string, mode os.FileMode) (release func(), err error) {
	if runtime.GOOS == "windows" { // where a lock would keep SQLite out, and a file in use cannot be emptied
		return func() {}, os.WriteFile(path, nil, mode)
	}
	_, missing := os.Lstat(path)
	own := flock.New(path, flock.SetPermissions(mode))
	release = func() { _ = own.Close() }
	alone, err := own.TryLock()
	if err == nil && (!alone || !isAt(own, path)) {
		err = fmt.Errorf("%s: another process writes it, or it is no file", path)
	}
	if err == nil {
		err = os.Truncate(path, 0)
	}
	if err == nil && missing == nil {
		// A file left by an interrupted backup may be readable for all. A new file has the rights of
		// mode, or lies on a file system without rights, which would refuse to set them.
		err = os.Chmod(path, mode)
	}
	return release, err
}

// isAt reports whether a locked file still stands at its path, and no link does.
func isAt(locked *flock.Flock, path string) bool {
	own, err := locked.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(own, there)
}

// onDisk waits until a file is on the disk.
func onDisk(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
