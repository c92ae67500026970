package jobmirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// onEach runs a test on each database.
func onEach(t *testing.T, f func(t *testing.T, address string)) {
	for name, address := range jobmirror.Databases {
		t.Run(name, func(t *testing.T) { f(t, address(t)) })
	}
}

// optionsOf are options for a mirror of the stand-in's channel and feed, without
// a limit.
func optionsOf(srv *jobboardtest.Server) jobmirror.Options {
	return jobmirror.Options{
		Config: jobboard.Config{
			BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: srv.Demo.ClientID, HTTPClient: srv.Client(),
		},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(srv.Demo.Channel), Languages: []string{"de", "en"}}},
		Feeds:    []jobmirror.Feed{{Name: "feed", Address: srv.FeedURL(), HTTPClient: srv.Client()}},
		Limit:    -1,
	}
}

func open(t *testing.T, address string, opts jobmirror.Options) *jobmirror.Mirror {
	t.Helper()
	m, err := jobmirror.Open(t.Context(), address, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func refresh(t *testing.T, m *jobmirror.Mirror) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := m.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
}

// rows is a copy as a reader keeps it: records by kind, identifier and language.
type rows map[string]string

func key(kind string, id int64, language string) string {
	return fmt.Sprintf("%s %d %s", kind, id, language)
}

// apply replays a change, and finds one that does not fit what is there.
func (r rows) apply(c jobmirror.Change) error {
	if c.Kind == "forgotten" {
		for k := range r {
			if strings.HasPrefix(k, key(c.Language, c.ID, "")) {
				delete(r, k)
			}
		}
		return nil
	}
	if c.Before == nil && c.After == nil {
		return nil // erased by a change to come
	}
	k := key(c.Kind, c.ID, c.Language)
	if r[k] != string(c.Before) {
		return fmt.Errorf("change %s of %s: before it is %s, and the reader has %q", c.Cursor, k, c.Before, r[k])
	}
	if c.After == nil {
		delete(r, k)
	} else {
		r[k] = string(c.After)
	}
	return nil
}

// snapshot reads a mirror's rows.
func snapshot(ctx context.Context, m *jobmirror.Mirror) (out rows, at jobmirror.Cursor, err error) {
	out = rows{}
	err = m.Snapshot(ctx, func(cursor jobmirror.Cursor, all iter.Seq2[jobmirror.Row, error]) error {
		at = cursor
		for row, err := range all {
			if err != nil {
				return err
			}
			if row.Job != nil {
				out[key("job", int64(row.Job.Job), "")] = text(row.Job)
			} else {
				out[key("posting", int64(row.Posting.Posting), row.Posting.Language)] = text(row.Posting)
			}
		}
		return nil
	})
	return out, at, err
}

func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkReplay replays the whole log, and compares what comes of it with the
// tables.
func checkReplay(t *testing.T, m *jobmirror.Mirror) {
	t.Helper()
	replayed := rows{}
	for change, err := range m.Changes(t.Context(), "") {
		if err == nil {
			err = replayed.apply(change)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tables, _, err := snapshot(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if len(replayed) != len(tables) {
		t.Errorf("the log makes %d rows, the tables have %d", len(replayed), len(tables))
	}
	for k, want := range tables {
		if replayed[k] != want {
			t.Errorf("%s:\nby the log %s\nin the tables %s", k, replayed[k], want)
		}
	}
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
