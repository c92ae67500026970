package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files and internal packages of which CONTRIBUTING.md speaks are there.
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
	for _, name := range regexp.MustCompile("`(internal/\\w+|\\w+\\.go)`").FindAllStringSubmatch(house, -1) {
		places, err := filepath.Glob("../" + name[1])
		for _, folder := range []string{"jobfeed", "jobboardtest", "market", "market/jobmirror", "market/jobmirror/internal/search", "market/jobmcp", "market/cmd"} {
			if below, err := filepath.Glob("../" + folder + "/" + name[1]); err == nil {
				places = append(places, below...)
			}
		}
		if err != nil || len(places) == 0 {
			t.Errorf("it speaks of %s, which is not there", name[1])
		}
	}
}
