package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// runMirror runs the mirror, and what serves it. When one of them ends, so do the
// others.
func runMirror(ctx context.Context, p *program) error {
	work := []func(context.Context) error{func(ctx context.Context) error {
		defer showProgress(ctx, p, true)()
		return p.mirror.Run(ctx)
	}}
	if p.addr != "" {
		work = append(work, func(ctx context.Context) error { return serveAt(ctx, p, p.addr, "serving", p.mirror.Handler()) })
	}
	return p.together(ctx, work...)
}

// together does several things until one of them ends, and beside them tells a
// monitor how they are doing.
func (p *program) together(ctx context.Context, work ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if p.monitor != "" {
		work = append(work, func(ctx context.Context) error { return serveAt(ctx, p, p.monitor, "monitor", monitor(p)) })
	}
	ended := make(chan error, len(work))
	for _, f := range work {
		go func() {
			ended <- f(ctx)
			cancel()
		}()
	}
	var err error
	for range work {
		// Of what ended because another did, nothing need be said.
		if e := <-ended; err == nil || !errors.Is(e, context.Canceled) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// migrate sets up the tables.
func migrate(ctx context.Context, p *program) error {
	if p.db == "" {
		return errNoDatabase
	}
	if err := jobmirror.Migrate(ctx, p.db); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.out, "the tables are those of this version")
	return err
}

func refreshMirror(ctx context.Context, p *program) error {
	stop := showProgress(ctx, p, false)
	err := p.mirror.Refresh(ctx)
	stop()
	if err != nil {
		return err
	}
	return status(ctx, p)
}

func status(ctx context.Context, p *program) error {
	s, err := p.mirror.Status(ctx)
	if err != nil {
		return err
	}
	if p.json {
		return p.print(s)
	}
	table := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SOURCE\tROWS\tCOPIED\tFAILURES\tPROBLEM")
	for _, source := range s.Sources {
		fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%s\n",
			strings.TrimSpace(source.Kind+" "+printable(source.Name)+" "+source.Language),
			source.Rows, ago(source.Complete), source.Failures, printable(source.Problem))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\n%d postings, of which %d have no place that a radius finds and %d are not indexed yet\n", s.Postings, s.Unplaced, s.Unindexed)
	for _, state := range slices.Sorted(maps.Keys(s.Jobs)) {
		fmt.Fprintf(p.out, "%d jobs %s\n", s.Jobs[state], state)
	}
	fmt.Fprintf(p.out, "%d lookups are due", s.Due)
	if !s.DueSince.IsZero() {
		fmt.Fprintf(p.out, ", the first since %s", ago(s.DueSince))
	}
	fmt.Fprintf(p.out, "; %d did not answer the last time\n", s.Failing)
	for _, process := range s.Processes {
		fmt.Fprintf(p.out, "%s: %s since %s, %d lookups, seen %s\n",
			strings.TrimSpace(printable(process.Name)+" "+printable(process.Version)),
			printable(process.Doing), process.Started.Local().Format(time.DateTime), process.LookedUp, ago(process.Seen))
		for _, lease := range process.Leases {
			what := fmt.Sprintf("looks up %d jobs", lease.Jobs)
			if lease.Source != "" {
				what = "refreshes " + printable(lease.Source)
			}
			fmt.Fprintf(p.out, "  %s, begun %s\n", what, ago(lease.Since))
		}
	}
	if s.Limit > 0 {
		fmt.Fprintf(p.out, "at most %g requests a second\n", s.Limit)
	}
	if !s.PausedUntil.IsZero() {
		fmt.Fprintf(p.out, "the board asked for a pause until %s\n", s.PausedUntil.Local().Format(time.TimeOnly))
	}
	_, err = fmt.Fprintf(p.out, "changes from %s to %s\n", s.Oldest, s.Newest)
	return err
}

func ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return time.Since(t).Truncate(time.Second).String() + " ago"
}

// printable leaves out what would change a terminal: names and titles are
// others'.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}

func search(ctx context.Context, p *program) error {
	q := p.query
	q.Text, q.After = strings.Join(p.args, " "), jobmirror.PageCursor(p.after)
	q.Channel = jobboard.ChannelID(p.channel)
	page, err := p.mirror.Search(ctx, q)
	if err != nil {
		return err
	}
	if p.json {
		return p.print(map[string]any{
			"postings": wirePostings(page.Postings), "next": page.Next, "facets": page.Facets,
			"ageSeconds": int(page.Age.Seconds()),
		})
	}
	table := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "POSTING\tJOB\tLANGUAGE\tKM\tTITLE")
	for _, posting := range page.Postings {
		km := "-"
		if !q.Near.IsZero() {
			km = fmt.Sprintf("%.0f", posting.DistanceKm)
		}
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\n",
			posting.Posting.JobPostingID, posting.Job, posting.Language, km, printable(posting.Posting.Title))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if page.Facets != nil {
		fmt.Fprintf(p.out, "%d in all\n", page.Facets.Total)
		for _, facet := range []map[string]int{page.Facets.Categories, page.Facets.Places} {
			for _, value := range slices.Sorted(maps.Keys(facet)) {
				fmt.Fprintf(p.out, "  %6d %s\n", facet[value], printable(value))
			}
		}
	}
	if page.Next != "" {
		fmt.Fprintf(p.out, "more with -after %s\n", page.Next)
	}
	return nil
}

// wirePosting is a hit as JSON: the posting as the board gives it, and what the
// mirror adds.
type wirePosting struct {
	Posting   jobboard.JobPosting `json:"posting"`
	Language  string              `json:"language,omitempty"`
	Job       jobboard.JobID      `json:"jobId,omitempty"`
	Evidence  jobmirror.Evidence  `json:"evidence,omitempty"`
	Confirmed bool                `json:"confirmed"`
	Seen      time.Time           `json:"seen"`
}

func wirePostings(postings []jobmirror.Posting) []wirePosting {
	out := make([]wirePosting, len(postings))
	for i, p := range postings {
		out[i] = wirePosting{p.Posting, p.Language, p.Job, p.Evidence, p.Confirmed, p.Seen}
	}
	return out
}

func changes(ctx context.Context, p *program) error {
	all := p.mirror.Changes
	if p.follow {
		all = p.mirror.Follow
		if p.fake {
			go func() { _ = p.mirror.Run(ctx) }() // something must happen that can be followed
		}
	}
	out := json.NewEncoder(p.out)
	out.SetEscapeHTML(false)
	for change, err := range all(ctx, jobmirror.Cursor(p.since)) {
		if err == nil {
			err = out.Encode(change)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func serve(ctx context.Context, p *program) error {
	return p.together(ctx, func(ctx context.Context) error {
		return serveAt(ctx, p, cmp.Or(p.addr, "127.0.0.1:8080"), "serving", p.mirror.Handler())
	})
}

func (p *program) print(v any) error {
	out := json.NewEncoder(p.out)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
