package jobsite

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// Instead holds the data of the page in place of one that failed, such as that of a closed job. Its
// title and cards are shortened as in a JobPage.
type Instead struct {
	Text     string // why there is no page, and when to try again, for the visitor
	Title    string // title of the job, if the copy has the job and everybody may see it
	Language string // language of Title; empty: unknown
	// Similar has at most three open jobs of the same category within 50 km, the newest first.
	// It is empty if the copy does not know the category or the place of the job.
	Similar []Card
	// Search is the visitor's search in the address, as a query such as "?text=nurse", for the
	// link back to the list; empty: the address has none.
	Search template.URL
}

// Instead returns the data for the page that Config.Failed writes. It reads status, the {job} in the
// request's pattern, and the Retry-After of w. It asks only the copy, and takes a second at most.
func (s *Site) Instead(w http.ResponseWriter, r *http.Request, status int) Instead {
	s.mustBeMade()
	texts := s.Texts(r)
	i := Instead{Text: texts.Status(status)}
	list, _ := ParseList(ReadQuery(r))
	if len(list.Values()) > 0 {
		i.Search = list.link()
	}
	seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
	if err == nil && status == http.StatusServiceUnavailable {
		i.Text = cmp.Or(texts.retry(time.Duration(seconds)*time.Second), i.Text)
	}
	id, err := jobboard.ParseJobID(r.PathValue("job"))
	if err != nil {
		return i
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	known, err := s.mirror.Job(ctx, id)
	if known == nil {
		return i
	}
	if status == http.StatusNotFound && errors.Is(answered(known, err), jobboard.ErrNotFound) {
		i.Text = texts.Gone
	}
	postings, err := s.mirror.Postings(ctx, id)
	if err != nil {
		return i
	}
	if known.LastPosting != nil { // there is no other
		postings = []jobmirror.Posting{*known.LastPosting}
	}
	all := len(postings)
	postings = forEverybody(postings)
	switch posting := inLanguage(postings, s.Language(r)); {
	case posting != nil:
		i.Title, i.Language = shown(posting.Posting.Title), posting.TextLanguage
		i.Similar = s.similar(ctx, r, id, posting)
	case all == 0 && known.Information != nil:
		i.Title, i.Language = shown(known.Information.JobTitle), known.Information.JobLanguage
	}
	return i
}

// answered returns the error of the board's answer about a job that the copy returned with err.
func answered(known *jobmirror.Job, err error) error {
	if err == nil {
		_, err = known.Answer()
	}
	return err
}

// forEverybody returns the postings that are, or were until their last day, for everybody.
func forEverybody(postings []jobmirror.Posting) (list []jobmirror.Posting) {
	now := time.Now()
	open := &jobboard.JobInformation{ApplyPossible: true}
	for _, p := range postings {
		j := jobpublish.Job{Posting: &p.Posting, Information: open, Answered: now}
		refused, _ := errors.AsType[*jobpublish.RefusedError](j.Check(now))
		if refused == nil || refused.Reason != jobpublish.ReasonNotVisible && refused.Reason != jobpublish.ReasonNotYet {
			list = append(list, p)
		}
	}
	return list
}

const (
	nearbyKm    = 50 // greatest distance of a similar job
	mostSimilar = 3
)

// similar returns the cards of open jobs of a posting's category near its job.
func (s *Site) similar(ctx context.Context, r *http.Request, id jobboard.JobID, posting *jobmirror.Posting) (cards []Card) {
	categories := posting.Posting.Config.JobCategories() // none: no category is known
	if len(categories) == 0 || len(posting.Locations) == 0 {
		return nil
	}
	latitude, longitude, ok := posting.Locations[0].Coordinates()
	if !ok {
		return nil
	}
	page, err := s.mirror.Search(ctx, jobmirror.Query{
		Category: categories[0], Near: jobboard.Near(latitude, longitude, nearbyKm), Language: s.Language(r),
		Order: jobmirror.Newest, Limit: 4 * mostSimilar,
	})
	if err != nil {
		return nil
	}
	listed := map[jobboard.JobID]bool{0: true, id: true} // 0: the posting's job is unknown, so it has no page
	for k := range page.Postings {
		p := &page.Postings[k]
		if listed[p.Job] || len(cards) == mostSimilar {
			continue
		}
		listed[p.Job] = true
		// The search finds jobs that were never looked up, too.
		known, err := s.mirror.Job(ctx, p.Job)
		if err != nil {
			continue
		}
		if info, err := known.Answer(); err == nil && info.ApplyPossible {
			cards = append(cards, s.Card(p))
		}
	}
	return cards
}

// retry returns the sentence about a page that can be shown again after a wait.
func (t Texts) retry(wait time.Duration) string {
	minutes := int((wait + time.Minute - 1) / time.Minute)
	if minutes <= 1 {
		return t.RetryMinute
	}
	return strings.ReplaceAll(t.RetryMinutes, "{minutes}", strconv.Itoa(minutes))
}
