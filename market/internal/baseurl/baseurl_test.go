package baseurl

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// Parse takes what a client takes, and refuses what a client refuses.
func TestParse(t *testing.T) {
	const suffix = "/api/rest"
	for text, want := range map[string]string{
		"https://jobs.example":                             "https://jobs.example",
		"https://jobs.example/":                            "https://jobs.example",
		"https://jobs.example//":                           "https://jobs.example",
		"https://jobs.example/api/rest":                    "https://jobs.example",
		"https://jobs.example/api/rest/":                   "https://jobs.example",
		"https://jobs.example/api/rest/api/rest":           "https://jobs.example",
		"https://jobs.example/x/api/rest":                  "https://jobs.example/x",
		"https://jobs.example/api/rest/v2":                 "",
		"https://jobs.example/jobdb/public/apply/external": "",
		"https://jobs.example/a%2Fb/\u00e9":                "https://jobs.example/a%2Fb/%C3%A9",
		"https://jobs.example/a%2fb/c d/api/rest":          "https://jobs.example/a%2fb/c%20d",
		"http://127.0.0.1:8080/a%2Fb/":                     "http://127.0.0.1:8080/a%2Fb",
		"http://[::1]:8080":                                "http://[::1]:8080",
		"HTTPS://Jobs.example:443":                         "https://Jobs.example:443",
		"":                                                 "",
		"jobs.example":                                     "",
		"/api/rest":                                        "",
		"ftp://jobs.example":                               "",
		"https://":                                         "",
		"https:jobs.example":                               "",
		"https://jobs.example:0":                           "",
		"https://jobs.example:65536":                       "",
		"https://user:pass@jobs.example":                   "",
		"https://jobs.example?":                            "",
		"https://jobs.example?a=b":                         "",
		"https://jobs.example#a":                           "",
		"https://jobs.example/%zz":                         "",
		"https://jobs.example/a/../b":                      "",
		"https://jobs.example/a/.":                         "",
		"https://\u00f6jobs.example":                       "",
		"https://jobs.example\r\n":                         "",
	} {
		u, ok := Parse(text, suffix)
		if ok != (want != "") || ok && u.String() != want {
			t.Errorf("%q: %v, %t, want %q", text, u, ok, want)
		}
		if _, err := jobboard.NewClient(jobboard.Config{BaseURL: text}); (err == nil) != ok {
			t.Errorf("%q: %t, and a client: %v", text, ok, err)
		}
	}
	if u, ok := Parse("https://jobs.example/api/rest/", ""); !ok || u.String() != "https://jobs.example/api/rest" {
		t.Errorf("without a suffix: %v", u)
	}
}
