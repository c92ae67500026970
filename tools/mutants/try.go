package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
	took, cpu          time.Duration
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
		list, err := r.program(ctx, program, pkg, nil, 0, "-test.list", ".").Output()
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
	cmd := r.program(ctx, t.program, t.pkg, nil, -1, "-test.run", "^"+t.name+"$", "-test.timeout", "10m")
	cmd.Env = append(cmd.Env, "MUTANT_LOG="+log)
	begin := time.Now()
	failed := cmd.Run()
	t.took, t.cpu, t.by = time.Since(begin), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), map[int]bool{}
	if failed != nil {
		args := []string{"test", "-count=1", "-vet=off", "-run", pattern([]*test{t}), t.pkg}
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

// try runs the tests that come by the mutant until one notices. Last come those
// that were left out, with a program of their own for the mutant.
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
		return cmp.Or(cmp.Compare(a.turn(m), b.turn(m)), cmp.Compare(a.program, b.program), cmp.Compare(a.took, b.took))
	})
	for _, together := range batches(by) {
		program, pkg := together[0].program, together[0].pkg
		result, err := r.ask(ctx, m, together, func(tests []*test, mutant int) *exec.Cmd {
			return r.program(ctx, program, pkg, tests, mutant, "-test.failfast", "-test.timeout", r.patience(tests),
				"-test.run", pattern(tests))
		})
		if result != survived || err != nil {
			return result, err
		}
	}
	return r.tryAnew(ctx, m, anew)
}

// atOnce is how long tests may take that are run together.
const atOnce = 4 * time.Second

// turn returns when a test is asked: quick ones of the mutant's own package, then
// other quick ones, each program's together, then slow ones by their time.
func (t *test) turn(m *mutant) time.Duration {
	switch {
	case t.took >= atOnce:
		return t.took
	case t.pkg == m.pkg:
		return 0
	}
	return 1
}

// batches divides tests into those that one program runs together.
func batches(tests []*test) [][]*test {
	var all [][]*test
	var took time.Duration
	for i, t := range tests {
		if took += t.took; i == 0 || tests[i-1].program != t.program || took >= atOnce {
			all, took = append(all, nil), t.took
		}
		all[len(all)-1] = append(all[len(all)-1], t)
	}
	return all
}

// patience returns how long tests may take until they count as hung.
func (r *run) patience(tests []*test) string {
	limit := r.grace
	for _, t := range tests {
		limit += 4 * t.took
	}
	return limit.String()
}

func pattern(tests []*test) string {
	var names []string
	for _, t := range tests {
		names = append(names, t.name)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// ask runs tests with the mutant and tells whether they notice it. The command
// is that of some of the tests, with whole code where the mutant is 0.
//
// On a busy machine a test fails or hangs for other reasons, too. That it did
// counts if it passes with whole code at once after that, and then does not pass
// with the mutant again.
func (r *run) ask(
	ctx context.Context, m *mutant, tests []*test, command func(tests []*test, mutant int) *exec.Cmd,
) (string, error) {
	for len(tests) > 0 {
		out, err := command(tests, m.id).CombinedOutput()
		first := outcome(out, err)
		if first == survived || first == notBuilt || ctx.Err() != nil {
			return first, ctx.Err()
		}
		failed := failing(out, tests)
		out, err = command(failed, 0).CombinedOutput()
		counts := outcome(out, err) == survived
		if counts {
			out, err = command(failed, m.id).CombinedOutput()
			counts = outcome(out, err) != survived
		}
		if counts || ctx.Err() != nil {
			return first, ctx.Err()
		}
		fmt.Fprintf(r.out, "%-8s %s: not by the mutant or not each time: %s\n", first, m, pattern(failed))
		tests = slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return slices.Contains(failed, t) })
	}
	return survived, nil
}

// failing returns the tests that a program says have failed, and all of them if
// it did not come to say it.
func failing(out []byte, tests []*test) []*test {
	var failed []*test
	for _, t := range tests {
		if bytes.Contains(out, []byte("--- FAIL: "+t.name+" ")) {
			failed = append(failed, t)
		}
	}
	if len(failed) == 0 {
		return tests
	}
	return failed
}

// outcome tells what a run of tests says of the code.
func outcome(out []byte, err error) string {
	switch {
	case err == nil:
		return survived
	case bytes.Contains(out, []byte("panic: test timed out")), bytes.Contains(out, []byte("SIGXCPU")):
		return timedOut
	case bytes.Contains(out, []byte("[build failed]")):
		return notBuilt
	}
	return detected
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
	took, of, pkgs := map[string]time.Duration{}, map[string][]*test{}, []string{}
	for _, t := range tests {
		if of[t.pkg] == nil {
			pkgs = append(pkgs, t.pkg)
		}
		took[t.pkg] += t.took
		of[t.pkg] = append(of[t.pkg], t)
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
		result, err := r.ask(ctx, m, of[pkg], func(tests []*test, mutant int) *exec.Cmd {
			args := []string{
				"test", "-count=1", "-vet=off", "-failfast", "-timeout", r.patience(tests),
				"-exec", "sh -c '" + r.inBounds(tests) + "'",
			}
			if mutant != 0 {
				args = append(args, "-overlay", overlay)
			}
			return r.command(ctx, "go", append(args, "-run", pattern(tests), pkg)...)
		})
		if result != survived || err != nil {
			return result, err
		}
	}
	return survived, nil
}

// inBounds returns a script that runs a program of tests with no more than 8 GiB
// of memory, for which a mutant may ask without end, and bounds the time that it
// takes of a processor: so a loop without end is found however busy the machine
// is. Without tests there is no such bound.
func (r *run) inBounds(tests []*test) string {
	limit := "unlimited"
	if tests != nil {
		most := r.cpu
		for _, t := range tests {
			most += 4 * t.cpu
		}
		limit = fmt.Sprintf("%.0f", math.Ceil(most.Seconds()))
	}
	return fmt.Sprintf(`ulimit -v 8388608; ulimit -S -t %s; exec "$0" "$@"`, limit)
}

// program runs tests of a program in the directory of its package.
func (r *run) program(
	ctx context.Context, program, pkg string, tests []*test, mutant int, args ...string,
) *exec.Cmd {
	cmd := r.command(ctx, "sh", append([]string{"-c", r.inBounds(tests), program}, args...)...)
	cmd.Dir = r.dirs[pkg]
	cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(mutant))
	return cmd
}
