package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

var (
	versionHeading = regexp.MustCompile(`^## \[(\S+)\](?: - (\S+))?$`)
	kindsOfChange  = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
)

// section is one version of a changelog.
type section struct {
	version string // "v1.2.3", or "" for what is not released
	day     time.Time
	entries int
}

// sections reads a changelog in the form of Keep a Changelog: what is not
// released first, then the versions with their days, the newest first, and only
// the kinds of change that the form has.
func sections(changelog string, now time.Time) ([]section, error) {
	var all []section
	for i, line := range strings.Split(changelog, "\n") {
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("CHANGELOG.md:%d: "+format, append([]any{i + 1}, args...)...)
		}
		switch {
		case strings.HasPrefix(line, "## "):
			m := versionHeading.FindStringSubmatch(line)
			if m == nil {
				return nil, wrong("%q is not of the form %q", line, "## [1.2.3] - 2026-01-31")
			}
			if !strings.Contains(changelog, "\n["+m[1]+"]: https://") {
				return nil, wrong("there is no line %q with a link for it", "["+m[1]+"]: https://...")
			}
			if m[1] == "Unreleased" {
				if len(all) > 0 || m[2] != "" {
					return nil, wrong("[Unreleased] comes first, and without a day")
				}
				all = append(all, section{})
				continue
			}
			s := section{version: "v" + m[1]}
			var err error
			if s.day, err = time.Parse(time.DateOnly, m[2]); err != nil || s.day.After(now.AddDate(0, 0, 1)) {
				return nil, wrong("%q is no day that has been", m[2])
			}
			if !isRelease(s.version) {
				return nil, wrong("%q is no version", m[1])
			}
			if len(all) > 1 {
				if newer := all[len(all)-1]; semver.Compare(newer.version, s.version) <= 0 || s.day.After(newer.day) {
					return nil, wrong("%s is not older than %s above it", s.version, newer.version)
				}
			}
			all = append(all, s)
		case len(all) == 0 && (strings.HasPrefix(line, "### ") || strings.HasPrefix(line, "- ")):
			return nil, wrong("changes above the first version")
		case strings.HasPrefix(line, "### "):
			if kind := strings.TrimPrefix(line, "### "); !slices.Contains(kindsOfChange, kind) {
				return nil, wrong("%q is none of %s", kind, strings.Join(kindsOfChange, ", "))
			}
		case strings.HasPrefix(line, "- "):
			all[len(all)-1].entries++
		}
	}
	if len(all) == 0 || all[0].version != "" {
		return nil, fmt.Errorf("CHANGELOG.md does not begin with [Unreleased]")
	}
	return all, nil
}

// changelog says what is wrong with a changelog for a version, or for none yet.
func changelog(text, version string, now time.Time) error {
	all, err := sections(text, now)
	if err != nil || version == "" {
		return err
	}
	for _, s := range all {
		if s.version == version && s.entries > 0 {
			return nil
		}
		if s.version == version {
			return fmt.Errorf("CHANGELOG.md says nothing of %s", version)
		}
	}
	return fmt.Errorf("CHANGELOG.md has no section %q", "## ["+strings.TrimPrefix(version, "v")+"] - "+now.Format(time.DateOnly))
}
