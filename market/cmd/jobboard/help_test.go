package main

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// What the help says of exit codes and settings stands in README.md, too.
func TestReadme(t *testing.T) {
	page := read(t, "README.md")
	for line := range strings.SplitSeq(setup.ExitHelp, "\n") {
		code, words, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || line[0] != ' ' {
			continue
		}
		if row := "| " + code + " | " + strings.TrimSpace(words) + " |"; !strings.Contains(page, row) {
			t.Errorf("README.md lacks %s", row)
		}
	}
	help := newProcess().run(t, "help", "settings").want(t, setup.ExitOK).out
	for _, s := range setup.List {
		for _, name := range []string{"`" + s.Env() + "`", "`--" + s.Flag + "`", "`" + s.Name + "`"} {
			if !strings.Contains(page, name) {
				t.Errorf("README.md lacks %s", name)
			}
		}
		if !strings.Contains(help, s.Env()) {
			t.Errorf("the help lacks %s", s.Env())
		}
	}
}
