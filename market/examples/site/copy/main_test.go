package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// reader hands the lines that a program prints to a test.
type reader chan string

func (r reader) Write(p []byte) (int, error) {
	r <- string(p)
	return len(p), nil
}

// Started again, the program prints what is new and nothing twice.
func TestGoesOn(t *testing.T) {
	fake := jobboardtest.New(t)
	fake.AddClient(jobboardtest.ClientApp{ID: "10"})
	config := jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: "10"}
	folder := t.TempDir()
	seen := map[string]bool{}
	for _, title := range []string{"Nurse", "Baker"} {
		job, posting := fake.Publish("27828_extern", jobboardtest.Job{Title: title, Language: "de"})
		refresh(t, folder, config) // the program itself refreshes after a quarter of an hour
		want := map[string]bool{fmt.Sprintf("posting %d", posting.ID): true, fmt.Sprintf("job %d", job.ID): true}
		ctx, cancel := context.WithCancel(t.Context())
		lines, ended := make(reader), make(chan error, 1)
		go func() { ended <- keep(ctx, lines, folder, config, "27828_extern") }()
		for len(want) > 0 {
			line := <-lines
			if seen[line] {
				t.Errorf("printed again: %s", line)
			}
			seen[line] = true
			for w := range want {
				if strings.HasPrefix(line, w+" ") {
					delete(want, w)
				}
			}
		}
		cancel()
		for waiting := true; waiting; {
			select {
			case <-lines: // one more change, such as the posting whose job was found
			case err := <-ended:
				waiting = false
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		}
	}
}

// refresh copies the channel once.
func refresh(t *testing.T, folder string, config jobboard.Config) {
	t.Helper()
	mirror, err := jobmirror.Open(t.Context(), filepath.Join(folder, "jobs.db"), jobmirror.Options{
		Config:   config,
		Channels: []jobmirror.Channel{{ID: "27828_extern", Languages: []string{"de"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = mirror.Refresh(t.Context())
	if err := errors.Join(err, mirror.Close()); err != nil {
		t.Fatal(err)
	}
}

// A second program on the same file says that there is one already.
func TestAlone(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	config := jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	lines, ended := make(reader, 10_000), make(chan error, 1)
	go func() { ended <- keep(ctx, lines, folder, config, jobboard.ChannelID(fake.Demo.Channel)) }()
	<-lines // it runs
	if err := keep(t.Context(), make(reader, 10_000), folder, config, jobboard.ChannelID(fake.Demo.Channel)); !errors.Is(err, jobmirror.ErrLocked) {
		t.Errorf("beside another: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
