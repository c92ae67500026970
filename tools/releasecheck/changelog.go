package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// dated says what is wrong with the section of a version: it must be there, with
// a day that exists, and say something.
func dated(changelog, version string) error {
	heading := regexp.MustCompile(`(?m)^## \[` + regexp.QuoteMeta(strings.TrimPrefix(version, "v")) + `\] - (\S+)$`)
	at := heading.FindStringSubmatchIndex(changelog)
	if at == nil {
		return fmt.Errorf("CHANGELOG.md has no section %q", "## ["+strings.TrimPrefix(version, "v")+"] - YYYY-MM-DD")
	}
	if day := changelog[at[2]:at[3]]; !isDay(day) {
		return fmt.Errorf("CHANGELOG.md: %q is no day", day)
	}
	body, _, _ := strings.Cut(changelog[at[1]:], "\n## ")
	if !strings.Contains(body, "\n- ") {
		return fmt.Errorf("CHANGELOG.md says nothing of %s", version)
	}
	return nil
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
