package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// api compares the exported names with those of the last version. What was taken
// away or changed needs a version that says so.
func (c checkout) api(version string) error {
	last, err := c.lastVersion("")
	if err != nil {
		return err
	}
	if last == "" {
		fmt.Fprintln(c.out, "      there is no earlier version")
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
	gone := missing(before, string(now))
	for _, line := range gone {
		fmt.Fprintf(c.out, "      not as in %s: %s\n", last, line)
	}
	if len(gone) > 0 && version != "" && !mayBreak(last, version) {
		return fmt.Errorf("%d exported names are not as they were, and %s after %s promises that they are", len(gone), version, last)
	}
	return nil
}

// missing are the lines of before that now has not.
func missing(before, now string) []string {
	have := strings.Split(now, "\n")
	slices.Sort(have)
	var gone []string
	for line := range strings.SplitSeq(before, "\n") {
		if _, ok := slices.BinarySearch(have, line); !ok {
			gone = append(gone, line)
		}
	}
	return gone
}

// mayBreak says whether a version after last may take names away: another major
// one, or another minor one before v1.
func mayBreak(last, version string) bool {
	if semver.Major(last) != semver.Major(version) {
		return true
	}
	return semver.Major(version) == "v0" && semver.MajorMinor(last) != semver.MajorMinor(version)
}
