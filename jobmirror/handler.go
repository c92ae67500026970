package jobmirror

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
)

// writeTimeout is how long a client may take for a part of an answer.
const writeTimeout = 30 * time.Second

// Handler answers from the copy as the board does, so that a client of the
// board works with the mirror's address as BaseURL and as JobDBURL:
//
//	GET /api/rest/v2/frontend/jobboards/{channelID}/jobs   4.1, every hit on one page, in the copied language that Accept-Language asks for
//	GET /jobdb/public/apply/external                       4.4, 503 where the answer is older than Options.MaxAge
//	GET /api/rest/v3/frontend/jobs/...                     4.2 and 4.3 are the applicant's own: 501
//
// and with addresses of its own:
//
//	GET /mirror/changes   the log of changes as Server-Sent Events; see below
//	GET /mirror/status    Status as JSON
//	GET /mirror/live      200 while the process works
//	GET /mirror/ready     200 when every channel was copied once and the database answers, else 503
//
// The header Age of 4.1 and 4.4 is how old the answer is, in seconds. Credentials
// in requests are not looked at: Options.Authorize says who may ask.
//
// The stream of changes begins after the cursor in the header Last-Event-ID or
// in the query since. Without one it begins with every row of the copy, as
// events "row", and one event "rows" that has the cursor from which on the
// changes follow, as events "change". A cursor that is refused is answered with
// 410: begin without one. The handler sets deadlines of its own; a server around
// it needs no WriteTimeout, which would end the stream.
func (m *Mirror) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/rest/v2/frontend/jobboards/{channel}/jobs", m.serveSearch)
	mux.HandleFunc("GET /jobdb/public/apply/external", m.serveJob)
	mux.HandleFunc("GET /api/rest/v3/frontend/jobs/{job}/{what}", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the mirror knows nothing of applicants: ask the board", http.StatusNotImplemented)
	})
	mux.HandleFunc("GET /mirror/changes", m.serveChanges)
	mux.HandleFunc("GET /mirror/status", m.serveStatus)
	mux.HandleFunc("GET /mirror/live", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "live") })
	mux.HandleFunc("GET /mirror/ready", m.serveReady)
	return m.authorized(mux)
}

// authorized refuses who may not ask.
func (m *Mirror) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorize := m.opts.Authorize
		if authorize == nil {
			authorize = onlyLoopback
		}
		if err := authorize(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// onlyLoopback refuses callers of other machines, and those for whom a proxy on
// this machine asks.
func onlyLoopback(r *http.Request) error {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err == nil {
		var address netip.Addr
		if address, err = netip.ParseAddr(host); err == nil && address.IsLoopback() &&
			r.Header.Get("Forwarded") == "" && r.Header.Get("X-Forwarded-For") == "" {
			return nil
		}
	}
	return errors.New("only callers on this machine are served")
}

// failed answers an error that is not the caller's.
func (m *Mirror) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		m.opts.Logger.ErrorContext(r.Context(), "jobmirror: "+r.URL.Path, "error", problem(err))
	}
	http.Error(w, "the mirror failed while processing the request", http.StatusInternalServerError)
}

// serveSearch answers 4.1.
func (m *Mirror) serveSearch(w http.ResponseWriter, r *http.Request) {
	q := Query{Channel: jobboard.ChannelID(r.PathValue("channel")), Text: r.URL.Query().Get("search"), Order: Oldest}
	if geo := r.URL.Query().Get("geoLocation"); geo != "" {
		var err error
		if q.Near, err = parseCircle(geo); err != nil {
			http.Error(w, "geoLocation: "+err.Error(), http.StatusBadRequest)
			return
		}
	}
	begun := false
	err := m.db.view(r.Context(), func(t *tx) error {
		languages, complete, err := t.languagesOf(string(q.Channel))
		switch {
		case err != nil:
			return err
		case len(languages) == 0:
			http.Error(w, "the mirror does not hold this channel", http.StatusNotFound)
			return nil
		}
		i := preferred(r.Header.Get("Accept-Language"), languages)
		if complete[i] == 0 {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "the channel was not copied whole yet", http.StatusServiceUnavailable)
			return nil
		}
		hits, err := t.hits(q, languages[i])
		if err != nil {
			return err
		}
		begun = true
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Age", strconv.FormatInt((t.now-complete[i])/1000, 10))
		w.Header().Set("Vary", "Accept-Language")
		return t.writePage(w, hits)
	})
	switch {
	case err == nil:
	case begun:
		panic(http.ErrAbortHandler) // half an answer must not look whole
	default:
		m.failed(w, r, err)
	}
}

// parseCircle reads a geoLocation (4.1). A radius beyond the Earth, which the
// client refuses to send, holds every place.
func parseCircle(geo string) (jobboard.GeoLocation, error) {
	const whole = 20038
	place, radius, _ := cutLast(geo, "::")
	if km, err := strconv.ParseFloat(radius, 64); err == nil && km > whole {
		geo = place + "::" + strconv.Itoa(whole)
	}
	return jobboard.ParseGeoLocation(geo)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// languagesOf are the languages in which a channel is copied, and when each
// was complete last. Copies of a part of the channel do not count beside a
// whole one.
func (t *tx) languagesOf(channel string) (languages []string, complete []int64, err error) {
	err = t.rows(`SELECT language, complete FROM sources WHERE kind = 'channel' AND name = ? ORDER BY search = '' AND geo = '' DESC, id`, []any{channel},
		func(scan func(...any) error) error {
			var (
				language string
				at       int64
			)
			err := scan(&language, &at)
			if !slices.Contains(languages, language) {
				languages, complete = append(languages, language), append(complete, at)
			}
			return err
		})
	return languages, complete, err
}

// preferred is the index of the language that a header Accept-Language asks
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

// hits are the rows that a query finds in one language, in the order in which
// the mirror came to know them.
func (t *tx) hits(q Query, language string) ([]int64, error) {
	q.Language = language
	e, err := t.expression(q)
	if err != nil || e == nil && q.Text != "" {
		return nil, err
	}
	if language == "" {
		e = append(e, [][]string{{tag(tagRow, "")}})
	}
	text := t.db.matcher.text(e)
	if q.Near.IsZero() {
		hits, err := t.numbers("SELECT h.id FROM "+t.db.matcher.from(), text)
		slices.Sort(hits)
		return hits, err
	}
	distances, err := t.distances(text, q.Near)
	hits := make([]int64, 0, len(distances))
	for id := range distances {
		hits = append(hits, id)
	}
	slices.Sort(hits)
	return hits, err
}

// writePage writes the answer of 4.1, posting by posting.
func (t *tx) writePage(w http.ResponseWriter, hits []int64) error {
	out := bufio.NewWriterSize(w, 64<<10)
	deadline := http.NewResponseController(w)
	n := len(hits)
	fmt.Fprintf(out, `{"itemsPerPage":%d,"numPages":%d,"offset":0,"actualPage":0,"firstPostingOnPage":%d,"lastPostingOnPage":%d,"totalNumberOfJobs":%d,"results":[`,
		n, min(n, 1), min(n, 1), n, n)
	first := true
	for part := range slices.Chunk(hits, 200) {
		_ = deadline.SetWriteDeadline(time.Now().Add(writeTimeout)) // a server without deadlines has none to set
		postings, err := t.postings(part, jobboard.GeoLocation{})
		if err != nil {
			return err
		}
		for _, id := range part {
			b, err := json.Marshal(postings[id].Posting)
			if err != nil {
				return err
			}
			if !first {
				out.WriteByte(',')
			}
			first = false
			if _, err := out.Write(b); err != nil {
				return err
			}
		}
	}
	out.WriteString("]}\n")
	return out.Flush()
}

// Codes of 7.3 with the status and words they are answered with.
var codes = map[State]struct {
	status        int
	code, message string
}{
	StateInactive:           {http.StatusGone, "ERROR_JOB_INACTIVE", "the job is deactivated"},
	StateUnavailable:        {http.StatusNotFound, "ERROR_JOB_UNAVAILABLE", "the job is no longer available"},
	StatePostingUnavailable: {http.StatusNotFound, "ERROR_POSTING_UNAVAILABLE", "the job posting cannot be found"},
}

// serveJob answers 4.4.
func (m *Mirror) serveJob(w http.ResponseWriter, r *http.Request) {
	id, err := jobboard.ParseJobID(r.URL.Query().Get("jobid"))
	if err != nil {
		http.Error(w, "jobid: "+err.Error(), http.StatusBadRequest)
		return
	}
	j, err := m.Job(r.Context(), id)
	switch {
	case errors.Is(err, ErrUnknown):
		writeCode(w, http.StatusNotFound, "ERROR_JOB_UNAVAILABLE", "the mirror does not hold the job")
		return
	case errors.Is(err, ErrStale):
		w.Header().Set("Retry-After", "60")
		http.Error(w, "what the mirror knows of the job is too old", http.StatusServiceUnavailable)
		return
	case err != nil:
		m.failed(w, r, err)
		return
	}
	w.Header().Set("Age", strconv.FormatInt(int64(j.Age.Seconds()), 10))
	if c, ok := codes[j.State]; ok {
		writeCode(w, c.status, c.code, c.message)
		return
	}
	writeJSON(w, http.StatusOK, j.information())
}

func writeCode(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]string{"code": code, "message": message})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // who has left does not read it
}

func (m *Mirror) serveStatus(w http.ResponseWriter, r *http.Request) {
	status, err := m.Status(r.Context())
	if err != nil {
		m.failed(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, status)
}

// serveReady says whether searches can be answered.
func (m *Mirror) serveReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := m.Ready(ctx); err != nil {
		text := "the database does not answer"
		if errors.Is(err, ErrIncomplete) {
			text = err.Error()
		}
		http.Error(w, text, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}
