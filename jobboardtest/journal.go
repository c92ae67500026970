package jobboardtest

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Request is one entry of the journal. It never holds the value of a
// credential: Authorization and its like say what kind came, and a token
// anywhere else is masked.
type Request struct {
	Number     int           `json:"number"` // 1 is the first
	Time       time.Time     `json:"time"`   // of arrival, by the server's clock
	Operation  Operation     `json:"operation"`
	Address    string        `json:"address"` // "base_url" or "jobdb_url"; "either" through Handler
	Method     string        `json:"method"`
	Template   string        `json:"template,omitempty"` // "/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	Path       string        `json:"path"`               // as it came, with the prefix
	Query      url.Values    `json:"query,omitempty"`
	Header     http.Header   `json:"header,omitempty"`
	Body       string        `json:"body,omitempty"` // of the subscription calls alone
	Credential string        `json:"credential"`     // "none", "client token", "user token of applicant 7", "basic client 10", ...
	Status     int           `json:"status"`         // 0: no answer so far, or none at all
	Fault      string        `json:"fault,omitempty"`
	Violations []string      `json:"violations,omitempty"`
	Took       time.Duration `json:"took"` // until the answer began
}

// String is one line: number, method, path, credential, status.
func (r Request) String() string {
	p := r.Path
	if len(r.Query) > 0 {
		p += "?" + r.Query.Encode()
	}
	line := fmt.Sprintf("%d %s %s [%s] %d", r.Number, r.Method, p, r.Credential, r.Status)
	if r.Fault != "" {
		line += " fault: " + r.Fault
	}
	return line
}

// maxJournal bounds the journal; the oldest entries go first, the counts stay.
const maxJournal = 10_000

type journal struct {
	mu      sync.Mutex
	entries []*Request
	counts  map[Operation]int
	total   int
	last    int // number of the newest, never reset
	changed chan struct{}
}

func (j *journal) add(r *Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	j.total++
	r.Number = j.last
	if j.counts == nil {
		j.counts = map[Operation]int{}
	}
	j.counts[r.Operation]++
	if len(j.entries) >= 2*maxJournal {
		j.entries = slices.Clone(j.entries[maxJournal:])
	}
	j.entries = append(j.entries, r)
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

func (j *journal) update(r *Request, f func(*Request)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(r)
}

// Requests gives the journal, oldest first; with operations, only theirs. It
// holds at least the newest 10 000 requests.
func (s *Server) Requests(ops ...Operation) []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	var out []Request
	for _, r := range s.journal.entries {
		if len(ops) == 0 || slices.Contains(ops, r.Operation) {
			out = append(out, *r)
		}
	}
	return out
}

// RequestsAfter gives the entries with a number above n, for a reader that
// follows the journal.
func (s *Server) RequestsAfter(n int) []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.journal.entries, n+1, func(r *Request, n int) int { return r.Number - n })
	var out []Request
	for _, r := range s.journal.entries[i:] {
		out = append(out, *r)
	}
	return out
}

// Count is the number of requests that came in since the start or the last
// ClearRequests; with operations, of theirs.
func (s *Server) Count(ops ...Operation) int {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return s.journal.count(ops)
}

func (j *journal) count(ops []Operation) int {
	if len(ops) == 0 {
		return j.total
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
		if have < n && s.journal.changed == nil {
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

// ClearRequests empties the journal. Numbers go on.
func (s *Server) ClearRequests() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.entries, s.journal.counts, s.journal.total = nil, nil, 0
}

// mask keeps the values of credentials out of the journal.
type mask struct {
	values []string // what came in Authorization, in every form it may return in
	kind   string
	known  func(string) string // the kind of a value that is a credential, or ""
}

func newMask(s *Server, r *http.Request, cred credential) *mask {
	m := &mask{kind: cred.String()}
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
	m.known = func(v string) (kind string) {
		s.read(func(st *state) {
			if t, ok := st.tokens[v]; ok {
				kind = string(t.kind) + " token"
			} else if _, ok := st.codes[v]; ok {
				kind = "authorization code"
			} else if st.secrets[v] {
				kind = "secret"
			}
		})
		return kind
	}
	return m
}

func (m *mask) text(s string) string {
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
	"access_token", "token", "client_secret", "password", "code", "authorization", "proxy-authorization", "cookie",
	"pwd", "passwd", "pass", "secret", "key", "session", "jwt", "x-api-key", "x-auth-token", "apikey", "api_key", "refresh_token", "id_token", "assertion",
}

func (m *mask) fields(in map[string][]string) map[string][]string {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string][]string, len(in))
	for k, vs := range in {
		masked := make([]string, len(vs))
		for i, v := range vs {
			switch {
			case strings.EqualFold(k, "Authorization"):
				masked[i] = "[" + m.kind + "]"
			case slices.Contains(secretNames, strings.ToLower(k)):
				masked[i] = "[masked]"
			default:
				masked[i] = m.text(v)
			}
		}
		out[m.text(k)] = masked
	}
	return out
}
