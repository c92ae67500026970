package jobboardtest

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/delivery"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/mask"
)

// serve answers a request: it finds the operation, reads the request, records it
// in the journal, carries it out and sends the answer, changed by a fault if one
// hits.
func (s *core) serve(at address, w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "the server is closed", http.StatusServiceUnavailable)
		return
	}
	defer s.inflight.Done()

	c := &call{s: s, r: r, at: at, v: *s.variants.Load()}
	prefixOK := c.cutPrefix()
	if h := c.mounted(prefixOK); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	c.arrived = s.clock.now()
	c.find(prefixOK)
	c.read(w)
	c.record()
	f, delay := s.faults.pick(c.op(), c.path, c.arrived)
	if f == nil {
		a := c.carryOut()
		c.tell(a.Status, a, nil)
		c.deliver(w, a, nil)
		return
	}
	c.fail(w, f, delay)
}

// healthPath is the path, without a prefix, that answers 200 while a server runs. The
// interface does not define it: no fault hits it, and the journal leaves it out.
const healthPath = "/healthz"

// mounted returns the handler of a path that is no part of the interface, or nil. The
// host's root path and {base_url} without a slash have the handler of the root below
// {base_url}; the pages of links are at the host's root too.
func (c *call) mounted(prefixOK bool) http.Handler {
	switch {
	case c.r.URL.Path == healthPath:
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	case c.at == jobDBAddress:
		return nil
	case prefixOK:
		if h := c.s.mounts.find(cmp.Or(c.path, "/")); h != nil {
			return http.StripPrefix(c.s.base.prefix, h)
		}
	case c.path == "/" || isPage(c.path): // links that are relative to the feed lead out of the prefix
		return c.s.mounts.find(c.path)
	}
	return nil
}

// fail answers a request that a fault hits.
func (c *call) fail(w http.ResponseWriter, f *Fault, delay time.Duration) {
	ctx, stop := delivery.Joined(c.r.Context(), c.s.ctx)
	defer stop()
	c.r = c.r.WithContext(ctx)
	if f.Execute && f.replaces() {
		c.carryOut()
	}
	c.tell(0, answer{}, f)
	if !delivery.Pause(ctx, delay) {
		delivery.Reset(w)
		return
	}
	var a answer
	if !f.replaces() {
		a = c.carryOut()
	} else if a = (answer{Status: f.Status, Body: []byte(f.Body)}); f.Body != "" {
		a.ContentType = typeText
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	status := a.Status
	if f.Break == ResetBefore || f.Break == StallBefore {
		status = 0
	}
	c.tell(status, a, f)
	c.deliver(w, a, f)
}

// carryOut returns the operation's answer. It refuses a request whose body it cannot read;
// a strict server also refuses requests outside the interface.
func (c *call) carryOut() answer {
	var large *http.MaxBytesError
	switch {
	case c.s.strict && len(c.entry.Violations) > 0:
		return c.refuse(strings.Join(c.entry.Violations, "\n"))
	case errors.As(c.bodyErr, &large):
		return textAnswer(http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
	case errors.Is(c.bodyErr, os.ErrDeadlineExceeded):
		return textAnswer(http.StatusRequestTimeout, "the body did not come whole within 30 s")
	case c.bodyErr != nil:
		return textAnswer(http.StatusBadRequest, "the body cannot be read: "+c.bodyErr.Error())
	}
	return c.answer()
}

// answer carries the operation out.
func (c *call) answer() answer {
	switch c.op() {
	case OpSearch:
		return c.search()
	case OpApplied:
		return c.applied()
	case OpApplication:
		return c.application()
	case OpJobInformation:
		return c.jobInformation()
	case OpSubscribe:
		return c.subscribe()
	case OpConfirm:
		return c.confirm()
	case OpUnsubscribe:
		return c.unsubscribe()
	case OpToken:
		return c.issue()
	case OpAuthorize:
		return c.authorize()
	}
	return c.refuse(c.lost)
}

// deliver sends an answer, changed by the fault f if f is not nil.
func (c *call) deliver(w http.ResponseWriter, a answer, f *Fault) {
	now := c.s.clock.now()
	var broken *delivery.Breakage
	if f != nil {
		now = now.Add(f.Skew)
		broken = &delivery.Breakage{
			Header: f.Header, Size: f.Size, Break: string(f.Break), After: f.After,
			DripBytes: f.DripBytes, DripEvery: f.DripEvery, Encoding: string(f.Encoding),
		}
	}
	plain := f == nil || !f.replaces() && f.Size == 0 && f.Encoding == ""
	if c.v.Compress && plain && delivery.AcceptsGzip(c.r.Header.Values("Accept-Encoding")) {
		a = a.Compressed()
	}
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	delivery.Sender{Writer: w, Client: c.r.Context(), Ending: c.s.ending}.Send(a, broken)
}

// record puts the request into the journal.
func (c *call) record() {
	m := mask.New(c.r.Header.Values("Authorization"), c.cred.String(), c.s.secretKind)
	c.mask = m
	e := &entry{Request: Request{
		Time: c.arrived.UTC(), Operation: c.op(), Address: c.at.String(), Method: strings.Clone(c.r.Method),
		Path: m.Text(strings.Clone(c.r.URL.EscapedPath())), Query: m.Fields(c.query), Header: m.Fields(c.r.Header),
		Credential: c.cred.String(),
	}}
	if c.e != nil {
		e.Template = c.e.template
	}
	switch e.Operation {
	case OpSubscribe, OpConfirm, OpUnsubscribe:
		e.Body = m.Text(string(c.body))
	case OpToken, OpAuthorize:
		e.Body = url.Values(m.Fields(c.form)).Encode()
	}
	for _, v := range c.violations() {
		e.Violations = append(e.Violations, m.Text(v))
	}
	c.entry = e
	c.s.journal.add(e)
	if c.s.strict {
		for _, v := range e.Violations {
			c.s.report(v)
		}
	}
}

// tell records the answer in the journal before the server sends it, so that a
// test with the answer in hand finds it in the journal.
func (c *call) tell(status int, a answer, f *Fault) {
	took := c.s.clock.now().Sub(c.arrived)
	header := http.Header{}
	if a.ContentType != "" {
		header.Set("Content-Type", a.ContentType)
	}
	maps.Copy(header, a.Header)
	fault := ""
	if f != nil {
		fault = f.String()
		maps.Copy(header, f.Header)
	}
	body := string(a.Beginning(maxKeptBody))
	if c.op() == OpToken || c.mask.PresentedIn(body) { // later the server no longer knows these secrets
		body = c.mask.Whole(body)
	}
	answered := Response{Header: c.mask.Fields(header), Body: body, Size: a.Size()}
	c.s.journal.update(c.entry, func(e *entry) {
		e.Status, e.Fault, e.Took, e.Note, e.answered = status, fault, took, c.note, answered
	})
	if refusal, ok := strings.CutPrefix(c.note, "refused: "); ok && status != 0 {
		c.s.log(c.entry.summary(status) + ": " + refusal)
	}
}

// secretKind returns the kind of a text that is a credential, or "".
func (s *core) secretKind(v string) (kind string) {
	s.read(func(st *state) { kind = st.secretKind(v) })
	return kind
}
