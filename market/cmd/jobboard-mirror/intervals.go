package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// addIntervals adds flags of how often a copy is brought up to date and for how long it keeps what it has. Zero is the
// default of jobmirror.Options.
func addIntervals(cmd *cobra.Command, o *jobmirror.Options) {
	for _, flag := range []struct {
		name, usage string
		value       *time.Duration
		examples    []string
	}{
		{"refresh-every", "`time` between two refreshes of a channel or feed; 0: 15 minutes", &o.RefreshEvery, []string{"15m", "1h"}},
		{"lookup-every", "`time` between two lookups of an open job; 0: 24h, below 0: none; for a daily timer 20h", &o.LookupEvery, []string{"20h", "24h"}},
		{"hold-missing", "`time` for which removals of many postings at once are pending; 0: 24h, below 0: none", &o.HoldMissing, []string{"24h", "72h"}},
		{"keep-changes", "`time` that the log of changes reaches back; 0: 30 days", &o.KeepChanges, []string{"720h", "2160h"}},
		{"keep-sources", "`time` to keep a channel or feed that no process names any more; 0: 7 days, below 0: for ever", &o.KeepSources, []string{"24h", "168h"}},
		{"keep-jobs", "`time` to keep a job that nothing names any more; 0: 90 days, below 0: for ever", &o.KeepJobs, []string{"720h", "2160h"}},
	} {
		cmd.Flags().DurationVar(flag.value, flag.name, 0, flag.usage)
		cli.Complete(cmd, flag.name, cli.OneOf(flag.examples...))
	}
	addMaxAge(cmd, o)
}

// addMaxAge adds the flag that a command without a copy of its own takes as well.
func addMaxAge(cmd *cobra.Command, o *jobmirror.Options) {
	cmd.Flags().DurationVar(&o.MaxAge, "max-age", 0, "`age` up to which a lookup's answer is given; 0: 48h, or twice --lookup-every")
	cli.Complete(cmd, "max-age", cli.OneOf("48h", "96h"))
}
