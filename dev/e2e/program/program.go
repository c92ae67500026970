// Package program builds programs of this repository and starts them, for tests
// that use them as a person would.
package program

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Build builds the package in a folder of a module, such as "market/cmd" and
// "./jobboard", and returns the path of the program.
func Build(t *testing.T, module, folder string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..", "..")
	program := filepath.Join(t.TempDir(), filepath.Base(folder)+".exe")
	build := exec.CommandContext(t.Context(), "go", "-C", filepath.Join(root, module), "build", "-o", program, folder)
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%s of %s: %v\n%s", folder, module, err, out)
	}
	return program
}

// Start starts a program that runs until the test ends, and returns the last word of
// the first line that it logs, such as its address.
func Start(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = env
	logged, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(logged)
	t.Cleanup(func() {
		for lines.Scan() { // until the program ends with the context of the test
			t.Logf("%s: %s", filepath.Base(program), lines.Text())
		}
		_ = cmd.Wait()
	})
	if !lines.Scan() {
		t.Fatalf("%s logs nothing: %v", program, lines.Err())
	}
	words := strings.Fields(lines.Text())
	return words[len(words)-1]
}
