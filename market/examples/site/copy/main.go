// Command copy keeps a copy of a channel in the file jobs.db and prints its changes,
// until it is interrupted. Started again, it continues after the last printed change.
// Without JOBBOARD_BASE_URL it copies the embedded mock server, into a folder that it
// removes:
//
//	go -C market/examples/site run ./copy
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	config := jobboard.Config{
		BaseURL:  os.Getenv("JOBBOARD_BASE_URL"),
		JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL"),
		ClientID: os.Getenv("JOBBOARD_CLIENT_ID"),
	}
	channel := jobboard.ChannelID(os.Getenv("JOBBOARD_CHANNEL"))
	folder := "."
	if config.BaseURL == "" {
		fake := jobboardtest.NewServer(jobboardtest.WithDemo())
		defer fake.Close()
		config.BaseURL, config.JobDBURL, config.ClientID = fake.BaseURL, fake.JobDBURL, fake.Demo.ClientID
		channel = jobboard.ChannelID(fake.Demo.Channel)
		var err error
		if folder, err = os.MkdirTemp("", "copy"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
	}
	return keep(ctx, os.Stdout, folder, config, channel)
}

// keep copies a channel into a database in a folder and prints each change, until
// ctx ends, whose error it returns. The file "cursor" holds the position after
// the last printed change.
func keep(ctx context.Context, out io.Writer, folder string, config jobboard.Config, channel jobboard.ChannelID) error {
	ctx, cancel := context.WithCancelCause(ctx)
	mirror, err := jobmirror.Open(ctx, filepath.Join(folder, "jobs.db"), jobmirror.Options{
		Config:   config,
		Channels: []jobmirror.Channel{{ID: channel, Languages: []string{"de"}}},
	})
	if err != nil {
		cancel(nil)
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(mirror.Run(ctx)) // also ends the loop if another process runs the mirror
	}()
	defer func() {
		cancel(nil)
		<-ended
		_ = mirror.Close()
	}()

	file := filepath.Join(folder, "cursor")
	cursor, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for change, err := range mirror.Follow(ctx, jobmirror.Cursor(cursor)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err // after jobmirror.ErrCursorTooOld start again with Mirror.Snapshot
		}
		fmt.Fprintln(out, change.Kind, change.ID, change.Cause)
		if err := os.WriteFile(file, []byte(change.Cursor), 0o600); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
