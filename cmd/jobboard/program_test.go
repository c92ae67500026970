package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// A program of the PATH gets arguments, input and environment, and its exit code is
// ours; without it the help has the line that runs it.
func TestPrograms(t *testing.T) {
	testenv.Program(t, "sh", "")
	dir := t.TempDir()
	script := "#!/bin/sh\nread line\necho \"$0 [$*] $line $JOBBOARD_CHANNEL\"\necho told >&2\nexit 9\n"
	for _, p := range programs {
		t.Setenv("PATH", "")
		newProcess().run(t, p.name, "run").want(t, exitUsage).wantErr(t, p.binary()+" is not on the PATH", p.source, "help "+p.name)
		newProcess().run(t, p.name, "--help").want(t, exitOK, p.source, p.install)
		newProcess().run(t, "help", p.name).want(t, exitOK, p.source, p.install)

		if err := os.WriteFile(filepath.Join(dir, p.binary()), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		t.Setenv("JOBBOARD_CHANNEL", "of_the_environment")
		child := newProcess()
		child.stdin = strings.NewReader("typed\n")
		child.run(t, p.name, "run", "--fake", "-n", "1").
			want(t, 9, p.binary()+" [run --fake -n 1] typed of_the_environment\n").wantErr(t, "told\n")
	}
}

// The lines that the help has are those of this checkout.
func TestProgramsAreThere(t *testing.T) {
	for _, p := range programs {
		words := strings.Fields(p.source) // go -C folder run package
		if _, err := os.Stat(filepath.Join("..", "..", words[2], words[4])); err != nil {
			t.Errorf("%s: %v", p.source, err)
		}
		gomod := read(t, filepath.Join("..", "..", words[2], "go.mod"))
		if module, at, ok := strings.Cut(strings.TrimPrefix(p.install, "go install "), "/cmd/"); ok && !strings.Contains(gomod, "module "+module+"\n") {
			t.Errorf("%s: %s is not the module of %s", p.install, module, at)
		}
	}
}
