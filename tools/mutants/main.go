// Mutants breaks the code of packages, one place at a time, and runs the tests
// that could notice. What no test notices is printed:
//
//	mutants -n 100 -seed 7 . ./jobfeed
//
// The places are sampled, and the same seed samples the same ones. No file is
// changed: the go command is given the broken one as an overlay.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutants: ")
	r := run{grace: 30 * time.Second}
	flag.IntVar(&r.n, "n", 100, "how many mutants to `try`")
	flag.Uint64Var(&r.seed, "seed", 1, "which ones are sampled")
	flag.DurationVar(&r.limit, "for", 0, "begin no mutant after this `time`; 0: no limit")
	flag.Float64Var(&r.min, "min", 92, "fail below this share of detected mutants, in `percent`")
	flag.StringVar(&r.dir, "dir", ".", "`directory` of the module")
	skip := flag.String("skip", "^$", "run no tests of packages whose import path matches the `expression`")
	flag.Parse()
	r.out, r.patterns = os.Stdout, flag.Args()
	var err error
	if r.skip, err = regexp.Compile(*skip); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.all(ctx); err != nil {
		stop()
		log.Fatal(err) //nolint:gocritic // the deferred call was made
	}
}

// run is one sample of mutants.
type run struct {
	dir      string
	patterns []string
	n        int
	seed     uint64
	limit    time.Duration
	min      float64
	skip     *regexp.Regexp
	grace    time.Duration // what tests may take beside four times their time with whole code
	out      io.Writer

	tmp      string
	tests    map[string][]string // by package: the packages whose tests can notice
	measured map[string][]trial  // by package
}

// trial is a run of some of a package's tests.
type trial struct {
	pkg  string
	slow bool          // only those that take longer than quickTest, else the others
	args []string      // of go test, which select them
	took time.Duration // with whole code
}

// quickTest is how long a test may take that is asked first.
const quickTest = 250 * time.Millisecond

var errNotDetected = errors.New("too many mutants live")

func (r *run) all(ctx context.Context) error {
	var err error
	if r.tmp, err = os.MkdirTemp("", "mutants"); err != nil {
		return err
	}
	defer os.RemoveAll(r.tmp)
	if r.dir, err = filepath.Abs(r.dir); err != nil {
		return err
	}
	r.measured = map[string][]trial{}
	if r.tests, err = r.findTests(ctx); err != nil {
		return err
	}
	all, err := r.mutants(ctx)
	if err != nil {
		return err
	}
	rand.New(rand.NewPCG(r.seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	tried, lived, begin := 0, 0, time.Now()
	for _, m := range all {
		if tried == r.n || r.limit > 0 && time.Since(begin) > r.limit {
			break
		}
		result, err := r.try(ctx, m)
		if err != nil {
			return err
		}
		if result == notBuilt {
			continue
		}
		tried++
		if result == survived {
			lived++
		}
		fmt.Fprintf(r.out, "%-8s %s\n", result, m)
	}
	if tried == 0 {
		return fmt.Errorf("no mutant of %d builds", len(all))
	}
	share := 100 * float64(tried-lived) / float64(tried)
	fmt.Fprintf(r.out, "%d of %d places, seed %d: %d lived, %.1f %% detected\n", tried, len(all), r.seed, lived, share)
	if share < r.min {
		return fmt.Errorf("%w: %.1f %% detected, the bound is %.1f", errNotDetected, share, r.min)
	}
	return nil
}

// findTests returns for each package the packages whose tests use it, its own
// included.
func (r *run) findTests(ctx context.Context) (map[string][]string, error) {
	out, err := r.command(ctx, "go", "list", "-test", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", "./...").Output()
	if err != nil {
		return nil, explained(err)
	}
	tests := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		// "lib.test lib [lib.test] other fmt ...": a program of tests and what it
		// is made of. The other lines are the packages themselves.
		fields := strings.Fields(line)
		of, ok := strings.CutSuffix(fields[0], ".test")
		if !ok || r.skip.MatchString(of) {
			continue
		}
		for _, dep := range fields[1:] {
			if !slices.Contains(tests[dep], of) {
				tests[dep] = append(tests[dep], of)
			}
		}
	}
	return tests, nil
}

// mutants returns every place of the packages that can be broken.
func (r *run) mutants(ctx context.Context) ([]mutant, error) {
	args := append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}"}, r.patterns...)
	out, err := r.command(ctx, "go", args...).Output()
	if err != nil {
		return nil, explained(err)
	}
	var all []mutant
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 3 || len(r.tests[fields[0]]) == 0 {
			continue // no code or no tests
		}
		for name := range strings.FieldsSeq(fields[2]) {
			found, err := mutantsOf(fields[0], filepath.Join(fields[1], name))
			if err != nil {
				return nil, err
			}
			for i := range found {
				if found[i].shown, err = filepath.Rel(r.dir, found[i].file); err != nil {
					return nil, err
				}
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// What became of a mutant.
const (
	notBuilt = "no code"
	detected = "detected"
	timedOut = "hung"
	survived = "LIVED"
)

// try runs the tests that use the mutant's package until one notices.
func (r *run) try(ctx context.Context, m mutant) (string, error) {
	overlay, err := r.overlay(m)
	if err != nil {
		return "", err
	}
	trials, err := r.trials(ctx, m.pkg)
	if err != nil {
		return "", err
	}
	for _, t := range trials {
		// A mutant that does not end is found as surely as one that fails.
		out, err := r.test(ctx, r.grace+4*t.took, t.pkg, append(t.args, "-overlay", overlay)...).CombinedOutput()
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil && strings.Contains(string(out), "panic: test timed out"):
			return timedOut, nil
		case err != nil && strings.Contains(string(out), "[build failed]"):
			return notBuilt, nil
		case err != nil:
			return detected, nil
		}
	}
	return survived, nil
}

// trials returns the runs of tests that can notice a mutant of a package: first
// its own quick tests, and then what takes least.
func (r *run) trials(ctx context.Context, of string) ([]trial, error) {
	var all []trial
	for _, pkg := range r.tests[of] {
		trials, err := r.measure(ctx, pkg)
		if err != nil {
			return nil, err
		}
		all = append(all, trials...)
	}
	slices.SortStableFunc(all, func(a, b trial) int {
		switch {
		case a.pkg == of && !a.slow:
			return -1
		case b.pkg == of && !b.slow:
			return 1
		}
		return cmp.Compare(a.took, b.took)
	})
	return all, nil
}

// measure runs a package's tests with whole code, once, and divides them into
// quick and slow ones.
func (r *run) measure(ctx context.Context, pkg string) ([]trial, error) {
	if trials, ok := r.measured[pkg]; ok {
		return trials, nil
	}
	out, err := r.test(ctx, 30*time.Minute, pkg, "-json").Output()
	if err != nil {
		return nil, fmt.Errorf("the tests of %s fail with whole code: %w\n%s", pkg, err, out)
	}
	took := map[string]time.Duration{} // by test, its own parts included
	for line := range bytes.Lines(out) {
		var event struct {
			Action, Test string
			Elapsed      float64
		}
		if json.Unmarshal(line, &event) == nil && event.Action == "pass" && event.Test != "" {
			test, _, _ := strings.Cut(event.Test, "/")
			took[test] += time.Duration(event.Elapsed * float64(time.Second))
		}
	}
	quick, slow := trial{pkg: pkg}, trial{pkg: pkg, slow: true}
	var names []string
	for test, d := range took {
		if d > quickTest {
			names = append(names, test)
			slow.took += d
		} else {
			quick.took += d
		}
	}
	slices.Sort(names)
	trials := []trial{quick}
	if len(names) > 0 {
		pattern := "^(" + strings.Join(names, "|") + ")$"
		trials[0].args, slow.args = []string{"-skip", pattern}, []string{"-run", pattern}
		trials = append(trials, slow)
	}
	r.measured[pkg] = trials
	return trials, nil
}

// overlay writes the broken file and the description that the go command takes.
func (r *run) overlay(m mutant) (string, error) {
	broken, err := m.apply()
	if err != nil {
		return "", err
	}
	file := filepath.Join(r.tmp, "mutant.go")
	if err := os.WriteFile(file, broken, 0o600); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: file}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(r.tmp, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// test runs the tests of a package. A mutant that takes memory without end gets
// no more than 8 GiB of it.
func (r *run) test(ctx context.Context, limit time.Duration, pkg string, args ...string) *exec.Cmd {
	args = append([]string{
		"test", "-count=1", "-vet=off", "-failfast", "-timeout", limit.String(),
		"-exec", `sh -c 'ulimit -v 8388608; exec "$0" "$@"'`,
	}, args...)
	return r.command(ctx, "go", append(args, pkg)...)
}

func (r *run) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = r.dir
	cmd.WaitDelay = 10 * time.Second // a test may leave programs behind that hold its output
	return cmd
}

// explained adds what a program complained of.
func explained(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}
