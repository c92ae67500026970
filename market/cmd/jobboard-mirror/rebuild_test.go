package main

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// The doctor names an index that SQLite cannot read and what to do, and doing so mends it.
func TestDamagedIndex(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := filepath.Join(t.TempDir(), "jobs.db")
	env := map[string]string{
		"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID,
		"JOBBOARD_CHANNEL": srv.Demo.Channel, "JOBBOARD_MIRROR_DB": db,
	}
	if r := ran(t, env, "refresh", "--rate", "-1"); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	if r := ran(t, env, "doctor"); r.code != setup.ExitOK || !strings.Contains(r.out, "SQLite finds nothing wrong") {
		t.Errorf("a new copy: %d\n%s", r.code, r.out)
	}
	before := ran(t, env, "search", "nurse")
	for _, statement := range []string{"UPDATE search_data SET block = x'00' WHERE id > 10", "UPDATE search_config SET v = 77 WHERE k = 'version'"} {
		file, err := sql.Open("sqlite", db)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.ExecContext(t.Context(), statement)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		if r := ran(t, env, "doctor"); r.code != setup.ExitIncomplete || !strings.Contains(r.out, "jobboard-mirror rebuild") {
			t.Errorf("%s: %d\n%s", statement, r.code, r.out)
		}
		if r := ran(t, env, "rebuild"); r.code != setup.ExitOK || !strings.Contains(r.out, "rebuilt") {
			t.Errorf("%s: rebuild: %v", statement, r)
		}
		if r := ran(t, env, "doctor"); r.code != setup.ExitOK {
			t.Errorf("%s: after rebuild: %d\n%s", statement, r.code, r.out)
		}
		if r := ran(t, env, "search", "nurse"); r.code != setup.ExitOK || r.out != before.out || r.out == "" {
			t.Errorf("%s: after rebuild a search finds\n%s, before\n%s", statement, r.out, before.out)
		}
	}
}

// Each finding about an index and about a standby has its verdict and its next step.
func TestVerdictsOfAnIndex(t *testing.T) {
	report := func(add func(*doctor.Report)) doctor.Finding {
		r := doctor.NewReport(&term.Console{Mask: func(s string) string { return s }})
		add(r)
		return r.Findings[0]
	}
	for _, c := range []struct {
		err     error
		verdict doctor.Verdict
		next    string
	}{
		{nil, doctor.OK, ""},
		{context.DeadlineExceeded, doctor.Warn, "try again"},
		{errors.New("malformed"), doctor.Fail, "jobboard-mirror rebuild"},
	} {
		f := report(func(r *doctor.Report) { addIndex(r, c.err) })
		if f.Verdict != c.verdict || !strings.Contains(f.Next, c.next) {
			t.Errorf("%v: %+v", c.err, f)
		}
	}
	f := report(func(r *doctor.Report) { addDatabase(r, "PostgreSQL", &jobmirror.Status{Standby: true}) })
	if f.Verdict != doctor.Warn || !strings.Contains(f.Detail, "a standby") || !strings.Contains(f.Next, "primary") {
		t.Errorf("a standby: %+v", f)
	}
}
