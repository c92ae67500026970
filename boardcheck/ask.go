package boardcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// asker makes the calls of a check, one after the other.
type asker struct {
	Board
	ctx    context.Context
	client *jobboard.Client
	tap    *tap
	pace   jobboard.Limiter
	night  *night

	pages    map[string]*jobboard.JobSearchResult // plain searches, by channel and language
	postings map[jobboard.JobPostingID]bool       // of the pages
	feed     []jobboard.JobID
	named    map[jobboard.JobID]bool // jobs of postings of the pages
	jobs     []jobboard.JobID        // to look up
	found    []*jobboard.JobInformation
}

// givenUp is how many failures one after the other end the calls of a kind.
const givenUp = 4

// Check asks a board. Compare what it found with earlier nights by [Report.Since]. A board that does not
// answer is no error: Report.Unjudged then lists the calls. Check returns an error for a Board that
// cannot be asked, and if ctx is canceled. If ctx ends by its deadline, the calls that were not made by then
// are in Report.Unjudged.
func Check(ctx context.Context, b Board) (*Report, error) {
	if _, err := b.Plan(); err != nil {
		return nil, err
	}
	a := &asker{
		Board: b, ctx: ctx, night: newNight(), tap: &tap{}, pages: map[string]*jobboard.JobSearchResult{},
		postings: map[jobboard.JobPostingID]bool{}, named: map[jobboard.JobID]bool{},
	}
	for _, c := range append(slices.Clone(b.Channels), unknownChannel) {
		a.tap.channels = append(a.tap.channels, string(c))
	}
	a.pace = &pace{own: b.Config.Limiter}
	cfg := b.Config
	cfg.Limiter = a.pace
	cfg.Middleware = func(next http.RoundTripper) http.RoundTripper {
		a.tap.next = next
		if b.Config.Middleware != nil {
			return b.Config.Middleware(a.tap)
		}
		return a.tap
	}
	var err error
	if a.client, err = jobboard.NewClient(cfg); err != nil {
		return nil, fmt.Errorf("boardcheck: %w", err)
	}
	if err := a.all(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return a.report(), nil
}

func (a *asker) all() error {
	for _, step := range []func() error{
		a.searchAll, a.readFeed, a.lookUpAll, a.searchWords, a.searchCircles, a.searchUnknown, a.askApplicant,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// call makes a call of a kind, unless its kind was given up, or time or requests are up. It returns an error for
// input that cannot be sent.
func (a *asker) call(kind string, shaped bool, do func() (result, error)) error {
	k := a.night.kind(kind)
	switch {
	case a.ctx.Err() != nil:
		k.stop("the time was up")
		return nil
	case a.tap.spent():
		k.stop(fmt.Sprintf("the %d requests were used up", MaxRequests))
		return nil
	case k.failed >= givenUp || a.night.gaveUp(unknownOf[kind]):
		k.stop(fmt.Sprintf("%d calls failed one after the other", givenUp))
		return nil
	}
	a.tap.begin(shaped)
	r, err := do()
	if errors.Is(err, jobboard.ErrInvalidInput) {
		return fmt.Errorf("boardcheck: %w", err)
	}
	seen := a.tap.exchanges()
	if err != nil {
		r = resultOf(err)
		if a.ctx.Err() != nil {
			k.stop("the time was up")
			return nil
		}
		if a.tap.spent() && (len(seen) == 0 || r.name == "ErrTransport") {
			k.stop(fmt.Sprintf("the %d requests were used up", MaxRequests))
			return nil
		}
	}
	a.note(kind, k, r, seen)
	return nil
}

// note keeps the outcome of a call.
func (a *asker) note(kind string, k *kindNight, r result, seen []*exchange) {
	if r.class == trouble && r.name == "ErrServer" && a.isExpected(kind, seen) {
		r.class = unread
	}
	k.asked++
	k.failed++
	if r.class != trouble {
		k.failed = 0
	}
	o := k.outcome(r)
	o.count++
	o.answers[answerOf(seen)]++
	for _, x := range seen {
		k.deprecation, k.sunset = k.deprecation || x.deprecation, k.sunset || x.sunset
	}
	if len(seen) > 0 && (r.class == good || r.name == outcomeUnreadable) {
		a.addShape(kind, seen[len(seen)-1].shape)
	}
}

// unknownOf has, for each call of what no board knows, the kind of the same calls of what it knows.
var unknownOf = map[string]string{
	kindUnknownChannel: kindSearch, kindUnknownJob: kindLookup, kindUnknownApplied: kindApplied,
}

// isExpected reports whether a 500 is the board's answer to what it does not know: calls of the same endpoint
// are answered otherwise. Section 7.1 names 500 for any failure of a search.
func (a *asker) isExpected(kind string, seen []*exchange) bool {
	of := unknownOf[kind]
	if of == "" || len(seen) == 0 || seen[len(seen)-1].status != http.StatusInternalServerError {
		return false
	}
	known := a.night.kinds[of]
	return known != nil && known.unjudged() == ""
}

// addShape adds the members of a good answer, those of a posting once.
func (a *asker) addShape(kind string, s *shape) {
	switch kind {
	case kindWord, kindCircle:
		kind = kindSearch
	case kindUnknownChannel, kindUnknownJob, kindUnknownApplied, kindFeed:
		return
	case kindApplication:
		s = identifierShape(s)
	}
	if s == nil {
		return
	}
	to := a.night.kind(kind)
	to.shape.add(s)
	for id, posting := range s.postings {
		if !to.postings[id] {
			to.postings[id] = true
			to.shape.add(posting)
		}
	}
}

// identifierShape returns the shape of an answer that is an identifier: it may be bare, and then look like a number,
// or the beginning of one.
func identifierShape(s *shape) *shape {
	bare := s == nil
	if !bare && s.members[answerPath] != nil {
		bare = s.members[answerPath].Forms["text"] == 0
	}
	if bare {
		s = newShape()
		s.whole = true
		s.members[answerPath] = &member{In: 1, Forms: map[string]int{"bare text": 1}}
	}
	return s
}

// outcomeUnreadable is that of a search some of whose entries are no usable postings.
const outcomeUnreadable = "unreadable entries"

func pageResult(page *jobboard.JobSearchResult) result {
	switch {
	case page.Unreadable > 0:
		return result{outcomeUnreadable, unread}
	case len(page.Results) == 0:
		return result{outcomeEmpty, good}
	}
	return result{outcomeOK, good}
}

// eachSearch calls f for each channel in each language.
func (a *asker) eachSearch(f func(channel jobboard.ChannelID, language string) error) error {
	languages := a.Languages
	if len(languages) == 0 {
		languages = []string{""}
	}
	for _, channel := range a.Channels {
		for _, language := range languages {
			if err := f(channel, language); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *asker) search(kind string, channel jobboard.ChannelID, q jobboard.Query) (page *jobboard.JobSearchResult, err error) {
	err = a.call(kind, true, func() (result, error) {
		got, err := a.client.Search(a.ctx, channel, q)
		if err != nil {
			return result{}, err
		}
		page = got
		return pageResult(got), nil
	})
	return page, err
}

func (a *asker) searchAll() error {
	err := a.eachSearch(func(channel jobboard.ChannelID, language string) error {
		page, err := a.search(kindSearch, channel, jobboard.Query{Language: language})
		if page != nil {
			a.pages[searchKey(channel, language)] = page
			for i := range page.Results {
				a.postings[page.Results[i].JobPostingID] = true
			}
		}
		return err
	})
	for i, channel := range a.Channels {
		page := a.pages[searchKey(channel, a.firstLanguage())]
		if page != nil {
			a.night.count("channel "+strconv.Itoa(i+1), page.TotalNumberOfJobs)
		}
	}
	a.compareLanguages()
	return err
}

func searchKey(channel jobboard.ChannelID, language string) string {
	return string(channel) + "\x00" + language
}

func (a *asker) firstLanguage() string {
	if len(a.Languages) == 0 {
		return ""
	}
	return a.Languages[0]
}

func (a *asker) searchUnknown() error {
	if len(a.Channels) == 0 {
		return nil
	}
	_, err := a.search(kindUnknownChannel, unknownChannel, jobboard.Query{})
	return err
}

// lookUpAll looks up the chosen jobs, and one that never was.
func (a *asker) lookUpAll() error {
	a.jobs = a.chooseJobs()
	a.night.noJobs = len(a.jobs) == 0
	if a.Config.JobDBURL == "" {
		return nil
	}
	for _, job := range a.jobs {
		info, err := a.lookUp(kindLookup, job)
		if err != nil {
			return err
		}
		if info != nil {
			a.found = append(a.found, info)
		}
	}
	_, err := a.lookUp(kindUnknownJob, unknownJob)
	return err
}

func (a *asker) lookUp(kind string, job jobboard.JobID) (info *jobboard.JobInformation, err error) {
	err = a.call(kind, true, func() (result, error) {
		var err error
		info, err = a.client.JobInformation(a.ctx, job)
		return result{outcomeOK, good}, err
	})
	return info, err
}

// askApplicant asks as the applicant of the jobs that were looked up.
func (a *asker) askApplicant() error {
	if a.Applicant == nil {
		return nil
	}
	who := a.client.Applicant(a.Applicant)
	hasApplied := func(kind string, job jobboard.JobID) error {
		return a.call(kind, true, func() (result, error) {
			applied, err := who.HasApplied(a.ctx, job)
			return result{strconv.FormatBool(applied), good}, err
		})
	}
	for _, job := range a.jobs {
		if err := hasApplied(kindApplied, job); err != nil {
			return err
		}
	}
	if err := hasApplied(kindUnknownApplied, unknownJob); err != nil {
		return err
	}
	for _, job := range a.jobs {
		err := a.call(kindApplication, true, func() (result, error) {
			_, err := who.ApplicationID(a.ctx, job)
			return result{outcomeOK, good}, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Bounds of a feed.
const (
	maxFeed     = 64 << 20
	feedTimeout = 2 * time.Minute
	feedTries   = 3
)

func (a *asker) readFeed() error {
	if a.FeedURL == "" {
		return nil
	}
	return a.call(kindFeed, false, func() (result, error) {
		for try := 1; ; try++ {
			r := a.fetchFeed()
			if r.class != trouble || try == feedTries || a.tap.spent() || a.ctx.Err() != nil {
				return r, nil
			}
			if sleep(a.ctx, time.Duration(try)*time.Second) != nil {
				return r, nil
			}
		}
	})
}

// fetchFeed fetches the feed through the tap, which no credential passes on this way.
func (a *asker) fetchFeed() result {
	ctx, cancel := context.WithTimeout(a.ctx, feedTimeout)
	defer cancel()
	if err := a.pace.Wait(ctx); err != nil {
		return resultOf(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.FeedURL, nil)
	if err != nil {
		return result{"no answer", trouble}
	}
	r.Header.Set("Accept-Encoding", "gzip") // the reader takes it as it comes
	r.Header.Set("User-Agent", cmp.Or(a.Config.UserAgent, "jobboard-check"))
	resp, err := (&http.Client{Transport: a.tap, CheckRedirect: a.feedRedirect}).Do(r)
	if err != nil {
		return resultOf(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return feedRefusal(resp)
	}
	return a.readEntries(resp.Body)
}

func (a *asker) feedRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > 3 {
		return jobboard.ErrRedirect
	}
	return a.pace.Wait(r.Context())
}

func feedRefusal(resp *http.Response) result {
	start, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	switch status := resp.StatusCode; {
	case status == http.StatusTooManyRequests:
		return resultOf(jobboard.ErrRateLimited)
	case status >= 500:
		return resultOf(jobboard.ErrServer)
	case status == http.StatusUnauthorized:
		return resultOf(jobboard.ErrUnauthorized)
	case status == http.StatusForbidden:
		return resultOf(jobboard.ErrForbidden)
	default:
		return unnamed(status, len(start))
	}
}

// readEntries reads a feed to its end, for its jobs and the elements that its entries have.
func (a *asker) readEntries(body io.Reader) result {
	reader := jobfeed.NewReader(body, &jobfeed.Options{MaxBytes: maxFeed})
	s := newShape()
	s.whole = true
	read, broken := 0, 0
	var jobs []jobboard.JobID
	for e, err := range reader.Entries() {
		if _, ok := errors.AsType[*jobfeed.EntryError](err); ok {
			broken++
			continue
		}
		if err != nil {
			break
		}
		read++
		jobs = append(jobs, e.JobID)
		if slices.ContainsFunc(e.Postings, func(id jobboard.JobPostingID) bool { return a.postings[id] }) {
			a.named[e.JobID] = true
		}
		s.object("entries[]", entryMembers(e), 0)
	}
	if err := reader.Err(); err != nil {
		return resultOf(err)
	}
	a.feed = jobs
	k := a.night.kind(kindFeed)
	k.shape.add(s)
	a.night.count(countFeed, read)
	switch {
	case broken > 0:
		return result{outcomeUnreadable, unread}
	case read == 0:
		return result{outcomeEmpty, good}
	}
	return result{outcomeOK, good}
}

// entryMembers returns the fields of an entry that the feed has.
func entryMembers(e *jobfeed.Entry) map[string]any {
	o := map[string]any{}
	for name, has := range map[string]bool{
		"title": e.Title != "", "company": e.Company != "", "language": e.Language != "", "status": e.Status != "",
		"valid-from": e.ValidFrom != "", "valid-to": e.ValidTo != "", "locations": len(e.Locations) > 0, "links": len(e.Links) > 0,
		"postings": len(e.Postings) > 0, "posting-versions": len(e.PostingVersions) > 0,
	} {
		if has {
			o[name] = "x"
		}
	}
	return o
}
