package jobboardtest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Operation names what a request asks for, in the journal and in faults.
type Operation string

// The operations of section 4, and how tokens are had beside them.
const (
	OpSearch         Operation = "search"
	OpApplied        Operation = "applied"
	OpApplication    Operation = "application"
	OpJobInformation Operation = "job_information"
	OpSubscribe      Operation = "subscribe"
	OpConfirm        Operation = "confirm"
	OpUnsubscribe    Operation = "unsubscribe"
	OpToken          Operation = "token"
	OpAuthorize      Operation = "authorize" // the page on which an applicant signs in
	OpUnknown        Operation = "unknown"   // no path of the interface, or the wrong method
)

// Operations lists them all, OpUnknown last.
func Operations() []Operation {
	return []Operation{OpSearch, OpApplied, OpApplication, OpJobInformation, OpSubscribe, OpConfirm, OpUnsubscribe, OpToken, OpAuthorize, OpUnknown}
}

func (op Operation) known() bool {
	for _, o := range Operations() {
		if op == o {
			return true
		}
	}
	return false
}

// endpoint is one method and path of the interface.
type endpoint struct {
	op       Operation
	method   string
	template string
	section  string
	what     string
	jobDB    bool
	params   []string // the query parameters it documents; nil with open set: any
	open     bool     // payloads not shown by the interface: nothing is undocumented
}

var endpoints = []endpoint{
	{op: OpSearch, method: "GET", template: "/api/rest/v2/frontend/jobboards/{channelID}/jobs", section: "4.1", what: "the job search", params: []string{"search", "geoLocation"}},
	{op: OpApplied, method: "GET", template: "/api/rest/v3/frontend/jobs/{jobDbId}/applied", section: "4.2", what: "the applied check"},
	{op: OpApplication, method: "GET", template: "/api/rest/v3/frontend/jobs/{jobDbId}/application", section: "4.3", what: "the application lookup"},
	{op: OpJobInformation, method: "GET", template: "/jobdb/public/apply/external", section: "4.4", what: "the job information lookup", jobDB: true, params: []string{"jobid"}},
	{op: OpSubscribe, method: "POST", template: "/jobabo", section: "4.5", what: "subscribing", open: true},
	{op: OpConfirm, method: "PUT", template: "/jobabo/{aboId}", section: "4.5", what: "confirming a subscription", open: true},
	{op: OpUnsubscribe, method: "DELETE", template: "/jobabo/{aboId}", section: "4.5", what: "ending a subscription", open: true},
	{op: OpSubscribe, method: "POST", template: "/api/rest/v2/frontend/jobabo", section: "4.5", what: "subscribing", open: true},
	{op: OpConfirm, method: "PUT", template: "/api/rest/v2/frontend/jobabo/{aboId}", section: "4.5", what: "confirming a subscription", open: true},
	{op: OpUnsubscribe, method: "DELETE", template: "/api/rest/v2/frontend/jobabo/{aboId}", section: "4.5", what: "ending a subscription", open: true},
	{op: OpToken, method: "POST", template: tokenPath, section: "5", what: "the token endpoint", open: true},
	{op: OpAuthorize, method: "GET", template: authorizePath, section: "5", what: "the authorize page", open: true},
	{op: OpAuthorize, method: "POST", template: authorizePath, section: "5", what: "the authorize page", open: true},
}

// match compares a path, still escaped, with a template; segments in braces
// take any one segment that is not empty.
func (e *endpoint) match(path string) (param string, ok bool) {
	t := e.template
	for {
		tseg, trest, tmore := strings.Cut(t, "/")
		pseg, prest, pmore := strings.Cut(path, "/")
		if strings.HasPrefix(tseg, "{") {
			v, err := url.PathUnescape(pseg)
			if err != nil || v == "" {
				return "", false
			}
			param = v
		} else if tseg != pseg {
			return "", false
		}
		if tmore != pmore {
			return "", false
		}
		if !tmore {
			return param, true
		}
		t, path = trest, prest
	}
}

// address is one of the two base addresses; anyAddress is an embedded handler
// that serves both.
type address int

const (
	baseAddress address = iota
	jobDBAddress
	anyAddress
)

func (a address) String() string {
	return [...]string{"base_url", "jobdb_url", "either"}[a]
}

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

// find sets the endpoint, or the sentence that says why there is none.
func (c *call) find(prefixOK bool) {
	var wrongAddress *endpoint
	if prefixOK {
		for i := range endpoints {
			e := &endpoints[i]
			param, ok := e.match(c.path)
			if !ok {
				continue
			}
			if c.at != anyAddress && e.jobDB != (c.at == jobDBAddress) {
				wrongAddress = e
				continue
			}
			if e.method != c.r.Method {
				c.allowed = append(c.allowed, e.method)
				continue
			}
			c.e, c.param = e, param
			return
		}
	}
	switch {
	case len(c.allowed) > 0:
		c.lost = fmt.Sprintf("%s %s: the interface has this path with %s only (section 4)", c.r.Method, c.path, strings.Join(c.allowed, " and "))
	case wrongAddress != nil && wrongAddress.jobDB:
		c.lost = fmt.Sprintf("%s is %s, which belongs to {jobdb_url}, and came to {base_url} (section %s)", c.path, wrongAddress.what, wrongAddress.section)
	case wrongAddress != nil:
		c.lost = fmt.Sprintf("%s is %s, which belongs to {base_url}, and came to {jobdb_url} (section %s)", c.path, wrongAddress.what, wrongAddress.section)
	case !prefixOK:
		c.lost = fmt.Sprintf("%s does not begin with the path prefix of this address; paths are appended to the whole of {base_url} or {jobdb_url} (section 4)", c.path)
	case strings.Contains(c.path, "/api/rest/api/rest"):
		c.lost = fmt.Sprintf("%s has /api/rest twice: the base address ended in it already, and the paths bring it along (section 4)", c.path)
	case strings.Contains(c.path, "//"):
		c.lost = fmt.Sprintf("%s has an empty path segment: an identifier was empty, or the base address ended in a slash (section 4)", c.path)
	case strings.HasSuffix(c.path, "/"):
		c.lost = fmt.Sprintf("%s ends in a slash, and no path of the interface does (section 4)", c.path)
	default:
		c.lost = fmt.Sprintf("%s is not a path of the interface (section 4)", c.path)
	}
}
