// Package golden holds texts against files in testdata. Its flag -update writes the
// files anew.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// Updating reports whether the files are written anew: then a test needs all of a file.
func Updating() bool { return *update }

// Compare ends the test at the first line in which a text differs from a file.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(data), "\n")
	for i, want := range wantLines {
		if i == len(gotLines) || gotLines[i] != want {
			t.Fatalf("%s:%d: want %s\nand what follows; got\n%s", file, i+1, want, strings.Join(gotLines[min(i, len(gotLines)):min(i+5, len(gotLines))], "\n"))
		}
	}
	if len(gotLines) > len(wantLines) {
		t.Fatalf("%s: there is more:\n%s", file, strings.Join(gotLines[len(wantLines):], "\n"))
	}
}
