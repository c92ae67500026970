package jobmirror

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// Options describes what is copied and how. The zero value of a field means the
// default in its comment.
type Options struct {
	// Config configures the client that Open makes. Its requests keep the mirror's
	// limit, too; the Limiter and the Observer of Config are asked as well.
	Config jobboard.Config

	// Board names the board. Without it a board is known by Config.BaseURL and Config.JobDBURL,
	// and Open returns ErrOtherBoard where the database has the copy of another one. A board with
	// several addresses needs a name, the same in all processes. A process that only reads the
	// database may leave Board empty.
	Board string

	Channels []Channel // what is copied by search (4.1); needs Config.BaseURL, and JobDBURL as Feeds do
	Feeds    []Feed    // what is copied from job feeds; needs Config.JobDBURL, unless LookupEvery is below 0

	// Limit bounds the requests a second that are sent to the board, repeats
	// and redirects included: by this process on SQLite, by all together on
	// PostgreSQL. 0 means 20, negative: no limit but the board's pauses.
	Limit float64
	// Concurrency bounds the lookups of a batch that are under way at once: 0 means 16,
	// at most 1024. Once the last of a batch is sent the next one begins, so that a few
	// unanswered lookups delay no others.
	Concurrency int

	RefreshEvery time.Duration // between two refreshes of a source; 0 means 15 minutes, at most 5 years
	// LookupEvery is the time between two lookups of an open job, or up to a tenth less: 0 means 24
	// hours, at most 5 years. For a timer that refreshes once a day it is 20 hours: a lookup that was
	// answered at the end of a pass is not due yet when the next one begins a day after the first.
	// Below 0 this process looks no job up: unless another process looks jobs up, all stay unknown,
	// and a site has a list without pages of jobs.
	LookupEvery time.Duration
	// HoldMissing is how long the removal of rows stays pending, if a source ceases to show many rows
	// at once, or all of them, and no lookup proves that they are gone: 0 means 24 hours, below 0 that
	// no removal is pending. See also Mirror.AcceptRemovals.
	HoldMissing time.Duration
	KeepChanges time.Duration // how long the log of changes reaches back; 0 means 30 days

	// MaxAge bounds the age at which a lookup's answer is still returned: 0 means 48
	// hours, or twice LookupEvery where that is longer. A job that stays closed or gone
	// is looked up more and more seldom, up to each 32nd time, and its answer is returned
	// for as many times longer.
	MaxAge time.Duration

	// KeepSources is the time for which the copy keeps a source, and what only it shows,
	// after the last process that named it in its options was seen: 0 means 7
	// days, below 0 for ever. Several processes may share a database and name
	// different sources. A source that never showed anything is kept for a day at
	// most, unless it is for ever. See also Mirror.RemoveSources.
	KeepSources time.Duration

	// KeepJobs is the time for which the copy keeps an orphan, a job that no posting and no entry of a
	// feed names any more: 0 means 90 days, below 0 for ever. No orphan is removed while a source has
	// had no complete refresh for that long. The copy remembers FirstSeen and ShownAgain of a posting
	// that left it for the same time.
	KeepJobs time.Duration

	// Synonyms is a list of words that mean the same, a group on each line, such as "Pfleger,
	// Pflegefachkraft, Krankenschwester": a search for a member, in any form, finds postings with a form of any
	// member in the title. So does the board's search by Handler. Of a phrase, such as "staff
	// nurse", a title must have all words. An abbreviation of up to four letters with two capitals, such as MFA,
	// finds the other members, but they do not find it. Quoted words and words left out have no synonyms. Empty lines
	// and lines that begin with # are ignored. A list may have 1 MiB, a group 20 words or phrases.
	// Empty: the built-in list of German job titles, for German postings; "-": there are no synonyms. Processes that
	// share the visitors of a site need the same list: a PageCursor holds for one list.
	Synonyms string

	// Authorize decides who may ask Handler: nil lets a request pass, an error
	// refuses it with 403. Without it only callers on this machine are served, and
	// nobody for whom a proxy asks.
	Authorize func(*http.Request) error
	// Hosts are the names under which Handler is served, such as "jobs.internal". A
	// request for another name than these, localhost or an address is refused with 403.
	Hosts []string

	// ReadOnly opens the database beside the process that writes it: Run,
	// Refresh, AcceptRemovals, RemoveSources and Forget fail. A file of SQLite must
	// be in a folder that this process may write, because SQLite writes beside a file that it reads.
	ReadOnly bool

	Logger *slog.Logger // nil: silent

	// MeterProvider receives the metrics of the mirror; nil: there are none. Those of the
	// client come from an Observer in Config, such as jobboardotel's.
	MeterProvider metric.MeterProvider

	noLookups bool // LookupEvery was below 0
}

// Channel names a channel of postings, and the languages in which it is copied.
type Channel struct {
	ID        jobboard.ChannelID
	Languages []string // such as "de" and "en": a posting has a row per language; none: Config.Language
}

// Feed names a job feed: a file or the address of one, plain or compressed with gzip.
type Feed struct {
	// Name identifies the feed, in the database too. Empty: Address without user,
	// password, query and fragment, and of a path its last element.
	Name string
	// Address is http or https with a host, or a path: the path of an existing file, or of a file
	// that may come into an existing folder. A text with @, ? or :// is the path of a file that
	// exists, or a mistyped address, which Open refuses. Where Options.ReadOnly is set neither
	// file nor folder need exist. Of the address nothing is stored or shown but what an empty Name
	// stands for.
	Address string
	// HTTPClient fetches the address; nil: one with bounds of its own. No
	// credential of Options.Config is sent.
	HTTPClient *http.Client
}

// maxEvery is the longest interval of Options. A job that stays closed is asked about
// each 32nd time, and that must still be a Duration.
const maxEvery = 5 * 365 * 24 * time.Hour

func (o *Options) setDefaults() {
	o.Limit = cmp.Or(o.Limit, 20)
	o.Concurrency = min(cmp.Or(max(o.Concurrency, 0), 16), 1024)
	o.RefreshEvery = min(cmp.Or(max(o.RefreshEvery, 0), 15*time.Minute), maxEvery)
	o.noLookups = o.LookupEvery < 0
	o.LookupEvery = min(cmp.Or(max(o.LookupEvery, 0), 24*time.Hour), maxEvery)
	o.MaxAge = cmp.Or(max(o.MaxAge, 0), max(48*time.Hour, 2*o.LookupEvery))
	o.KeepChanges = cmp.Or(max(o.KeepChanges, 0), 30*24*time.Hour)
	o.HoldMissing = cmp.Or(o.HoldMissing, 24*time.Hour)
	o.KeepSources = cmp.Or(o.KeepSources, 7*24*time.Hour)
	o.KeepJobs = cmp.Or(o.KeepJobs, 90*24*time.Hour)
	if o.Authorize == nil {
		o.Authorize = onlyLoopback
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// source is a source that the options name, and how it is asked for.
type source struct {
	sources.Source
	feed Feed // of a feed
}

// sources lists what the options name, each once.
func (o *Options) sources() ([]*source, error) {
	var out []*source
	seen := map[sources.Source]bool{}
	add := func(s source) {
		if !seen[s.Source] {
			seen[s.Source] = true
			out = append(out, &s)
		}
	}
	for _, c := range o.Channels {
		if c.ID == "" {
			return nil, errors.New("jobmirror: a channel without ID")
		}
		languages := c.Languages
		if len(languages) == 0 {
			languages = []string{o.Config.Language}
		}
		for _, language := range languages {
			add(source{Source: sources.Source{Kind: sources.Channel, Name: string(c.ID), Language: language}})
		}
	}
	feeds, err := o.feedSources()
	for _, s := range feeds {
		add(s)
	}
	return out, err
}

// checkAddresses refuses sources that the configuration has no address for. Without lookups
// no job has a page, so a missing JobDBURL has to be meant.
func (o *Options) checkAddresses() error {
	if len(o.Channels) > 0 && o.Config.BaseURL == "" {
		return &jobboard.ConfigError{Field: "BaseURL", Reason: "is empty, and Options.Channels are searched there"}
	}
	if o.Config.JobDBURL == "" && !o.noLookups {
		return &jobboard.ConfigError{
			Field: "JobDBURL", Reason: "is empty, and jobs are looked up there; LookupEvery below 0 copies postings alone",
		}
	}
	return nil
}
