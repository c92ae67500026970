// Package clitest holds helpers for the tests of both programs and of their packages. No
// product code imports it.
package clitest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Unbounded is the Most of a command that takes any number of arguments.
const Unbounded = -1

// Command lists the arguments and flags of a command with their completions: words, ":0"
// for files, ":8" for files with the listed extensions, or nothing more.
type Command struct {
	Most  int // arguments
	Args  string
	Flags []string // each with its default
}

// Program runs a program under test.
type Program struct {
	Completed func(args ...string) string      // returns the completions of the last argument, which is empty
	Refused   func(why string, args ...string) // fails the test unless the program refuses arguments and says why
}

// Check fails a test unless the commands below root are those of want.
func (p Program) Check(t *testing.T, root *cobra.Command, want map[string]Command) {
	t.Helper()
	for _, c := range root.Commands() {
		w, ok := want[c.Name()]
		if !ok {
			if c.Flags().HasFlags() {
				t.Errorf("nothing is said of %s", c.Name())
			}
			continue
		}
		if got := p.Flags(c.Name(), c.LocalNonPersistentFlags()); !slices.Equal(got, w.Flags) {
			t.Errorf("%s has the flags %q", c.Name(), got)
		}
		if got := p.completed(c.Name(), ""); got != w.Args {
			t.Errorf("the arguments of %s are completed with %q", c.Name(), got)
		}
		if w.Most == Unbounded {
			continue
		}
		args := strings.Fields("a b c")[:w.Most+1]
		p.Refused(fmt.Sprintf("one argument too many: %q", args[w.Most]), append([]string{c.Name()}, args...)...)
		if err := c.Args(c, args[:w.Most]); err != nil {
			t.Errorf("%s does not take %d arguments: %v", c.Name(), w.Most, err)
		}
	}
}

// Flags returns the flags of a set with their defaults, and how a command completes them.
func (p Program) Flags(command string, set *pflag.FlagSet) (all []string) {
	set.VisitAll(func(f *pflag.Flag) {
		text := f.Name + "=" + f.DefValue
		if f.Value.Type() != "bool" {
			text += " " + p.completed(command, "--"+f.Name, "")
		}
		all = append(all, text)
	})
	return all
}

func (p Program) completed(args ...string) string {
	return strings.Join(strings.Fields(p.Completed(args...)), " ")
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
