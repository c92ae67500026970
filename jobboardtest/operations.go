package jobboardtest

import (
	"net/url"
	"slices"
	"strings"
)

// Operation names the call that a request makes, in the journal and in faults.
type Operation string

// The operations of section 4, and the two that issue tokens.
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

var operations = []Operation{
	OpSearch, OpApplied, OpApplication, OpJobInformation, OpSubscribe, OpConfirm, OpUnsubscribe,
	OpToken, OpAuthorize, OpUnknown,
}

// Operations returns all operations, OpUnknown last.
func Operations() []Operation { return slices.Clone(operations) }

func (op Operation) known() bool { return slices.Contains(operations, op) }

// endpoint is one method and path of the interface.
type endpoint struct {
	op       Operation
	method   string
	template string
	section  string
	what     string
	jobDB    bool
	params   []string // the documented query parameters; with open set all are allowed
	open     bool     // the interface does not show the payloads, so any parameter is allowed
}

const (
	frontend      = "/api/rest/v2/frontend" // begins the paths that carry a version
	tokenPath     = "/api/rest/oauth/frontend/token"
	authorizePath = "/api/rest/oauth/frontend/authorize"
)

var endpoints = []endpoint{
	{
		op: OpSearch, method: "GET", template: frontend + "/jobboards/{channelID}/jobs",
		section: "4.1", what: "the job search", params: []string{"search", "geoLocation"},
	},
	{
		op: OpApplied, method: "GET", template: "/api/rest/v3/frontend/jobs/{jobDbId}/applied",
		section: "4.2", what: "the applied check",
	},
	{
		op: OpApplication, method: "GET", template: "/api/rest/v3/frontend/jobs/{jobDbId}/application",
		section: "4.3", what: "the application lookup",
	},
	{
		op: OpJobInformation, method: "GET", template: "/jobdb/public/apply/external",
		section: "4.4", what: "the job information lookup", params: []string{"jobid"}, jobDB: true,
	},
	subscription(OpSubscribe, "POST", "/jobabo"),
	subscription(OpConfirm, "PUT", "/jobabo/{aboId}"),
	subscription(OpUnsubscribe, "DELETE", "/jobabo/{aboId}"),
	subscription(OpSubscribe, "POST", frontend+"/jobabo"),
	subscription(OpConfirm, "PUT", frontend+"/jobabo/{aboId}"),
	subscription(OpUnsubscribe, "DELETE", frontend+"/jobabo/{aboId}"),
	{op: OpToken, method: "POST", template: tokenPath, section: "5", what: "the token endpoint", open: true},
	{op: OpAuthorize, method: "GET", template: authorizePath, section: "5", what: "the authorize page", open: true},
	{op: OpAuthorize, method: "POST", template: authorizePath, section: "5", what: "the authorize page", open: true},
}

// subscription returns an endpoint of section 4.5, which shows no payloads. A
// service may serve its path with or without the version.
func subscription(op Operation, method, template string) endpoint {
	what := map[Operation]string{
		OpSubscribe: "subscribing", OpConfirm: "confirming a subscription", OpUnsubscribe: "ending a subscription",
	}[op]
	return endpoint{op: op, method: method, template: template, section: "4.5", what: what, open: true}
}

// match compares a path, still escaped, with a template; a segment in braces
// stands for any segment that is not empty.
func (e *endpoint) match(path string) (param string, ok bool) {
	if strings.Count(path, "/") != strings.Count(e.template, "/") {
		return "", false
	}
	came := strings.Split(path, "/")
	for i, want := range strings.Split(e.template, "/") {
		switch {
		case strings.HasPrefix(want, "{"):
			if param, _ = url.PathUnescape(came[i]); param == "" { // net/url has escaped it
				return "", false
			}
		case want != came[i]:
			return "", false
		}
	}
	return param, true
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

// wrongPath says why no endpoint of any address has a path.
func wrongPath(path string) string {
	switch {
	case strings.Contains(path, "/api/rest/api/rest"):
		return "has /api/rest twice: the base address ended in it already, and the paths bring it along"
	case strings.Contains(path, "//"):
		return "has an empty path segment: an identifier was empty, or the base address ended in a slash"
	case strings.HasSuffix(path, "/"):
		return "ends in a slash, and no path of the interface does"
	}
	return "is not a path of the interface"
}
