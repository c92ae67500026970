package faults_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// throughTransport makes the operation of a trial a request that goes through
// Applicant.Transport.
func throughTransport(t *trial) {
	op := *t.op
	op.Name, op.Template = "Transport", ""
	op.Call = func(ctx context.Context, _ *jobboard.Client, a *jobboard.Applicant) (any, error) {
		req := rig.Must(http.NewRequestWithContext(ctx, op.Method, t.cfg.BaseURL+op.Path, http.NoBody))
		resp, err := a.Transport().RoundTrip(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.problem("the answer has status %d", resp.StatusCode)
		}
		var applied any
		if err := json.NewDecoder(resp.Body).Decode(&applied); err != nil {
			t.problem("the answer is not the service's: %v", err)
		}
		return applied, resp.Body.Close()
	}
	t.op = &op
}

// A request of the caller's own has the cells of HasApplied, as far as these end
// with the header of an answer: what becomes of its body and of a refused answer is for
// the caller to see.
func TestFaultMatrixOfTransport(t *testing.T) {
	rows := []string{"1", "1b", "2", "3", "4", "5", "6", "7", "7b", "8", "13", "13b", "50", "53", "54", "54b", "54c", "55", "57"}
	runs := map[string]int64{}
	for _, f := range slices.Concat(connectionFaults(), statusFaults(), callerFaults()) {
		applied := f.cells.of(rig.Op("HasApplied"))
		if !slices.Contains(rows, f.row) || applied.err == jobboard.ErrUnauthorized {
			continue
		}
		for i := range f.forms {
			synctest.Test(t, func(t *testing.T) {
				runs[f.row] += trials(t, &f, &f.forms[i], rig.Op("HasApplied"), i, func(tr *trial, c cell) []string {
					throughTransport(tr)
					return tr.run(c)
				})
			})
		}
	}
	for _, row := range rows {
		if runs[row] == 0 {
			t.Errorf("row %s has no run", row)
		}
	}
}
