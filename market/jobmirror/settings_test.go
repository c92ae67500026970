package jobmirror

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The page gives the settings of leases and connections as the code has them.
func TestGuideTellsTheSettings(t *testing.T) {
	text, err := os.ReadFile("../docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	readers, writers, permits := store.Connections()
	for _, says := range []string{
		fmt.Sprintf("a lease of %.0f s on its row (`leased_until`), renewed each %.0f s", sources.Lease.Seconds(), (sources.Lease / 3).Seconds()),
		fmt.Sprintf("leases, which last %.0f s longer", new(store.DB).Lasting(0).Seconds()),
		fmt.Sprintf("look up jobs, up to %d at a time | any | a lease of %.0f s", maxBatch, lookups.Lease.Seconds()),
		fmt.Sprintf("up to %d connections: %d that read, %d that writes, %d for the limit",
			readers+writers+permits, readers, writers, permits),
		fmt.Sprintf("up to %d sources side by side", maxRefreshes),
		fmt.Sprintf("given up after %.0f s at most", store.UpdateTimeout.Seconds()),
		fmt.Sprintf("waits up to %.0f s between attempts", maxWait.Seconds()),
		fmt.Sprintf("gives lookups under way %.1f s", stopTime.Seconds()),
	} {
		if !strings.Contains(guide, says) {
			t.Errorf("market/docs/run.md does not say %q", says)
		}
	}
}
