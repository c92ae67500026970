package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// Every page of the help fits a terminal of the usual width; a line to copy may be
// longer.
func TestHelpFits(t *testing.T) {
	pages := [][]string{{"--help"}, {"help", "settings"}, {"help", "exit-codes"}}
	for _, c := range (&app{}).command().Commands() {
		pages = append(pages, []string{"help", c.Name()})
	}
	if len(pages) < 15 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, args := range pages {
		r := newProcess().run(t, args...).want(t, exitOK)
		for line := range strings.SplitSeq(r.out, "\n") {
			if n := runewidth.StringWidth(line); n > helpWidth && !strings.Contains(line, "go install ") {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
		if strings.Contains(r.out, "Global Flags") || args[0] != "--help" && args[1] != "settings" && strings.Contains(r.out, "--user-token-file ") {
			t.Errorf("%v repeats the flags of every command:\n%s", args, r.out)
		}
	}
	newProcess().run(t, "search", "--help").want(t, exitOK, "jobboard help settings", "--near place", "--map", "no coordinates")
	newProcess().run(t, "help", "settings").want(t, exitOK, "--user-token-file file", "--timeout time", "JOBBOARD_USER_TOKEN")
	newProcess().run(t, "init", "--help").want(t, exitOK, "--force")
	newProcess().run(t, "fake", "--help").want(t, exitOK, "--addr").without(t, "help settings")
}

func TestVersion(t *testing.T) {
	one := newProcess().run(t, "version").want(t, exitOK)
	if !regexp.MustCompile(`^jobboard \S+ \(.*go1\.\d+.*, \w+/\w+\)\n$`).MatchString(one.out) {
		t.Errorf("version: %q", one.out)
	}
	if flag := newProcess().run(t, "--version").want(t, exitOK); flag.out != one.out {
		t.Errorf("--version says %q, version says %q", flag.out, one.out)
	}
	b := decode[build](t, newProcess().run(t, "version", "--json").want(t, exitOK).out)
	if b.Version == "" || !strings.HasPrefix(b.Go, "go1.") || !strings.Contains(one.out, b.System) {
		t.Errorf("%+v", b)
	}
}

func TestMeantFlag(t *testing.T) {
	for typed, meant := range map[string]string{
		"--chanel": "is it --channel?", "--outptu": "is it --output?", "--langage": "is it --language?",
	} {
		newProcess().run(t, "search", typed, "x").want(t, exitUsage).wantErr(t, "unknown flag: "+typed, meant, "next: jobboard search --help")
	}
	newProcess().run(t, "search", "--nothing-like-it").want(t, exitUsage).without(t, "is it")
	newProcess().run(t, "search", "--token", "abc").want(t, exitUsage).wantErr(t, "secrets have no flag").without(t, "abc")
}

func TestCompletionAndHelp(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := newProcess().run(t, "completion", shell).want(t, exitOK); len(r.out) < 500 {
			t.Errorf("%s: %q", shell, r.out)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "csh"}, {"completion", "bash", "zsh"}} {
		if r := newProcess().run(t, args...).want(t, exitUsage); r.out != "" {
			t.Errorf("%v: %q on standard output", args, r.out)
		}
	}
	newProcess().run(t, "__complete", "help", "").want(t, exitOK, "settings\tflags of every command", "search\t")
	newProcess().run(t).want(t, exitOK, "Ask the service:", "completion", "jobboard help settings")
	newProcess().run(t, "help", "exit-codes").want(t, exitOK, "Exit codes:", "130")
}

// What the help says of exit codes and settings stands in README.md, too.
func TestReadme(t *testing.T) {
	page := read(t, "README.md")
	for line := range strings.SplitSeq(exitHelp, "\n") {
		code, words, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || line[0] != ' ' {
			continue
		}
		if row := "| " + code + " | " + strings.TrimSpace(words) + " |"; !strings.Contains(page, row) {
			t.Errorf("README.md lacks %s", row)
		}
	}
	help := newProcess().run(t, "help", "settings").want(t, exitOK).out
	for _, s := range settingList {
		for _, name := range []string{"`" + s.env() + "`", "`--" + s.flag + "`", "`" + s.name + "`"} {
			if !strings.Contains(page, name) {
				t.Errorf("README.md lacks %s", name)
			}
		}
		if !strings.Contains(help, s.env()) {
			t.Errorf("the help lacks %s", s.env())
		}
	}
}
