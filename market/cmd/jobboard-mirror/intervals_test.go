package main

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Each flag sets the option of its name, below zero as well.
func TestIntervals(t *testing.T) {
	var o jobmirror.Options
	cmd := &cobra.Command{}
	addIntervals(cmd, &o)
	err := cmd.ParseFlags([]string{
		"--refresh-every", "1m", "--lookup-every", "2m", "--hold-missing", "-3m", "--max-age", "4m",
		"--keep-changes", "5m", "--keep-sources", "-6m", "--keep-jobs", "-7m",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []time.Duration{o.RefreshEvery, o.LookupEvery, o.HoldMissing, o.MaxAge, o.KeepChanges, o.KeepSources, o.KeepJobs}
	for at, want := range []string{"1m0s", "2m0s", "-3m0s", "4m0s", "5m0s", "-6m0s", "-7m0s"} {
		if got[at].String() != want {
			t.Errorf("option %d is %v, want %s", at, got[at], want)
		}
	}
}
