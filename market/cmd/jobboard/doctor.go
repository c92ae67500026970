package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

type doctorFlags struct {
	json   bool
	bundle string
}

func newDoctorCommand(p *cli.Program) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a set-up does not work",
		Long: `doctor checks the settings, both addresses, TLS, the clocks, redirects, the
credentials, the channel, the language and the lookup. Each check has a verdict
and, where it is not ok, the next step. It asks the service a few harmless
questions and changes nothing.

--bundle FILE writes what support needs to know as JSON: versions, settings,
verdicts and a few headers of the answers. Secrets, identifiers of clients and
user parts of addresses are not in it; read it before you send it.

It ends with 0 where nothing failed and with 7 where something did.`,
		Example: "  jobboard doctor --fake\n  jobboard doctor --bundle support.json",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runDoctor(cmd.Context(), &p.Console, b, p.Settings.Getenv, &f)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print the findings as JSON")
	cmd.Flags().StringVar(&f.bundle, "bundle", "",
		"write a masked `file` for support; - for standard output instead of the findings")
	_ = cmd.MarkFlagFilename("bundle", "json")
	return cmd
}

func runDoctor(ctx context.Context, c *term.Console, b *setup.Board, getenv func(string) string, f *doctorFlags) error {
	report, err := doctor.Examine(ctx, c, b)
	if err != nil {
		return err
	}
	body, err := report.Bundle("jobboard "+cli.Version(), getenv)
	if err != nil {
		return err
	}
	if f.bundle == "-" {
		if _, err := c.Out.Write(body); err != nil {
			return err
		}
		return report.Failure()
	}
	failed := report.Write(f.json)
	if f.bundle == "" {
		return failed
	}
	if err := os.WriteFile(f.bundle, body, 0o600); err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	c.Note("%s is without secrets; read it before you send it", f.bundle)
	return failed
}
