package evidence

import "time"

// Outcome is what a lookup says of a job, or what is known of the job.
type Outcome int

const (
	// Unknown is that no lookup has said anything of the job yet.
	Unknown Outcome = iota
	// Open is that applying is possible.
	Open
	// Closed is a plain statement that applying is not possible: applyPossible is false, or
	// ERROR_JOB_INACTIVE.
	Closed
	// Gone is ERROR_JOB_UNAVAILABLE: the job is no longer available, or deleted.
	Gone
	// Unfound is ERROR_POSTING_UNAVAILABLE: the posting cannot be found, by a technical error or
	// an inconsistency. It says nothing of the job.
	Unfound
)

// Ends reports whether an outcome is one by which nobody can apply any more.
func (o Outcome) Ends() bool { return o == Closed || o == Gone }

// Rules are the intervals by which answers are weighed.
type Rules struct {
	Refresh time.Duration // before a doubtful answer is asked for again
	Lookup  time.Duration // between two lookups of an open job: the longest wait for an answer in doubt
	Keep    time.Duration // for which a job is kept that nothing names; below 0: for ever
}

// Doubt is what a board says of a job that is not believed. The zero value is no doubt.
type Doubt struct {
	Says  Outcome
	Since int64 // when it was said first
}

// Answer is what a lookup says of a job, beside what is stored of the job.
type Answer struct {
	Job   int64
	Says  Outcome // not Unknown
	Made  int64   // when the board made the answer
	Known Outcome // of the job so far: not Unfound
	Doubt Doubt   // of earlier answers
	Shown bool    // a source shows the job: a channel a posting of it, or a feed an entry

	// Late is that the answer opens the job by an information from before it was closed.
	Late bool
}

// Ends reports whether an answer ends a job that was not ended yet. The first answer about a
// job ends nothing, unless it calls the job unavailable.
func (a Answer) Ends() bool {
	return a.Says.Ends() && a.Known == Open || a.Says == Gone && a.Known == Unknown
}

// Believed reports whether an answer is believed, while an Inquiry holds or while it does not. If the
// answer is not believed, doubt is to be stored, and the job is to be looked up again after wait.
//
// What is said of a job that no source shows is believed at once, and so is whatever does not end
// the job. While the inquiry holds no end is believed. Otherwise a plain statement is; that a job
// which is shown is unavailable has to be said a second time, in an answer that was made Rules.Refresh
// after the first. A late opening has to be repeated in an answer that was made after the first one was
// received.
func (r Rules) Believed(a Answer, holds bool, now int64) (believed bool, doubt Doubt, wait time.Duration) {
	doubt = a.Doubt
	if doubt.Since > now { // noted before the clock was set back
		doubt.Since = now
	}
	switch {
	case a.Says == Unfound:
		if doubt.Since == 0 {
			doubt = Doubt{Unfound, now}
		}
		return false, doubt, r.wait(doubt, now)
	case a.Late:
		if doubt.Says == Open && a.Made > doubt.Since {
			return true, Doubt{}, 0
		}
		if doubt.Says != Open {
			doubt = Doubt{Open, now}
		}
		return false, doubt, r.Refresh
	case !a.Shown || !a.Ends() || !holds && r.endBelieved(a, doubt):
		return true, Doubt{}, 0
	}
	if !doubt.Says.Ends() {
		doubt.Since = now
	}
	doubt.Says = a.Says
	return false, doubt, r.wait(doubt, now)
}

// endBelieved reports whether an answer is believed that ends a job which a source shows.
func (r Rules) endBelieved(a Answer, doubt Doubt) bool {
	return a.Says == Closed || doubt.Says.Ends() && a.Made >= doubt.Since+r.Refresh.Milliseconds()
}

// wait returns how long a doubt is left alone: for as long as it has lasted, so that the wait
// doubles, but from Refresh to Lookup.
func (r Rules) wait(d Doubt, now int64) time.Duration {
	return max(min(time.Duration(now-d.Since)*time.Millisecond, r.Lookup), min(r.Refresh, r.Lookup))
}

// Unnamed returns since when nothing may have named the jobs that go, and whether any do. None go
// if a source was not complete within Keep: it may name jobs of which the copy does not know.
// complete is when the source was which was complete the longest ago; 0: never.
func (r Rules) Unnamed(complete, now int64) (since int64, some bool) {
	since = now - r.Keep.Milliseconds()
	return since, r.Keep >= 0 && complete > since && complete > 0
}
