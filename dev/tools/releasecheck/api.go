package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// api compares the exported names of a release with those it had last. What breaks
// a program that uses them, or is new, needs a version that says so.
func (c checkout) api(r *release) error {
	last, err := c.lastVersion(r.prefix, func(v string) bool {
		return semver.Prerelease(v) == "" && (r.version == "" || semver.Compare(v, r.version) < 0)
	})
	if err != nil {
		return err
	}
	if last == "" {
		fmt.Fprintf(c.out, "      there is no earlier release of the %s\n", r.name)
		return nil
	}
	before, err := c.git("show", tagOf(r.modules[0], last)+":"+r.exported)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(r.exported)))
	if err != nil {
		return err
	}
	breaking, added := compare(before, string(now))
	for _, line := range breaking {
		fmt.Fprintf(c.out, "      breaks what %s had: %s\n", last, line)
	}
	fmt.Fprintf(c.out, "      %s since %s: %d changes break programs, %d add something\n", r.name, last, len(breaking), len(added))
	switch {
	case r.version == "":
	case len(breaking) > 0 && !mayBreak(last, r.version):
		return fmt.Errorf("%d changes break programs, and %s after %s promises not to", len(breaking), r.version, last)
	case len(added) > 0 && !mayAdd(last, r.version):
		return fmt.Errorf("%d changes add something, and %s after %s promises that none does", len(added), r.version, last)
	}
	return nil
}

// compare returns the lines that break programs: lines that are gone or changed, and new
// methods of an interface. Other new lines add something. A deprecation is neither.
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

// names returns the lines of a list without what says that a name is deprecated.
func names(list string) []string {
	var all []string
	for line := range strings.Lines(list) {
		all = append(all, strings.TrimSuffix(strings.TrimSpace(line), " //deprecated"))
	}
	return all
}

// mayBreak reports whether version may remove names which last had: its major version
// differs, or, before v1, its minor version.
func mayBreak(last, version string) bool {
	if semver.Major(last) != semver.Major(version) {
		return true
	}
	return semver.Major(version) == "v0" && semver.MajorMinor(last) != semver.MajorMinor(version)
}

// mayAdd reports whether version may have names which last did not have: before v1 any
// version may, from v1 on its minor version must differ.
func mayAdd(last, version string) bool {
	return semver.Major(version) == "v0" || semver.MajorMinor(last) != semver.MajorMinor(version)
}
