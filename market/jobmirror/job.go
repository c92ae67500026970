package jobmirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Job holds what the mirror knows of a job, how old that is, and by what evidence
// postings are the job's.
type Job struct {
	JobRecord
	Nationalities []jobboard.IDLabel // the catalogue of Information
	ServiceTime   time.Time          // the service's own timestamp of Information
	LookedUp      time.Time          // when the last answer came that is believed; zero: none has
	Age           time.Duration      // since then
	NextLookup    time.Time
	Failures      int    // lookups in a row that did not answer
	Problem       string // of the last one; empty: none
	// NoAnswer is the time of the last request that the board did not answer, if neither the last lookup of the job
	// nor the last refresh of any channel was answered; zero: the board answers.
	NoAnswer time.Time

	Postings []PostingRecord // postings that may belong to the job, in all languages
	// What Posting has by these names of one of Postings; of several, the earliest FirstSeen and the highest ShownAgain.
	FirstSeen  time.Time
	ShownAgain int

	// LastPosting has the title, category, dates and visibility of the job's posting that left the copy last, and
	// the job's locations; nil if the copy has Postings of the job, and if none has left. It is removed with the
	// job, see Options.KeepJobs.
	LastPosting *Posting

	last   string // a PostingRecord for LastPosting, as JSON; empty: none
	said   State  // what the board says that is not believed; empty: nothing
	streak int    // lookups before the last that found the same State
	stale  bool
}

// Job returns what is known of a job. Its errors are ErrUnknown for a job that the copy lacks;
// ErrIncomplete in place of it while a source that may name the job was never copied whole; and ErrStale
// if no lookup has answered, or the last answer is older than Options.MaxAge allows for its State. With
// ErrStale the job is returned too, and never says that applying is possible. It is also returned with
// ErrUnknown if the board has answered nothing but ERROR_POSTING_UNAVAILABLE, and the copy has no posting
// of the job.
func (m *Mirror) Job(ctx context.Context, id jobboard.JobID) (*Job, error) {
	j, err := fromView(ctx, m.db, func(t *tx) (*Job, error) {
		j, err := jobTx{readTx{t}}.job(id)
		if errors.Is(err, ErrUnknown) {
			err = unknown(t, m.named(), id)
		}
		return j, err
	})
	if err != nil {
		return nil, err
	}
	return j, m.judge(j)
}

// judge returns ErrStale where a job's answer is too old to be given, and makes the job
// say so.
func (m *Mirror) judge(j *Job) error {
	if j.stale = j.LookedUp.IsZero() || j.Age>>doublings(j.State, j.streak) > m.opts.MaxAge; !j.stale {
		return nil
	}
	if j.Information != nil {
		j.Information.ApplyPossible = false
	}
	if j.LookedUp.IsZero() && j.said == stateUnfound && len(j.Postings) == 0 {
		return fmt.Errorf("%w: the board does not find its posting, and nor does the copy", ErrUnknown)
	}
	if j.LookedUp.IsZero() {
		return fmt.Errorf("%w: no lookup has answered yet", ErrStale)
	}
	return fmt.Errorf("%w: looked up %s ago", ErrStale, j.Age.Truncate(time.Second))
}

// jobTx is a transaction that reads jobs.
type jobTx struct{ readTx }

// jobColumns are the columns of a job that scanJob reads.
const jobColumns = "job, state, said, streak, record, service_time, looked_up, next_due, failures, problem, last_posting"

func (t jobTx) scanJob(scan func(...any) error) (*Job, error) {
	var (
		j        Job
		id       int64
		record   string
		state    State
		lookedUp int64
	)
	err := scan(&id, &state, &j.said, &j.streak, &record, instantColumn{&j.ServiceTime}, &lookedUp,
		instantColumn{&j.NextLookup}, &j.Failures, &j.Problem, &j.last)
	if err != nil {
		return nil, err
	}
	j.JobRecord = JobRecord{Job: jobboard.JobID(id), State: state}
	if record != "" {
		if j.JobRecord, err = decodeRecord[JobRecord](record); err != nil {
			return nil, err
		}
	}
	j.LookedUp, j.Age = instant(lookedUp), t.Since(lookedUp)
	return &j, nil
}

func (t jobTx) job(id jobboard.JobID) (j *Job, err error) {
	err = t.Rows("SELECT "+jobColumns+" FROM jobs WHERE job = ?", []any{int64(id)}, func(scan func(...any) error) error {
		j, err = t.scanJob(scan)
		return err
	})
	if err == nil && j == nil {
		err = ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	if j.Information != nil && j.Information.Nationalities != "" {
		entries, err := lookups.CatalogueOf(t.Tx, j.Information.Nationalities)
		if err != nil {
			return nil, err
		}
		if j.Nationalities, err = decodeRecord[[]jobboard.IDLabel](entries); err != nil {
			return nil, err
		}
	}
	if j.Failures > 0 {
		since, err := sources.Unanswered(t.Tx)
		if err != nil {
			return nil, err
		}
		j.NoAnswer = instant(since)
	}
	if err = t.readPostings(j); err == nil && len(j.Postings) == 0 && j.last != "" {
		err = j.readLast()
	}
	return j, err
}

// readPostings reads the job's postings, and when they came.
func (t jobTx) readPostings(j *Job) error {
	const query = "SELECT record, first_seen, shown_again FROM postings WHERE job = ? ORDER BY id"
	return t.Rows(query, []any{int64(j.JobRecord.Job)}, func(scan func(...any) error) error {
		var (
			record string
			first  time.Time
			again  int
		)
		if err := scan(&record, instantColumn{&first}, &again); err != nil {
			return err
		}
		p, err := decodeRecord[PostingRecord](record)
		if len(j.Postings) == 0 || first.Before(j.FirstSeen) {
			j.FirstSeen = first
		}
		j.ShownAgain = max(j.ShownAgain, again)
		j.Postings = append(j.Postings, p)
		return err
	})
}

// readLast sets LastPosting.
func (j *Job) readLast() error {
	r, err := decodeRecord[PostingRecord](j.last)
	if err != nil {
		return err
	}
	p := &Posting{Language: r.Language, Job: j.JobRecord.Job}
	if p.Posting, err = r.posting(""); err != nil {
		return err
	}
	p.addJob(j.Information)
	j.LastPosting = p
	return nil
}

// unknown returns ErrUnknown for a job that the copy does not have, and ErrIncomplete
// while it may lack it only because a source was not copied yet.
func unknown(t *tx, named []*source, id jobboard.JobID) error {
	erased, err := forgotten(t.Tx, ChangeJob, []int64{int64(id)})
	if err != nil || erased[int64(id)] {
		return cmp.Or(err, ErrUnknown)
	}
	return cmp.Or(complete(t, named), ErrUnknown)
}

// JobInformation returns a job's information from the copy, as the client's method of that name
// does from the board: with ErrJobInactive and ErrJobUnavailable where the last answer that is
// believed said so. Its other errors are those of Job.
func (m *Mirror) JobInformation(ctx context.Context, id jobboard.JobID) (*jobboard.JobInformation, error) {
	j, err := m.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	return j.Answer()
}

// Answer returns what the last lookup answered, as the client's JobInformation
// returns it: the information, or ErrJobInactive or ErrJobUnavailable. Its error is
// ErrStale where the job was returned with an error.
func (j *Job) Answer() (*jobboard.JobInformation, error) {
	if j.stale {
		return nil, ErrStale
	}
	switch j.State {
	case StateInactive:
		return nil, jobboard.ErrJobInactive
	case StateUnavailable:
		return nil, jobboard.ErrJobUnavailable
	}
	return j.information(), nil
}

// information returns the answer of the lookup (4.4), put together again.
func (j *Job) information() *jobboard.JobInformation {
	i := j.Information
	return &jobboard.JobInformation{
		JobID: j.JobRecord.Job, JobTitle: i.JobTitle, JobLanguage: i.JobLanguage, ApplyPossible: i.ApplyPossible,
		DataSecurityLink: i.DataSecurityLink, Questions: i.Questions, Nationalities: j.Nationalities,
		Timestamp: jobboard.Timestamp{Time: j.ServiceTime}, CompanyName: i.CompanyName, CompanyID: i.CompanyID,
		Location: i.Location, AdditionalLocations: i.AdditionalLocations, Unknown: i.Unknown,
	}
}

// Postings returns the postings that are a job's, in every language that is copied, with their
// advertisements, in the order in which the mirror came to know them; none if no evidence links
// a posting to the job.
func (m *Mirror) Postings(ctx context.Context, job jobboard.JobID) (found []Posting, err error) {
	return fromView(ctx, m.db, func(in *tx) ([]Posting, error) {
		t := readTx{in}
		list, err := t.Numbers("SELECT id FROM postings WHERE job = ? ORDER BY id", int64(job))
		if err != nil {
			return nil, err
		}
		hits, err := t.postings(list)
		for _, h := range hits {
			found = append(found, h.posting)
		}
		if err != nil {
			return nil, err
		}
		return found, t.addJobs(found, jobboard.GeoLocation{})
	})
}

// JobPostings holds a job of the copy and its postings.
type JobPostings struct {
	// Job holds the job as Mirror.Job returns it, without Nationalities, LastPosting, Postings and when these came. Its
	// Answer is ErrStale where Mirror.Job has that error.
	Job      *Job
	Postings []Posting // as Mirror.Postings returns them
}

// Jobs yields every job of the copy with its postings, in the order of the jobs' identifiers.
// It reads 200 at a time, each part in a transaction of its own, so a slow reader holds up
// nobody; a job that changes meanwhile is yielded in its old or its new state. An error is the
// last item. While [Mirror.Ready] returns an error, that is the only item: jobs not copied yet
// would look like jobs that are gone.
func (m *Mirror) Jobs(ctx context.Context) iter.Seq2[JobPostings, error] {
	return func(yield func(JobPostings, error) bool) {
		err := m.Ready(ctx)
		for last := jobboard.JobID(0); err == nil; {
			var part []JobPostings
			part, err = fromView(ctx, m.db, func(t *tx) ([]JobPostings, error) { return jobTx{readTx{t}}.jobs(last) })
			for _, j := range part {
				_ = m.judge(j.Job) // its error is that of Job.Answer
				if !yield(j, nil) {
					return
				}
				last = j.Job.JobRecord.Job
			}
			if err == nil && len(part) < pagePart {
				return
			}
		}
		yield(JobPostings{}, err)
	}
}

// jobs reads at most pagePart jobs whose identifiers are above last, with their postings.
func (t jobTx) jobs(last jobboard.JobID) (part []JobPostings, err error) {
	var ids []int64
	at := map[jobboard.JobID]int{}
	query := "SELECT " + jobColumns + " FROM jobs WHERE job > ? ORDER BY job LIMIT ?"
	err = t.Rows(query, []any{int64(last), pagePart}, func(scan func(...any) error) error {
		j, err := t.scanJob(scan)
		if err != nil {
			return err
		}
		at[j.JobRecord.Job], ids = len(part), append(ids, int64(j.JobRecord.Job))
		part = append(part, JobPostings{Job: j})
		return nil
	})
	if err != nil {
		return nil, err
	}
	list, err := t.Numbers("SELECT id FROM postings WHERE job IN @ids ORDER BY id", store.IDs(ids))
	if err != nil {
		return nil, err
	}
	hits, err := t.postings(list)
	for _, h := range hits {
		own := &part[at[h.posting.Job]]
		h.posting.addJob(own.Job.Information)
		own.Postings = append(own.Postings, h.posting)
	}
	return part, err
}
