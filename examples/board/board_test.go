//go:build nightly

// Package board_test is told on the day a board changes: go test -tags nightly, once a night.
package board_test

import (
	"os"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

func TestBoard(t *testing.T) {
	boardcheck.Run(t, "testdata/board.json", boardcheck.Board{Target: conformance.Target{
		BaseURL: os.Getenv("JOBBOARD_BASE_URL"), JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL"),
		Channel: os.Getenv("JOBBOARD_CHANNEL"), ClientID: os.Getenv("JOBBOARD_CLIENT_ID"),
	}})
}
