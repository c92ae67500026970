package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// CONTRIBUTING.md says what each internal package is for, and names files and
// packages that are there.
func TestHouse(t *testing.T) {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, house, _ := strings.Cut(string(text), "\n## The house\n")
	house, _, found := strings.Cut(house, "\n## ")
	if !found {
		t.Fatal("there is no section on the house")
	}
	packages, err := filepath.Glob("../internal/*")
	if err != nil || len(packages) == 0 {
		t.Fatal(packages, err)
	}
	for _, p := range packages {
		if name := strings.TrimPrefix(p, "../"); !strings.Contains(house, "`"+name+"`") {
			t.Errorf("it does not say what %s is for", name)
		}
	}
	for _, name := range regexp.MustCompile("`(internal/\\w+|\\w+\\.go)`").FindAllStringSubmatch(house, -1) {
		places, err := filepath.Glob("../" + name[1])
		for _, folder := range []string{"jobfeed", "jobboardtest", "jobmirror", "jobmcp", "cmd/jobboard"} {
			if below, err := filepath.Glob("../" + folder + "/" + name[1]); err == nil {
				places = append(places, below...)
			}
		}
		if err != nil || len(places) == 0 {
			t.Errorf("it speaks of %s, which is not there", name[1])
		}
	}
}
