package retry

import (
	"flag"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/outage"
)

var callers = flag.Int("callers", 20, "number of callers; 200 is what README.md shows")

// TestCompare prints the table of README.md and holds its order: what the
// policies are compared for must not depend on the number of callers.
func TestCompare(t *testing.T) {
	figures := map[string]outage.Figures{}
	var names []string
	for _, p := range policies {
		names = append(names, p.name)
		figures[p.name] = outage.Measure(*callers, func(plan outage.Plan) (r *outage.Record) {
			synctest.Test(t, func(*testing.T) { r = plan.Run(p.open) })
			return r
		})
	}
	t.Logf("%d callers\n%s", *callers, outage.Table(names, figures))

	ours := figures[own]
	if f := figures[none]; f.Outage != 1 || f.Small != 1 || f.Together != 0 || f.Success < 0.65 || f.Success > 0.75 {
		t.Errorf("%s: %+v", none, f)
	}
	if f := figures[retryable]; f.Outage < 4 || f.Freeze != outage.Never || f.Added < ours.Added {
		t.Errorf("%s: %+v", retryable, f)
	}
	if f := figures[standard]; f.Small < ours.Small || f.Success > ours.Success {
		t.Errorf("%s: %+v", standard, f)
	}
	if ours.Outage > 1.10 || ours.Small > 1.30 || ours.Success < 0.995 || ours.Freeze > 25e9 || ours.Together > 0.25 {
		t.Errorf("%s: %+v", own, ours)
	}
}
