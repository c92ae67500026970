package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// Bounds of what a user downloads.
const (
	maxZip  = 1984 << 10 // compressed, of a module; 552 KB are the list of towns, sorted so that it need not be
	maxFile = 256 << 10  // of one file
)

// archive writes the files of a commit into a directory.
func (c checkout) archive(commit, dir string) error {
	archive, err := c.git("-c", "core.autocrlf=input", "-c", "core.eol=lf", "archive", "--format=zip", commit)
	if err != nil {
		return err
	}
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		return err
	}
	return os.CopyFS(dir, r)
}

// downloads looks at what users get of the last commit: a download for each module.
func (c checkout) downloads(releases []*release) error {
	dir, err := os.MkdirTemp("", "releasecheck")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := c.archive("HEAD", dir); err != nil {
		return err
	}
	var modules []string
	for _, r := range releases {
		modules = append(modules, r.modules...)
	}
	bad := []error{nested(dir, modules)}
	for _, module := range modules {
		needed := []string{"go.mod", "go.sum"}
		if module == "." {
			// The go command adds the licence to a nested module.
			needed = append(needed, "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "jobboard.go", "jobboardtest/doc.go")
		}
		download, err := pack(filepath.Join(dir, module), pathOf(module))
		if err == nil {
			err = c.look(pathOf(module), download, needed...)
		}
		bad = append(bad, err)
	}
	return errors.Join(bad...)
}

// pack makes the download of the module in a directory.
func pack(dir, modulePath string) ([]byte, error) {
	var b bytes.Buffer
	err := modzip.CreateFromDir(&b, module.Version{Path: modulePath, Version: "v0.0.0"}, dir)
	return b.Bytes(), err
}

// look prints what is in a download and says what is wrong with it.
func (c checkout) look(modulePath string, download []byte, needed ...string) error {
	r, err := zip.NewReader(bytes.NewReader(download), int64(len(download)))
	if err != nil {
		return err
	}
	var bad []error
	files := map[string]uint64{}
	for _, f := range r.File {
		_, name, _ := strings.Cut(strings.TrimPrefix(f.Name, modulePath), "/") // after path@version/
		files[name] = f.UncompressedSize64
		if binary, err := isBinary(f); err != nil {
			return err
		} else if binary {
			bad = append(bad, fmt.Errorf("%s is no text", name))
		}
	}
	all, tests := total(files)
	fmt.Fprintf(c.out, "      %s: %d files, %d KB, %d KB unpacked, of which %d KB below testdata; the largest: %s\n",
		modulePath, len(files), len(download)>>10, all>>10, tests>>10, largest(files))
	if len(download) > maxZip {
		bad = append(bad, fmt.Errorf("%d KB are too much, the bound is %d", len(download)>>10, maxZip>>10))
	}
	return errors.Join(append(bad, shipped(files, needed...))...)
}

// embedded has the compressed data that packages embed.
var embedded = []string{"places/places.bin.gz", "places/postal/codes.csv.gz"}

// isEmbedded reports whether a file of this name is in embedded.
func isEmbedded(name string) bool { return slices.Contains(embedded, name) }

// isBinary says whether a file is neither text nor a picture. A program that was
// built by accident has any name.
func isBinary(f *zip.File) (bool, error) {
	switch path.Ext(f.Name) {
	case ".png", ".webp", ".jpg":
		return false, nil
	}
	if slices.ContainsFunc(embedded, func(name string) bool { return strings.HasSuffix(f.Name, "/"+name) }) {
		return false, nil
	}
	r, err := f.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, 8000))
	program := bytes.HasPrefix(b, []byte("\x7fELF"))
	return program || bytes.IndexByte(b, 0) >= 0 && !strings.Contains(f.Name, "/testdata/"), err
}

// shipped says what is wrong with the files of a module, by their sizes.
func shipped(files map[string]uint64, needed ...string) error {
	var bad []error
	for _, name := range needed {
		if _, ok := files[name]; !ok {
			bad = append(bad, fmt.Errorf("%s is missing", name))
		}
	}
	for name, size := range files {
		if !ships(name) {
			bad = append(bad, fmt.Errorf("%s is nothing to ship", name))
		}
		if size > maxFile && !isEmbedded(name) {
			bad = append(bad, fmt.Errorf("%s has %d KB, more than %d", name, size>>10, maxFile>>10))
		}
	}
	slices.SortFunc(bad, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(bad...)
}

var (
	leftNames      = []string{".DS_Store", "Thumbs.db", ".netrc", "go.work", "go.work.sum"}
	leftExtensions = strings.Fields(".exe .test .out .prof .pprof .db .sqlite .zip .gz .tar .so .dll .dylib .a .o " +
		".log .bak .orig .rej .swp .tmp .pem .key .p12 .pfx .env")
)

// ships says whether a file of this name belongs into a module: not what tools,
// editors and systems leave behind, no keys and settings of a person, and no
// other module, which has a download of its own.
func ships(name string) bool {
	if isEmbedded(name) {
		return true
	}
	base := path.Base(name)
	if slices.Contains(leftExtensions, path.Ext(name)) || slices.Contains(leftNames, base) ||
		strings.HasSuffix(base, "~") || strings.HasPrefix(base, "id_") || strings.HasPrefix(base, ".env") {
		return false
	}
	for _, dir := range []string{".ci/bin", "dev", "dist", "vendor", ".idea", ".vscode"} {
		if strings.HasPrefix(name, dir+"/") {
			return false
		}
	}
	return path.Base(name) != "go.mod" || name == "go.mod"
}

func total(files map[string]uint64) (all, tests uint64) {
	for name, size := range files {
		all += size
		if strings.Contains("/"+name, "/testdata/") {
			tests += size
		}
	}
	return all, tests
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
