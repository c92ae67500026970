package jobboardtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// violations says what in a request is outside the interface, each as a
// sentence that names the rule and its section.
func (c *call) violations() []string {
	if c.e == nil {
		return []string{c.lost}
	}
	var out []string
	add := func(format string, args ...any) {
		out = append(out, c.e.what+": "+fmt.Sprintf(format, args...)+" (section "+c.e.section+")")
	}
	if c.badForm != "" {
		add("the query cannot be read: %s", c.badForm)
	}
	if !c.e.open {
		for _, name := range sortedKeys(c.query) {
			switch {
			case !slices.Contains(c.e.params, name) && len(c.e.params) == 0:
				add("it has no query parameters, and %q came", clip(name))
			case !slices.Contains(c.e.params, name):
				add("%q is not one of its query parameters, which are %s", clip(name), strings.Join(c.e.params, " and "))
			case len(c.query[name]) > 1:
				add("the parameter %s came %d times", name, len(c.query[name]))
			}
		}
	}
	if c.r.Method == http.MethodGet && len(c.body) > 0 {
		add("a GET has no body, and %d bytes came", len(c.body))
	}
	switch c.e.op {
	case OpSearch:
		if _, err := parseGeo(c.query.Get("geoLocation")); err != nil {
			add("geoLocation must be <latitude>::<longitude>::<distance_km>, and %v", err)
		}
		if t := c.r.Header.Get("Content-Type"); t != "" && mediaType(t) != typeJSON {
			add("the header Content-Type is application/json, not %q", clip(t))
		}
	case OpAuthorize:
		if c.query.Get("state") == "" {
			add("state is missing, without which the client cannot know its own request again; see RFC 6749, section 10.12")
		}
		if c.query.Get("code_challenge") == "" {
			add("code_challenge is missing, without which a code that leaks can be used; see RFC 7636")
		}
	case OpApplied, OpApplication:
		if _, ok := parseID(c.param); !ok {
			add("jobDbId is a job identifier, an integer, not %q", clip(c.param))
		}
	case OpJobInformation:
		if _, ok := parseID(c.query.Get("jobid")); !ok {
			add("jobid is a job identifier, an integer, not %q", clip(c.query.Get("jobid")))
		}
		switch c.cred.kind {
		case credNone, credLookup:
		case credUnknown, credBadBasic:
			add("the interface shows no credential for it, and one came that {jobdb_url} did not issue; see section 5")
		default:
			add("a credential of {base_url} (%s) was sent to {jobdb_url}, which it was not given for; see section 5", c.cred)
		}
	}
	if n := len(c.r.Header.Values("Authorization")); n > 1 {
		add("the header Authorization came %d times; see section 5", n)
	}
	return out
}

// Violations lists what came in so far that is outside the interface, one
// sentence each. A tolerant server keeps them too.
func (s *Server) Violations() []string {
	var out []string
	for _, r := range s.Requests() {
		out = append(out, r.Violations...)
	}
	return out
}

// clip keeps a foreign text short enough for a sentence.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
