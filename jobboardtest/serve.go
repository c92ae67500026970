package jobboardtest

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// maxRequestBody bounds what is read of a request, bodyTimeout how long it may
// take to come.
const (
	maxRequestBody = 1 << 20
	bodyTimeout    = 30 * time.Second
)

// call is one request on its way through the server.
type call struct {
	s       *Server
	r       *http.Request
	at      address
	path    string // escaped, without the prefix
	e       *endpoint
	param   string // the filled-in path segment, unescaped
	query   url.Values
	cred    credential
	v       Variants
	body    []byte
	form    url.Values // the body, where it is a form
	note    string     // what became of a credential
	arrived time.Time
	entry   *entry
	mask    *mask
	bodyErr error    // why the body is not whole
	allowed []string // methods the path takes, when only the method was wrong
	lost    string   // why no endpoint was found, with the rule and its section
	badForm string   // why the query could not be read
}

func (c *call) op() Operation {
	if c.e == nil {
		return OpUnknown
	}
	return c.e.op
}

// serve answers a request: it finds the operation, reads what came, puts it into
// the journal, carries it out and sends the answer, as a fault wants it.
func (s *Server) serve(at address, w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "the server is closed", http.StatusServiceUnavailable)
		return
	}
	defer s.inflight.Done()

	c := &call{s: s, r: r, at: at, v: s.Variants()}
	prefixOK := c.cutPrefix()
	if at != jobDBAddress && prefixOK {
		if h := s.mounts.find(c.path); h != nil {
			http.StripPrefix(s.base.prefix, h).ServeHTTP(w, r)
			return
		}
	}
	c.arrived = s.Now()
	c.find(prefixOK)
	c.read(w)
	c.record()
	f, delay := s.faults.pick(c.op(), c.path, c.arrived)
	if f == nil {
		a := c.carryOut()
		c.tell(a.status, a, nil)
		c.deliver(w, a, nil)
		return
	}
	c.fail(w, f, delay)
}

// read takes in the query, the body and the credential.
func (c *call) read(w http.ResponseWriter) {
	var err error
	if c.query, err = parseQuery(c.r.URL.RawQuery); err != nil {
		c.badForm = err.Error()
	}
	c.body, c.bodyErr = readSlowly(w, c.r)
	if mediaType(c.r.Header.Get("Content-Type")) == "application/x-www-form-urlencoded" {
		if form, err := url.ParseQuery(string(c.body)); err == nil {
			c.form = form
		}
	}
	if c.op() == OpToken {
		c.cred = c.s.identifyApplication(c.r, c.form, c.v)
		return
	}
	c.cred = c.s.identify(c.r, c.v)
}

// parseQuery copies what it takes: a name or value that is kept would keep the
// whole address otherwise, of which it is a part.
func parseQuery(raw string) (url.Values, error) {
	parts, err := url.ParseQuery(raw)
	query := make(url.Values, len(parts))
	for name, values := range parts {
		for i := range values {
			values[i] = strings.Clone(values[i])
		}
		query[strings.Clone(name)] = values
	}
	return query, err
}

// readSlowly reads a body within its bounds of size and time.
func readSlowly(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	// An embedder's writer may have no deadline; net/http ends it with the body.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	return io.ReadAll(http.MaxBytesReader(nil, r.Body, maxRequestBody))
}

// fail answers as a fault wants it.
func (c *call) fail(w http.ResponseWriter, f *Fault, delay time.Duration) {
	ctx, stop := joined(c.r.Context(), c.s.ctx)
	defer stop()
	c.r = c.r.WithContext(ctx)
	if f.Execute && f.replaces() {
		c.carryOut()
	}
	c.tell(0, answer{}, f)
	if !pause(ctx, delay) {
		reset(w)
		return
	}
	var a answer
	if !f.replaces() {
		a = c.carryOut()
	} else if a = (answer{status: f.Status, body: []byte(f.Body)}); f.Body != "" {
		a.contentType = typeText
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	status := a.status
	if f.Break == ResetBefore || f.Break == StallBefore {
		status = 0
	}
	c.tell(status, a, f)
	c.deliver(w, a, f)
}

// carryOut answers, or refuses what a strict server does not bear.
func (c *call) carryOut() answer {
	var large *http.MaxBytesError
	switch {
	case c.s.cfg.strict && len(c.entry.Violations) > 0:
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

// cutPrefix sets the path below the address's prefix. For an embedded handler
// it also finds out which address is meant, where the prefixes tell: the longer
// one first, which may lie below the other.
func (c *call) cutPrefix() bool {
	c.path = strings.Clone(c.r.URL.EscapedPath()) // not a part of the whole address; see parseQuery
	base, jobDB := c.s.base.prefix, c.s.jobDB.prefix
	try := []address{c.at}
	if c.at == anyAddress && base != jobDB {
		try = []address{baseAddress, jobDBAddress}
		if len(jobDB) > len(base) {
			slices.Reverse(try)
		}
	}
	for _, at := range try {
		prefix := base
		if at == jobDBAddress {
			prefix = jobDB
		}
		if rest, ok := strings.CutPrefix(c.path, prefix); ok && (rest == "" || rest[0] == '/') {
			c.path, c.at = rest, at
			return true
		}
	}
	return false
}

// record puts the request into the journal.
func (c *call) record() {
	m := newMask(c.s, c.r, c.cred)
	c.mask = m
	e := &entry{Request: Request{
		Time: c.arrived.UTC(), Operation: c.op(), Address: c.at.String(), Method: strings.Clone(c.r.Method),
		Path: m.text(strings.Clone(c.r.URL.EscapedPath())), Query: m.fields(c.query), Header: m.fields(c.r.Header),
		Credential: c.cred.String(),
	}}
	if c.e != nil {
		e.Template = c.e.template
	}
	switch e.Operation {
	case OpSubscribe, OpConfirm, OpUnsubscribe:
		e.Body = m.text(string(c.body))
	case OpToken, OpAuthorize:
		e.Body = url.Values(m.fields(c.form)).Encode()
	}
	for _, v := range c.violations() {
		e.Violations = append(e.Violations, m.text(v))
	}
	c.entry = e
	c.s.journal.add(e)
	if c.s.cfg.strict {
		for _, v := range e.Violations {
			c.s.cfg.report(v)
		}
	}
}

// tell puts into the journal what is answered, before it is sent: whoever has
// the answer finds it there.
func (c *call) tell(status int, a answer, f *Fault) {
	took := c.s.Now().Sub(c.arrived)
	header := http.Header{}
	if a.contentType != "" {
		header.Set("Content-Type", a.contentType)
	}
	maps.Copy(header, a.header)
	fault := ""
	if f != nil {
		fault = f.String()
		maps.Copy(header, f.Header)
	}
	body := string(a.beginning(maxKeptBody))
	if c.op() == OpToken || c.mask.presentedIn(body) { // later nobody knows them any more
		body = c.mask.whole(body)
	}
	answered := Response{Header: c.mask.fields(header), Body: body, Size: a.size()}
	c.s.journal.update(c.entry, func(e *entry) {
		e.Status, e.Fault, e.Took, e.Note, e.answered = status, fault, took, c.note, answered
	})
	if refusal, ok := strings.CutPrefix(c.note, "refused: "); ok && status != 0 {
		c.s.cfg.log(c.entry.summary(status) + ": " + refusal)
	}
}
