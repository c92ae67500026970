package jobmirror

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/evidence"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// What a lookup said of a job reaches a search by two ways. saveAnswer writes it into the
// job's row, which addJobs reads for a page. The index of documents has the job's places and its
// language, so saveAnswers puts the job's postings on the list of those to index.

// answerTx is a transaction that writes what lookups said.
type answerTx struct {
	postingTx
	m *Mirror

	held, holds bool // whether this process believed no ends before the transaction, and does not after its commit
}

func (t *tx) answering(m *Mirror) *answerTx { return &answerTx{postingTx: postingTx{t}, m: m} }

// saveAnswers writes what lookups found. A row stays as it is if a newer answer has
// written it, or if the job was forgotten.
func (t *answerTx) saveAnswers(results []lookedUp) error {
	stored, err := t.lookups.Stored(store.IDsOf(results, func(r lookedUp) int64 { return r.job }))
	if err != nil {
		return err
	}
	list, err := t.answered(results, stored)
	if err != nil {
		return err
	}
	holds, err := t.hear(list)
	if err != nil {
		return err
	}
	var reindex []int64
	for _, w := range list {
		r, j := w.lookedUp, w.row
		if postponed, err := t.postpone(w, holds); err != nil {
			return err
		} else if postponed {
			continue
		}
		changed, err := t.saveAnswer(r, j, w.state)
		if err != nil {
			return err
		}
		if changed {
			reindex = append(reindex, r.job)
		}
	}
	return t.unindexed.putOf(reindex)
}

// stateOf returns the state that a lookup's error stands for, or stateUnfound; "" where the board
// did not answer.
func stateOf(info *jobboard.JobInformation, err error) State {
	switch {
	case err == nil && info.ApplyPossible:
		return StateOpen
	case err == nil:
		return StateClosed
	case errors.Is(err, jobboard.ErrJobInactive):
		return StateInactive
	case errors.Is(err, jobboard.ErrJobUnavailable):
		return StateUnavailable
	case errors.Is(err, jobboard.ErrPostingUnavailable):
		return stateUnfound
	}
	return ""
}

// answered saves that some lookups failed, and returns the answers that may be written. An answer that
// says nothing, or that comes out of a cache, is a failure. Answers older than the stored one are left out.
func (t *answerTx) answered(results []lookedUp, stored map[int64]*lookups.Job) (list []weighed, err error) {
	for _, r := range results {
		j := stored[r.job]
		if j == nil || j.Answer >= r.answer {
			continue
		}
		state := stateOf(r.info, r.err)
		if state != "" && r.origin.before(j.Made, t.Now) {
			state, r.err = "", errOutOfCache
		}
		if state == "" {
			if err := t.saveFailure(r, j); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, weighed{r, evidence.Answer{
			Job: r.job, Says: state.outcome(), Made: r.origin.made, Known: State(j.State).outcome(),
			Doubt: evidence.Doubt{Says: State(j.Said).outcome(), Since: j.Doubted}, Late: reopensLate(j, r, state),
		}, state, j})
	}
	return list, nil
}

// saveFailure notes that a lookup was not answered, and has the job looked up again with back-off: the
// client has repeated the request by its RetryPolicy before. After a lookup for a held row it waits for
// Options.LookupEvery, because the next complete refresh of the source has the job looked up anyway,
// unless somebody else waits for an answer as well.
func (t *answerTx) saveFailure(r lookedUp, j *lookups.Job) error {
	wait := t.m.opts.LookupEvery
	if !r.held || j.Wanted > j.Answer {
		wait = min(backOff(j.Failures, firstRetry), wait)
	}
	return t.lookups.Fail(r.job, problem(r.err), t.Now+fromNow(wait))
}

// doublings returns how many times the wait before the next lookup of a job is
// doubled, and with it the age to which its answer is given.
func doublings(state State, streak int) int {
	if state == StateOpen {
		return 0
	}
	return min(streak, maxStreak)
}

// saveAnswer writes one answer that is believed, and reports whether what the text index has
// of the job may have changed.
func (t *answerTx) saveAnswer(r lookedUp, j *lookups.Job, state State) (reindex bool, err error) {
	a := &lookups.Answer{
		Job: r.job, Number: r.answer, State: string(state), ServiceTime: j.ServiceTime,
		LookedUp: cmp.Or(r.received, t.Now), Made: r.origin.kept(j.Made, t.Now),
	}
	if a.State == j.State {
		a.Streak = j.Streak + 1
	}
	a.Due = t.Now + fromNow(t.m.opts.LookupEvery<<doublings(state, a.Streak))
	if r.answer < j.Wanted {
		a.Due = t.Now
	}

	rec := JobRecord{Job: jobboard.JobID(r.job), State: state}
	if r.info != nil {
		if a.Catalogue, err = t.catalogue(r.info.Nationalities); err != nil {
			return false, err
		}
		rec.Information = informationOf(r.info, a.Catalogue)
		a.Language = storable(r.info.JobLanguage)
		if a.ServiceTime = 0; !r.info.Timestamp.IsZero() {
			a.ServiceTime = r.info.Timestamp.UnixMilli()
		}
	} else if j.Record != "" {
		old, err := decodeRecord[JobRecord](j.Record)
		if err != nil {
			return false, err
		}
		if rec.Information = old.Information; rec.Information != nil {
			rec.Information.ApplyPossible = false
			a.Language, a.Catalogue = storable(rec.Information.JobLanguage), rec.Information.Nationalities
		}
	}
	a.Record = encode(rec)
	same, err := sameJob(rec, a.Record, j.Record)
	if err != nil {
		return false, err
	}
	if same {
		return false, t.lookups.Repeat(a)
	}
	return r.info != nil || state.ended() != State(j.State).ended(), t.lookups.Save(a, j.Record)
}

// catalogue stores a catalogue of nationalities, unless it is there, and
// returns its hash.
func (t *answerTx) catalogue(entries []jobboard.IDLabel) (string, error) {
	if len(entries) == 0 {
		return "", nil
	}
	c := t.m.catalogues.of(entries)
	return c.hash, t.lookups.Catalogue(c.hash, c.text)
}

// catalogues remembers the hashes of the last catalogues. The client decodes
// equal ones into the same memory, so most are found by their address.
type catalogues struct {
	mu    sync.Mutex
	known map[*jobboard.IDLabel]catalogue
}

type catalogue struct {
	hash, text string
	length     int
}

func (c *catalogues) of(entries []jobboard.IDLabel) catalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.known[&entries[0]]; ok && known.length == len(entries) {
		return known
	}
	text := encode(entries)
	sum := sha256.Sum256([]byte(text))
	if c.known == nil || len(c.known) >= 64 {
		c.known = map[*jobboard.IDLabel]catalogue{}
	}
	out := catalogue{hex.EncodeToString(sum[:16]), text, len(entries)}
	c.known[&entries[0]] = out
	return out
}
