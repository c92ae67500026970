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

// download is a module as the go command fetches it.
type download struct {
	path string
	mod  []byte
	zip  string // a file
}

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

// unpack writes the files of the last commit into a directory, with a licence for
// each module.
func (c checkout) unpack(dir string) error {
	if err := c.archive("HEAD", dir); err != nil {
		return err
	}
	// The go command adds the repository's licence to a nested module without
	// one of its own.
	licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return err
	}
	for _, nested := range c.released {
		file := filepath.Join(dir, nested, "LICENSE")
		if _, err := os.Stat(file); err == nil {
			continue
		}
		if err := os.WriteFile(file, licence, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// pack makes the download of the module in a directory and below a proxy's
// directory.
func pack(dir, modulePath, version, proxy string) (d download, err error) {
	d.path = modulePath
	if d.mod, err = os.ReadFile(filepath.Join(dir, "go.mod")); err != nil {
		return d, err
	}
	var b bytes.Buffer
	if err := modzip.CreateFromDir(&b, module.Version{Path: modulePath, Version: version}, dir); err != nil {
		return d, err
	}
	begin := filepath.Join(proxy, filepath.FromSlash(modulePath), "@v", version)
	if err := os.MkdirAll(filepath.Dir(begin), 0o700); err != nil {
		return d, err
	}
	d.zip = begin + ".zip"
	for name, content := range map[string][]byte{
		d.zip: b.Bytes(), begin + ".mod": d.mod, begin + ".info": fmt.Appendf(nil, `{"Version":%q}`, version),
		filepath.Join(filepath.Dir(begin), "list"): []byte(version + "\n"),
	} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return d, err
		}
	}
	return d, nil
}

// look prints what is in a download and says what is wrong with it.
func (c checkout) look(d download, needed ...string) error {
	r, err := zip.OpenReader(d.zip)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := os.Stat(d.zip)
	if err != nil {
		return err
	}
	var bad []error
	files := map[string]uint64{}
	for _, f := range r.File {
		_, name, _ := strings.Cut(strings.TrimPrefix(f.Name, d.path), "/") // after path@version/
		files[name] = f.UncompressedSize64
		if binary, err := isBinary(f); err != nil {
			return err
		} else if binary {
			bad = append(bad, fmt.Errorf("%s is no text", name))
		}
	}
	all, tests := total(files)
	fmt.Fprintf(c.out, "      %s: %d files, %d KB, %d KB unpacked, of which %d KB below testdata; the largest: %s\n",
		d.path, len(files), info.Size()>>10, all>>10, tests>>10, largest(files))
	if info.Size() > maxZip {
		bad = append(bad, fmt.Errorf("%d KB are too much, the bound is %d", info.Size()>>10, maxZip>>10))
	}
	return errors.Join(append(bad, shipped(files, append([]string{"LICENSE", "go.mod", "go.sum"}, needed...)...))...)
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
	for _, dir := range []string{".ci/bin", "bench", "dist", "tools", "vendor", ".idea", ".vscode"} {
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
