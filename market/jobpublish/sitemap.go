package jobpublish

import (
	"iter"
	"net/url"
	"strconv"
	"time"
)

// The limits of one sitemap in pages and bytes, with room left for the end of
// the last entry.
const (
	maxPages = 50_000
	maxBytes = 50_000_000
)

// writeSitemap writes sitemaps of at most maxPages pages each, and an index of
// them if there are several.
func writeSitemap(f *file, h *handler, jobs iter.Seq2[Job, error]) error {
	part := beginSitemap(f, "urlset")
	pages := 0
	for job, err := range jobs {
		if err != nil {
			return err
		}
		if pages == maxPages || f.end().size > maxBytes {
			if err := part.end(f); err != nil {
				return err
			}
			part, pages = beginSitemap(f, "urlset"), 0
		}
		pages++
		changed := job.modified()
		f.holds(job, changed)
		if err := part.entry("url", job.address(), changed); err != nil {
			return err
		}
	}
	if pages == 0 { // a sitemap must not be empty
		if err := part.entry("url", h.feeds.url.String(), time.Time{}); err != nil {
			return err
		}
	}
	if err := part.end(f); err != nil || len(f.parts) == 1 {
		return err
	}
	parts := f.parts
	index := beginSitemap(f, "sitemapindex")
	for i, d := range parts {
		at := h.feeds.url.ResolveReference(&url.URL{Path: h.path, RawQuery: "part=" + strconv.Itoa(i+1)})
		if err := index.entry("sitemap", at.String(), d.modified); err != nil {
			return err
		}
	}
	err := index.end(f)
	f.index, f.parts = f.parts[len(parts)], f.parts[:len(parts)]
	return err
}

// A sitemap writes a document of entries, each with an address and a date.
type sitemap struct {
	*xmlWriter
	root string
}

func beginSitemap(f *file, root string) sitemap {
	f.begin()
	s := sitemap{newXMLWriter(f), root}
	s.start(root, attr("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9"))
	return s
}

func (s sitemap) entry(name, address string, changed time.Time) error {
	s.start(name)
	s.element("loc", address)
	s.element("lastmod", stamp(changed))
	s.close(name)
	return s.finish()
}

func (s sitemap) end(f *file) error {
	s.close(s.root)
	err := s.finish()
	f.end()
	return err
}
