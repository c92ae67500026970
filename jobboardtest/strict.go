package jobboardtest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/geo"
)

// violations collects the ways in which a request breaks the interface, each as a sentence
// with the rule and its section. It stops at maxViolations: a single URL has room for a
// hundred thousand.
type violations struct {
	e    *endpoint
	list []string
}

const maxViolations = 100

func (v *violations) add(format string, args ...any) {
	if len(v.list) == maxViolations {
		return
	}
	v.list = append(v.list, v.e.what+": "+fmt.Sprintf(format, args...)+" (section "+v.e.section+")")
}

func (c *call) violations() []string {
	if c.e == nil {
		return []string{c.lost}
	}
	v := violations{e: c.e}
	if c.badForm != "" {
		v.add("the query cannot be read: %s", c.badForm)
	}
	if !c.e.open {
		v.checkParameters(c.query)
	}
	if c.r.Method == http.MethodGet && len(c.body) > 0 {
		v.add("a GET has no body, and %d bytes came", len(c.body))
	}
	switch c.e.op {
	case OpSearch:
		v.checkSearch(c)
	case OpAuthorize:
		v.checkAuthorize(c.query)
	case OpApplied, OpApplication:
		v.checkJobID("jobDbId", c.param)
	case OpJobInformation:
		v.checkJobID("jobid", c.query.Get("jobid"))
		v.checkLookupCredential(c.cred)
	}
	if n := len(c.r.Header.Values("Authorization")); n > 1 {
		v.add("the header Authorization came %d times; see section 5", n)
	}
	return v.list
}

func (v *violations) checkParameters(query url.Values) {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case len(v.e.params) == 0:
			v.add("it has no query parameters, and %q came", clip(name))
		case !slices.Contains(v.e.params, name):
			v.add("%q is not one of its query parameters, which are %s", clip(name), strings.Join(v.e.params, " and "))
		case len(query[name]) > 1:
			v.add("the parameter %s came %d times", name, len(query[name]))
		}
	}
}

func (v *violations) checkSearch(c *call) {
	if _, err := geo.ParseCircle(c.query.Get("geoLocation")); err != nil {
		v.add("geoLocation must be <latitude>::<longitude>::<distance_km>, and %v", err)
	}
	if t := c.r.Header.Get("Content-Type"); t != "" && mediaType(t) != typeJSON {
		v.add("the header Content-Type is application/json, not %q", clip(t))
	}
}

func (v *violations) checkAuthorize(query url.Values) {
	if query.Get("state") == "" {
		v.add("state is missing, without which the client cannot know its own request again; see RFC 6749, section 10.12")
	}
	if query.Get("code_challenge") == "" {
		v.add("code_challenge is missing, without which a code that leaks can be used; see RFC 7636")
	}
}

func (v *violations) checkJobID(name, value string) {
	if _, ok := parseID(value); !ok {
		v.add("%s is a job identifier, an integer, not %q", name, clip(value))
	}
}

func (v *violations) checkLookupCredential(cred credential) {
	switch cred.kind {
	case credNone, lookupToken:
	case credUnknown, credBadBasic:
		v.add("the interface shows no credential for it, and one came that {jobdb_url} did not issue; see section 5")
	default:
		v.add("a credential of {base_url} (%s) was sent to {jobdb_url}, which it was not given for; see section 5", cred)
	}
}

// clip keeps a foreign text short enough for a sentence.
func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}
