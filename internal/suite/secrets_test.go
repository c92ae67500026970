package suite_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/jobboard-sdk/jobboard-go"
	"golang.org/x/oauth2"
)

// The canaries: what is told in confidence. Each has a core that survives
// every way of quoting it.
var canaries = []struct{ name, secret, core string }{
	{"client identifier", "canaryBasicId7f31", "canaryBasicId7f31"},
	{"client token", "canaryClient.tok-en~9b2c/+==", "canaryClient.tok-en~9b2c"},
	{"applicant token", "canaryUser&tok'en\"<5d80>", "canaryUser"},
	{"lookup token", "canaryLookup%token\\6e44", "canaryLookup"},
	{"token endpoint's answer", "canaryRetrieve1a97", "canaryRetrieve1a97"},
	{"search text", "Köln & canarySearch \"c0ffee\" <x>", "canarySearch"},
}

const (
	canaryID = iota
	canaryClient
	canaryUser
	canaryLookup
	canaryRetrieve
	canarySearch
)

func canary(i int) string { return canaries[i].secret }

// needles are the forms in which a secret is looked for.
func needles(core string) map[string]string {
	forms := map[string]string{
		"raw":         core,
		"hex":         hex.EncodeToString([]byte(core)),
		"HEX":         strings.ToUpper(hex.EncodeToString([]byte(core))),
		"URL query":   url.QueryEscape(core),
		"URL path":    url.PathEscape(core),
		"JSON":        strings.Trim(string(must(json.Marshal(core))), `"`),
		"HTML":        html.EscapeString(core),
		"bytes":       strings.Trim(fmt.Sprint([]byte(core)), "[]"),
		"Go bytes":    strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", []byte(core)), "[]byte{"), "}"),
		"hex, spaced": fmt.Sprintf("% x", core),
	}
	// Base64 at each of the three places where it may stand in a longer text:
	// the characters that do not depend on the neighbours.
	for shift := range 3 {
		padded := append(make([]byte, shift), core...)
		from, to := (shift*8+5)/6, len(padded)*8/6
		forms[fmt.Sprintf("base64 at %d", shift)] = base64.RawStdEncoding.EncodeToString(padded)[from:to]
		forms[fmt.Sprintf("base64 URL at %d", shift)] = base64.RawURLEncoding.EncodeToString(padded)[from:to]
	}
	return forms
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// findSecrets says which canaries stand in the text, in any form.
func findSecrets(text string) []string {
	var found []string
	for i, c := range canaries {
		for form, needle := range canaryNeedles()[i] {
			if i := strings.Index(text, needle); i >= 0 {
				found = append(found, fmt.Sprintf("%s (%s) in …%.160q", c.name, form, text[max(0, i-60):]))
				break
			}
		}
	}
	return found
}

var canaryNeedles = sync.OnceValue(func() (all []map[string]string) {
	for _, c := range canaries {
		all = append(all, needles(c.core))
	}
	return all
})

// leaks gathers what was found, one line for each kind of leak.
type leaks struct {
	count map[string]int
	first map[string]string
}

func (l *leaks) look(kind, where, text string) {
	for _, found := range findSecrets(text) {
		what, _, _ := strings.Cut(found, " (")
		key := what + ", " + kind
		if l.count == nil {
			l.count, l.first = map[string]int{}, map[string]string{}
		}
		if l.count[key]++; l.count[key] == 1 {
			l.first[key] = where + ": " + found
		}
	}
}

func (l *leaks) report(t *testing.T) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(l.count)) {
		t.Errorf("%s: shown %d times; first: %s", key, l.count[key], l.first[key])
	}
}

// The search itself must find, or all below proves nothing.
func TestFindSecrets(t *testing.T) {
	for i, c := range canaries {
		s := c.secret
		for _, text := range []string{
			s, "x" + base64.StdEncoding.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte("a" + s + ":")),
			base64.URLEncoding.EncodeToString([]byte("ab" + s)), hex.EncodeToString([]byte(s)), fmt.Sprintf("%X", s),
			"?q=" + url.QueryEscape(s), url.PathEscape(s), fmt.Sprint([]byte(s)), fmt.Sprintf("%#v", []byte(s)), fmt.Sprintf("%q", s),
			string(must(json.Marshal(s))), html.EscapeString(s),
		} {
			if found := findSecrets("before " + text + " after"); len(found) != 1 || !strings.HasPrefix(found[0], canaries[i].name) {
				t.Errorf("%s in %q: found %q", c.name, text, found)
			}
		}
	}
	type hidden struct{ deep *[]any }
	deep := &hidden{&[]any{map[string]any{"a": struct{ b []byte }{[]byte(canary(0))}}, &canaries[1].secret}}
	if found := findSecrets(dump(deep)); len(found) != 2 {
		t.Errorf("the walker sees %q", found)
	}
}

// dump prints everything that reflection reaches from v: unexported fields,
// through pointers, maps and interfaces. What lives in a function it cannot
// see, and neither can a printer of that kind.
func dump(v any) string {
	d := dumper{seen: map[visit]bool{}}
	d.walk(reflect.ValueOf(v), 0)
	return d.String()
}

type visit struct {
	at unsafe.Pointer
	t  reflect.Type
}

type dumper struct {
	strings.Builder
	seen map[visit]bool
}

func (d *dumper) walk(v reflect.Value, depth int) {
	if depth > 200 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.WriteString(v.String() + "\n")
	case reflect.Pointer:
		if v.IsNil() || d.seen[visit{v.UnsafePointer(), v.Type()}] {
			return
		}
		d.seen[visit{v.UnsafePointer(), v.Type()}] = true
		d.walk(v.Elem(), depth+1)
	case reflect.Interface:
		if !v.IsNil() {
			d.walk(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.walk(v.Field(i), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, v.Len())
			for i := range b {
				b[i] = byte(v.Index(i).Uint())
			}
			d.WriteString(string(b) + "\n")
			return
		}
		for i := range v.Len() {
			d.walk(v.Index(i), depth+1)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			d.walk(it.Key(), depth+1)
			d.walk(it.Value(), depth+1)
		}
	}
}

// printings is every way in which a value may get into a text.
func printings(v any) map[string]string {
	all := formats(v)
	all["reflection"] = dump(v)
	return all
}

// formats is printings without reflection.
func formats(v any) map[string]string {
	all := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		all[verb] = fmt.Sprintf(verb, v)
	}
	if b, err := json.Marshal(v); err == nil {
		all["JSON"] = string(b)
	} else {
		all["JSON"] = err.Error()
	}
	var text, object bytes.Buffer
	options := &slog.HandlerOptions{Level: slog.LevelDebug - 10}
	slog.New(slog.NewTextHandler(&text, options)).Info("x", slog.Any("v", v), "w", []any{v})
	slog.New(slog.NewJSONHandler(&object, options)).Info("x", slog.Any("v", v), "w", map[string]any{"v": v})
	all["slog text"], all["slog JSON"] = text.String(), object.String()
	all["slog any"] = slog.AnyValue(v).Resolve().String()
	return all
}

func checkPrintings(t *testing.T, what string, v any) {
	t.Helper()
	for how, text := range printings(v) {
		for _, found := range findSecrets(text) {
			t.Errorf("%s, printed with %s, shows the %s", what, how, found)
		}
	}
}

// retrieveSource fails as an OAuth2 client does: its error holds the whole
// answer of the token endpoint.
type retrieveSource struct{ wrap func(error) error }

func (s retrieveSource) Token() (*oauth2.Token, error) {
	return nil, s.wrap(&oauth2.RetrieveError{
		Response: &http.Response{
			Status: "400 " + canary(canaryRetrieve), StatusCode: 400,
			Header:  http.Header{"X-Echo": {canary(canaryRetrieve)}},
			Request: must(http.NewRequest(http.MethodPost, "https://id.example/token?client_secret="+canary(canaryRetrieve), http.NoBody)),
		},
		Body:             []byte(`{"client_secret":"` + canary(canaryRetrieve) + `"}`),
		ErrorCode:        "invalid_client",
		ErrorDescription: canary(canaryRetrieve),
		ErrorURI:         "https://id.example/?" + canary(canaryRetrieve),
	})
}

// leakyService answers everything with what it was sent, in the form and the
// place that the scenario names.
type leakyService struct {
	status int
	form   string
}

func (s leakyService) String() string { return fmt.Sprintf("%d as %s", s.status, s.form) }

// saidBack is what a careless service says back: the header as it came, the
// credential in it, and the query.
func saidBack(r *http.Request) []string {
	all := []string{r.Header.Get("Authorization")}
	if _, credential, ok := strings.Cut(all[0], " "); ok {
		all = append(all, credential)
	}
	if user, _, ok := r.BasicAuth(); ok {
		all = append(all, user, user+":")
	}
	if q := r.URL.Query().Get("search"); q != "" {
		all = append(all, q, r.URL.RawQuery, "?"+strings.ReplaceAll(url.QueryEscape(q), "+", "%20"), lowerEscapes(url.QueryEscape(q)), url.PathEscape(q))
	}
	return all
}

var percentEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerEscapes(s string) string { return percentEscape.ReplaceAllStringFunc(s, strings.ToLower) }

func (s leakyService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	words := saidBack(r)
	all := strings.Join(words, " | ")
	body := ""
	switch s.form {
	case "text":
		body = "posting: " + all
	case "long text":
		body = strings.Repeat("x", 60) + all
	case "HTML":
		body = "<html><body>" + html.EscapeString(all) + " " + all + "</body></html>"
	case "JSON":
		body = string(must(json.Marshal(map[string]any{"code": all, "message": all, "error": all, "error_description": words})))
	case "JSON word":
		body = string(must(json.Marshal(all)))
	case "JSON, every letter escaped as ASCII":
		var b strings.Builder
		for _, c := range all {
			if c < 0x80 && c != '"' && c != '\\' && c != '/' {
				b.WriteRune(c)
			} else {
				fmt.Fprintf(&b, `\u%04x`, c)
			}
		}
		body = `{"message":"` + b.String() + `"}`
	case "header":
		quote := strings.NewReplacer(`"`, `\"`, `\`, `\\`)
		w.Header().Set("WWW-Authenticate", `Bearer error="`+quote.Replace(words[0])+`", error_description="`+quote.Replace(all)+`"`)
		w.Header().Set("Content-Type", "text/"+url.PathEscape(words[0]))
		w.Header().Set("Retry-After", words[0])
		w.Header().Set("X-Echo", all)
	case "encoding":
		w.Header().Set("Content-Encoding", words[len(words)-1])
	case "Location":
		w.Header().Set("Location", "https://elsewhere.example/"+url.PathEscape(all)+"?"+words[0])
	case "broken Location":
		w.Header().Set("Location", "https://elsewhere.example:port/%zz"+all)
	case "status line", "broken header", "broken status":
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		switch s.form {
		case "status line":
			fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Length: 0\r\n\r\n", s.status, all)
		case "broken header":
			fmt.Fprintf(conn, "HTTP/1.1 %d x\r\nBroken \x01 %s\r\n\r\n", s.status, all)
		case "broken status":
			fmt.Fprintf(conn, "%s\r\n\r\n", all)
		}
		return
	}
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, body)
}

var leakyForms = []string{
	"text", "long text", "HTML", "JSON", "JSON word", "JSON, every letter escaped as ASCII", "header", "encoding",
	"Location", "broken Location", "status line", "broken header", "broken status",
}

// allCalls is every operation of a client and an applicant, each with what it
// sends in confidence.
func allCalls(c *jobboard.Client, a *jobboard.Applicant) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Search": func(ctx context.Context) error {
			_, err := c.Search(ctx, "ch", jobboard.Query{Text: canary(canarySearch)})
			return err
		},
		"Postings": func(ctx context.Context) error {
			for _, err := range c.Postings(ctx, "ch", jobboard.Query{Text: canary(canarySearch)}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"Applicant.Search": func(ctx context.Context) error {
			_, err := a.Search(ctx, "ch", jobboard.Query{Text: canary(canarySearch)})
			return err
		},
		"HasApplied": func(ctx context.Context) error {
			_, err := a.HasApplied(ctx, 1)
			return err
		},
		"ApplicationID": func(ctx context.Context) error {
			_, err := a.ApplicationID(ctx, 1)
			return err
		},
		"JobInformation": func(ctx context.Context) error {
			_, err := c.JobInformation(ctx, 1)
			return err
		},
		"Subscribe": func(ctx context.Context) error {
			_, err := c.Subscribe(ctx, jobboard.SubscriptionRequest{Query: url.Values{"search": {canary(canarySearch)}}})
			return err
		},
		"ConfirmSubscription": func(ctx context.Context) error {
			_, err := c.ConfirmSubscription(ctx, "a1", nil)
			return err
		},
		"Unsubscribe": func(ctx context.Context) error {
			_, err := c.Unsubscribe(ctx, "a1")
			return err
		},
	}
}

// secretConfigs are clients with every kind of credential in every kind of
// holder.
func secretConfigs() map[string]jobboard.Config {
	renewing := func(token string) oauth2.TokenSource {
		return jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return &oauth2.Token{AccessToken: token}, nil })
	}
	return map[string]jobboard.Config{
		"Basic":    {ClientID: canary(canaryID), JobDBTokenSource: jobboard.StaticToken(canary(canaryLookup))},
		"static":   {TokenSource: jobboard.StaticToken(canary(canaryClient)), JobDBTokenSource: jobboard.StaticToken(canary(canaryLookup))},
		"renewing": {TokenSource: renewing(canary(canaryClient)), JobDBTokenSource: renewing(canary(canaryLookup))},
	}
}

// No secret is found in anything that is logged, printed or received by a
// foreign host, for calls that succeed and for calls whose answers echo
// everything they were sent.
func TestSecretsStayInside(t *testing.T) {
	texts, calls, failures := 0, 0, 0
	var found leaks
	for holder, cfg := range secretConfigs() {
		for _, form := range append([]string{"nothing"}, leakyForms...) {
			for _, status := range []int{200, 302, 400, 401, 403, 404, 410, 429, 500} {
				service := leakyService{status, form}
				n := newVnet(t, func(_ string, w http.ResponseWriter, r *http.Request) { service.ServeHTTP(w, r) })
				var log bytes.Buffer
				cfg := cfg
				cfg.BaseURL, cfg.JobDBURL = "https://api.karriere.example/prefix", "https://jobs.karriere.example"
				cfg.HTTPClient = &http.Client{Transport: n.transport(t)}
				cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}))
				cfg.Retry = jobboard.RetryPolicy{MaxAttempts: 2, MinWait: 1, MaxWait: 1}
				c := mustClient(t, cfg)
				a := c.Applicant(jobboard.StaticToken(canary(canaryUser)))
				for name, call := range allCalls(c, a) {
					calls++
					err := call(t.Context())
					if err == nil {
						continue
					}
					failures++
					for how, text := range printings(err) {
						texts++
						found.look("echoed as "+form+", in an error", fmt.Sprintf("%s, %s, %v, printed with %s", holder, name, service, how), text)
					}
				}
				found.look("echoed as "+form+", in the log", fmt.Sprintf("%s, %v", holder, service), log.String())
				for address := range n.dials {
					if address != "https://api.karriere.example:443" && address != "https://jobs.karriere.example:443" {
						t.Errorf("%s, %v: %s was called", holder, service, address)
					}
				}
				n.close()
			}
		}
	}
	found.report(t)
	t.Logf("figure: canaries: %d calls, %d failed, %d printings of errors", calls, failures, texts)
}

// A secret that the bound of a text cuts through must not be left in part:
// half a token is half of the work.
func TestSecretsAreNotCutInHalf(t *testing.T) {
	const token = "canaryClientHalf-0123456789abcdefghijklmnopqrstuvwxyz"
	for _, status := range []int{200, 400, 404} {
		for _, form := range []string{"%s%s", `{"message":"%s%s"}`, `{"code":"%s%s"}`, "\x01%s%s"} {
			for pad := range 400 {
				body := fmt.Sprintf(form, strings.Repeat("x", pad), token)
				n := roundTripper(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
				})
				c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", TokenSource: jobboard.StaticToken(token), HTTPClient: &http.Client{Transport: n}})
				_, err := c.Search(t.Context(), "ch", jobboard.Query{})
				if err == nil {
					t.Fatal("no error")
				}
				for how, text := range printings(err) {
					if i := strings.Index(text, token[:12]); i >= 0 {
						t.Errorf("%d, %.20q with %d bytes before it: %s shows a part of the token: %.100q", status, form, pad, how, text[i:])
						return
					}
				}
			}
		}
	}
	// And at the end of the kept body.
	for pad := 64<<10 - len(token); pad <= 64<<10; pad++ {
		n := roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: 404, Header: http.Header{}, Request: r,
				Body: io.NopCloser(strings.NewReader(strings.Repeat("x", pad) + token)),
			}, nil
		})
		c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", TokenSource: jobboard.StaticToken(token), HTTPClient: &http.Client{Transport: n}})
		_, err := c.Search(t.Context(), "ch", jobboard.Query{})
		var e *jobboard.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		if bytes.Contains(e.Body, []byte(token[:12])) {
			t.Errorf("with %d bytes before it the kept body ends in a part of the token", pad)
			return
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What a token source's failure holds stays in it.
func TestTokenErrorsShowNothing(t *testing.T) {
	for how, wrap := range map[string]func(error) error{
		"bare":    func(err error) error { return err },
		"wrapped": func(err error) error { return fmt.Errorf("fetching: %w", err) },
		"joined":  func(err error) error { return errors.Join(errors.New("x"), err) },
		"url": func(err error) error {
			return &url.Error{Op: "Post", URL: "https://id.example/?" + canary(canaryRetrieve), Err: err}
		},
		"url only": func(error) error {
			return &url.Error{Op: "Post", URL: "https://id.example/?" + canary(canaryRetrieve), Err: io.EOF}
		},
		"url in url": func(error) error {
			inner := &url.Error{Op: "Get", URL: "https://id.example/?" + canary(canaryRetrieve), Err: io.EOF}
			return fmt.Errorf("a: %w", &url.Error{Op: "Post", URL: "https://id.example/", Err: fmt.Errorf("b: %w", inner)})
		},
	} {
		var log bytes.Buffer
		failing := retrieveSource{wrap}
		renewing := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return failing.Token() })
		for kind, source := range map[string]oauth2.TokenSource{"foreign": &failing, "renewing": renewing} {
			c := mustClient(t, jobboard.Config{
				BaseURL: "https://api.example", JobDBURL: "https://jobs.example", TokenSource: source, JobDBTokenSource: source,
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				HTTPClient: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
					t.Error("something was sent")
					return nil, io.EOF
				})},
			})
			for name, call := range allCalls(c, c.Applicant(source)) {
				err := call(t.Context())
				if !errors.Is(err, jobboard.ErrToken) {
					t.Errorf("%s, %s, %s: %v", how, kind, name, err)
				}
				checkPrintings(t, how+", "+kind+", "+name, err)
				var retrieve *oauth2.RetrieveError
				if errors.As(err, &retrieve) {
					t.Errorf("%s, %s, %s: the error hands out the token endpoint's answer", how, kind, name)
				}
				var u *url.Error
				if errors.As(err, &u) {
					t.Errorf("%s, %s, %s: the error hands out a URL", how, kind, name)
				}
			}
		}
		for _, found := range findSecrets(log.String()) {
			t.Errorf("%s: the log shows the %s", how, found)
		}
	}
}

// Nothing that holds a credential shows it: not the configuration, not the
// client or an applicant before and after they were used, not the sources.
func TestHoldersShowNothing(t *testing.T) {
	var found leaks
	defer found.report(t)
	for holder, cfg := range secretConfigs() {
		n := newVnet(t, func(_ string, w http.ResponseWriter, r *http.Request) { leakyService{200, "text"}.ServeHTTP(w, r) })
		cfg.BaseURL, cfg.JobDBURL = "https://api.karriere.example/prefix", "https://jobs.karriere.example"
		cfg.HTTPClient = &http.Client{Transport: n.transport(t)}
		c := mustClient(t, cfg)
		user := jobboard.StaticToken(canary(canaryUser))
		a := c.Applicant(user)
		check := func(when string) {
			checkPrintings := func(_ *testing.T, what string, v any) {
				what = strings.TrimPrefix(what, holder+": ")
				for how, text := range printings(v) {
					found.look("in "+what, holder+", printed with "+how, text)
				}
			}
			checkPrintings(t, holder+": Client "+when, c)
			checkPrintings(t, holder+": Client by value "+when, *c)
			checkPrintings(t, holder+": Applicant "+when, a)
			checkPrintings(t, holder+": Applicant by value "+when, *a)
			checkPrintings(t, holder+": PostingStream "+when, []any{c.PostingStream(t.Context(), "ch", jobboard.Query{}), a.PostingStream(t.Context(), "ch", jobboard.Query{})})
			checkPrintings(t, holder+": RetryBudgets "+when, c.RetryBudgets())
			checkPrintings(t, holder+": sources "+when, []any{cfg.TokenSource, cfg.JobDBTokenSource, user})
			for i, source := range []any{cfg.TokenSource, cfg.JobDBTokenSource, user} {
				checkPrintings(t, fmt.Sprintf("%s: source %d %s", holder, i, when), source)
			}
			for _, source := range []any{cfg.TokenSource, cfg.JobDBTokenSource, user} {
				for how, text := range printings(source) {
					if how[0] == '%' && how != "%T" && source != nil && !strings.Contains(text, "[hidden]") {
						t.Errorf("%s: a source, printed with %s, is %q", holder, how, text)
					}
				}
			}
			checkPrintings(t, holder+": struct of sources "+when, struct {
				Some, Other oauth2.TokenSource
			}{cfg.TokenSource, cfg.JobDBTokenSource})
			// What printers make of a configuration. Reflection sees what the
			// user put into its fields: an identifier, a transport.
			for _, v := range []any{cfg, &cfg, []any{cfg}, struct{ C jobboard.Config }{cfg}, struct{ C *jobboard.Config }{&cfg}} {
				for how, text := range formats(v) {
					found.look(fmt.Sprintf("in a %T %s", v, when), holder+", printed with "+how, text)
				}
			}
		}
		check("before")
		for _, call := range allCalls(c, a) {
			_ = call(t.Context())
		}
		check("after")
	}
}

// NewClient's own errors name the field and not what is in it.
func TestConfigurationErrorsShowNothing(t *testing.T) {
	secret := canary(canaryID)
	for name, cfg := range map[string]jobboard.Config{
		"user part":         {BaseURL: "https://user:" + secret + "@api.example"},
		"query":             {BaseURL: "https://api.example/?token=" + secret},
		"fragment":          {BaseURL: "https://api.example/#" + secret},
		"broken":            {BaseURL: "https://api.example/%zz" + secret},
		"broken port":       {BaseURL: "https://api.example:" + secret},
		"control":           {BaseURL: "https://user:" + secret + "@api.example/\x7f"},
		"client identifier": {BaseURL: "https://api.example", ClientID: secret + "\n"},
		"colon":             {BaseURL: "https://api.example", ClientID: secret + ":word"},
		"token":             {BaseURL: "https://api.example", TokenSource: jobboard.StaticToken(secret + "\r\nX: y")},
		"lookup token":      {JobDBURL: "https://jobs.example", JobDBTokenSource: jobboard.StaticToken(secret + " x")},
		"both":              {BaseURL: "https://api.example", ClientID: secret, TokenSource: jobboard.StaticToken(secret)},
		"plain http":        {BaseURL: "http://api.example", ClientID: secret},
		"language":          {BaseURL: "https://api.example", Language: secret + "\n"},
		"agent":             {BaseURL: "https://api.example", UserAgent: secret + "\n"},
		"path":              {BaseURL: "https://api.example", SubscriptionPath: "/%zz" + secret},
	} {
		_, err := jobboard.NewClient(cfg)
		if !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkPrintings(t, name, err)
	}
}

// The text with which a program dies shows nothing either. The test runs
// itself as that program.
func TestPanicShowsNothing(t *testing.T) {
	if what := os.Getenv("JOBBOARD_TEST_PANIC"); what != "" {
		n := newVnet(t, func(_ string, w http.ResponseWriter, r *http.Request) { leakyService{404, "text"}.ServeHTTP(w, r) })
		cfg := secretConfigs()[os.Getenv("JOBBOARD_TEST_HOLDER")]
		cfg.BaseURL, cfg.JobDBURL = "https://api.karriere.example/prefix", "https://jobs.karriere.example"
		cfg.HTTPClient = &http.Client{Transport: n.transport(t)}
		c := mustClient(t, cfg)
		user := jobboard.StaticToken(canary(canaryUser))
		a := c.Applicant(user)
		_, err := c.Search(t.Context(), "ch", jobboard.Query{Text: canary(canarySearch)})
		_, err2 := a.HasApplied(t.Context(), 1)
		switch what {
		case "client":
			panic(c)
		case "client value":
			panic(*c)
		case "applicant":
			panic(a)
		case "config":
			panic(cfg)
		case "source":
			panic(user)
		case "error":
			panic(err)
		case "applicant's error":
			panic(err2)
		case "inside":
			_, _ = jobboard.NewClient(jobboard.Config{BaseURL: "https://api.example", TokenSource: user, HTTPClient: &http.Client{
				Transport: roundTripper(func(*http.Request) (*http.Response, error) { panic("transport") }),
			}})
			c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", TokenSource: user, HTTPClient: &http.Client{
				Transport: roundTripper(func(*http.Request) (*http.Response, error) { panic("transport") }),
			}})
			_, _ = c.Search(t.Context(), "ch", jobboard.Query{Text: canary(canarySearch)})
		}
		t.Fatal("did not panic")
	}
	for _, holder := range []string{"Basic", "static"} {
		for _, what := range []string{"client", "client value", "applicant", "config", "source", "error", "applicant's error", "inside"} {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanicShowsNothing$")
			cmd.Env = append(os.Environ(), "JOBBOARD_TEST_PANIC="+what, "JOBBOARD_TEST_HOLDER="+holder, "GOTRACEBACK=system")
			out, err := cmd.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("panic:")) {
				t.Errorf("%s, %s: the program did not panic: %v\n%s", holder, what, err, out)
				continue
			}
			for _, found := range findSecrets(string(out)) {
				t.Errorf("%s: a panic of the %s shows the %s", holder, what, found)
			}
		}
	}
}
