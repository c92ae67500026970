package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With -like the program takes the switches of a profile. A file that is no profile is an
// error before the program listens.
func TestLike(t *testing.T) {
	folder := t.TempDir()
	file := func(text string) string {
		name := filepath.Join(folder, "board.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	p := start(t, "-addr", "127.0.0.1:0", "-json", "-like", file(`{"format": 1, "like": {"quoted_ids": true, "error_status": 422}}`))
	var f first
	if err := json.Unmarshal([]byte(p.line()), &f); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(f.JobDBURL + "/jobdb/public/apply/external?jobid=1")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("status %d", resp.StatusCode)
	}
	for text, want := range map[string]string{
		"{}": "no member like", "<html>": "no profile of a board", `{"like": {"dates": "soon"}}`: "variant dates does not know",
	} {
		var out, errs strings.Builder
		if code := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-like", file(text)}, &out, &errs); code != 1 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: %d, %s", text, code, &errs)
		}
	}
}
