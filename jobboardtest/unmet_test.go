package jobboardtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// judge is a test of its own, which records its errors and runs its clean-up when told.
type judge struct {
	testing.TB
	errors  []string
	cleanup []func()
	failed  bool
	skipped bool
}

func (j *judge) Helper()          {}
func (j *judge) Cleanup(f func()) { j.cleanup = append(j.cleanup, f) }
func (j *judge) Failed() bool     { return j.failed || len(j.errors) > 0 }
func (j *judge) Skipped() bool    { return j.skipped }
func (j *judge) Logf(string, ...any) {
}

func (j *judge) Errorf(format string, args ...any) {
	j.errors = append(j.errors, fmt.Sprintf(format, args...))
}

func (j *judge) end() {
	for _, f := range slices.Backward(j.cleanup) {
		f()
	}
}

// A fault that was planted and hit no call fails its test, with a line that says what came instead.
func TestUnmetFaultFailsTheTest(t *testing.T) {
	search := func(srv *jobboardtest.Server, n int) {
		for range n {
			get(t, srv, srv.BaseURL+searchPath, srv.Demo.ClientToken)
		}
	}
	plant := func(faults ...jobboardtest.Fault) func(srv *jobboardtest.Server) {
		return func(srv *jobboardtest.Server) {
			for _, f := range faults {
				srv.Fail(f)
			}
		}
	}
	for name, c := range map[string]struct {
		plant   func(srv *jobboardtest.Server)
		calls   int
		failed  bool
		skipped bool
		want    []string // each is in its line
	}{
		"no call":         {plant: plant(jobboardtest.Fault{Status: 503}), want: []string{`the fault "status 503" hit no call: no call came;`}},
		"other calls":     {plant: plant(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpJobInformation}), calls: 3, want: []string{`the fault "status 503" on job information hit no call: 3 calls of search, none of job information;`}},
		"another path":    {plant: plant(jobboardtest.Fault{Name: "slow", Delay: 1, Path: "/jobdb/*"}), calls: 1, want: []string{`the fault "slow" hit no call: 1 call of search, none with the path /jobdb/*;`}},
		"skips":           {plant: plant(jobboardtest.Fault{Status: 500, Skip: 2, Times: 1}), calls: 2, want: []string{"2 calls of search, and it skips 2;"}},
		"hit by another":  {plant: plant(jobboardtest.Fault{Status: 500}, jobboardtest.Fault{Status: 501}), calls: 2, want: []string{`"status 501" hit no call: 2 calls of search, hit by earlier faults;`}},
		"two":             {plant: plant(jobboardtest.Fault{Status: 500}, jobboardtest.Fault{Status: 501}), want: []string{"500", "501"}},
		"hit":             {plant: plant(jobboardtest.Fault{Status: 500}), calls: 1},
		"hit and gone":    {plant: plant(jobboardtest.Fault{Status: 500, Times: 1}), calls: 3},
		"optional":        {plant: plant(jobboardtest.Fault{Status: 500, Optional: true})},
		"share":           {plant: plant(jobboardtest.Fault{Status: 500, Share: 0.5})},
		"for a while":     {plant: plant(jobboardtest.Fault{Status: 500, For: time.Hour})},
		"lifted":          {plant: func(srv *jobboardtest.Server) { srv.Fail(jobboardtest.Fault{Status: 500}).Lift() }},
		"all lifted":      {plant: func(srv *jobboardtest.Server) { srv.Fail(jobboardtest.Fault{Status: 500}); srv.LiftFaults() }},
		"reset":           {plant: func(srv *jobboardtest.Server) { srv.Fail(jobboardtest.Fault{Status: 500}); srv.Inside().Reset() }},
		"restored":        {plant: func(srv *jobboardtest.Server) { srv.Fail(jobboardtest.Fault{Status: 500}); restore(t, srv) }},
		"failed already":  {plant: plant(jobboardtest.Fault{Status: 500}), failed: true},
		"skipped already": {plant: plant(jobboardtest.Fault{Status: 500}), skipped: true},
	} {
		j := &judge{TB: t, failed: c.failed, skipped: c.skipped}
		srv := jobboardtest.New(j, jobboardtest.WithDemo())
		c.plant(srv)
		search(srv, c.calls)
		if n := len(srv.Unmet()); n != len(c.want) && !c.failed && !c.skipped {
			t.Errorf("%s: %d unmet", name, n)
		}
		j.end()
		if len(j.errors) != len(c.want) {
			t.Errorf("%s: the test says %q, want %q", name, j.errors, c.want)
			continue
		}
		for i, want := range c.want {
			if got := j.errors[i]; !strings.HasPrefix(got, "jobboardtest: the fault ") || !strings.Contains(got, want) {
				t.Errorf("%s: the test says %s, want %s", name, got, want)
			}
		}
	}
}

func restore(t *testing.T, srv *jobboardtest.Server) {
	t.Helper()
	if err := srv.Restore(srv.Snapshot()); err != nil {
		t.Fatal(err)
	}
}
