package jobmirror_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// optionsOf are options for a mirror of the stand-in's channel and feed, without
// a limit.
func optionsOf(srv *jobboardtest.Server) jobmirror.Options {
	return jobmirror.Options{
		Config: jobboard.Config{
			BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: srv.Demo.ClientID, HTTPClient: srv.Client(),
		},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(srv.Demo.Channel), Languages: []string{"de", "en"}}},
		Feeds:    []jobmirror.Feed{{Name: "feed", Address: srv.FeedURL, HTTPClient: srv.Client()}},
		Limit:    -1,
	}
}

func refresh(t *testing.T, m *jobmirror.Mirror) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(size(1, 20))*time.Minute)
	defer cancel()
	if err := m.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
}

// What the tests inside of the package do as well, by short names.
type rows = jobmirror.Rows

var (
	onEach, onBoth              = jobmirror.OnEach, jobmirror.OnBoth
	onEachMeasured              = jobmirror.OnEachMeasured
	open, snapshot, checkReplay = jobmirror.OpenFor, jobmirror.TakeSnapshot, jobmirror.CheckReplay
	text                        = jobmirror.Encode
)

// find searches a mirror.
func find(t *testing.T, m *jobmirror.Mirror, q jobmirror.Query) []jobmirror.Posting {
	t.Helper()
	page, err := m.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return page.Postings
}

func replaceFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// slogTo returns a logger that writes all it is told.
func slogTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
