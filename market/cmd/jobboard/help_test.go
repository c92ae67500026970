package main

import (
	"io"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// Every page of the help fits a terminal of the usual width; a line to copy may be
// longer.
func TestHelpFits(t *testing.T) {
	p := newProcess().program(io.Discard, io.Discard)
	pages := [][]string{{"--help"}, {"help", "settings"}, {"help", "exit-codes"}}
	for _, c := range commands(p).Commands() {
		pages = append(pages, []string{"help", c.Name()})
	}
	if len(pages) < 15 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, args := range pages {
		r := newProcess().run(t, args...).want(t, setup.ExitOK)
		for line := range strings.SplitSeq(r.out, "\n") {
			if n := runewidth.StringWidth(line); n > cli.HelpWidth && !strings.Contains(line, "go install ") {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
		if strings.Contains(r.out, "Global Flags") || args[0] != "--help" && args[1] != "settings" && strings.Contains(r.out, "--user-token-file ") {
			t.Errorf("%v repeats the flags of every command:\n%s", args, r.out)
		}
	}
	newProcess().run(t, "search", "--help").want(t, setup.ExitOK, "jobboard help settings", "--near place")
	newProcess().run(t, "help", "settings").want(t, setup.ExitOK, "--user-token-file file", "--timeout time", "JOBBOARD_USER_TOKEN")
	newProcess().run(t, "version", "--help").want(t, setup.ExitOK, "Go release").without(t, "help settings")
}

func TestMeantFlag(t *testing.T) {
	for typed, meant := range map[string]string{
		"--chanel": "is it --channel?", "--fieds": "is it --fields?", "--langage": "is it --language?",
	} {
		newProcess().run(t, "search", typed, "x").want(t, setup.ExitUsage).wantErr(t, "unknown flag: "+typed, meant, "next: jobboard search --help")
	}
	newProcess().run(t, "search", "--nothing-like-it").want(t, setup.ExitUsage).without(t, "is it")
	newProcess().run(t, "search", "--token", "abc").want(t, setup.ExitUsage).wantErr(t, "secrets have no flag").without(t, "abc")
}

func TestCompletionAndHelp(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := newProcess().run(t, "completion", "-s", shell).want(t, setup.ExitOK); len(r.out) < 500 {
			t.Errorf("%s: %q", shell, r.out)
		}
	}
	for _, args := range [][]string{{"completion", "-s", "csh"}, {"completion", "--shell", "bash", "zsh"}, {"completion", "bash"}} {
		if r := newProcess().run(t, args...).want(t, setup.ExitUsage); r.out != "" {
			t.Errorf("%v: %q on standard output", args, r.out)
		}
	}
	newProcess().run(t, "__complete", "help", "").want(t, setup.ExitOK, "settings\tflags of every command", "search\t")
	newProcess().run(t).want(t, setup.ExitOK, "ASK THE SERVICE", "completion:", "settings:")
	newProcess().run(t, "help", "exit-codes").want(t, setup.ExitOK, "Exit codes:", "130")
}

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
