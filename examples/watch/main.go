// Command watch prints what changed in a channel since it was last run:
//
//	go run ./examples/watch -state channel.json
//
// The state file keeps the last complete snapshot. Without a state file and without settings it
// looks three times at an embedded mock server, which meanwhile closes one job and adds another.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

func main() {
	log.SetFlags(0)
	var b board.Board
	b.Flags(flag.CommandLine)
	state := flag.String("state", "", "`file` that keeps what the channel showed")
	flag.Parse()
	if err := b.Open(); err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if err := run(os.Stdout, &b, *state); err != nil {
		b.Close()
		log.Fatal(err) //nolint:gocritic // the deferred call was made
	}
}

func run(out io.Writer, b *board.Board, state string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		return err
	}
	switch {
	case state != "":
		return look(ctx, out, client, b.Channel, state)
	case b.Fake == nil:
		return errors.New("name a file with -state, so that the next run has something to compare with")
	}
	return show(ctx, out, client, b)
}

// show looks three times at a mock server whose jobs change.
func show(ctx context.Context, out io.Writer, client *jobboard.Client, b *board.Board) error {
	dir, err := os.MkdirTemp("", "watch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	state := filepath.Join(dir, "channel.json")
	for _, change := range []func(){
		func() {},
		func() { b.Fake.DeactivateJob(b.Fake.Demo.OpenJob) },
		func() { b.Fake.Publish(string(b.Channel), jobboardtest.Job{Title: "Gardener (f/m/x)"}) },
	} {
		change()
		if err := look(ctx, out, client, b.Channel, state); err != nil {
			return err
		}
	}
	return nil
}

// look compares the channel with the snapshot in the file, and stores the new snapshot there.
func look(ctx context.Context, out io.Writer, client *jobboard.Client, channel jobboard.ChannelID, file string) error {
	now, err := snapshot.Take(ctx, client, channel, jobboard.Query{})
	if err != nil {
		return err
	}
	before, err := read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(out, "%d postings; the next run says what changed\n", len(now.Postings))
		return write(file, now)
	case err != nil:
		return err
	}
	changes, err := snapshot.Diff(before, now)
	if err != nil {
		return err
	}
	for _, p := range changes.Added {
		fmt.Fprintf(out, "+ %d %q\n", p.JobPostingID, p.Title)
	}
	for _, c := range changes.Changed {
		fmt.Fprintf(out, "~ %d %q\n", c.After.JobPostingID, c.After.Title)
	}
	for _, p := range changes.Gone {
		fmt.Fprintf(out, "- %d %q\n", p.JobPostingID, p.Title)
	}
	if len(changes.Added)+len(changes.Changed)+len(changes.Gone) == 0 {
		fmt.Fprintln(out, "nothing changed")
	}
	if !now.Complete {
		fmt.Fprintln(out, "the answer did not hold every posting: nothing counts as gone, and the last complete one is kept")
		return nil
	}
	return write(file, now)
}

func read(file string) (*snapshot.Snapshot, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s snapshot.Snapshot
	if err := json.Unmarshal(content, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &s, nil
}

// write replaces the file whole, so that a crash leaves the old one.
func write(file string, s *snapshot.Snapshot) error {
	content, err := json.Marshal(s)
	if err != nil {
		return err
	}
	temporary := file + ".new"
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, file)
}
