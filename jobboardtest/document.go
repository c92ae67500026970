package jobboardtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// State holds a server's records and switches, as one JSON document: version 1 of
// the file that Write writes and ReadState reads. Every list may be absent. Members
// have the names of the Go fields in lower case with underscores, times are RFC 3339
// texts, and an unknown member is an error. Jobs, postings and applications without
// an identifier are given one; every other record needs an identifier.
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
// The document holds credentials. It leaves out faults, the journal and the clock. Tokens are
// saved with the time of their issue or last use, and expire by the clock of
// the server that loads them.
type State struct {
	Version       int                 `json:"version"` // 1; absent means 1
	LastID        int64               `json:"last_id,omitempty"`
	Channels      []Channel           `json:"channels,omitempty"`
	Companies     []Company           `json:"companies,omitempty"`
	Jobs          []Job               `json:"jobs,omitempty"`
	Postings      []Posting           `json:"postings,omitempty"`
	Clients       []ClientApp         `json:"clients,omitempty"`
	Applicants    []Applicant         `json:"applicants,omitempty"`
	Applications  []Application       `json:"applications,omitempty"`
	Tokens        []Token             `json:"tokens,omitempty"`
	Codes         []Code              `json:"codes,omitempty"`
	Subscriptions []Subscription      `json:"subscriptions,omitempty"`
	Nationalities map[string][]Choice `json:"nationalities,omitempty"`
	Variants      Variants            `json:"variants,omitzero"`
	Demo          DemoInfo            `json:"demo,omitzero"`
}

// snapshot returns a copy of all records, sorted by identifier, and the subscriptions
// by age.
func (st *state) snapshot() State {
	out := State{
		Version: 1, LastID: st.lastID, Channels: byKey(st.channels), Companies: byKey(st.companies),
		Applicants: byKey(st.applicants), Codes: byKey(st.codes), Subscriptions: st.subscriptionsByAge(),
		Nationalities: cloneLists(st.catalogues),
	}
	for _, j := range byKey(st.jobs) {
		out.Jobs = append(out.Jobs, cloneJob(j.Job))
	}
	for _, p := range byKey(st.postings) {
		out.Postings = append(out.Postings, clonePosting(p.Posting))
	}
	for _, c := range byKey(st.clients) {
		c.RedirectURIs = slices.Clone(c.RedirectURIs)
		out.Clients = append(out.Clients, c)
	}
	out.Applications = slices.SortedFunc(maps.Values(st.applications), func(a, b Application) int {
		return cmp.Or(cmp.Compare(a.ApplicantID, b.ApplicantID), cmp.Compare(a.JobID, b.JobID))
	})
	for _, t := range byKey(st.tokens) {
		record := t.Token
		record.Since = t.since()
		out.Tokens = append(out.Tokens, record)
	}
	return out
}

func (in State) build(now time.Time) (*state, error) {
	if in.Version != 0 && in.Version != 1 {
		return nil, fmt.Errorf("jobboardtest: state: version %d is not known, only 1", in.Version)
	}
	if err := in.Variants.Check(); err != nil {
		return nil, err
	}
	st := newState()
	st.keepApart(in)
	st.takePlain(in)
	for _, err := range []error{
		named("channel", in.Channels, func(c Channel) string { return c.ID }),
		named("company", in.Companies, func(c Company) string { return c.ID }),
		named("client", in.Clients, func(c ClientApp) string { return c.ID }),
		named("applicant", in.Applicants, func(a Applicant) int64 { return a.ID }),
		named("token", in.Tokens, func(t Token) string { return t.Value }),
		named("code", in.Codes, func(c Code) string { return c.Value }),
		named("subscription", in.Subscriptions, func(s Subscription) string { return s.ID }),
		st.takeJobs(in), st.takeApplications(in), st.takeTokens(in, now),
	} {
		if err != nil {
			return nil, fmt.Errorf("jobboardtest: state: %w", err)
		}
	}
	return st, nil
}

// named returns an error if a record has no identifier, or two records have the same. The
// error names records by their position, because some identifiers are secret tokens.
func named[T any, ID comparable](what string, records []T, id func(T) ID) error {
	var none ID
	first := map[ID]int{}
	for i, r := range records {
		if id(r) == none {
			return fmt.Errorf("%s %d has no identifier", what, i)
		}
		if k, twice := first[id(r)]; twice {
			return fmt.Errorf("%s %d has the identifier of %s %d", what, i, what, k)
		}
		first[id(r)] = i
	}
	return nil
}

// keepApart raises lastID above every identifier of a state, so that records
// without an identifier get new numbers.
func (st *state) keepApart(in State) {
	st.saw(in.LastID)
	for _, j := range in.Jobs {
		st.saw(j.ID)
	}
	for _, p := range in.Postings {
		st.saw(p.ID, p.VersionID)
	}
}

// takePlain adds the records that refer to no other record.
func (st *state) takePlain(in State) {
	for _, c := range in.Channels {
		st.channels[c.ID] = c
	}
	for _, c := range in.Companies {
		st.companies[c.ID] = c
	}
	for _, c := range in.Clients {
		st.addClient(c)
	}
	for _, a := range in.Applicants {
		st.addApplicant(a)
	}
	for _, c := range in.Codes {
		st.codes[c.Value] = c
	}
	for _, sub := range in.Subscriptions {
		sub.Categories = cloneLists(sub.Categories)
		st.subscriptions[sub.ID] = sub
	}
	maps.Copy(st.catalogues, cloneLists(in.Nationalities))
}

func (st *state) takeJobs(in State) error {
	for _, j := range in.Jobs {
		if j.Status != Active && j.Status != Inactive && j.Status != Deleted {
			return fmt.Errorf("job %d has the unknown status %q", j.ID, j.Status)
		}
		if _, twice := st.jobs[j.ID]; twice {
			return fmt.Errorf("job %d is there twice", j.ID)
		}
		st.addJob(j)
	}
	for _, p := range in.Postings {
		if _, twice := st.postings[p.ID]; twice {
			return fmt.Errorf("posting %d is there twice", p.ID)
		}
		st.addPosting(p)
	}
	return nil
}

func (st *state) takeApplications(in State) error {
	identifiers := map[string]bool{}
	for _, a := range in.Applications {
		if a.ID == "" {
			a.ID = newHex()
		}
		if identifiers[a.ID] {
			return fmt.Errorf("two applications have the identifier %q", a.ID)
		}
		identifiers[a.ID] = true
		k := appKey{a.ApplicantID, a.JobID}
		if _, twice := st.applications[k]; twice {
			return fmt.Errorf("applicant %d has two applications to job %d (section 8)", a.ApplicantID, a.JobID)
		}
		st.applications[k] = a
	}
	return nil
}

func (st *state) takeTokens(in State, now time.Time) error {
	for i, t := range in.Tokens {
		if !slices.Contains([]string{clientToken, userToken, lookupToken}, t.Kind) {
			return fmt.Errorf("token %d has the unknown kind %q", i, t.Kind)
		}
		n := &token{Token: t}
		if t.Lifetime != "" {
			d, err := time.ParseDuration(t.Lifetime)
			if err != nil || d < 0 {
				return fmt.Errorf("token %d: the lifetime %q is not a duration such as 1h", i, t.Lifetime)
			}
			n.lifetime, n.Lifetime = d, ""
			if d > 0 {
				n.Lifetime = d.String()
			}
		}
		if t.Since.IsZero() {
			t.Since = now
		}
		n.use(t.Since)
		st.tokens[t.Value] = n
	}
	return nil
}

// Write writes the state as JSON, as ReadState reads it.
func (in State) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(in); err != nil {
		return fmt.Errorf("jobboardtest: writing the state: %w", err)
	}
	return nil
}

// ReadState reads what Write wrote, for WithState or Restore. It returns an error
// when r fails, when the JSON is not a State, and when records contradict each other.
func ReadState(r io.Reader) (State, error) {
	in, err := decodeState(r, math.MaxInt)
	if err != nil {
		return State{}, fmt.Errorf("jobboardtest: reading the state: %w", err)
	}
	_, err = in.build(time.Time{})
	return in, err
}

// maxRecords bounds the records of a state sent over HTTP: in memory a record is
// larger than its JSON text.
const maxRecords = 1_000_000

// decodeState reads a state of at most most records. It holds the JSON text of one record at a
// time, and stops at the first record with a mistake.
func decodeState(r io.Reader, most int) (in State, err error) {
	d := json.NewDecoder(&dense{r: r})
	d.DisallowUnknownFields()
	begin, err := d.Token()
	switch {
	case err != nil:
		return in, err
	case begin != json.Delim('{'):
		return in, &json.UnmarshalTypeError{Value: jsonKind(begin), Type: reflect.TypeFor[State]()}
	}
	if err := in.decodeMembers(d, most); err != nil {
		if isCutOff(err) {
			err = io.ErrUnexpectedEOF
		}
		return in, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return in, errors.New("something follows the JSON value")
	}
	return in, nil
}

// isCutOff reports whether an error of json.Decoder means that the text ends between
// two values. Releases of Go return two different errors.
func isCutOff(err error) bool {
	var syntax *json.SyntaxError
	return errors.Is(err, io.EOF) || errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input"
}

// decodeMembers reads the members of a state and the bracket after them.
func (in *State) decodeMembers(d *json.Decoder, most int) error {
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := in.decodeMember(d, fmt.Sprint(name), &most); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// dense refuses more than maxBlank bytes of white space in a row: json.Decoder scans
// all of that white space again after each read.
type dense struct {
	r     io.Reader
	blank int // length of the white space at the end of the bytes read
}

const maxBlank = 64 << 10

func (d *dense) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	for _, b := range p[:n] {
		if d.blank++; b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			d.blank = 0
		}
		if d.blank > maxBlank {
			return 0, fmt.Errorf("it has more than %d bytes of white space in a row", maxBlank)
		}
	}
	return n, err
}

// decodeMember reads the value of a member; it reads a list one entry at a
// time.
func (in *State) decodeMember(d *json.Decoder, name string, left *int) error {
	members := reflect.VisibleFields(reflect.TypeFor[State]())
	i := slices.IndexFunc(members, func(m reflect.StructField) bool {
		own, _, _ := strings.Cut(m.Tag.Get("json"), ",")
		return strings.EqualFold(own, name)
	})
	if i < 0 {
		return fmt.Errorf("json: unknown field %q", clip(name))
	}
	field := reflect.ValueOf(in).Elem().Field(i)
	if field.Kind() != reflect.Slice {
		return inMember(name, d.Decode(field.Addr().Interface()))
	}
	begin, err := d.Token()
	field.SetZero()
	switch {
	case err != nil:
		return err
	case begin == nil: // null
		return nil
	case begin != json.Delim('['):
		return inMember(name, &json.UnmarshalTypeError{Value: jsonKind(begin), Type: field.Type()})
	}
	for d.More() {
		if *left--; *left < 0 {
			return fmt.Errorf("it has more than %d records", maxRecords)
		}
		record := reflect.New(field.Type().Elem())
		if err := inMember(name, d.Decode(record.Interface())); err != nil {
			return err
		}
		field.Set(reflect.Append(field, record.Elem()))
	}
	_, err = d.Token()
	return err
}

// inMember puts the member's name before the field name in a JSON type error.
func inMember(name string, err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		wrong.Field = strings.TrimSuffix(name+"."+wrong.Field, ".")
		wrong.Struct = cmp.Or(wrong.Struct, "State")
	}
	return err
}

// jsonKind names the kind of a JSON value by its first token.
func jsonKind(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		return map[json.Delim]string{'[': "array", '{': "object"}[token]
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "bool"
	}
	return "number"
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
