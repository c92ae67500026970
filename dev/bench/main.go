// Command bench compares the costs of the client with those of other libraries
// on the same data, and prints tables of one run.
//
//	go -C dev/bench run .                    every table, and the chart ratios.svg
//	go -C dev/bench run -tags rivals .       with the clients and the decoder that go generate makes
//	go -C dev/bench run . -check             the promised figures; exit code 1 where one is missed
//	go -C dev/bench run . -readme README.md  every table, and all of them into this file
//	go -C dev/bench run . -floor floor.json  exit code 1 where a ratio fell by more than 15 %
//	go -C dev/bench run . -run bulk          only the parts that match
//	go -C dev/bench run . -quick             a short run, for trying it out
//	go -C dev/bench run . -profile D         CPU profiles of the library's own work into D
//
// Compare ratios, not milliseconds. Each ratio is the median over several
// rounds, in which contenders take turns.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	if done, err := child(); done {
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if code, done := steady(); done {
		os.Exit(code)
	}
	code, err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		code = 1
	}
	os.Exit(code)
}

// parts lists the parts that -run can select.
var parts = []struct {
	name    string
	measure func(*report, effort) error
}{
	{"decode", measureDecode},
	{"languages", measureLanguages},
	{"call", measureCall},
	{"sources", measureSources},
	{"feed", measureFeed},
	{"search", measureSearch},
	{"gzip", measureGzip},
	{"bulk", measureBulk},
	{"failures", measureFailures},
	{"tail", measureTail},
	{"memory", measureMemory},
	{"growth", measureGrowth},
	{"callers", measureCallers},
}

// options holds the flags of the command line.
type options struct {
	quick, check, accept        bool
	rounds                      int
	only                        *regexp.Regexp
	svg, readme, floor, profile string
	draw                        bool
}

// parse reads the command line. It prints errors about unknown flags, and then
// reports false.
func parse(args []string) (o options, known bool, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false, "a short run; its figures are rough")
	flags.IntVar(&o.rounds, "rounds", 0, "the `number` of rounds in which contenders take turns, instead of 15: fewer take less time and are less exact")
	flags.BoolVar(&o.check, "check", false, "say which promised figures are met; exit code 1 where one is not")
	only := flags.String("run", "", "measure only the parts that match this `expression`")
	flags.StringVar(&o.svg, "svg", "ratios.svg", "`file` of the chart; not written by -check, -run and -quick unless it is set")
	flags.StringVar(&o.readme, "readme", "", "put the tables and the targets into this `file`, between the marks of this engine of encoding/json")
	flags.StringVar(&o.floor, "floor", "", "compare the ratios with the last accepted ones in this `file`; exit code 1 where one fell by more than 15 %")
	flags.BoolVar(&o.accept, "accept", false, "write the ratios into the file of -floor instead")
	flags.StringVar(&o.profile, "profile", "", "write CPU profiles of the library's own work into this `directory`")
	if err := flags.Parse(args); err != nil {
		return o, false, nil //nolint:nilerr // flag has printed the error
	}
	o.only, err = regexp.Compile(*only)
	o.draw = *only == "" && !o.check && !o.quick
	flags.Visit(func(f *flag.Flag) { o.draw = o.draw || f.Name == "svg" })
	return o, true, err
}

func run(args []string, out, progress io.Writer) (code int, err error) {
	o, known, err := parse(args)
	if err != nil || !known {
		return 2, err
	}
	e := fullEffort
	if o.quick {
		e = quickEffort
	}
	if o.rounds > 0 {
		e.rounds = o.rounds
	}
	if o.profile != "" {
		return 0, writeProfiles(o.profile, e)
	}
	r := newReport(o.quick)
	for _, part := range parts {
		if !o.only.MatchString(part.name) {
			continue
		}
		start := time.Now()
		if err := part.measure(r, e); err != nil {
			return 1, fmt.Errorf("%s: %w", part.name, err)
		}
		runtime.GC()
		fmt.Fprintf(progress, "%s: %.0f s\n", part.name, time.Since(start).Seconds())
	}
	good, err := r.deliver(o, out)
	if err != nil || !good {
		return 1, err
	}
	return 0, nil
}

// newReport begins a report with notes about the environment.
func newReport(quick bool) *report {
	r := &report{notes: []string{environment()}}
	if load := loadAverage(); load > 1 {
		r.notes = append(r.notes, fmt.Sprintf("the machine was busy with other things when this run began: a load of %.1f", load))
	}
	if len(absent) > 0 {
		r.notes = append(r.notes, "without the clients and the decoder that generators make: go -C dev/bench generate ., then -tags rivals")
	}
	if quick {
		r.notes = append(r.notes, "a quick run: rough figures")
	}
	return r
}

// deliver writes the report to the outputs in the options. It reports whether
// the promised figures and the floor are met.
func (r *report) deliver(o options, out io.Writer) (good bool, err error) {
	if o.check {
		for _, note := range r.notes {
			fmt.Fprintln(out, note)
		}
		return r.check(out), nil
	}
	r.print(out)
	good = true
	if o.floor != "" {
		if good, err = r.holdFloor(out, o.floor, o.accept); err != nil {
			return false, err
		}
	}
	if o.readme != "" {
		if err := r.putInto(o.readme); err != nil {
			return false, err
		}
	}
	if o.draw {
		err = writeFile(o.svg, func(w io.Writer) error { return writeChart(w, r.notes[0], r.panels) })
	}
	return good, err
}

// steady runs this program again with a setting by which the process keeps its
// memory. Without it, memory that one contender returns to the system costs the
// next contender more than some decoders take.
func steady() (code int, done bool) {
	const setting = "madvdontneed="
	old := os.Getenv("GODEBUG")
	if runtime.GOOS != "linux" || strings.Contains(old, setting) {
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	cmd := exec.CommandContext(context.Background(), self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), "GODEBUG="+strings.Trim(old+","+setting+"0", ","))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return 0, false
	}
	if code = cmd.ProcessState.ExitCode(); code < 0 { // ended by a signal
		code = 1
	}
	return code, true
}

// environment describes the Go version, the machine and the engine of
// encoding/json.
func environment() string {
	parts := []string{
		strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d cores",
			runtime.GOMAXPROCS(0)),
	}
	engine := "encoding/json with the engine of version 1"
	if jsonV2 {
		engine = "encoding/json on the engine of version 2"
	}
	return "Go " + strings.Join(append(parts, engine), ", ")
}

// loadAverage returns the system's load average of the last minute, or 0 if unknown.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return load
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
