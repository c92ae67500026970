package main

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Each flag sets the option of its name, below zero as well.
func TestIntervals(t *testing.T) {
	var i intervals
	cmd := &cobra.Command{}
	i.add(cmd)
	err := cmd.ParseFlags([]string{
		"--refresh-every", "1m", "--lookup-every", "2m", "--hold-missing", "-3m", "--max-age", "4m",
		"--keep-changes", "5m", "--keep-sources", "-6m", "--keep-jobs", "-7m",
	})
	if err != nil {
		t.Fatal(err)
	}
	var o jobmirror.Options
	i.set(&o)
	got := []time.Duration{o.RefreshEvery, o.LookupEvery, o.HoldMissing, o.MaxAge, o.KeepChanges, o.KeepSources, o.KeepJobs}
	for at, want := range []time.Duration{1, 2, -3, 4, 5, -6, -7} {
		if got[at] != want*time.Minute {
			t.Errorf("option %d is %v, want %v minutes", at, got[at], int64(want))
		}
	}
}
