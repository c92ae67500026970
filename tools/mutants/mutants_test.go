package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// lib is code of which the tests notice some changes and not others.
var lib = map[string]string{
	"go.mod": "module example.com/lib\n\ngo 1.26.0\n",
	"lib.go": `package lib

// Abs is tested.
func Abs(i int) int {
	if i < 0 {
		return -i
	}
	return i
}

// Loop hangs when it is broken.
func Loop(i int) {
	for i < 3 {
		i++
	}
}
`,
	"untested/untested.go": "package untested\n\nfunc Both(a, b bool) bool { return a && b }\n",
	"lib_test.go": `package lib

import "testing"

func TestAbs(t *testing.T) {
	if Abs(-2) != 2 || Abs(2) != 2 {
		t.Error("wrong")
	}
	Loop(0)
}
`,
	"user/user.go": `package user

const limit = 2

func Both(a, b bool) bool { return a && b }

func Either(a, b bool) bool { return a || b }

func Neither(a, b bool) bool { return !a && !b }

func Limit() int { return limit }

var made = make2()

func make2() int { return 2 }

func Made() int { return made }
`,
	"suite/suite_test.go": `package suite

import (
	"testing"

	"example.com/lib/user"
)

func TestBoth(t *testing.T) {
	if user.Both(true, false) || !user.Either(true, false) || user.Neither(true, false) || user.Limit() != 2 || user.Made() != 2 {
		t.Error("wrong")
	}
}
`,
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// result runs all mutants of a pattern.
func result(t *testing.T, dir, pattern, skip string, least float64) (string, error) {
	t.Helper()
	var out strings.Builder
	r := run{
		dir: dir, patterns: []string{pattern}, n: 1000, seed: 1, min: least, skip: regexp.MustCompile(skip), out: &out,
		grace: 5 * time.Second, cpu: time.Second, atOnce: runtime.NumCPU(),
	}
	err := r.all(context.Background())
	return out.String(), err
}

// sorted returns the lines, which come in the order of their tests' ends.
func sorted(lines string) []string { return slices.Sorted(strings.Lines(lines)) }

func TestMutants(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := write(t, lib)

	got, err := result(t, dir, ".", "^$", 50)
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	for _, want := range []string{
		`detected lib\.go:5: "" becomes "false && "`,
		`detected lib\.go:5: "" becomes "true \|\| "`,
		`LIVED    lib\.go:5: "<" becomes "<="\nlib.go Abs\n- if i < 0 {\n\+ if i <= 0 {\n`, // -0 is 0
		`detected lib\.go:6: "-" becomes ""`,
		`hung     lib\.go:14: "\+\+" becomes "--"`,
		`places, seed 1: \d+ lived, \d\d\.\d % detected`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if again, _ := result(t, dir, ".", "^$", 50); !slices.Equal(sorted(again), sorted(got)) {
		t.Errorf("the same seed gave\n%s\nand\n%s", got, again)
	}
	if got, err := result(t, dir, ".", "^$", 99); !errors.Is(err, errNotDetected) {
		t.Errorf("mutants live, and the bound of 99 %% gives %v\n%s", err, got)
	}
}

// The tests of other packages count, unless they are left out.
func TestMutantsOfSuites(t *testing.T) {
	dir := write(t, lib)
	got, err := result(t, dir, "./user", "^$", 85)
	if err != nil || strings.Count(got, "detected user/user.go") != 6 ||
		!strings.Contains(got, "LIVED    user/user.go:9: \"!\" becomes \"\"\nuser/user.go Neither\n- ") {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := result(t, dir, "./user", "suite$", 0); err == nil {
		t.Errorf("without its tests a package was tried:\n%s", got)
	}
	if got, err := result(t, dir, "./untested", "^$", 0); err == nil {
		t.Errorf("a package without tests was tried:\n%s", got)
	}
}

func TestMutantsOfBrokenCode(t *testing.T) {
	dir := write(t, lib)
	if err := os.WriteFile(filepath.Join(dir, "lib_test.go"), []byte("package lib\n\nimport \"testing\"\n\nfunc TestAbs(t *testing.T) { t.Fail() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := result(t, dir, ".", "^$", 0); err == nil || !strings.Contains(err.Error(), "with whole code") {
		t.Errorf("tests that fail anyway gave %v\n%s", err, got)
	}
}

// A mutant that does not compile is left out, also where the go command shortens
// the name of its file because the module lies in a directory of the same beginning.
func TestMutantsThatDoNotCompile(t *testing.T) {
	top := t.TempDir()
	dir, tmp := filepath.Join(top, "mut", "lib"), filepath.Join(top, "mutants")
	if err := errors.Join(os.MkdirAll(tmp, 0o700), os.MkdirAll(filepath.Dir(dir), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(write(t, map[string]string{
		"go.mod":      "module example.com/lib\n\ngo 1.26.0\n",
		"lib.go":      "package lib\n\nfunc Say(say func(int)) {\n\ti := 1\n\tsay(i)\n}\n",
		"lib_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestSay(t *testing.T) {\n\tSay(func(i int) {\n\t\tif i != 1 {\n\t\t\tt.Error(i)\n\t\t}\n\t})\n}\n",
	}), dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	got, err := result(t, dir, ".", "^$", 100)
	if err != nil || !strings.Contains(got, "1 of 2 places") {
		t.Errorf("%v\n%s", err, got)
	}
}

// A mutant on the list is not tried. A list that does not fit the code, or does
// not say why, ends the run.
func TestListOfEquivalents(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := write(t, lib)
	places := func(list string) ([]string, error) {
		r := run{dir: dir, patterns: []string{"."}, skip: regexp.MustCompile("^$"), equivalents: list}
		var err error
		if r.users, err = r.findUsers(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := r.mutants(t.Context())
		var shown []string
		for _, m := range found {
			shown = append(shown, m.String())
		}
		return shown, err
	}
	const one = `lib.go:5: "<" becomes "<="`
	all, err := places("")
	if err != nil || !slices.Contains(all, one) {
		t.Fatalf("%v\n%q", err, all)
	}
	listed := filepath.Join(dir, "equivalents.txt")
	const abs = "lib.go Abs\n- if i < 0 {\n+ if i <= 0 {\nZero has no sign.\n"
	for _, c := range []struct{ list, fails string }{
		{"# Read by hand.\n\n" + abs, ""},
		{abs + "\n" + abs, "listed twice: lib.go Abs"},
		{strings.Replace(abs, "- if i < 0", "- if i < 1", 1), "no such place: lib.go Abs"},
		{strings.Replace(abs, "<=", ">", 1), "no such place: lib.go Abs"},
		{strings.Replace(abs, "Abs", "Loop", 1), "no such place: lib.go Loop"},
		{strings.Replace(abs, "lib.go", "gone.go", 1), "gone.go"},
		{strings.Replace(abs, "Zero has no sign.\n", "", 1), "no reason"},
		{"lib.go Abs\nNothing but words.\n", "no change"},
	} {
		if err := os.WriteFile(listed, []byte(c.list), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := places(listed)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: %v, want %q", c.list, err, c.fails)
			}
			continue
		}
		want := slices.DeleteFunc(slices.Clone(all), func(shown string) bool { return shown == one })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v\n%q\nwant\n%q", err, got, want)
		}
	}
	// A module that is a folder of a repository has its files named from there.
	name := filepath.Base(dir)
	if err := os.WriteFile(listed, []byte(name+"/"+abs), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run{dir: dir, root: filepath.Dir(dir), patterns: []string{"."}, skip: regexp.MustCompile("^$"), equivalents: listed}
	if r.users, err = r.findUsers(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := r.mutants(t.Context())
	if err != nil || len(found) != len(all)-1 || !strings.HasPrefix(found[0].String(), name+"/lib.go:") {
		t.Errorf("%v, %d places of %d", err, len(found), len(all))
	}
	if _, err := places(filepath.Join(dir, "none.txt")); err == nil {
		t.Error("a list that is not there is no error")
	}
}

// A list of the repository's own is held against its code.
func TestOwnListOfEquivalents(t *testing.T) {
	listed, err := readEquivalents("equivalents.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkListed(filepath.Join("..", ".."), listed); err != nil {
		t.Errorf("take out or renew what the code has changed:\n%v", err)
	}
}

// The capacity of a slice that is made is no place, its length is one.
func TestCapacity(t *testing.T) {
	dir := write(t, map[string]string{"lib.go": "package lib\n\nfunc Make(n int) []int { return make([]int, 1, 2*n) }\n"})
	found, err := mutantsOf("lib", filepath.Join(dir, "lib.go"))
	if err != nil || len(found) != 1 || found[0].old != "1" {
		t.Errorf("%v, %v", found, err)
	}
}

// A test that takes too long with whole code is not asked, and the others are.
func TestMutantsAndTestsThatTakeLong(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod": "module example.com/lib\n\ngo 1.26.0\n",
		"lib.go": "package lib\n\nfunc One() bool { return true }\n\nfunc Two() bool { return true }\n",
		"lib_test.go": `package lib

import "testing"

func TestOne(t *testing.T) {
	if !One() {
		t.Error("wrong")
	}
}

func TestTwo(t *testing.T) {
	if !Two() {
		t.Error("wrong")
	}
	select {}
}
`,
	})
	var out strings.Builder
	r := run{
		dir: dir, patterns: []string{"."}, n: 1000, seed: 1, skip: regexp.MustCompile("^$"), out: &out,
		grace: 5 * time.Second, cpu: time.Second, atOnce: 1, longest: 3 * time.Second,
	}
	err := r.all(t.Context())
	got := out.String()
	if err != nil || !strings.Contains(got, "1 of 2 tests take longer than 3s, and are not asked") ||
		!strings.Contains(got, "not asked example.com/lib TestTwo") || !strings.Contains(got, "detected lib.go:3") || !strings.Contains(got, "LIVED    lib.go:5") {
		t.Errorf("%v\n%s", err, got)
	}
}

// A test that fails now and then detects nothing: neither where it fails once
// beside a mutant, nor where it fails from then on with whole code, too.
func TestMutantsAndTestsThatFailAnyway(t *testing.T) {
	for _, mode := range []string{"once", "from then on", "hangs once"} {
		files := map[string]string{
			"go.mod": "module example.com/lib\n\ngo 1.26.0\n",
			"lib.go": "package lib\n\nfunc Ready() bool { return true }\n",
			"lib_test.go": `package lib

import (
	"os"
	"testing"
)

func TestReady(t *testing.T) {
	Ready()
	if on := os.Getenv("MUTANTS"); on == "notes" {
		return
	}
	f, err := os.OpenFile(os.Getenv("FAILED"), os.O_CREATE|os.O_EXCL, 0o600)
	mode := os.Getenv("MODE")
	if err == nil {
		f.Close()
		if mode == "hangs once" {
			select {}
		}
		t.Fatal("busy")
	}
	if mode == "from then on" {
		t.Fatal("still busy")
	}
}
`,
		}
		dir := write(t, files)
		t.Setenv("FAILED", filepath.Join(dir, "failed"))
		t.Setenv("MODE", mode)
		got, err := result(t, dir, ".", "^$", 0)
		if err != nil || !strings.Contains(got, "not by the mutant or not each time: ^(TestReady)$") ||
			!strings.Contains(got, "1 lived, 0.0 % detected") {
			t.Errorf("%s: %v\n%s", mode, err, got)
		}
	}
}
