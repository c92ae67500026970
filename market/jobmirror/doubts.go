package jobmirror

import (
	"context"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/evidence"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Which answers of lookups are believed decides the package evidence. What it needs to remember of a
// job keeps the package lookups, in the transaction that writes the answers; what it needs to remember of
// all jobs keeps Mirror.heard.

// stateUnfound is what a lookup says that answers ERROR_POSTING_UNAVAILABLE. No job has this
// state: it stands in the column said alone.
const stateUnfound State = "posting unavailable"

// outcome returns what evidence calls a state.
func (s State) outcome() evidence.Outcome {
	switch s {
	case StateOpen:
		return evidence.Open
	case StateClosed, StateInactive:
		return evidence.Closed
	case StateUnavailable:
		return evidence.Gone
	case stateUnfound:
		return evidence.Unfound
	}
	return evidence.Unknown
}

// rules returns the intervals of the options by which answers are weighed.
func (o *Options) rules() evidence.Rules {
	return evidence.Rules{Refresh: o.RefreshEvery, Lookup: o.LookupEvery, Keep: o.KeepJobs}
}

// weighed is an answer of a lookup that may be written, the job's row, and what evidence is told
// of them.
type weighed struct {
	lookedUp
	evidence.Answer
	state State
	row   *lookups.Job
}

// hear counts answers among those that this process has heard last, and notes which of them are about jobs
// that a source shows. It reports whether no end is believed for them.
func (t *answerTx) hear(list []weighed) (holds bool, err error) {
	heard := t.m.heard.Clone()
	ends := slices.ContainsFunc(list, func(w weighed) bool { return w.Ends() })
	if !ends && heard.Calm() { // as almost always: nothing is read then
		return false, nil
	}
	ended := heard.Ended()
	shown, err := lookups.Shown(t.Tx, store.IDs(append(ended, jobsOf(list)...)))
	if err != nil {
		return false, err
	}
	heard.Keep(shown)
	answers := make([]evidence.Answer, len(list))
	for i := range list {
		list[i].Shown = shown[list[i].Job]
		answers[i] = list[i].Answer
	}
	holds = heard.Count(answers)
	t.remember(heard)
	return holds, nil
}

// jobsOf returns the jobs of answers.
func jobsOf(list []weighed) (jobs []int64) {
	for _, w := range list {
		jobs = append(jobs, w.Job)
	}
	return jobs
}

// remember keeps what this process has heard, once the transaction is committed. Only a transaction that
// writes reads and writes it, and those of a process come one after the other.
func (t *answerTx) remember(heard evidence.Inquiry) {
	held := t.m.heard.Holds()
	t.AfterCommit(func() {
		t.m.heard = heard
		t.held, t.holds = held, heard.Holds()
	})
}

// tellHolding logs that the mass-outage guard went on or off.
func (t *answerTx) tellHolding(ctx context.Context) {
	log := t.m.opts.Logger
	switch {
	case t.holds && !t.held:
		log.WarnContext(ctx, "jobmirror: the mass-outage guard is on: many lookups end jobs that sources show, and none is believed")
	case t.held && !t.holds:
		log.InfoContext(ctx, "jobmirror: the mass-outage guard is off")
	}
}

// The reasons why a job's Problem says that an answer is not believed.
const (
	doubtfulReopening = "unconfirmed: the board says that the job is open, with information from before it was closed; it is looked up again"
	doubtfulEnd       = "unconfirmed: the board says that the job is unavailable, and a source shows it; it is looked up again"
	doubtfulOutage    = "unconfirmed, by the mass-outage guard: the board says that the job has ended, as of many that sources show; it is looked up again"
)

// postpone reports whether an answer is not believed, notes it then, and has the job looked up
// again.
func (t *answerTx) postpone(w weighed, holds bool) (bool, error) {
	rules := t.m.opts.rules()
	believed, doubt, wait := rules.Believed(w.Answer, holds, t.Now)
	if believed {
		return false, nil
	}
	said, why := w.state, doubtfulEnd
	switch {
	case w.Says == evidence.Unfound:
		why = problem(w.err)
		if w.held { // the next complete refresh of the source has it looked up anyway
			wait = rules.Lookup
		}
	case w.Late:
		why = doubtfulReopening
	case holds:
		why = doubtfulOutage
	}
	if doubt.Says != w.Says {
		said = State(w.row.Said)
	}
	if wait > rules.Refresh { // those of one moment are spread
		wait = jitter(wait)
	}
	due := t.Now + max(wait.Milliseconds(), 1)
	if w.answer < w.row.Wanted {
		due = t.Now
	}
	return true, t.lookups.Doubt(w.job, w.answer, string(said), doubt.Since, why, due)
}

// acceptEnds believes what the board says of the jobs of some sources that are in doubt, or of
// all jobs, with every, and empties the memory of this process of what it has heard of them. One transaction
// does it for at most dropBatch jobs.
func (m *Mirror) acceptEnds(ctx context.Context, from []*sources.Source, every bool) error {
	for more := true; more; {
		var a *answerTx
		err := m.db.update(ctx, func(t *tx) (err error) {
			a = t.answering(m)
			more, err = a.acceptSomeEnds(from, every)
			return err
		})
		if err != nil {
			return err
		}
		a.tellHolding(ctx)
	}
	return nil
}

// acceptSomeEnds does one transaction of acceptEnds.
func (t *answerTx) acceptSomeEnds(from []*sources.Source, every bool) (more bool, err error) {
	query, args := "SELECT job FROM jobs WHERE "+lookups.SaysEnd, []any{}
	if !every {
		query += ` AND ((SELECT 1 FROM postings p JOIN listings l ON l.posting = p.id WHERE p.job = jobs.job AND l.source IN @ids LIMIT 1) IS NOT NULL
			OR (SELECT 1 FROM entries e WHERE e.job = jobs.job AND e.source IN @ids LIMIT 1) IS NOT NULL)`
		ids := store.IDsOf(from, func(s *sources.Source) int64 { return s.ID })
		args = append(args, ids, ids)
	}
	jobs, err := t.Numbers(query+" ORDER BY job LIMIT ?", append(args, dropBatch)...)
	if err != nil {
		return false, err
	}
	var heard evidence.Inquiry
	if !every {
		heard = t.m.heard.Clone()
		heard.Forget(jobs)
	}
	t.remember(heard)
	if len(jobs) == 0 {
		return false, nil
	}
	stored, err := t.lookups.Stored(store.IDs(jobs))
	if err != nil {
		return false, err
	}
	var reindex []int64
	for _, job := range jobs {
		j := stored[job]
		if j == nil || !State(j.Said).outcome().Ends() { // another process has settled it
			continue
		}
		changed, err := t.saveAnswer(lookedUp{job: job, answer: j.Answer, received: j.Doubted}, j, State(j.Said))
		if err != nil {
			return false, err
		}
		if changed {
			reindex = append(reindex, job)
		}
	}
	return len(jobs) == dropBatch, t.unindexed.putOf(reindex)
}

// unconfirmed counts the jobs of which the board says, unbelieved, that they have ended.
func (t statusTx) unconfirmed() (int, error) {
	return store.Value[int](t, "SELECT count(*) FROM jobs WHERE "+lookups.SaysEnd)
}
