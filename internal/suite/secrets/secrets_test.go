// Package secrets_test looks for what is told in confidence in everything that
// is logged, printed or received by a foreign host.
package secrets_test

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
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// leaks gathers what was found, one line for each kind of leak.
type leaks struct {
	count map[string]int
	first map[string]string
}

func (l *leaks) look(kind, where, text string) {
	for _, found := range rig.Shown(text) {
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
	for _, c := range rig.Canaries {
		s := c.Secret
		for _, text := range []string{
			s, "x" + base64.StdEncoding.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte("a" + s + ":")),
			base64.URLEncoding.EncodeToString([]byte("ab" + s)), hex.EncodeToString([]byte(s)), fmt.Sprintf("%X", s),
			"?q=" + url.QueryEscape(s), url.PathEscape(s), fmt.Sprint([]byte(s)), fmt.Sprintf("%#v", []byte(s)),
			fmt.Sprintf("%q", s), string(rig.Must(json.Marshal(s))), html.EscapeString(s),
		} {
			if found := rig.Shown("before " + text + " after"); len(found) != 1 || !c.Is(found[0]) {
				t.Errorf("%v in %q: found %q", c, text, found)
			}
		}
	}
	type hidden struct{ deep *[]any }
	deep := &hidden{&[]any{map[string]any{"a": struct{ b []byte }{[]byte(rig.ClientID.Secret)}}, &rig.ClientToken.Secret}}
	if found := rig.Shown(rig.Dump(deep)); len(found) != 2 {
		t.Errorf("the walker sees %q", found)
	}
}

func checkPrintings(t *testing.T, what string, v any) {
	t.Helper()
	for how, text := range rig.Printings(v) {
		for _, found := range rig.Shown(text) {
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
			Status: "400 " + rig.TokenEndpoint.Secret, StatusCode: 400,
			Header: http.Header{"X-Echo": {rig.TokenEndpoint.Secret}},
			Request: rig.Must(http.NewRequest(http.MethodPost,
				"https://id.example/token?client_secret="+rig.TokenEndpoint.Secret, http.NoBody)),
		},
		Body: []byte(`{"client_secret":"` + rig.TokenEndpoint.Secret + `"}`), ErrorCode: "invalid_client",
		ErrorDescription: rig.TokenEndpoint.Secret, ErrorURI: "https://id.example/?" + rig.TokenEndpoint.Secret,
	})
}

// leakyService answers everything with what it was sent, in the form and the
// place that the scenario names.
type leakyService struct {
	status int
	form   string
}

func (s leakyService) String() string { return fmt.Sprintf("%d as %s", s.status, s.form) }

// saidBack returns what a careless service says back: the header unchanged, the credential in
// it, and the query.
func saidBack(r *http.Request) []string {
	all := []string{r.Header.Get("Authorization"), r.Header.Get("X-Api-Key")}
	if _, credential, ok := strings.Cut(all[0], " "); ok {
		all = append(all, credential)
	}
	if user, _, ok := r.BasicAuth(); ok {
		all = append(all, user, user+":")
	}
	if q := r.URL.Query().Get("search"); q != "" {
		all = append(all, q, strings.ReplaceAll(r.URL.RawQuery, rig.Channel.Secret, "-"),
			"?"+strings.ReplaceAll(url.QueryEscape(q), "+", "%20"), lowerEscapes(url.QueryEscape(q)), url.PathEscape(q))
	}
	return all
}

var percentEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerEscapes(s string) string { return percentEscape.ReplaceAllStringFunc(s, strings.ToLower) }

func (s leakyService) serve(x *rig.Exchange) {
	words := saidBack(x.Request)
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
		body = string(rig.Must(json.Marshal(map[string]any{
			"code": all, "message": all, "error": all, "error_description": words,
		})))
	case "problem":
		body = string(rig.Must(json.Marshal(map[string]any{"type": all, "title": all, "detail": words[0]})))
		x.Answer(s.status, "application/problem+json", body)
		return
	case "JSON word":
		body = string(rig.Must(json.Marshal(all)))
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
		challenge := `Bearer error="` + quote.Replace(words[0]) + `", error_description="` + quote.Replace(all) + `"`
		x.Answer(s.status, "text/"+url.PathEscape(words[0]), "", "WWW-Authenticate", challenge, "Retry-After", words[0],
			"X-Echo", all)
		return
	case "encoding":
		x.Header().Set("Content-Encoding", words[len(words)-1])
	case "Location":
		x.Header().Set("Location", "https://elsewhere.example/"+url.PathEscape(all)+"?"+words[0])
	case "Location's host":
		x.Header().Set("Location", "https://"+words[len(words)/2]+".elsewhere.example/")
	case "Location's user":
		x.Header().Set("Location", "https://"+url.PathEscape(words[len(words)/2])+":"+url.PathEscape(words[0])+"@elsewhere.example/")
	case "broken Location":
		x.Header().Set("Location", "https://elsewhere.example:port/%zz"+all)
	case "status line":
		x.Raw(fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Length: 0\r\n\r\n", s.status, all))
		return
	case "broken header":
		x.Raw(fmt.Sprintf("HTTP/1.1 %d x\r\nBroken \x01 %s\r\n\r\n", s.status, all))
		return
	case "broken status":
		x.Raw(all + "\r\n\r\n")
		return
	}
	x.Answer(s.status, "", body)
}

var leakyForms = []string{
	"text", "long text", "HTML", "JSON", "JSON word", "JSON, every letter escaped as ASCII", "header", "encoding",
	"Location", "Location's host", "Location's user", "problem", "broken Location", "status line", "broken header", "broken status",
}

// configs are clients with every kind of credential in every kind of holder.
func configs() map[string]jobboard.Config {
	all := map[string]jobboard.Config{
		"Basic": {ClientID: rig.ClientID.Secret, JobDBTokenSource: jobboard.StaticToken(rig.LookupToken.Secret)},
		"static": {
			TokenSource:      jobboard.StaticToken(rig.ClientToken.Secret),
			JobDBTokenSource: jobboard.StaticToken(rig.LookupToken.Secret),
		},
		"renewing": {TokenSource: rig.Renewing(rig.ClientToken.Secret), JobDBTokenSource: rig.Renewing(rig.LookupToken.Secret)},
	}
	for name, cfg := range all {
		cfg.BaseURL, cfg.JobDBURL = "https://api.karriere.example/prefix", "https://jobs.karriere.example"
		all[name] = cfg
	}
	return all
}

// No secret is found in anything that is logged, printed or received by a
// foreign host, for calls that succeed and for calls whose answers echo
// everything they were sent.
func TestSecretsStayInside(t *testing.T) {
	texts, calls, failures := 0, 0, 0
	var found leaks
	for holder, cfg := range configs() {
		for _, form := range append([]string{"nothing"}, leakyForms...) {
			for _, status := range []int{200, 302, 400, 401, 403, 404, 410, 429, 503} {
				service := leakyService{status, form}
				n, transport, stop := rig.Run(service.serve)
				var log bytes.Buffer
				cfg := cfg
				cfg.HTTPClient = &http.Client{Transport: transport}
				cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true, ReplaceAttr: rig.WithoutChannel}))
				cfg.Retry = jobboard.RetryPolicy{MaxAttempts: 2, MinWait: 1, MaxWait: 1}
				c := rig.Client(t, cfg).With(jobboard.CallOptions{Header: http.Header{"X-Api-Key": {rig.GatewayKey.Secret}}})
				a := c.Applicant(jobboard.StaticToken(rig.ApplicantToken.Secret))
				for _, op := range rig.Operations {
					calls++
					_, err := op.Call(t.Context(), c, a)
					if err == nil {
						continue
					}
					failures++
					for how, text := range rig.Printings(err) {
						texts++
						found.look("echoed as "+form+", in an error", fmt.Sprintf("%s, %s, %v, printed with %s", holder, op.Label,
							service, how), text)
					}
				}
				found.look("echoed as "+form+", in the log", fmt.Sprintf("%s, %v", holder, service), log.String())
				dials, _, _ := n.State()
				for _, d := range dials {
					if d.Address != "https://api.karriere.example:443" && d.Address != "https://jobs.karriere.example:443" {
						t.Errorf("%s, %v: %s was called", holder, service, d.Address)
					}
				}
				stop()
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
	var status int
	var body string
	c := rig.Client(t, jobboard.Config{
		BaseURL: "https://api.example", TokenSource: jobboard.StaticToken(token),
		HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			return rig.Respond(r, status, nil, strings.NewReader(body))
		})},
	})
	for _, status = range []int{200, 400, 404} {
		for _, form := range []string{"%s%s", `{"message":"%s%s"}`, `{"code":"%s%s"}`, "\x01%s%s"} {
			for pad := range 400 {
				body = fmt.Sprintf(form, strings.Repeat("x", pad), token)
				_, err := c.Search(t.Context(), "ch", jobboard.Query{})
				if err == nil {
					t.Fatal("no error")
				}
				for how, text := range rig.Printings(err) {
					if i := strings.Index(text, token[:12]); i >= 0 {
						t.Fatalf("%d, %.20q with %d bytes before it: %s shows a part of the token: %.100q", status, form, pad, how,
							text[i:])
					}
				}
			}
		}
	}
	// And at the end of the kept body.
	for pad := 64<<10 - len(token); pad <= 64<<10; pad++ {
		body = strings.Repeat("x", pad) + token
		_, err := c.Search(t.Context(), "ch", jobboard.Query{})
		if e, ok := errors.AsType[*jobboard.Error](err); !ok || bytes.Contains(e.Body, []byte(token[:12])) {
			t.Fatalf("with %d bytes before it the kept body ends in a part of the token: %v", pad, err)
		}
	}
}

// What a token source's failure holds stays in it.
func TestTokenErrorsShowNothing(t *testing.T) {
	for how, wrap := range map[string]func(error) error{
		"bare":    func(err error) error { return err },
		"wrapped": func(err error) error { return fmt.Errorf("fetching: %w", err) },
		"joined":  func(err error) error { return errors.Join(errors.New("x"), err) },
		"url": func(err error) error {
			return &url.Error{Op: "Post", URL: "https://id.example/?" + rig.TokenEndpoint.Secret, Err: err}
		},
		"url only": func(error) error {
			return &url.Error{Op: "Post", URL: "https://id.example/?" + rig.TokenEndpoint.Secret, Err: io.EOF}
		},
		"url in url": func(error) error {
			inner := &url.Error{Op: "Get", URL: "https://id.example/?" + rig.TokenEndpoint.Secret, Err: io.EOF}
			return fmt.Errorf("a: %w", &url.Error{Op: "Post", URL: "https://id.example/", Err: fmt.Errorf("b: %w", inner)})
		},
	} {
		var log bytes.Buffer
		failing := retrieveSource{wrap}
		renewing := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return failing.Token() })
		for kind, source := range map[string]oauth2.TokenSource{"foreign": &failing, "renewing": renewing} {
			c := rig.Client(t, jobboard.Config{
				BaseURL: "https://api.example", JobDBURL: "https://jobs.example", TokenSource: source, JobDBTokenSource: source,
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: rig.WithoutChannel})),
				HTTPClient: &http.Client{Transport: rig.RoundTripper(func(*http.Request) (*http.Response, error) {
					t.Error("something was sent")
					return nil, io.EOF
				})},
			})
			for _, op := range rig.Operations {
				name := op.Label
				_, err := op.Call(t.Context(), c, c.Applicant(source))
				if !errors.Is(err, jobboard.ErrToken) {
					t.Errorf("%s, %s, %s: %v", how, kind, name, err)
				}
				checkPrintings(t, how+", "+kind+", "+name, err)
				if _, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
					t.Errorf("%s, %s, %s: the error hands out the token endpoint's answer", how, kind, name)
				}
				if _, ok := errors.AsType[*url.Error](err); ok {
					t.Errorf("%s, %s, %s: the error hands out a URL", how, kind, name)
				}
			}
		}
		for _, found := range rig.Shown(log.String()) {
			t.Errorf("%s: the log shows the %s", how, found)
		}
	}
}

// Nothing that holds a credential shows it: the configuration, the client and an applicant
// before and after use, the sources.
func TestHoldersShowNothing(t *testing.T) {
	var found leaks
	defer found.report(t)
	for holder, cfg := range configs() {
		_, transport, stop := rig.Run(leakyService{200, "text"}.serve)
		defer stop()
		cfg.HTTPClient = &http.Client{Transport: transport}
		c := rig.Client(t, cfg).With(jobboard.CallOptions{Header: http.Header{"X-Api-Key": {rig.GatewayKey.Secret}}})
		user := jobboard.StaticToken(rig.ApplicantToken.Secret)
		a := c.Applicant(user)
		sources := []any{cfg.TokenSource, cfg.JobDBTokenSource, user}
		check := func(when string) {
			for what, v := range map[string]any{
				"Client": c, "Client by value": *c, "Applicant": a, "Applicant by value": *a,
				"PostingStream": []any{c.PostingStream(t.Context(), "ch", jobboard.Query{}), a.PostingStream(t.Context(), "ch",
					jobboard.Query{})},
				"sources": sources, "client's source": sources[0], "lookup's source": sources[1], "applicant's source": sources[2],
				"struct of sources": struct{ Some, Other oauth2.TokenSource }{cfg.TokenSource, cfg.JobDBTokenSource},
			} {
				for how, text := range rig.Printings(v) {
					found.look("in "+what+" "+when, holder+", printed with "+how, text)
				}
			}
			for _, source := range sources {
				for how, text := range rig.Printings(source) {
					if how[0] == '%' && how != "%T" && source != nil && !strings.Contains(text, "[hidden]") {
						t.Errorf("%s: a source, printed with %s, is %q", holder, how, text)
					}
				}
			}
			// What printers make of a configuration. Reflection sees what the
			// user put into its fields: an identifier, a transport.
			for _, v := range []any{
				cfg, &cfg,
				[]any{cfg},
				struct{ C jobboard.Config }{cfg},
				struct{ C *jobboard.Config }{&cfg},
				[]*jobboard.Config{&cfg},
				map[string]*jobboard.Config{"c": &cfg},
				[]struct{ C *jobboard.Config }{{&cfg}},
			} {
				for how, text := range rig.Formats(v) {
					found.look(fmt.Sprintf("in a %T %s", v, when), holder+", printed with "+how, text)
				}
			}
		}
		check("before")
		for _, op := range rig.Operations {
			_, _ = op.Call(t.Context(), c, a)
		}
		check("after")
	}
}

// NewClient's own errors name the field and not what is in it.
func TestConfigurationErrorsShowNothing(t *testing.T) {
	secret := rig.ClientID.Secret
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
		if cfg.Language != "" || cfg.UserAgent != "" || cfg.SubscriptionPath != "" {
			continue // these are shown as they are
		}
		for how, text := range rig.Formats(cfg) {
			if found := rig.Shown(text); found != nil {
				t.Errorf("%s: the settings, printed with %s, show %q", name, how, found)
			}
		}
	}
}

// The text with which a program dies shows nothing either. The test runs
// itself as that program.
func TestPanicShowsNothing(t *testing.T) {
	if what := os.Getenv("JOBBOARD_TEST_PANIC"); what != "" {
		_, transport, _ := rig.Run(leakyService{404, "text"}.serve)
		cfg := configs()[os.Getenv("JOBBOARD_TEST_HOLDER")]
		cfg.HTTPClient = &http.Client{Transport: transport}
		c := rig.Client(t, cfg).With(jobboard.CallOptions{Header: http.Header{"X-Api-Key": {rig.GatewayKey.Secret}}})
		user := jobboard.StaticToken(rig.ApplicantToken.Secret)
		a := c.Applicant(user)
		_, err := rig.Op("Search").Call(t.Context(), c, a)
		_, err2 := rig.Op("HasApplied").Call(t.Context(), c, a)
		if what == "inside" {
			cfg.HTTPClient = &http.Client{Transport: rig.RoundTripper(func(*http.Request) (*http.Response,
				error,
			) {
				panic("transport")
			})}
			c = rig.Client(t, cfg)
			_, _ = rig.Op("Search").Call(t.Context(), c, c.Applicant(user))
		}
		panic(map[string]any{
			"client": c, "client value": *c, "applicant": a, "config": cfg, "source": user, "error": err,
			"applicant's error": err2,
		}[what])
	}
	for _, holder := range []string{"Basic", "static"} {
		for _, what := range []string{
			"client", "client value", "applicant", "config", "source", "error", "applicant's error", "inside",
		} {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanicShowsNothing$")
			cmd.Env = append(os.Environ(), "JOBBOARD_TEST_PANIC="+what, "JOBBOARD_TEST_HOLDER="+holder, "GOTRACEBACK=system")
			out, err := cmd.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("panic:")) {
				t.Errorf("%s, %s: the program did not panic: %v\n%s", holder, what, err, out)
				continue
			}
			for _, found := range rig.Shown(string(out)) {
				t.Errorf("%s: a panic of the %s shows the %s", holder, what, found)
			}
		}
	}
}
