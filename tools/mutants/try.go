package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// test is one test of a program, and which mutants it comes by.
type test struct {
	program, pkg, name string
	took               time.Duration
	by                 map[int]bool
	leftOut            bool // it fails with whole code where that can be switched
}

// findTests builds the programs of all tests that use a mutant's package, and
// runs each test once with whole code.
func (r *run) findTests(ctx context.Context, sample []*mutant) ([]*test, error) {
	var pkgs []string
	for _, m := range sample {
		for _, pkg := range r.users[m.pkg] {
			if !slices.Contains(pkgs, pkg) {
				pkgs = append(pkgs, pkg)
			}
		}
	}
	slices.Sort(pkgs)
	var all []*test
	for i, pkg := range pkgs {
		program := filepath.Join(r.tmp, strconv.Itoa(i)+".test")
		args := []string{"test", "-c", "-vet=off", "-overlay", r.overlay(), "-o", program, pkg}
		out, err := r.command(ctx, "go", args...).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("the tests of %s do not build: %w\n%s", pkg, err, out)
		}
		list, err := r.program(ctx, program, pkg, 0, "-test.list", ".").Output()
		if err != nil {
			return nil, explained(err)
		}
		for name := range strings.FieldsSeq(string(list)) {
			if strings.HasPrefix(name, "Benchmark") {
				continue
			}
			t := &test{program: program, pkg: pkg, name: name}
			if err := r.record(ctx, t); err != nil {
				return nil, err
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// record runs a test with whole code. It leaves out one that fails, as those do
// that count allocations: the switch of a mutant costs some.
func (r *run) record(ctx context.Context, t *test) error {
	log := filepath.Join(r.tmp, "seen")
	_ = os.Remove(log)
	cmd := r.program(ctx, t.program, t.pkg, -1, "-test.run", "^"+t.name+"$", "-test.timeout", "10m")
	cmd.Env = append(cmd.Env, "MUTANT_LOG="+log)
	begin := time.Now()
	failed := cmd.Run()
	t.took, t.by = time.Since(begin), map[int]bool{}
	if failed != nil {
		args := []string{"test", "-count=1", "-vet=off", "-run", pattern([]string{t.name}), t.pkg}
		out, err := r.command(ctx, "go", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s of %s fails with whole code: %w\n%s", t.name, t.pkg, err, out)
		}
		t.leftOut = true
		return ctx.Err()
	}
	b, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for id := range strings.FieldsSeq(string(b)) {
		n, err := strconv.Atoi(id)
		if err != nil {
			return err
		}
		t.by[n] = true
	}
	return nil
}

// What became of a mutant.
const (
	notBuilt = "no code"
	detected = "detected"
	timedOut = "hung"
	survived = "LIVED"
)

// try runs the tests that come by the mutant until one notices: those of its own
// package first, and the quick ones before the slow ones. Last come those that
// were left out, with a program of their own for the mutant.
func (r *run) try(ctx context.Context, m *mutant, tests []*test) (string, error) {
	var by, anew []*test
	for _, t := range tests {
		switch {
		case t.by[m.id]:
			by = append(by, t)
		case slices.Contains(r.users[m.pkg], t.pkg) && (t.leftOut || m.in == nil):
			anew = append(anew, t)
		}
	}
	slices.SortStableFunc(by, func(a, b *test) int {
		own := func(t *test) int {
			if t.pkg == m.pkg && t.took < atOnce {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.took, b.took))
	})
	for len(by) > 0 {
		names, took, n := []string{by[0].name}, by[0].took, 1
		for n < len(by) && by[n].program == by[0].program && took+by[n].took < atOnce {
			names, took = append(names, by[n].name), took+by[n].took
			n++
		}
		limit := r.grace + 4*took
		out, err := r.program(ctx, by[0].program, by[0].pkg, m.id, "-test.failfast", "-test.timeout", limit.String(),
			"-test.run", pattern(names)).CombinedOutput()
		if result, done := r.result(out, err); done || ctx.Err() != nil {
			return result, ctx.Err()
		}
		by = by[n:]
	}
	return r.tryAnew(ctx, m, anew)
}

// atOnce is how long tests may take that are run together.
const atOnce = 4 * time.Second

func pattern(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// result tells what the tests said of a mutant, and whether that is enough.
func (r *run) result(out []byte, err error) (string, bool) {
	switch {
	case err == nil:
		return "", false
	case bytes.Contains(out, []byte("panic: test timed out")):
		return timedOut, true
	case bytes.Contains(out, []byte("[build failed]")):
		return notBuilt, true
	}
	return detected, true
}

// tryAnew runs tests in programs that are built for the mutant.
func (r *run) tryAnew(ctx context.Context, m *mutant, tests []*test) (string, error) {
	if len(tests) == 0 {
		return survived, nil
	}
	b, err := m.broken()
	if err != nil {
		return "", err
	}
	file, overlay := filepath.Join(r.tmp, "anew.go"), filepath.Join(r.tmp, "anew.json")
	description, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: file}})
	if err = errors.Join(err, os.WriteFile(file, b, 0o600), os.WriteFile(overlay, description, 0o600)); err != nil {
		return "", err
	}
	took, names, pkgs := map[string]time.Duration{}, map[string][]string{}, []string{}
	for _, t := range tests {
		if names[t.pkg] == nil {
			pkgs = append(pkgs, t.pkg)
		}
		took[t.pkg] += t.took
		names[t.pkg] = append(names[t.pkg], t.name)
	}
	slices.SortStableFunc(pkgs, func(a, b string) int {
		switch m.pkg {
		case a:
			return -1
		case b:
			return 1
		}
		return cmp.Compare(took[a], took[b])
	})
	for _, pkg := range pkgs {
		args := []string{
			"test", "-count=1", "-vet=off", "-failfast", "-timeout", (r.grace + 4*took[pkg]).String(),
			"-exec", inBounds, "-overlay", overlay, "-run", pattern(names[pkg]), pkg,
		}
		out, err := r.command(ctx, "go", args...).CombinedOutput()
		if result, done := r.result(out, err); done || ctx.Err() != nil {
			return result, ctx.Err()
		}
	}
	return survived, nil
}

// inBounds runs a program that gets no more than 8 GiB of memory: a mutant may
// ask for it without end.
const inBounds = `sh -c 'ulimit -v 8388608; exec "$0" "$@"'`

// program runs a program of tests in the directory of its package.
func (r *run) program(ctx context.Context, program, pkg string, mutant int, args ...string) *exec.Cmd {
	cmd := r.command(ctx, "sh", append([]string{"-c", `ulimit -v 8388608; exec "$0" "$@"`, program}, args...)...)
	cmd.Dir = r.dirs[pkg]
	cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(mutant))
	return cmd
}
