package jobsite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	boardtext "github.com/jobboard-sdk/jobboard-go/market/internal/shown"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// shownLetters is the most characters of a shown title, company or place.
const shownLetters = 200

// shown returns a text of the board on one line, cut to shownLetters.
func shown(text string) string { return jobpublish.Line(text, shownLetters) }

// JobPage holds the data of the page of an open job. Its texts come from the board. Title,
// Company and Place are on one line of at most 200 characters, without control characters and
// characters that change the direction of the text, see [jobpublish.Line]; Information and
// Posting hold the board's original texts.
type JobPage struct {
	Job                   jobboard.JobID
	URL                   string                    // the page's address in the site's first language, as in feeds
	Head                  Head                      // for search engines, with the languages of the job's postings
	Title, Company, Place string                    // Place is the first of Places
	Places                []string                  // the job's locations, the main one first, as Data has them too
	Posted, Until         time.Time                 // the days of Data's datePosted and validThrough; zero: unknown
	Remote                bool                      // the work is fully remote
	New                   bool                      // it was listed within three days
	Language              string                    // language of title and advertisement; empty: unknown
	Advertisement         template.HTML             // cleaned, with headings below the page's own; empty: none
	Data                  jobpublish.StructuredData // nil: the job lacks properties that search engines require
	ApplyURL              string                    // the board's page to apply; empty: unknown
	PrivacyURL            string                    // address of the privacy statement; empty: unknown
	PrivacyCompany        string                    // the lookup's company, whose statement that is
	Age                   time.Duration             // age of the board's answer
	FirstSeen             time.Time                 // when the copy saw the job first; zero: with its first refresh
	ShownAgain            int                       // how often it has come back after it had left the copy
	// Asked has what the board asks whoever applies: the questions of Information, each once, on one line
	// like Title, in the language Information.JobLanguage.
	Asked []string
	// NoAnswer is when the board was last asked in vain, for a line with Texts.Unanswered, if neither the copy's
	// last refresh nor the job's last lookup was answered; zero: the board answers.
	NoAnswer    time.Time
	Information *jobboard.JobInformation
	Posting     *jobboard.JobPosting
}

// Job returns the page of the job that {job} names in the request's pattern, in the
// reader's language if possible. [jobboard.HTTPStatus] gives its errors these statuses,
// with which Handle answers:
//
//	410  the job is closed, or its posting's last day is over
//	404  the board has no such job, hides it from the public, or publishes it later; or no channel of the
//	     copy has a posting of it
//	503  the copy does not know: it was never complete, or the lookup's answer is missing or too old. This
//	     includes jobs whose posting the lookup never found, although a channel of the copy shows it
func (s *Site) Job(r *http.Request) (*JobPage, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	named := r.PathValue("job")
	if named == "" {
		return nil, fmt.Errorf("jobsite: the pattern %q of a job's page has no {job}", r.Pattern)
	}
	id, err := jobboard.ParseJobID(named)
	if err != nil {
		return nil, jobmirror.ErrUnknown
	}
	known, err := s.mirror.Job(r.Context(), id)
	if errors.Is(err, jobmirror.ErrUnknown) {
		return nil, cmp.Or(s.mirror.Ready(r.Context()), err) // an incomplete copy may lack a job that the board has
	}
	if err != nil {
		return nil, err
	}
	postings, err := s.mirror.Postings(r.Context(), id)
	if err != nil {
		return nil, err
	}
	postings = visible(known, postings)
	posting := inLanguage(postings, s.Language(r))
	job := s.published(known, posting)
	job.URL = s.published(known, inLanguage(postings, s.cfg.Languages[0])).URL
	checked := job
	checked.Answered = time.Now() // the mirror has already checked the age of the answer
	refused, _ := errors.AsType[*jobpublish.RefusedError](checked.Check(checked.Answered))
	// A page may be shown without values that feeds and search engines need.
	lacks := refused != nil && refused.Reason == jobpublish.ReasonIncomplete && posting != nil
	if refused != nil && !lacks {
		return nil, refused
	}
	info := job.Information
	p := &JobPage{
		Job: id, URL: job.URL, Title: cmp.Or(shown(job.Posting.Title), shown(info.JobTitle)),
		Company: shown(company.Of(job.Posting, info)), PrivacyCompany: shown(info.CompanyName),
		Language: job.Language, Age: known.Age, FirstSeen: known.FirstSeen, ShownAgain: known.ShownAgain,
		NoAnswer: known.NoAnswer, Information: info, Posting: job.Posting,
	}
	for _, q := range info.Questions {
		if label := shown(q.Label); label != "" && !slices.Contains(p.Asked, label) {
			p.Asked = append(p.Asked, label)
		}
	}
	p.addPlaces(info)
	p.Posted, _ = job.Posted() // zero if unknown
	p.Until, _ = job.ValidThrough()
	p.Remote = job.Posting.Config.RemoteStatus() == jobboard.RemoteFully
	if posting != nil {
		p.New = isNew(posting)
	}
	if link, err := info.DataSecurityURL(); err == nil {
		p.PrivacyURL = link.String()
	}
	ad := job.Posting.Config.AdText() // empty if the posting has none
	cleaner := jobpublish.Cleaner{Base: job.Posting.ApplyOnlineLink, Headings: 2}
	p.Advertisement = template.HTML(cleaner.Clean(ad)) //nolint:gosec // cleaned
	p.Head = s.head(r, job.URL, languagesOf(postings))
	p.Head.Description = cmp.Or(jobpublish.Excerpt(ad, 160), p.Title)
	p.Data, _ = job.StructuredData(time.Now()) // nil on an error
	if at, err := job.Posting.ApplyURL(); err == nil {
		p.ApplyURL = at.String()
	}
	return p, nil
}

// addPlaces adds the places of a job that have a name, its main place first.
func (p *JobPage) addPlaces(info *jobboard.JobInformation) {
	for _, place := range boardtext.Locations(info) {
		if place = shown(place); place != "" {
			p.Places = append(p.Places, place)
		}
	}
	if len(p.Places) > 0 {
		p.Place = p.Places[0]
	}
}

// Jobs yields every job of the mirror for [jobpublish.Config], with a posting in the
// first of Config.Languages if possible. An error is the last item. Until every channel
// was copied once, jobmirror's ErrIncomplete is the only item; a channel that the board
// refuses does not count, see [jobmirror.Mirror.Ready].
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
			if !yield(s.published(all.Job, inLanguage(visible(all.Job, all.Postings), s.cfg.Languages[0])), nil) {
				return
			}
		}
	}
}

// published returns a job of the mirror for package jobpublish, with one of its
// postings, which may be nil.
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

// visible returns the postings of a job that a visitor may see: those that the mirror's search finds. If
// there are none it returns all, so that Check can say of one of them why the job is not shown.
func visible(known *jobmirror.Job, postings []jobmirror.Posting) []jobmirror.Posting {
	var list []jobmirror.Posting
	for _, p := range postings {
		now := time.Now()
		j := jobpublish.Job{Posting: &p.Posting}
		info, err := known.Answer()
		j.SetLookup(info, err, now)
		refused, _ := errors.AsType[*jobpublish.RefusedError](j.Check(now))
		if refused == nil || refused.Reason == jobpublish.ReasonIncomplete {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return postings
	}
	return list
}

// languagesOf returns the languages of postings.
func languagesOf(postings []jobmirror.Posting) (languages []string) {
	for _, p := range postings {
		languages = append(languages, p.Language)
	}
	return languages
}

// inLanguage returns the posting in a language, or else the first posting, or nil.
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

// manyWords is the number of letters after which a title in an address ends with the
// current word, or at twice the number.
const manyWords = 60

// words returns a title in the form for an address: lower case, with hyphens
// between words.
func words(title string) string {
	title = strings.ToLower(norm.NFC.String(title))
	title = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(title)
	var out []rune
	for _, r := range norm.NFD.String(strings.ToValidUTF8(title, "")) {
		switch gap := len(out) == 0 || out[len(out)-1] == '-'; {
		case r >= 0x300 && r < 0x370: // a combining accent
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

// Card holds the data of a job in a list. Its texts come from the board. Title, Company
// and Place are shortened as in a JobPage.
type Card struct {
	Path           string // path of the job's page; empty: the posting's job is unknown
	Title, Company string
	Place          string           // the place nearest to the searched town, or else the first
	More           int              // how many other places the job has
	Distance       string           // distance to Place, such as "3 km"; empty without a searched town
	Excerpt        string           // part of the advertisement around the found words
	Marks          []jobmirror.Mark // positions of the found words in Excerpt
	Language       string           // language of Title and Excerpt; empty: unknown
	Remote         bool             // the work is fully remote
	New            bool             // it was listed within three days
	Posted         time.Time        // the day on which the job was listed; zero: unknown
}

// Piece is a part of an excerpt.
type Piece struct {
	Text  string
	Found bool // Text is a searched word
}

// Pieces returns the excerpt in pieces, so that a page can highlight the found words.
// If the page has shortened Excerpt, Pieces ignores marks beyond its end.
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

// Card returns the data of a posting in a list.
func (s *Site) Card(p *jobmirror.Posting) Card {
	config := p.Posting.Config
	ad := config.AdText() // a card omits lines for missing keys
	c := Card{
		Title: shown(p.Posting.Title), Company: shown(cmp.Or(p.Company, company.Of(&p.Posting, nil))),
		Excerpt: cmp.Or(p.Snippet.Text, jobpublish.Excerpt(ad, 200)), Marks: p.Snippet.Marks,
		Language: p.TextLanguage, Remote: config.RemoteStatus() == jobboard.RemoteFully, New: isNew(p),
	}
	c.Posted, _ = (&jobpublish.Job{Posting: &p.Posting}).Posted() // zero if unknown
	if where := config.LocationNames(); len(where) > 0 {
		c.Place = where[0]
	}
	if !towns.IsGerman(p.Language) && len(p.Locations) > 0 { // LocationNames are German
		c.Place = cmp.Or(p.Locations[0].GeoCity, c.Place)
	}
	c.Place = towns.InLanguage(p.Language, c.Place)
	if nearest, ok := p.Nearest(); ok {
		km, _ := p.Distance()
		c.Place, c.Distance = cmp.Or(towns.Name(p.Language, nearest), nearest.GeoName, c.Place), distance(km)
	}
	c.Place, c.More = shown(c.Place), otherPlaces(p)
	if p.Job != 0 {
		c.Path = s.Path(p.Job, p.Posting.Title)
	}
	return c
}

// distance returns a distance as text, such as "3 km".
func distance(km float64) string {
	if km < 1 {
		return "< 1 km"
	}
	return strconv.Itoa(int(km+0.5)) + " km"
}

// otherPlaces counts the towns of a posting's job beside the one that its card names: two locations
// in a town are one place.
func otherPlaces(p *jobmirror.Posting) int {
	towns := map[string]bool{}
	for _, l := range p.Locations {
		if town := cmp.Or(l.GeoCity, l.GeoName); town != "" {
			towns[town] = true
		}
	}
	if names := p.Posting.Config.LocationNames(); len(p.Locations) == 0 {
		for _, name := range names {
			towns[name] = true
		}
	}
	return max(len(towns)-1, 0)
}

// Results holds the data of a list of jobs.
type Results struct {
	List     List
	Problems []ListProblem // wrong values in the address, which the search ignored
	Near     string        // the town as the visitor typed it, also where List.Near lacks it; for its field
	Language string        // the reader's, in which the towns have their names
	Meant    []Facet       // towns that the visitor may mean by a Near that names none; see List.Meant
	Page     *jobmirror.Page
	Cards    []Card // cards of Page.Postings
	Texts    Texts  // in the reader's language

	towns     map[places.Place]*town // what townsOf returns; nil: it has not counted yet
	languages []string               // of the site
}

// Places returns at most limit places of the hits: first the chosen one, and then those with the most hits. It has each
// town once. Of several names that the board has for a town, a reader of German is shown the one that the town has in
// package places, such as München, and others another one, such as Munich.
func (r *Results) Places(limit int) []Facet {
	counts, names := map[string]int{}, map[string]string{}
	for name, count := range r.Page.Facets.Places {
		if _, ok := towns.Named(name); !ok {
			counts[name], names[name] = count, shown(name)
		}
	}
	chosen, isTown := towns.Named(r.List.Place)
	for known, t := range r.townsOf() {
		place := t.place
		if isTown && known == chosen {
			place = r.List.Place
		}
		counts[place], names[place] = t.count, shown(t.name)
	}
	named := func(place string) (string, bool) { return cmp.Or(names[place], shown(r.place(place))), true }
	return facets(r.withChosen(counts, r.List.Place), r.List.Place, limit, named, func(place string) List {
		return r.List.filtered(filters.Place, place)
	})
}

// Towns returns suggestions for the field of the town, for a datalist: towns that the visitor may
// have meant, and then the towns with the most hits.
func (r *Results) Towns() []string {
	const most = 20
	var names []string
	for _, meant := range r.Meant {
		names = append(names, meant.Name)
	}
	if r.Page.Facets == nil {
		return names
	}
	for _, facet := range r.Places(most) {
		if _, ok := towns.Named(facet.Name); ok && !slices.Contains(names, facet.Name) {
			names = append(names, facet.Name)
		}
	}
	return names
}

// Search finds the jobs for the address of a request, which ParseList reads, in the
// reader's language, or in another if no channel is copied in that. If the address continues
// from a job that is gone, as in an old bookmark, Search returns the first page. Its error is
// jobmirror's ErrIncomplete until every channel was copied once; a channel that the board refuses
// does not count, see [jobmirror.Mirror.Ready].
func (s *Site) Search(r *http.Request) (*Results, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	list, problems := parseList(ReadQuery(r), s.cfg.Country)
	q := list.Query()
	var err error
	if q.Language, err = s.copiedLanguage(r.Context(), s.Language(r)); err != nil {
		return nil, err
	}
	q.Snippets = true
	page, err := s.mirror.Search(r.Context(), q)
	if errors.Is(err, jobmirror.ErrPageCursor) {
		list = list.first()
		q.After = ""
		page, err = s.mirror.Search(r.Context(), q)
	}
	if err == nil && page.Age < 0 {
		err = jobmirror.ErrIncomplete
	}
	if err != nil {
		return nil, err
	}
	found := &Results{
		List: list, Problems: problems, Page: page, Near: list.Near, Language: q.Language,
		Texts: s.Texts(r), languages: s.cfg.Languages,
	}
	for _, problem := range problems {
		if problem.Field == "near" {
			found.Near, found.Meant = shown(problem.Value), list.Meant(problem.Value)
		}
	}
	for i := range page.Postings {
		p := &page.Postings[i]
		card := s.Card(p)
		if l, ok := cardLocation(p); ok && (card.Place == shown(l.GeoCity) || card.Place == shown(towns.InLanguage(p.Language, l.GeoCity))) {
			card.Place = shown(found.townAt(l))
		}
		found.Cards = append(found.Cards, card)
	}
	return found, nil
}

// Suggest returns texts that the visitor may mean who is typing the parameter text of an address, as
// [jobmirror.Mirror.Suggest] does, in the language in which Search finds jobs for the visitor.
func (s *Site) Suggest(r *http.Request) ([]string, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	lang, err := s.copiedLanguage(r.Context(), s.Language(r))
	if err != nil {
		return nil, err
	}
	return s.mirror.Suggest(r.Context(), jobmirror.Query{Text: ReadQuery(r).Get("text"), Language: lang})
}
