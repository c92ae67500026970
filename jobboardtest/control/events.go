package control

import (
	"context"
	"encoding/json"
	"fmt"
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

// tick is how often the page is told what is new.
const tick = 200 * time.Millisecond

// events tells the page what happens, as server-sent events: rows of the
// journal, the faults, and that the state changed. It ends with the server.
func (c *Control) events(w http.ResponseWriter, r *http.Request) {
	q, err := query(r, "after", "revision")
	if err != nil {
		writeFailure(w, err)
		return
	}
	from := r.Header.Get("Last-Event-ID") // of a page whose connection broke
	if from == "" {
		from = q["after"]
	}
	var after int64
	if from != "" {
		if after, err = number("after", from); err != nil {
			writeFailure(w, err)
			return
		}
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if out.Flush() != nil {
		return // a server that gathers answers cannot do this
	}

	// Whoever does not read must not keep the server from ending.
	hurry := func(d time.Duration) { _ = out.SetWriteDeadline(time.Now().Add(d)) } // without sockets there may be none
	defer context.AfterFunc(c.ending, func() { hurry(time.Second) })()

	f := follower{srv: c.srv, last: int(after), open: map[int]bool{}}
	cleared := c.cleared.Load()
	var revision int64 = -1 // what the page has seen; nothing of what was missed
	if r.Header.Get("Last-Event-ID") == "" && q["revision"] != "" {
		if revision, err = strconv.ParseInt(q["revision"], 10, 64); err != nil {
			revision = -1
		}
	}
	var faults string
	hello := true
	t := time.NewTicker(tick)
	defer t.Stop()
	for quiet := 0; ; quiet++ {
		sent := false
		send := func(event string, v any) {
			data, err := json.Marshal(v)
			if err != nil {
				return
			}
			fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", f.last, event, data)
			sent = true
		}
		if hello {
			hello = false
			send("hello", c.instance)
			send("clock", c.time())
		}
		if n := c.cleared.Load(); n != cleared {
			cleared = n
			send("cleared", true)
		}
		rows, changes := f.news()
		if len(rows) > 0 {
			send("rows", rows)
		}
		if now := fragment("faults", c.faultViews()); now != faults {
			faults = now
			send("faults", now)
		}
		if n := c.revision.Load(); n != revision || changes {
			revision = n
			send("board", true)
			send("switches", fragment("switches", switches(c.srv.Variants())))
			send("clock", c.time())
		}
		if !sent && quiet%75 == 74 { // so that a page that is gone is noticed
			fmt.Fprint(w, ": still here\n\n")
			sent = true
		}
		if sent && out.Flush() != nil {
			return
		}
		if c.ending.Err() == nil {
			hurry(time.Minute)
		}
		select {
		case <-t.C:
		case <-r.Context().Done():
			return
		case <-c.ending.Done():
			hurry(time.Second)
			return
		}
	}
}

// follower reads the journal for a page: new entries, and those that had no
// answer when they were read.
type follower struct {
	srv  *jobboardtest.Server
	last int
	open map[int]bool
}

// news gives the rows to draw, and tells whether a request may have changed the
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
			f.open[r.Number] = true
		}
	}
	return rows, changes
}
