package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

type watchFlags struct {
	cli.QueryFlags
	state    string
	interval time.Duration
	once     bool
	jsonl    bool
}

func newWatchCommand(p *cli.Program) *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:   "watch [TEXT]",
		Short: "Tell what changes in a channel",
		Long: `watch searches a channel again and again and prints what has changed since the
search before: + for a new posting, ~ for a changed one, - for one that is gone.
A posting that may be new or gone has a ? before it: this is not certain when
the service gives fewer postings than it counts.

With --state FILE the last complete state is kept, so that the next run tells
what happened in between. With --once as well it searches one time and ends, for
a job scheduler. A failure of the service or the network is told and does not
end the watch; a refused credential does.`,
		Example:           "  jobboard watch --fake --interval 10s\n  jobboard watch nurse --near Berlin --state nurses.json --once",
		ValidArgsFunction: cli.Nothing,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runWatch(cmd.Context(), &p.Console, b, cmd.Flags(), args, &f)
		},
	}
	f.Add(cmd)
	cmd.Flags().StringVar(&f.state, "state", "", "keep what was seen in a `file`")
	_ = cmd.MarkFlagFilename("state", "json")
	cmd.Flags().DurationVar(&f.interval, "interval", 5*time.Minute, "`time` between two searches, at least 1s")
	cli.Complete(cmd, "interval", cli.OneOf("1m", "5m", "15m", "1h"))
	cmd.Flags().BoolVar(&f.once, "once", false, "search one time; needs --state")
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "print one change a line as JSON")
	return cmd
}

func (f *watchFlags) check() error {
	switch {
	case f.once && f.state == "":
		return setup.Usage("--once has nothing to compare with").Next("name a file with --state")
	case f.interval < time.Second:
		return setup.Usage("--interval is shorter than 1s").Next("give a time such as --interval 5m")
	}
	return nil
}

func runWatch(ctx context.Context, c *term.Console, b *setup.Board, flags *pflag.FlagSet, args []string, f *watchFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	q, err := f.Query(flags, args, c)
	if err != nil {
		return err
	}
	s, ch, err := b.Searcher()
	if err != nil {
		return err
	}
	before, err := loadState(f.state)
	if err != nil {
		return err
	}
	for {
		// Compare the next snapshot with the last complete one.
		after, err := snapshot.Take(ctx, s, ch, q)
		switch {
		case isInterrupted(ctx, err):
			return ctx.Err()
		case err == nil:
			if before, err = f.compare(c, before, after); err != nil {
				return err
			}
		case f.once || !passing(err):
			return err
		default:
			c.Note("%s; next try in %s", c.ErrorText(err), f.interval)
		}
		if f.once {
			return nil
		}
		select {
		case <-time.After(f.interval):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// passing reports whether a later try may succeed.
func passing(err error) bool {
	code, _ := setup.ExitOf(err)
	return code == setup.ExitService || code == setup.ExitNetwork
}

// compare prints the changes, saves the state, and returns the last complete
// snapshot, for the next comparison.
func (f *watchFlags) compare(c *term.Console, before, after *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	at := after.Taken.Local().Format("2006-01-02 15:04:05")
	switch {
	case before == nil && f.jsonl:
	case before == nil:
		c.Out.Line("%s  %s, nothing to compare with yet", at, term.Count(len(after.Postings), "posting"))
	default:
		changes, err := changesOf(before, after)
		if err != nil {
			return nil, setup.Usage("--state: %w", setup.Plain{Cause: err}).Next("use a state file of its own for every channel, query and language")
		}
		printChanges(c, at, after, changes, f.jsonl)
	}
	if c.Out.Err != nil {
		return nil, c.Out.Err
	}
	if !after.Complete {
		c.Note("the service did not give every posting it counts; missing postings may still exist")
		if before != nil {
			return before, nil
		}
		// Keep even an incomplete first snapshot: Diff then reports postings that
		// may be new.
	}
	return after, saveState(f.state, after)
}

// change is a posting that was added, changed or removed.
type change struct {
	Taken  time.Time         `json:"taken"`
	Kind   string            `json:"change"`
	Before *snapshot.Posting `json:"before,omitempty"`
	After  *snapshot.Posting `json:"after,omitempty"`
}

// changesOf lists the changes since before, the certain ones first.
func changesOf(before, after *snapshot.Snapshot) ([]change, error) {
	c, err := snapshot.Diff(before, after)
	if err != nil {
		return nil, err
	}
	var all []change
	is := func(kind string, postings []snapshot.Posting) {
		for i := range postings {
			all = append(all, change{Taken: after.Taken, Kind: kind, After: &postings[i]})
		}
	}
	was := func(kind string, postings []snapshot.Posting) {
		for i := range postings {
			all = append(all, change{Taken: after.Taken, Kind: kind, Before: &postings[i]})
		}
	}
	is("added", c.Added)
	for i := range c.Changed {
		all = append(all, change{after.Taken, "changed", &c.Changed[i].Before, &c.Changed[i].After})
	}
	was("gone", c.Gone)
	is("maybe added", c.MaybeAdded)
	was("maybe gone", c.MaybeGone)
	return all, nil
}

// posting returns the current posting, or the last known state of a removed
// one.
func (c change) posting() *snapshot.Posting { return cmp.Or(c.After, c.Before) }

// difference names the changed part of a posting.
func (c change) difference() string {
	switch {
	case c.Before.Title != c.After.Title:
		return "title"
	case c.Before.PostingVersionID != c.After.PostingVersionID:
		return "new version"
	}
	return "dates"
}

func printChanges(c *term.Console, at string, after *snapshot.Snapshot, changes []change, asJSON bool) {
	if asJSON {
		for _, x := range changes {
			_ = term.WriteJSON(c.Out, x, false) // cannot fail: only texts and times
		}
		return
	}
	count := map[string]int{}
	for _, x := range changes {
		count[x.Kind]++
	}
	c.Out.Line("%s  %s, %d new, %d changed, %d gone", at, term.Count(len(after.Postings), "posting"),
		count["added"], count["changed"], count["gone"])
	t := c.OutTerminal
	signs := map[string]string{
		"added": t.Paint(term.Green, "+"), "changed": t.Paint(term.Yellow, "~"), "gone": t.Paint(term.Red, "-"),
		"maybe added": "? +", "maybe gone": "? -",
	}
	for _, x := range changes {
		p, what := x.posting(), ""
		if x.Kind == "changed" {
			if what = " (" + x.difference() + ")"; x.Before.Title != x.After.Title {
				what = " (was: " + term.Printable(x.Before.Title) + ")"
			}
		}
		c.Out.Line("%s %d  %s%s", signs[x.Kind], p.JobPostingID, term.Printable(p.Title), what)
	}
}

// loadState reads the snapshot that saveState wrote, or returns nil if the file
// does not exist.
func loadState(path string) (*snapshot.Snapshot, error) {
	if path == "" {
		return nil, nil
	}
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, setup.Usage("--state: %w", err)
	}
	s := new(snapshot.Snapshot)
	if err := json.Unmarshal(body, s); err != nil || s.Channel == "" {
		return nil, setup.Usage("--state: %s is not a state that watch has kept", path).
			Next("name another file, or remove it to start anew")
	}
	return s, nil
}

func saveState(path string, s *snapshot.Snapshot) error {
	if path == "" {
		return nil
	}
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := replace(path, append(body, '\n')); err != nil {
		return fmt.Errorf("--state: %w", err)
	}
	return nil
}

// replace puts a new file in the place of an old one: if the program or the machine stops meanwhile, one of them is
// there and whole. Only its owner can read it.
func replace(path string, body []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".jobboard-*")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
