package faults_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// TestFaultMatrix holds every cell of the table against the real server,
// transport and retry loop, in virtual time. Rows 29 and 29b, crowds of callers in
// an outage, are TestDocumentedFigures of the crowds suite.
func TestFaultMatrix(t *testing.T) {
	start := time.Now()
	var cells, calls atomic.Int64
	t.Cleanup(func() {
		t.Logf("figure: fault matrix: %d cells by form of the fault and operation, %d runs, in %v",
			cells.Load(), calls.Load(), time.Since(start).Round(time.Millisecond))
	})
	for _, f := range slices.Concat(
		connectionFaults(), statusFaults(), redirectFaults(), bodyFaults(), callerFaults(), severalFaults(),
	) {
		t.Run(f.row+" "+f.name, func(t *testing.T) {
			t.Parallel()
			for i := range f.forms {
				runs := int64(0)
				for j, op := range rig.Operations {
					synctest.Test(t, func(t *testing.T) {
						n := trials(t, &f, &f.forms[i], op, i+j, (*trial).run)
						runs += n
						cells.Add(min(n, 1))
					})
				}
				if runs == 0 {
					t.Errorf("%s: no operation meets it", f.forms[i].name)
				}
				calls.Add(runs)
			}
		})
	}
}
