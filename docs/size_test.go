package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// references are the pages that one looks something up in, and does not read to their end.
var references = []string{"mirror-run.md", "mirror-promises.md"}

const (
	mostWords      = 1500 // of a page other than a reference
	mostReadme     = 900
	mostMirror     = 800 // of the page by which a copy is set up
	wordsPerMinute = 200
)

// words counts the words of a page, its code and its tables included.
func words(t *testing.T, page string) int {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return len(strings.Fields(string(text)))
}

// A page can be read to its end.
func TestPageSizes(t *testing.T) {
	sizes := map[string]int{"../README.md": mostReadme, "mirror.md": mostMirror}
	for _, pattern := range []string{"*.md", "decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		for _, page := range found {
			if sizes[page] == 0 && !slices.Contains(references, page) {
				sizes[page] = mostWords
			}
		}
	}
	for page, most := range sizes {
		if n := words(t, page); n > most {
			t.Errorf("%s has %d words, and at most %d are read to the end", page, n, most)
		}
	}
}

// The first screen of the README, which ends before its second heading, has 250 to 300 words.
func TestFirstScreen(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	screen, _, found := strings.Cut(string(text), "\n## ")
	if n := len(strings.Fields(screen)); !found || n < 250 || n > 300 {
		t.Errorf("the first screen has %d words", n)
	}
	for _, says := range []string{
		"go get ", "| call the board | 5 |", "| test without it | 10 |", "| show its jobs | 30 |",
		"An application is not sent: the interface has no call for it.", "A mock server of the board (`jobboardtest`)", "docs/errors.md",
	} {
		if !strings.Contains(screen, says) {
			t.Errorf("the first screen does not say %q", says)
		}
	}
	if i, j := strings.Index(string(text), "mock server"), strings.Index(string(text), "A mock server of the board"); j < 0 || i < j {
		t.Error("the README speaks of the mock server before it says what it is")
	}
}

// The list of pages says of each how long it takes to read, and leaves out none. With -update
// the minutes are written anew.
func TestMinutes(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	row := regexp.MustCompile(`(?m)^(\|.*?\| \[[^]]*\]\(([^)#]+\.md)\) \| )(\d+) \|$`)
	renewed := row.ReplaceAllStringFunc(string(text), func(line string) string {
		m := row.FindStringSubmatch(line)
		page := m[2]
		listed[page] = true
		minutes := strconv.Itoa((words(t, page) + wordsPerMinute - 1) / wordsPerMinute)
		if m[3] != minutes && !*update {
			t.Errorf("%s takes %s minutes, not %s (go test ./docs -update writes it)", page, minutes, m[3])
		}
		return m[1] + minutes + " |"
	})
	if *update {
		if err := os.WriteFile("README.md", []byte(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page != "README.md" && !listed[page] {
			t.Errorf("the list lacks %s", page)
		}
	}
}

// Assistants are shown the same pages, whichever of the three lists they read.
func TestAssistantsLists(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"../AGENTS.md", "../skills/jobboard-go/SKILL.md", "llms.txt"} {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(filepath.Dir(list), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", list, err)
			}
			if page := strings.TrimPrefix(target, "../docs/"); filepath.Base(page) == page {
				named[page] = true
			}
		}
		for _, page := range pages {
			if !named[page] {
				t.Errorf("%s does not name %s", list, page)
			}
		}
	}
}
