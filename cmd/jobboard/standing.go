package main

import (
	"bytes"
	"os"
	"path/filepath"
)

const sourceModule = "module github.com/jobboard-sdk/jobboard-go/cmd/jobboard\n"

// standing returns the directory that names of files are relative to: "" for the
// one that the process is in, shell for `go -C cmd/jobboard run .`, which starts
// the program among its own source instead of where the person is. shell is the
// PWD of the environment, which that command leaves as it was.
func standing(dir, shell string) string {
	gomod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !bytes.HasPrefix(gomod, []byte(sourceModule)) || !filepath.IsAbs(shell) {
		return ""
	}
	if is, err := os.Stat(shell); err != nil || !is.IsDir() {
		return ""
	}
	return shell
}
