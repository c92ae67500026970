package boardcheck_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A nightly job of your own: it tells what changed, and keeps the profile for the next night.
func ExampleCheck() {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets()) // yours is the board's address
	defer srv.Close()
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
	board := boardcheck.Board{
		Config:   jobboard.Config{BaseURL: srv.BaseURL, ClientID: "10", HTTPClient: srv.Client()},
		Channels: []jobboard.ChannelID{"27828_extern"},
	}

	known, err := boardcheck.Load("board.json")
	if errors.Is(err, fs.ErrNotExist) {
		known = &boardcheck.Profile{}
	} else if err != nil {
		log.Fatal(err)
	}
	report, err := boardcheck.Check(context.Background(), board)
	if err != nil {
		log.Fatal(err) // the board cannot be asked so
	}
	report.Since(known)
	for _, change := range report.Changes {
		fmt.Println("changed:", change)
	}
	for _, kind := range report.Unjudged {
		fmt.Println("no judgement:", kind)
	}
	fmt.Println(report.Summary())
	// then: known.Save("board.json")

	// Output:
	// 0 changes, 1 notes, no judgement of 0 kinds of calls; 2 requests
}
