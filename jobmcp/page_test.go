package jobmcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page names every tool, and tells the bounds as they are.
func TestPage(t *testing.T) {
	page := read(t, "../docs/assistant.md")
	var told []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(page, -1) {
		told = append(told, m[1])
	}
	slices.Sort(told)
	if !slices.Equal(told, toolNames) {
		t.Errorf("the page has the tools %q", told)
	}
	for _, row := range []string{
		fmt.Sprintf("| a result | %d KiB;", maxAnswer>>10),
		fmt.Sprintf("| postings of a page, changes of a kind | %d |", maxPerKind),
		fmt.Sprintf("| text of an advertisement | %d 000 characters |", maxAdText/1000),
		fmt.Sprintf("| a title, a label of a question | %d, %d 000 characters |", maxTitle, maxLabel/1000),
		fmt.Sprintf("| questions of a job, answers of a question | %d, %d |", maxQuestions, maxAnswers),
		fmt.Sprintf("| a message to the server | %d MiB |", maxMessage>>20),
		fmt.Sprintf("| tools at the same time | %d |", defaultCalls),
		fmt.Sprintf("| a tool | %d s |", int(maxCallTime.Seconds())),
		fmt.Sprintf("| calls of the interface | %d a second, after a burst of %d |", defaultRate, burstSeconds*defaultRate),
		fmt.Sprintf("| requests over HTTP at the same time | %d |", maxRequests),
		fmt.Sprintf("| answering calls when the server is to end | %d s |", int(maxFinish.Seconds())),
		fmt.Sprintf("| searches that `what_changed` remembers | %d |", maxBaselines),
	} {
		if !strings.Contains(page, row) {
			t.Errorf("the page does not say %q", row)
		}
	}
}
