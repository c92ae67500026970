package jobmirror

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// What a lookup said of a job reaches a search by three ways. saveAnswer writes it into the
// job's row, which addJobs reads for a page. The index of documents has the job's places and its
// language, so saveAnswers puts the job's postings on the list of those to index. confirm notes in
// the records of the postings whether they have the job's title.

// jobRow is a row of the table jobs.
type jobRow struct {
	record, title string
	state         State
	streak        int
	answer        int64
	wanted        int64 // an answer with a lower number may be older than what is known of the job
	failures      int
	serviceTime   int64 // of the last information
	made          int64 // the earliest time at which the stored answer may have been made: caches keep answers
	said          State // what the board says that is not believed; empty: nothing
	doubted       int64 // since when it has; 0: it does not
}

// saveAnswers writes what lookups found. A row stays as it is if a newer answer has
// written it, or if the job was forgotten.
func (t *tx) saveAnswers(m *Mirror, results []lookedUp) error {
	stored, err := t.storedJobs(store.IDsOf(results, func(r lookedUp) int64 { return r.job }))
	if err != nil {
		return err
	}
	list, wave, err := t.weigh(m, results, stored)
	if err != nil {
		return err
	}
	var retitled, reindex []int64
	for _, w := range list {
		r, j := w.lookedUp, w.row
		if postponed, err := t.postpone(m, w, wave); err != nil {
			return err
		} else if postponed {
			continue
		}
		changed, err := t.saveAnswer(m, r, j, w.state)
		if err != nil {
			return err
		}
		if changed {
			reindex = append(reindex, r.job)
		}
		// Where wanted is higher, postings may have come to the job that found no row of it, and so
		// no title; see putUnknownDue.
		if r.info != nil && (storable(r.info.JobTitle) != j.title || j.wanted > j.answer) {
			retitled = append(retitled, r.job)
		}
	}
	if err := t.putUnindexedOf(reindex); err != nil {
		return err
	}
	return t.confirm(retitled)
}

// storedJobs reads the rows of jobs, and keeps others from changing them.
func (t *tx) storedJobs(jobs string) (map[int64]*jobRow, error) {
	stored := map[int64]*jobRow{}
	err := t.Rows(`SELECT job, record, title, state, streak, answer, wanted, failures, service_time, made, said, doubted FROM jobs
		WHERE job IN @ids ORDER BY job @lock`, []any{jobs}, func(scan func(...any) error) error {
		var (
			id int64
			j  jobRow
		)
		err := scan(&id, &j.record, &j.title, &j.state, &j.streak, &j.answer, &j.wanted, &j.failures,
			&j.serviceTime, &j.made, &j.said, &j.doubted)
		stored[id] = &j
		return err
	})
	return stored, err
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

// saveFailure notes that a lookup was not answered, and has it looked up again with
// back-off. If it was for a held row that is after Options.LookupEvery, because the next
// complete refresh of the source has it looked up anyway.
func (t *tx) saveFailure(m *Mirror, r lookedUp, j *jobRow) error {
	wait := m.opts.LookupEvery
	if !r.held {
		wait = min(backOff(j.failures, firstRetry), wait)
	}
	return t.Do("UPDATE jobs SET failures = failures + 1, problem = ?, next_due = ?, leased_until = 0 WHERE job = ?",
		problem(r.err), t.Now+jitter(wait).Milliseconds(), r.job)
}

// doublings returns how many times the wait before the next lookup of a job is
// doubled, and with it the age to which its answer is given.
func doublings(state State, streak int) int {
	if state == StateOpen {
		return 0
	}
	return min(streak, maxStreak)
}

const causeLookup = "lookup"

// saveAnswer writes one answer that is believed, and reports whether what the text index has
// of the job may have changed.
func (t *tx) saveAnswer(m *Mirror, r lookedUp, j *jobRow, state State) (reindex bool, err error) {
	streak := 0
	if state == j.state {
		streak = j.streak + 1
	}
	due := t.Now + jitter(m.opts.LookupEvery<<doublings(state, streak)).Milliseconds()
	if r.answer < j.wanted {
		due = t.Now
	}

	rec := JobRecord{Job: jobboard.JobID(r.job), State: state}
	serviceTime, title, language := j.serviceTime, j.title, ""
	made, heard := r.origin.kept(j.made, t.Now), cmp.Or(r.heard, t.Now)
	if r.info != nil {
		nationalities, err := t.catalogue(m, r.info.Nationalities)
		if err != nil {
			return false, err
		}
		rec.Information = informationOf(r.info, nationalities)
		title, language = storable(r.info.JobTitle), storable(r.info.JobLanguage)
		if serviceTime = 0; !r.info.Timestamp.IsZero() {
			serviceTime = r.info.Timestamp.UnixMilli()
		}
	} else if j.record != "" {
		old, err := decodeRecord[JobRecord](j.record)
		if err != nil {
			return false, err
		}
		if rec.Information = old.Information; rec.Information != nil {
			rec.Information.ApplyPossible = false
			language = storable(rec.Information.JobLanguage)
		}
	}
	after := encode(rec)
	same, err := sameJob(rec, after, j.record)
	if err != nil {
		return false, err
	}
	if same {
		return false, t.Do(`UPDATE jobs SET service_time = ?, looked_up = ?, streak = ?, answer = ?, next_due = ?, failures = 0, problem = '', leased_until = 0,
			made = ?, said = '', doubted = 0 WHERE job = ?`, serviceTime, heard, streak, r.answer, due, made, r.job)
	}
	catalogue := ""
	if rec.Information != nil {
		catalogue = rec.Information.Nationalities
	}
	err = t.Do(`UPDATE jobs SET state = ?, title = ?, language = ?, record = ?, catalogue = ?, service_time = ?, looked_up = ?, streak = ?, answer = ?,
		next_due = ?, failures = 0, problem = '', leased_until = 0, made = ?, said = '', doubted = 0 WHERE job = ?`,
		string(state), title, language, after, catalogue, serviceTime, heard, streak, r.answer, due, made, r.job)
	if err != nil {
		return false, err
	}
	if err := t.logJob(r.job, j.record, after, causeLookup); err != nil {
		return false, err
	}
	return r.info != nil || state.ended() != j.state.ended(), nil
}

// logJob logs that the record of a job becomes another one; empty: none.
func (t *tx) logJob(job int64, before, after, cause string) error {
	return t.log.Append(changelog.Change{Kind: string(ChangeJob), ID: job, Job: job, Before: before, After: after, Cause: cause})
}

// confirm has save find out anew whether the postings of jobs have the titles of their jobs,
// where these changed or may not have been compared: fillJobs sets Confirmed.
func (t *tx) confirm(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	rows, err := t.load("job IN @ids", store.IDs(jobs))
	if err != nil {
		return err
	}
	return t.save(rows, causeLookup)
}

// catalogue stores a catalogue of nationalities, unless it is there, and
// returns its hash.
func (t *tx) catalogue(m *Mirror, entries []jobboard.IDLabel) (string, error) {
	if len(entries) == 0 {
		return "", nil
	}
	c := m.catalogues.of(entries)
	if t.stored == c.hash { // a batch's jobs mostly share one catalogue
		return c.hash, nil
	}
	t.stored = c.hash
	// One that no job has had lately may be removed just now: this waits for that.
	lately := t.Now - passEvery.Milliseconds()/2
	err := t.Do("UPDATE catalogues SET used = ? WHERE hash = ? AND used < ?", t.Now, c.hash, lately)
	if err != nil {
		return "", err
	}
	return c.hash, t.Do("INSERT INTO catalogues (hash, used, entries) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", c.hash, t.Now, c.text)
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
