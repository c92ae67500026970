package jobpublish

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
)

// MaxAge is the greatest age of the lookup's answer with which a job may be
// published.
const MaxAge = 48 * time.Hour

// skew is how far the clock that set Job.Answered may be ahead of ours.
const skew = time.Minute

// Job holds the data from which a site publishes a job.
type Job struct {
	URL         string                   // address of the job's page: absolute, http or https, under 2 048 characters
	Posting     *jobboard.JobPosting     // from a search (4.1)
	Language    string                   // language of the posting's title and advertisement, such as "de"; empty: unknown
	Information *jobboard.JobInformation // the lookup's last answer (4.4); nil: none so far
	Answered    time.Time                // when the lookup last answered
	// Err holds the lookup's last answer if it was an error which says that the job is
	// closed or gone. A failure that says nothing about the job, such as a time-out or
	// ErrPostingUnavailable, must not be set here; SetLookup takes care of that.
	Err error
	// DirectApply reports that an application can be started on the page.
	DirectApply bool
	// ApplicantCountries lists the countries from which a remote job can be done;
	// nil: the countries of the job's locations.
	ApplicantCountries []string
	// Organization describes the company, as far as the site knows it.
	Organization Organization
	// ValidFor gives a posting without an end a validThrough in StructuredData: the
	// end of the day (UTC) that is this long after the lookup's last answer, so that it
	// moves with each confirmation. It is at least MaxAge. 0: such a posting has no
	// validThrough, because the service names none.
	ValidFor time.Duration
}

// Organization describes a company to search engines. Values that are not http or
// https addresses are left out.
type Organization struct {
	Logo   string // address of a picture
	SameAs string // address of the company's own site
}

// Reason names why a job is not published.
type Reason string

// The reasons.
const (
	ReasonGone       Reason = "gone"        // the service knows no such job or posting any more
	ReasonClosed     Reason = "closed"      // deactivated, or no longer open to applications
	ReasonNotVisible Reason = "not visible" // not for everybody: an internal job, or a posting that is not visible
	ReasonExpired    Reason = "expired"     // its last day is over
	ReasonNotYet     Reason = "not yet"     // its first day has not come
	ReasonUnknown    Reason = "unknown"     // the lookup has never answered
	ReasonStale      Reason = "stale"       // the lookup's last answer is older than MaxAge
	ReasonIncomplete Reason = "incomplete"  // the job lacks a value that a published job needs
)

// RefusedError reports why a job is not published.
type RefusedError struct {
	Job     jobboard.JobID // 0: unknown
	Reason  Reason
	Missing []string // with ReasonIncomplete: names of the missing properties in schema.org
	Err     error    // the lookup's error, if any
}

// Error returns the job and the reason.
func (e *RefusedError) Error() string {
	text := fmt.Sprintf("jobpublish: job %d is not published: %s", e.Job, e.Reason)
	if len(e.Missing) > 0 {
		text += ", without " + strings.Join(e.Missing, ", ")
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the lookup's error, or nil.
func (e *RefusedError) Unwrap() error { return e.Err }

// HTTPStatus returns the status of the page of a refused job: 410 for a closed or
// expired job, the status of [jobboard.HTTPStatus] for a job that the service calls
// gone or not visible, 503 if it is unknown whether the job is open, and otherwise 404.
func (e *RefusedError) HTTPStatus() int {
	switch {
	case e.Reason == ReasonClosed, e.Reason == ReasonExpired:
		return http.StatusGone
	case e.Reason == ReasonUnknown, e.Reason == ReasonStale:
		return http.StatusServiceUnavailable
	case e.Err != nil && jobboard.Settled(e.Err):
		return jobboard.HTTPStatus(e.Err)
	}
	return http.StatusNotFound
}

// SetLookup records the result of Client.JobInformation at a time. An answer replaces
// the previous answer. An error that says nothing about the job, such as a time-out or
// [jobboard.ErrPostingUnavailable], changes nothing: the previous answer counts until
// it is older than MaxAge.
func (j *Job) SetLookup(info *jobboard.JobInformation, err error, at time.Time) {
	switch {
	case err == nil && info != nil:
		j.Information, j.Answered, j.Err = info, at, nil
	case err != nil && jobboard.Settled(err):
		j.Answered, j.Err = at, err
	}
}

// ID returns the job's identifier, or 0 if Information is nil.
func (j Job) ID() jobboard.JobID {
	if j.Information == nil {
		return 0
	}
	return j.Information.JobID
}

// Check returns nil if the job may be published at a time: an answer of the lookup
// at most MaxAge old says that the job is open to applications, the posting is
// visible, its first day has come and its last day is not over, and it has a title
// and an address. For every other job Check returns a *RefusedError.
func (j Job) Check(now time.Time) error {
	reason, err := j.closed(now)
	var missing []string
	if reason == "" {
		reason = j.outOfTime(now)
	}
	if reason == "" {
		if missing = j.missing(); len(missing) > 0 {
			reason = ReasonIncomplete
		}
	}
	if reason == "" {
		return nil
	}
	return &RefusedError{Job: j.ID(), Reason: reason, Missing: missing, Err: err}
}

// closed returns the reason why the job counts as closed, or "" if the job is
// known to be open.
func (j Job) closed(now time.Time) (Reason, error) {
	switch {
	case errors.Is(j.Err, jobboard.ErrNotFound):
		return ReasonGone, j.Err
	case errors.Is(j.Err, jobboard.ErrInactive):
		return ReasonClosed, j.Err
	case errors.Is(j.Err, jobboard.ErrNotVisible):
		return ReasonNotVisible, j.Err
	case j.Information == nil || j.Answered.IsZero():
		return ReasonUnknown, j.Err
	case !j.Information.ApplyPossible:
		return ReasonClosed, nil
	case now.Sub(j.Answered) > MaxAge, j.Answered.Sub(now) > skew: // of a clock that is wrong nothing is known
		return ReasonStale, j.Err
	}
	if j.Posting != nil && !j.Posting.Config.VisibleToAll() {
		return ReasonNotVisible, nil
	}
	return "", nil
}

func (j Job) outOfTime(now time.Time) Reason {
	if end, ok := j.end(); ok && !now.Before(end) {
		return ReasonExpired
	}
	if posted, ok := j.Posted(); ok && posted.After(now) {
		return ReasonNotYet
	}
	return ""
}

// missing returns the names of values that every page, feed and search engine
// needs and the job lacks.
func (j Job) missing() []string {
	var missing []string
	if j.Posting == nil {
		missing = append(missing, "posting")
	}
	if j.title() == "" {
		missing = append(missing, "title")
	}
	if !webAddress(j.URL) || len(j.address()) > maxAddress {
		missing = append(missing, "url")
	}
	return missing
}

// webAddress reports whether an address is absolute, http or https, and without
// a user name.
func webAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// title returns the posting's title, else the job's, as text on one line.
func (j Job) title() string {
	title := ""
	if j.Posting != nil {
		title = line(j.Posting.Title)
	}
	if title == "" && j.Information != nil {
		title = line(j.Information.JobTitle)
	}
	return title
}

// line returns text of the service on one line, without invisible characters.
func line(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))), " ")
}

// maxAddress is the longest page address in bytes that sitemaps allow.
const maxAddress = 2047

// address returns the page's address with all characters escaped that are
// invalid in XML or JSON-LD.
func (j Job) address() string {
	u, err := url.Parse(j.URL)
	if err != nil {
		return ""
	}
	var query strings.Builder
	for _, c := range []byte(u.RawQuery) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&query, "%%%02X", c)
		} else {
			query.WriteByte(c)
		}
	}
	u.RawQuery, u.Host = query.String(), hostname.ASCII(u.Host)
	return u.String()
}

// ad returns the cleaned advertisement, or "" if the posting has none.
func (j Job) ad() string {
	ad := j.Posting.Config.AdText()
	return Cleaner{Base: j.Posting.ApplyOnlineLink}.Clean(ad)
}

// Posted returns the day when the job was first listed, or else the beginning of
// this version of the posting; false if neither is known. It ignores jobStartDate, on
// which the work begins.
func (j Job) Posted() (time.Time, bool) {
	if j.Posting == nil {
		return time.Time{}, false
	}
	if listed := j.Posting.Config.ListingStartDate(); !listed.IsZero() {
		return listed, true
	}
	return j.Posting.PostingVersionStartDate.Time()
}

// ValidThrough returns the end of the posting, or that of ValidFor for a posting without
// an end; false if the job has neither.
func (j Job) ValidThrough() (time.Time, bool) {
	if end, ok := j.end(); ok || j.ValidFor <= 0 {
		return end, ok
	}
	return j.Answered.Add(max(j.ValidFor, MaxAge) + day).UTC().Truncate(day), true
}

// end returns the end of the posting; ok is false for a posting without an end.
func (j Job) end() (time.Time, bool) {
	if j.Posting == nil {
		return time.Time{}, false
	}
	return j.Posting.PostingVersionEndDate.Time()
}

// modified returns the time of the page's last change: the beginning of the posting's version, or else the day of
// posting; the zero time if both are unknown.
func (j Job) modified() time.Time {
	if j.Posting != nil {
		if begun, ok := j.Posting.PostingVersionStartDate.Time(); ok {
			return begun
		}
	}
	posted, _ := j.Posted()
	return posted
}

// until returns the time at which the job may no longer be published, unless a
// new answer confirms it.
func (j Job) until() time.Time {
	until := j.Answered.Add(MaxAge)
	if end, ok := j.end(); ok && end.Before(until) {
		return end
	}
	return until
}
