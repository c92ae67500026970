package jobboardtest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Request records one request in the journal. It never holds the value of a
// credential: headers such as Authorization hold only the kind of credential,
// and tokens elsewhere are masked.
type Request struct {
	Number     int           `json:"number"` // 1 is the first
	Time       time.Time     `json:"time"`   // of arrival, by the server's clock, in UTC
	Operation  Operation     `json:"operation"`
	Address    string        `json:"address"` // "base_url" or "jobdb_url"; "either" through Handler
	Method     string        `json:"method"`
	Template   string        `json:"template,omitempty"` // "/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	Path       string        `json:"path"`               // still escaped, with the prefix
	Query      url.Values    `json:"query,omitempty"`
	Header     http.Header   `json:"header,omitempty"`
	Body       string        `json:"body,omitempty"` // of subscription calls and, without secrets, of token and sign-in calls
	Credential string        `json:"credential"`     // "none", "client token", "user token of applicant 7", "basic client 10", "client 11", ...
	Note       string        `json:"note,omitempty"` // result of its check: "refused: the token has expired"
	Status     int           `json:"status"`         // 0: not yet answered, or broken by a fault before the answer
	Fault      string        `json:"fault,omitempty"`
	Violations []string      `json:"violations,omitempty"`
	Took       time.Duration `json:"took"` // until the answer began

	// Response records the answer. Server.Requests leaves it out; the call GET
	// requests/{id} of package control includes it.
	Response *Response `json:"response,omitempty"`
}

// String returns one line: number, method, path, credential, status, fault.
func (r Request) String() string {
	line := r.summary(r.Status)
	if r.Fault != "" {
		line += " fault: " + r.Fault
	}
	return line
}

func (r *Request) summary(status int) string {
	p := r.Path
	if len(r.Query) > 0 {
		p += "?" + r.Query.Encode()
	}
	return fmt.Sprintf("%d %s %s [%s] %d", r.Number, r.Method, p, r.Credential, status)
}

// Response records an answer.
type Response struct {
	Header http.Header `json:"header,omitempty"` // without Date and the body's fields
	Body   string      `json:"body,omitempty"`   // its first 2 KiB, before a fault packs or cuts it
	Size   int64       `json:"size"`             // of the whole body, in bytes
}

// entry is a request in the journal. The fields besides Request serve masking and
// the memory limit.
type entry struct {
	Request
	answered Response // in Body only the request's own secrets are masked; inside.Request masks the rest
	bytes    int
}

const (
	maxJournal      = 10_000   // the newest entries that stay, unless they exceed maxJournalBytes
	maxJournalBytes = 64 << 20 // the memory of all entries
	maxKeptBody     = 2 << 10  // bytes of an answer's body
)

// weigh estimates the memory of an entry: itself and its maps take 1 KiB.
func (e *entry) weigh() int {
	n := 1<<10 + len(e.answered.Body)
	add := func(texts ...string) {
		for _, text := range texts {
			n += 32 + len(text)
		}
	}
	add(e.Path, e.Body, e.Credential, e.Note, e.Fault)
	add(e.Violations...)
	for _, fields := range []map[string][]string{e.Query, e.Header} {
		for k, vs := range fields {
			add(k)
			add(vs...)
		}
	}
	return n
}

// journal holds the newest entries. When entries are too many or too large, the
// journal drops the older half; the counts stay.
type journal struct {
	mu      sync.Mutex
	entries []*entry
	bytes   int
	counts  map[Operation]int
	last    int // number of the newest request, never reset
	changed chan struct{}
}

func (j *journal) add(e *entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	e.Number = j.last
	j.counts[e.Operation]++
	e.bytes = e.weigh()
	j.bytes += e.bytes
	j.entries = append(j.entries, e)
	j.trim()
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

func (j *journal) update(e *entry, f func(*entry)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(e)
	before := e.bytes
	e.bytes = e.weigh()
	j.bytes += e.bytes - before
	j.trim()
}

func (j *journal) trim() {
	if len(j.entries) <= 2*maxJournal && j.bytes <= maxJournalBytes {
		return
	}
	newest := j.entries[max(0, len(j.entries)-maxJournal):]
	j.bytes = 0 // summed up again: the bytes of dropped entries may have been counted after they were dropped
	for i, e := range slices.Backward(newest) {
		if j.bytes+e.bytes > maxJournalBytes/2 {
			newest = newest[i+1:]
			break
		}
		j.bytes += e.bytes
	}
	j.entries = slices.Clone(newest)
}

// list returns the entries of some operations, oldest first; without ops it
// returns all.
func (j *journal) list(ops []Operation) []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []Request
	for _, r := range j.entries {
		if len(ops) == 0 || slices.Contains(ops, r.Operation) {
			out = append(out, r.Request)
		}
	}
	return out
}

// after returns the entries with a number above n.
func (j *journal) after(n int) []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, _ := slices.BinarySearchFunc(j.entries, n+1, func(e *entry, n int) int { return e.Number - n })
	var out []Request
	for _, r := range j.entries[i:] {
		out = append(out, r.Request)
	}
	return out
}

// extent returns the number of the oldest entry, or of the next one, and how many there are.
func (j *journal) extent() (first, kept int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) == 0 {
		return j.last + 1, 0
	}
	return j.entries[0].Number, len(j.entries)
}

// find returns a copy of the entry with a number.
func (j *journal) find(number int) (e entry, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := slices.BinarySearchFunc(j.entries, number, func(e *entry, n int) int { return e.Number - n })
	if !ok {
		return entry{}, false
	}
	return *j.entries[i], true
}

func (j *journal) count(ops []Operation) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.countLocked(ops)
}

func (j *journal) countLocked(ops []Operation) int {
	if len(ops) == 0 {
		ops = operations
	}
	n := 0
	for _, op := range ops {
		n += j.counts[op]
	}
	return n
}

// wait returns once n requests have come in, or with the error of Server.Wait. The
// channel closed tells it that the server was closed.
func (j *journal) wait(ctx context.Context, closed <-chan struct{}, n int, ops []Operation) error {
	for {
		j.mu.Lock()
		have := j.countLocked(ops)
		if j.changed == nil {
			j.changed = make(chan struct{})
		}
		changed := j.changed
		j.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("jobboardtest: %d of %d requests came in: %w", have, n, ctx.Err())
		case <-closed:
			return fmt.Errorf("jobboardtest: %d of %d requests came in when the server was closed", have, n)
		}
	}
}

// clear empties the journal and sets the counts to 0.
func (j *journal) clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.bytes = nil, 0
	clear(j.counts)
}
