package jobboardtest

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Request records one request in the journal. It never holds the value of a
// credential: Authorization and its like have the kind that came, and a token
// anywhere else is masked.
type Request struct {
	Number     int           `json:"number"` // 1 is the first
	Time       time.Time     `json:"time"`   // of arrival, by the server's clock, in UTC
	Operation  Operation     `json:"operation"`
	Address    string        `json:"address"` // "base_url" or "jobdb_url"; "either" through Handler
	Method     string        `json:"method"`
	Template   string        `json:"template,omitempty"` // "/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	Path       string        `json:"path"`               // as it came, with the prefix
	Query      url.Values    `json:"query,omitempty"`
	Header     http.Header   `json:"header,omitempty"`
	Body       string        `json:"body,omitempty"` // of the subscription calls and, as a form without its secrets, those for tokens
	Credential string        `json:"credential"`     // "none", "client token", "user token of applicant 7", "basic client 10", "client 11", ...
	Note       string        `json:"note,omitempty"` // what became of it: "refused: the token has expired", "granted a client token"
	Status     int           `json:"status"`         // 0: no answer so far, or none at all
	Fault      string        `json:"fault,omitempty"`
	Violations []string      `json:"violations,omitempty"`
	Took       time.Duration `json:"took"` // until the answer began

	// Response records what was answered, in what Server.Request returns alone.
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
	Header http.Header `json:"header,omitempty"` // but for Date and those of the body
	Body   string      `json:"body,omitempty"`   // its first 2 KiB, before a fault packs or cuts it
	Size   int64       `json:"size"`             // of all of it
}

// entry is a request in the journal, with what is kept beside it.
type entry struct {
	Request
	answered Response // its Body is not masked, but for what only its request knows
	bytes    int
}

const (
	maxJournal      = 10_000   // entries that are kept at least, where they are of an ordinary size
	maxJournalBytes = 64 << 20 // and the memory of them all
	maxKeptBody     = 2 << 10  // of an answer
	maxKeptText     = 8 << 10  // of a path, a value of a header or a body
	maxKeptFields   = 64 << 10 // of all headers of a request
)

// weigh estimates the memory of an entry.
func (e *entry) weigh() int {
	n := 512 + len(e.answered.Body)
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

// journal holds the newest entries. Where there are too many, or they are too
// large, the older half goes; the counts stay.
type journal struct {
	mu      sync.Mutex
	entries []*entry
	bytes   int
	counts  map[Operation]int
	last    int // number of the newest, never reset
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
	j.bytes = 0 // counted anew: an entry that is no longer here may have grown
	for i, e := range slices.Backward(newest) {
		if j.bytes+e.bytes > maxJournalBytes/2 {
			newest = newest[i+1:]
			break
		}
		j.bytes += e.bytes
	}
	j.entries = slices.Clone(newest)
}

// Requests returns the journal, oldest first: the requests of the operations that
// are given, or all. It holds at least the newest 10 000 requests, fewer where they
// would take more than 64 MiB. Of a text longer than 8 KiB it has the beginning, and
// of all headers of a request 64 KiB. Query and Header are the journal's own: read
// them, and change nothing.
func (s *Server) Requests(ops ...Operation) []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	var out []Request
	for _, r := range s.journal.entries {
		if len(ops) == 0 || slices.Contains(ops, r.Operation) {
			out = append(out, r.Request)
		}
	}
	return out
}

// Request returns the journal's entry with a number, as it is by now, with what was
// answered. ok is false where no such request came, or the journal has dropped it.
func (s *Server) Request(number int) (r Request, ok bool) {
	r, answered, ok := s.journal.find(number)
	if r.Status != 0 {
		m := &mask{known: s.knownSecret}
		answered.Header = answered.Header.Clone()
		answered.Body = m.text(strings.ToValidUTF8(answered.Body, "\uFFFD"))
		r.Response = &answered
	}
	return r, ok
}

func (j *journal) find(number int) (r Request, answered Response, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := slices.BinarySearchFunc(j.entries, number, func(e *entry, n int) int { return e.Number - n })
	if !ok {
		return Request{}, Response{}, false
	}
	return j.entries[i].Request, j.entries[i].answered, true
}

// RequestsAfter returns the entries with a number above n, for a reader that
// follows the journal.
func (s *Server) RequestsAfter(n int) []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.journal.entries, n+1, func(r *entry, n int) int { return r.Number - n })
	var out []Request
	for _, r := range s.journal.entries[i:] {
		out = append(out, r.Request)
	}
	return out
}

// Count returns the number of requests that came in since the start or the last
// ClearRequests: of the operations that are given, or of all.
func (s *Server) Count(ops ...Operation) int {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return s.journal.count(ops)
}

func (j *journal) count(ops []Operation) int {
	if len(ops) == 0 {
		ops = operations
	}
	n := 0
	for _, op := range ops {
		n += j.counts[op]
	}
	return n
}

// Wait returns once n requests have come in, counted as Count does. The answer
// of the last may not have been sent yet.
func (s *Server) Wait(ctx context.Context, n int, ops ...Operation) error {
	for {
		s.journal.mu.Lock()
		have := s.journal.count(ops)
		if s.journal.changed == nil {
			s.journal.changed = make(chan struct{})
		}
		changed := s.journal.changed
		s.journal.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("jobboardtest: %d of %d requests came in: %w", have, n, ctx.Err())
		case <-s.ctx.Done():
			return fmt.Errorf("jobboardtest: %d of %d requests came in when the server was closed", have, n)
		}
	}
}

// ClearRequests empties the journal and sets the counts to 0. The next request has
// the next number all the same.
func (s *Server) ClearRequests() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.entries, s.journal.bytes = nil, 0
	clear(s.journal.counts)
}

// mask keeps the values of credentials out of the journal.
type mask struct {
	values []string // what came in Authorization, in every form it may return in
	kind   string
	known  func(string) string // the kind of a value that is a credential, or ""
}

func newMask(s *Server, r *http.Request, cred credential) *mask {
	m := &mask{kind: cred.String(), known: s.knownSecret}
	for _, h := range r.Header.Values("Authorization") {
		scheme, v, _ := strings.Cut(h, " ")
		if v == "" {
			v = scheme
		}
		if v = strings.TrimSpace(v); len(v) >= 4 {
			m.values = append(m.values, v)
		}
		if raw, err := base64.StdEncoding.DecodeString(v); err == nil && strings.EqualFold(scheme, "Basic") {
			if _, password, _ := strings.Cut(string(raw), ":"); len(password) >= 4 {
				m.values = append(m.values, password)
			}
		}
	}
	return m
}

// presentedIn reports whether a text has a credential of the request.
func (m *mask) presentedIn(text string) bool {
	return slices.ContainsFunc(m.values, func(v string) bool { return strings.Contains(text, v) })
}

// knownSecret returns the kind of a text that is a credential, or "".
func (s *Server) knownSecret(v string) (kind string) {
	s.read(func(st *state) {
		if t, ok := st.tokens[v]; ok {
			kind = t.String()
		} else if _, ok := st.codes[v]; ok {
			kind = "authorization code"
		} else if st.secrets[v] {
			kind = "secret"
		}
	})
	return kind
}

// text masks the credentials in a text. Of a long one it keeps the beginning,
// and not the part in which a credential may be cut off.
func (m *mask) text(s string) string {
	if len(s) <= maxKeptText {
		return m.whole(s)
	}
	longest := 1 << 10
	for _, v := range m.values {
		longest = max(longest, len(v))
	}
	masked := m.whole(s[:maxKeptText])
	return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(masked[:max(0, len(masked)-longest)], ""), len(s))
}

func (m *mask) whole(s string) string {
	for _, v := range m.values {
		s = strings.ReplaceAll(s, v, "["+m.kind+"]")
	}
	for _, v := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" /,;=&\"'{}[]:?", r) }) {
		if len(v) >= 4 {
			if kind := m.known(v); kind != "" {
				s = strings.ReplaceAll(s, v, "["+kind+"]")
			}
		}
	}
	return s
}

// secretNames are parameters and headers whose values are never kept.
var secretNames = []string{
	"authorization", "proxy-authorization", "cookie", "session", "x-api-key", "x-auth-token",
	"access_token", "refresh_token", "id_token", "token", "jwt", "assertion", "code", "code_verifier",
	"client_secret", "secret", "apikey", "api_key", "key", "password", "passwd", "pass", "pwd",
}

func (m *mask) fields(in map[string][]string) map[string][]string {
	out := map[string][]string{}
	room := maxKeptFields
	for _, k := range slices.Sorted(maps.Keys(in)) {
		if room <= 0 {
			out["..."] = []string{"there were more"}
			break
		}
		masked := make([]string, len(in[k]))
		for i, v := range in[k] {
			masked[i] = m.field(k, v)
			room -= len(masked[i]) + 16
		}
		room -= len(k) + 16
		out[m.text(k)] = masked
	}
	return out
}

func (m *mask) field(name, value string) string {
	switch {
	case strings.EqualFold(name, "Authorization"):
		return "[" + m.kind + "]"
	case slices.Contains(secretNames, strings.ToLower(name)):
		return "[masked]"
	}
	return m.text(value)
}
