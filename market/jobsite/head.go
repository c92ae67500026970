package jobsite

import (
	"net/http"
	"net/url"
	"slices"
)

// Head describes a page of a site to search engines: the address to list it under, its other languages, and
// whether to list it at all.
type Head struct {
	Canonical   string      // the page's only address in its language, for a link with rel="canonical"
	Alternates  []Alternate // for links with rel="alternate" and hreflang; nil: the page has one language
	NoIndex     bool        // not to be listed: the address has other parameters than lang
	Description string      // for <meta name="description">; empty: none
}

// Alternate is the address of a page in a language, or "x-default" for readers of others.
type Alternate struct{ Language, URL string }

// SetRobots sets the header X-Robots-Tag of a page that search engines shall not list.
func (h Head) SetRobots(header http.Header) {
	if h.NoIndex {
		header.Set("X-Robots-Tag", "noindex, follow")
	}
}

// Head returns the head of a page that exists in all languages of the site, such as its list of jobs. The
// canonical address of the first language is the bare one, as in sitemap and feeds; that of
// another has lang.
func (s *Site) Head(r *http.Request) Head {
	s.mustBeMade()
	return s.head(r, s.origin+r.URL.EscapedPath(), s.cfg.Languages)
}

// head returns the head of the page at an address, which exists in some languages.
func (s *Site) head(r *http.Request, address string, languages []string) (h Head) {
	in := func(lang string) string {
		if lang == s.cfg.Languages[0] {
			return address
		}
		return address + "?" + url.Values{languageField: {lang}}.Encode()
	}
	h.Canonical = address
	for name, values := range ReadQuery(r) {
		h.NoIndex = h.NoIndex || name != languageField
		if name == languageField && slices.Contains(languages, values[0]) {
			h.Canonical = in(values[0])
		}
	}
	var others []string
	for _, lang := range s.cfg.Languages {
		if slices.Contains(languages, lang) {
			others = append(others, lang)
		}
	}
	if len(others) < 2 {
		return h
	}
	for _, lang := range others {
		h.Alternates = append(h.Alternates, Alternate{lang, in(lang)})
	}
	h.Alternates = append(h.Alternates, Alternate{"x-default", address})
	return h
}
