package evidence

import "slices"

// How many answers an inquiry looks at, and how many of them are too many: more ended jobs than few, and
// more than one answer in share.
const (
	lastAnswers = 50
	few         = 3
	share       = 5
)

// Inquiry is what a process has heard last of jobs that sources show. If so many of these answers end
// jobs that the board itself is in doubt, the inquiry holds: no end is believed. The zero value has heard
// nothing.
type Inquiry struct {
	counted []counted // the last answers, the newest last
}

// counted is an answer that counts.
type counted struct {
	job  int64
	ends bool // it ends the job
}

// Clone returns a copy.
func (q *Inquiry) Clone() Inquiry { return Inquiry{slices.Clone(q.counted)} }

// Count notes answers, and reports whether the inquiry holds for them, which it does if it held before the
// first answer or after any of them. All count alike, because they came together.
//
// An answer counts if a source shows its job, unless it says nothing, comes late, says once
// more that an ended job has ended, or is the first about a job and a plain statement that it is
// closed: the many first answers about a new source would hide an outage. Ends are counted by their
// jobs, so that one who asks again about a few jobs makes no outage of them.
func (q *Inquiry) Count(answers []Answer) (holds bool) {
	holds = q.Holds()
	for _, a := range answers {
		if !a.Shown || a.Late || a.Says == Unfound || a.Says.Ends() && !a.Ends() {
			continue
		}
		if q.counted = append(q.counted, counted{a.Job, a.Ends()}); len(q.counted) > lastAnswers {
			q.counted = q.counted[len(q.counted)-lastAnswers:]
		}
		holds = holds || q.Holds()
	}
	return holds
}

// Keep forgets the answers about jobs that have ended and that no source shows any more: shown
// has those of Ended that one shows.
func (q *Inquiry) Keep(shown map[int64]bool) {
	q.Forget(slices.DeleteFunc(q.Ended(), func(job int64) bool { return shown[job] }))
}

// Forget forgets the answers about some jobs.
func (q *Inquiry) Forget(jobs []int64) {
	q.counted = slices.DeleteFunc(q.counted, func(c counted) bool { return slices.Contains(jobs, c.job) })
}

// Holds reports whether no end of a job that a source shows is believed.
func (q *Inquiry) Holds() bool {
	tooMany := func(jobs int) bool { return jobs > few && jobs*share > len(q.counted) }
	ends := 0
	for _, c := range q.counted {
		if c.ends {
			ends++
		}
	}
	return tooMany(ends) && tooMany(len(q.Ended())) // the jobs are no more than the answers, which are counted faster
}

// Ended returns the jobs that the last answer about them ends.
func (q *Inquiry) Ended() (jobs []int64) {
	last := map[int64]bool{}
	for _, c := range q.counted {
		last[c.job] = c.ends
	}
	for _, c := range q.counted {
		if last[c.job] {
			jobs = append(jobs, c.job)
			delete(last, c.job)
		}
	}
	return jobs
}

// Calm reports whether answers that end nothing would change nothing of the inquiry that
// matters: the inquiry has heard lastAnswers answers, and each of them ends nothing.
func (q *Inquiry) Calm() bool { return len(q.counted) == lastAnswers && len(q.Ended()) == 0 }
