package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// byJob answers lookups in one of four languages.
type byJob struct{ infos [4]inMemory }

func (b *byJob) RoundTrip(req *http.Request) (*http.Response, error) {
	id, err := strconv.Atoi(strings.TrimPrefix(req.URL.RawQuery, "jobid="))
	if err != nil {
		return nil, err
	}
	return (&inMemory{ownInfo(b.infos[id%len(b.infos)].body, id)}).RoundTrip(req)
}

// kept returns the heap in bytes per answer that n kept answers of get take.
func kept(n int, get func(i int) (any, error)) (perAnswer float64, err error) {
	all := make([]any, n)
	var before, after runtime.MemStats
	settle(&before)
	for i := range all {
		if all[i], err = get(i + 1); err != nil {
			return 0, err
		}
	}
	settle(&after)
	runtime.KeepAlive(all)
	return float64(after.HeapAlloc-before.HeapAlloc) / float64(n), nil
}

// settle collects garbage until only reachable memory is left, then reads m. It
// empties pools too.
func settle(m *runtime.MemStats) {
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(m)
}

// lookups is one way to look up job informations.
type lookups struct {
	name string
	get  func(i int) (any, error) // looks up the job i
}

// measureMemory measures the memory of kept answers, and of a process that
// keeps none.
func measureMemory(r *report, e effort) error {
	const count = 2000
	transport := new(byJob)
	for i := range transport.infos {
		transport.infos[i].body = makeInfo(i)
	}
	ctx := context.Background()
	sdk, err := newSDK(memoryAddress, transport)
	if err != nil {
		return err
	}
	rivals, err := rivalLookups(transport)
	if err != nil {
		return err
	}
	plain := &http.Client{Transport: transport}
	ways := append([]lookups{
		{ours, func(i int) (any, error) { return sdk.JobInformation(ctx, jobboard.JobID(i)) }},
		{std, func(i int) (any, error) {
			v := new(plainInfo)
			return v, getJSON(ctx, plain, memoryAddress+lookupTail+"?jobid="+strconv.Itoa(i), v)
		}},
	}, rivals...)
	t := r.table(fmt.Sprintf("%d job informations kept", count), "In four languages, from a transport in memory; the library shares the catalogue of a language.", "", "heap each", "times ours")
	p := panel{Title: fmt.Sprintf("%d job informations kept", count), Note: "heap each, less is better"}
	var first float64
	for i, way := range ways {
		if _, err := way.get(1); err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		each, err := kept(count, way.get)
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		label := size(each)
		if i == 0 {
			first = each
		} else {
			label += ", " + times(each/first)
		}
		t.add(way.name, size(each), times(each/first))
		p.Bars = append(p.Bars, bar{Name: way.name, Value: each, Label: label, Ours: i == 0})
	}
	r.atMost("2000 job informations kept, each", first/1024, 3, " KB")
	r.panels = append(r.panels, p)
	return measurePeak(r, e)
}

// measurePeak compares the peak memory of a process that reads a short page
// with one that reads a long page.
func measurePeak(r *report, e effort) error {
	few, many, rounds := 100, 10000, 5
	if e.quick {
		few, many, rounds = 10, 200, 1
	}
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	t := r.table("Peak resident memory of a process", "Each a process of its own that reads one page over loopback.",
		"", fmt.Sprintf("%d postings", few), fmt.Sprintf("%d postings", many), "more")
	for i, name := range peakNames {
		var a, b []float64
		for range rounds {
			for _, n := range []*[]float64{&a, &b} {
				count := few
				if n == &b {
					count = many
				}
				peak, err := peakOf(name, s.Plain, count)
				if errors.Is(err, errNoPeak) {
					r.notes = append(r.notes, "the peak resident memory of a process is not known on this system")
					return nil
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				*n = append(*n, peak)
			}
		}
		t.add(name, size(median(a)), size(median(b)), size(median(b)-median(a)))
		if i == 0 {
			r.atMost(fmt.Sprintf("Postings over %d postings, peak over that for %d", many, few), (median(b)-median(a))/(1<<20),
				8, " MB")
		}
	}
	return nil
}

var (
	peakNames = those(
		"jobboard, Postings", "jobboard, Postings without ad text", "jobboard, Search", "encoding/json",
		oapi, ogen,
	)
	errNoPeak = errors.New("not known on this system")
)

// peakOf starts a process that reads n postings, and returns its peak memory.
func peakOf(name, address string, n int) (float64, error) {
	if _, err := peakMemory(); err != nil {
		return 0, err
	}
	cmd, err := childCommand(fmt.Sprintf("peak %s\t%s\t%d", name, address, n))
	if err != nil {
		return 0, err
	}
	cmd.Env = append(cmd.Env, "GODEBUG=") // without the settings that steady other measurements
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(out), 64)
}

// peak does the work of the process that peakOf starts.
func peak(args string) error {
	name, rest, _ := strings.Cut(args, "\t")
	address, count, _ := strings.Cut(rest, "\t")
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	if err := readPage(name, address, n); err != nil {
		return err
	}
	bytes, err := peakMemory()
	if err != nil {
		return err
	}
	_, err = fmt.Print(strconv.FormatFloat(bytes, 'f', -1, 64))
	return err
}

func readPage(name, address string, n int) error {
	s := &server{addresses: addresses{Plain: address}}
	all, err := searches(s, n)
	if err != nil {
		return err
	}
	if name == "jobboard, Postings" {
		sdk, err := newSDK(address, nil)
		if err != nil {
			return err
		}
		got := 0
		for _, err := range sdk.Postings(context.Background(), jobboard.ChannelID(strconv.Itoa(n)), jobboard.Query{}) {
			if err != nil {
				return err
			}
			got++
		}
		return check(got == n)
	}
	for _, c := range all {
		if c.name == name {
			_, err := c.run()
			return err
		}
	}
	return fmt.Errorf("no contender %q", name)
}

// peakMemory returns the largest resident memory of this process so far, in
// bytes.
func peakMemory() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, errNoPeak
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			return kb * 1024, err
		}
	}
	return 0, errNoPeak
}
