// Package clitest holds helpers for the tests of both programs and of their packages. No
// product code imports it.
package clitest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Program runs a program with arguments.
type Program func(args ...string) (code int, out, errOut string)

// Check fails a test unless each command below root has a help that fits a terminal, completes its flags and refuses
// arguments that it does not take.
func Check(t *testing.T, root *cobra.Command, run Program) {
	t.Helper()
	run.checkHelp(t, "--help")
	run.checkFlags(t, "search", root.PersistentFlags())
	for _, c := range root.Commands() {
		run.checkHelp(t, "help", c.Name())
		if !c.Runnable() { // a topic of the help
			continue
		}
		run.checkFlags(t, c.Name(), c.LocalNonPersistentFlags())
		takesText := strings.Contains(c.Use, "[TEXT]")
		code, out, errOut := run(c.Name(), "a", "b", "c", "--config=/no/such")
		refused := code == 2 && out == "" && strings.Contains(errOut, "one argument too many: ") && strings.Contains(errOut, "\nnext: ")
		if refused == takesText {
			t.Errorf("%s with three arguments: %d\n%s%s", c.Name(), code, out, errOut)
		}
	}
}

// checkHelp wants a help no wider than a terminal; a line to copy may be. Only the topic of the settings repeats the flags of
// every command.
func (run Program) checkHelp(t *testing.T, args ...string) {
	t.Helper()
	code, out, errOut := run(args...)
	if code != 0 || out == "" || errOut != "" {
		t.Errorf("%q: %d, %s", args, code, errOut)
	}
	for line := range strings.Lines(out) {
		if n := runewidth.StringWidth(strings.TrimSpace(line)); n > 80 && !strings.HasPrefix(line, "  $ ") {
			t.Errorf("%q: %d columns: %s", args, n, line)
		}
	}
	if strings.Contains(out, "--user-token-file file ") && args[len(args)-1] != "settings" {
		t.Errorf("%q repeats the flags of every command:\n%s", args, out)
	}
}

// checkFlags wants flags that take a file to be completed with files, and others with words or nothing.
func (run Program) checkFlags(t *testing.T, command string, flags *pflag.FlagSet) {
	t.Helper()
	flags.VisitAll(func(f *pflag.Flag) {
		value, _ := pflag.UnquoteUsage(f)
		if f.Value.Type() == "bool" {
			return
		}
		_, out, _ := run("__complete", command, "--"+f.Name, "")
		offered := strings.Fields(out)
		if len(offered) == 0 {
			t.Fatalf("%s --%s is completed with %q", command, f.Name, out)
		}
		directive, err := strconv.Atoi(strings.TrimPrefix(offered[len(offered)-1], ":"))
		files := cobra.ShellCompDirective(directive)&cobra.ShellCompDirectiveNoFileComp == 0
		if named := strings.Contains(value, "file") || f.Name == "db"; err != nil || files != named {
			t.Errorf("%s --%s, which takes a %s, is completed with %q", command, f.Name, value, out)
		}
	})
}

// WriteFile writes a file of a test, readable as mode says, and returns its path.
func WriteFile(t *testing.T, name, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask says
		t.Fatal(err)
	}
	return path
}
