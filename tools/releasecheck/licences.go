package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences that a dependency may have. All let a program be
// built with it under any terms; MPL-2.0 asks for the source of changed files of
// its own alone.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense"}

// licences looks at every module that a user's build of ours compiles.
func (c checkout) licences() error {
	modules := map[string]string{} // directories by path
	for _, dir := range append([]string{"."}, released...) {
		out, err := c.run("go", "-C", filepath.Join(c.dir, dir), "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", "./...")
		if err != nil {
			return err
		}
		for line := range strings.Lines(out) {
			path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if path != "" && path != modulePath && !strings.HasPrefix(path, modulePath+"/") {
				modules[path] = dir
			}
		}
	}
	var bad []error
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		names, err := licencesIn(modules[path])
		if err == nil {
			err = permitted(names)
		}
		fmt.Fprintf(c.out, "      %-50s %s\n", path, strings.Join(names, ", "))
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", path, err))
		}
	}
	return errors.Join(bad...)
}

func permitted(names []string) error {
	if len(names) == 0 {
		return errors.New("no licence was found")
	}
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s is not among the licences that a dependency may have", name)
		}
	}
	return nil
}

// licencesIn reads the licence files of a module.
func licencesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "LICENCE") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "UNLICENSE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		// A file of which most is something else is not understood.
		coverage := licensecheck.Scan(text)
		if coverage.Percent < 75 {
			return nil, fmt.Errorf("%s: only %.0f %% of it is a licence that is known", e.Name(), coverage.Percent)
		}
		for _, m := range coverage.Match {
			if !m.IsURL {
				found[m.ID] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
