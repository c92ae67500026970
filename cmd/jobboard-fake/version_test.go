package main

import (
	"bytes"
	"regexp"
	"testing"
)

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-version"}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("code %d, %s", code, &stderr)
	}
	if !regexp.MustCompile(`^jobboard-fake \S+ go1\.\d+\S*.*\n$`).Match(stdout.Bytes()) {
		t.Errorf("%q", &stdout)
	}
}
