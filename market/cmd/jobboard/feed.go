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
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

type feedFlags struct {
	form        cli.FormFlags
	list        cli.ListFlags
	concurrency int
	rate        float64
}

func newFeedCommand(p *cli.Program) *cobra.Command {
	var f feedFlags
	cmd := &cobra.Command{
		Use:   "feed FILE|URL|-",
		Short: "Look up every job of a job feed",
		Long: `feed reads a job feed (XML, plain or gzip) from a file, an address or standard
input, looks every job in it up once, and sums up by outcome. --csv and --jsonl
give a line per job, in the order in which the answers come; the summary goes to
standard error then.

In CSV a text that a spreadsheet would take for a formula has a ' before it.

A download of the feed sends no credential, and is given up when nothing comes
for 30 seconds. The command ends with 7 where entries of the feed or lookups
failed, or where the feed was cut off, and with 2 where it is no feed: a page, a
SOAP fault, RSS, or another vendor's format. A job that is closed or gone is no
failure; one whose posting the service cannot find is, because that is a
technical error and says nothing of the job.`,
		Example: `  jobboard feed --fake
  jobboard feed https://feeds.example/jobs.xml --rate 50 --jsonl > jobs.jsonl`,
		Args:              cli.AtMost(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{"xml", "gz"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runFeed(cmd.Context(), &p.Console, b, args, &f)
		},
	}
	f.form.Add(cmd, cli.Form{Name: "csv", Help: "give a line per job as CSV"},
		cli.Form{Name: "jsonl", Help: "give a line per job as JSON"})
	cli.AddListFlags(&f.list, cmd, feedFields)
	cmd.Flags().IntVar(&f.concurrency, "concurrency", 16, "`lookups` at once, at most 1024")
	cmd.Flags().Float64Var(&f.rate, "rate", 0, "most `lookups` a second; 0: no limit")
	cli.Complete(cmd, "concurrency", cli.OneOf("4", "16", "64"))
	cli.Complete(cmd, "rate", cli.OneOf("10", "50", "100"))
	return cmd
}

// feedRun is one pass over a feed.
type feedRun struct {
	console  *term.Console
	src      *source
	feed     *jobfeed.Reader
	limit    int          // most entries to read; 0: all
	entries  atomic.Int64 // number of entries read
	sum      feedSummary
	lines    *feedLines // nil: print only the summary
	progress *term.Progress
}

func (f *feedFlags) check() error {
	switch {
	case f.concurrency < 1 || f.concurrency > 1024:
		return setup.Usage("--concurrency is not between 1 and 1024")
	case f.rate < 0 || f.rate > 1e6 || f.rate != f.rate:
		return setup.Usage("--rate is not between 0 and 1000000")
	}
	return nil
}

func runFeed(ctx context.Context, c *term.Console, b *setup.Board, args []string, f *feedFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if len(args) == 0 && b.Fake == nil {
		return setup.Usage("no feed is named").Next("give a file, an address, or - for standard input; --fake has a feed of its own")
	}
	form := f.form.Form()
	fields, err := cli.Chosen(&f.list, feedFields)
	switch {
	case err != nil:
		return err
	case fields != nil && form == "":
		return setup.Usage("--fields is for lines").Next("give --csv or --jsonl, too")
	}
	if f.rate > 0 {
		b.Limiter = rate.NewLimiter(rate.Limit(f.rate), 1)
	}
	client, err := b.ClientFor(setup.JobDBURL)
	if err != nil {
		return err
	}
	src, err := openFeed(ctx, c, b, args)
	if err != nil {
		return err
	}
	defer src.Close()
	run := &feedRun{
		console: c, src: src, feed: jobfeed.NewReader(src, nil), lines: newFeedLines(form, fields, c.Out), limit: f.list.Limit,
		progress: c.NewProgress("looking up", src.size, progressEvery),
		sum:      feedSummary{count: map[string]int{}, reasons: map[string]int{}},
	}
	if err := run.lookUpAll(ctx, client, jobboard.BulkOptions{Concurrency: f.concurrency}); err != nil {
		return err
	}
	if run.lines != nil {
		return run.end(ctx, c.Err)
	}
	return run.end(ctx, c.Out)
}

// lookUpAll looks up every job of the feed and writes a line for each.
func (r *feedRun) lookUpAll(ctx context.Context, c *jobboard.Client, opts jobboard.BulkOptions) error {
	defer r.progress.Done()
	for result := range c.BulkJobInformation(ctx, r.jobIDs(), opts) {
		if isInterrupted(ctx, result.Err) {
			break
		}
		o := outcomeOf(result.Err, result.Value)
		r.sum.add(o, result.Err)
		r.step()
		if r.lines == nil {
			continue
		}
		if err := r.lines.write(feedLine{result, o}); err != nil {
			return err
		}
	}
	if r.lines == nil {
		return nil
	}
	return r.lines.flush()
}

const progressEvery = 5 * time.Second // lines of progress, without a terminal

// step shows the progress after a result.
func (r *feedRun) step() {
	words := fmt.Sprintf("%d looked up, %d open, %d failed", r.sum.total(), r.sum.count[outcomeOpen], r.sum.failed())
	read, more := r.src.read.Load(), ""
	if r.src.size > 0 {
		more = fmt.Sprintf(", %d %% of the feed read", 100*min(read, r.src.size)/r.src.size)
	}
	r.progress.Step(r.done(), r.src.size, words, more)
}

// done returns how many bytes of the feed have been looked up: of those that were read the share of the
// entries in them that have their result.
func (r *feedRun) done() int64 {
	entries := max(1, r.entries.Load())
	return int64(float64(r.src.read.Load()) * float64(r.sum.total()) / float64(entries))
}

// end prints the summary. It returns an error if the feed or lookups failed.
func (r *feedRun) end(ctx context.Context, w io.Writer) error {
	broken := r.feed.Err()
	if r.limit > 0 && r.entries.Load() == int64(r.limit) {
		broken = nil // stopping at --limit is no error
	}
	noFeed := ctx.Err() == nil && broken != nil && r.entries.Load() == 0
	if !noFeed {
		r.printSummary(w)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case noFeed:
		return setup.Usage("this is no feed: %w", broken).Next("name a job feed in XML, as the board offers it for download")
	case broken != nil:
		return &setup.Error{Code: setup.ExitIncomplete, Err: fmt.Errorf("the feed was not read to its end: %w", broken), Hint: "get the feed again"}
	case r.sum.failed() > 0:
		err := fmt.Errorf("jobs of the feed without an answer: %d", r.sum.failed())
		return &setup.Error{Code: setup.ExitIncomplete, Err: err, Hint: "--csv and --jsonl say which, and why"}
	}
	return nil
}

// jobIDs yields the identifiers of the feed and the errors of single entries. The error that
// ends the feed early is not yielded; the feed's Err returns it.
func (r *feedRun) jobIDs() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		for id, err := range r.feed.JobIDs() {
			if _, ofEntry := errors.AsType[*jobfeed.EntryError](err); err != nil && !ofEntry {
				return
			}
			if n := r.entries.Add(1); !yield(id, err) || n == int64(r.limit) {
				return
			}
		}
	}
}

// The outcomes without an error value in package jobboard.
const (
	outcomeOpen        = "open"
	outcomeNotPossible = "applying not possible"
	outcomeBadEntry    = "broken entry"
	outcomeFailed      = "failed"
)

// outcomes lists the outcomes of a lookup in the order of the summary, each with its
// error value in package jobboard.
var outcomes = []struct {
	name      string
	condition error
}{
	{outcomeOpen, nil},
	{outcomeNotPossible, nil},
	{"inactive", jobboard.ErrJobInactive},
	{"unavailable", jobboard.ErrJobUnavailable},
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
	count   map[string]int // number of jobs by outcome
	reasons map[string]int // number of failed lookups and broken entries by reason
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

// failureKind names a failure without details of the single job, so that equal
// failures are counted together.
func failureKind(err error) string {
	var e *jobboard.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	for _, known := range []error{
		jobboard.ErrPostingUnavailable, jobboard.ErrTimeout, jobboard.ErrTransport, jobboard.ErrRateLimited,
		jobboard.ErrRedirect, jobboard.ErrDecode, jobboard.ErrResponseTooLarge, jobboard.ErrToken, jobboard.ErrInvalidInput,
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
	term.WriteTable(w, r.console.OutTerminal, []term.Column{{Head: "OUTCOME"}, {Head: "JOBS"}}, rows)
	fmt.Fprintf(w, "\n%d entries, %d different jobs\n", r.entries.Load(), s.total()-s.count[outcomeBadEntry])
	var reasons []string
	for reason, n := range s.reasons {
		reasons = append(reasons, fmt.Sprintf("%6d  %s", n, term.Printable(reason)))
	}
	slices.Sort(reasons)
	slices.Reverse(reasons)
	for _, reason := range reasons[:min(len(reasons), 10)] {
		fmt.Fprintln(w, reason)
	}
}
