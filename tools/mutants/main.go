// Mutants breaks the code of packages, one place at a time, and runs the tests
// that could notice. What no test notices is printed:
//
//	mutants -n 100 -seed 7 . ./jobfeed
//
// The places are sampled, and the same seed samples the same ones. Mutants that
// were read and found to change nothing that anybody sees are listed in
// equivalents.txt and left out. No file is
// changed: the go command is given the broken ones as an overlay. All mutants
// are compiled into the same test programs, where the environment says which of
// them is on, and each is tried with the tests that come by its place alone.
package main

import (
	"context"
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
	r := run{grace: 30 * time.Second, cpu: 5 * time.Second}
	flag.IntVar(&r.n, "n", 100, "how many mutants to `try`")
	flag.Uint64Var(&r.seed, "seed", 1, "which ones are sampled")
	flag.DurationVar(&r.limit, "for", 0, "begin no mutant after this `time`; 0: no limit")
	flag.Float64Var(&r.min, "min", 92, "fail below this share of detected mutants, in `percent`")
	flag.StringVar(&r.dir, "dir", ".", "`directory` of the module")
	flag.StringVar(&r.equivalents, "equivalents", "", "leave out the mutants that this `file` lists")
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
	cpu      time.Duration // the same of the time that they take of processors
	out      io.Writer

	equivalents string // the name of the list, or nothing

	tmp   string
	users map[string][]string // by package: the packages whose tests use it
	dirs  map[string]string   // of the packages
	files map[string]string   // what the go command is given instead, by file
}

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
	if r.users, err = r.findUsers(ctx); err != nil {
		return err
	}
	all, err := r.mutants(ctx)
	if err != nil {
		return err
	}
	places := len(all)
	sample, err := r.build(ctx, all[:min(len(all), r.n+r.n/4+10)])
	if err != nil {
		return err
	}
	sample = sample[:min(len(sample), r.n)]
	tests, err := r.findTests(ctx, sample)
	if err != nil {
		return err
	}

	tried, lived, err := r.tryAll(ctx, sample, tests)
	if err != nil {
		return err
	}
	if tried == 0 {
		return fmt.Errorf("no mutant of %d builds", places)
	}
	share := 100 * float64(tried-lived) / float64(tried)
	fmt.Fprintf(r.out, "%d of %d places, seed %d: %d lived, %.1f %% detected\n", tried, places, r.seed, lived, share)
	if share < r.min {
		return fmt.Errorf("%w: %.1f %% detected, the bound is %.1f", errNotDetected, share, r.min)
	}
	return nil
}

// tryAll tries one mutant after the other and says what became of it.
func (r *run) tryAll(ctx context.Context, sample []*mutant, tests []*test) (tried, lived int, err error) {
	begin := time.Now()
	for _, m := range sample {
		if r.limit > 0 && time.Since(begin) > r.limit {
			break
		}
		result, err := r.try(ctx, m, tests)
		if err != nil {
			return tried, lived, err
		}
		if result == notBuilt {
			continue
		}
		tried++
		if result == survived {
			lived++
		}
		fmt.Fprintf(r.out, "%-8s %s\n", result, m)
		if result == survived {
			fmt.Fprintln(r.out, m.change()) // as the list of equivalents has it
		}
	}
	return tried, lived, nil
}

// findUsers returns for each package the packages whose tests use it, its own
// included.
func (r *run) findUsers(ctx context.Context) (map[string][]string, error) {
	out, err := r.command(ctx, "go", "list", "-test", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", "./...").Output()
	if err != nil {
		return nil, explained(err)
	}
	dirs, err := r.command(ctx, "go", "list", "-f", "{{.ImportPath}}\t{{.Dir}}", "./...").Output()
	if err != nil {
		return nil, explained(err)
	}
	r.dirs = map[string]string{}
	for line := range strings.Lines(string(dirs)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		r.dirs[pkg] = dir
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

// mutants returns every place of the packages that can be broken, in an order of
// chance, without those that are listed as equivalent.
func (r *run) mutants(ctx context.Context) ([]*mutant, error) {
	var listed map[change]bool
	if r.equivalents != "" {
		var err error
		if listed, err = readEquivalents(r.equivalents); err != nil {
			return nil, err
		}
		if err := checkListed(r.dir, listed); err != nil {
			return nil, err
		}
	}
	args := append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}"}, r.patterns...)
	out, err := r.command(ctx, "go", args...).Output()
	if err != nil {
		return nil, explained(err)
	}
	var all []*mutant
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 3 || len(r.users[fields[0]]) == 0 {
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
	// With and without the list, a seed gives the same order.
	rand.New(rand.NewPCG(r.seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return slices.DeleteFunc(all, func(m *mutant) bool { return listed[m.change()] }), nil
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
