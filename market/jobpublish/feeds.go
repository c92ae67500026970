package jobpublish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
)

// Config describes the feeds of a site to NewFeeds.
type Config struct {
	// URL is the site's own address, such as "https://jobs.example/": absolute,
	// http or https. The jobs' pages must have the same host.
	URL         string
	Title       string // title of the feeds
	Description string // description of the feeds; empty: Title
	Language    string // language of the feeds, such as "de"; empty: not stated
	// Jobs yields every job that the site knows, each once, in an order that stays
	// the same. Feeds calls it once for each file that it writes, possibly from
	// several goroutines at once. After an error it writes no file.
	Jobs func(ctx context.Context) iter.Seq2[Job, error]
	// Refused is called for each job left out of a file, whenever a file is
	// written, possibly from several goroutines at once; nil: no call.
	Refused func(*RefusedError)
	// MaxAge is the longest time to serve a file, once it is written, before
	// calling Jobs again; 0 means a minute. A file expires earlier when one of its
	// jobs may no longer be published.
	MaxAge time.Duration
	Logger *slog.Logger // logs failures; nil: silent
}

// Feeds serves the sitemap and the feeds of the jobs of a site. It keeps one file for
// each handler on disk and one job in memory, so that a million jobs take no more memory
// than one.
type Feeds struct {
	cfg Config
	url *url.URL
	id  uuid.UUID
}

// ConfigError reports a mistake in a Config.
type ConfigError struct {
	Field  string // name of the wrong field
	Reason string
}

// Error returns the field and what is wrong with it.
func (e *ConfigError) Error() string { return "jobpublish: Config." + e.Field + " " + e.Reason }

// NewFeeds returns the feeds for cfg and does not call Jobs. Its error joins a
// *ConfigError for each mistake in cfg.
func NewFeeds(cfg Config) (*Feeds, error) {
	var wrong []error
	u, err := url.Parse(cfg.URL)
	switch {
	case err != nil || !webAddress(cfg.URL):
		wrong = append(wrong, &ConfigError{"URL", "is not an absolute address with http or https"})
	case u.RawQuery != "" || u.Fragment != "":
		wrong = append(wrong, &ConfigError{"URL", "has a query or a fragment"})
	}
	if line(cfg.Title) == "" {
		wrong = append(wrong, &ConfigError{"Title", "is empty"})
	}
	if !languageTag.MatchString(cfg.Language) {
		wrong = append(wrong, &ConfigError{"Language", "is not a language such as \"de\" or \"en-GB\""})
	}
	if cfg.Jobs == nil {
		wrong = append(wrong, &ConfigError{"Jobs", "is nil"})
	}
	if cfg.MaxAge < 0 {
		wrong = append(wrong, &ConfigError{"MaxAge", "is negative"})
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if cfg.MaxAge == 0 {
		cfg.MaxAge = time.Minute
	}
	if line(cfg.Description) == "" {
		cfg.Description = cfg.Title
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.Host = hostname.ASCII(u.Host) // crawlers send hosts in ASCII
	return &Feeds{cfg: cfg, url: u, id: uuid.NewSHA1(uuid.NameSpaceURL, []byte(u.String()))}, nil
}

// languageTag matches texts in the form of a language tag, and the empty text.
var languageTag = regexp.MustCompile(`^([A-Za-z]{1,8}(-[0-9A-Za-z]{1,8})*)?$`)

// jobs yields the jobs that may be published during the whole time from now to
// until.
func (f *Feeds) jobs(ctx context.Context, now, until time.Time) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		for job, err := range f.cfg.Jobs(ctx) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Job{}, err)
				return
			}
			if err = job.Check(now); err == nil && until.After(now) {
				err = job.Check(until)
			}
			if err == nil && !f.holds(job.URL) {
				err = &RefusedError{Job: job.ID(), Reason: ReasonIncomplete, Missing: []string{"url"}, Err: errElsewhere}
			}
			if refused, ok := errors.AsType[*RefusedError](err); ok {
				f.refuse(refused)
			} else if !yield(job, nil) {
				return
			}
		}
	}
}

func (f *Feeds) refuse(err *RefusedError) {
	if f.cfg.Refused != nil {
		f.cfg.Refused(err)
	}
}

var errElsewhere = errors.New("the page is on another host than the site")

// holds reports whether a page is on the site's host, as sitemaps require.
func (f *Feeds) holds(page string) bool {
	u, err := url.Parse(page)
	return err == nil && strings.EqualFold(u.Scheme, f.url.Scheme) && strings.EqualFold(hostname.ASCII(u.Host), f.url.Host)
}

// address returns the address of a path of the site.
func (f *Feeds) address(path string) string {
	return f.url.ResolveReference(&url.URL{Path: path}).String()
}

// jobID returns a job's identifier in feeds, which depends only on the site, the job
// and the posting.
func (f *Feeds) jobID(job Job) string {
	return uuid.NewSHA1(f.id, fmt.Appendf(nil, "job %d posting %d", job.ID(), job.Posting.JobPostingID)).URN()
}

// Sitemap returns the handler of the sitemap of the jobs' pages, for mounting at path, such as
// "/sitemap.xml". A sitemap of more than 50 000 pages is divided: path serves an index, and path
// with ?part=1 and so on the parts. Without jobs the sitemap holds the site's own page, because it
// must not be empty.
//
// Its answers have ETag, Last-Modified and Cache-Control. A client that has the
// current file gets 304. While Jobs fails, the answer is 503.
func (f *Feeds) Sitemap(path string) http.Handler {
	return f.handler(path, "application/xml; charset=utf-8", writeSitemap)
}

// RSS returns the handler of the jobs as RSS 2.0, for mounting at path, such as
// "/jobs.rss". It answers with the headers and statuses of Sitemap. A client that has
// waited for two seconds and asks for the whole feed gets it while it is written,
// without ETag and Last-Modified. If Jobs fails then, the answer is cut off.
func (f *Feeds) RSS(path string) http.Handler {
	h := f.handler(path, "application/rss+xml; charset=utf-8", writeRSS)
	h.streams = true
	return h
}

// Atom returns the handler of the jobs as Atom 1.0 (RFC 4287), for mounting at
// path, such as "/jobs.atom". It answers with the headers and statuses of
// Sitemap.
func (f *Feeds) Atom(path string) http.Handler {
	return f.handler(path, "application/atom+xml; charset=utf-8", writeAtom)
}
