package jobboardtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/geo"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/language"
)

// search answers the search of section 4.1.
func (c *call) search() answer {
	if a, ok := c.needAny(); !ok {
		return a
	}
	near, err := geo.ParseCircle(c.query.Get("geoLocation"))
	if err != nil {
		return c.v.serverError("Error while processing the request: geoLocation: " + err.Error())
	}
	var known, internal bool
	var b board
	c.s.read(func(st *state) {
		_, known = st.channels[c.param]
		internal = c.cred.kind == userToken && st.applicants[c.cred.applicant].Internal
		b = st.board()
	})
	if !known && c.v.UnknownChannel != 0 {
		return textAnswer(c.v.UnknownChannel, "channel "+clip(c.param)+" not found")
	}
	hits := b.find(c.param, c.query.Get("search"), near, internal) // without the lock: changes need not wait
	return c.v.page(hits, c.s.base.url(), strings.Join(c.r.Header.Values("Accept-Language"), ","))
}

// page puts the answer together from the kept encodings of its postings. base is the
// server's address.
func (v Variants) page(hits []*posting, base, acceptLanguage string) answer {
	total := len(hits)
	page := wirePage{ItemsPerPage: total, TotalNumberOfJobs: total, Results: json.RawMessage("[]")}
	if v.PageSize > 0 {
		page.ItemsPerPage = v.PageSize
	}
	if total > 0 {
		page.NumPages = (total-1)/page.ItemsPerPage + 1
		page.ActualPage = min(v.Page, page.NumPages-1)
		page.Offset = page.ActualPage * page.ItemsPerPage
		hits = hits[page.Offset:min(total, page.Offset+page.ItemsPerPage)]
	}
	if len(hits) > 0 {
		page.FirstPostingOnPage, page.LastPostingOnPage = page.Offset+1, page.Offset+len(hits)
	} else if v.Missing == MissingNull {
		page.Results = jsonNull
	}
	head := marshal(page)
	a := answer{Status: http.StatusOK, ContentType: typeJSON}
	if len(hits) == 0 {
		a.Body = head
		return a
	}
	langs := language.Wanted(acceptLanguage)
	a.Parts = append(make([][]byte, 0, 2*len(hits)+1), bytes.TrimSuffix(head, pageEnd))
	for i, p := range hits {
		if i > 0 {
			a.Parts = append(a.Parts, comma)
		}
		a.Parts = append(a.Parts, v.posting(p, base, langs))
	}
	a.Parts = append(a.Parts, pageEnd)
	return a
}

var (
	comma   = []byte(",")
	pageEnd = []byte("]}")
)

// posting returns a posting's JSON in the first of the requested languages that
// the posting has. base is the server's address.
func (v Variants) posting(p *posting, base string, langs []string) []byte {
	lang := language.Pick(langs, p.Language, p.Translations)
	return p.forms.Get(v.key(lang), func() []byte {
		t := p.Translations[lang]
		config := map[string][]string{}
		maps.Copy(config, p.Config)
		maps.Copy(config, t.Config)
		w := wirePosting{
			JobPostingID:            v.id(p.ID),
			PostingVersionID:        v.id(p.VersionID),
			Title:                   cmp.Or(t.Title, p.Title),
			ApplyOnlineLink:         v.text(v.link(&p.Posting, base, false)),
			Config:                  config,
			JobStartDate:            v.millis(p.JobStart),
			PostingVersionStartDate: v.millis(p.VersionStart),
			PostingVersionEndDate:   v.millis(p.VersionEnd),
		}
		if len(config) == 0 {
			w.Config = v.missing(config)
		}
		return marshal(w)
	})
}
