package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Backup writes a whole copy of the database to a new file, of one moment, while others
// go on to write. Its errors are os.ErrExist where the file is there, and
// errors.ErrUnsupported for a database that is no file.
func (db *DB) Backup(ctx context.Context, path string) error {
	if db.Shared {
		return fmt.Errorf("jobmirror: a server has its own way to back up, such as pg_dump: %w", errors.ErrUnsupported)
	}
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("jobmirror: the backup: %s: %w", path, os.ErrExist)
	}
	// A copy that was broken off never stands under the name of a whole one.
	unfinished := path + ".unfinished"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("jobmirror: the backup: %w", err)
	}
	source := sqliteDB(db.path, "copy", 1)
	_, err := source.ExecContext(ctx, "VACUUM INTO ?", unfinished)
	err = errors.Join(err, source.Close())
	if err == nil {
		err = onDisk(unfinished)
	}
	if err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		_ = os.Remove(unfinished)
		return fmt.Errorf("jobmirror: the backup: %w", err)
	}
	return nil
}

// onDisk waits until a file is on the disk.
func onDisk(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
