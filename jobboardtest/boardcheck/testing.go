package boardcheck

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"
)

// Run checks a board in a test. Each rule is a subtest; rules that are not observable are skipped
// with the reason, and likewise rules that were broken before. Changes since the profile in the
// file fail the test, and are then added to the file: commit it, or restore it, like any file
// that a test writes. If the file does not exist, Run writes it and fails, so that a nightly job
// that loses its file does not stay green.
func Run(t *testing.T, file string, b Board) {
	t.Helper()
	report, err := Check(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	known, err := Load(file)
	first := errors.Is(err, fs.ErrNotExist)
	switch {
	case first:
		known = &Profile{}
	case err != nil:
		t.Fatal(err)
	}
	knew := maps.Clone(known.Rules)
	report.Since(known)
	if err := known.Save(file); err != nil {
		t.Fatal(err)
	}
	t.Log(report.Summary())
	for _, r := range report.Rules {
		t.Run(r.Name, func(t *testing.T) {
			switch {
			case r.State == Broken && knew[r.Name] == Broken:
				t.Skipf("broken, as before: section %s: %s", r.Section, r.Text)
			case r.State == Broken:
				t.Errorf("section %s: %s\n\t%s", r.Section, r.Text, strings.Join(r.Problems, "\n\t"))
			case r.State == NotObservable:
				t.Skipf("section %s: %s", r.Section, r.Why)
			}
		})
	}
	for _, c := range report.Changes {
		if c.Note {
			t.Log(c)
		} else {
			t.Errorf("the board changed: %s", c)
		}
	}
	for _, trouble := range report.Troubles {
		t.Errorf("%s", trouble)
	}
	if first {
		t.Errorf("%s is new: commit it: it describes the board from now on", file)
	}
}
