package jobsite_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// Each page has one address for search engines in each language in which it exists, and searches have none.
func TestHead(t *testing.T) {
	c := newCopied(t)
	c.copy()
	const list = "https://jobs.example/"
	for address, want := range map[string]jobsite.Head{
		"/":                   {Canonical: list},
		"/?lang=de":           {Canonical: list},
		"/?lang=en":           {Canonical: list + "?lang=en"},
		"/?lang=fr":           {Canonical: list},
		"/?lang=en&text=x":    {Canonical: list + "?lang=en", NoIndex: true},
		"/?utm_source=letter": {Canonical: list, NoIndex: true},
		"/?after=x":           {Canonical: list, NoIndex: true},
	} {
		r := httptest.NewRequest("GET", address, nil)
		r.Header.Set("Accept-Language", "en") // says nothing of the address
		want.Alternates = []jobsite.Alternate{{"de", list}, {"en", list + "?lang=en"}, {"x-default", list}}
		header := http.Header{}
		got := c.site.Head(r)
		got.SetRobots(header)
		if got.Canonical != want.Canonical || got.NoIndex != want.NoIndex || !slices.Equal(got.Alternates, want.Alternates) {
			t.Errorf("%s: %+v, want %+v", address, got, want)
		}
		if robots := header.Get("X-Robots-Tag"); (robots == "noindex, follow") != want.NoIndex {
			t.Errorf("%s: %q", address, robots)
		}
	}
	both := fmt.Sprintf("/job/%d/x", c.fake.Demo.OpenJob)
	c.get(both + "?lang=en")
	if h := c.page.Head; h.Canonical != c.page.URL+"?lang=en" || len(h.Alternates) != 3 || h.Alternates[0].URL != c.page.URL || h.NoIndex || h.Description == "" || strings.ContainsAny(h.Description, "<\n") {
		t.Errorf("%+v", h)
	}
	c.get(both + "?lang=de&near=Berlin")
	if h := c.page.Head; h.Canonical != c.page.URL || !h.NoIndex {
		t.Errorf("%+v", h)
	}
	// A job whose posting is in one language has one address.
	c.exec("DELETE FROM postings WHERE language = 'en'")
	c.get(both + "?lang=en")
	if h := c.page.Head; h.Canonical != c.page.URL || h.Alternates != nil {
		t.Errorf("in one language: %+v", h)
	}
}

// An answer says that it depends on the reader's language, also that of an error.
func TestCacheHeaders(t *testing.T) {
	c := newCopied(t)
	page := c.site.Handle(func(_ http.ResponseWriter, r *http.Request) error {
		if r.URL.Path == "/gone" {
			return jobboard.ErrNotFound
		}
		return nil
	})
	for _, path := range []string{"/", "/gone"} {
		w := httptest.NewRecorder()
		page(w, httptest.NewRequest("GET", path, nil))
		vary := strings.Join(w.Header().Values("Vary"), ", ")
		if !strings.Contains(vary, "Accept-Language, Cookie") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
}
