package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// session is one run against a target. It keeps answers that several rules
// need.
type session struct {
	Target
	client *http.Client
	own    *http.Transport // our own transport, to be closed; nil: the caller's is used

	plain   *plainSearch
	infos   []information
	gates   map[operation]string
	secrets *strings.Replacer
}

func newSession(target Target) (*session, error) {
	target, err := target.prepare()
	if err != nil {
		return nil, err
	}
	s := &session{Target: target, client: &http.Client{Timeout: 30 * time.Second}, gates: map[operation]string{}}
	if c := target.HTTPClient; c != nil {
		s.client.Transport, s.client.Timeout = c.Transport, c.Timeout
	}
	if s.client.Transport == nil {
		s.own = &http.Transport{Proxy: http.ProxyFromEnvironment}
		s.client.Transport = s.own
	}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var mask []string
	for _, v := range []string{
		target.ClientToken, target.ApplicantToken, target.InternalToken, target.ExpiredToken, target.LookupToken,
	} {
		if v != "" {
			encoded := strings.TrimPrefix(basic(v), "Basic ") // the rule search/scheme sends values in this form
			mask = append(mask, v, "[token]", encoded, "[token]")
		}
	}
	s.secrets = strings.NewReplacer(mask...)
	return s, nil
}

func (s *session) close() {
	if s.own != nil {
		s.own.CloseIdleConnections()
	}
}

func (s *session) judge(ctx context.Context, r rule) Result {
	p := &probe{session: s, ctx: ctx, result: Result{Rule: r.Rule}}
	switch {
	case s.ReadOnly && r.Changes:
		p.skip("the run is read-only")
	case s.GoodCredentials && r.Refused:
		p.skip("the run sends good credentials alone")
	default:
		r.check(p)
	}
	if p.result.Failed() {
		p.result.Skipped, p.result.Lacks = "", nil
	}
	return p.result
}

// probe is the running check of one rule.
type probe struct {
	*session
	ctx    context.Context
	result Result
}

// maxProblems bounds the problems reported for one rule.
const maxProblems = 8

func (p *probe) errorf(format string, args ...any) {
	switch n := len(p.result.Problems); {
	case n < maxProblems:
		p.result.Problems = append(p.result.Problems, p.secrets.Replace(fmt.Sprintf(format, args...)))
	case n == maxProblems:
		p.result.Problems = append(p.result.Problems, "and more of the kind")
	}
}

// skip marks the rule as not judged, with the reason.
func (p *probe) skip(format string, args ...any) {
	p.result.Skipped = p.secrets.Replace(fmt.Sprintf(format, args...))
}

// lacks skips the rule if the target does not set one of these fields. Empty names
// are ignored.
func (p *probe) lacks(fields ...string) bool {
	for _, name := range fields {
		if name != "" && reflect.ValueOf(p.Target).FieldByName(name).IsZero() {
			return p.without(true, name)
		}
	}
	return false
}

// without skips the rule if missing is true; fields are the names of the missing
// fields.
func (p *probe) without(missing bool, fields string) bool {
	if missing {
		p.skip("the target does not tell %s", fields)
		p.result.Lacks = targetFields(fields)
	}
	return missing
}

// job returns the job in a field of the target.
func (p *probe) job(field string) int64 { return reflect.ValueOf(p.Target).FieldByName(field).Int() }

// unless skips the rule because a simpler one is broken.
func (p *probe) unless(rule string) { p.skip("not judged, because %s does not hold", rule) }

// uses adds a request to Result.Requests.
func (p *probe) uses(line string) {
	if line != "" && !slices.Contains(p.result.Requests, line) {
		p.result.Requests = append(p.result.Requests, line)
	}
}

type request struct {
	method   string // empty: GET
	url      string
	auth     string // the Authorization header; empty: none
	language string
	body     string
	json     bool   // sends Content-Type
	line     string // the line for Result.Requests
}

type response struct {
	status int
	header http.Header
	body   []byte
}

// maxBody is the largest answer in bytes.
const maxBody = 256 << 20

// send returns the answer to a request. It reports a problem if no answer
// comes.
func (p *probe) send(rq request) (response, bool) {
	rs, err := p.try(rq)
	if err != nil {
		p.errorf("%s", err.Error())
		return rs, false
	}
	return rs, true
}

func (p *probe) try(rq request) (response, error) {
	if rq.method == "" {
		rq.method = http.MethodGet
	}
	p.uses(rq.line)
	var body io.Reader
	if rq.body != "" {
		body = strings.NewReader(rq.body)
	}
	r, err := http.NewRequestWithContext(p.ctx, rq.method, rq.url, body)
	if err != nil {
		return response{}, errors.New("the request cannot be made: the target has an address or identifier that is no part of a URL")
	}
	r.Header.Set("User-Agent", "jobboard-conformance")
	if rq.auth != "" {
		r.Header.Set("Authorization", rq.auth)
	}
	if rq.language != "" {
		r.Header.Set("Accept-Language", rq.language)
	}
	if rq.json {
		r.Header.Set("Content-Type", "application/json")
	}
	what := rq.method + " " + r.URL.EscapedPath()
	got, err := p.client.Do(r)
	if err != nil {
		return response{}, fmt.Errorf("%s got no answer: %s", what, err.Error())
	}
	defer got.Body.Close()
	data, err := io.ReadAll(http.MaxBytesReader(nil, got.Body, maxBody))
	if err != nil {
		return response{}, fmt.Errorf("%s: the body of the answer, which may have %d MiB, cannot be read: %s",
			what, maxBody>>20, err.Error())
	}
	return response{got.StatusCode, got.Header, data}, nil
}

// String describes an answer in one line.
func (r response) String() string {
	s := "status " + strconv.Itoa(r.status)
	if t := r.header.Get("Content-Type"); t != "" {
		s += ", " + t
	}
	if len(r.body) == 0 {
		return s + ", no body"
	}
	return s + ", " + sample(r.body)
}

// sample quotes the beginning of a body.
func sample(b []byte) string {
	head, rest := clip(string(b))
	return strconv.Quote(head) + rest
}

// clip returns the first 120 bytes of a text, and dots if it is longer.
func clip(s string) (head, rest string) {
	const most = 120
	if len(s) <= most {
		return s, ""
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], "..."
}

// refused reports whether an answer is an authorization error. The interface
// names only the two statuses.
func (r response) refused() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
}

func escape(segment string) string { return url.PathEscape(segment) }
