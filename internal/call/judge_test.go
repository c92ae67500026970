package call

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// repeatTable is the rule of repeats as docs/retries.md shows it.
func repeatTable() string {
	var b strings.Builder
	b.WriteString("| what happened | GET | PUT, DELETE | POST |\n|---|---|---|---|\n")
	says := map[bool]string{true: "repeated", false: "not repeated"}
	for _, rule := range slices.Concat(repeatRules[1:], repeatRules[:1]) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", rule.what, says[rule.get], says[rule.put], says[rule.post])
	}
	return b.String()
}

func TestRepeatTableIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/retries.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := repeatTable(); !strings.Contains(string(text), want) {
		t.Errorf("docs/retries.md does not have the table of repeatRules:\n%s", want)
	}
}
