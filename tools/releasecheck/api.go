package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// exported is the file with the exported names of the modules, one per line.
// .ci/run compares it with the code.
const exported = "api/exported.txt"

// api compares the exported names with those of the last release. Removed and
// changed names need a version that may break programs, and new names a version
// that may add some.
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
	before, err := c.git("show", last+":"+exported)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(filepath.Join(c.dir, exported))
	if err != nil {
		return err
	}
	breaking, added := compare(before, string(now))
	for _, line := range breaking {
		fmt.Fprintf(c.out, "      breaks what %s had: %s\n", last, line)
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

// compare returns the lines whose change breaks programs: removed or changed
// names, and new methods of interfaces. added holds all other new lines. A mark of
// deprecation counts as neither.
func compare(before, now string) (breaking, added []string) {
	had, has := names(before), names(now)
	for _, line := range had {
		if !slices.Contains(has, line) {
			breaking = append(breaking, line)
		}
	}
	for _, line := range has {
		if slices.Contains(had, line) {
			continue
		}
		const method = " interface, "
		if i := strings.Index(line, method); i >= 0 && slices.Contains(had, strings.TrimSuffix(line[:i+len(method)], ", ")) {
			breaking = append(breaking, line)
		} else {
			added = append(added, line)
		}
	}
	return breaking, added
}

// names returns the lines of a list without their marks of deprecation.
func names(list string) []string {
	var all []string
	for line := range strings.Lines(list) {
		all = append(all, strings.TrimSuffix(strings.TrimSpace(line), " //deprecated"))
	}
	return all
}

// mayBreak reports whether a version after last may remove names: a new major
// version, or before v1 a new minor version.
func mayBreak(last, version string) bool {
	if semver.Major(last) != semver.Major(version) {
		return true
	}
	return semver.Major(version) == "v0" && semver.MajorMinor(last) != semver.MajorMinor(version)
}

// mayAdd reports whether a version after last may add names: every version
// before v1, and later a new minor version.
func mayAdd(last, version string) bool {
	return semver.Major(version) == "v0" || semver.MajorMinor(last) != semver.MajorMinor(version)
}
