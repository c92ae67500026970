package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// Bounds of what a user downloads.
const (
	maxZip  = 2 << 20   // compressed
	maxFile = 512 << 10 // of one file
)

// zip makes the file that a user's go command would download for the last
// commit, and looks at what is in it.
func (c checkout) zip() error {
	tmp, err := os.MkdirTemp("", "releasecheck")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if _, err := c.git("clone", "-q", "--no-hardlinks", ".", tmp); err != nil {
		return err
	}
	var b bytes.Buffer
	m := module.Version{Path: modulePath, Version: "v0.0.0"}
	if err := modzip.CreateFromDir(&b, m, tmp); err != nil {
		return err
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return err
	}
	files := map[string]uint64{}
	for _, f := range r.File {
		files[strings.TrimPrefix(f.Name, m.Path+"@"+m.Version+"/")] = f.UncompressedSize64
	}
	fmt.Fprintf(c.out, "      %d files, %d KB; the largest: %s\n", len(files), b.Len()>>10, largest(files))
	if b.Len() > maxZip {
		return fmt.Errorf("%d KB are too much, the bound is %d", b.Len()>>10, maxZip>>10)
	}
	return shipped(files)
}

// shipped says what is wrong with the files of a module, by their sizes.
func shipped(files map[string]uint64) error {
	var bad []error
	for _, needed := range []string{"LICENSE", "README.md", "CHANGELOG.md", "go.mod", "go.sum", "jobboard.go", "jobboardtest/doc.go"} {
		if _, ok := files[needed]; !ok {
			bad = append(bad, fmt.Errorf("%s is missing", needed))
		}
	}
	for name, size := range files {
		switch path.Ext(name) {
		case ".exe", ".test", ".out", ".prof", ".pprof", ".db", ".sqlite", ".zip", ".gz", ".so", ".a", ".o", ".log", ".bak", ".orig":
			bad = append(bad, fmt.Errorf("%s is nothing to ship", name))
		}
		if strings.HasPrefix(name, ".ci/bin/") || strings.HasPrefix(name, "vendor/") {
			bad = append(bad, fmt.Errorf("%s is nothing to ship", name))
		}
		for _, dir := range released {
			if strings.HasPrefix(name, dir+"/") {
				bad = append(bad, fmt.Errorf("%s belongs to another module", name))
			}
		}
		if size > maxFile {
			bad = append(bad, fmt.Errorf("%s has %d KB, more than %d", name, size>>10, maxFile>>10))
		}
	}
	slices.SortFunc(bad, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(bad...)
}

func largest(files map[string]uint64) string {
	var name string
	for n, size := range files {
		if size > files[name] || size == files[name] && n < name {
			name = n
		}
	}
	return fmt.Sprintf("%s, %d KB", name, files[name]>>10)
}
