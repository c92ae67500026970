package main

import (
	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
)

func newDoctorCommand(p *cli.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a set-up does not work",
		Long: `doctor checks the settings, both addresses, TLS, the clocks, redirects, the
credentials, the channel, the language and the lookup. Each check has a verdict
and, where it is not ok, the next step. It asks the service a few harmless
questions and changes nothing.

--json prints what support needs to know: versions, settings, verdicts and a few
headers of the answers. Secrets, identifiers of clients and user parts of
addresses are not in it; read it before you send it.

It ends with 0 where nothing failed and with 7 where something did.`,
		Example: "  jobboard doctor --fake\n  jobboard doctor --json > support.json",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			report, err := doctor.Examine(cmd.Context(), &p.Console, b)
			if err != nil {
				return err
			}
			return report.Write(asJSON, cli.Version())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON, for support")
	return cmd
}
