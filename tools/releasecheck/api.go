package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"
)

// api compares the exported names with those of the last release. What breaks a
// program that uses them, or is new, needs a version that says so.
func (c checkout) api(version string) error {
	last, err := c.lastVersion(func(v string) bool {
		return semver.Prerelease(v) == "" && (version == "" || semver.Compare(v, version) < 0)
	})
	if err != nil {
		return err
	}
	if last == "" {
		fmt.Fprintln(c.out, "      there is no earlier release")
		return nil
	}
	breaking, added, err := c.changes(last)
	if err != nil {
		return err
	}
	for _, message := range breaking {
		fmt.Fprintf(c.out, "      breaks what %s had: %s\n", last, message)
	}
	fmt.Fprintf(c.out, "      since %s: %d changes break programs, %d add something\n", last, len(breaking), len(added))
	switch {
	case version == "":
	case len(breaking) > 0 && !mayBreak(last, version):
		return fmt.Errorf("%d changes break programs, and %s after %s promises not to", len(breaking), version, last)
	case len(added) > 0 && !mayAdd(last, version):
		return fmt.Errorf("%d changes add something, and %s after %s promises that none does", len(added), version, last)
	}
	return nil
}

// changes returns what changed in the modules since a release.
func (c checkout) changes(last string) (breaking, added []string, err error) {
	tmp, err := os.MkdirTemp("", "releasecheck")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(tmp)
	if err := c.archive(last, tmp); err != nil {
		return nil, nil, err
	}
	for _, dir := range append([]string{"."}, released...) {
		report, err := compareAPI(filepath.Join(tmp, dir), filepath.Join(c.dir, dir))
		if err != nil {
			return nil, nil, err
		}
		for _, change := range report.Changes {
			if change.Compatible {
				added = append(added, change.Message)
			} else {
				breaking = append(breaking, change.Message)
			}
		}
	}
	return breaking, added, nil
}

// compareAPI returns what changed in a module between two directories.
func compareAPI(before, now string) (apidiff.Report, error) {
	had, err := load(before)
	if errors.Is(err, fs.ErrNotExist) {
		return apidiff.Report{}, nil // a module that is new
	}
	if err != nil {
		return apidiff.Report{}, err
	}
	has, err := load(now)
	if err != nil {
		return apidiff.Report{}, err
	}
	return apidiff.ModuleChanges(had, has), nil
}

// load returns the packages of the module in a directory that others may import.
func load(dir string) (*apidiff.Module, error) {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedModule | packages.NeedTypes,
		Dir:  dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false"),
	}, "./...")
	if err != nil {
		return nil, err
	}
	var m apidiff.Module
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
		m.Path = p.Module.Path
		if p.Name != "main" && !slices.Contains(strings.Split(p.PkgPath, "/"), "internal") {
			m.Packages = append(m.Packages, p.Types)
		}
	}
	return &m, nil
}

// mayBreak reports whether a version after last may take names away: another
// major one, or another minor one before v1.
func mayBreak(last, version string) bool {
	if semver.Major(last) != semver.Major(version) {
		return true
	}
	return semver.Major(version) == "v0" && semver.MajorMinor(last) != semver.MajorMinor(version)
}

// mayAdd reports whether a version after last may have new names: any before v1,
// then another minor one.
func mayAdd(last, version string) bool {
	return semver.Major(version) == "v0" || semver.MajorMinor(last) != semver.MajorMinor(version)
}
