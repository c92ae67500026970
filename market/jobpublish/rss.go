package jobpublish

import (
	"bytes"
	"encoding/xml"
	"iter"
	"time"
)

// writeRSS writes an RSS 2.0 feed without its own date, so that the same jobs
// give the same bytes.
func writeRSS(f *file, h *handler, jobs iter.Seq2[Job, error]) error {
	f.begin()
	cfg := h.feeds.cfg
	x := newXMLWriter(f)
	x.start("rss", attr("version", "2.0"), attr("xmlns:atom", "http://www.w3.org/2005/Atom"))
	x.start("channel")
	x.element("title", line(cfg.Title))
	x.element("link", h.feeds.url.String())
	x.element("description", line(cfg.Description))
	x.element("language", cfg.Language)
	x.element("atom:link", struct{}{},
		attr("href", h.feeds.address(h.path)), attr("rel", "self"), attr("type", "application/rss+xml"))
	for job, err := range jobs {
		if err != nil {
			return err
		}
		f.holds(job, job.modified())
		x.start("item")
		x.element("title", job.title())
		x.element("link", job.address())
		x.element("guid", h.feeds.jobID(job), attr("isPermaLink", "false"))
		if posted, ok := job.Posted(); ok && stamp(posted) != "" {
			x.element("pubDate", posted.UTC().Format(time.RFC1123Z))
		}
		x.ad(f, job, "description")
		x.close("item")
		if err := x.finish(); err != nil {
			return err
		}
	}
	x.close("channel")
	x.close("rss")
	err := x.finish()
	f.end()
	return err
}

// writeAtom writes an Atom 1.0 feed. The element updated, at the beginning, is
// the time of the newest job, which is known only at the end: writeAtom then
// overwrites it.
func writeAtom(f *file, h *handler, jobs iter.Seq2[Job, error]) error {
	f.begin()
	cfg := h.feeds.cfg
	x := newXMLWriter(f)
	x.start("feed", append(inLanguage(cfg.Language, ""), attr("xmlns", "http://www.w3.org/2005/Atom"))...)
	x.element("id", h.feeds.id.URN())
	x.element("title", line(cfg.Title))
	if cfg.Description != cfg.Title {
		x.element("subtitle", line(cfg.Description))
	}
	x.element("link", struct{}{}, attr("href", h.feeds.url.String()))
	x.element("link", struct{}{}, attr("href", h.feeds.address(h.path)), attr("rel", "self"))
	x.start("author")
	x.element("name", line(cfg.Title))
	x.close("author")
	if err := x.finish(); err != nil {
		return err
	}
	updated := f.written + int64(len("<updated>"))
	x.element("updated", stamp(time.Unix(0, 0)))
	for job, err := range jobs {
		if err != nil {
			return err
		}
		changed := job.modified()
		if stamp(changed) == "" {
			h.feeds.refuse(&RefusedError{Job: job.ID(), Reason: ReasonIncomplete, Missing: []string{"datePosted"}})
			continue
		}
		f.holds(job, changed)
		x.start("entry", inLanguage(job.Language, cfg.Language)...)
		x.element("id", h.feeds.jobID(job))
		x.element("title", job.title())
		x.element("link", struct{}{}, attr("href", job.address()))
		x.element("updated", stamp(changed))
		posted, _ := job.Posted()
		x.element("published", stamp(posted))
		x.ad(f, job, "content", attr("type", "html"))
		x.close("entry")
		if err := x.finish(); err != nil {
			return err
		}
	}
	x.close("feed")
	err := x.finish()
	if newest := f.end().modified; err == nil && !newest.IsZero() {
		err = f.correct(updated, stamp(newest))
	}
	return err
}

// ad writes an element with a job's advertisement; nothing, if there is none.
func (x *xmlWriter) ad(f *file, job Job, name string, attributes ...xmlAttr) {
	text, key := f.ad(job, func(ad string) []byte {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(ad)) // a buffer takes everything
		return b.Bytes()
	})
	if len(text) == 0 {
		return
	}
	x.start(name, attributes...)
	// Flush the encoder first; the text is written past it.
	if err := x.finish(); err == nil {
		x.err = f.writeAd(text, key)
	}
	x.close(name)
}

// inLanguage returns the xml:lang attribute for a text. For a text of unknown language
// it returns no attribute, or an empty one if the text would otherwise inherit a
// language.
func inLanguage(tag, inherited string) []xmlAttr {
	if !languageTag.MatchString(tag) {
		tag = ""
	}
	if tag == "" && inherited == "" {
		return nil
	}
	return []xmlAttr{attr("xml:lang", tag)}
}
