package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestStanding(t *testing.T) {
	source, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, shell, want string }{
		{"go -C cmd/jobboard run .", source, home, home},
		{"go run . in cmd/jobboard", source, source, source},
		{"installed, and started by a program that changed directory", home, source, ""},
		{"no PWD", source, "", ""},
		{"a PWD that is gone", source, filepath.Join(home, "gone"), ""},
		{"a PWD that is a file", source, file, ""},
		{"a relative PWD", source, "..", ""},
	} {
		if got := standing(c.dir, c.shell); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A file is written where the person stands who types the README's command.
func TestMapIsWrittenWhereTheUserStands(t *testing.T) {
	source, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "-C", source, "run", ".", "search", "--fake", "--near", "Berlin", "--map", "hits.svg")
	cmd.Dir = home
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(home, "hits.svg")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(source, "hits.svg")); err == nil {
		t.Error("hits.svg is among the source")
		_ = os.Remove(filepath.Join(source, "hits.svg"))
	}
}
