package control

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// eventRow is one row of the journal for the page.
type eventRow struct {
	Number int    `json:"n"`
	HTML   string `json:"html"`
}

// tick is the interval at which an event stream looks for news.
const tick = 200 * time.Millisecond

// events streams news to the page as server-sent events: new rows of the
// journal, the faults, and changes of the state. The stream ends when the
// server does.
func (c *Control) events(r *http.Request) (any, error) {
	s, err := c.newEventStream(r)
	return http.HandlerFunc(s.serve), err
}

func (s *eventStream) serve(w http.ResponseWriter, r *http.Request) {
	c := s.c
	s.w, s.out = w, http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)

	// A client that stops reading must not delay the server's shutdown.
	defer context.AfterFunc(c.ending, func() { s.hurry(time.Second) })()

	t := time.NewTicker(tick)
	defer t.Stop()
	s.send("hello", c.instance)
	s.send("clock", c.time())
	for {
		s.sendNews()
		if s.flush() != nil {
			return
		}
		if c.ending.Err() == nil {
			s.hurry(time.Minute)
		}
		select {
		case <-t.C:
		case <-r.Context().Done():
			return
		case <-c.ending.Done():
			s.hurry(time.Second)
			return
		}
	}
}

// eventStream is the event stream of one page. It remembers what it has sent,
// to send only news.
type eventStream struct {
	c   *Control
	w   io.Writer
	out *http.ResponseController

	journal  follower
	cleared  int64
	kept     int   // requests of the journal
	revision int64 // last revision that the page has; -1: none
	faults   string

	sent  bool // an event was sent in this tick
	quiet int  // ticks so far
}

// newEventStream reads the number of the last request and the revision of the
// state that the page shows already.
func (c *Control) newEventStream(r *http.Request) (*eventStream, error) {
	after, revision := r.URL.Query().Get("after"), r.URL.Query().Get("revision")
	s := &eventStream{
		c: c, journal: follower{srv: c.inside, open: map[int]struct{}{}}, cleared: c.cleared.Load(), revision: -1,
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" { // after a reconnect send the state too
		after, revision = last, ""
	}
	if after != "" {
		n, err := number("after", after)
		if err != nil {
			return nil, err
		}
		s.journal.goOn(int(n))
	}
	if n, err := strconv.ParseInt(revision, 10, 64); err == nil {
		s.revision = n
	}
	return s, nil
}

// sendNews sends what is new since the last time.
func (s *eventStream) sendNews() {
	if n := s.c.cleared.Load(); n != s.cleared {
		s.cleared = n
		s.send("cleared", true)
	}
	rows, changes := s.journal.news()
	if len(rows) > 0 {
		s.send("rows", rows)
	}
	if n := s.c.inside.Kept(); n != s.kept {
		s.kept = n
		s.send("kept", n)
	}
	if now := fragment("faults", s.c.planted()); now != s.faults {
		s.faults = now
		s.send("faults", now)
	}
	if n := s.c.revision.Load(); n != s.revision || changes {
		s.revision = n
		s.send("board", true)
		s.send("switches", fragment("switches", switches(s.c.srv.Variants())))
		s.send("clock", s.c.time())
	}
}

func (s *eventStream) send(event string, v any) {
	fmt.Fprintf(s.w, "id: %d\nevent: %s\ndata: %s\n\n", s.journal.last, event, marshal(v))
	s.sent = true
}

// flush sends the written events. Without events it writes a comment every 75
// ticks, because only a write notices that the page is gone.
func (s *eventStream) flush() error {
	if s.quiet++; !s.sent && s.quiet%75 == 0 {
		fmt.Fprint(s.w, ": still here\n\n")
	}
	s.sent = false
	return s.out.Flush()
}

// hurry sets a write deadline d from now. In-memory connections may not support
// deadlines.
func (s *eventStream) hurry(d time.Duration) { _ = s.out.SetWriteDeadline(time.Now().Add(d)) }

// follower reads news from the journal for a page: new entries, and answers to
// entries that it read without an answer.
type follower struct {
	srv  jobboardtest.Inside
	last int
	open map[int]struct{}
}

// goOn makes the follower continue after an entry. The page shows the entries
// up to last, perhaps some without an answer.
func (f *follower) goOn(last int) {
	f.last = last
	for _, r := range f.srv.RequestsAfter(last - maxRows) {
		if r.Number <= last && r.Status == 0 {
			f.open[r.Number] = struct{}{}
		}
	}
}

// news returns the rows to draw, and reports whether a request may have changed the
// state.
func (f *follower) news() (rows []eventRow, changes bool) {
	add := func(r jobboardtest.Request) {
		rows = append(rows, eventRow{r.Number, fragment("row", row(r))})
		switch r.Operation {
		case jobboardtest.OpSubscribe, jobboardtest.OpConfirm, jobboardtest.OpUnsubscribe:
			changes = true
		}
	}
	for n := range f.open {
		r, ok := f.srv.Request(n)
		if !ok || r.Status != 0 {
			delete(f.open, n)
		}
		if ok && r.Status != 0 {
			add(r)
		}
	}
	rs := f.srv.RequestsAfter(f.last)
	if len(rs) > 0 {
		f.last = rs[len(rs)-1].Number
	}
	for _, r := range rs[max(0, len(rs)-maxRows):] {
		add(r)
		if r.Status == 0 && len(f.open) < maxRows {
			f.open[r.Number] = struct{}{}
		}
	}
	return rows, changes
}
