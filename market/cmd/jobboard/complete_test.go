package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// completed returns what is offered for a command line, a line each.
func (p *testProcess) completed(t *testing.T, args ...string) string {
	t.Helper()
	return p.run(t, append([]string{"__complete"}, args...)...).want(t, setup.ExitOK).out
}

// installed is a directory that holds the program under its name.
func installed(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n" + asProgram + "=1 exec '" + self + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "jobboard"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// screen is a program on a terminal of its own.
type screen struct {
	t    *testing.T
	keys *os.File
	came chan string
	all  string // all output, also the part that no test waited for
	seen string // all that came
}

func newScreen(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, keys: keys, came: make(chan string, 1000)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = keys.Close()
	})
	go func() {
		defer close(s.came)
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			if n > 0 {
				s.came <- string(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) typed(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// until waits for a text and gives what came up to it.
func (s *screen) until(text string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	for {
		if before, after, ok := strings.Cut(s.all, text); ok {
			s.all = after
			return before
		}
		select {
		case part, open := <-s.came:
			s.seen += part
			if s.all += part; !open {
				s.t.Fatalf("it ended without %q: %q", text, s.all)
			}
		case <-ctx.Done():
			s.t.Fatalf("%q did not come: %q", text, s.all)
		}
	}
}

// bashCompletion is the part of bash-completion that the script for bash builds on.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// The shells themselves complete what is typed, on a terminal.
func TestCompletionInShells(t *testing.T) {
	bin := installed(t)
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "TERM=xterm", "LC_ALL=C.UTF-8",
		"XDG_CONFIG_HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	for _, shell := range []struct {
		name  string
		args  []string
		setUp string
	}{
		{"bash", []string{"--norc", "--noprofile", "-i"}, `source ` + bashCompletion + `; source <(jobboard completion -s bash); PS1=''; bind 'set enable-bracketed-paste off'`},
		{"zsh", []string{"-f", "-i"}, `unset zle_bracketed_paste; autoload -U compinit; compinit -D; source <(jobboard completion -s zsh); PS1=''; unsetopt prompt_sp`},
	} {
		t.Run(shell.name, func(t *testing.T) {
			program := testenv.Program(t, shell.name, "")
			if shell.name == "bash" {
				testenv.File(t, bashCompletion, "Debian: bash-completion")
			}
			cmd := exec.CommandContext(t.Context(), program, shell.args...)
			cmd.Env = env
			s := newScreen(t, cmd)
			s.typed(shell.setUp + "; echo rea''dy\n")
			s.until("ready")
			for _, test := range []struct{ typed, want string }{
				{"sear", "<search>"},
				{"search --near Heidelb", "<search><--near><Heidelberg>"},
				{"search --near heidelb", "<search><--near><heidelberg>"},
				{`search --near Frankfurt\ am`, "<search><--near><Frankfurt am Main>"},
				{"search --fake --chan", "<search><--fake><--channel>"},
			} {
				// The shell that took the completed line apart prints its words.
				s.typed("jobboard " + test.typed + "\t\x01printf '<%s>' words \x05; echo en''d\n")
				if got := s.until("end"); !strings.Contains(got, "<words><jobboard>"+test.want) {
					t.Errorf("%s: want %s in %q", test.typed, test.want, got)
				}
			}
		})
	}
	t.Run("fish", func(t *testing.T) {
		for typed, want := range map[string]string{
			"jobboard search --near Heidelb":       "Heidelberg\tDE",
			`jobboard search --near Frankfurt\ am`: "Frankfurt am Main\tDE",
		} {
			cmd := exec.CommandContext(t.Context(), testenv.Program(t, "fish", ""), "--no-config", "-c", "jobboard completion -s fish | source; complete -C $argv[1]", typed)
			cmd.Env = env
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("%s: %v, %q, want %q", typed, err, got, want)
			}
		}
	})
}
