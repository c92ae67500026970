package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// The doctor names a damaged index and what to do, and doing so mends it.
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
	if r := ran(t, env, "doctor", "--index"); r.code != setup.ExitOK || !strings.Contains(r.out, "compared with 42 postings") {
		t.Errorf("a new copy: %d\n%s", r.code, r.out)
	}
	damage := func(statement string) {
		t.Helper()
		file, err := sql.Open("sqlite", db)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	damage("DELETE FROM search WHERE rowid = 7; INSERT INTO search (rowid, words) VALUES (4711, 'nurse')")
	if r := ran(t, env, "doctor"); r.code != setup.ExitOK {
		t.Errorf("without --index: %d\n%s", r.code, r.out)
	}
	r := ran(t, env, "doctor", "--index")
	if told := strings.Join(strings.Fields(r.out), " "); r.code != setup.ExitIncomplete || !strings.Contains(told, "it holds otherwise: 2 postings (") ||
		!strings.Contains(told, "row 4711, which is no posting's)") || !strings.Contains(told, "jobboard-mirror reindex") {
		t.Errorf("a damaged index: %d\n%s", r.code, r.out)
	}
	if r := ran(t, env, "reindex"); r.code != setup.ExitOK || !strings.Contains(r.out, "built anew") {
		t.Errorf("reindex: %v", r)
	}
	if r := ran(t, env, "doctor", "--index"); r.code != setup.ExitOK {
		t.Errorf("after reindex: %d\n%s", r.code, r.out)
	}
	damage("UPDATE search_data SET block = x'00' WHERE id > 10")
	if r := ran(t, env, "doctor", "--index", "--json"); r.code != setup.ExitIncomplete || !strings.Contains(r.out, "cannot read it") {
		t.Errorf("an index that cannot be read: %d\n%s", r.code, r.out)
	}
	if r := ran(t, env, "reindex"); r.code != setup.ExitOK {
		t.Errorf("reindex: %v", r)
	}
	if r := ran(t, env, "doctor", "--index"); r.code != setup.ExitOK {
		t.Errorf("after reindex: %d\n%s", r.code, r.out)
	}
}

// Each finding about an index and about a standby has its verdict and its next step.
func TestVerdictsOfAnIndex(t *testing.T) {
	report := func(add func(*doctor.Report)) doctor.Finding {
		r := doctor.NewReport(&term.Console{Mask: func(s string) string { return s }})
		add(r)
		return r.Findings[0]
	}
	for name, c := range map[string]struct {
		found   jobmirror.IndexCheck
		verdict doctor.Verdict
		want    string
	}{
		"right":   {jobmirror.IndexCheck{Postings: 3, Waiting: 2}, doctor.OK, "compared with 3 postings; waiting to be indexed: 2"},
		"words":   {jobmirror.IndexCheck{Postings: 3, Words: 5}, doctor.Fail, "suggestions lack: 5"},
		"tokens":  {jobmirror.IndexCheck{Postings: 3, Tokens: 4}, doctor.Fail, "what is found: 4"},
		"damaged": {jobmirror.IndexCheck{Unreadable: "malformed"}, doctor.Fail, "cannot read it: malformed"},
		"many": {
			jobmirror.IndexCheck{Postings: 30, Differ: 12, First: []jobmirror.IndexDifference{{Row: 1, Posting: 8, Language: "de"}}},
			doctor.Fail, "12 postings (8 de, ...)",
		},
	} {
		f := report(func(r *doctor.Report) { judgeIndex(r, &c.found) })
		if f.Verdict != c.verdict || !strings.Contains(f.Detail, c.want) || strings.Contains(f.Next, "reindex") != (c.verdict == doctor.Fail) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	f := report(func(r *doctor.Report) { addDatabase(r, "PostgreSQL", &jobmirror.Status{Standby: true}) })
	if f.Verdict != doctor.Warn || !strings.Contains(f.Detail, "a standby") || !strings.Contains(f.Next, "primary") {
		t.Errorf("a standby: %+v", f)
	}
}
