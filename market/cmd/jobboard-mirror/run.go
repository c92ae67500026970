package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func newRunCommand(p *cli.Program, db *database) *cobra.Command {
	o := &opening{p: p, db: db, copies: &copying{}}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Keep the copy up to date until interrupted",
		Long: `run copies the channels and feeds that are named, and keeps the copy up to date
until it is interrupted. With --addr it answers in the board's place as well,
and with --mcp it serves assistants with tools that search the copy. On SQLite
one process runs a mirror; on PostgreSQL any number share the work.

The first copy shows how far it is: a bar on a terminal, else a line a minute.`,
		Example: `  jobboard-mirror run --fake --addr 127.0.0.1:8080
  jobboard-mirror run --db jobs.db --channels 27828_extern --languages de,en --feed feed.xml`,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.EndsItself.Store(true)
			return o.with(cmd, func(ctx context.Context, m *copied) error {
				if err := o.copies.acceptRemovals(ctx, m); err != nil {
					return err
				}
				return runMirror(ctx, &p.Console, m, &o.at)
			})
		},
	}
	o.copies.add(cmd, &o.options)
	o.addSynonymsFlag(cmd)
	o.at.add(cmd, "")
	return cmd
}

// runMirror keeps the copy up to date and serves it. If updating or serving ends, it
// ends both. It returns nil once ctx is canceled.
func runMirror(ctx context.Context, c *term.Console, m *copied, at *listening) error {
	work := []func(context.Context) error{func(ctx context.Context) error {
		defer showProgress(ctx, c, m.progress, true)()
		return m.Run(ctx)
	}}
	if at.addr != "" {
		work = append(work, func(ctx context.Context) error { return serveAt(ctx, c, at.addr, "serving", m.Handler()) })
	}
	return together(ctx, c, m, at, work...)
}

// together runs several functions at once, and with them the monitor and the assistants'
// server if the flags ask for them. When one function ends, together cancels the context of
// the others.
func together(ctx context.Context, c *term.Console, m *copied, at *listening, work ...func(context.Context) error) error {
	if at.monitor != "" {
		work = append(work, func(ctx context.Context) error { return serveAt(ctx, c, at.monitor, "monitor", monitor(m)) })
	}
	if at.mcp != "" {
		tools, err := assistants(m, at.hosts)
		if err != nil {
			return err
		}
		work = append(work, func(ctx context.Context) error { return serveAt(ctx, c, at.mcp, "assistants", tools) })
	}
	all, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(work))
	for _, f := range work {
		go func() {
			ended <- f(all)
			cancel()
		}()
	}
	var err error
	for range work {
		// A function that was canceled because another ended has nothing to
		// report.
		if e := <-ended; !errors.Is(e, context.Canceled) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// listening holds the flags that choose the addresses at which a command
// serves, and the callers that it serves.
type listening struct {
	addr    string
	allow   []net.IPNet
	hosts   []string
	monitor string
	mcp     string
}

func (l *listening) add(cmd *cobra.Command, addr string) {
	f := cmd.Flags()
	f.StringVar(&l.addr, "addr", addr, "`host:port` to answer in the board's place at, such as 127.0.0.1:8080")
	f.IPNetSliceVar(&l.allow, "allow", nil, "`networks` of callers that are served, such as 10.0.0.0/8,fd00::/8; none: this machine")
	f.StringSliceVar(&l.hosts, "hosts", nil, "`names` under which it is served, beside localhost and addresses, such as jobs.internal")
	f.StringVar(&l.monitor, "monitor", "", "`host:port` to serve anybody /live, /ready and /metrics at, with the names of sources")
	f.StringVar(&l.mcp, "mcp", "", "`host:port` to serve assistants at, with tools that search the copy; --allow and --hosts hold there, too")
	for _, flag := range []string{"addr", "allow", "hosts", "monitor", "mcp"} {
		cli.Complete(cmd, flag, cli.Nothing)
	}
}

func newServeCommand(p *cli.Program, db *database) *cobra.Command {
	o := &opening{p: p, db: db}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer in the board's place from the copy until interrupted",
		Long: `serve answers in the board's place from the copy, beside the process that keeps
it up to date, until it is interrupted. Only callers on this machine are served,
or those of the networks that --allow names. A request for another name than
localhost and those of --hosts is refused, so that no page of a browser reads
the copy.`,
		Example: "  jobboard-mirror serve --db jobs.db --addr 127.0.0.1:8080",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.EndsItself.Store(true)
			return o.with(cmd, func(ctx context.Context, m *copied) error {
				return together(ctx, &p.Console, m, &o.at, func(ctx context.Context) error {
					return serveAt(ctx, &p.Console, o.at.addr, "serving", m.Handler())
				})
			})
		},
	}
	addMaxAge(cmd, &o.options)
	o.addSynonymsFlag(cmd)
	o.at.add(cmd, "127.0.0.1:8080")
	return cmd
}

func newRefreshCommand(p *cli.Program, db *database) *cobra.Command {
	o := &opening{p: p, db: db, copies: &copying{}}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Bring the copy up to date once",
		Long: `refresh copies the channels and feeds that are named, looks up the jobs that are
due, tells the status, and ends: it is meant for a timer. If it is interrupted,
it keeps what it has copied and ends with 130, or after SIGTERM with 143, so
that a timer knows that the copy is not done.`,
		Example: "  jobboard-mirror refresh --db jobs.db --channels 27828_extern",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.EndsItself.Store(true) // the command keeps the copied jobs and closes the database itself
			return o.with(cmd, func(ctx context.Context, m *copied) error {
				stop := showProgress(ctx, &p.Console, m.progress, false)
				err := m.Refresh(ctx)
				stop()
				if err == nil {
					err = o.copies.acceptRemovals(ctx, m)
				}
				if err != nil {
					return err
				}
				return runStatus(ctx, &p.Console, m, asJSON)
			})
		},
	}
	o.copies.add(cmd, &o.options)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the status as JSON")
	return cmd
}

// progress returns the work done so far, and the number of remaining items.
func (m *copied) progress(ctx context.Context) (done jobmirror.Progress, left int64, err error) {
	status, err := m.Status(ctx)
	if err != nil {
		return done, 0, err
	}
	return m.Progress(), int64(status.Due + status.Unindexed), nil
}

type progressFunc func(context.Context) (done jobmirror.Progress, left int64, err error)

// showProgress shows the progress of the first fill until stop is called or, with untilDone,
// until nothing is due any more.
func showProgress(ctx context.Context, c *term.Console, progress progressFunc, untilDone bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		follow(ctx, c, progress, untilDone)
	}()
	return func() {
		cancel()
		<-done
	}
}

func follow(ctx context.Context, c *term.Console, progress progressFunc, untilDone bool) {
	every := time.Minute
	if c.ErrTerminal.TTY {
		every = 500 * time.Millisecond
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	bar := c.NewProgress("copying", 1, 0)
	defer bar.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		done, left, err := progress(ctx)
		if err != nil {
			continue
		}
		words := fmt.Sprintf("%d read, %d looked up, %d to do", done.Read, done.LookedUp, left)
		bar.Step(done.LookedUp, done.LookedUp+left+1, words, "")
		if untilDone && left == 0 && done.LookedUp > 0 {
			return
		}
	}
}
