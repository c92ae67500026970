package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// recorder notes a skip, and ends the goroutine as a test does.
type recorder struct {
	testing.TB
	why string
}

func (*recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.why = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// What is there is returned, and what is missing skips the test by name.
func TestNeeds(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "tool.exe")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		need      func(t testing.TB) string
		want, why string
	}{
		{func(t testing.TB) string { return Program(t, "tool.exe", "") }, program, ""},
		{func(t testing.TB) string { return Program(t, "no-such-tool", "") }, "", "there is no no-such-tool here"},
		{func(t testing.TB) string { return Program(t, "no-such-tool", "npm ci") }, "", "there is no no-such-tool here (npm ci)"},
		{func(t testing.TB) string { return File(t, dir, "") }, dir, ""},
		{func(t testing.TB) string { return File(t, "no/such/file", "Debian: bash-completion") }, "", "there is no no/such/file here (Debian: bash-completion)"},
	} {
		r, got, ended := &recorder{TB: t}, "", make(chan struct{})
		go func() {
			defer close(ended)
			got = c.need(r)
		}()
		<-ended
		if got != c.want || r.why != c.why {
			t.Errorf("%q, skipped as %q, want %q and %q", got, r.why, c.want, c.why)
		}
	}
}

// Nothing but the words themselves asks for more than a share. A seed is kept, two runs draw the same
// share, and two nights do not.
func TestAmounts(t *testing.T) {
	for value, want := range map[string][2]bool{"": {}, "1": {}, "whole": {true, false}, "night": {true, true}} {
		t.Setenv("JOBBOARD_TESTS", value)
		if got := [2]bool{Whole(), Night()}; got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	for _, amount := range []string{"", "whole", "night"} {
		t.Setenv("JOBBOARD_TESTS", amount)
		t.Setenv("JOBBOARD_SEED", "")
		if first, again := Seed(t), Seed(t); (first != again) != (amount == "night") {
			t.Errorf("%q: the seed of two runs is %d and %d", amount, first, again)
		}
		t.Setenv("JOBBOARD_SEED", "18446744073709551615")
		if seed := Seed(t); seed != 1<<64-1 {
			t.Errorf("%q: seed %d", amount, seed)
		}
	}
	t.Setenv("JOBBOARD_TESTS", "")
	t.Setenv("JOBBOARD_SEED", "")
	cases := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	if some, again := Some(t, 5, cases), Some(t, 5, cases); len(some) != 5 || !slices.Equal(some, again) || !slices.IsSorted(some) {
		t.Errorf("two runs try %v and %v", some, again)
	}
}
