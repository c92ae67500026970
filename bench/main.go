// Command bench measures what the library costs beside what a program would
// use otherwise, all on the same data, and prints tables of one run.
//
//	go -C bench run .            every table, and the chart ratios.svg
//	go -C bench run . -check     the promised figures; exit code 1 where one is missed
//	go -C bench run . -readme README.md  the same, and the tables into this file
//	go -C bench run . -floor floor.json  exit code 1 where a ratio fell by more than 15 %
//	go -C bench run . -run bulk  only the parts that match
//	go -C bench run . -quick     a short run, for trying it out
//	go -C bench run . -profile D CPU profiles of the library's own work into D
//
// Compare ratios, not milliseconds. Every ratio is the median over rounds in
// which the contenders take turns.
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

// parts are what can be measured alone.
var parts = []struct {
	name    string
	measure func(*report, effort) error
}{
	{"decode", measureDecode},
	{"languages", measureLanguages},
	{"call", measureCall},
	{"sources", measureSources},
	{"search", measureSearch},
	{"gzip", measureGzip},
	{"bulk", measureBulk},
	{"failures", measureFailures},
	{"memory", measureMemory},
	{"growth", measureGrowth},
	{"callers", measureCallers},
}

func run(args []string, out, progress io.Writer) (code int, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	var (
		quick   = flags.Bool("quick", false, "a short run; its figures are rough")
		check   = flags.Bool("check", false, "say which promised figures are met; exit code 1 where one is not")
		only    = flags.String("run", "", "measure only the parts that match this `expression`")
		svg     = flags.String("svg", "ratios.svg", "`file` of the chart; not written by -check, -run and -quick unless it is set")
		readme  = flags.String("readme", "", "put the tables and the targets into this `file`, between its marks")
		floor   = flags.String("floor", "", "compare the ratios with the last accepted ones in this `file`; exit code 1 where one fell by more than 15 %")
		accept  = flags.Bool("accept", false, "write the ratios into the file of -floor instead")
		profile = flags.String("profile", "", "write CPU profiles of the library's own work into this `directory`")
	)
	if err := flags.Parse(args); err != nil {
		return 2, nil //nolint:nilerr // the flags have said it
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return 2, err
	}
	e := fullEffort
	if *quick {
		e = quickEffort
	}
	if *profile != "" {
		return 0, writeProfiles(*profile, e)
	}
	draw := *only == "" && !*check && !*quick
	flags.Visit(func(f *flag.Flag) { draw = draw || f.Name == "svg" })

	r := new(report)
	r.notes = append(r.notes, environment())
	if load := loadAverage(); load > 1 {
		r.notes = append(r.notes, fmt.Sprintf("the machine was busy with other things when this run began: a load of %.1f", load))
	}
	if *quick {
		r.notes = append(r.notes, "a quick run: rough figures")
	}
	for _, part := range parts {
		if !match.MatchString(part.name) {
			continue
		}
		start := time.Now()
		if err := part.measure(r, e); err != nil {
			return 1, fmt.Errorf("%s: %w", part.name, err)
		}
		runtime.GC()
		fmt.Fprintf(progress, "%s: %.0f s\n", part.name, time.Since(start).Seconds())
	}
	if *check {
		for _, note := range r.notes {
			fmt.Fprintln(out, note)
		}
		if !r.check(out) {
			return 1, nil
		}
		return 0, nil
	}
	r.print(out)
	if *floor != "" {
		kept, err := r.holdFloor(out, *floor, *accept)
		if err != nil || !kept {
			return 1, err
		}
	}
	if *readme != "" {
		if err := r.putInto(*readme); err != nil {
			return 1, err
		}
	}
	if draw {
		return 0, writeFile(*svg, func(w io.Writer) error { return writeChart(w, r.notes[0], r.panels) })
	}
	return 0, nil
}

// steady runs this program again with memory that is kept by the process once
// it had it: else what one contender gave back to the system costs the next,
// who must ask for it again, more than some decoders take.
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
	if code = cmd.ProcessState.ExitCode(); code < 0 { // a signal
		code = 1
	}
	return code, true
}

// environment names what the figures depend on.
func environment() string {
	parts := []string{
		strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d cores", runtime.GOMAXPROCS(0)),
	}
	engine := "encoding/json with the engine of version 1"
	if jsonV2 {
		engine = "encoding/json on the engine of version 2"
	}
	return "Go " + strings.Join(append(parts, engine), ", ")
}

// loadAverage is how many processes of the system wanted to run in the last
// minute; 0 where it is not known.
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
