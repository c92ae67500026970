package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The test of check.md writes its file and fails, then passes, fails when the board has changed, and passes again.
func TestNightlyBoardTest(t *testing.T) {
	t.Parallel() // it waits: the check sends 5 requests a second
	folder := t.TempDir()
	program := filepath.Join(folder, "board.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "nightly", "-o", program, "../examples/board").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	srv := jobboardtest.New(t, jobboardtest.WithStrict(false)) // few postings need few requests
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	for _, title := range []string{"Nurse", "Cook", "Gardener"} {
		srv.Publish("27828_extern", jobboardtest.Job{Title: title, Location: jobboardtest.Location{City: "Ulm"}})
	}
	run := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), program, "-test.v")
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "JOBBOARD_BASE_URL="+srv.BaseURL, "JOBBOARD_JOBDB_URL="+srv.JobDBURL,
			"JOBBOARD_CHANNEL=27828_extern", "JOBBOARD_CLIENT_ID=10")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, step := range []struct {
		change func()
		fails  bool
		says   string
	}{
		{func() {}, true, "testdata/board.json is new"},
		{func() {}, false, "0 changes, 0 notes"},
		{func() { srv.SetVariants(jobboardtest.Variants{QuotedIDs: true}) }, true, "the board changed: search results[].jobPostingId: it is number in quotes in 3 of 3"},
		{func() {}, false, "0 changes"},
	} {
		step.change()
		out, err := run()
		if (err != nil) != step.fails || !strings.Contains(out, step.says) {
			t.Errorf("want %q: %v\n%s", step.says, err, out)
		}
	}
}
