package jobmirror

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The guide tells the settings of River and of the leases as they are.
func TestGuideTellsTheSettings(t *testing.T) {
	text, err := os.ReadFile("../docs/mirror.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	for _, says := range []string{
		fmt.Sprintf("| `JobTimeout` | %.0f s |", batchTimeout.Seconds()),
		fmt.Sprintf("begins none after %.0f s, and what was not answered after %.0f s", handOutTime.Seconds(), lookUpTime.Seconds()),
		fmt.Sprintf("| timeout of a refresh | %.0f h |", refreshLimit.Hours()),
		fmt.Sprintf("| `RescueStuckJobsAfter` | %.0f s |", rescueAfter.Seconds()),
		fmt.Sprintf("| retry | %.0f s, from the sixth on doubled to %.0f min |", retryAfter.Seconds(), maxRetry.Minutes()),
		fmt.Sprintf("`PollOnly` | %d ms |", pollEvery.Milliseconds()),
		fmt.Sprintf("| `CompletedJobRetentionPeriod` | %.0f min |", keepDone.Minutes()),
		fmt.Sprintf("`%s` (%d at once), `%s` (%d), `%s` (1)", queueLookups, batchWorkers, queueRefresh, refreshWorkers, queuePlan),
		fmt.Sprintf("a lease of %.0f s on its row (`claimed`), renewed each %.0f s", sourceLease.Seconds(), (sourceLease / 3).Seconds()),
		fmt.Sprintf("look up jobs, up to %d as one job of River | any | a lease of %.0f s", maxBatch, batchLease.Seconds()),
		fmt.Sprintf("up to %d connections: %d that read, %d that write, %d for the limit, %d for\nRiver",
			postgresReaders+postgresWriters+postgresPermits+riverConns, postgresReaders, postgresWriters, postgresPermits, riverConns),
		fmt.Sprintf("given up after %.0f s at most", stalledAfter.Seconds()),
		fmt.Sprintf("waits up to %.0f s between attempts", maxWait.Seconds()),
		fmt.Sprintf("gives lookups under way %.0f s", stopTime.Seconds()),
	} {
		if !strings.Contains(guide, says) {
			t.Errorf("docs/mirror.md does not say %q", says)
		}
	}
}
