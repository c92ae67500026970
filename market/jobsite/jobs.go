package jobsite

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// shownLetters bounds a title, a company and a place where they are shown.
const shownLetters = 200

// shown returns a text of the board as a page or a card shows it.
func shown(text string) string { return jobpublish.Line(text, shownLetters) }

// JobPage holds what the page of an open job shows. Its texts come from the board. Title,
// Company and Place are on one line of at most 200 characters, without control characters and
// those that turn the direction of the text, see [jobpublish.Line]; Information and Posting
// have them as the board sent them.
type JobPage struct {
	Job                   jobboard.JobID
	URL                   string // the one address of the page, for its canonical link
	Title, Company, Place string
	Language              string                    // of title and advertisement; empty: not known
	Advertisement         template.HTML             // cleaned, its headings below the page's own; empty: there is none
	Data                  jobpublish.StructuredData // nil: the job lacks what search engines ask for
	ApplyURL              string                    // where one applies at the board; empty: not known
	PrivacyURL            string                    // of the privacy statement; empty: not known
	Age                   time.Duration             // of what the board said
	Information           *jobboard.JobInformation
	Posting               *jobboard.JobPosting
}

// Job returns the page of the job whose identifier is {job} in the pattern of a request, in
// the reader's language or else in any. Its errors have these statuses, by
// [jobboard.HTTPStatus], with which Handle answers:
//
//	410  the job is closed, or its posting's last day is over
//	404  the board has no such job, or does not show it to everybody, or not yet; or no channel of the copy has a
//	     posting of it
//	503  the copy cannot know: it was never whole, or the answer about the job is missing or too old, also where
//	     the board only ever said that it does not find the posting, which a channel of the copy shows
func (s *Site) Job(r *http.Request) (*JobPage, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	id, err := jobboard.ParseJobID(r.PathValue("job"))
	if err != nil {
		return nil, jobmirror.ErrUnknown
	}
	known, err := s.mirror.Job(r.Context(), id)
	if errors.Is(err, jobmirror.ErrUnknown) {
		return nil, cmp.Or(s.mirror.Ready(r.Context()), err) // what is not in half a copy may be at the board
	}
	if err != nil {
		return nil, err
	}
	postings, err := s.mirror.Postings(r.Context(), id)
	if err != nil {
		return nil, err
	}
	posting := inLanguage(postings, s.Language(r))
	job := s.published(known, posting)
	job.URL = s.published(known, inLanguage(postings, s.cfg.Languages[0])).URL
	checked := job
	checked.Answered = time.Now() // the mirror has decided whether the answer is too old
	refused, _ := errors.AsType[*jobpublish.RefusedError](checked.Check(checked.Answered))
	// A page may lack what feeds and search engines ask for.
	lacks := refused != nil && refused.Reason == jobpublish.ReasonIncomplete && posting != nil
	if refused != nil && !lacks {
		return nil, refused
	}
	info := job.Information
	p := &JobPage{
		Job: id, URL: job.URL, Title: cmp.Or(shown(job.Posting.Title), shown(info.JobTitle)),
		Company: shown(info.CompanyName), Place: shown(info.Location.GeoName), Language: job.Language, Age: known.Age,
		Information: info, Posting: job.Posting,
	}
	if link, err := info.DataSecurityURL(); err == nil {
		p.PrivacyURL = link.String()
	}
	ad, _ := job.Posting.Config.AdText() // a posting may have none
	cleaner := jobpublish.Cleaner{Base: job.Posting.ApplyOnlineLink, Headings: 2}
	p.Advertisement = template.HTML(cleaner.Clean(ad)) //nolint:gosec // cleaned
	p.Data, _ = job.StructuredData(time.Now())         // nil with each error
	if at, err := job.Posting.ApplyURL(); err == nil {
		p.ApplyURL = at.String()
	}
	return p, nil
}

// Jobs yields every job of the mirror for [jobpublish.Config], with its posting in the
// first of Config.Languages, or else in any. An error is the last item. Until every
// channel was copied once, jobmirror's ErrIncomplete is the only item; a channel that the
// board refuses does not count, see [jobmirror.Mirror.Ready].
func (s *Site) Jobs(ctx context.Context) iter.Seq2[jobpublish.Job, error] {
	return func(yield func(jobpublish.Job, error) bool) {
		if err := s.made(); err != nil {
			yield(jobpublish.Job{}, err)
			return
		}
		for all, err := range s.mirror.Jobs(ctx) {
			if err != nil {
				yield(jobpublish.Job{}, err)
				return
			}
			if !yield(s.published(all.Job, inLanguage(all.Postings, s.cfg.Languages[0])), nil) {
				return
			}
		}
	}
}

// published returns a job as the mirror knows it, with one of its postings, which may be
// nil.
func (s *Site) published(known *jobmirror.Job, posting *jobmirror.Posting) jobpublish.Job {
	var j jobpublish.Job
	info, err := known.Answer()
	j.SetLookup(info, err, known.LookedUp)
	title := ""
	if posting != nil {
		j.Posting, j.Language, title = &posting.Posting, posting.TextLanguage, posting.Posting.Title
	}
	if info != nil {
		title = cmp.Or(title, info.JobTitle)
	}
	j.URL = s.origin + s.Path(known.JobRecord.Job, title)
	if s.cfg.EditJob != nil {
		s.cfg.EditJob(&j)
	}
	return j
}

// inLanguage returns the posting in a language, or else the first; nil: there is none.
func inLanguage(postings []jobmirror.Posting, lang string) *jobmirror.Posting {
	if len(postings) == 0 {
		return nil
	}
	i := slices.IndexFunc(postings, func(p jobmirror.Posting) bool { return p.Language == lang })
	return &postings[max(i, 0)]
}

// Path returns the path of a job's page, with words of a title.
func (s *Site) Path(job jobboard.JobID, title string) string {
	w := url.PathEscape(words(title))
	return strings.NewReplacer("{job}", job.String(), "{words}", w, "{words...}", w).Replace(s.cfg.Page)
}

// manyWords bounds the letters of a title in an address. A word that is begun by then is
// kept, up to twice as many.
const manyWords = 60

// words returns a title as it stands in an address.
func words(title string) string {
	title = strings.ToLower(norm.NFC.String(title))
	title = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(title)
	var out []rune
	for _, r := range norm.NFD.String(strings.ToValidUTF8(title, "")) {
		switch gap := len(out) == 0 || out[len(out)-1] == '-'; {
		case r >= 0x300 && r < 0x370: // the accent of the letter before
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && !gap:
			out = append(out, r)
		case !gap:
			out = append(out, '-')
		}
		if n := len(out); n > 2*manyWords || n > manyWords && out[n-1] == '-' {
			break
		}
	}
	return cmp.Or(norm.NFC.String(strings.Trim(string(out), "-")), "job")
}

// Card holds what a list shows of a job. Its texts come from the board. Title, Company and
// Place are as those of a JobPage.
type Card struct {
	Path           string // of the job's page; empty: the posting's job is not known
	Title, Company string
	Place          string           // the nearest to where the reader looks, else the first
	Distance       string           // to Place, such as "3 km"; empty where the reader looks nowhere
	Excerpt        string           // of the advertisement, around what was found
	Marks          []jobmirror.Mark // of Excerpt: what was found
	Language       string           // of Title and Excerpt; empty: not known
	Remote         bool             // the work can be done from anywhere
}

// Piece holds a piece of an excerpt.
type Piece struct {
	Text  string
	Found bool // somebody looked for it
}

// Pieces returns the excerpt in pieces, so that a page can mark what was found. Marks
// beyond the end of an excerpt that the page has shortened do not count.
func (c Card) Pieces() (list []Piece) {
	end := 0
	for _, m := range c.Marks {
		if m.Begin < end || m.End < m.Begin || m.End > len(c.Excerpt) {
			break
		}
		list = append(list, Piece{Text: c.Excerpt[end:m.Begin]}, Piece{c.Excerpt[m.Begin:m.End], true})
		end = m.End
	}
	return append(list, Piece{Text: c.Excerpt[end:]})
}

// Card returns what a list shows of a posting.
func (s *Site) Card(p *jobmirror.Posting) Card {
	config := p.Posting.Config
	ad, _ := config.AdText() // a key that is missing is a line that is missing
	company, _ := config.CompanyName()
	remote, _ := config.RemoteStatus()
	c := Card{
		Title: shown(p.Posting.Title), Company: shown(company),
		Excerpt: cmp.Or(p.Snippet.Text, jobpublish.Excerpt(ad, 200)), Marks: p.Snippet.Marks,
		Language: p.TextLanguage, Remote: remote == jobboard.RemoteFully,
	}
	if where, _ := config.LocationNames(); len(where) > 0 {
		c.Place = where[0]
	}
	if nearest, ok := p.Nearest(); ok {
		km, _ := p.Distance()
		c.Place, c.Distance = cmp.Or(nearest.GeoCity, nearest.GeoName, c.Place), distance(km)
	}
	c.Place = shown(c.Place)
	if p.Job != 0 {
		c.Path = s.Path(p.Job, p.Posting.Title)
	}
	return c
}

// Results holds what a list of jobs shows.
type Results struct {
	List     List
	Problems []ListProblem // of the address; what is wrong was left out
	Page     *jobmirror.Page
	Cards    []Card // of Page.Postings
}

// Search finds the jobs that the address of a request asks for, as ParseList reads it, in
// the reader's language. For an address whose place in the list is gone, such as an old
// bookmark, it returns the first page. Its error is jobmirror's ErrIncomplete until every
// channel was copied once; a channel that the board refuses does not count, see
// [jobmirror.Mirror.Ready].
func (s *Site) Search(r *http.Request) (*Results, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	list, problems := ParseList(ReadQuery(r))
	q := list.Query()
	q.Language, q.Snippets = s.Language(r), true
	page, err := s.mirror.Search(r.Context(), q)
	if errors.Is(err, jobmirror.ErrPageCursor) {
		q.After, list.After = "", ""
		page, err = s.mirror.Search(r.Context(), q)
	}
	if err == nil && page.Age < 0 {
		err = jobmirror.ErrIncomplete
	}
	if err != nil {
		return nil, err
	}
	found := &Results{List: list, Problems: problems, Page: page}
	for i := range page.Postings {
		found.Cards = append(found.Cards, s.Card(&page.Postings[i]))
	}
	return found, nil
}
