package main

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// archives tags both releases on one commit, makes the archives of each, and reads them.
// The variable TARGETS names the systems; the default is this machine's.
func (t trial) archives(releases []*release) error {
	if err := os.Symlink(filepath.Join(t.origin, ".ci", "bin"), filepath.Join(t.dir, ".ci", "bin")); err != nil {
		return err
	}
	for _, r := range released(releases) {
		tag := r.tags()[0]
		targets := cmp.Or(os.Getenv("TARGETS"), runtime.GOOS+"/"+runtime.GOARCH)
		if _, err := t.fetching("env", "TARGETS="+targets, filepath.Join(t.dir, ".ci", "archives"), tag); err != nil {
			return err
		}
		var programs []string
		for _, dir := range r.modules {
			more, err := t.programs(dir)
			if err != nil {
				return err
			}
			programs = append(programs, more...)
		}
		if err := t.readArchives(filepath.Join(t.dir, "dist", tag), r.version, len(programs)); err != nil {
			return fmt.Errorf("%s: %w", tag, err)
		}
	}
	return nil
}

// readArchives holds the files that were made against each other: every file has its
// checksum, and every archive has the programs.
func (t trial) readArchives(dir, version string, programs int) error {
	sums, err := os.ReadFile(filepath.Join(dir, "checksums.txt"))
	if err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var bad []error
	archives := 0
	for _, f := range files {
		name := f.Name()
		if name == "checksums.txt" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(b), name); !strings.Contains(string(sums), line) {
			bad = append(bad, fmt.Errorf("%s has another checksum", name))
		}
		about, isTar := strings.CutSuffix(name, ".tar.gz")
		about, isZip := strings.CutSuffix(about, ".zip")
		if !isTar && !isZip {
			continue
		}
		archives++
		out := filepath.Join(t.tmp, "unpacked", name)
		if err := t.unpack(filepath.Join(dir, name), out, isZip); err != nil {
			return err
		}
		_, about, _ = strings.Cut(about, "_") // the version and the system
		found, err := t.unpacked(out, dir, about, version)
		if err == nil && found != programs {
			err = fmt.Errorf("%s has %d programs, not %d", name, found, programs)
		}
		bad = append(bad, err)
	}
	if archives == 0 {
		bad = append(bad, errors.New("there is no archive"))
	}
	return errors.Join(bad...)
}

func (t trial) unpack(archive, out string, isZip bool) error {
	if err := os.MkdirAll(out, 0o700); err != nil {
		return err
	}
	if !isZip {
		_, err := t.run("tar", "-xzf", archive, "-C", out)
		return err
	}
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer r.Close()
	return os.CopyFS(out, r)
}

// unpacked holds the programs of an unpacked archive against their lists of components,
// and asks those that run here for their version.
func (t trial) unpacked(out, dir, about, version string) (programs int, err error) {
	files, err := os.ReadDir(out)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		program := filepath.Join(out, f.Name())
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			continue // a page
		}
		programs++
		if strings.Contains(about, "_"+runtime.GOOS+"_"+runtime.GOARCH) {
			if err := t.tells(program, version); err != nil {
				return programs, err
			}
		}
		name := strings.TrimSuffix(f.Name(), ".exe") + "_" + about
		sbom, err := os.ReadFile(filepath.Join(dir, name+".cdx.json"))
		if err != nil {
			return programs, err
		}
		n, err := describes(sbom, info)
		if err != nil {
			return programs, fmt.Errorf("the components of %s: %w", name, err)
		}
		t.show("%s is made of %d components", name, n)
	}
	return programs, nil
}

// describes says whether a CycloneDX document is about a program: whether it has the
// modules that were compiled into it, in their versions, and Go's library.
func describes(sbom []byte, info *buildinfo.BuildInfo) (components int, err error) {
	type component struct{ Name, Version string }
	var doc struct {
		BOMFormat  string
		Metadata   struct{ Component component }
		Components []component
	}
	if err := json.Unmarshal(sbom, &doc); err != nil {
		return 0, err
	}
	want := []component{{"std", info.GoVersion}}
	for _, d := range info.Deps {
		want = append(want, component{d.Path, d.Version})
	}
	var bad []error
	main := component{info.Main.Path, info.Main.Version}
	if doc.BOMFormat != "CycloneDX" || doc.Metadata.Component != main {
		bad = append(bad, fmt.Errorf("a document %q of %v, want %v", doc.BOMFormat, doc.Metadata.Component, main))
	}
	for _, c := range want {
		if !slices.Contains(doc.Components, c) {
			bad = append(bad, fmt.Errorf("%v is missing", c))
		}
	}
	if len(doc.Components) != len(want) {
		bad = append(bad, fmt.Errorf("there are %d, not %d", len(doc.Components), len(want)))
	}
	return len(doc.Components), errors.Join(bad...)
}
