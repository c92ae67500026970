package boardcheck

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// MaxRequests is the most GETs of a check, with repeats and followed redirects.
const MaxRequests = 150

const (
	maxJobs   = 30
	perSecond = 5

	// unknownJob is so high that no board has given it.
	unknownJob jobboard.JobID = 999_999_999_999_983
	// unknownChannel has the form of a channel, and is none.
	unknownChannel jobboard.ChannelID = "999999983_boardcheck"
)

// Board describes the board to ask, and the credentials to ask it with.
type Board struct {
	// Config is the program's own configuration. Check looks at the answers through a transport of its own,
	// which it puts below Config.Middleware, and waits for a limit of five requests a second before it
	// asks Config.Limiter.
	Config jobboard.Config
	// Channels are searched, each in each language.
	Channels []jobboard.ChannelID
	// Languages are the Accept-Language of the searches, such as "de" and "en". Empty: one search, in
	// Config.Language.
	Languages []string
	// FeedURL is the address of the job feed. It is fetched without a credential. Empty: no feed.
	FeedURL string
	// Applicant gives the token of an applicant, for the applied check and the application
	// identifier. nil: neither is asked.
	Applicant oauth2.TokenSource
	// Jobs are looked up, at most the first 30. If they are fewer, jobs of links and of the feed are looked up
	// too, 30 in all.
	Jobs []jobboard.JobID
}

// Step is one kind of call of a check.
type Step struct {
	Call    string // as in the profile, such as "search with a word"
	Request string // such as "GET {jobdb_url}/jobdb/public/apply/external?jobid"
	AtMost  int    // calls, without repeats and redirects
}

const (
	searchLine      = "GET {base_url}/api/rest/v2/frontend/jobboards/{channelID}/jobs"
	lookupLine      = "GET {jobdb_url}/jobdb/public/apply/external?jobid"
	appliedLine     = "GET {base_url}/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	applicationLine = "GET {base_url}/api/rest/v3/frontend/jobs/{jobDbId}/application"
)

// The kinds of calls.
const (
	kindSearch         = "search"
	kindWord           = "search with a word"
	kindCircle         = "search in a circle"
	kindUnknownChannel = "search of an unknown channel"
	kindFeed           = "feed"
	kindLookup         = "job information"
	kindUnknownJob     = "job information of an unknown job"
	kindApplied        = "applied check"
	kindUnknownApplied = "applied check of an unknown job"
	kindApplication    = "application identifier"
)

// Plan returns the calls of a check in their order, and makes none. It returns an error for a Board that Check
// refuses.
func (b Board) Plan() ([]Step, error) {
	if _, err := jobboard.NewClient(b.Config); err != nil {
		return nil, fmt.Errorf("boardcheck: %w", err)
	}
	if err := b.mistake(); err != nil {
		return nil, err
	}
	searches := len(b.Channels) * max(1, len(b.Languages))
	var steps []Step
	add := func(when bool, call, request string, most int) {
		if when {
			steps = append(steps, Step{call, request, most})
		}
	}
	add(searches > 0, kindSearch, searchLine, searches)
	add(b.FeedURL != "", kindFeed, "GET {feed_url}", 1)
	add(b.Config.JobDBURL != "", kindLookup, lookupLine, maxJobs)
	add(b.Config.JobDBURL != "", kindUnknownJob, lookupLine, 1)
	add(searches > 0, kindWord, searchLine, searches)
	add(searches > 0 && b.Config.JobDBURL != "", kindCircle, searchLine, searches)
	add(searches > 0, kindUnknownChannel, searchLine, 1)
	add(b.Applicant != nil, kindApplied, appliedLine, maxJobs)
	add(b.Applicant != nil, kindUnknownApplied, appliedLine, 1)
	add(b.Applicant != nil, kindApplication, applicationLine, maxJobs)
	total := 0
	for _, s := range steps {
		total += s.AtMost
	}
	switch {
	case total == 0:
		return nil, errors.New("boardcheck: there is nothing to ask: give channels, a feed or Config.JobDBURL")
	case total > MaxRequests:
		return nil, fmt.Errorf("boardcheck: %d channels in %d languages make %d calls, and a check makes at most %d",
			len(b.Channels), max(1, len(b.Languages)), total, MaxRequests)
	}
	return steps, nil
}

// mistake returns what keeps the fields beside Config from being used.
func (b *Board) mistake() error {
	if (len(b.Channels) > 0 || b.Applicant != nil) && b.Config.BaseURL == "" {
		return errors.New("boardcheck: channels and an applicant need Config.BaseURL")
	}
	if b.FeedURL != "" {
		u, err := url.Parse(b.FeedURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			return errors.New("boardcheck: FeedURL is no http or https address without a user part")
		}
	}
	return nil
}

// pace lets a request go each fifth of a second, and asks the caller's own limiter after that.
type pace struct {
	own  jobboard.Limiter // nil: none
	next time.Time
}

// Wait implements jobboard.Limiter. The calls of a check come one after the other.
func (p *pace) Wait(ctx context.Context) error {
	now := time.Now()
	p.next = p.next.Add(time.Second / perSecond)
	if p.next.Before(now) {
		p.next = now
	}
	if err := sleep(ctx, p.next.Sub(now)); err != nil {
		return err
	}
	if p.own != nil {
		return p.own.Wait(ctx)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
