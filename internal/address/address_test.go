package address

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestBase: a pasted address loses its slash and the suffix, or is refused in
// words that hold nothing of it.
func TestBase(t *testing.T) {
	for _, c := range []struct{ text, suffix, want, wrong string }{
		{"https://jobs.example/", "/api/rest", "https://jobs.example", ""},
		{"https://jobs.example/a/api/rest/api/rest//", "/api/rest", "https://jobs.example/a", ""},
		{"https://jobs.example/a/api/rest", "", "https://jobs.example/a/api/rest", ""},
		{"https://jobs.example/a%2Fb/", "", "https://jobs.example/a%2Fb", ""},
		{"https://s3cret@jobs.example", "", "", "has a user part: set the credential in its own field"},
		{"https://jobs.example/%zz", "", "", "is not an address"},
		{"https://jobs.example/a/../b", "", "", "has . or .. in its path"},
		{"https://jobs.example/a/.", "", "", "has . or .. in its path"},
		{"https://jobs.example?", "", "", "has a query or a fragment: leave it off"},
		{"https:jobs.example", "", "", "has no host"},
		{"jobs.example", "", "", `is not an absolute http or https address, such as "https://board.example"`},
		{"https://\u00f6jobs.example", "", "", "has a host with letters beyond ASCII: write it in its xn-- form"},
		{"https://j\u0080bs.example", "", "", "has a host with letters beyond ASCII: write it in its xn-- form"},
	} {
		u, wrong := Base(c.text, c.suffix)
		if wrong != c.wrong || wrong == "" && u.String() != c.want {
			t.Errorf("%s: %v, %q", c.text, u, wrong)
		}
		if wrong == "" && (u.RawPath != "") != strings.Contains(c.want, "%") {
			t.Errorf("%s: a raw path of %q, which each request pays for", c.text, u.RawPath)
		}
	}
}

// TestBaseKeepsItsPath: whatever is escaped in a base address and whatever is not, the path that is
// sent has the written segments, and what was escaped stays escaped.
func TestBaseKeepsItsPath(t *testing.T) {
	parts := []string{
		"a", "a%2Fb", "a%2fb", "%C3%A9", "é", "c d", "c%20d", "%41", "[x]", "a;b=1,2", "!$&'()*+:@~", `"`, "|", "^", "<a>", "\\", "`{}", "日本",
	}
	decoded := func(escaped string) (segments []string) {
		for segment := range strings.SplitSeq(escaped, "/") {
			text, err := url.PathUnescape(segment)
			if err != nil {
				t.Errorf("%q: %v", escaped, err)
			}
			segments = append(segments, text)
		}
		return segments
	}
	for _, suffix := range []string{"", "/api/rest"} {
		for _, one := range parts {
			for _, other := range parts {
				path := "/" + one + "/" + other
				u, wrong := Base("https://jobs.example"+path+suffix+"/", suffix)
				if wrong != "" {
					t.Errorf("%s: %s", path, wrong)
					continue
				}
				sent := u.RequestURI()
				if got, want := decoded(sent), decoded(path); !slices.Equal(got, want) {
					t.Errorf("%s is sent as %s", path, sent)
				}
				if strings.ContainsFunc(sent, func(r rune) bool { return r <= ' ' || r > '~' }) {
					t.Errorf("%s is not escaped: %s", path, sent)
				}
				for _, written := range []string{"%2F", "%2f", "%41", "a;b=1,2"} {
					if strings.Count(sent, written) != strings.Count(path, written) {
						t.Errorf("%s is sent as %s", path, sent)
					}
				}
			}
		}
	}
}

// TestLink: a link is shown as it is, or refused in words that hold nothing of it.
func TestLink(t *testing.T) {
	for text, want := range map[string]string{
		"https://jobs.example/a?b=%20#c": "",
		"http://jobs.example:65535":      "",
		"http://jobs.example:1":          "",
		"":                               "is empty",
		"https://jobs.example/%zz":       "is not an address",
		"jobs.example/a":                 `is not an absolute http or https address, such as "https://board.example"`,
		"ftp://jobs.example":             `is not an absolute http or https address, such as "https://board.example"`,
		"https:///a":                     "has no host",
		"https:jobs.example":             "has no host",
		"https://jobs.example:0":         "has no usable port",
		"https://jobs.example:65536":     "has no usable port",
		"https://u:p@jobs.example":       "has a user part",
		"https://u@jobs.example/ ":       "has a character that no address has",
		"https://jobs.example/\\":        "has a character that no address has",
		"https://jobs.example/#\x7f":     "has a character that no address has",
	} {
		if u, wrong := Link(text); wrong != want || wrong == "" && u.String() != text {
			t.Errorf("%q: %v, %q", text, u, wrong)
		}
	}
}

// TestOrigin: the scheme implies the port, and letters of a host have no case.
func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"http://Jobs.example/a": "http://jobs.example:80", "https://jobs.example": "https://jobs.example:443",
		"http://[::1]:8080": "http://[::1]:8080",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := OriginOf(u); got.String() != want || !got.Is(u) {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, host := range []string{"l\u0130fe.example", "li\u0307fe.example", "life.example\u212a", "life.example "} {
		if own := (Origin{"https", "life.example", "443"}); own.Is(&url.URL{Scheme: "https", Host: host}) {
			t.Errorf("%q is %s", host, own)
		}
	}
}

// TestRedirect: a redirect is followed within its origin only.
func TestRedirect(t *testing.T) {
	from := &url.URL{Scheme: "https", Host: "Jobs.example:443", Path: "/a/b", RawQuery: "q=1"}
	for _, c := range []struct {
		status         int
		location, want string
	}{
		{301, "c", "https://Jobs.example:443/a/c"},
		{302, "//jobs.EXAMPLE/c?d#e", "https://Jobs.example:443/c?d"},
		{303, "/c#%2f", "https://Jobs.example:443/c"},
		{307, "?q=2", "https://Jobs.example:443/a/b?q=2"},
		{308, "https://jobs.example", "https://Jobs.example:443"},
		{300, "/c", "<nil>"},
		{304, "/c", "<nil>"},
		{302, "", "<nil>"},
		{302, "/%zz", "<nil>"},
		{302, "http://jobs.example/c", "<nil>"},
		{302, "https://jobs.example:444/c", "<nil>"},
		{302, "https://other.example/c", "<nil>"},
		{302, "https://u@jobs.example/c", "<nil>"},
		{302, "https:jobs.example", "<nil>"},
		{302, "https://job\u017f.example/c", "<nil>"},
	} {
		answer := &http.Response{StatusCode: c.status, Header: http.Header{"Location": {c.location}}}
		if got := OriginOf(from).Redirect(from, answer); fmt.Sprint(got) != c.want {
			t.Errorf("%d %q: %v, want %s", c.status, c.location, got, c.want)
		}
	}
}

// TestFill: a name takes one segment of the path, whatever it holds.
func TestFill(t *testing.T) {
	long := strings.Repeat("a", 1024)
	for _, c := range []struct{ name, path, escaped, wrong string }{
		{"a_b", "/x/a_b/y", "", ""},
		{"a/b", "/x/a/b/y", "/x/a%2Fb/y", ""},
		{"{id}", "/x/{id}/y", "/x/%7Bid%7D/y", ""},
		{"", "", "", "is empty"},
		{"..", "", "", "is . or .., which would change the path"},
		{"a\x7f", "", "", "holds a control character"},
		{"a\x1fb", "", "", "holds a control character"},
		{"a b", "/x/a b/y", "/x/a%20b/y", ""},
		{".", "", "", "is . or .., which would change the path"},
		{long, "/x/" + long + "/y", "", ""},
		{long + "a", "", "", "is longer than 1024 bytes"},
	} {
		path, escaped, wrong := Fill("/x/{id}/y", c.name)
		if path != c.path || escaped != c.escaped || wrong != c.wrong {
			t.Errorf("%q: %q, %q, %q", c.name, path, escaped, wrong)
		}
	}
}

// TestIsConfidential: only https and loopback keep a request from others.
func TestIsConfidential(t *testing.T) {
	for address, want := range map[string]bool{
		"https://jobs.example": true, "http://LOCALHOST:80": true, "http://127.9.9.9": true, "http://[::1]": true,
		"http://[::ffff:127.0.0.1]": true, "http://jobs.example": false, "http://10.0.0.1": false, "http://localhost.example": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := OriginOf(u).IsConfidential(); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}
