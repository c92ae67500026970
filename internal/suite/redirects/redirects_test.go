// Package redirects_test leads the client astray: no credential, and no request at all, may
// leave its origin.
package redirects_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// A slotCall is one credential and a call that sends it.
type slotCall struct {
	name   string
	secret string // as it stands in the header
	config func(cfg *jobboard.Config, base string)
	op     *rig.Operation
}

var slotCalls = []slotCall{
	{
		"basic", "Basic " + base64.StdEncoding.EncodeToString([]byte(rig.ClientID.Secret+":")),
		func(cfg *jobboard.Config, base string) { cfg.BaseURL, cfg.ClientID = base, rig.ClientID.Secret }, rig.Op("Search"),
	},
	{"client", "Bearer " + rig.ClientToken.Secret, func(cfg *jobboard.Config, base string) {
		cfg.BaseURL, cfg.TokenSource = base, jobboard.StaticToken(rig.ClientToken.Secret)
	}, rig.Op("Search")},
	{
		"applicant", "Bearer " + rig.ApplicantToken.Secret,
		func(cfg *jobboard.Config, base string) { cfg.BaseURL = base }, rig.Op("HasApplied"),
	},
	{"lookup", "Bearer " + rig.LookupToken.Secret, func(cfg *jobboard.Config, base string) {
		cfg.JobDBURL, cfg.JobDBTokenSource = base, jobboard.StaticToken(rig.LookupToken.Secret)
	}, rig.Op("JobInformation")},
}

func (sc slotCall) call(ctx context.Context, c *jobboard.Client) error {
	_, err := sc.op.Call(ctx, c, c.Applicant(jobboard.StaticToken(rig.ApplicantToken.Secret)))
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
	{"user", "SCHEME://elsewhere@HOST:PORT/x"},
	{"user part that looks like home", "SCHEME://HOST:PORT@elsewhere.example/x"},
	{"address", "SCHEME://192.0.2.10:PORT/x"},
	{"mapped address", "SCHEME://[::ffff:192.0.2.10]:PORT/x"},
	{"loopback", "SCHEME://[::1]:PORT/x"},
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
	{"look-alike letter", "SCHEME://\u0430pi.karriere.example:PORT/x"},
	{"tab in the scheme", "ht\ttp://HOST:PORT/x"},
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
	t.Logf("figure: redirects: %d cases, %d kinds of target that leave, %d that stay (followed %d times): "+
		"%d requests elsewhere",
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
	n, transport, stop := rig.Run(func(x *rig.Exchange) {
		if x.Address != rc.home {
			return
		}
		seen = append(seen, x.Request.Header.Get("Authorization"))
		switch {
		case rc.chained && len(seen) == 1:
			x.Answer(302, "", "", "Location", "/hop?x=1")
		case len(seen) == 1 || rc.chained && len(seen) == 2:
			x.Answer(rc.status, "", "", "Location", rc.location, "Refresh", "0; url="+rc.location)
		default:
			x.WriteHeader(http.StatusTeapot)
		}
	})
	defer stop()
	cfg := jobboard.Config{AllowInsecure: true, HTTPClient: &http.Client{Transport: transport}}
	rc.slot.config(&cfg, rc.base)
	err := rc.slot.call(t.Context(), rig.Client(t, cfg))

	elsewhere, received := n.Elsewhere(rc.home)
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
	if rc.foreign && (len(seen) != hops || !errors.Is(err,
		jobboard.ErrRedirect) || e.StatusCode != rc.status || e.Attempts != 1) {
		t.Errorf("%v: %d requests at home, want %d, error %v", rc, len(seen), hops, err)
	}
	origin, told := strings.CutSuffix(e.Location, "/...")
	if e.Location != "" && (!told || strings.Count(origin, "/") != 2) {
		t.Errorf("%v: Location is %q, want scheme and host", rc, e.Location)
	}
	text := fmt.Sprintf("%v %+v %#v", err, err, e)
	if strings.Contains(strings.ReplaceAll(text, cmp.Or(e.Location, "-"), ""), "elsewhere") || len(rig.Shown(text)) > 0 {
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
		n, transport, stop := rig.Run(func(x *rig.Exchange) {
			x.Header()["Location"] = locations
			x.WriteHeader(http.StatusFound)
		})
		cfg := jobboard.Config{HTTPClient: &http.Client{Transport: transport}}
		slotCalls[1].config(&cfg, "https://api.karriere.example")
		err := slotCalls[1].call(t.Context(), rig.Client(t, cfg))
		if !errors.Is(err, jobboard.ErrRedirect) {
			t.Errorf("%q: %v", locations, err)
		}
		if dials, received := n.Elsewhere("https://api.karriere.example:443"); dials != 0 {
			t.Errorf("%q: leaves: %s", locations, received)
		}
		stop()
	}
}
