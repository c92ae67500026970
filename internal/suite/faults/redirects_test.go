package faults_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

func redirectFaults() []fault {
	follow := func(reads cell) row { return every(reads).but(changing, final(jobboard.ErrRedirect)) }
	failed := func(requests int) row { return follow(cell{requests: requests, err: jobboard.ErrRedirect}) }
	return []fault{
		{
			name: "a redirect to the same origin", transport: handedOn, many: true, oneConn: true, cells: follow(requests(2)),
			forms: hops(1, 301, 302, 303, 307, 308),
		},
		{
			name: "a redirect to the same origin, three times", transport: handedOn, many: true, oneConn: true, cells: follow(requests(4)),
			forms: hops(3, 301, 308),
		},
		{
			name: "a redirect to the same origin, four times", transport: handedOn, many: true, oneConn: true, cells: failed(4),
			forms: hops(4, 302, 307),
		},
		{
			name: "a redirect to the same origin, in other words", transport: handedOn, status: 307, many: true, oneConn: true,
			cells: follow(requests(2)), forms: sameOrigins(),
		},
		{
			name: "a redirect to somewhere else", transport: handedOn, many: true, oneConn: true,
			cells: failed(1), forms: foreignLocations(),
		},
		{
			name: "a redirect to somewhere else, from the same origin", transport: handedOn, status: 302,
			many: true, oneConn: true, cells: failed(2),
			forms: []form{{name: "chained", serve: to(-1, func(x *exchange) string {
				return []string{"/pre/fix/step", "http://other.example:1/"}[x.n-1]
			})}},
		},
		{
			name: "a redirect in a loop", transport: handedOn, status: 308, many: true, oneConn: true, cells: follow(cell{
				atMost: 4, err: jobboard.ErrRedirect,
			}),
			forms: []form{
				{name: "to itself", serve: to(-1, func(x *exchange) string { return x.Request.RequestURI })},
				{name: "to nowhere in particular", serve: to(-1, func(*exchange) string { return "//" })},
				{name: "of two", serve: to(-1, func(x *exchange) string { return "/pre/fix/" + strconv.Itoa(x.n%2) })},
			},
		},
		{
			name: "a redirect with no or a broken Location", transport: handedOn, status: 302, many: true, cells: failed(1),
			forms: append(
				locations(
					"", "http://[::1", "http://a b.example/"+rig.SearchText.Secret, "%zz", "http://127.0.0.1:99999999/", "http://",
					"http:///pre/fix", "http:opaque", ":", "1http://x/",
				),
				form{name: "none", answer: answer{kind: page, body: "<html>moved</html>"}},
			),
		},
		{
			name: "300, 304, 305", transport: handedOn, many: true, cells: failed(1),
			forms: each([]int{300, 304, 305, 306, 399}, locations("/pre/fix/x")...),
		},
	}
}

// to redirects the first so many requests; -1: all.
func to(hops int, location func(*exchange) string) func(*exchange) {
	return func(x *exchange) {
		if hops >= 0 && x.n > hops {
			x.good()
			return
		}
		x.Answer(x.trial.status, page, `<a href="/moved">moved</a>`, "Location", location(x))
	}
}

func hops(n int, statuses ...int) []form {
	return each(statuses, form{serve: to(n, func(x *exchange) string {
		location := fmt.Sprintf("/moved/%d?step=%d", x.n, x.n)
		if x.n%2 == 0 {
			location = "http://" + x.Request.Host + location
		}
		return location
	})})
}

func locations(all ...string) (forms []form) {
	for _, location := range all {
		forms = append(forms, form{
			name:   "to " + strconv.Quote(location),
			answer: answer{header: []string{"Location", location}},
		})
	}
	return forms
}

func movedTo(base, lookup string) func(*trial) {
	return func(t *trial) { t.cfg.BaseURL, t.cfg.JobDBURL, t.cfg.AllowInsecure = base, lookup, true }
}

func sameOrigins() (all []form) {
	add := func(name string, configure func(*trial), location func(host string) string) {
		all = append(
			all,
			form{name: name, configure: configure, serve: to(1, func(x *exchange) string { return location(x.Request.Host) })},
		)
	}
	for name, location := range map[string]string{
		"whole": "http://HOST/x", "capitals": "HTTP://HOST/x", "without a scheme": "//HOST/x", "relative": "x",
		"up and away": "../../x", "a query": "?x=y", "a fragment": "/x#y",
	} {
		add(name, nil, func(host string) string { return strings.Replace(location, "HOST", host, 1) })
	}
	add("the scheme's own port", movedTo("http://127.0.0.1/pre/fix", "http://127.0.0.1/db"), func(host string) string {
		return "http://" + host + ":80/x"
	})
	add(
		"a name in capitals", movedTo("http://jobs.example:1/pre/fix", "http://lookup.example:2/db"),
		func(host string) string {
			return "http://" + strings.ToUpper(host) + "/x"
		},
	)
	return all
}

// foreignLocations are two of many: the suite of redirects has all of them.
func foreignLocations() []form {
	away := func(name, location string, configure func(*trial)) form {
		return form{
			name:      name,
			configure: configure,
			serve:     to(-1, func(x *exchange) string { return strings.Replace(location, "HOST", x.Request.Host, 1) }),
			wanted:    wanted{says: []string{"redirect not followed: to http"}, hides: []string{"elsewhere"}},
		}
	}
	return each(
		[]int{302, 307}, away("another host", "//other.example/elsewhere?q="+url.QueryEscape(rig.SearchText.Secret), nil),
		away("https to http", "http://HOST/elsewhere", overTLS(trustedCertificate)),
	)
}
