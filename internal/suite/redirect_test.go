package suite_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// The credentials of the redirect cases.
const (
	redirectID     = "redirect-client-id"
	redirectClient = "redirect-client-token"
	redirectUser   = "redirect-user-token"
	redirectLookup = "redirect-lookup-token"
)

// A slotCall is one credential and a call that sends it.
type slotCall struct {
	name   string
	secret string // as it stands in the header
	config func(cfg *jobboard.Config, base string)
	call   func(ctx context.Context, c *jobboard.Client) error
}

var slotCalls = []slotCall{
	{
		"basic", "Basic " + base64.StdEncoding.EncodeToString([]byte(redirectID+":")),
		func(cfg *jobboard.Config, base string) { cfg.BaseURL, cfg.ClientID = base, redirectID },
		searchOnce,
	},
	{
		"client", "Bearer " + redirectClient,
		func(cfg *jobboard.Config, base string) {
			cfg.BaseURL, cfg.TokenSource = base, jobboard.StaticToken(redirectClient)
		},
		searchOnce,
	},
	{
		"applicant", "Bearer " + redirectUser,
		func(cfg *jobboard.Config, base string) { cfg.BaseURL = base },
		func(ctx context.Context, c *jobboard.Client) error {
			_, err := c.Applicant(jobboard.StaticToken(redirectUser)).HasApplied(ctx, 4711)
			return err
		},
	},
	{
		"lookup", "Bearer " + redirectLookup,
		func(cfg *jobboard.Config, base string) {
			cfg.JobDBURL, cfg.JobDBTokenSource = base, jobboard.StaticToken(redirectLookup)
		},
		func(ctx context.Context, c *jobboard.Client) error {
			_, err := c.JobInformation(ctx, 4711)
			return err
		},
	},
}

func searchOnce(ctx context.Context, c *jobboard.Client) error {
	_, err := c.Search(ctx, "27828_extern", jobboard.Query{Text: "redirect search text"})
	return err
}

// A redirectTarget is a Location that leaves the origin, in the words of the
// scheme, host and port of home.
type redirectTarget struct {
	kind     string
	location string
}

// foreignTargets are the ways out of an origin. HOST, PORT and SCHEME stand
// for home's, OTHER for the other scheme.
var foreignTargets = []redirectTarget{
	{"other host", "SCHEME://elsewhere.example:PORT/x"},
	{"other port", "SCHEME://HOST:8443/x"},
	{"sub-domain", "SCHEME://sub.HOST:PORT/x"},
	{"parent domain", "SCHEME://example:PORT/x"},
	{"longer name", "SCHEME://HOST.elsewhere.example:PORT/x"},
	{"user part", "SCHEME://user:word@HOST:PORT/x"},
	{"empty user part", "SCHEME://@HOST:PORT/x"},
	{"user part that looks like home", "SCHEME://HOST:PORT@elsewhere.example/x"},
	{"address", "SCHEME://192.0.2.10:PORT/x"},
	{"mapped address", "SCHEME://[::ffff:192.0.2.10]:PORT/x"},
	{"address as a number", "SCHEME://3221225994:PORT/x"},
	{"other scheme", "OTHER://HOST/x"},
	{"other scheme, same port", "OTHER://HOST:PORT/x"},
	{"other scheme in capitals", "OTHERCAPS://HOST:PORT/x"},
	{"scheme-relative host", "//elsewhere.example:PORT/x"},
	{"scheme-relative port", "//HOST:8443/x"},
	{"trailing dot", "SCHEME://HOST.:PORT/x"},
	{"backslash authority", `SCHEME:\\elsewhere.example\x`},
	{"backslash before at", `SCHEME://elsewhere.example\@HOST:PORT/x`},
	{"opaque", "SCHEME:elsewhere.example/x"},
	{"letter that lowers to i", "SCHEME://apİ.karriere.example:PORT/x"},
	{"the same escaped", "SCHEME://ap%C4%B0.karriere.example:PORT/x"},
	{"wide letters", "SCHEME://elsewhere。example:PORT/x"},
	{"soft hyphen", "SCHEME://else\u00adwhere.example:PORT/x"},
	{"no host", "SCHEME:///x"},
	{"only a port", "SCHEME://:PORT/x"},
	{"space in front of the host", "SCHEME:// elsewhere.example/x"},
	{"another protocol", "ftp://HOST/x"},
	{"script", "javascript:alert(1)"},
	{"data", "data:application/json,true"},
	{"file", "file:///etc/passwd"},
}

// homeTargets look like a way out, and are paths of the same origin. Followed
// or not, nothing leaves.
var homeTargets = []redirectTarget{
	{"backslashes", `\\elsewhere.example\x`},
	{"slash and backslash", `/\elsewhere.example/x`},
	{"three slashes", "///elsewhere.example/x"},
	{"dots", "/../../elsewhere.example/x"},
	{"path that reads like an address", "/https://elsewhere.example/x"},
	{"at sign in a path", "/@elsewhere.example/x"},
	{"home in capitals", "SCHEME://HOSTCAPS:PORT/x"},
	{"query only", "?elsewhere.example"},
}

var redirectStatuses = []int{301, 302, 303, 307, 308}

// A credential, and in fact any request, stays at the origin it was made for,
// wherever a redirect leads, at once or after a hop that stays.
func TestRedirectsKeepCredentials(t *testing.T) {
	bases := []string{
		"https://api.karriere.example:443", "https://api.karriere.example/prefix/api/rest/",
		"http://api.karriere.example:80/prefix", "https://api.karriere.example:9443/api/rest",
	}
	cases, followed, leaked := 0, 0, 0
	for _, base := range bases {
		scheme, rest, _ := strings.Cut(base, "://")
		authority, _, _ := strings.Cut(rest, "/")
		host, port, ok := strings.Cut(authority, ":")
		if !ok {
			port = "443"
		}
		other := map[string]string{"http": "https", "https": "http"}[scheme]
		home := scheme + "://" + host + ":" + port
		fill := strings.NewReplacer("SCHEME", scheme, "HOSTCAPS", strings.ToUpper(host), "HOST", host, "PORT", port,
			"OTHERCAPS", strings.ToUpper(other), "OTHER", other)
		for _, slot := range slotCalls {
			for _, status := range redirectStatuses {
				for _, chained := range []bool{false, true} {
					for i, target := range append(append([]redirectTarget(nil), foreignTargets...), homeTargets...) {
						foreign := i < len(foreignTargets)
						c := redirectCase{base, home, slot, status, chained, foreign, target.kind, fill.Replace(target.location)}
						cases++
						wasFollowed, foreignDials := c.run(t)
						leaked += foreignDials
						if wasFollowed {
							followed++
						}
					}
				}
			}
		}
	}
	if followed == 0 {
		t.Error("no redirect was followed: the cases prove nothing")
	}
	t.Logf("figure: redirects: %d cases, %d kinds of target that leave, %d that stay (followed %d times): %d requests elsewhere",
		cases, len(foreignTargets), len(homeTargets), followed, leaked)
	if cases < 900 {
		t.Errorf("%d cases, want at least 900", cases)
	}
}

type redirectCase struct {
	base, home string
	slot       slotCall
	status     int
	chained    bool
	foreign    bool
	kind       string
	location   string
}

func (rc redirectCase) String() string {
	return fmt.Sprintf("%s %d chained=%v %s: %s -> %s", rc.slot.name, rc.status, rc.chained, rc.kind, rc.base, rc.location)
}

// run says whether the redirect was followed, and how often anything but home
// was called.
func (rc redirectCase) run(t *testing.T) (followed bool, elsewhere int) {
	var seen []string // the Authorization of each request at home
	n := newVnet(t, func(address string, w http.ResponseWriter, r *http.Request) {
		if address != rc.home {
			return
		}
		seen = append(seen, r.Header.Get("Authorization"))
		switch {
		case rc.chained && len(seen) == 1:
			w.Header().Set("Location", "/hop?x=1")
			w.WriteHeader(302)
		case len(seen) == 1 || rc.chained && len(seen) == 2:
			w.Header()["Location"] = []string{rc.location}
			w.Header().Set("Refresh", "0; url="+rc.location)
			w.WriteHeader(rc.status)
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	})
	defer n.close()
	transport := n.transport(t)
	defer transport.CloseIdleConnections()
	cfg := jobboard.Config{AllowInsecure: true, HTTPClient: &http.Client{Transport: transport}}
	rc.slot.config(&cfg, rc.base)
	err := rc.slot.call(t.Context(), mustClient(t, cfg))

	elsewhere, received := n.others(rc.home)
	if elsewhere != 0 {
		t.Errorf("%v: %d connections elsewhere, which received:\n%s", rc, elsewhere, received)
	}
	for _, authorization := range seen {
		if authorization != rc.slot.secret {
			t.Errorf("%v: home got the credential %q, want %q", rc, authorization, rc.slot.secret)
		}
	}
	hops := 1
	if rc.chained {
		hops = 2
	}
	var e *jobboard.Error
	if !errors.As(err, &e) {
		t.Errorf("%v: error %v", rc, err)
		return false, elsewhere
	}
	if rc.foreign && (len(seen) != hops || !errors.Is(err, jobboard.ErrRedirect) || e.StatusCode != rc.status || e.Attempts != 1) {
		t.Errorf("%v: %d requests at home, want %d, error %v", rc, len(seen), hops, err)
	}
	if text := fmt.Sprintf("%v %+v %#v", err, err, e); strings.Contains(text, "elsewhere") || strings.Contains(text, "redirect-") {
		t.Errorf("%v: the error tells of the target: %s", rc, text)
	}
	return len(seen) > hops, elsewhere
}

// Two Locations are as good as none that can be trusted: whichever counts,
// nothing leaves.
func TestRedirectWithTwoLocations(t *testing.T) {
	for _, locations := range [][]string{
		{"/hop", "https://elsewhere.example/x"},
		{"https://elsewhere.example/x", "/hop"},
		{"", "https://elsewhere.example/x"},
		{"/hop, https://elsewhere.example/x"},
	} {
		n := newVnet(t, func(_ string, w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = locations
			w.WriteHeader(http.StatusFound)
		})
		cfg := jobboard.Config{HTTPClient: &http.Client{Transport: n.transport(t)}}
		slotCalls[1].config(&cfg, "https://api.karriere.example")
		err := slotCalls[1].call(t.Context(), mustClient(t, cfg))
		if !errors.Is(err, jobboard.ErrRedirect) {
			t.Errorf("%q: %v", locations, err)
		}
		if dials, received := n.others("https://api.karriere.example:443"); dials != 0 {
			t.Errorf("%q: leaves: %s", locations, received)
		}
	}
}

// A call that changes something is not redirected at all, not even at home:
// its body would go where nobody meant it to.
func TestRedirectOfChangesIsNotFollowed(t *testing.T) {
	for name, call := range map[string]func(*jobboard.Client) error{
		"Subscribe": func(c *jobboard.Client) error {
			_, err := c.Subscribe(t.Context(), jobboard.SubscriptionRequest{Body: map[string]string{"a": "b"}})
			return err
		},
		"ConfirmSubscription": func(c *jobboard.Client) error {
			_, err := c.ConfirmSubscription(t.Context(), "a1", nil)
			return err
		},
		"Unsubscribe": func(c *jobboard.Client) error {
			_, err := c.Unsubscribe(t.Context(), "a1")
			return err
		},
	} {
		for _, location := range []string{"/hop", "https://elsewhere.example/x"} {
			for _, status := range redirectStatuses {
				requests := 0
				n := newVnet(t, func(_ string, w http.ResponseWriter, _ *http.Request) {
					requests++
					w.Header().Set("Location", location)
					w.WriteHeader(status)
				})
				cfg := jobboard.Config{HTTPClient: &http.Client{Transport: n.transport(t)}}
				slotCalls[1].config(&cfg, "https://api.karriere.example")
				if err := call(mustClient(t, cfg)); !errors.Is(err, jobboard.ErrRedirect) || requests != 1 {
					t.Errorf("%s %d to %s: %d requests, %v", name, status, location, requests, err)
				}
				if dials, received := n.others("https://api.karriere.example:443"); dials != 0 {
					t.Errorf("%s %d to %s: leaves: %s", name, status, location, received)
				}
				n.close()
			}
		}
	}
}
