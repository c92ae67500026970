//go:build nightly

// Package board_test is told on the day a board changes: go test -tags nightly, once a night.
package board_test

import (
	"os"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/boardcheck"
)

func TestBoard(t *testing.T) {
	boardcheck.Run(t, "testdata/board.json", boardcheck.Board{
		Config: jobboard.Config{
			BaseURL: os.Getenv("JOBBOARD_BASE_URL"), JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL"), ClientID: os.Getenv("JOBBOARD_CLIENT_ID"),
		},
		Channels:  []jobboard.ChannelID{jobboard.ChannelID(os.Getenv("JOBBOARD_CHANNEL"))},
		Languages: []string{"en", "de"},
	})
}
