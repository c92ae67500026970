package control

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// pageRow is one row of the journal for the page.
type pageRow struct {
	Number int    `json:"n"`
	HTML   string `json:"html"`
}

// news is what the page asks for each second.
type news struct {
	Instance string     `json:"instance"` // of the server; a page of another one is out of date
	First    int        `json:"first"`    // number of the oldest request in the journal, or of the next if it is empty
	Last     int        `json:"last"`     // number of the newest request that is told of
	Kept     int        `json:"kept"`     // number of requests in the journal
	Fit      int        `json:"fit"`      // number of new requests that fit the filter
	Rows     []pageRow  `json:"rows"`     // maxRows of them at most, and requests that have their answer now
	Open     []int      `json:"open"`     // requests without an answer; the page asks for them again
	Faults   string     `json:"faults"`   // HTML
	Clock    clockState `json:"clock"`
	Revision int64      `json:"revision"`
	Board    string     `json:"board,omitempty"`    // HTML; empty if the page has this revision
	Switches string     `json:"switches,omitempty"` // as Board
}

// tellNews answers with the requests after a number, with those of the list open that have
// their answer now, the faults and the clock, and with the state if its revision is another.
func (c *Control) tellNews(r *http.Request) (any, error) {
	q := r.URL.Query()
	after, open, err := knownRequests(q)
	if err != nil {
		return nil, err
	}
	first, kept := c.inside.Journal()
	n := news{
		Instance: c.instance, First: first, Last: after, Kept: kept, Rows: []pageRow{}, Open: []int{},
		Clock: c.time(), Revision: c.inside.Revision(), // loaded before the state, so that the page misses no later change
	}
	c.addRequests(&n, open, c.filter(q.Get("find")))
	n.Faults = fragment("faults", c.planted())
	if q.Get("revision") != itoa(n.Revision) {
		n.Board = fragment("board", c.boardView(q.Get("q")))
		n.Switches = fragment("switches", switches(c.srv.Variants()))
	}
	return n, nil
}

// knownRequests reads the number of the last request that the page knows, and those that it
// knows without their answers.
func knownRequests(q url.Values) (after int, open []int, err error) {
	for _, s := range strings.Split(q.Get("open"), ",") {
		if s == "" {
			continue
		}
		n, err := number("open", s)
		if err != nil {
			return 0, nil, err
		}
		open = append(open, int(n))
	}
	if s := q.Get("after"); s != "" {
		n, err := number("after", s)
		return int(n), open, err
	}
	return 0, open, nil
}

// addRequests adds the requests of the list open and those after n.Last.
func (c *Control) addRequests(n *news, open []int, f filter) {
	add := func(r jobboardtest.Request) {
		n.Rows = append(n.Rows, pageRow{r.Number, fragment("row", row(r))})
	}
	wait := func(number int) {
		n.Open = append(n.Open, number)
		n.Open = n.Open[max(0, len(n.Open)-maxRows):]
	}
	for _, number := range open {
		switch r, ok := c.entry(int64(number)); {
		case !ok:
		case r.Status == 0:
			wait(number)
		case f.fits(r):
			add(r)
		}
	}
	var fit []jobboardtest.Request
	for _, r := range c.inside.RequestsAfter(n.Last) {
		n.Last = r.Number
		if r.Status == 0 {
			wait(r.Number)
		}
		if f.fits(r) {
			fit = append(fit, r)
		}
	}
	n.Fit = len(fit)
	for _, r := range fit[max(0, len(fit)-maxRows):] {
		add(r)
	}
}
