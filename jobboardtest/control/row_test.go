package control

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// TestCurl copies requests of the journal as commands.
func TestCurl(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	c := New(srv)
	authorization := http.Header{"Authorization": {"[...]"}, "User-Agent": {"x"}, "Accept-Language": {"de", "o'clock"}}
	for _, x := range []struct {
		request jobboardtest.Request
		want    string
	}{
		{
			jobboardtest.Request{Method: "GET", Address: "base_url", Path: "/board/a", Credential: "none"},
			`curl 'http://127.0.0.1:1/board/a'`,
		},
		{
			jobboardtest.Request{
				Method: "GET", Address: "jobdb_url", Path: "/info/b", Query: url.Values{"jobid": {"7"}},
				Credential: "user token of applicant 7", Header: authorization,
			},
			`curl -H "Authorization: Bearer $TOKEN" -H 'Accept-Language: de' -H 'Accept-Language: o'\''clock' 'http://127.0.0.1:2/info/b?jobid=7'`,
		},
		{
			jobboardtest.Request{Method: "GET", Path: "/c", Credential: "basic client 10", Header: authorization.Clone()},
			`curl -u '10:' -H 'Accept-Language: de' -H 'Accept-Language: o'\''clock' 'http://127.0.0.1:1/c'`,
		},
		{
			jobboardtest.Request{
				Method: "POST", Path: "/d", Body: "grant_type=password", Credential: "client 11",
				Header: http.Header{"Authorization": {"[...]"}},
			},
			`curl -X POST -u "$CLIENT" --data-raw 'grant_type=password' 'http://127.0.0.1:1/d'`,
		},
		{
			jobboardtest.Request{Method: "POST", Path: "/e", Body: "client_id=11", Credential: "client 11"},
			`curl -X POST --data-raw 'client_id=11' 'http://127.0.0.1:1/e'`,
		},
		{
			jobboardtest.Request{
				Method: "PUT", Address: "either", Path: "/g", Credential: "none", Header: http.Header{
					"Accept-Encoding": {"gzip"}, "Connection": {"close"}, "Content-Length": {"0"}, "X": {"2", "1"}, "A": {"3"},
				},
			},
			`curl -X PUT -H 'A: 3' -H 'X: 2' -H 'X: 1' 'http://127.0.0.1:1/g'`,
		},
		{
			jobboardtest.Request{Method: "DELETE", Path: "/h", Credential: "unknown credential", Header: authorization},
			`curl -X DELETE -u "$CLIENT" -H 'Accept-Language: de' -H 'Accept-Language: o'\''clock' 'http://127.0.0.1:1/h'`,
		},
		{ // HTTP lets a method have what a shell would carry out
			jobboardtest.Request{Method: "`id`|x", Path: "/f", Credential: "none"},
			"curl -X '`id`|x' 'http://127.0.0.1:1/f'",
		},
	} {
		if got := c.curl(x.request); got != x.want {
			t.Errorf("%s\nwant %s", got, x.want)
		}
	}
	if got := pretty(`{"a":[1]}`); got != "{\n  \"a\": [\n    1\n  ]\n}" {
		t.Errorf("JSON is shown as %s", got)
	}
	if got := pretty("not {JSON"); !strings.HasPrefix(got, "not {") {
		t.Errorf("text is shown as %s", got)
	}
}

// The path of a fault is a request's without the prefix of the address that it went to,
// and with nothing in it that a pattern reads otherwise.
func TestPathOfAFault(t *testing.T) {
	s := newSuite(t)
	c := New(s.srv)
	prefix := func(address string) string {
		u, err := url.Parse(address)
		if err != nil || len(u.Path) < 2 {
			t.Fatalf("%s has no prefix, %v", address, err)
		}
		return u.Path
	}
	board, jobs := prefix(s.srv.BaseURL), prefix(s.srv.JobDBURL)
	for path, want := range map[string]string{
		board + "/api/x":    "/api/x",
		jobs + "/jobdb/x":   "/jobdb/x",
		board + jobs + "/x": jobs + "/x", // one prefix, whatever stands behind it
		board + "ing/x":     board + "ing/x",
		"/elsewhere":        "/elsewhere",
		board + `/[a]*?\b`:  `/\[a]\*\?\\b`,
	} {
		if got := c.faultPath(jobboardtest.Request{Path: path}); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A request's question is spelled for people.
func TestQuestionOfARow(t *testing.T) {
	for want, r := range map[string]jobboardtest.Request{
		"/a":                                  {Path: "/a"},
		"/a?geoLocation=1::2::3&search=a%26b": {Path: "/a", Query: url.Values{"search": {"a&b"}, "geoLocation": {"1::2::3"}}},
	} {
		if got := row(r).Question; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestStatusKind(t *testing.T) {
	for status, want := range map[int]string{0: "none", 200: "good", 299: "good", 300: "warn", 499: "warn", 500: "bad", 599: "bad"} {
		if got := statusKind(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
}
