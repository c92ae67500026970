package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
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
	entries  *jobIDs
	sum      *feedSummary
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

func (a *app) feed(ctx context.Context, args []string, f *feedFlags) (err error) {
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
	if err := a.settings.needLookup(); err != nil {
		return err
	}
	var cfg jobboard.Config
	if f.rate > 0 {
		cfg.Limiter = rate.NewLimiter(rate.Limit(f.rate), 1)
	}
	c, err := a.client(cfg)
	if err != nil {
		return err
	}
	src, err := a.openFeed(ctx, args)
	if err != nil {
		return err
	}
	defer src.Close()
	to, err := a.destination(&f.output)
	if err != nil {
		return err
	}
	defer func() { err = to.close(err) }()

	run := &feedRun{
		app: a, entries: &jobIDs{feed: jobfeed.NewReader(src, nil)}, sum: newFeedSummary(),
		lines: newFeedLines(form, to), progress: a.newProgress(src),
	}
	if err := run.lookUpAll(ctx, c, jobboard.BulkOptions{Concurrency: f.concurrency}); err != nil {
		return err
	}
	if run.lines != nil && to.file == nil {
		return run.end(ctx, a.stderr)
	}
	return run.end(ctx, a.out)
}

// lookUpAll asks for every job of the feed and writes a line for each.
func (r *feedRun) lookUpAll(ctx context.Context, c *jobboard.Client, opts jobboard.BulkOptions) error {
	defer r.progress.done()
	for result := range c.BulkJobInformation(ctx, r.entries.all(), opts) {
		if isInterrupted(ctx, result.Err) {
			break
		}
		o := outcomeOf(result.Err, result.Value)
		r.sum.add(o, result.Err)
		r.progress.step(r.sum)
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
	r.sum.entries = int(r.entries.entries.Load())
	broken := r.entries.feed.Err()
	noFeed := ctx.Err() == nil && broken != nil && r.sum.entries == 0
	if !noFeed {
		r.sum.print(w, r.app)
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

// jobIDs reads the feed for the lookups.
type jobIDs struct {
	feed    *jobfeed.Reader
	entries atomic.Int64
}

// all gives the identifiers, and the errors of single entries. What ends the feed early
// its Err tells.
func (j *jobIDs) all() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		for id, err := range j.feed.JobIDs() {
			if _, ofEntry := errors.AsType[*jobfeed.EntryError](err); err != nil && !ofEntry {
				return
			}
			j.entries.Add(1)
			if !yield(id, err) {
				return
			}
		}
	}
}

// source is an open feed that counts what was read of it.
type source struct {
	io.Reader
	io.Closer
	size int64 // 0: not known
	read atomic.Int64
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.read.Add(int64(n))
	return n, err
}

func (a *app) openFeed(ctx context.Context, args []string) (*source, error) {
	switch {
	case len(args) == 0:
		body, err := a.demoFeed()
		return &source{Reader: bytes.NewReader(body), Closer: io.NopCloser(nil), size: int64(len(body))}, err
	case args[0] == "-":
		return &source{Reader: a.stdin, Closer: io.NopCloser(nil)}, nil
	}
	lower := strings.ToLower(args[0])
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return a.downloadFeed(ctx, args[0])
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, usage("%w", err)
	}
	s := &source{Reader: f, Closer: f}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return s, nil
}

// downloadFeed opens a feed at an address. A feed's address may hold a key, so
// no error shows more of it than the host.
func (a *app) downloadFeed(ctx context.Context, address string) (*source, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, usage("the feed's address cannot be used")
	}
	next, err := a.roundTripper()
	if err != nil {
		return nil, err
	}
	if next == nil || a.fake != nil && a.transport == nil { // the feed is not the fake's
		next = http.DefaultTransport
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, usage("the feed's address cannot be used")
	}
	req.Header.Set("User-Agent", "jobboard")
	req.Header.Set("Accept-Encoding", "gzip")
	hc := &http.Client{Transport: next, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		req.Header.Del("Referer") // it would tell the feed's address, with a key that it may hold
		if len(via) >= 10 {
			return errors.New("too many redirects")
		}
		return nil
	}}
	resp, err := hc.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, &exitError{code: exitNetwork, err: fmt.Errorf("the feed at %s: %w", u.Host, err)}
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		code := exitService
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
			code = exitCredential
		}
		return nil, &exitError{code: code, err: fmt.Errorf("the feed at %s: %s", u.Host, statusText(resp.StatusCode))}
	}
	// jobfeed reads gzip by itself.
	return &source{Reader: resp.Body, Closer: resp.Body, size: max(resp.ContentLength, 0)}, nil
}

// demoFeed is the feed of the fake's jobs.
func (a *app) demoFeed() ([]byte, error) {
	var buf bytes.Buffer
	w := jobfeed.NewWriter(&buf, nil)
	for _, j := range a.fake.Snapshot().Jobs {
		if err := w.Write(&jobfeed.Entry{JobID: jobboard.JobID(j.ID), Title: j.Title, Language: j.Language}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return buf.Bytes(), err
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
	entries int
	count   map[string]int
	reasons map[string]int // why lookups failed and entries are broken
}

func newFeedSummary() *feedSummary {
	return &feedSummary{count: map[string]int{}, reasons: map[string]int{}}
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

// failureKind is a failure without what differs from job to job.
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

func (s *feedSummary) print(w io.Writer, a *app) {
	var rows [][]string
	for _, o := range outcomes {
		if n := s.count[o.name]; n > 0 || o.name == outcomeOpen {
			rows = append(rows, []string{o.name, strconv.Itoa(n)})
		}
	}
	writeTable(w, a.outTerminal, []column{{head: "OUTCOME"}, {head: "JOBS"}}, rows)
	fmt.Fprintf(w, "\n%d entries, %d different jobs\n", s.entries, s.total()-s.count[outcomeBadEntry])
	var reasons []string
	for reason, n := range s.reasons {
		reasons = append(reasons, fmt.Sprintf("%6d  %s", n, printable(reason)))
	}
	slices.Sort(reasons)
	slices.Reverse(reasons)
	for _, r := range reasons[:min(len(reasons), 10)] {
		fmt.Fprintln(w, r)
	}
}

// feedLines writes a line per job in the form that was asked for.
type feedLines struct {
	w   io.Writer
	csv *csv.Writer // nil: lines of JSON
}

// newFeedLines returns nil for the form that has no lines.
func newFeedLines(form string, w io.Writer) *feedLines {
	switch form {
	case "":
		return nil
	case "jsonl":
		return &feedLines{w: w}
	}
	l := &feedLines{csv: csv.NewWriter(w)}
	_ = l.csv.Write([]string{
		"job", "outcome", "apply_possible", "questions", "title", "company", "language", "city",
		"privacy_link", "error",
	}) // flush has its error
	return l
}

func (l *feedLines) write(r jobboard.BulkResult[*jobboard.JobInformation], outcome string) error {
	text := ""
	if r.Err != nil {
		text = r.Err.Error()
	}
	if l.csv == nil {
		return writeJSON(l.w, struct {
			Job         jobboard.JobID           `json:"job,omitempty"`
			Outcome     string                   `json:"outcome"`
			Error       string                   `json:"error,omitempty"`
			Information *jobboard.JobInformation `json:"information,omitempty"`
		}{r.Job, outcome, text, r.Value}, false)
	}
	row := []string{"", outcome, "", "", "", "", "", "", "", cell(text)}
	if r.Job != 0 {
		row[0] = r.Job.String()
	}
	if info := r.Value; info != nil {
		row[2], row[3] = strconv.FormatBool(info.ApplyPossible), strconv.Itoa(len(info.Questions))
		row[4], row[5] = cell(info.JobTitle), cell(info.CompanyName)
		row[6], row[7], row[8] = cell(info.JobLanguage), cell(info.Location.GeoCity), cell(usable(info.DataSecurityURL()))
	}
	return l.csv.Write(row)
}

func (l *feedLines) flush() error {
	if l.csv == nil {
		return nil
	}
	l.csv.Flush()
	return l.csv.Error()
}

// cell keeps a spreadsheet from taking a foreign text for a formula.
func cell(s string) string {
	if s = printable(s); s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

// progress is a bar on a terminal, and elsewhere a line now and then.
type progress struct {
	bar   *progressbar.ProgressBar
	src   *source
	w     io.Writer
	now   func() time.Time
	begin time.Time
	last  time.Time
}

const progressEvery = 5 * time.Second

func (a *app) newProgress(src *source) *progress {
	p := &progress{src: src, w: a.stderr, now: a.now, begin: a.now()}
	p.last = p.begin
	if !a.errTerminal.tty {
		return p
	}
	size := src.size
	if size == 0 {
		size = -1
	}
	p.bar = progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription("looking up"),
		progressbar.OptionSetWidth(max(10, min(30, a.errTerminal.width-50))),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionEnableColorCodes(false),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)
	return p
}

// step tells of one more result. The progress is that of reading the feed, which is
// only a little ahead of the lookups.
func (p *progress) step(s *feedSummary) {
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%d looked up, %d open, %d failed", s.total(), s.count[outcomeOpen], s.failed()))
		// Stay below 100 %: a full bar clears itself, and done does that.
		read := p.src.read.Load()
		if p.src.size > 0 {
			read = min(read, p.src.size-1)
		}
		_ = p.bar.Set64(read)
		return
	}
	if now := p.now(); now.Sub(p.last) >= progressEvery {
		p.last = now
		part := ""
		if p.src.size > 0 {
			part = fmt.Sprintf(", %d %% of the feed read", 100*min(p.src.read.Load(), p.src.size)/p.src.size)
		}
		fmt.Fprintf(p.w, "jobboard: %d looked up, %d open, %d failed%s\n", s.total(), s.count[outcomeOpen], s.failed(), part)
	}
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
