package boardcheck

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Parts of the interface's paths (section 4).
const (
	searchPath = "/api/rest/v2/frontend/jobboards/"
	jobsPath   = "/api/rest/v3/frontend/jobs/"
	lookupPath = "/jobdb/public/apply/external"
	tokenPath  = "/api/rest/oauth/frontend/token"
)

// recorder builds a profile from the answers of a check.
type recorder struct {
	failing string // the channel whose searches fail; empty: unknown

	mu      sync.Mutex
	profile *Profile
	seen    map[[32]byte]bool // postings and jobs whose members have been counted
}

func newRecorder(failingChannel string) *recorder {
	return &recorder{failing: failingChannel, profile: newProfile(), seen: map[[32]byte]bool{}}
}

// line describes a request without identifiers, parameters' values and
// credentials.
func (c *recorder) line(r *http.Request) string {
	path := r.URL.Path
	switch {
	case isMadeUpChannel(path):
		return r.Method + " {base_url}" + searchPath + "{made-up channel}/jobs"
	case strings.Contains(path, searchPath):
		return r.Method + " {base_url}" + searchPath + "{channelID}/jobs"
	case strings.Contains(path, jobsPath):
		_, last, _ := strings.Cut(path[strings.Index(path, jobsPath)+len(jobsPath):], "/")
		return r.Method + " {base_url}" + jobsPath + "{jobDbId}/" + last
	case strings.HasSuffix(path, lookupPath):
		return r.Method + " {jobdb_url}" + lookupPath + "?jobid"
	case r.Method == http.MethodPost:
		return "POST {token_url}"
	}
	return "GET {feed_url}"
}

// add puts an answer into the profile.
func (c *recorder) add(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := x.request.URL.Path
	switch {
	case strings.Contains(path, searchPath):
		c.addSearch(x)
	case strings.Contains(path, jobsPath):
		c.addJobs(x, path[strings.LastIndexByte(path, '/')+1:])
	case strings.HasSuffix(path, lookupPath):
		c.addLookup(x)
	case x.request.Method == http.MethodPost:
		c.addToken(x)
	default:
		c.addFeed(x)
	}
}

// count counts an answer of a kind with its status, content type and form of
// body.
func (c *recorder) count(kind string, x *exchange, body string) *Answer {
	a := c.profile.answer(kind)
	a.Seen++
	a.Statuses[strconv.Itoa(x.status)]++
	a.Types[contentType(x.header)]++
	a.Bodies[body]++
	if x.gzip {
		a.Facts["gzip"]++
	}
	return a
}

// contentType returns the media type with its charset if the type is well
// known, so that no text of the board gets into a profile.
func contentType(h http.Header) string {
	raw := h.Get("Content-Type")
	if raw == "" {
		return "none"
	}
	media, params, err := mime.ParseMediaType(raw)
	if err != nil || !slices.Contains(mediaTypes, media) {
		return "another"
	}
	switch charset := strings.ToLower(params["charset"]); {
	case charset == "":
	case slices.Contains(charsets, charset):
		media += "; charset=" + charset
	default:
		media += "; charset of another name"
	}
	return media
}

var (
	mediaTypes = []string{
		"application/json", "application/problem+json", "application/hal+json", "application/vnd.api+json",
		"application/octet-stream", "application/xml", "text/json", "text/plain", "text/xml", "text/html",
		"application/rss+xml", "application/gzip", "application/javascript",
	}
	charsets = []string{"utf-8", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1252", "utf-16"}
)

// languages records the number of postings that differ, and that do not differ, by
// Accept-Language. If no posting differs, it is called again for each further language, and
// the last counts stay.
func (c *recorder) languages(differ, same int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.profile.Answers["search/page"]; a != nil {
		a.Facts[factTranslated], a.Facts[factSame] = differ, same
		maps.DeleteFunc(a.Facts, func(_ string, n int) bool { return n == 0 })
	}
}

const (
	factTranslated = "postings that differ by language"
	factSame       = "postings that do not differ by language"
)

// members counts the members of an object, once for each identity.
func (c *recorder) members(a *Answer, op, path string, v any, identity string) {
	key := sha256.Sum256([]byte(op + "\x00" + path + "\x00" + identity))
	if identity != "" && c.seen[key] {
		return
	}
	c.seen[key] = true
	s := Shape{members: a.Members, tables: tablesOf[op]}
	s.Add(path, v)
}

func refused(x *exchange) bool {
	switch x.status {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		if x.provoked {
			return true
		}
		v, form := x.parsed()
		o, _ := v.(object)
		_, says := o["error"].(string)
		return says || form == "none" || x.header.Get("WWW-Authenticate") != ""
	}
	return false
}

// addRefused records whether a refusal has its two fields in the header or in
// the body.
func (c *recorder) addRefused(op string, x *exchange) {
	v, form := x.parsed()
	a := c.count(op+"/refused", x, form)
	header := x.header.Get("WWW-Authenticate")
	for place, text := range map[string]string{"header": header, "body": memberText(v, "error")} {
		switch {
		case text == "":
		case strings.Contains(text, "invalid token"):
			a.Facts["invalid token in the "+place]++
		case strings.Contains(text, "invalid_token"):
			a.Facts["invalid_token in the "+place]++
		case place == "body" || strings.Contains(text, "error="):
			a.Facts["another error in the "+place]++
		default:
			a.Facts["a challenge without error"]++
		}
	}
	if _, ok := v.(object); ok {
		c.members(a, "", "", v, "")
	}
}

func memberText(v any, name string) string {
	o, _ := v.(object)
	s, _ := o[name].(string)
	return s
}

// bodyOf parses a body and returns its form: a JSON form, "bare text" or "none".
func bodyOf(body []byte) (v any, form string) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, "none"
	}
	v, err := parse(body)
	if err != nil {
		return nil, "bare text"
	}
	switch v := v.(type) {
	case string:
		return v, "JSON string"
	case object:
		return v, "JSON object"
	case []any:
		return v, "JSON array"
	case bool:
		return v, "JSON boolean"
	case nil:
		return v, "JSON null"
	}
	return v, "JSON number"
}

// isMadeUpChannel reports whether a search is for the channel that package conformance makes up.
func isMadeUpChannel(path string) bool {
	return strings.Contains(path, searchPath+"conformance-no-such-thing")
}

func (c *recorder) addSearch(x *exchange) {
	v, form := x.parsed()
	o, isObject := v.(object)
	_, hasAuth := x.request.Header["Authorization"]
	switch {
	case isMadeUpChannel(x.request.URL.Path):
		c.count("search/unknown channel", x, form)
		return
	case refused(x):
		if !c.basicProbe(x, "refused") {
			c.addRefused("search", x)
		}
		return
	case x.status == http.StatusInternalServerError:
		c.count("search/failure", x, form)
		return
	case x.status != http.StatusOK:
		c.addOther("search", x, form)
		return
	}
	if hasAuth && c.basicProbe(x, "taken") {
		return
	}
	kind := "search/page"
	if x.request.URL.RawQuery != "" {
		kind = "search/narrowed"
	}
	a := c.count(kind, x, form)
	if !isObject {
		c.members(a, "search", "", v, "")
		return
	}
	c.addPage(a, kind, o)
}

func (c *recorder) addPage(a *Answer, kind string, o object) {
	results, isList := o["results"].([]any)
	head := object{}
	for name, v := range o {
		head[name] = v
	}
	if isList {
		head["results"] = []any{}
	}
	s := Shape{members: a.Members, tables: tablesOf["search"]}
	s.Add("", head)
	if len(results) > 0 {
		list := a.Members["results"] // count has counted it as an empty list
		list.Forms[formNoItems]--
		if list.Forms[formNoItems] == 0 {
			delete(list.Forms, formNoItems)
		}
		list.Forms[formArray]++
	}
	for _, p := range results {
		identity := ""
		if posting, ok := p.(object); ok {
			identity = kind + fmt.Sprint(posting["jobPostingId"])
		}
		c.members(a, "search", "results[]", p, identity)
	}
	if kind == "search/page" {
		c.addPaging(a, o, len(results))
	}
}

// addPaging records the size and number of pages. A profile may hold these numbers,
// because they are settings of the board, not data about persons.
func (c *recorder) addPaging(a *Answer, o object, have int) {
	size, total, page := integer(o["itemsPerPage"]), integer(o["totalNumberOfJobs"]), integer(o["actualPage"])
	fromOne := integer(o["offset"]) == 0 && page > 0
	if fromOne {
		a.Facts[factPagesFrom+strconv.Itoa(page)]++
		page = 0
	}
	switch {
	case size <= 0 || total < 0 || page < 0:
	case total > size && have <= size && size < 10_000 && page <= total/size:
		a.Facts[factPageSize+strconv.Itoa(size)]++
		if !fromOne {
			a.Facts[factPage+strconv.Itoa(page)]++
		}
	case total == have:
		a.Facts[factOnePage]++
	}
}

const (
	factPageSize  = "postings on a page: "
	factPage      = "page: "
	factPagesFrom = "the first page is "
	factOnePage   = "all on one page"
)

func integer(v any) int {
	n, err := strconv.Atoi(fmt.Sprint(v))
	if err != nil {
		return -1
	}
	return n
}

// addOther counts an answer that fits no kind of the interface.
func (c *recorder) addOther(op string, x *exchange, form string) { c.count(op+"/another", x, form) }

// probeKey is the context key that marks the check's own probes of Basic.
type probeKey struct{}

// basicProbe records the outcome of a probe of Basic.
func (c *recorder) basicProbe(x *exchange, outcome string) bool {
	what, ok := x.request.Context().Value(probeKey{}).(string)
	if ok {
		a := c.profile.answer("search/probe")
		a.Seen++
		a.Statuses[strconv.Itoa(x.status)]++
		a.Facts[what+" "+outcome]++
	}
	return ok
}

var (
	codeWord   = regexp.MustCompile(`^[a-z]{2,20}(_[a-z]{2,20}){0,3}_error$`)
	lookupCode = regexp.MustCompile(`^ERROR_[A-Z]{2,20}(_[A-Z]{2,20}){0,3}$`)
	findCode   = regexp.MustCompile(`\bERROR_[A-Z_]+\b`)
)

func (c *recorder) addJobs(x *exchange, op string) {
	v, form := x.parsed()
	text := strings.TrimSpace(string(x.body))
	if s, ok := v.(string); ok {
		text = strings.TrimSpace(s)
	}
	code := memberText(v, "code")
	switch {
	case refused(x):
		c.addRefused(op, x)
	case x.status == http.StatusOK:
		a := c.count(op+"/answer", x, form)
		if op == "application" {
			a.Bodies = addForm(a.Bodies, form, identifierForm(x.body, form))
		}
	case code != "" || codeWord.MatchString(text):
		a := c.count(op+"/coded", x, form)
		if code == "" {
			code = text
		}
		a.Codes[knownCode(code, codeWord)]++
		if _, ok := v.(object); ok {
			c.members(a, "", "", v, "")
		}
	case x.status == 403 || x.status == 404 || x.status == 410:
		a := c.count(op+"/message", x, form)
		switch {
		case strings.Contains(text, " not fount "):
			a.Facts["says fount"]++
		case strings.Contains(text, " not found "):
			a.Facts["says found"]++
		}
	default:
		c.addOther(op, x, form)
	}
}

// addForm moves the count of a body from one form to another.
func addForm(bodies map[string]int, was, is string) map[string]int {
	if was != is {
		if bodies[was]--; bodies[was] == 0 {
			delete(bodies, was)
		}
		bodies[is]++
	}
	return bodies
}

// identifierForm returns the form of an application identifier, which may look like a number.
func identifierForm(body []byte, form string) string {
	switch {
	case form == "JSON number", form == "bare text":
		if bytes.HasSuffix(body, []byte("\n")) {
			return "bare text and a newline"
		}
		return "bare text"
	}
	return form
}

// knownCode returns a code in the form of a code, or "another" for other text.
func knownCode(code string, form *regexp.Regexp) string {
	if form.MatchString(code) {
		return code
	}
	return "another"
}

func (c *recorder) addLookup(x *exchange) {
	v, form := x.parsed()
	if o, _ := v.(object); o["jobId"] != nil && x.status == http.StatusOK {
		a := c.count("lookup/job", x, form)
		c.members(a, "lookup", "", v, x.request.URL.Query().Get("jobid"))
		return
	}
	code := findCode.FindString(string(x.body))
	switch {
	case code != "":
		a := c.count("lookup/error", x, form)
		a.Codes[knownCode(code, lookupCode)]++
		a.Facts[factCodeAt+codePlace(v, "")]++
		if v != nil {
			c.members(a, "", "", v, "")
		}
	case refused(x):
		c.addRefused("lookup", x)
	default:
		c.addOther("lookup", x, form)
	}
}

const factCodeAt = "code at "

// codePlace returns the path of the member with a code; each list index is
// written as 0.
func codePlace(v any, path string) string {
	switch v := v.(type) {
	case string:
		if findCode.MatchString(v) {
			return path
		}
	case []any:
		if len(v) > 0 {
			return codePlace(v[0], below(path, "0"))
		}
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if at := codePlace(v[name], below(path, memberName(name))); at != "" {
				return at
			}
		}
	}
	return ""
}

func (c *recorder) addToken(x *exchange) {
	v, form := x.parsed()
	if x.status != http.StatusOK {
		c.addOther("token", x, form)
		return
	}
	a := c.count("token/token", x, form)
	c.members(a, "", "", v, "")
	o, _ := v.(object)
	const month = 31 * 24 * 3600
	if n := integer(o["expires_in"]); n > 0 && n <= month {
		a.Facts[factLifetime+strconv.Itoa(n)]++
	}
}

const factLifetime = "seconds of a token: "
