package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// unreleased lists the folders of modules that nobody outside this repository requires. Their
// replace stays.
var unreleased = []string{"dev", "examples"}

// nested reports an error for each nested module which is neither in released nor in a folder of
// unreleased, and for each entry of released without a module.
func nested(dir string, released []string) error {
	missing := map[string]bool{}
	for _, d := range released {
		missing[d] = d != "."
	}
	all, err := nestedModules(dir)
	if err != nil {
		return err
	}
	var bad []error
	for _, d := range all {
		inside := func(folder string) bool { return slices.Contains(strings.Split(d, "/"), folder) }
		if !missing[d] && !slices.ContainsFunc(unreleased, inside) {
			bad = append(bad, fmt.Errorf("%s is a module, and nothing says whether it is released", d))
		}
		missing[d] = false
	}
	for d := range missing {
		if missing[d] {
			bad = append(bad, fmt.Errorf("%s is no module", d))
		}
	}
	return errors.Join(bad...)
}

// nestedModules returns the folders of the modules below a directory.
func nestedModules(dir string) ([]string, error) {
	var all []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if folder, ok := strings.CutSuffix(path, "/go.mod"); ok {
			all = append(all, folder)
		}
		return err
	})
	return all, err
}

// editModule changes the go.mod of the module in a folder.
func (c checkout) editModule(dir string, edit func(*modfile.File) error) error {
	name := filepath.Join(c.dir, dir, "go.mod")
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(name, b, nil)
	if err != nil {
		return err
	}
	if err := edit(f); err != nil {
		return err
	}
	f.Cleanup()
	if b, err = f.Format(); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o644)
}

// ownRequirements returns the requirements of a go.mod of modules of this repository.
func ownRequirements(f *modfile.File) []module.Version {
	var all []module.Version
	for _, r := range f.Require {
		if isOurs(r.Mod.Path) {
			all = append(all, r.Mod)
		}
	}
	return all
}

func isOurs(path string) bool { return path == modulePath || strings.HasPrefix(path, modulePath+"/") }

// require changes the go.mod of all nested modules: each module of this repository that it
// requires gets its version from versions, whose keys are module paths.
func (c checkout) require(versions map[string]string) error {
	all, err := nestedModules(c.dir)
	if err != nil {
		return err
	}
	for _, dir := range all {
		if err := c.editModule(dir, func(f *modfile.File) error {
			for _, m := range ownRequirements(f) {
				if v := versions[m.Path]; v != "" {
					if err := f.AddRequire(m.Path, v); err != nil {
						return err
					}
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// versionsOf returns the versions of a commit for the modules of the releases: its
// tags, or else the pseudo-versions that the go command knows it by.
func (c checkout) versionsOf(commit string, all []*release) (map[string]string, error) {
	out, err := c.git("log", "-1", "--format=%H %ct", commit+"^{commit}")
	if err != nil {
		return nil, err
	}
	var hash string
	var seconds int64
	if _, err := fmt.Sscan(out, &hash, &seconds); err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, r := range all {
		for _, dir := range r.modules {
			if versions[pathOf(dir)], err = c.versionOf(dir, hash, time.Unix(seconds, 0).UTC()); err != nil {
				return nil, err
			}
		}
	}
	return versions, nil
}

// versionOf returns the version of a commit for the module in a folder.
func (c checkout) versionOf(dir, hash string, committed time.Time) (string, error) {
	tags, err := c.git("tag", "--list", "--merged", hash, tagOf(dir, "v*"))
	if err != nil {
		return "", err
	}
	last := highest(tags, tagOf(dir, ""), every)
	if last != "" {
		at, err := c.git("rev-parse", tagOf(dir, last)+"^{commit}")
		if err != nil || strings.TrimSpace(at) == hash {
			return last, err
		}
	}
	return module.PseudoVersion("v0", last, committed, hash[:12]), nil
}

// dropReplace takes the replace of our modules out of a go.mod, which the go
// command would refuse to install from.
func (c checkout) dropReplace(dir string) error {
	return c.editModule(dir, func(f *modfile.File) error {
		for _, m := range ownRequirements(f) {
			if err := f.DropReplace(m.Path, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// addReplace puts the checkout in the place of our modules again. The versions
// that go.mod requires stay; what go.sum has of them goes.
func (c checkout) addReplace(dir string) error {
	err := c.editModule(dir, func(f *modfile.File) error {
		for _, m := range ownRequirements(f) {
			to, err := filepath.Rel(dir, "."+strings.TrimPrefix(m.Path, modulePath))
			if err != nil {
				return err
			}
			if err := f.AddReplace(m.Path, "", filepath.ToSlash(to), ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	name := filepath.Join(c.dir, dir, "go.sum")
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(b)) {
		if path, _, _ := strings.Cut(line, " "); !isOurs(path) {
			out.WriteString(line)
		}
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}

// onlyReleases says which requirement of a module is no release: a tag that
// requires a commit would be newer than anything that is supported.
func (c checkout) onlyReleases(dir string) error {
	return c.editModule(dir, func(f *modfile.File) error {
		var bad []error
		for _, m := range ownRequirements(f) {
			if !isRelease(m.Version) {
				bad = append(bad, fmt.Errorf("%s requires %s, which is no release: release that first, or with it", dir, m))
			}
		}
		return errors.Join(bad...)
	})
}
