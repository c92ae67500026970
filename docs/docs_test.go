package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

var update = flag.Bool("update", false, "write the code into the pages")

// snippet is a block of a page that stands in a Go file too:
//
//	<!-- code: FILE NAME -->
//	```go
//	...
//	```
//
// NAME is a function, whose body is the block, or empty for the whole file.
var snippet = regexp.MustCompile("(?s)<!-- code: ([^ ]+) ?([A-Za-z_]*) ?-->\n```go\n(.*?)```")

// Every block of Go on a page is code that the tests compile and run.
func TestSnippets(t *testing.T) {
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		marked := snippet.FindAllSubmatchIndex(content, -1)
		if all := bytes.Count(content, []byte("```go\n")); all != len(marked) {
			t.Errorf("%s: %d blocks of Go, %d of them say where their code is", page, all, len(marked))
		}
		var renewed []byte
		end := 0
		for _, m := range marked {
			file, name := string(content[m[2]:m[3]]), string(content[m[4]:m[5]])
			want := source(t, filepath.Join(filepath.Dir(page), file), name)
			if got := string(content[m[6]:m[7]]); got != want && !*update {
				t.Errorf("%s: the block from %s %s is not its code any more (go test ./docs -update writes it):\n%s", page, file, name, want)
			}
			renewed = append(append(renewed, content[end:m[6]]...), want...)
			end = m[7]
		}
		if *update {
			if err := os.WriteFile(page, append(renewed, content[end:]...), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "decisions/*.md", "../*.md", "../*/README.md", "../market/cmd/*/README.md", "../market/examples/*/README.md", "../skills/*/SKILL.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		all = append(all, found...)
	}
	return all
}

// source is a function's body as it stands on a page, or a whole file.
func source(t *testing.T, file, name string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
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

// The commands that a page shows work, but for those that other checks run or
// that do not end.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs: not in a short test")
	}
	t.Parallel()
	block := regexp.MustCompile("(?s)```sh\n(.*?)```")
	table := regexp.MustCompile("`(go run \\./examples/[^`]*)`")
	seen := map[string]bool{}
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var commands []string
		for _, m := range block.FindAllSubmatch(content, -1) {
			commands = append(commands, strings.Split(strings.TrimSpace(string(m[1])), "\n")...)
		}
		for _, m := range table.FindAllSubmatch(content, -1) {
			commands = append(commands, string(m[1]))
		}
		for _, command := range commands {
			command, _, _ = strings.Cut(command, "  #")
			if !strings.HasPrefix(command, "go run ./examples/") || seen[command] {
				continue
			}
			seen[command] = true
			run := exec.CommandContext(t.Context(), "sh", "-c", command)
			run.Dir = ".."
			run.Env = append(os.Environ(), "GOWORK=off", "JOBBOARD_BASE_URL=", "JOBBOARD_JOBDB_URL=", "JOBBOARD_CLIENT_ID=", "JOBBOARD_TOKEN=", "JOBBOARD_USER_TOKEN=")
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", page, command, err, out)
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("only %d commands were found", len(seen))
	}
}

// The README's program finds postings of the service that the environment names.
func TestProgram(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	run := exec.CommandContext(t.Context(), "go", "run", "./program")
	run.Env = append(os.Environ(), "JOBBOARD_BASE_URL="+fake.BaseURL, "JOBBOARD_CLIENT_ID="+fake.Demo.ClientID, "JOBBOARD_CHANNEL="+fake.Demo.Channel)
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Nurse") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A link from one page to another leads somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	found := map[string]map[string]bool{}
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			target, anchor := m[1], m[2]
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if anchor == "" || filepath.Ext(file) != ".md" {
				continue
			}
			if found[file] == nil {
				found[file] = anchors(prose(t, file))
			}
			if !found[file][anchor] {
				t.Errorf("%s: %s has no heading for #%s", page, file, anchor)
			}
		}
	}
}

// prose returns a page without its blocks of code.
func prose(t *testing.T, page string) string {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(content), "")
}

// anchors returns the anchors of a page's headings as forges make them: in lower case,
// punctuation left out, spaces as hyphens, and a number after the second of a name.
func anchors(page string) map[string]bool {
	heading := regexp.MustCompile(`(?m)^#{1,6} +(.*?) *#*$`)
	link := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
	dropped := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	all, seen := map[string]bool{}, map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		text := strings.ToLower(link.ReplaceAllString(m[1], "$1"))
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

// The README says how to get every module that is a library.
func TestUseItInAProgram(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)## Get it.*?```sh\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("the README does not say how")
	}
	modules, err := os.ReadFile("../api/modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(modules)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[1] == "library" && !strings.Contains(string(block[1]), "\ngo get github.com/jobboard-sdk/jobboard-go/"+fields[0]+"@latest") {
			t.Errorf("the README does not get %s", fields[0])
		}
	}
}
