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

// allowed are the licences that a dependency may have, each with the modules
// that it is allowed to, or all. Every one lets a program be built with it and
// given away under any terms, as long as the text goes along.
var allowed = map[string]string{
	"Apache-2.0":   "", // the library's own
	"BSD-2-Clause": "",
	"BSD-3-Clause": "", // Go's own
	"ISC":          "",
	"MIT":          "",
	// Asks for the source of its own files where they were changed, which nobody
	// does: good enough for the two that the client is made of, not for more.
	"MPL-2.0": "github.com/hashicorp/",
}

// systems are the ones that a build is looked at for. Some compile modules that
// others do not.
var systems = []string{"linux", "darwin", "windows"}

// licences looks at every module that a user's build of ours compiles.
func (c checkout) licences() error {
	found := map[string]map[string]bool{} // by module
	var bad []error
	seen := map[string]bool{}
	for _, dir := range append([]string{"."}, released...) {
		for _, system := range systems {
			out, err := c.runWith([]string{"GOOS=" + system, "CGO_ENABLED=0"}, "go", "-C", filepath.Join(c.dir, dir),
				"list", "-deps", "-f", "{{$dir := .Dir}}{{with .Module}}{{.Path}}\t{{.Dir}}\t{{$dir}}{{end}}", "./...")
			if err != nil {
				return err
			}
			for line := range strings.Lines(out) {
				path, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
				root, pkg, _ := strings.Cut(rest, "\t")
				if path == "" || path == modulePath || strings.HasPrefix(path, modulePath+"/") {
					continue
				}
				if found[path] == nil {
					found[path] = map[string]bool{}
				}
				// A package may be somebody else's, with a licence beside it.
				for d := pkg; !seen[d]; d = filepath.Dir(d) {
					seen[d] = true
					names, err := licencesIn(d)
					if err != nil {
						bad = append(bad, fmt.Errorf("%s: %w", path, err))
					}
					for _, name := range names {
						found[path][name] = true
					}
					if d == root || d == filepath.Dir(d) {
						break
					}
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(found)) {
		names := slices.Sorted(maps.Keys(found[path]))
		fmt.Fprintf(c.out, "      %-50s %s\n", path, strings.Join(names, ", "))
		if err := permitted(path, names); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", path, err))
		}
	}
	return errors.Join(bad...)
}

// permitted says whether a module may have these licences.
func permitted(module string, names []string) error {
	if len(names) == 0 {
		return errors.New("no licence was found")
	}
	for _, name := range names {
		whose, ok := allowed[name]
		if !ok {
			return fmt.Errorf("%s is not among the licences that a dependency may have", name)
		}
		if !strings.HasPrefix(module, whose) {
			return fmt.Errorf("%s is allowed below %s alone", name, whose)
		}
	}
	return nil
}

// licencesIn reads the licence files of a directory.
func licencesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || !isLicence(e.Name()) {
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

func isLicence(name string) bool {
	name = strings.ToUpper(name)
	for _, begin := range []string{"LICENSE", "LICENCE", "COPYING", "UNLICENSE"} {
		if strings.HasPrefix(name, begin) && filepath.Ext(name) != ".GO" {
			return true
		}
	}
	return false
}
