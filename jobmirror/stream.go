package jobmirror

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"
)

// heartbeat is how often a stream of changes says that it is still there.
const heartbeat = 15 * time.Second

// serveChanges streams the log of changes as Server-Sent Events.
func (m *Mirror) serveChanges(w http.ResponseWriter, r *http.Request) {
	since := Cursor(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("since")))
	s := &eventStream{w: w, control: http.NewResponseController(w)}
	if since != "" {
		// Refused before the stream begins, so that the status can say so.
		for _, err := range m.Changes(r.Context(), since) {
			if err != nil {
				m.refuseCursor(w, r, err)
				return
			}
			break
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // proxies must not gather events
	w.WriteHeader(http.StatusOK)
	_ = s.control.Flush() // the client knows at once that it was heard
	if since == "" {
		var err error
		if since, err = s.rows(r.Context(), m); err != nil {
			return // the client sees a stream that ended, and begins anew
		}
	}
	_ = s.follow(r.Context(), m, since)
}

func (m *Mirror) refuseCursor(w http.ResponseWriter, r *http.Request, err error) {
	for _, refused := range []error{ErrCursor, ErrCursorTooOld, ErrCursorAhead} {
		if errors.Is(err, refused) {
			http.Error(w, err.Error(), http.StatusGone)
			return
		}
	}
	m.failed(w, r, err)
}

// eventStream writes events.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// event writes one event; an empty id leaves the client's as it is.
func (s *eventStream) event(kind string, id Cursor, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if id != "" {
		if _, err := io.WriteString(s.w, "id: "+string(id)+"\n"); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, b)
	return err
}

// rows writes the whole copy, and returns the cursor that follows it.
func (s *eventStream) rows(ctx context.Context, m *Mirror) (at Cursor, err error) {
	err = m.Snapshot(ctx, func(cursor Cursor, all iter.Seq2[Row, error]) error {
		at = cursor
		for row, err := range all {
			if err == nil {
				err = s.event("row", "", row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.event("rows", at, map[string]Cursor{"cursor": at})
	}
	return at, errors.Join(err, s.control.Flush())
}

// follow writes changes as they come, and a comment where none does.
func (s *eventStream) follow(ctx context.Context, m *Mirror, since Cursor) error {
	said := time.Now()
	for ctx.Err() == nil {
		wrote := false
		for change, err := range m.Changes(ctx, since) {
			if err == nil {
				err = s.event("change", change.Cursor, change)
			}
			if err != nil {
				return err
			}
			since, wrote = change.Cursor, true
		}
		if !wrote && time.Since(said) >= heartbeat {
			_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := io.WriteString(s.w, ":\n\n"); err != nil {
				return err
			}
			wrote = true
		}
		if wrote {
			said = time.Now()
			if err := s.control.Flush(); err != nil {
				return err
			}
		}
		newSignal().wait(ctx, nil, followEvery)
	}
	return ctx.Err()
}
