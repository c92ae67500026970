package main

import (
	"errors"
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

// section is one version of a release in the changelog.
type section struct {
	prefix  string // of the release's tags
	version string // "v1.2.3"; "" in the section Unreleased
	day     time.Time
	entries int
}

// sections reads a changelog in the form of Keep a Changelog, in which each release
// has sections of its own: Unreleased first, then its versions with their days, the newest
// first. Within a section only the form's kinds of change are allowed.
func sections(changelog string, now time.Time) ([]section, error) {
	var all []section
	for i, line := range strings.Split(changelog, "\n") {
		kind, isKind := strings.CutPrefix(line, "### ")
		isEntry := strings.HasPrefix(line, "- ")
		var err error
		switch {
		case strings.HasPrefix(line, "## "):
			var s section
			if s, err = heading(line, changelog, now); err == nil {
				err = follows(all, s)
			}
			all = append(all, s)
		case len(all) == 0 && (isKind || isEntry):
			err = errors.New("changes above the first version")
		case isKind && !slices.Contains(kindsOfChange, kind):
			err = fmt.Errorf("%q is none of %s", kind, strings.Join(kindsOfChange, ", "))
		case isEntry:
			all[len(all)-1].entries++
		}
		if err != nil {
			return nil, fmt.Errorf("CHANGELOG.md:%d: %w", i+1, err)
		}
	}
	return all, nil
}

// heading reads the first line of a section.
func heading(line, changelog string, now time.Time) (section, error) {
	m := versionHeading.FindStringSubmatch(line)
	if m == nil {
		return section{}, fmt.Errorf("%q is not of the form %q", line, "## [1.2.3] - 2026-01-31")
	}
	name, date := m[1], m[2]
	prefix, number := splitTag(name)
	if !strings.Contains(changelog, "\n["+name+"]: https://") {
		return section{}, fmt.Errorf("there is no line %q with a link for it", "["+name+"]: https://...")
	}
	if number == "Unreleased" {
		if date != "" {
			return section{}, errors.New("[Unreleased] is without a day")
		}
		return section{prefix: prefix}, nil
	}
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || day.After(now.AddDate(0, 0, 1)) {
		return section{}, fmt.Errorf("%q is no day that has been", date)
	}
	if !isRelease("v" + number) {
		return section{}, fmt.Errorf("%q is no version", name)
	}
	return section{prefix: prefix, version: "v" + number, day: day}, nil
}

// follows says what is wrong with a section below the others of its release.
func follows(above []section, s section) error {
	above = slices.DeleteFunc(slices.Clone(above), func(a section) bool { return a.prefix != s.prefix })
	if (len(above) == 0) != (s.version == "") {
		return fmt.Errorf("a changelog begins with [%sUnreleased], and has it once", s.prefix)
	}
	if len(above) < 2 {
		return nil
	}
	newer := above[len(above)-1]
	if semver.Compare(newer.version, s.version) <= 0 || s.day.After(newer.day) {
		return fmt.Errorf("%s is not older than %s above it", s.version, newer.version)
	}
	return nil
}

// changelog says what is wrong with a changelog for the versions of releases.
func changelog(text string, releases []*release, now time.Time) error {
	all, err := sections(text, now)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !slices.ContainsFunc(releases, func(r *release) bool { return r.prefix == s.prefix }) {
			return fmt.Errorf("nothing is released as %s, which CHANGELOG.md has", s.prefix)
		}
	}
	for _, r := range releases {
		i := slices.IndexFunc(all, func(s section) bool { return s.prefix == r.prefix && s.version == r.version })
		name := r.prefix + strings.TrimPrefix(r.version, "v")
		switch {
		case i < 0 && r.version == "":
			return fmt.Errorf("CHANGELOG.md has no section [%sUnreleased]", r.prefix)
		case i < 0:
			return fmt.Errorf("CHANGELOG.md has no section %q", "## ["+name+"] - "+now.Format(time.DateOnly))
		case r.version != "" && all[i].entries == 0:
			return fmt.Errorf("CHANGELOG.md says nothing of %s", name)
		}
	}
	return nil
}
