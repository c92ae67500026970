package jobmcp

import (
	"regexp"
	"slices"
	"testing"
)

// The page names every tool.
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
}
