package jobmirror

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// hit is a posting that a search found.
type hit struct {
	row       int64
	languages []string // of its texts
	posting   Posting
}

// pagePart bounds the postings that are read at a time.
const pagePart = 200

// readTx is a transaction that reads postings as pages show them.
type readTx struct{ *tx }

// postings reads rows by their identifiers, in their order. Rows that are gone are left out.
func (t readTx) postings(list []int64) ([]hit, error) {
	rows := make(map[int64]hit, len(list))
	const query = "SELECT id, record, ads, " + listings.LastSeen + ", " + listings.MissingSince + ", first_seen, shown_again, " + jobLanguage +
		" FROM postings WHERE id IN @ids"
	err := t.Rows(query, []any{store.IDs(list)}, func(scan func(...any) error) error {
		var (
			h                     hit
			record, ads, language string
			first, seen, missing  time.Time
			again                 int
		)
		err := scan(&h.row, &record, &ads, instantColumn{&seen}, instantColumn{&missing}, instantColumn{&first}, &again, &language)
		if err != nil {
			return err
		}
		rec, err := decodeRecord[PostingRecord](record)
		if err != nil {
			return err
		}
		h.posting = Posting{
			Language: rec.Language, Sources: rec.Sources, Job: rec.Job, Evidence: rec.Evidence,
			FirstSeen: first, Seen: seen, MissingSince: missing, ShownAgain: again,
		}
		h.languages = []string{rec.Language, language}
		h.posting.Posting, err = rec.posting(ads)
		rows[h.row] = h
		return err
	})
	var found []hit
	for _, id := range list {
		if h, ok := rows[id]; ok {
			found = append(found, h)
		}
	}
	return found, err
}

// addJobs gives postings what their jobs' lookups said: the locations and the language
// of their texts. It measures the locations from the middle of a circle. A posting's job is
// that of its record, which fillJobs set. What the lookup of the job said is read here, so a
// saved answer counts at once, before the posting is indexed again.
func (t readTx) addJobs(postings []Posting, near jobboard.GeoLocation) error {
	var jobs []int64
	for _, p := range postings {
		if p.Job != 0 {
			jobs = append(jobs, int64(p.Job))
		}
	}
	known, err := readJobs(t.Tx, store.IDs(jobs))
	for i := range postings {
		p := &postings[i]
		p.addJob(known[p.Job].Information)
		p.measure(near)
	}
	return err
}

// measure measures the posting's locations from the middle of a circle.
func (p *Posting) measure(near jobboard.GeoLocation) {
	for at, location := range p.Locations {
		km := location.DistanceKm(near)
		if !near.IsZero() && !math.IsInf(km, 1) && (p.nearest == 0 || km < p.km) {
			p.nearest, p.km = at+1, km
		}
	}
}

// addJob gives a posting what the lookup of its job said; nil: nothing is known of that.
func (p *Posting) addJob(job *Information) {
	p.TextLanguage = p.Language
	if job == nil {
		p.Company = company.Of(&p.Posting, nil)
		return
	}
	p.Company = company.Of(&p.Posting, &jobboard.JobInformation{CompanyName: job.CompanyName})
	p.Locations = job.locations()
	title := strings.TrimSpace(job.JobTitle)
	same := title == strings.TrimSpace(p.Posting.Title)
	p.Confirmed = same && title != ""
	if same || p.Language == "" {
		p.TextLanguage = cmp.Or(job.JobLanguage, p.Language)
	}
}

// snippetLetters bounds the letters of an advertisement in a snippet.
const snippetLetters = 160

// snippet returns the words around what a page's query finds in the advertisement.
func (h *hit) snippet(found *search.Page) Snippet {
	ad := h.posting.Posting.Config.AdText() // a posting may have none
	around := found.Snippet(search.Text(ad), snippetLetters, h.languages...)
	s := Snippet{Text: around.Text}
	for _, m := range around.Marks {
		s.Marks = append(s.Marks, Mark(m))
	}
	return s
}
