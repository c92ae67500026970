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

// Bounds on a user's download.
const (
	maxZip  = 1984 << 10 // compressed size of a module; 552 KB are the list of towns, stored already sorted
	maxFile = 256 << 10  // size of one file
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
	// The go command adds the repository's licence to nested modules without a
	// licence.
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

// pack builds the download of the module in a directory, and stores it below a
// proxy's directory.
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

// look prints the contents of a download, and returns an error for wrong
// contents.
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

// embedded lists the compressed files that packages embed.
var embedded = []string{"places/places.bin.gz", "places/postal/codes.csv.gz"}

// isEmbedded reports whether a file of this name is in embedded.
func isEmbedded(name string) bool { return slices.Contains(embedded, name) }

// isBinary reports whether a file is neither text nor a picture. It reads the
// content, because a program built by accident can have any name.
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

// shipped returns an error for missing, unwanted and too large files of a
// module.
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

// ships reports whether a file belongs into a module's download. It excludes
// leftovers of tools, editors and systems, a person's keys and settings, and
// files of other modules, which have their own downloads.
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
