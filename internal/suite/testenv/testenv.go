// Package testenv finds programs and servers that a test needs besides Go. A test skips and names
// the missing program, so that nobody has to install more than the README asks for. .ci/run, which
// installs everything, allows no skip.
package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program. It also looks where servers are installed,
// which PATH does not name for every user. hint says how to get the program; it may
// be empty.
func Program(t testing.TB, name, hint string) string {
	t.Helper()
	for _, where := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(where); err == nil {
			return path
		}
	}
	skip(t, name, hint)
	return ""
}

// File returns a path if there is a file or a folder.
func File(t testing.TB, path, hint string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		skip(t, path, hint)
	}
	return path
}

func skip(t testing.TB, what, hint string) {
	t.Helper()
	if hint != "" {
		hint = " (" + hint + ")"
	}
	t.Skipf("there is no %s here%s", what, hint)
}
