package faults_test

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// TestFaultMatrix holds every cell of the table against the real server,
// transport and retry loop, in virtual time: two operations of each form of a
// fault, by a seed, and all of them in the whole tests. Crowds of callers
// in an outage, and crowds whose every token is rejected, are TestDocumentedFigures of the crowds suite.
func TestFaultMatrix(t *testing.T) {
	start := time.Now()
	var cells, calls atomic.Int64
	enough, seed := int64(2), uint64(0)
	if testenv.Whole() {
		enough = int64(len(rig.Operations))
	} else {
		seed = testenv.Seed(t)
	}
	t.Cleanup(func() {
		t.Logf("figure: fault matrix: %d cells by form of the fault and operation, %d runs, in %v",
			cells.Load(), calls.Load(), time.Since(start).Round(time.Millisecond))
	})
	for _, f := range slices.Concat(
		connectionFaults(), statusFaults(), redirectFaults(), bodyFaults(), valueFaults(), callerFaults(), severalFaults(),
	) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for i := range f.forms {
				runs, tried := int64(0), int64(0)
				for _, j := range operationsOf(seed, f.name, f.forms[i].name) {
					if tried == enough {
						break
					}
					synctest.Test(t, func(t *testing.T) {
						n := trials(t, &f, &f.forms[i], rig.Operations[j], i+j, (*trial).run)
						runs += n
						tried += min(n, 1)
					})
				}
				cells.Add(tried)
				if runs == 0 {
					t.Errorf("%s: no operation meets it", f.forms[i].name)
				}
				calls.Add(runs)
			}
		})
	}
}

// operationsOf returns the indices of all operations in an order that the seed and
// the names of a form decide.
func operationsOf(seed uint64, names ...string) []int {
	h := fnv.New64a()
	_, _ = io.WriteString(h, strings.Join(names, "\n"))
	return rand.New(rand.NewPCG(seed, h.Sum64())).Perm(len(rig.Operations))
}
