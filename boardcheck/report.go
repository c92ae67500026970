package boardcheck

import (
	"fmt"
	"maps"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
)

// Report is what a check found. Like a profile it has no value of an answer.
type Report struct {
	// Changes are the differences that a program should know of, each reported once. Since sets them.
	Changes []Finding `json:"changes"`
	// Notes are harmless news, such as the first deactivated job. Since sets them.
	Notes []Finding `json:"notes"`
	// Unjudged are the kinds of calls that say nothing about the board, such as calls in an outage or with an
	// expired token.
	Unjudged []Finding `json:"unjudged"`
	// Requests were sent, with repeats and redirects.
	Requests int `json:"requests"`
	// Answered reports whether any request was answered, by a status that is neither 429 nor 5xx.
	Answered bool `json:"answered"`

	night *night
	sdk   string
}

func (a *asker) report() *Report {
	a.tap.mu.Lock()
	defer a.tap.mu.Unlock()
	r := &Report{
		Changes: []Finding{}, Notes: []Finding{}, Unjudged: []Finding{}, Requests: a.tap.sent, Answered: a.tap.answered,
		night: a.night, sdk: a.tap.sdk,
	}
	for _, name := range slices.Sorted(maps.Keys(a.night.kinds)) {
		if why := a.night.kinds[name].unjudged(); why != "" {
			r.Unjudged = append(r.Unjudged, Finding{name, why})
		}
	}
	return r
}

func (r *Report) judged(kind string) bool {
	k := r.night.kinds[kind]
	return k != nil && k.asked > 0 && k.unjudged() == ""
}

// counts returns those of calls that are judged.
func (r *Report) counts() map[string]int {
	out := map[string]int{}
	for name, n := range r.night.counts {
		kind := kindSearch
		if name == countFeed {
			kind = kindFeed
		}
		if r.judged(kind) {
			out[name] = n
		}
	}
	return out
}

// effects returns those of calls that are judged, and that a large enough result shows.
func (r *Report) effects() map[string]*effect {
	out := map[string]*effect{}
	for name, kind := range map[string]string{effectWord: kindWord, effectCircle: kindCircle, effectLanguage: kindSearch} {
		if e := r.night.effects[name]; e.Of > 0 && r.judged(kind) {
			out[name] = e
		}
	}
	return out
}

// Since sets Changes and Notes to what is new since the checks of a profile, and adds this check to
// the profile. Since an empty profile nothing is new. Kinds of calls in Unjudged stay in the profile as they
// were.
func (r *Report) Since(earlier *Profile) {
	c := comparison{old: &earlier.data, now: r, changes: []Finding{}, notes: []Finding{}}
	if earlier.data.Nights > 0 {
		c.all()
	}
	if r.night.noJobs {
		const none = "no link and no feed names a job"
		if earlier.data.Calls[kindLookup] != nil || earlier.data.Calls[kindApplied] != nil {
			r.Unjudged = append(r.Unjudged, Finding{kindLookup, none + " any more"})
		} else {
			c.note(kindLookup, "%s: name some in Jobs", none)
		}
	}
	r.Changes, r.Notes = c.changes, c.notes
	if r.Answered {
		earlier.merge(r)
	}
}

// Summary returns the numbers of findings and requests in one line.
func (r *Report) Summary() string {
	return fmt.Sprintf("%d changes, %d notes, no judgement of %d kinds of calls; %d requests",
		len(r.Changes), len(r.Notes), len(r.Unjudged), r.Requests)
}

// sameIDs reports whether two pages have the same postings, in whatever order.
func sameIDs(x, y *jobboard.JobSearchResult) bool {
	return slices.Equal(sortedIDs(x), sortedIDs(y))
}

func sortedIDs(p *jobboard.JobSearchResult) []jobboard.JobPostingID {
	ids := make([]jobboard.JobPostingID, len(p.Results))
	for i := range p.Results {
		ids[i] = p.Results[i].JobPostingID
	}
	slices.Sort(ids)
	return ids
}
