package conformance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// breakage is a way to break a mock server, or a target. All that is said of it stands in
// testdata/answers.txt; the table of them is in breakages_test.go.
type breakage struct {
	name    string
	target  func(*conformance.Target)
	request func(*exchange, *http.Request) // changes what the mock server gets
	respond func(*exchange)                // changes what it says
	anew    func() func(*exchange)         // makes respond, where that remembers something
}

func target(name string, f func(*conformance.Target)) breakage {
	return breakage{name: name, target: f}
}

func request(name string, f func(*exchange, *http.Request)) breakage {
	return breakage{name: name, request: f}
}

func respond(name string, f func(*exchange)) breakage {
	return breakage{name: name, respond: f}
}

// anew changes what a mock server says by what it said before: each mock server has a memory of its own.
func anew(name string, f func() func(*exchange)) breakage {
	return breakage{name: name, anew: f}
}

// TestBrokenFakes holds all that is said of each broken fake. Each rule is broken
// alone once: otherwise it would say what others say. Without JOBBOARD_TESTS=whole, or the
// flag -update, it tries a sixth of the fakes.
func TestBrokenFakes(t *testing.T) {
	if !testenv.Whole() && !golden.Updating() {
		someBrokenFakes(t)
		return
	}
	texts, failed := make([]string, len(breakages)), make([][]string, len(breakages))
	t.Run("each", func(t *testing.T) {
		for i, b := range breakages {
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				texts[i], failed[i] = b.check(t)
			})
		}
	})
	golden.Compare(t, "testdata/answers.txt", strings.Join(texts, ""))
	for _, r := range conformance.Checks() {
		if !slices.ContainsFunc(failed, func(names []string) bool { return slices.Equal(names, []string{r.Name}) }) {
			t.Errorf("no breakage is caught by %s and by nothing else", r.Name)
		}
	}
}

// someBrokenFakes holds what is said of some broken fakes.
func someBrokenFakes(t *testing.T) {
	const file = "testdata/answers.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for part := range strings.SplitSeq("\n"+string(data), "\n# ") {
		name, text, _ := strings.Cut(part, "\n")
		said[name] = strings.TrimSuffix(text, "\n")
	}
	for _, i := range rand.New(rand.NewPCG(testenv.Seed(t), 0)).Perm(len(breakages))[:len(breakages)/6] {
		b := breakages[i]
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			text, _ := b.check(t)
			_, got, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
			if want, ok := said[b.name]; !ok || got != want {
				t.Errorf("%s has:\n%s\ngot:\n%s", file, want, got)
			}
		})
	}
}

// check checks the broken fake and returns the problems, the rules that are not
// judged with the reason, and the names of the rules that are broken.
func (b breakage) check(t *testing.T) (text string, failed []string) {
	t.Helper()
	srv, target := fake(t)
	if b.anew != nil {
		b.respond = b.anew()
	}
	target.HTTPClient.Transport = &breaker{
		next: srv.Transport(), srv: srv, seen: map[string]int{}, request: b.request, respond: b.respond,
	}
	if b.target != nil {
		b.target(&target)
	}
	results, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Failed() {
			failed = append(failed, r.Name)
		}
	}
	return told(b.name, results), failed
}

// told writes the problems, and the rules that are not judged with the reason.
func told(name string, results []conformance.Result) string {
	text := "# " + name + "\n"
	skipped := ""
	for _, r := range results {
		if r.Skipped != skipped && skipped != "" {
			text += ": " + skipped + "\n"
		}
		switch {
		case r.Skipped == "":
		case r.Skipped != skipped:
			text += "skip " + r.Name
		default:
			text += " " + r.Name
		}
		skipped = r.Skipped
		for _, p := range r.Problems {
			text += fmt.Sprintf("FAIL %s: %s\n", r.Name, p)
		}
	}
	if skipped != "" {
		text += ": " + skipped + "\n"
	}
	return newID.ReplaceAllString(text, "[id]")
}

// exchange is one request and its answer, on its way through a breakage.
type exchange struct {
	srv     *jobboardtest.Server
	req     *http.Request // as the suite sent it
	op      string        // "search", "applied", "application", "lookup", "subscribe", "confirm", "stop"
	job     int64
	channel string // of a search
	n       int    // how many of this operation came before
	status  int
	header  http.Header
	body    []byte
	err     error // in place of an answer
	cut     bool  // the body ends with an error
}

// credential is the Authorization header, as the suite sent it.
func (x *exchange) credential() string { return x.req.Header.Get("Authorization") }

// asks reports whether a parameter was sent.
func (x *exchange) asks(parameter string) bool { return x.req.URL.Query().Has(parameter) }

// basicUser is the user name of a Basic credential.
func (x *exchange) basicUser() string {
	user, _, _ := x.req.BasicAuth()
	return user
}

// breaker is the mock server, broken.
type breaker struct {
	next    http.RoundTripper
	srv     *jobboardtest.Server
	seen    map[string]int
	request func(*exchange, *http.Request) // changes what the mock server gets
	respond func(*exchange)                // changes what it says
}

func (b *breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	x := &exchange{srv: b.srv, req: r}
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last := segments[len(segments)-1]
	switch {
	case last == "jobs":
		x.op, x.channel = "search", segments[len(segments)-2]
	case last == "applied" || last == "application":
		x.op = last
		x.job, _ = strconv.ParseInt(segments[len(segments)-2], 10, 64)
	case last == "external":
		x.op = "lookup"
		x.job, _ = strconv.ParseInt(r.URL.Query().Get("jobid"), 10, 64)
	default:
		x.op = map[string]string{"POST": "subscribe", "PUT": "confirm", "DELETE": "stop"}[r.Method]
	}
	x.n = b.seen[x.op]
	b.seen[x.op]++
	sent := r.Clone(r.Context())
	if b.request != nil {
		b.request(x, sent)
	}
	rs, err := b.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(rs.Body)
	rs.Body.Close()
	if err != nil {
		return nil, err
	}
	x.status, x.header, x.body = rs.StatusCode, rs.Header, body
	if b.respond != nil {
		b.respond(x)
	}
	if x.err != nil {
		return nil, x.err
	}
	rs.StatusCode, rs.Status, rs.ContentLength = x.status, "", int64(len(x.body))
	rs.Body = io.NopCloser(bytes.NewReader(x.body))
	if x.cut {
		rs.Body = io.NopCloser(iotest.ErrReader(errors.New("cut off")))
	}
	return rs, nil
}

// Which exchanges are broken.

type condition = func(*exchange) bool

// when limits a change of answers.
func when(fits condition, f func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if fits(x) {
			f(x)
		}
	}
}

// on limits a change of answers to one operation.
func on(op string, f func(*exchange)) func(*exchange) {
	return when(func(x *exchange) bool { return x.op == op }, f)
}

// onJob limits it to a job of the demo, by its field.
func onJob(op, field string, f func(*exchange)) func(*exchange) {
	return on(op, when(func(x *exchange) bool {
		return x.job == reflect.ValueOf(x.srv.Demo).FieldByName(field).Int()
	}, f))
}

var (
	isGood           = hasStatus(http.StatusOK)
	isAny            = func(*exchange) bool { return true }
	isFirst          = func(x *exchange) bool { return x.n == 0 }
	isNotAppliedJob  = func(x *exchange) bool { return x.job != x.srv.Demo.AppliedJob }
	isUnknownChannel = func(x *exchange) bool { return strings.HasPrefix(x.channel, "conformance-") }

	noCredential    = func(x *exchange) bool { return x.credential() == "" }
	isClientToken   = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.ClientToken }
	isApplicant     = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.ApplicantToken }
	isInternal      = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.InternalToken }
	isExpired       = func(x *exchange) bool { return x.credential() == "Bearer "+x.srv.Demo.ExpiredToken }
	isMadeUp        = func(x *exchange) bool { return strings.HasPrefix(x.credential(), "Bearer conformance-") }
	isBasic         = func(x *exchange) bool { return strings.HasPrefix(x.credential(), "Basic ") }
	isMadeUpClient  = func(x *exchange) bool { return strings.HasPrefix(x.basicUser(), "conformance-") }
	isTokenAsClient = func(x *exchange) bool { return x.basicUser() == x.srv.Demo.ClientToken }

	inGerman       = func(x *exchange) bool { return x.req.Header.Get("Accept-Language") == "de" }
	endsEmpty      = func(x *exchange) bool { return strings.HasSuffix(x.req.URL.RawQuery, "=") }
	hasRawColons   = func(x *exchange) bool { return strings.Contains(x.req.URL.RawQuery, "::") }
	asksTextAlone  = func(x *exchange) bool { return x.asks("search") && !x.asks("geoLocation") }
	asksPlaceAlone = func(x *exchange) bool { return x.asks("geoLocation") && !x.asks("search") }
	asksBoth       = func(x *exchange) bool { return x.asks("search") && x.asks("geoLocation") }
)

// isStableAgain reports whether application/stable asks for the second time.
func isStableAgain(x *exchange) bool { return isGood(x) && x.n == 4 }

// isLaterQuestion reports whether a rule asks more than whether an operation answers
// at all.
func isLaterQuestion(x *exchange) bool {
	switch x.op {
	case "search":
		return !isClientToken(x) || x.req.URL.RawQuery != "" || x.req.Header.Get("Accept-Language") != "" ||
			x.channel != x.srv.Demo.Channel
	case "applied", "application":
		return !isApplicant(x) || x.job != x.srv.Demo.AppliedJob
	case "lookup":
		return x.job != x.srv.Demo.OpenJob
	case "subscribe":
		return x.n == 0
	}
	return true
}

func asksAt(place string) condition {
	return func(x *exchange) bool { return strings.HasPrefix(x.req.URL.Query().Get("geoLocation"), place) }
}

func hasStatus(status int) condition {
	return func(x *exchange) bool { return x.status == status }
}

// isSpare reports whether an exchange is about a job to which the suite applies.
func isSpare(x *exchange) bool {
	return isGood(x) && x.job != x.srv.Demo.AppliedJob && x.job != x.srv.Demo.WithdrawnJob
}

// isSpareWithdrawn reports whether that application was withdrawn.
func isSpareWithdrawn(x *exchange) bool {
	return isSpare(x) && slices.ContainsFunc(x.srv.Snapshot().Applications, func(a jobboardtest.Application) bool {
		return a.JobID == x.job && a.Withdrawn
	})
}

// How an answer is broken.

func answer(status int, contentType, body string) func(*exchange) {
	return func(x *exchange) {
		x.status, x.body = status, []byte(body)
		x.header.Set("Content-Type", contentType)
		x.header.Del("WWW-Authenticate")
	}
}

var answer401 = answer(401, "application/json", `{"error":"invalid_token"}`)

func status(code int) func(*exchange) { return func(x *exchange) { x.status = code } }

func lost(x *exchange) { x.err = errors.New("reset") }

// body puts a body in the place of that of any answer, says of a good one; format
// puts it around that of a good one.
func body(text string) func(*exchange) { return func(x *exchange) { x.body = []byte(text) } }

func says(text string) func(*exchange) { return when(isGood, body(text)) }

func format(format string) func(*exchange) {
	return when(isGood, func(x *exchange) { x.body = fmt.Appendf(nil, format, x.body) })
}

func replace(from, to string) func(*exchange) {
	return func(x *exchange) { x.body = bytes.ReplaceAll(x.body, []byte(from), []byte(to)) }
}

type (
	object = map[string]any
	edit   = func(object)
)

// edits changes the JSON object of a good answer.
func edits(edits ...edit) func(*exchange) {
	return when(isGood, func(x *exchange) {
		var o object
		if err := json.Unmarshal(x.body, &o); err != nil {
			return
		}
		for _, f := range edits {
			f(o)
		}
		x.body, _ = json.Marshal(o)
	})
}

func onPage(f ...edit) func(*exchange)        { return on("search", edits(f...)) }
func onPosting(f ...edit) func(*exchange)     { return onPage(each("results", f...)) }
func onInformation(f ...edit) func(*exchange) { return on("lookup", edits(f...)) }
func onQuestion(f ...edit) func(*exchange)    { return onInformation(each("questions", f...)) }

func set(member string, value any) edit { return func(o object) { o[member] = value } }

func drop(member string) edit { return func(o object) { delete(o, member) } }

func rename(from, to string) edit {
	return func(o object) {
		if v, ok := o[from]; ok {
			delete(o, from)
			o[to] = v
		}
	}
}

// each changes the objects of a list.
func each(member string, edits ...edit) edit {
	return func(o object) {
		list, _ := o[member].([]any)
		for _, e := range list {
			for _, f := range edits {
				f(e.(object))
			}
		}
	}
}

// in changes the object in a member, if there is one.
func in(member string, edits ...edit) edit {
	return func(o object) {
		if inner, ok := o[member].(object); ok {
			for _, f := range edits {
				f(inner)
			}
		}
	}
}

// typed changes questions of one type.
func typed(name string, f edit) edit {
	return func(o object) {
		if o["type"] == name {
			f(o)
		}
	}
}

// german is an entry of a nationality catalog.
var german = object{"id": "2800137", "label": "German"}

// catalogIn gives all jobs one catalog, and the demo's open job another language than
// the others.
func catalogIn(open, other string) func(*exchange) {
	return on("lookup", func(x *exchange) {
		language := other
		if x.job == x.srv.Demo.OpenJob {
			language = open
		}
		edits(set("jobLanguage", language), set("nationalities", []any{german}))(x)
	})
}

// inTurn gives a member one value after the other.
func inTurn(member string, values ...any) edit {
	n := 0
	return func(o object) {
		o[member] = values[n%len(values)]
		n++
	}
}

// once changes the first answer to each query, and no other.
func once(f func(*exchange)) func(*exchange) {
	seen := map[string]bool{}
	return func(x *exchange) {
		if query := x.req.URL.RawQuery; !seen[query] {
			seen[query] = true
			f(x)
		}
	}
}

// How a request is broken.

func asClient(d jobboardtest.DemoInfo) string    { return d.ClientToken }
func asApplicant(d jobboardtest.DemoInfo) string { return d.ApplicantToken }

// pretend sends another credential in place of those that fit.
func pretend(op string, fits condition, as func(jobboardtest.DemoInfo) string) func(*exchange, *http.Request) {
	return func(x *exchange, r *http.Request) {
		if (x.op == op || op == "") && fits(x) {
			r.Header.Set("Authorization", "Bearer "+as(x.srv.Demo))
		}
	}
}

// query changes what is searched for.
func query(f func(url.Values)) func(*exchange, *http.Request) {
	return func(x *exchange, r *http.Request) {
		if x.op == "search" {
			q := r.URL.Query()
			f(q)
			r.URL.RawQuery = q.Encode()
		}
	}
}

// inOwnChannel searches the demo's channel in place of others.
func inOwnChannel(fits condition) func(*exchange, *http.Request) {
	return func(x *exchange, r *http.Request) {
		if x.op == "search" && fits(x) {
			r.URL.Path = strings.Replace(r.URL.Path, "/"+x.channel+"/", "/"+x.srv.Demo.Channel+"/", 1)
			r.URL.RawPath = ""
		}
	}
}

func withoutLanguage(_ *exchange, r *http.Request) { r.Header.Del("Accept-Language") }
