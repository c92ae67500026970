package jobboardtest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/mask"
)

// maxRequestBody is the largest request body in bytes, and bodyTimeout the
// longest time that it may take to arrive.
const (
	maxRequestBody = 1 << 20
	bodyTimeout    = 30 * time.Second
)

// call is one request on its way through the server.
type call struct {
	s       *core
	r       *http.Request
	at      address
	path    string // escaped, without the prefix
	e       *endpoint
	param   string // the filled-in path segment, unescaped
	query   url.Values
	cred    credential
	v       Variants
	body    []byte
	form    url.Values // the fields of a form-encoded body
	note    string     // whether the credential was accepted, for the journal
	arrived time.Time
	entry   *entry
	mask    *mask.Mask
	bodyErr error    // why reading the body failed
	allowed []string // methods the path takes, when only the method was wrong
	lost    string   // the rule and section by which no endpoint fits
	badForm string   // why the query could not be read
}

func (c *call) op() Operation {
	if c.e == nil {
		return OpUnknown
	}
	return c.e.op
}

// cutPrefix sets path to the request's path below the address's prefix. An
// embedded handler serves both addresses: there cutPrefix also sets the address
// whose prefix fits, and tries the longer prefix first, because it may begin
// with the shorter one.
func (c *call) cutPrefix() bool {
	c.path = strings.Clone(c.r.URL.EscapedPath()) // so that the journal does not keep the whole address; see parseQuery
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

// find sets the endpoint, or in lost the reason why no endpoint fits.
func (c *call) find(prefixOK bool) {
	if !prefixOK {
		c.lost = c.path + " does not begin with the path prefix of this address; " +
			"paths are appended to the whole of {base_url} or {jobdb_url} (section 4)"
		return
	}
	var elsewhere *endpoint // an endpoint with this path below the other base address
	for i := range endpoints {
		e := &endpoints[i]
		param, ok := e.match(c.path)
		switch {
		case !ok:
		case c.at != anyAddress && e.jobDB != (c.at == jobDBAddress):
			elsewhere = e
		case e.method != c.r.Method:
			c.allowed = append(c.allowed, e.method)
		default:
			c.e, c.param, c.allowed = e, param, nil
			return
		}
	}
	switch {
	case len(c.allowed) > 0:
		c.lost = fmt.Sprintf("%s %s: the interface has this path with %s only (section 4)",
			c.r.Method, c.path, strings.Join(c.allowed, " and "))
	case elsewhere != nil:
		owner, asked := "{base_url}", "{jobdb_url}"
		if elsewhere.jobDB {
			owner, asked = asked, owner
		}
		c.lost = fmt.Sprintf("%s is %s, which belongs to %s, and came to %s (section %s)",
			c.path, elsewhere.what, owner, asked, elsewhere.section)
	default:
		c.lost = c.path + " " + wrongPath(c.path) + " (section 4)"
	}
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

// parseQuery copies names and values: substrings of the address would keep the
// whole address in the journal's memory.
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

// readSlowly reads a request body of at most maxRequestBody bytes within
// bodyTimeout.
func readSlowly(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	// The response writer of an embedding server may not support deadlines;
	// net/http clears the deadline after the body.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	return io.ReadAll(http.MaxBytesReader(nil, r.Body, maxRequestBody))
}

// refuse answers a request that is outside the interface.
func (c *call) refuse(why string) answer {
	status := http.StatusBadRequest
	var h http.Header
	switch {
	case len(c.allowed) > 0:
		status = http.StatusMethodNotAllowed
		h = http.Header{"Allow": {strings.Join(c.allowed, ", ")}}
	case c.e == nil:
		status = http.StatusNotFound
	}
	a := textAnswer(status, why)
	a.Header = h
	return a
}
