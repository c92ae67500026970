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

// section is one version of a changelog.
type section struct {
	version string // "v1.2.3", or "" for [Unreleased]
	day     time.Time
	entries int
}

// sections reads a changelog in the format of Keep a Changelog: the section
// [Unreleased], then versions with dates, newest first, with only the format's
// kinds of change.
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
	if len(all) == 0 {
		return nil, errors.New("CHANGELOG.md does not begin with [Unreleased]")
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
	if !strings.Contains(changelog, "\n["+name+"]: https://") {
		return section{}, fmt.Errorf("there is no line %q with a link for it", "["+name+"]: https://...")
	}
	if name == "Unreleased" {
		if date != "" {
			return section{}, errors.New("[Unreleased] is without a day")
		}
		return section{}, nil
	}
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || day.After(now.AddDate(0, 0, 1)) {
		return section{}, fmt.Errorf("%q is no day that has been", date)
	}
	if !isRelease("v" + name) {
		return section{}, fmt.Errorf("%q is no version", name)
	}
	return section{version: "v" + name, day: day}, nil
}

// follows returns an error if a section may not follow the sections above it.
func follows(above []section, s section) error {
	if (len(above) == 0) != (s.version == "") {
		return errors.New("a changelog begins with [Unreleased], and has it once")
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

// changelog returns an error if a changelog does not fit a version. An empty
// version means that none is chosen yet.
func changelog(text, version string, now time.Time) error {
	all, err := sections(text, now)
	if err != nil || version == "" {
		return err
	}
	i := slices.IndexFunc(all, func(s section) bool { return s.version == version })
	switch {
	case i < 0:
		return fmt.Errorf("CHANGELOG.md has no section %q",
			"## ["+strings.TrimPrefix(version, "v")+"] - "+now.Format(time.DateOnly))
	case all[i].entries == 0:
		return fmt.Errorf("CHANGELOG.md says nothing of %s", version)
	}
	return nil
}
