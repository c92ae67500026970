package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/sumdb/dirhash"
)

// readReleased returns the folders of the nested modules that are released
// besides the root. It reads the same list as .ci/run, in which a module comes
// after the modules that it requires.
func readReleased(dir string) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "api", "modules.txt"))
	if err != nil {
		return nil, err
	}
	var all []string
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 2 || fields[1] != "library" && fields[1] != "program" {
			return nil, fmt.Errorf("api/modules.txt: %q is not a folder and library or program", strings.TrimSpace(line))
		}
		all = append(all, fields[0])
	}
	if len(all) == 0 {
		return nil, errors.New("api/modules.txt names no module")
	}
	return all, nil
}

// unreleased are folders of modules that serve this repository or its readers.
// They keep their replace by the checkout.
var unreleased = []string{"bench", "e2e", "examples", "tools"}

// nested returns an error for each nested module that is neither released nor
// below an unreleased folder, and for each released module that does not exist.
func nested(dir string, released []string) error {
	missing := map[string]bool{}
	for _, d := range released {
		missing[d] = true
	}
	var bad []error
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		d, ok := strings.CutSuffix(path, "/go.mod")
		if !ok || strings.Contains(path, "testdata/") {
			return nil
		}
		if missing[d] {
			delete(missing, d)
			return nil
		}
		for folder := range strings.SplitSeq(d, "/") {
			if slices.Contains(unreleased, folder) {
				return nil
			}
		}
		bad = append(bad, fmt.Errorf("%s is a module, and nothing says whether it is released", d))
		return nil
	})
	if err != nil {
		return err
	}
	for d := range missing {
		bad = append(bad, fmt.Errorf("%s is no module", d))
	}
	return errors.Join(bad...)
}

// pin makes one released module require a version of the root and of the nested
// modules packed before, instead of the checkout. It adds their checksums to the
// module's go.sum, so that the module builds as soon as the version exists. All
// modules can be tagged at once, because no packed module contains the checksum
// of a later one.
func pin(dir, module, version string, packed []download) error {
	name := filepath.Join(dir, module, "go.mod")
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	b, used, err := requireVersion(name, b, version, packed)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, b, 0o644); err != nil {
		return err
	}
	name = filepath.Join(dir, module, "go.sum")
	if b, err = os.ReadFile(name); err != nil {
		return err
	}
	for _, d := range used {
		sums, err := d.sums(version)
		if err != nil {
			return err
		}
		b = addSums(b, d.path, sums)
	}
	return os.WriteFile(name, b, 0o644)
}

// requireVersion sets the version of the packed modules that a go.mod requires,
// and returns these modules.
func requireVersion(name string, gomod []byte, version string, packed []download) (out []byte, used []download, err error) {
	f, err := modfile.Parse(name, gomod, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range packed {
		if !slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == d.path }) {
			continue
		}
		used = append(used, d)
		if err := errors.Join(f.AddRequire(d.path, version), f.DropReplace(d.path, "")); err != nil {
			return nil, nil, err
		}
	}
	f.Cleanup()
	if len(f.Replace) > 0 {
		return nil, nil, fmt.Errorf("%s: a module with a replace cannot be installed", name)
	}
	out, err = f.Format()
	return out, used, err
}

// addSums inserts a module's lines into a go.sum in order, and removes the lines
// of its older versions.
func addSums(gosum []byte, path string, sums []string) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(string(gosum)) {
		if strings.HasPrefix(line, path+" ") {
			continue
		}
		for len(sums) > 0 && sums[0] < line {
			fmt.Fprintln(&out, sums[0])
			sums = sums[1:]
		}
		out.WriteString(line)
	}
	for _, s := range sums {
		fmt.Fprintln(&out, s)
	}
	return out.Bytes()
}

// sums returns the module's lines for a go.sum.
func (d download) sums(version string) ([]string, error) {
	whole, err := dirhash.HashZip(d.zip, dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(d.mod)), nil
	})
	if err != nil {
		return nil, err
	}
	return []string{d.path + " " + version + " " + whole, d.path + " " + version + "/go.mod " + mod}, nil
}
