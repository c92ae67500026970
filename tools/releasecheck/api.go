package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
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
	before, err := c.git("show", last+":api/exported.txt")
	if err != nil {
		return err
	}
	now, err := os.ReadFile(filepath.Join(c.dir, "api/exported.txt"))
	if err != nil {
		return err
	}
	breaking, added := compareAPI(before, string(now))
	for _, line := range breaking {
		fmt.Fprintf(c.out, "      breaks what %s had: %s\n", last, line)
	}
	fmt.Fprintf(c.out, "      since %s: %d lines break programs, %d are new\n", last, len(breaking), len(added))
	switch {
	case version == "":
	case len(breaking) > 0 && !mayBreak(last, version):
		return fmt.Errorf("%d lines break programs, and %s after %s promises not to", len(breaking), version, last)
	case len(added) > 0 && !mayAdd(last, version):
		return fmt.Errorf("%d lines are new, such as %q, and %s after %s promises that none is", len(added), added[0], version, last)
	}
	return nil
}

// compareAPI gives the lines whose change can break a program that compiles, and
// the others that are new. A line that changed is one that is gone, and one that
// is new.
func compareAPI(before, now string) (breaking, added []string) {
	had, has := apiLines(before), apiLines(now)
	for line := range strings.Lines(before) {
		line = apiLine(line)
		// A field more is a promise that nobody was given: docs/compatibility.md.
		if !has[line] && !strings.HasSuffix(line, " struct, all fields exported") {
			breaking = append(breaking, line)
		}
	}
	for line := range strings.Lines(now) {
		line = apiLine(line)
		switch kind, _, member := strings.Cut(line, " interface, "); {
		case had[line]:
		case member && had[kind+" interface"]: // types out there do not have the method
			breaking = append(breaking, line)
		default:
			added = append(added, line)
		}
	}
	return breaking, added
}

// apiLine is a line without the mark of what is deprecated, which breaks nothing.
func apiLine(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), " //deprecated")
}

func apiLines(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		all[apiLine(line)] = true
	}
	return all
}

// mayBreak says whether a version after last may take names away: another major
// one, or another minor one before v1.
func mayBreak(last, version string) bool {
	if semver.Major(last) != semver.Major(version) {
		return true
	}
	return semver.Major(version) == "v0" && semver.MajorMinor(last) != semver.MajorMinor(version)
}

// mayAdd says whether a version after last may have new names: any before v1,
// then another minor one.
func mayAdd(last, version string) bool {
	return semver.Major(version) == "v0" || semver.MajorMinor(last) != semver.MajorMinor(version)
}
