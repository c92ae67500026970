package jobmirror

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	"github.com/jobboard-sdk/jobboard-go/market/internal/part"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// serveSearch answers 4.1 with every hit on one page: with all set, every hit that the board would give,
// otherwise the hits of Search, which a visitor may see. The filters are parameters as well. Who reads only a part of the
// answer, and says so by package part, gets that alone.
func (m *Mirror) serveSearch(w http.ResponseWriter, r *http.Request, all bool) {
	parameters, ok := readQuery(w, r)
	if !ok {
		return
	}
	q := Query{Channel: jobboard.ChannelID(r.PathValue("channel")), Text: parameters.Get("search"), All: all}
	narrowed, err := filters.Parse(parameters)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q.choose(narrowed)
	if geo := parameters.Get("geoLocation"); geo != "" {
		if q.Near, err = parseCircle(geo); err != nil {
			http.Error(w, "geoLocation: "+err.Error(), http.StatusBadRequest)
			return
		}
	}
	var copied channelCopy
	var total int
	var told part.Told
	wanted, answer := part.Asked(r.Context())
	if wanted.Filters != (filters.Chosen{}) {
		q.choose(wanted.Filters)
	}
	hits, err := fromView(r.Context(), m.db, func(in *tx) (hits []int64, err error) {
		t := searchTx{readTx{in}}
		copied, err = t.channelCopy(string(q.Channel), r.Header.Get("Accept-Language"))
		if err == nil && copied.complete {
			q.Language = copied.language
			hits, told, err = t.answer(q)
		}
		total = len(hits)
		if err == nil && !wanted.All() {
			hits, err = t.wanted(hits, wanted)
		}
		return hits, err
	})
	switch {
	case errors.Is(err, jobboard.ErrInvalidInput):
		http.Error(w, "search: "+err.Error(), http.StatusBadRequest)
	case err != nil:
		m.failed(w, r, err)
	case !copied.known:
		http.Error(w, "the mirror does not hold this channel", http.StatusNotFound)
	case !copied.complete:
		comeBack(w, "the channel was not copied whole yet", "60")
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Age", seconds(copied.age))
		w.Header().Set("Vary", "Accept-Language")
		answer.Give()
		if m.writePage(r.Context(), w, hits, total, wanted, told) != nil {
			panic(http.ErrAbortHandler) // half an answer must not look whole
		}
	}
}

// parseCircle reads a geoLocation (4.1). A radius beyond the Earth, which the
// client refuses to send, holds every place.
func parseCircle(geo string) (jobboard.GeoLocation, error) {
	const whole = 20038
	radius := strings.LastIndexByte(geo, ':') + 1
	if km, err := strconv.ParseFloat(geo[radius:], 64); err == nil && km > whole {
		geo = geo[:radius] + strconv.Itoa(whole)
	}
	return jobboard.ParseGeoLocation(geo)
}

// channelCopy is the copy of a channel in one language.
type channelCopy struct {
	known    bool
	language string
	complete bool          // the copy was complete once
	age      time.Duration // since it was complete last
}

// channelCopy chooses the language of a channel's copy that a header
// Accept-Language asks for.
func (t searchTx) channelCopy(channel, accept string) (channelCopy, error) {
	if channel != storable(channel) {
		return channelCopy{}, nil
	}
	copies, err := sources.Copies(t.Tx, channel)
	if err != nil || len(copies) == 0 {
		return channelCopy{}, err
	}
	var languages []string
	for _, c := range copies {
		languages = append(languages, c.Language)
	}
	c := copies[preferred(accept, languages)]
	return channelCopy{known: true, language: c.Language, complete: c.Complete > 0, age: t.Since(c.Complete)}, nil
}

// preferred returns the index of the language that a header Accept-Language asks
// for, 0 where it asks for none of them.
func preferred(header string, languages []string) int {
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(wanted) == 0 {
		return 0
	}
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.Make(l)
	}
	_, i, _ := language.NewMatcher(tags).Match(wanted...)
	return i
}

// answer returns the rows that a query finds, and what is told beside them. With Query.All it answers as the board does:
// the text is taken as it stands, without the signs that a visitor of Search may type, and the newest come first. Else it
// answers as Search does.
func (t searchTx) answer(q Query) (hits []int64, told part.Told, err error) {
	if err := q.check(); err != nil {
		return nil, told, err
	}
	today := time.UnixMilli(t.Now)
	query := q.forIndex(today)
	if query.Literal = q.All; q.All {
		query.Order = search.Newest
	}
	hits, corrected, err := t.db.search.All(t.Tx, query)
	for _, c := range corrected {
		told.Corrected = append(told.Corrected, part.Correction(c))
	}
	if err == nil && len(hits) == 0 {
		var why *Why
		if why, err = t.why(q, today, q.All); err == nil {
			told.Why = why.String()
		}
	}
	return hits, told, err
}

// wanted returns the hits that somebody who reads a part of the answer wants.
func (t searchTx) wanted(hits []int64, w part.Wanted) ([]int64, error) {
	if w.Posting == 0 {
		return w.Of(hits), nil
	}
	rows, err := t.Numbers("SELECT id FROM postings WHERE posting = ? UNION SELECT id FROM postings WHERE version = ?",
		w.Posting, w.Posting)
	hits = slices.DeleteFunc(hits, func(hit int64) bool { return !slices.Contains(rows, hit) })
	return w.Of(hits), err
}

// asGiven reads rows as the board gave them, in their order; without ads, it leaves out their
// advertisements, which are most of a posting. Rows that are gone are left out.
func (t searchTx) asGiven(list []int64, ads bool) ([]jobboard.JobPosting, error) {
	query := "SELECT id, record, '' FROM postings WHERE id IN @ids"
	if ads {
		query = "SELECT id, record, ads FROM postings WHERE id IN @ids"
	}
	rows := make(map[int64]jobboard.JobPosting, len(list))
	err := t.Rows(query, []any{store.IDs(list)}, func(scan func(...any) error) error {
		var (
			id           int64
			record, text string
		)
		if err := scan(&id, &record, &text); err != nil {
			return err
		}
		rec, err := decodeRecord[PostingRecord](record)
		if err != nil {
			return err
		}
		if !ads {
			rec.Config = withoutAds(rec.Config)
		}
		rows[id], err = rec.posting(text)
		return err
	})
	var found []jobboard.JobPosting
	for _, id := range list {
		if p, ok := rows[id]; ok {
			found = append(found, p)
		}
	}
	return found, err
}

// writePage writes the answer of 4.1. It reads the postings some at a time, each time in
// a transaction of its own, so that a client that is slow holds up no other; the
// counters come last, and count what was written. In an answer that holds a part, they count what was
// found. Behind the counters stands the member "mirror".
func (m *Mirror) writePage(
	ctx context.Context, w http.ResponseWriter, hits []int64, total int, wanted part.Wanted, told part.Told,
) error {
	out := bufio.NewWriterSize(hurried{w, http.NewResponseController(w)}, 64<<10)
	out.WriteString(`{"results":[`)
	n := 0
	for some := range slices.Chunk(hits, pagePart) {
		found, err := fromView(ctx, m.db, func(t *tx) ([]jobboard.JobPosting, error) {
			return searchTx{readTx{t}}.asGiven(some, wanted.Ads) // without those that are gone meanwhile
		})
		if err != nil {
			return err
		}
		for i := range found {
			b, err := json.Marshal(&found[i])
			if err != nil {
				return err
			}
			if n++; n > 1 {
				out.WriteByte(',')
			}
			if _, err := out.Write(b); err != nil {
				return err
			}
		}
	}
	if wanted.All() {
		total = n
	}
	fmt.Fprintf(out, `],"itemsPerPage":%d,"numPages":%d,"offset":0,"actualPage":0,`+
		`"firstPostingOnPage":%d,"lastPostingOnPage":%d,"totalNumberOfJobs":%d`, n, min(n, 1), min(n, 1), n, total)
	if told.Why != "" || told.Corrected != nil {
		fmt.Fprintf(out, `,%q:%s`, part.ToldMember, encode(told))
	}
	out.WriteString("}\n")
	return out.Flush()
}
