package jobboardtest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/delivery"
)

// Fault describes something that goes wrong on purpose. The first group of fields
// chooses the calls that it hits, the second group changes their answers, and the
// third how the server sends an answer. The zero value hits every call and does
// nothing.
//
// A fault is planted as a literal:
//
//	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpSearch, Times: 2})
//
// As JSON, durations are texts such as "1.5s", and a body that is not UTF-8 is
// in body_base64.
type Fault struct {
	Name string `json:"name,omitempty"` // shown in the journal; empty: a description

	// Which calls.
	Operation Operation     `json:"operation,omitempty"` // empty: any
	Path      string        `json:"path,omitempty"`      // a path.Match pattern for the path without prefix, as it came; empty: any
	Skip      int           `json:"skip,omitempty"`      // lets so many calls pass before its first hit
	Times     int           `json:"times,omitempty"`     // the number of calls it hits; 0: no end
	For       time.Duration `json:"-"`                   // ends this long after Fail, by the server's clock; 0: no end
	Share     float64       `json:"share,omitempty"`     // hits this part of the calls, chosen by Seed: 0 < Share < 1; else all
	Seed      uint64        `json:"seed,omitempty"`      // the same Seed makes the same choices, for Share and Jitter
	Optional  bool          `json:"optional,omitempty"`  // may hit no call; see Server.Unmet

	// The answer: the operation's own, unless Status or Body is set.
	Status  int         `json:"status,omitempty"`
	Header  http.Header `json:"header,omitempty"`  // replaces fields of the answer's header; an empty list removes a field
	Body    string      `json:"body,omitempty"`    // with Status 0 the status is 200
	Size    int64       `json:"size,omitempty"`    // grows the body to this many bytes, plausible as long as possible; below 0: without end
	Execute bool        `json:"execute,omitempty"` // carries the call out, although its answer is replaced or never sent

	// How the server sends the answer.
	Delay     time.Duration `json:"-"`                    // before the call is carried out and answered
	Jitter    time.Duration `json:"-"`                    // adds a random time up to this to Delay, evenly spread
	Break     Break         `json:"break,omitempty"`      // breaks the answer off, or stalls it
	After     int64         `json:"after,omitempty"`      // bytes of the body sent before ResetBody, StallBody and CutBody, all but one at most; 0: half of it
	DripBytes int           `json:"drip_bytes,omitempty"` // sends the body in pieces of this size; 0: 1 when DripEvery is set
	DripEvery time.Duration `json:"-"`                    // waits so long before each piece
	Encoding  Encoding      `json:"encoding,omitempty"`   // of the body
	Skew      time.Duration `json:"-"`                    // how far the Date header is ahead; below 0: behind
}

// Break chooses how an answer ends badly.
type Break string

// Where an answer breaks. ResetBody, CutBody and StallBody announce an empty body as one
// byte, so that the client misses a byte. They cannot be used with Status 204 or 304,
// which never has a body.
const (
	// ResetBefore resets the connection before the first byte of the answer. On
	// a reused connection net/http then sends a GET again by itself.
	ResetBefore Break = "reset-before"
	ResetBody   Break = "reset-body"   // the connection is reset in the middle of the body
	CutBody     Break = "cut-body"     // the body is shorter than its Content-Length
	StallBefore Break = "stall-before" // nothing comes, until the client leaves or the server closes
	StallBody   Break = "stall-body"   // the body stops coming
)

// Encoding names a Content-Encoding, honest or not.
type Encoding string

// The encodings. Gzip with Size makes a bomb: a body of spaces or of repeated
// postings shrinks a thousandfold.
const (
	Gzip       Encoding = "gzip"
	DoubleGzip Encoding = "double-gzip" // twice, and labelled once
	BrokenGzip Encoding = "broken-gzip" // its middle is damaged
	FalseBr    Encoding = "false-br"    // labelled br, but not compressed
)

// Check reports what is wrong with a fault, or nil.
func (f Fault) Check() error {
	for _, wrong := range []string{f.wrongCalls(), f.wrongAnswer(), f.wrongDelivery()} {
		if wrong != "" {
			return errors.New("jobboardtest: fault: " + wrong)
		}
	}
	return nil
}

// wrongCalls returns a mistake in the fields that choose the calls, or "".
func (f *Fault) wrongCalls() string {
	if _, err := path.Match(f.Path, ""); err != nil {
		return fmt.Sprintf("path %q is not a pattern of path.Match", f.Path)
	}
	switch {
	case f.Operation != "" && !f.Operation.known():
		return fmt.Sprintf("there is no operation %q", f.Operation)
	case f.Skip < 0 || f.Times < 0 || f.For < 0:
		return "skip, times and for cannot be below 0"
	case f.Share < 0 || f.Share > 1:
		return fmt.Sprintf("share %v is not between 0 and 1", f.Share)
	}
	return ""
}

// wrongAnswer returns a mistake in the fields that change the answer, or "".
func (f *Fault) wrongAnswer() string {
	switch {
	case f.Status != 0 && (f.Status < 200 || f.Status > 999):
		return fmt.Sprintf("status %d is not between 200 and 999", f.Status)
	case !headerCanBeSent(f.Header):
		return "header has a name or a value that cannot be sent, " +
			"or Content-Length, which is the body's; Break makes it a wrong one"
	}
	return ""
}

// wrongDelivery returns a mistake in the fields that say how the server sends
// the answer, or "".
func (f *Fault) wrongDelivery() string {
	endless := f.Size < 0
	switch {
	case !slices.Contains([]Break{"", ResetBefore, ResetBody, CutBody, StallBefore, StallBody}, f.Break):
		return fmt.Sprintf("there is no break %q", f.Break)
	case !slices.Contains([]Encoding{"", Gzip, DoubleGzip, BrokenGzip, FalseBr}, f.Encoding):
		return fmt.Sprintf("there is no encoding %q", f.Encoding)
	case min(f.After, int64(f.DripBytes)) < 0 || min(f.Delay, f.Jitter, f.DripEvery) < 0:
		return "delay, jitter, after, drip_bytes and drip_every cannot be below 0"
	case endless && (f.Encoding == DoubleGzip || f.Encoding == BrokenGzip || f.Break == CutBody):
		return "a body without end cannot be cut, packed twice or damaged"
	case delivery.HasNoBody(f.Status) && slices.Contains([]Break{ResetBody, CutBody, StallBody}, f.Break):
		return fmt.Sprintf("an answer with status %d has no body to break in", f.Status)
	}
	return ""
}

// headerCanBeSent reports whether net/http sends a header unchanged. net/http
// leaves out fields with an invalid name, and replaces control characters in
// values.
func headerCanBeSent(h http.Header) bool {
	const token = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	notToken := func(r rune) bool { return !strings.ContainsRune(token, r) }
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, notToken) || strings.EqualFold(name, "Content-Length") {
			return false
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }) {
				return false
			}
		}
	}
	return true
}

// String describes a fault in a few words.
func (f Fault) String() string {
	if f.Name != "" {
		return f.Name
	}
	var w []string
	add := func(yes bool, format string, args ...any) {
		if yes {
			w = append(w, fmt.Sprintf(format, args...))
		}
	}
	add(f.Status != 0, "status %d", f.Status)
	add(f.Status == 0 && f.Body != "", "body replaced")
	add(f.Header.Get("Retry-After") != "", "retry after %s", f.Header.Get("Retry-After"))
	add(f.Header.Get("Location") != "", "redirect")
	add(f.Delay > 0, "delay %v", f.Delay)
	add(f.Jitter > 0, "jitter %v", f.Jitter)
	add(f.Size > 0, "size %d", f.Size)
	add(f.Size < 0, "endless")
	add(f.Encoding != "", "%s", f.Encoding)
	add(f.DripEvery > 0 || f.DripBytes > 0, "drip")
	add(f.Break != "", "%s", f.Break)
	add(f.Skew != 0, "clock skew %v", f.Skew)
	add(len(w) == 0 && len(f.Header) > 0, "headers")
	add(len(w) == 0, "nothing")
	return strings.Join(w, ", ")
}

// faultJSON is the JSON form of a Fault: it writes durations and bodies as
// text.
type faultJSON struct {
	*plainFault
	For        string   `json:"for,omitempty"`
	Delay      string   `json:"delay,omitempty"`
	Jitter     string   `json:"jitter,omitempty"`
	DripEvery  string   `json:"drip_every,omitempty"`
	Skew       string   `json:"skew,omitempty"`
	Share      *float64 `json:"share,omitempty"`
	BodyBase64 *string  `json:"body_base64,omitempty"`
}

type plainFault Fault

// faultDuration pairs a duration of a fault with its JSON text.
type faultDuration struct {
	name  string
	text  *string
	value *time.Duration
}

func (j *faultJSON) durations() []faultDuration {
	f := j.plainFault
	return []faultDuration{
		{"for", &j.For, &f.For},
		{"delay", &j.Delay, &f.Delay},
		{"jitter", &j.Jitter, &f.Jitter},
		{"drip_every", &j.DripEvery, &f.DripEvery},
		{"skew", &j.Skew, &f.Skew},
	}
}

// MarshalJSON implements json.Marshaler.
func (f Fault) MarshalJSON() ([]byte, error) {
	p := plainFault(f)
	j := faultJSON{plainFault: &p}
	for _, d := range j.durations() {
		if *d.value != 0 {
			*d.text = d.value.String()
		}
	}
	if !utf8.ValidString(f.Body) {
		text := base64.StdEncoding.EncodeToString([]byte(f.Body))
		p.Body, j.BodyBase64 = "", &text
	}
	if f.Share != 0 {
		j.Share = &f.Share
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler. An unknown member is an error:
// with a misspelt name the fault would never hit.
func (f *Fault) UnmarshalJSON(data []byte) error {
	var p plainFault
	j := faultJSON{plainFault: &p}
	if err := strictUnmarshal(data, &j); err != nil {
		return err
	}
	wrong := func(member, what string) error { return errors.New("jobboardtest: fault: " + member + ": " + what) }
	for _, d := range j.durations() {
		if *d.text == "" {
			continue
		}
		v, err := time.ParseDuration(*d.text)
		if err != nil {
			return wrong(d.name, err.Error())
		}
		*d.value = v
	}
	// Left out, these two mean no bound; 0 would mean that nothing is hit.
	if j.For != "" && p.For == 0 {
		return wrong("for", "is 0, so that it hits nothing")
	}
	if j.Share != nil {
		if p.Share = *j.Share; p.Share == 0 {
			return wrong("share", "is 0, so that it hits nothing")
		}
	}
	if j.BodyBase64 != nil {
		body, err := base64.StdEncoding.DecodeString(*j.BodyBase64)
		switch {
		case err != nil:
			return wrong("body_base64", "is not base64")
		case p.Body != "":
			return wrong("body_base64", "there is a body already")
		}
		p.Body = string(body)
	}
	*f = Fault(p)
	return f.Check()
}

// replaces reports whether the fault takes the place of the operation's answer.
func (f *Fault) replaces() bool {
	return f.Status != 0 || f.Body != "" || f.Break == ResetBefore || f.Break == StallBefore
}

// ActiveFault is a planted fault. Its methods tell how often it hit, and lift
// it.
type ActiveFault struct {
	id    int
	fault Fault
	owner *faults

	// guarded by owner.mu
	since  time.Time
	came   map[Operation]int // calls since it was planted
	fit    int               // calls that it fits
	seen   int               // of these the calls that no earlier fault hit
	hits   int
	random *rand.Rand
}

type faults struct {
	mu     sync.Mutex
	list   []*ActiveFault
	lastID int
}

// plant plants a fault at a time of the server's clock.
func (fs *faults) plant(f Fault, now time.Time) *ActiveFault {
	f.Header = f.Header.Clone()
	a := &ActiveFault{fault: f, owner: fs, since: now, came: map[Operation]int{}, random: rand.New(rand.NewPCG(f.Seed, 0x6a6f62))}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.lastID++
	a.id = fs.lastID
	fs.list = append(fs.list, a)
	return a
}

// active returns the faults that can still hit a call, oldest first.
func (fs *faults) active(now time.Time) []*ActiveFault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.clean(now)
	return slices.Clone(fs.list)
}

// lift takes every fault away.
func (fs *faults) lift() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.list = nil
}

// ID returns the fault's number, which is unique within its server.
func (a *ActiveFault) ID() int { return a.id }

// Fault returns a copy of the planted fault.
func (a *ActiveFault) Fault() Fault {
	f := a.fault
	f.Header = f.Header.Clone()
	return f
}

// Hits returns the number of calls it has hit.
func (a *ActiveFault) Hits() int {
	a.owner.mu.Lock()
	defer a.owner.mu.Unlock()
	return a.hits
}

// Lift takes the fault away. A call that it delays or stalls stays hit.
func (a *ActiveFault) Lift() {
	a.owner.mu.Lock()
	defer a.owner.mu.Unlock()
	a.owner.list = slices.DeleteFunc(a.owner.list, func(x *ActiveFault) bool { return x == a })
}

func (fs *faults) clean(now time.Time) {
	fs.list = slices.DeleteFunc(fs.list, func(a *ActiveFault) bool {
		return a.fault.Times > 0 && a.hits >= a.fault.Times || a.fault.For > 0 && now.Sub(a.since) >= a.fault.For
	})
}

// fits reports whether the fault is for calls of this operation and path.
func (f *Fault) fits(op Operation, p string) bool {
	if f.Operation != "" && f.Operation != op {
		return false
	}
	ok := true
	if f.Path != "" {
		ok, _ = path.Match(f.Path, p)
	}
	return ok
}

// pick returns the fault that hits a call, or nil, and how long it delays it.
func (fs *faults) pick(op Operation, p string, now time.Time) (*Fault, time.Duration) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.clean(now)
	var fit []*ActiveFault
	for _, a := range fs.list {
		a.came[op]++
		if a.fault.fits(op, p) {
			a.fit++
			fit = append(fit, a)
		}
	}
	for _, a := range fit {
		f := &a.fault
		a.seen++
		if a.seen <= f.Skip {
			continue
		}
		if f.Share > 0 && a.random.Float64() >= f.Share {
			continue
		}
		a.hits++
		delay := f.Delay
		if f.Jitter > 0 {
			delay += time.Duration(a.random.Int64N(int64(f.Jitter)))
		}
		return f, delay
	}
	return nil, 0
}
