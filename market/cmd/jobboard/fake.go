package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// listenNext is the next step after an address on which the mock server cannot listen.
const listenNext = "give host:port, such as 127.0.0.1:8080; port 0 takes a free one"

func newFakeCommand(p *cli.Program) *cobra.Command {
	var (
		addr, jobDBAddr string
		asJSON          bool
	)
	cmd := &cobra.Command{
		Use:   "fake",
		Short: "Run the mock server of the service until interrupted",
		Long: `fake runs a mock server of the service with demo data, and prints lines to paste
into a shell, so that the other commands there use it. Its tokens are made up
and work nowhere else. It runs until it is interrupted.`,
		Example: "  jobboard fake --addr 127.0.0.1:8080 --jobdb-addr 127.0.0.1:8081",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.EndsItself.Store(true)
			return runFake(cmd.Context(), p.Out, addr, jobDBAddr, asJSON)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "`host:port` of the base address; port 0 takes a free one")
	cmd.Flags().StringVar(&jobDBAddr, "jobdb-addr", "127.0.0.1:0", "`host:port` of the job information lookup")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cli.Complete(cmd, "addr", cli.Nothing)
	cli.Complete(cmd, "jobdb-addr", cli.Nothing)
	return cmd
}

func runFake(ctx context.Context, out *term.Output, addr, jobDBAddr string, asJSON bool) error {
	base, err := net.Listen("tcp", addr)
	if err != nil {
		return setup.Usage("--addr: %w", err).Next(listenNext)
	}
	jobDB, err := net.Listen("tcp", jobDBAddr)
	if err != nil {
		base.Close()
		return setup.Usage("--jobdb-addr: %w", err).Next(listenNext)
	}
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithListeners(base, jobDB))
	page := control.Mount(srv)
	if printFake(out, srv, page, asJSON); out.Err != nil {
		srv.Close()
		return out.Err
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := srv.Shutdown(end); err != nil && end.Err() == nil {
		return err
	}
	return nil // an interruption is the normal end
}

func printFake(out *term.Output, srv *jobboardtest.Server, page string, asJSON bool) {
	if asJSON {
		_ = term.WriteJSON(out, struct {
			BaseURL    string `json:"base_url"`
			JobDBURL   string `json:"jobdb_url"`
			ControlURL string `json:"control_url"`
			jobboardtest.DemoInfo
		}{srv.BaseURL, srv.JobDBURL, page, srv.Demo}, false) // cannot fail: only texts and numbers
		return
	}
	d := srv.Demo
	for _, v := range [][2]string{
		{"BASE_URL", srv.BaseURL},
		{"JOBDB_URL", srv.JobDBURL},
		{"CLIENT_ID", d.ClientID},
		{"USER_TOKEN", d.ApplicantToken},
		{"CHANNEL", d.Channel},
		{"JOB", fmt.Sprint(d.OpenJob)},
	} {
		out.Line("export JOBBOARD_%s=%s", v[0], v[1])
	}
	out.Line("# other jobs: %d applied, %d withdrawn, %d inactive, %d unknown, %d internal, %d closed",
		d.AppliedJob, d.WithdrawnJob, d.InactiveJob, d.UnknownJob, d.InternalJob, d.ClosedJob)
	out.Line("# see it, and break it, at %s", page)
	out.Line("# the mock server runs until it is interrupted")
}
