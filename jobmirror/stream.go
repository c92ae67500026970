package jobmirror

import (
	"bufio"
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

// heartbeat is the time after which a stream without changes says again that it is there.
const heartbeat = 15 * time.Second

// A stream that begins with all rows reads them in one transaction, which lasts
// as long as its client takes. So there are few at a time, and they must end.
const (
	maxSnapshots  = 2
	snapshotWait  = 5 * time.Second  // for another client's to end
	snapshotTakes = 15 * time.Minute // at most
)

// serveChanges streams the log of changes as Server-Sent Events.
func (m *Mirror) serveChanges(w http.ResponseWriter, r *http.Request) {
	parameters, ok := readQuery(w, r)
	if !ok {
		return
	}
	since := Cursor(cmp.Or(r.Header.Get("Last-Event-ID"), parameters.Get("since")))
	if since == "" {
		wait, cancel := context.WithTimeout(r.Context(), snapshotWait)
		defer cancel()
		select {
		case m.snapshots <- struct{}{}:
		case <-wait.Done():
			comeBack(w, "others are reading all rows at the moment", "30")
			return
		}
	} else {
		// Refused before the stream begins, so that the status can say so.
		for _, err := range m.Changes(r.Context(), since) {
			if err != nil {
				m.refuseCursor(w, r, err)
				return
			}
			break
		}
	}
	s := newEventStream(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // proxies must not gather events
	w.WriteHeader(http.StatusOK)
	_ = s.flush() // the client knows at once that it was heard
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

// eventStream writes events. They wait in a buffer until it is full, or flushed.
type eventStream struct {
	out     *bufio.Writer
	control *http.ResponseController
}

func newEventStream(w http.ResponseWriter) *eventStream {
	control := http.NewResponseController(w)
	return &eventStream{bufio.NewWriterSize(hurried{w, control}, 16<<10), control}
}

// hurried gives a client writeTimeout for each piece of an answer.
type hurried struct {
	w       io.Writer
	control *http.ResponseController
}

func (h hurried) Write(p []byte) (int, error) {
	_ = h.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a server without deadlines has none to set
	return h.w.Write(p)
}

func (s *eventStream) flush() error {
	return errors.Join(s.out.Flush(), s.control.Flush())
}

// event writes one event; an empty id leaves the client's as it is.
func (s *eventStream) event(kind string, id Cursor, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		s.out.WriteString("id: " + string(id) + "\n")
	}
	_, err = fmt.Fprintf(s.out, "event: %s\ndata: %s\n\n", kind, b)
	return err
}

// rows writes the whole copy, and returns the cursor that follows it. It gives its
// place among those who do so free.
func (s *eventStream) rows(ctx context.Context, m *Mirror) (at Cursor, err error) {
	defer func() { <-m.snapshots }()
	ctx, cancel := context.WithTimeout(ctx, snapshotTakes)
	defer cancel()
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
	return at, errors.Join(err, s.flush())
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
			s.out.WriteString(":\n\n")
			wrote = true
		}
		if wrote {
			said = time.Now()
			if err := s.flush(); err != nil {
				return err
			}
		}
		at, _ := m.parseCursor(since) // which Changes took
		m.await(ctx, at.number, max(time.Until(said.Add(heartbeat)), 0))
	}
	return ctx.Err()
}
