package jobmirror

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

const (
	lookupPiece = 100                    // lookups that share a number among the answers
	writeEvery  = 250 * time.Millisecond // a result waits no longer than this before it is written
	firstRetry  = 30 * time.Second       // after a lookup that did not answer
	maxStreak   = 5                      // a job that stays closed is asked about every 32nd time
)

// lookedUp is a lookup's result with the number of its piece.
type lookedUp struct {
	job    int64
	answer int64
	info   *jobboard.JobInformation
	err    error
}

// lookUp asks about jobs and writes what is answered, at most 100 results or
// 250 ms later; written is then called with them. handedOut is called once all
// are under way. What ctx cuts off stays due.
func (m *Mirror) lookUp(ctx context.Context, jobs []int64, handedOut func(), written func([]lookedUp)) error {
	results := make(chan lookedUp, lookupPiece)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := pieces{m: m, ctx: ctx, jobs: jobs, handedOut: handedOut, answers: map[jobboard.JobID]int64{}}
	go func() {
		defer close(results)
		for r := range m.client.BulkJobInformation(ctx, p.all(), jobboard.BulkOptions{Concurrency: m.opts.Concurrency}) {
			results <- lookedUp{int64(r.Job), p.answer(r.Job), r.Value, r.Err}
		}
		handedOut()
	}()
	var failed error
	write := func(batch []lookedUp) {
		if len(batch) == 0 || failed != nil {
			return
		}
		// What was answered is written even when it is time to stop.
		writing, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer stop()
		failed = m.db.update(writing, func(t *tx) error { return t.saveAnswers(m, batch) })
		if failed != nil {
			cancel()
		}
		m.lookups.Add(int64(len(batch)))
		written(batch)
	}
	timer := time.NewTimer(writeEvery)
	defer timer.Stop()
	var batch []lookedUp
	for {
		select {
		case r, ok := <-results:
			if !ok {
				write(batch)
				return cmp.Or(failed, p.failed)
			}
			if r.err != nil && ctx.Err() != nil && stateOf(r.info, r.err) == "" || r.job == 0 {
				continue // cut off, not failed
			}
			if batch = append(batch, r); len(batch) == lookupPiece {
				write(batch)
				batch = batch[:0]
				timer.Reset(writeEvery)
			}
		case <-timer.C:
			write(batch)
			batch = batch[:0]
			timer.Reset(writeEvery)
		}
	}
}

// pieces hands jobs to the bulk call, with a number from the database for each
// hundred, taken before they are sent.
type pieces struct {
	m         *Mirror
	ctx       context.Context
	jobs      []int64
	handedOut func()
	failed    error // of the database; read once the bulk call has ended

	mu      sync.Mutex
	answers map[jobboard.JobID]int64
}

func (p *pieces) all() iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		var answer int64
		for i, job := range p.jobs {
			if i%lookupPiece == 0 {
				err := p.m.db.update(p.ctx, func(t *tx) (err error) {
					answer, err = t.next("answer", 1)
					return err
				})
				if err != nil {
					p.failed = err
					return
				}
			}
			p.mu.Lock()
			p.answers[jobboard.JobID(job)] = answer
			p.mu.Unlock()
			if !yield(jobboard.JobID(job), nil) {
				return
			}
		}
		p.handedOut()
	}
}

func (p *pieces) answer(job jobboard.JobID) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer := p.answers[job]
	delete(p.answers, job)
	return answer
}

// job is a row of the table jobs.
type job struct {
	record, title string
	state         State
	streak        int
	answer        int64
	failures      int
}

// saveAnswers writes what lookups found. A row that a newer answer has written,
// or that was forgotten, stays as it is.
func (t *tx) saveAnswers(m *Mirror, batch []lookedUp) error {
	list := make([]int64, len(batch))
	for i, r := range batch {
		list[i] = r.job
	}
	stored := make(map[int64]*job, len(batch))
	err := t.rows("SELECT job, record, title, state, streak, answer, failures FROM jobs WHERE job IN @ids ORDER BY job @lock",
		[]any{ids(list)}, func(scan func(...any) error) error {
			var (
				id int64
				j  job
			)
			err := scan(&id, &j.record, &j.title, &j.state, &j.streak, &j.answer, &j.failures)
			stored[id] = &j
			return err
		})
	if err != nil {
		return err
	}
	var retitled, moved []int64
	for _, r := range batch {
		j := stored[r.job]
		if j == nil || j.answer >= r.answer {
			continue
		}
		state := stateOf(r.info, r.err)
		if state == "" {
			wait := jitter(min(backOff(j.failures, firstRetry), m.opts.LookupEvery))
			_, err := t.exec("UPDATE jobs SET failures = failures + 1, problem = ?, next_due = ? WHERE job = ?",
				problem(r.err), t.now+wait.Milliseconds(), r.job)
			if err != nil {
				return err
			}
			continue
		}
		changed, err := t.saveAnswer(m, r, j, state)
		if err != nil {
			return err
		}
		if changed {
			moved = append(moved, r.job)
		}
		if r.info != nil && r.info.JobTitle != j.title {
			retitled = append(retitled, r.job)
		}
	}
	if len(moved) > 0 {
		if _, err := t.exec("UPDATE postings SET unindexed = 1 WHERE job IN @ids", ids(moved)); err != nil {
			return err
		}
		m.unindexed.raise()
	}
	if len(retitled) == 0 {
		return nil
	}
	rows, err := t.load("job IN @ids", ids(retitled))
	if err != nil {
		return err
	}
	return t.save(rows, causeLookup)
}

const causeLookup = "lookup"

// saveAnswer writes one answer, and reports whether what the text index has
// of the job may have changed.
func (t *tx) saveAnswer(m *Mirror, r lookedUp, j *job, state State) (reindex bool, err error) {
	streak := 0
	if state == j.state {
		streak = j.streak + 1
	}
	every := m.opts.LookupEvery
	if state != StateOpen {
		every <<= min(streak, maxStreak)
	}
	due := t.now + jitter(every).Milliseconds()

	rec := JobRecord{Job: jobboard.JobID(r.job), State: state}
	serviceTime, title, language := int64(0), j.title, ""
	if r.info != nil {
		nationalities, err := t.catalogue(m, r.info.Nationalities)
		if err != nil {
			return false, err
		}
		rec.Information = informationOf(r.info, nationalities)
		title, language = r.info.JobTitle, r.info.JobLanguage
		if !r.info.Timestamp.IsZero() {
			serviceTime = millis(r.info.Timestamp.Time)
		}
	} else if j.record != "" {
		old, err := decodeRecord[JobRecord](j.record)
		if err != nil {
			return false, err
		}
		if rec.Information = old.Information; rec.Information != nil {
			rec.Information.ApplyPossible = false
			language = rec.Information.JobLanguage
		}
	}
	after := encode(rec)
	if after == j.record {
		_, err := t.exec(`UPDATE jobs SET service_time = ?, looked_up = ?, streak = ?, answer = ?, next_due = ?, failures = 0, problem = ''
			WHERE job = ?`, serviceTime, t.now, streak, r.answer, due, r.job)
		return false, err
	}
	_, err = t.exec(`UPDATE jobs SET state = ?, title = ?, language = ?, record = ?, service_time = ?, looked_up = ?, streak = ?, answer = ?,
		next_due = ?, failures = 0, problem = '' WHERE job = ?`,
		string(state), title, language, after, serviceTime, t.now, streak, r.answer, due, r.job)
	if err != nil {
		return false, err
	}
	if err := t.log(kindJob, r.job, "", j.record, after, causeLookup); err != nil {
		return false, err
	}
	if r.info == nil {
		return false, nil
	}
	return true, t.savePlaces(r.job, rec.Information)
}

func (t *tx) savePlaces(job int64, info *Information) error {
	if _, err := t.exec("DELETE FROM places WHERE job = ?", job); err != nil {
		return err
	}
	for i, place := range info.places() {
		_, err := t.exec("INSERT INTO places (job, number, latitude, longitude) VALUES (?, ?, ?, ?)", job, i, place.Latitude, place.Longitude)
		if err != nil {
			return err
		}
	}
	return nil
}

// catalogue stores a catalogue of nationalities, unless it is there, and
// returns its hash.
func (t *tx) catalogue(m *Mirror, entries []jobboard.IDLabel) (string, error) {
	if len(entries) == 0 {
		return "", nil
	}
	c := m.catalogues.of(entries)
	_, err := t.exec("INSERT INTO catalogues (hash, entries) VALUES (?, ?) ON CONFLICT DO NOTHING", c.hash, c.text)
	return c.hash, err
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

// lookUpDue looks up the jobs that are due: until none is, or, with forever,
// until ctx ends. The next jobs are begun once the last ones are under way, so
// that a few that do not answer hold up nobody.
func (m *Mirror) lookUpDue(ctx context.Context, forever bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		running sync.WaitGroup
		flying  = flight{jobs: map[int64]bool{}}
		ended   = newSignal()
		batch   = max(500, 8*m.opts.Concurrency)
	)
	defer running.Wait()
	for ctx.Err() == nil {
		var jobs []int64
		if flying.count() < batch+8*m.opts.Concurrency {
			var err error
			if jobs, err = m.pick(ctx, batch, &flying); err != nil {
				return err
			}
		}
		if len(jobs) == 0 {
			if !forever && flying.count() == 0 {
				return context.Cause(ctx)
			}
			m.jobsDue.wait(ctx, ended, time.Second)
			continue
		}
		drained := make(chan struct{})
		var once sync.Once
		running.Go(func() {
			under := func() { once.Do(func() { close(drained) }) }
			if err := m.lookUp(ctx, jobs, under, func(written []lookedUp) {
				flying.land(written)
				ended.raise()
			}); err != nil {
				cancel(err)
			}
			flying.forget(jobs)
			ended.raise()
		})
		select {
		case <-drained:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// pick chooses the jobs that have been due the longest, but for those that are
// under way.
func (m *Mirror) pick(ctx context.Context, n int, flying *flight) (jobs []int64, err error) {
	err = m.db.view(ctx, func(t *tx) error {
		flying.mu.Lock()
		defer flying.mu.Unlock()
		due, err := t.numbers("SELECT job FROM jobs WHERE next_due <= ? ORDER BY next_due, job LIMIT ?", t.now, n+len(flying.jobs))
		for _, job := range due {
			if !flying.jobs[job] && len(jobs) < n {
				flying.jobs[job] = true
				jobs = append(jobs, job)
			}
		}
		return err
	})
	return jobs, err
}

// flight is the jobs whose lookups are under way.
type flight struct {
	mu   sync.Mutex
	jobs map[int64]bool
}

func (f *flight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.jobs)
}

func (f *flight) land(written []lookedUp) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range written {
		delete(f.jobs, r.job)
	}
}

func (f *flight) forget(jobs []int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, job := range jobs {
		delete(f.jobs, job)
	}
}
