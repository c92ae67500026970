package docs_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/pages"
)

// A name of the library that a page for assistants speaks of is exported, so that
// no assistant is taught one that does not exist.
func TestNames(t *testing.T) {
	var list []byte
	for _, file := range []string{"../api/exported.txt", "../api/market.txt"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b...)
	}
	exported := map[string]bool{}
	// "func X", "type X", "type X struct, F", "method (*X) F", "const X", "var X" of a package.
	line := regexp.MustCompile(`(?m)^pkg (\S+), (?:(?:func|const|var) (\w+)|type (\w+)(?: (?:struct|interface), (\w+))?|method \(\*?(\w+)\) (\w+))`)
	for _, m := range line.FindAllStringSubmatch(string(list), -1) {
		pkg := m[1][strings.LastIndexByte(m[1], '/')+1:]
		if pkg == "." {
			pkg = "jobboard"
		}
		switch {
		case m[5] != "":
			exported[m[5]+"."+m[6]] = true
		case m[4] != "":
			exported[m[3]+"."+m[4]] = true
		}
		if name := m[2] + m[3]; name != "" {
			exported[name], exported[pkg+"."+name] = true, true
		}
	}
	code := regexp.MustCompile("(?s)```.*?```")
	span := regexp.MustCompile("`([^`\n]+)`")
	name := regexp.MustCompile(`^(?:[a-z]+\.)?[A-Z][a-zA-Z]+(?:\.[A-Z][a-zA-Z]+)?`)
	for _, page := range []string{"../skills/jobboard-go/SKILL.md", "../AGENTS.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range span.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			n := name.FindString(m[1])
			if n == "" || strings.ToUpper(n) == n || n == "errors.Is" {
				continue // no name, a file or a variable of the environment, and the standard library's
			}
			if !exported[n] {
				t.Errorf("%s speaks of %s, which no package exports", page, n)
			}
		}
	}
}

// A test that a page names is there: a promise of SECURITY.md whose test was
// renamed or taken out shows.
func TestNamedTests(t *testing.T) {
	defined := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile("../" + name)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			defined[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)`")
	for _, page := range append(sdkPages(t), pages.Find(t, "../market/docs/*.md", "../market/docs/decisions/*.md")...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if !defined[m[1]] {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
}
