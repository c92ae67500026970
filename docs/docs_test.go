package docs_test

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/pages"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

var update = flag.Bool("update", false, "write the code into the pages")

// The pages of the SDK. The market's have a test of their own.
func sdkPages(t *testing.T) []string {
	t.Helper()
	return pages.Find(t, "*.md", "decisions/*.md", "../*.md", "../*/README.md", "../dev/bench/README.md", "../skills/*/SKILL.md")
}

// Every block of Go on a page is code that the tests compile and run.
func TestSnippets(t *testing.T) { pages.CheckCode(t, *update, sdkPages(t)) }

// A link from one page to another leads somewhere.
func TestLinks(t *testing.T) { pages.CheckLinks(t, "..", sdkPages(t)) }

// A page that its list does not name is found by nobody.
func TestEveryPageIsListed(t *testing.T) {
	pages.CheckListed(t, "README.md", pages.Find(t, "*.md"))
	pages.CheckListed(t, "decisions/README.md", pages.Find(t, "decisions/*.md"))
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
	for _, page := range sdkPages(t) {
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
