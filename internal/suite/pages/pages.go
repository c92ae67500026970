// Package pages checks the pages of the documentation: that their links lead somewhere, and that every block of Go on
// them is code which the tests compile. The root's pages and the market's have a test each, which calls it. It stands
// among the suites because their packages are what tests of every module may import, and no program can.
package pages

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// repository is the address under which the files of the repository are on the web; the branch and the file follow.
const repository = "https://github.com/jobboard-sdk/jobboard-go/"

// Find returns the files that match the patterns of filepath.Glob. A pattern that matches none fails the test.
func Find(t testing.TB, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		all = append(all, found...)
	}
	return all
}

// snippet is a block of a page that stands in a Go file too:
//
//	<!-- code: FILE NAME -->
//	```go
//	...
//	```
//
// NAME is a function, whose body is the block, or empty for the whole file.
var snippet = regexp.MustCompile("(?s)<!-- code: ([^ ]+) ?([A-Za-z_]*) ?-->\n```go\n(.*?)```")

// CheckCode fails the test where a block of Go on a page is not the code of the file that the line above it names, or
// names none. With update it writes the code into the pages instead.
func CheckCode(t *testing.T, update bool, pages []string) {
	t.Helper()
	for _, page := range pages {
		content := read(t, page)
		marked := snippet.FindAllSubmatchIndex(content, -1)
		if all := bytes.Count(content, []byte("```go\n")); all != len(marked) {
			t.Errorf("%s: %d blocks of Go, %d of them say where their code is", page, all, len(marked))
		}
		var renewed []byte
		end := 0
		for _, m := range marked {
			file, name := string(content[m[2]:m[3]]), string(content[m[4]:m[5]])
			want := source(t, filepath.Join(filepath.Dir(page), file), name)
			if got := string(content[m[6]:m[7]]); got != want && !update {
				t.Errorf("%s: the block from %s %s is not its code any more (go test ./docs -update writes it):\n%s", page, file, name, want)
			}
			renewed = append(append(renewed, content[end:m[6]]...), want...)
			end = m[7]
		}
		if update {
			if err := os.WriteFile(page, append(renewed, content[end:]...), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// source returns a function's body as it stands on a page, or a whole file.
func source(t *testing.T, file, name string) string {
	t.Helper()
	content := read(t, file)
	if name == "" {
		_, program, _ := strings.Cut("\n"+string(content), "\npackage ")
		return "package " + program
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, content, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != name {
			continue
		}
		begin, end := files.Position(f.Body.Lbrace).Offset+1, files.Position(f.Body.Rbrace).Offset
		if !strings.HasPrefix(name, "Example") { // a function as it is
			begin, end = files.Position(f.Pos()).Offset, files.Position(f.End()).Offset
		}
		body, _, _ := strings.Cut(string(content[begin:end]), "\t// Output:")
		// The code between the two lines, where they stand.
		if _, rest, ok := strings.Cut(body, "// begin\n"); ok {
			body, _, _ = strings.Cut(rest, "\t// end\n")
		}
		formatted, err := format.Source([]byte(strings.Trim(body, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		return dedent(string(formatted))
	}
	t.Fatalf("%s has no function %s", file, name)
	return ""
}

// dedent takes away the tabs that all lines have in front.
func dedent(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n\t"), "\n")
	common := len(s)
	for _, line := range lines {
		if text := strings.TrimLeft(line, "\t"); text != "" {
			common = min(common, len(line)-len(text))
		}
	}
	for i, line := range lines {
		lines[i] = line[min(common, len(line)):]
	}
	return strings.Join(lines, "\n") + "\n"
}

var (
	link = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	// A file of the repository by its address on the web, and the part of the page.
	onTheWeb = regexp.MustCompile(regexp.QuoteMeta(repository) + `(?:blob|tree)/main/([\w./-]*[\w/])(?:#([\w-]+))?`)
)

// CheckLinks fails the test where a link from one of the files to another file of the repository leads nowhere: to no
// file, or to no heading of a page. It sees the relative links of a page in Markdown, and the addresses on the web of
// files of the repository in any text. root is the folder of the repository.
func CheckLinks(t *testing.T, root string, files []string) {
	t.Helper()
	found := map[string]map[string]bool{}
	check := func(from, file, anchor string) {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s: %v", from, err)
			return
		}
		if anchor == "" || filepath.Ext(file) != ".md" {
			return
		}
		if found[file] == nil {
			found[file] = anchors(prose(t, file))
		}
		if !found[file][anchor] {
			t.Errorf("%s: %s has no heading for #%s", from, file, anchor)
		}
	}
	for _, page := range files {
		for _, m := range onTheWeb.FindAllStringSubmatch(string(read(t, page)), -1) {
			check(page, filepath.Join(root, m[1]), m[2])
		}
		if filepath.Ext(page) != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			target, anchor := m[1], m[2]
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			check(page, file, anchor)
		}
	}
}

// CheckListed fails the test where the page list has no link to one of the pages.
func CheckListed(t *testing.T, list string, pages []string) {
	t.Helper()
	absolute := func(file string) string {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	listed := map[string]bool{absolute(list): true}
	for _, m := range link.FindAllStringSubmatch(prose(t, list), -1) {
		listed[absolute(filepath.Join(filepath.Dir(list), m[1]))] = true
	}
	for _, page := range pages {
		if !listed[absolute(page)] {
			t.Errorf("%s does not list %s", list, page)
		}
	}
}

// prose returns a page without its blocks of code.
func prose(t *testing.T, page string) string {
	t.Helper()
	return regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(read(t, page)), "")
}

// anchors returns the anchors of a page's headings as forges make them: in lower case, punctuation left out, spaces as
// hyphens, and a number after the second of a name.
func anchors(page string) map[string]bool {
	heading := regexp.MustCompile(`(?m)^#{1,6} +(.*?) *#*$`)
	linked := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
	dropped := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	all, seen := map[string]bool{}, map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		text := strings.ToLower(linked.ReplaceAllString(m[1], "$1"))
		name := strings.ReplaceAll(dropped.ReplaceAllString(text, ""), " ", "-")
		anchor := name
		if n := seen[name]; n > 0 {
			anchor = fmt.Sprintf("%s-%d", name, n)
		}
		seen[name]++
		all[anchor] = true
	}
	return all
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
