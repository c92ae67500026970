package address

import (
	"net/url"
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
		{"https://s3cret@jobs.example", "", "", "holds a user part: credentials have fields of their own"},
		{"https://jobs.example/%zz", "", "", "is not an address"},
		{"https://jobs.example/a/../b", "", "", "has a path that leads elsewhere"},
		{"https://jobs.example?", "", "", "has a query or a fragment"},
		{"https:jobs.example", "", "", "has no host"},
		{"jobs.example", "", "", "is not an absolute http or https address"},
		{"https://j\u00f6bs.example", "", "", "has a host with letters beyond ASCII: write it in its xn-- form"},
	} {
		u, wrong := Base(c.text, c.suffix)
		if wrong != c.wrong || wrong == "" && u.String() != c.want {
			t.Errorf("%s: %v, %q", c.text, u, wrong)
		}
	}
}

// TestFill: a name takes one segment of the path, whatever it holds.
func TestFill(t *testing.T) {
	for _, c := range []struct{ name, path, escaped, wrong string }{
		{"a_b", "/x/a_b/y", "", ""},
		{"a/b", "/x/a/b/y", "/x/a%2Fb/y", ""},
		{"{id}", "/x/{id}/y", "/x/%7Bid%7D/y", ""},
		{"", "", "", "is empty"},
		{"..", "", "", "would leave its place in the path"},
		{"a\x7f", "", "", "holds a control character"},
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
