package jobboard

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/call"
)

// routed returns what a service's own router makes of a request.
func routed(t *testing.T, pattern, name string, r *http.Request) (value string, segments int, ok bool) {
	mux := http.NewServeMux()
	mux.HandleFunc(pattern, func(_ http.ResponseWriter, r *http.Request) { value, ok = r.PathValue(name), true })
	// The request as a server parses it.
	target := r.URL.RequestURI()
	parsed, err := url.ParseRequestURI(target)
	if err != nil {
		t.Fatalf("%q: %v", target, err)
	}
	again := httptest.NewRequest(r.Method, "http://h/", http.NoBody)
	again.URL, again.RequestURI = parsed, target
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, again)
	if rec.Code >= 300 {
		t.Logf("%q: %d %s", target, rec.Code, rec.Header().Get("Location"))
	}
	path, _, _ := strings.Cut(target, "?")
	return value, strings.Count(path, "/"), ok
}

// FuzzPathSegment: what goes in as a channel or an identifier comes out of a
// router unchanged, in exactly one segment, or is refused before it is sent.
func FuzzPathSegment(f *testing.F) {
	for _, s := range []string{
		"27828_extern", "a/b", "..", ".", "%2e%2e", "%2F", "a b", "ä", "?x", "#x", "a?b=c", "//", "a//b", `\`, "a\x00b", "\r\n", ";v=1",
		"{x}", "a%", "%zz", "\xff", "...", "a+b", "a:b", "@", "a\u202eb", "\x7f", "~", "*", "", " ", "./", "../x",
	} {
		f.Add(s, "", "")
		f.Add(s, "/prefix/api/rest", "/subs")
		f.Add(s, "/pre%2Ffix/ü", "/abo/x y")
	}
	f.Fuzz(func(t *testing.T, name, prefix, subscriptions string) {
		if prefix != "" && prefix[0] != '/' {
			return // part of the host
		}
		var sent *http.Request
		c, err := sending(&sent, Config{BaseURL: "https://api.example" + prefix, ClientID: "id", SubscriptionPath: subscriptions})
		if err != nil {
			return
		}
		refused := name == "" || name == "." || name == ".." || len(name) > 1024 || strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0
		before := c.base.Base.EscapedPath()
		pattern := func(rest string) string {
			// A router's pattern for the fixed part: any segments of that number.
			p := ""
			for i := range strings.Count(before+rest, "/") {
				p += "/{p" + strconv.Itoa(i) + "}"
			}
			return p
		}
		check := func(what, wantPrefix, pattern string, segments int) {
			switch {
			case refused && sent != nil:
				t.Fatalf("%s %q: sent as %s", what, name, sent.URL)
			case refused:
				return
			case sent == nil:
				t.Fatalf("%s %q: not sent", what, name)
			}
			if sent.URL.Host != "api.example" || !strings.HasPrefix(sent.URL.Path, wantPrefix) {
				t.Fatalf("%s %q: sent to %s, want %s under %s", what, name, sent.URL, "api.example", wantPrefix)
			}
			if strings.Contains(before, "//") || strings.Contains(wantPrefix, "//") {
				return // a router cleans such an address before it routes
			}
			value, n, ok := routed(t, pattern, "it", sent)
			if name == "/" && n == segments {
				return // ServeMux takes it for the end of a path
			}
			if !ok || value != name || n != segments {
				t.Fatalf("%s %q with base %q: arrives as %q (%v), %d segments, want %d: %s", what, name, before, value, ok, n, segments, sent.URL)
			}
		}
		_, _ = c.Search(context.Background(), ChannelID(name), Query{})
		fixed := "/api/rest/v2/frontend/jobboards"
		check("channel", c.base.Base.Path+fixed+"/", "GET "+pattern(fixed)+"/{it}/jobs", strings.Count(before, "/")+7)

		sent = nil
		_, _ = c.Unsubscribe(context.Background(), SubscriptionID(name))
		if subscriptions == "" {
			subscriptions = "/jobabo"
		}
		abo := "/" + strings.Trim(subscriptions, "/")
		if strings.Count(abo, "/") > 20 {
			return
		}
		check("subscription", c.base.Base.Path+abo+"/", "DELETE "+pattern(abo)+"/{it}", strings.Count(before+abo, "/")+1)
	})
}

// FuzzBaseAddress: an address is taken or refused; one that is taken stays as
// it is when it is read again, has no doubled /api/rest, and leads to its own
// host and nowhere else.
func FuzzBaseAddress(f *testing.F) {
	for _, s := range []string{
		"https://api.example", "https://api.example/", "https://api.example/api/rest", "https://api.example/api/rest/", "https://api.example/x/api/rest/api/rest",
		"http://[::1]:8080/x", "https://user@api.example", "https://api.example?x", "https://api.example/#f", "//api.example", "api.example", "ftp://x", "https://",
		"https://api.example/../x", "https://api.example/%2e%2e/x", "https://api.example/a%2Fb", "https://api.example:443", "https://API.example", "https://api.example//x//",
		"https://api.example/api/rest//", "HTTPS://x", "https://x:", "https://x:99999", "https://%61", "https://ü.example/ü", "https://x/%zz", "https://x\x00", "https:x", "https:///x",
		"https://x/a%2Fb/ü", "https://x/ü%2f/api/rest",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := baseAddress("BaseURL", address, "/api/rest")
		if err != nil || u == nil {
			if _, err := NewClient(Config{BaseURL: address, ClientID: "id"}); err == nil {
				t.Fatalf("%q: baseAddress refuses, NewClient does not", address)
			}
			return
		}
		again, err := baseAddress("BaseURL", u.String(), "/api/rest")
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q: %q is read again as %v, %v", address, u, again, err)
		}
		if path := u.EscapedPath(); strings.HasSuffix(path, "/") || strings.HasSuffix(path, "/api/rest") {
			t.Fatalf("%q: path %q", address, path)
		}
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q: %#v", address, u)
		}
		var sent *http.Request
		c, err := sending(&sent, Config{BaseURL: address, ClientID: "id", AllowInsecure: true})
		if err != nil {
			t.Fatalf("%q: %v", address, err)
		}
		_, _ = c.Search(context.Background(), "ch", Query{})
		if sent == nil {
			t.Fatalf("%q: nothing was sent", address)
		}
		if sent.URL.Host != u.Host || sent.URL.Scheme != u.Scheme || sent.URL.EscapedPath() != u.EscapedPath()+"/api/rest/v2/frontend/jobboards/ch/jobs" {
			t.Fatalf("%q: sent to %s", address, sent.URL)
		}
		// What the config said of the address is what a browser would say.
		given, err := url.Parse(address)
		if err != nil || !strings.EqualFold(given.Host, sent.URL.Host) {
			t.Fatalf("%q: host %q", address, sent.URL.Host)
		}
		slashes := func(path string) int { return strings.Count(strings.ToLower(path), "%2f") }
		if slashes(sent.URL.EscapedPath()) != slashes(address) {
			t.Fatalf("%q: sent to %s", address, sent.URL)
		}
	})
}

// FuzzRedirectLocation: whatever a service names, the request that follows has
// the scheme and the host of the one before, and no user part.
func FuzzRedirectLocation(f *testing.F) {
	for _, s := range []string{
		"/x", "x", "?y", "#z", "", "//evil.example/", "https://evil.example", "https://api.karriere.example/x", "HTTPS://API.KARRIERE.EXAMPLE:443/",
		"https://user@api.karriere.example/", "https://apİ.karriere.example/", "https://ap%C4%B0.karriere.example/", "https://api.ſkarriere.example", "https://api.\u212aarriere.example/",
		"https://api.karriere.example:8443/", "http://api.karriere.example/", `\\evil.example`, `/\evil.example`, "///evil.example", "https:evil", "https:///x", "%zz", "https://api.karriere.example./",
		"javascript:x", "https://api.karriere.example\t/", "//api.karriere.example@evil.example", "//[::1]/", "https://api.karriere.example:0443/", "https://api.karriere.example:/",
	} {
		for _, status := range []int{301, 307, 300} {
			f.Add(s, status, "https://api.karriere.example/prefix")
		}
		f.Add(s, 302, "http://127.0.0.1:8080")
	}
	f.Fuzz(func(t *testing.T, location string, status int, base string) {
		if status < 300 || status > 399 {
			return
		}
		var sent []*http.Request
		c, err := NewClient(Config{
			BaseURL: base, ClientID: "id", AllowInsecure: true, Retry: RetryPolicy{MaxAttempts: 1},
			HTTPClient: &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				sent = append(sent, r)
				return &http.Response{StatusCode: status, Header: http.Header{"Location": {location}}, Body: http.NoBody, Request: r}, nil
			})},
		})
		if err != nil {
			return
		}
		_, err = c.Search(context.Background(), "ch", Query{})
		if !isOneOf(err, []error{ErrRedirect}) {
			t.Fatalf("%d %q: %v", status, location, err)
		}
		if len(sent) < 1 || len(sent) > 1+call.MaxRedirects {
			t.Fatalf("%d %q: %d requests", status, location, len(sent))
		}
		for _, r := range sent[1:] {
			if r.URL.Scheme != sent[0].URL.Scheme || r.URL.Host != sent[0].URL.Host || r.Host != sent[0].Host || r.URL.User != nil || r.URL.Fragment != "" {
				t.Fatalf("%d %q from %s: followed to %s (Host %q)", status, location, sent[0].URL, r.URL, r.Host)
			}
			// What it says must be home for everybody who reads it, not for
			// us alone.
			given, err := url.Parse(location)
			if err != nil || given.Host != "" && !strings.EqualFold(asciiOnly(given.Hostname()), sent[0].URL.Hostname()) {
				t.Fatalf("%d %q from %s: followed, %v", status, location, sent[0].URL, err)
			}
		}
		if status == 300 || status == 304 || status == 305 {
			if len(sent) != 1 {
				t.Fatalf("%d is followed", status)
			}
		}
	})
}

// asciiOnly spoils what is not ASCII, so that no folding makes it something
// else.
func asciiOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 {
			return '?'
		}
		return r
	}, s)
}

// sending makes a client that notes its last request and sends it nowhere.
func sending(last **http.Request, cfg Config) (*Client, error) {
	cfg.Retry.MaxAttempts = 1
	cfg.HTTPClient = &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		*last = r
		return nil, io.EOF
	})}
	return NewClient(cfg)
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
