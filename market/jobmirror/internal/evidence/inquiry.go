package evidence

import (
	"slices"
	"time"
)

// How many answers an inquiry looks at, and how many of them make a wave: more ended jobs than
// few, and more than one answer in share.
const (
	lastAnswers = 50
	few         = 3
	share       = 5
)

// Inquiry is what the last answers about things that are shown say of the board: whether so many
// of them take something away that the board itself is in doubt. That is a wave. Its zero value
// has heard nothing.
type Inquiry struct {
	Since    int64     // when the wave began; 0: there is none
	Accepted bool      // the wave is believed: a person said so, or Rules.Hold is over
	Counted  []Counted // the last answers, the newest last
}

// Counted is an answer that counts.
type Counted struct {
	Job  int64 `json:"j"`
	Ends bool  `json:"e,omitempty"` // it ends the job
}

// Count notes answers, and reports whether a wave is held for them, which it is if it held before the
// first answer or after any of them. All count alike, because they came together.
//
// An answer counts if a source shows its job, unless it says nothing, comes late, says once
// more that an ended job has ended, or is the first about a job and a plain statement that it is
// closed: the many first answers about a new source would hide a wave. Ends are counted by their
// jobs, so that one who asks again makes no wave.
func (r Rules) Count(q *Inquiry, answers []Answer, now int64) (wave bool) {
	if q.Since > now { // the clock was set back
		q.Since = now
	}
	if r.Hold >= 0 && q.Since > 0 && !r.Holds(*q, now) {
		q.Accepted = true
	}
	wave = r.Holds(*q, now)
	for _, a := range answers {
		if !a.Shown || a.Late || a.Says == Unfound || a.Says.Ends() && !a.Ends() {
			continue
		}
		if q.Counted = append(q.Counted, Counted{a.Job, a.Ends()}); len(q.Counted) > lastAnswers {
			q.Counted = q.Counted[len(q.Counted)-lastAnswers:]
		}
		q.look(now)
		wave = wave || r.Holds(*q, now)
	}
	return wave
}

// Keep forgets the answers about jobs that have ended and that no source shows any more: shown
// has those of Ended that one shows.
func (q *Inquiry) Keep(shown map[int64]bool, now int64) {
	for _, job := range q.Ended() {
		if !shown[job] {
			q.Counted = slices.DeleteFunc(q.Counted, func(h Counted) bool { return h.Job == job })
		}
	}
	q.look(now)
}

// Accept ends the wave: what is said is believed until the answers are no wave any more.
func (q *Inquiry) Accept() { q.Accepted = q.Since > 0 }

// Holds reports whether nothing that ends a job is believed at a moment.
func (r Rules) Holds(q Inquiry, now int64) bool {
	return q.Since > 0 && !q.Accepted && r.Hold >= 0 && time.Duration(now-q.Since)*time.Millisecond < r.Hold
}

// Ended returns the jobs that the last answer about them ends.
func (q *Inquiry) Ended() (jobs []int64) {
	last := map[int64]bool{}
	for _, h := range q.Counted {
		last[h.Job] = h.Ends
	}
	for _, h := range q.Counted {
		if last[h.Job] {
			jobs = append(jobs, h.Job)
			delete(last, h.Job)
		}
	}
	return jobs
}

// Calm reports whether answers that end nothing would change nothing of the inquiry that
// matters: the inquiry has heard lastAnswers answers, and each of them ends nothing.
func (q *Inquiry) Calm() bool {
	return q.Since == 0 && len(q.Counted) == lastAnswers && len(q.Ended()) == 0
}

// look finds out whether the answers are a wave.
func (q *Inquiry) look(now int64) {
	ended := len(q.Ended())
	switch {
	case ended <= few || ended*share <= len(q.Counted):
		q.Since, q.Accepted = 0, false
	case q.Since == 0:
		q.Since = now
	}
}
