package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

type feedFlags struct {
	output      outputFlags
	concurrency int
	rate        float64
}

func (a *app) feedCommand() *cobra.Command {
	var f feedFlags
	cmd := &cobra.Command{
		Use:   "feed FILE|URL|-",
		Short: "Look up every job of a job feed",
		Long: `feed reads a job feed (XML, plain or gzip) from a file, an address or standard
input, looks every job in it up once, and sums up by outcome. --output, --csv
and --jsonl also give a line per job, in the order in which the answers come;
where the lines go to standard output, the summary goes to standard error.

In CSV a text that a spreadsheet would take for a formula has a ' before it.

A download of the feed sends no credential. The command ends with 7 where
entries of the feed or lookups failed, or where the feed was cut off. A job that
is closed or gone is no failure.`,
		Example: `  jobboard feed --fake
  jobboard feed https://feeds.example/jobs.xml --output jobs.jsonl --rate 50`,
		Args:              atMost(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{"xml", "gz"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.feed(cmd.Context(), args, &f) },
	}
	f.output.add(cmd, form{"csv", "csv", "give a line per job as CSV"},
		form{"jsonl", "jsonl", "give a line per job as JSON"})
	cmd.Flags().IntVar(&f.concurrency, "concurrency", 16, "`lookups` at once, at most 1024")
	cmd.Flags().Float64Var(&f.rate, "rate", 0, "most `lookups` a second; 0: no limit")
	complete(cmd, "concurrency", oneOf("4", "16", "64"))
	complete(cmd, "rate", oneOf("10", "50", "100"))
	return cmd
}

// feedRun is one pass over a feed.
type feedRun struct {
	*app
	feed     *jobfeed.Reader
	entries  atomic.Int64 // that were read
	sum      feedSummary
	lines    *feedLines // nil: the summary alone
	progress *progress
}

func (f *feedFlags) check() error {
	switch {
	case f.concurrency < 1 || f.concurrency > 1024:
		return usage("--concurrency is not between 1 and 1024")
	case f.rate < 0 || f.rate > 1e6 || f.rate != f.rate:
		return usage("--rate is not between 0 and 1000000")
	}
	return nil
}

func (a *app) feed(ctx context.Context, args []string, f *feedFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if len(args) == 0 && a.fake == nil {
		return usage("no feed is named: give a file, an address, or - for standard input")
	}
	form, err := f.output.form()
	if err != nil {
		return err
	}
	if f.rate > 0 {
		a.limiter = rate.NewLimiter(rate.Limit(f.rate), 1)
	}
	c, err := a.clientFor(jobDBURL)
	if err != nil {
		return err
	}
	src, err := a.openFeed(ctx, args)
	if err != nil {
		return err
	}
	defer src.Close()
	return a.writeTo(&f.output, func(to *output) error {
		run := &feedRun{
			app: a, feed: jobfeed.NewReader(src, nil), lines: newFeedLines(form, to), progress: a.newProgress(src),
			sum: feedSummary{count: map[string]int{}, reasons: map[string]int{}},
		}
		if err := run.lookUpAll(ctx, c, jobboard.BulkOptions{Concurrency: f.concurrency}); err != nil {
			return err
		}
		if run.lines != nil && f.output.file == "" {
			return run.end(ctx, a.stderr)
		}
		return run.end(ctx, a.out)
	})
}

// lookUpAll asks for every job of the feed and writes a line for each.
func (r *feedRun) lookUpAll(ctx context.Context, c *jobboard.Client, opts jobboard.BulkOptions) error {
	defer r.progress.done()
	for result := range c.BulkJobInformation(ctx, r.jobIDs(), opts) {
		if isInterrupted(ctx, result.Err) {
			break
		}
		o := outcomeOf(result.Err, result.Value)
		r.sum.add(o, result.Err)
		r.progress.step(&r.sum)
		if r.lines == nil {
			continue
		}
		if err := r.lines.write(result, o); err != nil {
			return err
		}
	}
	if r.lines == nil {
		return nil
	}
	return r.lines.flush()
}

// end prints the summary and returns what was wrong in all.
func (r *feedRun) end(ctx context.Context, w io.Writer) error {
	broken := r.feed.Err()
	noFeed := ctx.Err() == nil && broken != nil && r.entries.Load() == 0
	if !noFeed {
		r.printSummary(w)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case noFeed:
		return usage("this is no feed: %w", broken)
	case broken != nil:
		return &exitError{code: exitIncomplete, err: fmt.Errorf("the feed was not read to its end: %w", broken)}
	case r.sum.failed() > 0:
		return &exitError{code: exitIncomplete, err: fmt.Errorf("jobs of the feed without an answer: %d", r.sum.failed())}
	}
	return nil
}

// jobIDs gives the identifiers of the feed, and the errors of single entries. What ends
// the feed early its Err tells.
func (r *feedRun) jobIDs() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		for id, err := range r.feed.JobIDs() {
			if _, ofEntry := errors.AsType[*jobfeed.EntryError](err); err != nil && !ofEntry {
				return
			}
			r.entries.Add(1)
			if !yield(id, err) {
				return
			}
		}
	}
}

// The outcomes that have no condition of the library.
const (
	outcomeOpen        = "open"
	outcomeNotPossible = "applying not possible"
	outcomeBadEntry    = "broken entry"
	outcomeFailed      = "failed"
)

// outcomes are those of a lookup, in the order of the summary, with the condition that
// makes it.
var outcomes = []struct {
	name      string
	condition error
}{
	{outcomeOpen, nil},
	{outcomeNotPossible, nil},
	{"inactive", jobboard.ErrJobInactive},
	{"unavailable", jobboard.ErrJobUnavailable},
	{"posting unavailable", jobboard.ErrPostingUnavailable},
	{outcomeBadEntry, nil},
	{outcomeFailed, nil},
}

func outcomeOf(err error, info *jobboard.JobInformation) string {
	switch {
	case err == nil && info.ApplyPossible:
		return outcomeOpen
	case err == nil:
		return outcomeNotPossible
	}
	for _, o := range outcomes {
		if o.condition != nil && errors.Is(err, o.condition) {
			return o.name
		}
	}
	if _, ok := errors.AsType[*jobfeed.EntryError](err); ok {
		return outcomeBadEntry
	}
	return outcomeFailed
}

type feedSummary struct {
	count   map[string]int // of jobs, by their outcome
	reasons map[string]int // why lookups failed and entries are broken
}

func (s *feedSummary) add(outcome string, err error) {
	s.count[outcome]++
	switch outcome {
	case outcomeFailed:
		s.reasons[failureKind(err)]++
	case outcomeBadEntry:
		entry, _ := errors.AsType[*jobfeed.EntryError](err)
		s.reasons["entry: "+entry.Err.Error()]++
	}
}

// failureKind names a failure without what differs from job to job.
func failureKind(err error) string {
	var e *jobboard.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	for _, known := range []error{
		jobboard.ErrTimeout, jobboard.ErrTransport, jobboard.ErrRateLimited, jobboard.ErrRedirect, jobboard.ErrDecode,
		jobboard.ErrResponseTooLarge, jobboard.ErrToken, jobboard.ErrInvalidInput,
	} {
		if errors.Is(e, known) {
			return known.Error()
		}
	}
	if e.StatusCode != 0 {
		return statusText(e.StatusCode)
	}
	return "no answer"
}

func statusText(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

func (s *feedSummary) total() int {
	n := 0
	for _, c := range s.count {
		n += c
	}
	return n
}

func (s *feedSummary) failed() int { return s.count[outcomeBadEntry] + s.count[outcomeFailed] }

func (r *feedRun) printSummary(w io.Writer) {
	s := &r.sum
	var rows [][]string
	for _, o := range outcomes {
		if n := s.count[o.name]; n > 0 || o.name == outcomeOpen {
			rows = append(rows, []string{o.name, strconv.Itoa(n)})
		}
	}
	writeTable(w, r.outTerminal, []column{{head: "OUTCOME"}, {head: "JOBS"}}, rows)
	fmt.Fprintf(w, "\n%d entries, %d different jobs\n", r.entries.Load(), s.total()-s.count[outcomeBadEntry])
	var reasons []string
	for reason, n := range s.reasons {
		reasons = append(reasons, fmt.Sprintf("%6d  %s", n, printable(reason)))
	}
	slices.Sort(reasons)
	slices.Reverse(reasons)
	for _, reason := range reasons[:min(len(reasons), 10)] {
		fmt.Fprintln(w, reason)
	}
}
