package jobmirror

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// A cache before the board may answer with what held yesterday. Where the answer has the header
// Age, that says when it was made: an answer from before the stored one changes nothing.
// Without the header a step backwards reveals the cache: a lower version of a posting, an
// earlier timestamp of a job that was closed since. Such a thing is believed once it was told
// twice: the board itself may have gone back, to a backup.

// mostAge is the highest age that is believed of the header Age. A proxy that sends
// nonsense keeps the mirror from taking answers for no longer than that.
const mostAge = 7 * 24 * time.Hour

// ageOf returns the age that an answer's header Age gives, at most mostAge; 0 if the header is
// missing or is no number.
func ageOf(h http.Header) time.Duration {
	seconds, err := strconv.ParseUint(h.Get("Age"), 10, 63)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return time.Duration(min(seconds, uint64(mostAge/time.Second))) * time.Second
}

// requestTime holds the moment before a request is sent.
type requestTime struct {
	at    int64     // by the database's clock
	local time.Time // by this process's
}

// sentNow returns the moment before a request that is sent once a transaction has ended, which began at a time.
func sentNow(began int64) requestTime { return requestTime{began, time.Now()} }

// origin tells when an answer was made, by the database's clock; 0: that is not known.
type origin struct {
	made  int64 // newest time at which the answer can have been made: receipt less the answer's age
	since int64 // oldest such time: that of the request, or made less a second if that is earlier
}

// received returns the origin of an answer that has just come and has an age.
func (a requestTime) received(age time.Duration) origin {
	made := a.at + (time.Since(a.local) - age).Milliseconds()
	return origin{made, min(a.at, made-1000)} // ages are whole seconds
}

// before reports whether the answer was certainly made before the stored one, of which
// stored is the earliest moment at which it may have been made. A stored moment that is
// yet to come was noted before the clock was set back, and does not count.
func (o origin) before(stored, now int64) bool {
	return o.made > 0 && o.made < stored && stored <= now
}

// kept returns what to store as the earliest moment at which this answer was made, in
// place of that of the answer before it. It is monotonic while the clock is.
func (o origin) kept(stored, now int64) int64 {
	if stored > now {
		return o.since
	}
	return max(stored, o.since)
}

// freshness reads the ages of the answers that a refresh gets.
type freshness struct {
	requestTime
	stored int64  // the earliest moment at which the last answer that was read of the source was made
	last   origin // of the answer that is being read
	read   bool   // the answer is no older than the stored one, so its rows count
}

// readHeader notes the origin of the answer to a request of the refresh.
func (h *freshness) readHeader(header http.Header) { h.last = h.received(ageOf(header)) }

// outOfCache is the reason why an answer counts for nothing.
const outOfCache = "the answer is older than the one before it: it comes out of a cache"

var errOutOfCache = errors.New(outOfCache)

// old reports whether the answer that is being read was made before the stored one, and
// notes in read that it was not.
func (h *freshness) old() bool {
	h.read = !h.last.before(h.stored, h.at)
	return !h.read
}

// noteOrigin notes when the answer of a turn was made, if it was read.
func (t *refreshTx) noteOrigin() error {
	if h := t.turn.freshness; h.read && h.last.made > 0 {
		return t.turn.SetMade(t.Tx, h.last.kept(h.stored, t.Now))
	}
	return nil
}

// believe takes out of change the lower versions of postings that must not take the place
// of stored ones yet. A lower version from the source that gave the stored row waits until
// that source shows one again, in an answer made after the first was noted. One from
// another source waits as long as the source of the stored row shows the posting.
func (t channelTx) believe(stored []*row, change map[int64]*row) error {
	var lower []int64
	for _, old := range stored {
		if given := change[old.id]; given.answer > old.answer && given.rec.Version < old.rec.Version {
			lower = append(lower, old.id)
		}
	}
	if len(lower) == 0 {
		return nil
	}
	shown, err := store.Pairs[int64, int64](t, `SELECT p.id, p.giver FROM postings p
		JOIN listings l ON l.source = p.giver AND l.posting = p.id WHERE p.id IN @ids`, store.IDs(lower))
	if err != nil {
		return err
	}
	noted, err := t.listing(t.src).LowerSince(store.IDs(lower))
	if err != nil {
		return err
	}
	for _, id := range lower {
		since := noted[id]
		switch giver, ok := shown[id]; {
		case ok && giver != t.src.ID:
			delete(change, id)
		case !ok, since > 0 && since <= t.Now && t.turn.freshness.last.made > since:
			// The stored version is not shown any more, or the channel has shown the lower one a second
			// time.
		default:
			delete(change, id)
			if err := t.listing(t.src).NoteLower(id, since, t.turn.Generation); err != nil {
				return err
			}
		}
	}
	return nil
}

// ages reads the ages of the answers that a mirror's client gets. Its zero value is ready to use.
type ages struct {
	lookups  sync.Map // by job, the age of the last answer to a lookup; only of answers out of a cache
	searches sync.Map // by searched, the *freshness of each refresh of a channel that is under way
}

// searched is what a request of a search asks for.
type searched struct{ channel, language string }

// under returns a jobboard.Config.Middleware that reads the header of each answer, above another
// middleware; nil: there is no other.
func (a *ages) under(other func(http.RoundTripper) http.RoundTripper) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		if other != nil {
			next = other(next)
		}
		if next == nil {
			return nil // NewClient says so
		}
		return agesRead{a, next}
	}
}

// agesRead is the middleware of ages.
type agesRead struct {
	ages *ages
	next http.RoundTripper
}

// RoundTrip sends a request on, and reads the header of its answer.
func (a agesRead) RoundTrip(r *http.Request) (*http.Response, error) {
	rs, err := a.next.RoundTrip(r)
	if err == nil && rs != nil {
		a.ages.read(r, rs)
	}
	return rs, err
}

// read notes how old the answer to an attempt is, for the lookup or the refresh that asked. A redirect is
// no answer: the one that it leads to counts.
func (a *ages) read(r *http.Request, rs *http.Response) {
	if rs.StatusCode >= 300 && rs.StatusCode < 400 {
		return
	}
	if job, err := jobboard.ParseJobID(r.URL.Query().Get("jobid")); err == nil {
		if age := ageOf(rs.Header); age > 0 {
			a.lookups.Store(job, age)
		} else {
			a.lookups.Delete(job) // that of an attempt before
		}
		return
	}
	segments := strings.TrimSuffix(r.URL.EscapedPath(), "/jobs") // .../jobboards/{channelID}/jobs (4.1)
	channel, _ := url.PathUnescape(segments[strings.LastIndexByte(segments, '/')+1:])
	if h, ok := a.searches.Load(searched{channel, r.Header.Get("Accept-Language")}); ok {
		h.(*freshness).readHeader(rs.Header)
	}
}

// origin returns when the last answer to a lookup was made, and forgets its age.
func (a *ages) origin(job jobboard.JobID, sent requestTime) origin {
	age, _ := a.lookups.LoadAndDelete(job)
	known, _ := age.(time.Duration)
	return sent.received(known)
}

// reopensLate reports whether an answer would open a job by information from before it was
// closed: information that is older than the stored one, or, if the answer that closed the job gave
// none, as old as the stored one.
func reopensLate(j *lookups.Job, r lookedUp, state State) bool {
	if state != StateOpen || State(j.State) == StateOpen || j.ServiceTime == 0 || r.info.Timestamp.IsZero() {
		return false
	}
	timestamp := r.info.Timestamp.UnixMilli()
	return timestamp < j.ServiceTime || timestamp == j.ServiceTime && State(j.State) != StateClosed
}
