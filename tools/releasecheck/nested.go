package main

import (
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// requireRoot puts a version of the root in the place of the checkout, in the
// modules that are released.
func (c checkout) requireRoot(version string) error {
	for _, dir := range released {
		file := filepath.Join(c.dir, dir, "go.mod")
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if b, err = requireVersion(file, b, version); err != nil {
			return err
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func requireVersion(name string, gomod []byte, version string) ([]byte, error) {
	f, err := modfile.Parse(name, gomod, nil)
	if err != nil {
		return nil, err
	}
	if err := f.AddRequire(modulePath, version); err != nil {
		return nil, err
	}
	if err := f.DropReplace(modulePath, ""); err != nil {
		return nil, err
	}
	f.Cleanup()
	return f.Format()
}
