package jobboardtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/atomicfile"
)

// State is all that a server remembers, as one JSON document: version 1 of the
// file that Save writes and Load reads. Every list may be absent. Members have
// the names of the Go fields in lower case with underscores, times are RFC 3339
// texts, and a member it does not know is an error.
//
//	{
//	  "version": 1,
//	  "channels":      [{"id": "27828_extern"}],
//	  "companies":     [{"id": "6f1c...", "name": "...", "privacy_url": "https://..."}],
//	  "jobs":          [{"id": 4711, "title": "Nurse", "location": {"lat": "52.5", "long": "13.4"}}],
//	  "postings":      [{"id": 9, "version_id": 10, "job_id": 4711, "channels": ["27828_extern"], "title": "Nurse"}],
//	  "clients":       [{"id": "10"}, {"id": "11", "secret": "..."}],
//	  "applicants":    [{"id": 7, "internal": true}],
//	  "applications":  [{"id": "f762...", "applicant_id": 7, "job_id": 4711, "withdrawn": true}],
//	  "tokens":        [{"value": "...", "kind": "user", "applicant_id": 7, "lifetime": "1h0m0s"}],
//	  "codes":         [{"value": "...", "client_id": "11", "applicant_id": 7}],
//	  "subscriptions": [{"id": "...", "channel": "27828_extern", "type": "rss", "status": "confirmed"}],
//	  "nationalities": {"en": [{"id": "2800137", "label": "..."}]},
//	  "variants":      {"quoted_ids": true},
//	  "demo":          {}
//	}
//
// The document holds credentials, and the file it is saved in is readable by
// its owner alone. Faults, the journal and the clock are no part of it: tokens
// have the time of their issue or last use, and age by the clock that is set.
type State struct {
	Version       int                 `json:"version"` // 1; absent means 1
	LastID        int64               `json:"last_id,omitempty"`
	Channels      []Channel           `json:"channels,omitempty"`
	Companies     []Company           `json:"companies,omitempty"`
	Jobs          []Job               `json:"jobs,omitempty"`
	Postings      []Posting           `json:"postings,omitempty"`
	Clients       []Client            `json:"clients,omitempty"`
	Applicants    []Applicant         `json:"applicants,omitempty"`
	Applications  []Application       `json:"applications,omitempty"`
	Tokens        []Token             `json:"tokens,omitempty"`
	Codes         []Code              `json:"codes,omitempty"`
	Subscriptions []Subscription      `json:"subscriptions,omitempty"`
	Nationalities map[string][]Choice `json:"nationalities,omitempty"`
	Variants      Variants            `json:"variants,omitzero"`
	Demo          DemoInfo            `json:"demo,omitzero"`
}

// Token is an access token in a State.
type Token struct {
	Value       string    `json:"value"`
	Kind        string    `json:"kind"` // "client", "user" or "lookup"
	ClientID    string    `json:"client_id,omitempty"`
	ApplicantID int64     `json:"applicant_id,omitempty"`
	Lifetime    string    `json:"lifetime,omitempty"` // such as "1h"; empty: it never expires
	Since       time.Time `json:"since,omitzero"`     // issue, or last use of a user's token; absent: now
	Narrow      bool      `json:"narrow,omitempty"`   // its scope is not enough
	Expired     bool      `json:"expired,omitempty"`
}

// String hides the value.
func (t Token) String() string { return t.Kind + " token" }

// GoString hides the value.
func (t Token) GoString() string { return t.String() }

// Code is an authorization code in a State.
type Code struct {
	Value       string    `json:"value"`
	ClientID    string    `json:"client_id"`
	ApplicantID int64     `json:"applicant_id"`
	Expires     time.Time `json:"expires,omitzero"` // absent: it does not
}

// String hides the value.
func (Code) String() string { return "authorization code" }

// GoString hides the value.
func (c Code) GoString() string { return c.String() }

// Snapshot gives a copy of everything, sorted by identifier.
func (s *Server) Snapshot() State {
	out := State{Version: 1, Variants: s.Variants(), Demo: s.Demo}
	s.read(func(st *state) {
		out.LastID = st.lastID
		for _, k := range sortedKeys(st.channels) {
			out.Channels = append(out.Channels, st.channels[k])
		}
		for _, k := range sortedKeys(st.companies) {
			out.Companies = append(out.Companies, st.companies[k])
		}
		for _, id := range sortedIDs(st.jobs) {
			out.Jobs = append(out.Jobs, cloneJob(st.jobs[id].Job))
		}
		for _, id := range sortedIDs(st.postings) {
			out.Postings = append(out.Postings, clonePosting(st.postings[id].Posting))
		}
		for _, k := range sortedKeys(st.clients) {
			out.Clients = append(out.Clients, st.clients[k])
		}
		for _, id := range sortedIDs(st.applicants) {
			out.Applicants = append(out.Applicants, st.applicants[id])
		}
		for _, a := range st.applications {
			out.Applications = append(out.Applications, a)
		}
		for _, k := range sortedKeys(st.tokens) {
			t := st.tokens[k]
			w := Token{
				Value: t.value, Kind: string(t.kind), ClientID: t.clientID, ApplicantID: t.applicant,
				Since: time.Unix(0, t.since.Load()).UTC(), Narrow: t.narrow, Expired: t.expired,
			}
			if t.lifetime > 0 {
				w.Lifetime = t.lifetime.String()
			}
			out.Tokens = append(out.Tokens, w)
		}
		for _, k := range sortedKeys(st.codes) {
			c := st.codes[k]
			out.Codes = append(out.Codes, Code{k, c.clientID, c.applicant, c.expires})
		}
		for _, k := range sortedKeys(st.catalogues) {
			if out.Nationalities == nil {
				out.Nationalities = map[string][]Choice{}
			}
			out.Nationalities[k] = slices.Clone(st.catalogues[k])
		}
	})
	slices.SortFunc(out.Applications, func(a, b Application) int {
		return cmp.Or(cmp.Compare(a.ApplicantID, b.ApplicantID), cmp.Compare(a.JobID, b.JobID))
	})
	out.Subscriptions = s.Subscriptions()
	return out
}

// Restore replaces everything. On an error nothing has changed.
func (s *Server) Restore(in State) error {
	st, err := in.build(s.Now())
	if err != nil {
		return err
	}
	s.changeJobs(func(*state) { s.st = st })
	s.SetVariants(in.Variants)
	return nil
}

func (in State) build(now time.Time) (*state, error) {
	bad := func(format string, args ...any) (*state, error) {
		return nil, fmt.Errorf("jobboardtest: state: "+format, args...)
	}
	if in.Version != 0 && in.Version != 1 {
		return bad("version %d is not known, only 1", in.Version)
	}
	if err := in.Variants.Check(); err != nil {
		return nil, err
	}
	st := newState()
	st.saw(in.LastID)
	for _, j := range in.Jobs {
		st.saw(j.ID)
	}
	for _, p := range in.Postings {
		st.saw(p.ID, p.VersionID)
	}
	for _, c := range in.Channels {
		st.channels[c.ID] = c
	}
	for _, c := range in.Companies {
		st.companies[c.ID] = c
	}
	for _, j := range in.Jobs {
		if j.Status != Active && j.Status != Inactive && j.Status != Deleted {
			return bad("job %d has the unknown status %q", j.ID, j.Status)
		}
		if _, twice := st.jobs[j.ID]; twice {
			return bad("job %d is there twice", j.ID)
		}
		st.addJob(j)
	}
	for _, p := range in.Postings {
		if _, twice := st.postings[p.ID]; twice {
			return bad("posting %d is there twice", p.ID)
		}
		st.addPosting(p)
	}
	for _, c := range in.Clients {
		st.addClient(c)
	}
	for _, a := range in.Applicants {
		st.addApplicant(a)
	}
	identifiers := map[string]bool{}
	for _, a := range in.Applications {
		if a.ID != "" && identifiers[a.ID] {
			return bad("two applications have the identifier %q", a.ID)
		}
		identifiers[a.ID] = true
		k := appKey{a.ApplicantID, a.JobID}
		if _, twice := st.applications[k]; twice {
			return bad("applicant %d has two applications to job %d (section 8)", a.ApplicantID, a.JobID)
		}
		st.applications[k] = a
	}
	for i, t := range in.Tokens {
		kind := tokenKind(t.Kind)
		if kind != clientToken && kind != userToken && kind != lookupToken {
			return bad("token %d has the unknown kind %q", i, t.Kind)
		}
		n := &token{value: t.Value, kind: kind, clientID: t.ClientID, applicant: t.ApplicantID, narrow: t.Narrow, expired: t.Expired}
		if t.Lifetime != "" {
			d, err := time.ParseDuration(t.Lifetime)
			if err != nil {
				return bad("token %d: lifetime: %w", i, err)
			}
			n.lifetime = d
		}
		if t.Since.IsZero() {
			t.Since = now
		}
		n.since.Store(t.Since.UnixNano())
		st.tokens[t.Value] = n
	}
	for _, c := range in.Codes {
		st.codes[c.Value] = code{c.ClientID, c.ApplicantID, c.Expires}
	}
	for _, sub := range in.Subscriptions {
		st.subscriptions[sub.ID] = sub
	}
	for k, v := range in.Nationalities {
		if st.catalogues == nil {
			st.catalogues = map[string][]Choice{}
		}
		st.catalogues[k] = slices.Clone(v)
	}
	return st, nil
}

// Save writes the state as JSON.
func (s *Server) Save(w io.Writer) error {
	if err := s.encode(w); err != nil {
		return fmt.Errorf("jobboardtest: saving the state: %w", err)
	}
	return nil
}

func (s *Server) encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s.Snapshot())
}

// Load replaces the state by what Save wrote. On an error nothing has changed.
func (s *Server) Load(r io.Reader) error {
	in, err := readState(r)
	if err != nil {
		return err
	}
	return s.Restore(in)
}

func readState(r io.Reader) (State, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return State{}, fmt.Errorf("jobboardtest: loading the state: %w", err)
	}
	var in State
	if err := strictUnmarshal(data, &in); err != nil {
		return State{}, fmt.Errorf("jobboardtest: loading the state: %w", err)
	}
	return in, nil
}

// strictUnmarshal refuses unknown members and anything after the value.
func strictUnmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// SaveFile writes the state to a file in one step: whoever kills the process
// meanwhile finds the old file or the new one, never a part.
func (s *Server) SaveFile(name string) error {
	if err := atomicfile.Write(name, s.encode); err != nil {
		return fmt.Errorf("jobboardtest: saving the state: %w", err)
	}
	return nil
}

// LoadFile is Load from a file.
func (s *Server) LoadFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("jobboardtest: loading the state: %w", err)
	}
	defer f.Close()
	return s.Load(f)
}

// fill gives the server its first state: the data file, the demo, or nothing.
func (s *Server) fill() error {
	loaded := false
	if s.cfg.load != "" {
		f, err := os.Open(s.cfg.load)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("jobboardtest: loading the state: %w", err)
		default:
			defer f.Close()
			in, err := readState(f)
			if err != nil {
				return fmt.Errorf("%w (file %s)", err, s.cfg.load)
			}
			if s.st, err = in.build(s.Now()); err != nil {
				return fmt.Errorf("%w (file %s)", err, s.cfg.load)
			}
			s.Demo = in.Demo
			if s.cfg.variants == (Variants{}) {
				s.variants.Store(&in.Variants)
			}
			loaded = true
		}
	}
	if s.cfg.demo && !loaded {
		s.Demo = s.addDemo()
	}
	initial := s.Snapshot()
	s.initial = func() State { return initial }
	return nil
}

// Reset goes back to the state and switches of the start, and forgets faults
// and journal.
func (s *Server) Reset() {
	if err := s.Restore(s.initial()); err != nil {
		panic(err) // it was built from such a state
	}
	s.LiftFaults()
	s.ClearRequests()
}

// saver writes the data file after changes.
type saver struct {
	server *Server
	file   string
	dirty  chan struct{} // nil without saving
	quit   chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	lastErr error
}

// saveAfter is how long after one write the next begins at the earliest, so that
// many changes are few writes.
const saveAfter = 200 * time.Millisecond

// start writes the file once, so that a place that cannot be written to is found
// at the start, and then after every change.
func (v *saver) start(s *Server, file string) error {
	v.server, v.file = s, file
	atomicfile.RemoveLeftovers(file)
	if err := s.SaveFile(file); err != nil {
		return err
	}
	v.quit, v.done = make(chan struct{}), make(chan struct{})
	v.dirty = make(chan struct{}, 1)
	go v.run()
	return nil
}

func (v *saver) touch() {
	select {
	case v.dirty <- struct{}{}:
	default: // nil, or a write is due already
	}
}

func (v *saver) run() {
	defer close(v.done)
	for {
		select {
		case <-v.dirty:
		case <-v.quit:
			return
		}
		v.write()
		pause(v.server.ctx, saveAfter)
	}
}

func (v *saver) write() {
	err := v.server.SaveFile(v.file)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lastErr = err
}

func (v *saver) stop() {
	if v.quit == nil {
		return
	}
	close(v.quit)
	<-v.done
	v.write() // also the last uses of tokens
}

func (v *saver) err() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.lastErr
}

// SaveError is what went wrong the last time the data file was written; nil
// when it is up to date or there is none.
func (s *Server) SaveError() error { return s.saver.err() }
