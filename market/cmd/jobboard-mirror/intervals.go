package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// intervals holds the flags of how often a copy is brought up to date and for how long it keeps what it
// has. Zero is the default of jobmirror.Options.
type intervals struct {
	refreshEvery time.Duration
	lookupEvery  time.Duration
	holdMissing  time.Duration
	maxAge       time.Duration
	keepChanges  time.Duration
	keepSources  time.Duration
	keepJobs     time.Duration
}

// add adds the flags to a command that copies.
func (i *intervals) add(cmd *cobra.Command) {
	for _, flag := range []struct {
		name, usage string
		value       *time.Duration
		examples    []string
	}{
		{"refresh-every", "`time` between two refreshes of a channel or feed; 0: 15 minutes", &i.refreshEvery, []string{"15m", "1h"}},
		{"lookup-every", "`time` between two lookups of an open job; 0: 24h, below 0: none; for a daily timer 20h", &i.lookupEvery, []string{"20h", "24h"}},
		{"hold-missing", "`time` for which removals of many postings at once are pending; 0: 24h, below 0: none", &i.holdMissing, []string{"24h", "72h"}},
		{"keep-changes", "`time` that the log of changes reaches back; 0: 30 days", &i.keepChanges, []string{"720h", "2160h"}},
		{"keep-sources", "`time` to keep a channel or feed that no process names any more; 0: 7 days, below 0: for ever", &i.keepSources, []string{"24h", "168h"}},
		{"keep-jobs", "`time` to keep a job that nothing names any more; 0: 90 days, below 0: for ever", &i.keepJobs, []string{"720h", "2160h"}},
	} {
		cmd.Flags().DurationVar(flag.value, flag.name, 0, flag.usage)
		cli.Complete(cmd, flag.name, cli.OneOf(flag.examples...))
	}
	i.addMaxAge(cmd)
}

// addMaxAge adds the flag that a command without a copy of its own takes as well.
func (i *intervals) addMaxAge(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&i.maxAge, "max-age", 0, "`age` up to which a lookup's answer is given; 0: 48h, or twice --lookup-every")
	cli.Complete(cmd, "max-age", cli.OneOf("48h", "96h"))
}

// set sets the options of a mirror.
func (i *intervals) set(o *jobmirror.Options) {
	o.RefreshEvery, o.LookupEvery, o.HoldMissing, o.MaxAge = i.refreshEvery, i.lookupEvery, i.holdMissing, i.maxAge
	o.KeepChanges, o.KeepSources, o.KeepJobs = i.keepChanges, i.keepSources, i.keepJobs
}
