package feedaddress

import (
	"strings"
	"testing"
)

// A mistyped address is none, and is known to be one, so that nothing of it is shown.
func TestMistyped(t *testing.T) {
	for _, address := range []string{
		"htps://hushuser:hushword@feeds.example/x", "https:/hushuser:hushword@feeds.example/x", " https://hushuser:hushword@feeds.example/x",
		`"https://hushuser:hushword@feeds.example/x"`, "https://hushuser:hushword@feeds.example/%zz", "https://hushuser:hushword@feeds.example:99999/x",
		"ftp://hushuser:hushword@feeds.example/x", "hushuser:hushword@feeds.example/x", "https:///x?key=hushkey", "feeds.example/x?key=hushkey",
		"https//hushuser:hushword@feeds.example", "https:hush", "//hushuser:hushword@feeds.example/x", "http://hushuser:0/", "https://hush/word@feeds.example/x",
		"https://hushuser:1/hushword@feeds.example/x", "https://hushuser:1?hushword@feeds.example/x", "https://hushuser:1#hushword@feeds.example/x",
		"https://hushuser:1/a?hushword@feeds.example/x", "https://hushuser:hush word@feeds.example/x", "hush\x01",
	} {
		if u := Parse(address); u != nil || !IsMistyped(address) {
			t.Errorf("%q: %v, and it is mistyped: %t", address, u, IsMistyped(address))
		}
	}
}

// An address is shown without its secrets, a path by its last element.
func TestPublic(t *testing.T) {
	for text, want := range map[string]string{
		"HTTPS://u:hush@feeds.example:8443/a/feed.xml?key=hush#hush": "https://feeds.example:8443/a/feed.xml",
		"http://u:hush%40@feeds.example/?":                           "http://feeds.example/",
		"https://u:hush@feeds.example/x?to=a@b.example":              "https://feeds.example/x",
		"/srv/hush/feed.xml":                                         "feed.xml",
		"feed.xml":                                                   "feed.xml",
	} {
		if got := Public(text); got != want || IsMistyped(text) != strings.Contains(text, "://") {
			t.Errorf("%s: %s", text, got)
		}
	}
}
