package jobmirror

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// heartbeat is the time after which a stream without changes sends a comment.
const heartbeat = 15 * time.Second

// serveChanges streams the log of changes as Server-Sent Events.
func (m *Mirror) serveChanges(w http.ResponseWriter, r *http.Request) {
	parameters, ok := readQuery(w, r)
	if !ok {
		return
	}
	since := Cursor(cmp.Or(r.Header.Get("Last-Event-ID"), parameters.Get("since")))
	var (
		place changelog.Place
		err   error
	)
	if since == "" {
		if place, err = m.snapshotPlace(r.Context()); err != nil {
			m.failed(w, r, err)
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
		if since, err = m.cursor(place), s.rows(r.Context(), m, place); err != nil {
			s.fail(r.Context(), m, err)
			return
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

// rows writes the whole copy, from which on changes follow after a place in the log.
func (s *eventStream) rows(ctx context.Context, m *Mirror, at changelog.Place) error {
	for row, err := range m.rowsSince(ctx, at) {
		if err == nil {
			err = s.event("row", "", row)
		}
		if err != nil {
			return err
		}
	}
	cursor := m.cursor(at)
	return errors.Join(s.event("rows", cursor, map[string]Cursor{"cursor": cursor}), s.flush())
}

// fail tells a client why it does not get all rows, and to wait for a minute before it begins
// anew. One that is too slow for Options.KeepChanges would never come to their end.
func (s *eventStream) fail(ctx context.Context, m *Mirror, err error) {
	if ctx.Err() != nil {
		return
	}
	why := "the mirror failed while reading the rows"
	if errors.Is(err, ErrCursorTooOld) || errors.Is(err, ErrCursorAhead) {
		why = err.Error()
		m.logger().WarnContext(ctx, "jobmirror: a reader of all rows was cut off", "error", why)
	}
	s.out.WriteString("retry: 60000\n")
	_ = errors.Join(s.event("failed", "", map[string]string{"error": why}), s.flush()) // who has left reads no error
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
		m.db.log.Wait(ctx, at.Number, max(time.Until(said.Add(heartbeat)), 0))
	}
	return ctx.Err()
}
