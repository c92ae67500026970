package jobmirror

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/evidence"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Which answers of lookups are believed decides the package evidence. What it needs to remember
// keeps the package lookups, in the transaction that writes the answers.

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
	return evidence.Rules{Refresh: o.RefreshEvery, Lookup: o.LookupEvery, Hold: o.HoldMissing, Keep: o.KeepJobs}
}

// weighed is an answer of a lookup that may be written, the job's row, and what evidence is told
// of them.
type weighed struct {
	lookedUp
	evidence.Answer
	state State
	row   *lookups.Job
}

// noteAnswers notes answers in the inquiry about jobs, and which of them are about jobs that a source
// shows. It reports whether a wave is held for them.
func (t *answerTx) noteAnswers(list []weighed) (wave bool, err error) {
	ends := false
	for _, w := range list {
		ends = ends || w.Ends()
	}
	if !ends { // as almost always: nothing is locked then
		q, err := lookups.Inquiry(t.Tx)
		if err != nil || q.Calm() {
			return false, err
		}
	}
	shown, err := lookups.Shown(t.Tx, store.IDsOf(list, func(w weighed) int64 { return w.Job }))
	if err != nil {
		return false, err
	}
	answers := make([]evidence.Answer, len(list))
	for i := range list {
		list[i].Shown = shown[list[i].Job]
		answers[i] = list[i].Answer
	}
	err = t.inquire(func(q *evidence.Inquiry) error {
		if ended := q.Ended(); len(ended) > 0 {
			shown, err := lookups.Shown(t.Tx, store.IDs(ended))
			if err != nil {
				return err
			}
			q.Keep(shown, t.Now)
		}
		wave = t.m.opts.rules().Count(q, answers, t.Now)
		return nil
	})
	return wave, err
}

// inquire lets f change the inquiry about jobs, and notes whether a wave begins or ends, which the
// commit has told.
func (t *answerTx) inquire(f func(*evidence.Inquiry) error) error {
	return t.lookups.Inquire(func(q *evidence.Inquiry) error {
		rules, held := t.m.opts.rules(), q.Since > 0 && !q.Accepted
		if err := f(q); err != nil {
			return err
		}
		t.wave = waveStays
		switch holds := rules.Holds(*q, t.Now); {
		case holds && !held:
			t.wave = waveBegins
		case held && !holds && rules.Hold >= 0:
			t.wave = waveEnds
		}
		return nil
	})
}

// waveChange is what a transaction makes of a wave.
type waveChange int

const (
	waveStays waveChange = iota
	waveBegins
	waveEnds
)

// tellWave logs that a wave has begun or ended.
func (m *Mirror) tellWave(ctx context.Context, change waveChange) {
	switch change {
	case waveBegins:
		m.opts.Logger.WarnContext(ctx, "jobmirror: so many lookups end jobs which sources show that none of them is believed for now",
			"longest", m.opts.HoldMissing)
	case waveEnds:
		m.opts.Logger.InfoContext(ctx, "jobmirror: lookups that end jobs are believed again")
	case waveStays:
	}
}

// The reasons why a job's Problem says that an answer is not believed.
const (
	doubtfulReopening = "the board says that the job is open by an information from before it was closed: it is asked again"
	doubtfulEnd       = "the board says that the job is unavailable, and a source shows it: it is asked again"
	doubtfulWave      = "the board says that the job has ended, as of many that sources show: it is asked again"
)

// postpone reports whether an answer is not believed, notes it then, and has the job looked up
// again.
func (t *answerTx) postpone(w weighed, wave bool) (bool, error) {
	rules := t.m.opts.rules()
	believed, doubt, wait := rules.Believed(w.Answer, wave, t.Now)
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
	case wave:
		why = doubtfulWave
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
// all jobs, with every. That also ends a wave.
func (m *Mirror) acceptEnds(ctx context.Context, from []*sources.Source, every bool) error {
	change := waveStays
	if every {
		err := m.db.update(ctx, func(t *tx) error {
			a := t.answering(m)
			err := a.inquire(func(q *evidence.Inquiry) error { q.Accept(); return nil })
			change = a.wave
			return err
		})
		if err != nil {
			return err
		}
		m.tellWave(ctx, change)
	}
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return t.answering(m).acceptSomeEnds(from, every) })
}

// acceptSomeEnds does what acceptEnds does for at most dropBatch jobs.
func (t *answerTx) acceptSomeEnds(from []*sources.Source, every bool) (more bool, err error) {
	query, args := "SELECT job FROM jobs WHERE "+lookups.SaysEnd, []any{}
	if !every {
		query += ` AND ((SELECT 1 FROM postings p JOIN listings l ON l.posting = p.id WHERE p.job = jobs.job AND l.source IN @ids LIMIT 1) IS NOT NULL
			OR (SELECT 1 FROM entries e WHERE e.job = jobs.job AND e.source IN @ids LIMIT 1) IS NOT NULL)`
		ids := store.IDsOf(from, func(s *sources.Source) int64 { return s.ID })
		args = append(args, ids, ids)
	}
	jobs, err := t.Numbers(query+" ORDER BY job LIMIT ?", append(args, dropBatch)...)
	if err != nil || len(jobs) == 0 {
		return false, err
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

// doubtStatus reads how many ends of jobs are not believed, and since when there is a wave.
func (t statusTx) doubtStatus(m *Mirror, s *Status) error {
	var err error
	if s.Doubted, err = store.Value[int](t, "SELECT count(*) FROM jobs WHERE "+lookups.SaysEnd); err != nil {
		return err
	}
	q, err := lookups.Inquiry(t.Tx)
	if err != nil {
		return err
	}
	shown, err := lookups.Shown(t.Tx, store.IDs(q.Ended()))
	if err != nil {
		return err
	}
	q.Keep(shown, t.Now)
	if m.opts.rules().Holds(q, t.Now) {
		s.Wave = instant(q.Since)
	}
	return nil
}
