package jobmirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// writeTimeout bounds the time that a client takes for a part of an answer.
const writeTimeout = 30 * time.Second

// Handler answers from the copy as the board does, so that a client of the
// board works with the mirror's address as BaseURL and as JobDBURL:
//
//	GET /api/rest/v2/frontend/jobboards/{channelID}/jobs   4.1, every hit on one page, in the copied language that
//	                                                       Accept-Language asks for; category, place, company, remote
//	                                                       and since narrow it as the fields of Query do
//	GET /jobdb/public/apply/external                       4.4, 503 where the answer is older than Options.MaxAge allows
//	GET /api/rest/v3/frontend/jobs/...                     4.2 and 4.3 are the applicant's own: 501
//
// and with addresses of its own:
//
//	GET /mirror/changes   the log of changes as Server-Sent Events; see below
//	GET /mirror/status    Status as JSON
//	GET /mirror/live      200 while the process works
//	GET /mirror/ready     200 when every channel was copied once and the database answers, else 503; see Ready
//
// If a search (4.1) finds nothing, its answer has a member "mirror" with an element "why", see Page.Why. The
// header Age of 4.1 and 4.4 is how old the answer is, in seconds. Handler ignores credentials in requests:
// Options.Authorize decides who may ask.
//
// The stream of changes begins after the cursor in the header Last-Event-ID or in the query since; a cursor that is
// refused is answered with 410. Without one it begins with every row, as events "row", and an event "rows" with the
// cursor after which the changes follow, as events "change"; how to apply them tells Snapshot. An event "failed" says
// why not all rows came. The handler sets deadlines of its own; a server's WriteTimeout would end the stream.
func (m *Mirror) Handler() http.Handler { return m.Guard(m.routes(true)) }

// routes returns the handler of every path. all says whether the search finds what a visitor should not
// see, as the board's does.
func (m *Mirror) routes(all bool) http.Handler {
	mux := http.NewServeMux()
	search := func(w http.ResponseWriter, r *http.Request) { m.serveSearch(w, r, all) }
	mux.HandleFunc("GET /api/rest/v2/frontend/jobboards/{channel}/jobs", atMost(maxPages, search))
	mux.HandleFunc("GET /jobdb/public/apply/external", m.serveJob)
	mux.HandleFunc("GET /api/rest/v3/frontend/jobs/{job}/{what}", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the mirror knows nothing of applicants: ask the board", http.StatusNotImplemented)
	})
	mux.HandleFunc("GET /mirror/changes", atMost(maxStreams, m.serveChanges))
	mux.HandleFunc("GET /mirror/status", m.serveStatus)
	mux.HandleFunc("GET /mirror/live", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "live") })
	mux.HandleFunc("GET /mirror/ready", m.ServeReady)
	return mux
}

// How many requests of a kind are answered at the same time. Others are told to
// come back.
const (
	maxPages   = 64  // answers of 4.1, which may hold a whole channel
	maxStreams = 512 // streams of changes, which do not end
)

// atMost answers so many requests at the same time, and others with 503.
func atMost(n int, next http.HandlerFunc) http.HandlerFunc {
	places := make(chan struct{}, n)
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next(w, r)
		default:
			comeBack(w, "too many are asking at the moment", "1")
		}
	}
}

// comeBack answers 503, with the seconds after which to ask again.
func comeBack(w http.ResponseWriter, why, seconds string) {
	w.Header().Set("Retry-After", seconds)
	http.Error(w, why, http.StatusServiceUnavailable)
}

// Guard returns a handler that passes a request on to next if Handler would answer it, by
// Options.Authorize and Options.Hosts, and refuses others with 403. Without it a page in a
// browser on this machine could let its own name lead here, and read the whole copy.
func (m *Mirror) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.db == nil {
			http.Error(w, errNotOpened.Error(), http.StatusServiceUnavailable)
			return
		}
		err := m.opts.Authorize(r)
		if err == nil && !m.opts.serves(r.Host) {
			err = errors.New("the mirror is not served under this name: Options.Hosts")
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serves reports whether requests may name a host: an address, a name of this machine
// alone, or one of Hosts. A request of HTTP/1.0 names none, and no browser sends one.
func (o *Options) serves(host string) bool {
	name := host
	if before, _, err := net.SplitHostPort(host); err == nil {
		name = before
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || name == "" {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		slices.ContainsFunc(o.Hosts, func(own string) bool {
			own = hostname.ASCII(own)
			return strings.EqualFold(own, name) || strings.EqualFold(own, host)
		})
}

// onlyLoopback refuses callers of other machines, and those for whom a proxy on
// this machine asks.
func onlyLoopback(r *http.Request) error {
	caller, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !caller.Addr().IsLoopback() || passedOn(r.Header) {
		return errors.New("only callers on this machine are served")
	}
	return nil
}

// passedOn reports whether a header says that a proxy sends the request for another.
func passedOn(h http.Header) bool {
	for name := range h {
		name = http.CanonicalHeaderKey(name) // net/http does so; who makes a request by hand may not
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "Cf-Connecting-Ip", "True-Client-Ip":
			return true
		}
		if strings.HasPrefix(name, "X-Forwarded-") {
			return true
		}
	}
	return false
}

// failed answers an error that is not the caller's.
func (m *Mirror) failed(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, store.ErrClosed) {
		comeBack(w, store.ErrClosed.Error(), "5")
		return
	}
	if r.Context().Err() == nil {
		m.logger().ErrorContext(r.Context(), "jobmirror: "+r.URL.Path, "error", problem(err))
	}
	http.Error(w, "the mirror failed while processing the request", http.StatusInternalServerError)
}

// Codes of 7.3 with the status and words they are answered with.
var codes = map[State]struct {
	status        int
	code, message string
}{
	StateInactive:    {http.StatusGone, "ERROR_JOB_INACTIVE", "the job is deactivated"},
	StateUnavailable: {http.StatusNotFound, "ERROR_JOB_UNAVAILABLE", "the job is no longer available"},
}

// readQuery returns the parameters of a request. It answers 400 and returns false where they
// cannot be read, such as "a;b": net/url leaves such a parameter out, and a search without
// its text would find everything.
func readQuery(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		http.Error(w, "the query of the address cannot be read: "+err.Error(), http.StatusBadRequest)
	}
	return parameters, err == nil
}

// serveJob answers 4.4.
func (m *Mirror) serveJob(w http.ResponseWriter, r *http.Request) {
	parameters, ok := readQuery(w, r)
	if !ok {
		return
	}
	id, err := jobboard.ParseJobID(parameters.Get("jobid"))
	if err != nil {
		http.Error(w, "jobid: "+err.Error(), http.StatusBadRequest)
		return
	}
	j, err := m.Job(r.Context(), id)
	switch {
	case j != nil && j.LookedUp.IsZero() && j.said == stateUnfound:
		serveUnfound(w, err)
		return
	case errors.Is(err, ErrUnknown):
		writeCode(w, http.StatusNotFound, "ERROR_JOB_UNAVAILABLE", "the mirror does not hold the job")
		return
	case errors.Is(err, ErrIncomplete):
		comeBack(w, "what names the job was not copied yet", "60")
		return
	case errors.Is(err, ErrStale):
		comeBack(w, "what the mirror knows of the job is too old", "60")
		return
	case err != nil:
		m.failed(w, r, err)
		return
	}
	w.Header().Set("Age", seconds(j.Age))
	if c, ok := codes[j.State]; ok {
		writeCode(w, c.status, c.code, c.message)
		return
	}
	writeJSON(w, http.StatusOK, j.information())
}

// serveUnfound answers for a job of which the board has said nothing but that its posting cannot
// be found: with 503 in place of 404 while the copy has a posting of the job.
func serveUnfound(w http.ResponseWriter, err error) {
	status := http.StatusNotFound
	if !errors.Is(err, ErrUnknown) {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "60")
	}
	writeCode(w, status, "ERROR_POSTING_UNAVAILABLE", "the job posting cannot be found")
}

// seconds writes an age for the header Age.
func seconds(age time.Duration) string { return strconv.FormatInt(int64(age/time.Second), 10) }

func writeCode(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]string{"code": code, "message": message})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has left reads no error
}

func (m *Mirror) serveStatus(w http.ResponseWriter, r *http.Request) {
	status, err := m.Status(r.Context())
	if err != nil {
		m.failed(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, status)
}

// ServeReady answers everybody: 200 if Ready returns nil, else 503. Its text names the channels that
// it waits for, channels that the board refuses, and a database that this process failed to write,
// which does not change the status. Handler serves it at /mirror/ready, to those whom it serves.
func (m *Mirror) ServeReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	refused, err := m.ready(ctx)
	unwritable := ""
	if why := m.db.Unwritable(); why != "" {
		unwritable = "; the database cannot be written: " + why
	}
	switch {
	case errors.Is(err, ErrIncomplete):
		http.Error(w, err.Error()+unwritable, http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, "the database does not answer"+unwritable, http.StatusServiceUnavailable)
	case len(refused) > 0:
		fmt.Fprintf(w, "ready, without %s, which the board refuses%s\n", enumerate("channel", refused), unwritable)
	default:
		fmt.Fprintln(w, "ready"+unwritable)
	}
}
