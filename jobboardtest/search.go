package jobboardtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// search answers the search of section 4.1.
func (c *call) search() answer {
	if a, ok := c.needAny(); !ok {
		return a
	}
	near, err := parseGeo(c.query.Get("geoLocation"))
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
	hits := b.find(c.param, c.query.Get("search"), near, internal) // changes need not wait for it
	return c.v.page(hits, strings.Join(c.r.Header.Values("Accept-Language"), ","))
}

// page puts the answer together from the kept encodings of its postings.
func (v Variants) page(hits []*posting, acceptLanguage string) answer {
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
	a := answer{status: http.StatusOK, contentType: typeJSON}
	if len(hits) == 0 {
		a.body = head
		return a
	}
	langs := parseLanguages(acceptLanguage)
	a.parts = append(make([][]byte, 0, 2*len(hits)+1), bytes.TrimSuffix(head, pageEnd))
	for i, p := range hits {
		if i > 0 {
			a.parts = append(a.parts, comma)
		}
		a.parts = append(a.parts, v.posting(p, langs))
	}
	a.parts = append(a.parts, pageEnd)
	return a
}

var (
	comma   = []byte(",")
	pageEnd = []byte("]}")
)

// posting returns a posting's bytes in the first language asked for that it has.
func (v Variants) posting(p *posting, langs []string) []byte {
	language := p.pickLanguage(langs)
	return p.enc.get(v.key(language), func() []byte {
		t := p.Translations[language]
		config := map[string][]string{}
		maps.Copy(config, p.Config)
		maps.Copy(config, t.Config)
		w := wirePosting{
			JobPostingID:            v.id(p.ID),
			PostingVersionID:        v.id(p.VersionID),
			Title:                   cmp.Or(t.Title, p.Title),
			ApplyOnlineLink:         v.text(v.link(&p.Posting, false)),
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

// pickLanguage returns a key of Translations, or "" for the posting's own text.
func (p *posting) pickLanguage(langs []string) string {
	for _, l := range langs {
		for try := l; try != ""; try = try[:max(0, strings.LastIndexByte(try, '-'))] { // zh-hant-tw, zh-hant, zh
			if strings.EqualFold(try, p.Language) {
				return ""
			}
			if key := p.translation(try); key != "" {
				return key
			}
		}
		primary, _, _ := strings.Cut(l, "-")
		if own, _, _ := strings.Cut(p.Language, "-"); strings.EqualFold(own, primary) {
			return ""
		}
	}
	return ""
}

// translation returns the key of Translations for a language, however it is
// spelled there, such as "pt-BR"; "" where there is none.
func (p *posting) translation(language string) (key string) {
	if _, ok := p.Translations[language]; ok {
		return language
	}
	for k := range p.Translations {
		if strings.EqualFold(strings.ReplaceAll(k, "_", "-"), language) && (key == "" || k < key) {
			key = k
		}
	}
	return key
}

// parseLanguages reads Accept-Language, the most wanted first. What it cannot
// read it leaves out.
func parseLanguages(header string) []string {
	type want struct {
		tag string
		q   float64
	}
	var ws []want
	for part := range strings.SplitSeq(header, ",") {
		tag, params, _ := strings.Cut(part, ";")
		w := want{strings.ToLower(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-")), 1}
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			w.q, _ = strconv.ParseFloat(q, 64) // 0 where it is no number
		}
		if w.tag != "" && w.q > 0 {
			ws = append(ws, w)
		}
	}
	slices.SortStableFunc(ws, func(a, b want) int { return cmp.Compare(b.q, a.q) })
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.tag
	}
	return out
}

// haystack returns the text that a search looks through: titles and config texts in
// every language, without markup, in lower case.
func haystack(p Posting) string {
	var b strings.Builder
	add := func(title string, config map[string][]string) {
		b.WriteString(strings.ToLower(title))
		b.WriteByte('\n')
		for _, k := range slices.Sorted(maps.Keys(config)) {
			for _, text := range config[k] {
				b.WriteString(strings.ToLower(stripTags(text)))
				b.WriteByte('\n')
			}
		}
	}
	add(p.Title, p.Config)
	for _, l := range slices.Sorted(maps.Keys(p.Translations)) {
		add(p.Translations[l].Title, p.Translations[l].Config)
	}
	return b.String()
}

func stripTags(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "<")
		b.WriteString(html.UnescapeString(before))
		if !ok {
			return b.String()
		}
		b.WriteByte(' ')
		_, s, _ = strings.Cut(rest, ">") // of a tag without an end nothing is left
	}
}

// signature tells quickly, and sometimes wrongly, that a text may hold a word:
// one bit for each three bytes in a row. A search need not read 3 KB of every posting.
type signature [64]uint64

func (g *signature) add(s string) {
	for i := 0; i+3 <= len(s); i++ {
		b := trigram(s[i], s[i+1], s[i+2])
		g[b>>6] |= 1 << (b & 63)
	}
}

func (g *signature) mayHold(word []uint32) bool {
	for _, b := range word {
		if g[b>>6]&(1<<(b&63)) == 0 {
			return false
		}
	}
	return true
}

func trigram(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1 >> 20 // 12 bits
}

// board has what searches can find: for each channel its postings, in the order of
// their identifiers.
type board map[string][]boardEntry

type boardEntry struct {
	p        *posting
	points   []vector
	internal bool
}

// forgetBoard has the next search make the board anew.
func (st *state) forgetBoard() { st.board = sync.OnceValue(st.makeBoard) }

func (st *state) makeBoard() board {
	b := board{}
	for _, p := range byKey(st.postings) {
		e := boardEntry{p: p, points: p.points}
		if j := st.jobs[p.JobID]; j != nil {
			if j.Status != Active {
				continue
			}
			e.internal = j.Internal
			if len(p.Locations) == 0 {
				e.points = j.points
			}
		}
		for _, c := range p.Channels {
			b[c] = append(b[c], e)
		}
	}
	return b
}

// find returns the postings of a channel near a place that hold every word of a text.
func (b board) find(channel, text string, near circle, internal bool) []*posting {
	words := strings.Fields(strings.ToLower(text))
	var bits []uint32
	for _, w := range words {
		for i := 0; i+3 <= len(w); i++ {
			bits = append(bits, trigram(w[i], w[i+1], w[i+2]))
		}
	}
	var hits []*posting
	for _, e := range b[channel] {
		if e.internal && !internal || !near.holds(e.points) || !e.p.sig.mayHold(bits) {
			continue
		}
		missing := func(word string) bool { return !strings.Contains(e.p.haystack, word) }
		if !slices.ContainsFunc(words, missing) {
			hits = append(hits, e.p)
		}
	}
	return hits
}
