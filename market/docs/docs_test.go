package docs_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/pages"
)

var update = flag.Bool("update", false, "write the code into the pages")

// The pages of the market. The SDK's have a test of their own.
func marketPages(t *testing.T) []string {
	t.Helper()
	return pages.Find(t, "*.md", "decisions/*.md", "../*.md", "../*/README.md", "../cmd/*/*.md", "../examples/*/README.md")
}

// Every block of Go on a page is code that the tests compile and run.
func TestSnippets(t *testing.T) { pages.CheckCode(t, *update, marketPages(t)) }

// A link of a page, of an alert or of a dashboard leads somewhere.
func TestLinks(t *testing.T) {
	pages.CheckLinks(t, "../..", append(marketPages(t), pages.Find(t, "../ops/*/*.yml", "../ops/*/*/*.json")...))
}

// A page that its list does not name is found by nobody.
func TestEveryPageIsListed(t *testing.T) {
	pages.CheckListed(t, "../README.md", pages.Find(t, "*.md"))
	pages.CheckListed(t, "decisions/README.md", pages.Find(t, "decisions/*.md"))
}

// Each alert leads to a paragraph of its own name on the page that says what it means, and each
// paragraph there is of an alert.
func TestAlertsHaveAPage(t *testing.T) {
	const page = "https://github.com/jobboard-sdk/jobboard-go/blob/main/market/docs/at-3-am.md#"
	rules, err := os.ReadFile("../ops/prometheus/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	alerts := map[string]bool{}
	_, list, _ := strings.Cut(string(rules), "- alert: ")
	for rule := range strings.SplitSeq(list, "- alert: ") {
		name, rest, _ := strings.Cut(rule, "\n")
		alerts[name] = true
		if want := "runbook_url: " + page + strings.ToLower(name) + "\n"; !strings.Contains(rest, want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
	text, err := os.ReadFile("at-3-am.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := regexp.MustCompile(`(?m)^## (Jobboard\w+)$`).FindAllStringSubmatch(string(text), -1)
	for _, heading := range headings {
		if !alerts[heading[1]] {
			t.Errorf("at-3-am.md speaks of %s, which is no alert", heading[1])
		}
	}
	if len(headings) != len(alerts) {
		t.Errorf("%d alerts, %d paragraphs", len(alerts), len(headings))
	}
}
