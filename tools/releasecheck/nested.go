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

// released are the nested modules that users build, beside the root.
var released = []string{"jobboardotel", "jobmirror", "jobpublish", "cmd/jobboard"}

// unreleased are folders of modules that work on this repository, or are there to
// be read. They keep the checkout in the place of a version.
var unreleased = []string{"bench", "browsertest", "examples", "openapitest", "tools", "validators"}

// nested reports an error for each nested module of a directory that is neither
// released nor below a folder that is not, and for each that is not there.
func nested(dir string) error {
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

// pin puts a version of the root in the place of the checkout, in the modules
// that are released. Their go.sum gets its checksums, so that they build as soon
// as the version is there, and nobody has to wait for it before tagging them: the
// root's files do not contain theirs.
func pin(dir, version string, root download) error {
	sums, err := root.sums(version)
	if err != nil {
		return err
	}
	for _, module := range released {
		for name, change := range map[string]func(file string, b []byte) ([]byte, error){
			"go.mod": func(file string, b []byte) ([]byte, error) { return requireVersion(file, b, version) },
			"go.sum": func(_ string, b []byte) ([]byte, error) { return addSums(b, sums), nil },
		} {
			file := filepath.Join(dir, module, name)
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if b, err = change(file, b); err != nil {
				return err
			}
			if err := os.WriteFile(file, b, 0o644); err != nil {
				return err
			}
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
	if len(f.Replace) > 0 {
		return nil, fmt.Errorf("%s: a module with a replace cannot be installed", name)
	}
	return f.Format()
}

// addSums puts lines where they belong in a go.sum, and takes older versions of
// the root out of it.
func addSums(gosum []byte, sums []string) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(string(gosum)) {
		if strings.HasPrefix(line, modulePath+" ") {
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

// sums are the lines of a go.sum for the module.
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
