package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Several processes share a mirror by leases in its tables, by the database's
// clock. A source or a job whose lease has ended is anybody's. River brings the
// work to the processes; which answer holds is decided by neither, but by the
// number that an answer got before it was asked for.
const (
	batchLease   = 30 * time.Second // longer than a batch may take
	sourceLease  = 15 * time.Second // renewed three times as often
	handOutTime  = 10 * time.Second // of a batch: later no more lookups are begun
	lookUpTime   = 13 * time.Second // of a batch: later none is waited for
	maxBatch     = 500
	batchesAhead = 8               // that wait for a process with time for them
	stopTime     = 2 * time.Second // for lookups under way when a process is told to end
)

// batchSize is how many jobs a batch has: not more than the limit lets through
// in a few seconds.
func (m *Mirror) batchSize() int {
	if !m.db.numbered {
		return max(maxBatch, 8*m.opts.Concurrency)
	}
	if m.opts.Limit <= 0 {
		return maxBatch
	}
	return int(min(max(2*m.opts.Limit, 20), maxBatch))
}

// reserve claims jobs that are due for a new batch.
func (t *tx) reserve(n int) (batch int64, jobs []int64, err error) {
	if batch, err = t.next("batch"); err != nil {
		return 0, nil, err
	}
	jobs, err = t.numbers(`UPDATE jobs SET claimed = ?, batch = ? WHERE job IN
		(SELECT job FROM jobs WHERE next_due <= ? AND claimed <= ? ORDER BY next_due, job LIMIT ? @skip) RETURNING job`,
		t.now+batchLease.Milliseconds(), batch, t.now, t.now, n)
	return batch, jobs, err
}

// take renews the lease of a batch that is begun, and returns those of its jobs
// that have no result yet and were not given to another batch.
func (m *Mirror) take(ctx context.Context, args lookUpArgs) (jobs []int64, err error) {
	err = m.db.update(ctx, func(t *tx) error {
		jobs, err = t.numbers("UPDATE jobs SET claimed = ? WHERE job IN @ids AND batch = ? AND claimed > 0 RETURNING job",
			t.now+batchLease.Milliseconds(), ids(args.Jobs), args.Batch)
		return err
	})
	return jobs, err
}

// release gives jobs of a batch back that have no result.
func (m *Mirror) release(ctx context.Context, batch int64, jobs []int64) error {
	if !m.db.numbered {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return m.db.update(ctx, func(t *tx) error {
		_, err := t.exec("UPDATE jobs SET claimed = 0 WHERE job IN @ids AND batch = ? AND claimed > 0", ids(jobs), batch)
		return err
	})
}

// claimedElsewhere reports whether other processes are looking up jobs that are
// due.
func (m *Mirror) claimedElsewhere(ctx context.Context) (busy bool, err error) {
	if !m.db.numbered {
		return false, nil
	}
	err = m.db.view(ctx, func(t *tx) error {
		return t.row("SELECT EXISTS (SELECT 1 FROM jobs WHERE next_due <= ? AND claimed > ?)", []any{t.now, t.now}, &busy)
	})
	return busy, err
}

// clock returns the database's time in milliseconds.
func (m *Mirror) clock(ctx context.Context) (now int64, err error) {
	err = m.db.view(ctx, func(t *tx) error {
		now = t.now
		return nil
	})
	return now, err
}

// refreshSince refreshes a source, unless another process has done so since a
// time. While another one is at it, refreshSince waits.
func (m *Mirror) refreshSince(ctx context.Context, src *source, since int64) error {
	for ctx.Err() == nil {
		var (
			turn          turn
			begun, recent bool
		)
		err := m.db.update(ctx, func(t *tx) (err error) {
			var began, complete, claimed int64
			begun = false
			if err := t.name([]*source{src}); err != nil {
				return err
			}
			err = t.row("SELECT began, complete, claimed FROM sources WHERE id = ? @lock", []any{src.id}, &began, &complete, &claimed)
			recent = began >= since && complete >= began
			if err != nil || recent || claimed > t.now {
				return err
			}
			begun = true
			turn, err = t.begin(src, t.now+sourceLease.Milliseconds())
			return err
		})
		switch {
		case err != nil:
			return err
		case recent:
			return nil
		case begun:
			return m.refreshLeased(ctx, src, turn)
		}
		newSignal().wait(ctx, nil, followEvery)
	}
	return ctx.Err()
}

// numberDue numbers changes as they are written: those who open the database
// only to read cannot do it for themselves.
func (m *Mirror) numberDue(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := m.number(ctx); err != nil {
			return err
		}
		newSignal().wait(ctx, nil, followEvery)
	}
	return nil
}

// errTurnOver ends a refresh whose source another process refreshes by now.
var errTurnOver = errors.New("jobmirror: another process refreshes the source")

// refreshLeased refreshes a source in a turn that has begun, and keeps its lease.
func (m *Mirror) refreshLeased(ctx context.Context, src *source, turn turn) error {
	held, letGo := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		letGo(m.keepLease(held, src, turn))
	}()
	err := m.refreshIn(held, src, turn)
	cause := context.Cause(held)
	letGo(nil)
	<-ended
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // given back: the next process may begin at once
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return errors.Join(err, m.db.update(last, func(t *tx) error {
			_, err := t.exec("UPDATE sources SET claimed = 0 WHERE id = ? AND generation = ?", src.id, turn.generation)
			return err
		}))
	}
	if cause != nil {
		return cause
	}
	return err
}

// keepLease renews a source's lease until ctx ends, the turn is another's, or
// the database was away for longer than the lease.
func (m *Mirror) keepLease(ctx context.Context, src *source, turn turn) error {
	for renewed := time.Now(); ; {
		newSignal().wait(ctx, nil, sourceLease/3)
		if ctx.Err() != nil {
			return nil
		}
		one, cancel := context.WithTimeout(ctx, sourceLease/3)
		var rows int64
		err := m.db.update(one, func(t *tx) (err error) {
			rows, err = t.exec("UPDATE sources SET claimed = ? WHERE id = ? AND generation = ?", t.now+sourceLease.Milliseconds(), src.id, turn.generation)
			return err
		})
		cancel()
		switch {
		case err == nil && rows == 0:
			return errTurnOver
		case err == nil:
			renewed = time.Now()
		case time.Since(renewed) > sourceLease:
			return fmt.Errorf("jobmirror: the lease of %s: %w", src.cause(), err)
		}
	}
}

// crew is what a process does that shares a mirror with others.
type crew struct {
	m      *Mirror
	client *river.Client[pgx.Tx]
	halt   context.Context // ends when this process is to begin nothing more
	ended  signal          // a batch or a refresh has ended
}

// joinFleet takes part in a mirror's work until ctx ends or the database does
// not answer any more.
func joinFleet(ctx context.Context, m *Mirror) error {
	ready, err := m.riverReady(ctx)
	if err != nil {
		return err
	}
	if !ready {
		return fmt.Errorf("%w: River's tables are missing; Migrate, or jobboard-mirror migrate, makes them", ErrNoSchema)
	}
	pool, err := riverPool(ctx, m.address)
	if err != nil {
		return err
	}
	defer func() { go pool.Close() }() // it waits for connections, and one may have stalled
	halt, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &crew{m: m, halt: halt, ended: newSignal()}
	if f.client, err = river.NewClient(riverpgxv5.New(pool), f.config()); err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	if err := f.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("jobmirror: %w", withoutAddress(err))
	}
	err = f.attend(ctx)
	cancel()
	return errorsJoin(err, f.stop(ctx))
}

func (f *crew) config() *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, &lookUpWorker{crew: f})
	river.AddWorker(workers, &refreshWorker{crew: f})
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[planArgs]) error {
		return f.plan(ctx)
	}))
	return &river.Config{
		Logger:  slog.New(warnings{f.m.opts.Logger.Handler()}),
		Workers: workers,
		Queues: map[string]river.QueueConfig{
			queueLookups: {MaxWorkers: batchWorkers}, queueRefresh: {MaxWorkers: refreshWorkers}, queuePlan: {MaxWorkers: 1},
		},
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(f.m.planEvery()),
			func() (river.JobArgs, *river.InsertOpts) {
				return planArgs{}, &river.InsertOpts{Queue: queuePlan, MaxAttempts: 1}
			},
			&river.PeriodicJobOpts{RunOnStart: true})},
		JobTimeout:                  batchTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		RetryPolicy:                 retries{},
		FetchPollInterval:           pollEvery,
		PollOnly:                    true, // works behind every proxy, and has no connection that could fall silent
		CompletedJobRetentionPeriod: keepDone,
	}
}

// planEvery is how often the fleet looks for what is due.
func (m *Mirror) planEvery() time.Duration {
	return max(min(time.Minute, m.opts.RefreshEvery, m.opts.LookupEvery), time.Second)
}

// warnings leaves out what River logs below the level of a warning.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// attend inserts what is due when the process begins and whenever there may be
// more, until ctx ends. The minute's plan finds the rest. Its error says that
// the database has not answered for a while.
func (f *crew) attend(ctx context.Context) error {
	const checkEvery = 5 * time.Second
	misses := 0
	for ctx.Err() == nil {
		once, cancel := context.WithTimeout(ctx, checkEvery)
		err := f.plan(once)
		cancel()
		switch {
		case err == nil:
			misses = 0
		case ctx.Err() != nil:
			return nil
		default:
			if misses++; misses == 3 {
				return err
			}
			newSignal().wait(ctx, nil, time.Second)
			continue
		}
		f.m.jobsDue.wait(ctx, f.ended, checkEvery)
		newSignal().wait(ctx, nil, 50*time.Millisecond) // more of them may come at once
	}
	return nil
}

// stop lets jobs end: those that are under way get a few seconds.
func (f *crew) stop(ctx context.Context) error {
	soft, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime+2*time.Second)
	defer cancel()
	err := f.client.Stop(soft)
	if err == nil {
		return nil
	}
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := f.client.StopAndCancel(hard); err != nil {
		return fmt.Errorf("jobmirror: work did not end in time; others take it over: %w", err)
	}
	return nil
}

// plan inserts the sources that are due, and batches of jobs that are due, as
// many as are soon worked on.
func (f *crew) plan(ctx context.Context) error {
	if f.halt.Err() != nil {
		return nil
	}
	return f.m.db.update(ctx, func(t *tx) error {
		work, err := t.dueSources(f.m.sources)
		if err != nil {
			return err
		}
		var waiting int
		err = t.row("SELECT count(*) FROM river_job WHERE state = 'available' AND queue = ?", []any{queueLookups}, &waiting)
		if err != nil {
			return err
		}
		for ; waiting < batchesAhead; waiting++ {
			batch, jobs, err := t.reserve(f.m.batchSize())
			if err != nil {
				return err
			}
			if len(jobs) == 0 {
				break
			}
			work = append(work, river.InsertManyParams{
				Args: lookUpArgs{Batch: batch, Jobs: jobs}, InsertOpts: &river.InsertOpts{Queue: queueLookups},
			})
		}
		if len(work) == 0 {
			return nil
		}
		return t.pgxTx(func(tx pgx.Tx) error {
			_, err := f.client.InsertManyTx(t.ctx, tx, work)
			return err
		})
	})
}

// dueSources are the refreshes of sources that are due, by the database's clock.
// A refresh that died holds no other one up: the next has another generation
// before it, and so other arguments.
func (t *tx) dueSources(sources []*source) (due []river.InsertManyParams, err error) {
	list := make([]int64, len(sources))
	for i, s := range sources {
		list[i] = s.id
	}
	found := 0
	err = t.rows("SELECT id, generation, next_due <= ? AND claimed <= ? FROM sources WHERE id IN @ids", []any{t.now, t.now, ids(list)},
		func(scan func(...any) error) error {
			var (
				args refreshArgs
				now  bool
			)
			err := scan(&args.Source, &args.After, &now)
			if found++; now {
				due = append(due, river.InsertManyParams{Args: args, InsertOpts: &river.InsertOpts{
					Queue: queueRefresh, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished},
				}})
			}
			return err
		})
	if err == nil && found < len(sources) { // another process retired some
		err = t.name(sources)
	}
	return due, err
}

// refreshWorker refreshes sources.
type refreshWorker struct {
	river.WorkerDefaults[refreshArgs]
	*crew
}

// Timeout is longer than River's for a batch: a large channel takes its time.
func (*refreshWorker) Timeout(*river.Job[refreshArgs]) time.Duration { return refreshLimit }

func (w *refreshWorker) Work(ctx context.Context, job *river.Job[refreshArgs]) error {
	defer w.ended.raise()
	src := w.m.sourceOf(job.Args.Source)
	if src == nil {
		return nil // another process has other options; it inserts the source again
	}
	turn, begun, err := w.m.beginAfter(ctx, src, job.Args.After)
	if err != nil || !begun {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.halt, cancel)()
	if err := w.m.refreshLeased(ctx, src, turn); err != nil && ctx.Err() == nil {
		w.m.opts.Logger.WarnContext(ctx, "jobmirror: refresh", "source", src.cause(), "error", problem(err))
	}
	return nil // what failed is noted with the source, which is due again
}

func (m *Mirror) sourceOf(id int64) *source {
	for _, s := range m.sources {
		if s.id == id {
			return s
		}
	}
	return nil
}

// beginAfter opens a generation of a source, unless it has another one by now
// than the one that was its last, or another process is at it.
func (m *Mirror) beginAfter(ctx context.Context, src *source, after int64) (out turn, begun bool, err error) {
	err = m.db.update(ctx, func(t *tx) error {
		var generation, claimed int64
		begun = false
		if err := t.name([]*source{src}); err != nil {
			return err
		}
		err := t.row("SELECT generation, claimed FROM sources WHERE id = ? @lock", []any{src.id}, &generation, &claimed)
		if err != nil || generation != after || claimed > t.now {
			return err
		}
		begun = true
		out, err = t.begin(src, t.now+sourceLease.Milliseconds())
		return err
	})
	return out, begun, err
}

// lookUpWorker looks up the jobs of batches.
type lookUpWorker struct {
	river.WorkerDefaults[lookUpArgs]
	*crew
}

func (w *lookUpWorker) Work(ctx context.Context, job *river.Job[lookUpArgs]) error {
	defer w.ended.raise()
	jobs, err := w.m.take(ctx, job.Args)
	if err != nil {
		return err
	}
	done := false
	l := &lookups{
		jobs: jobs, concurrency: (w.m.opts.Concurrency + batchWorkers - 1) / batchWorkers,
		handedOut: func() {}, written: func([]lookedUp) {},
		finish: func(t *tx) (err error) {
			done, err = complete(t, job)
			return err
		},
	}
	if len(jobs) == 0 {
		err = w.m.db.update(ctx, l.finish)
	} else {
		err = w.lookUp(ctx, l)
	}
	if err != nil || done {
		return err
	}
	mine := false
	err = w.m.db.update(context.WithoutCancel(ctx), func(t *tx) error {
		mine, err = t.isMine(job.JobRow)
		return err
	})
	switch {
	case err != nil:
		return err
	case !mine:
		return errNotMine{}
	}
	return river.JobSnooze(0) // out of time, or given back
}

// lookUp looks up a batch within its time, and within seconds once the process
// is told to end.
func (w *lookUpWorker) lookUp(ctx context.Context, l *lookups) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lookUpTime, errOutOfTime)
	defer cancel()
	ctx, end := context.WithCancel(ctx)
	defer end()
	until, stop := context.WithTimeout(w.halt, handOutTime)
	defer stop()
	defer context.AfterFunc(w.halt, func() {
		newSignal().wait(ctx, nil, stopTime)
		end()
	})()
	l.until = until
	return w.m.lookUp(ctx, l)
}
