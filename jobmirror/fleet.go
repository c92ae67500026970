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

// Processes that share a mirror on PostgreSQL get their work from River.
const (
	handOutTime  = 10 * time.Second // of a batch: later no more lookups are begun
	lookUpTime   = 13 * time.Second // of a batch: later none is waited for
	maxBatch     = 500
	batchesAhead = 8               // that wait for a process with time for them
	stopTime     = 2 * time.Second // for lookups under way when a process is told to end
)

// batchSize is how many jobs a batch has: not more than the limit lets through
// in a few seconds.
func (m *Mirror) batchSize() int {
	if m.opts.Limit <= 0 {
		return maxBatch
	}
	return int(min(max(2*m.opts.Limit, 20), maxBatch))
}

// crew does a process's share of the work of a fleet.
type crew struct {
	m      *Mirror
	client *river.Client[pgx.Tx]
	halt   context.Context // ends when this process is to begin nothing more
	ended  signal          // a batch or a refresh has ended
}

// joinFleet takes part in a mirror's work until ctx ends or the database does
// not answer any more.
func (m *Mirror) joinFleet(ctx context.Context) error {
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
	return errors.Join(err, f.stop(ctx))
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
			rest(ctx, time.Second)
			continue
		}
		f.m.jobsDue.wait(ctx, f.ended, checkEvery)
		rest(ctx, 50*time.Millisecond) // more of them may come at once
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
	due, err := f.m.dueSources(ctx)
	if err != nil {
		return err
	}
	return f.m.db.update(ctx, func(t *tx) error {
		var work []river.InsertManyParams
		for _, s := range due {
			// A refresh that died holds no other one up: the next has another
			// generation before it, and so other arguments.
			work = append(work, river.InsertManyParams{Args: s, InsertOpts: &river.InsertOpts{
				Queue: queueRefresh, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished},
			}})
		}
		waiting, err := value[int](t, "SELECT count(*) FROM river_job WHERE state = 'available' AND queue = ?", queueLookups)
		if err != nil {
			return err
		}
		for ; waiting < batchesAhead; waiting++ {
			batch, err := t.reserve(f.m.batchSize())
			if err != nil {
				return err
			}
			if len(batch.Jobs) == 0 {
				break
			}
			work = append(work, river.InsertManyParams{Args: batch, InsertOpts: &river.InsertOpts{Queue: queueLookups}})
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

// refreshWorker refreshes sources.
type refreshWorker struct {
	river.WorkerDefaults[dueSource]
	*crew
}

// Timeout is longer than River's for a batch: a large channel takes its time.
func (*refreshWorker) Timeout(*river.Job[dueSource]) time.Duration { return refreshLimit }

func (w *refreshWorker) Work(ctx context.Context, job *river.Job[dueSource]) error {
	defer w.ended.raise()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.halt, cancel)()
	return w.m.refreshAfter(ctx, job.Args)
}

// lookUpWorker looks up the jobs of batches.
type lookUpWorker struct {
	river.WorkerDefaults[batch]
	*crew
}

func (w *lookUpWorker) Work(ctx context.Context, job *river.Job[batch]) error {
	defer w.ended.raise()
	left, err := w.m.renew(ctx, job.Args)
	if err != nil {
		return err
	}
	done := false
	l := &lookups{
		batch:       batch{job.Args.Batch, left},
		concurrency: (w.m.opts.Concurrency + batchWorkers - 1) / batchWorkers,
		handedOut:   func() {}, written: func(int) {},
		finish: func(t *tx) (err error) {
			done, err = complete(t, job)
			return err
		},
	}
	if len(left) == 0 {
		err = w.m.db.update(ctx, l.finish)
	} else {
		err = w.lookUp(ctx, l)
	}
	if err != nil || done {
		return err
	}
	mine, err := fromUpdate(context.WithoutCancel(ctx), w.m.db, func(t *tx) (bool, error) { return t.isMine(job.JobRow) })
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
		rest(ctx, stopTime)
		end()
	})()
	l.until = until
	return w.m.lookUp(ctx, l)
}
