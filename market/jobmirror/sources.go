package jobmirror

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// named returns the sources of the options. They are not changed: where another
// process has retired one, enter puts one with another identifier in its place.
func (m *Mirror) named() []*source {
	m.naming.Lock()
	defer m.naming.Unlock()
	return m.sources
}

// Languages returns the languages in which this process copies its channels, each once; "" stands for the
// language that the board chooses. The list is empty for a process that names no channel, such as one
// that only reads.
func (m *Mirror) Languages() (languages []string) {
	for _, s := range m.named() {
		if s.Kind == sources.Channel && !slices.Contains(languages, s.Language) {
			languages = append(languages, s.Language)
		}
	}
	return languages
}

// StoredLanguages returns the languages in which the database has channels, whichever process copies them, as
// Languages does.
func (m *Mirror) StoredLanguages(ctx context.Context) ([]string, error) {
	return fromView(ctx, m.db, func(t *tx) ([]string, error) { return sources.Languages(t.Tx) })
}

// enter gives the sources of the options their rows, and notes that a process
// names them.
func (m *Mirror) enter(ctx context.Context) error {
	entered, err := fromUpdate(ctx, m.db, func(t *tx) (entered []*source, err error) {
		for _, s := range m.named() {
			one := *s
			if err := sources.Enter(t.Tx, &one.Source); err != nil {
				return nil, err
			}
			entered = append(entered, &one)
		}
		return entered, nil
	})
	if err != nil {
		return err
	}
	m.naming.Lock()
	defer m.naming.Unlock()
	m.sources = entered
	return nil
}

// sourceIDs returns the argument for @ids that names sources.
func sourceIDs(named []*source) string {
	return store.IDsOf(named, func(s *source) int64 { return s.ID })
}

// RemoveSources removes the sources that Options does not name, with what only they show, at
// once. Each posting that goes is a change in the log; jobs that nothing names any more are
// looked up. Without RemoveSources they go after Options.KeepSources.
//
// A process that still runs and names one of them copies it anew.
func (m *Mirror) RemoveSources(ctx context.Context) error {
	if err := m.writes(); err != nil {
		return err
	}
	if len(m.named()) == 0 {
		return errors.New("jobmirror: the options name no source, so there is none to stay")
	}
	return m.retire(ctx, true)
}

// keepEmpty is Options.KeepSources for a source that has nothing and never had, such as one
// whose name was mended. As long as the source exists, a job unknown to the copy may be one of
// its jobs.
const keepEmpty = 24 * time.Hour

// retire says once more which sources this process names, and removes others: with now every
// other source, otherwise those that no process has named for Options.KeepSources.
func (m *Mirror) retire(ctx context.Context, now bool) error {
	if len(m.named()) == 0 {
		return nil
	}
	if err := m.enter(ctx); err != nil || m.opts.KeepSources < 0 && !now {
		return err
	}
	retired, err := fromView(ctx, m.db, func(t *tx) ([]*sources.Source, error) {
		if now {
			return sources.Others(t.Tx, sourceIDs(m.named()))
		}
		since, emptySince := t.Now-m.opts.KeepSources.Milliseconds(), t.Now-keepEmpty.Milliseconds()
		return sources.Unnamed(t.Tx, since, emptySince, sourceIDs(m.named()))
	})
	if err != nil || len(retired) == 0 {
		return err
	}
	for _, s := range retired {
		if err := m.removeSource(ctx, s); err != nil {
			return err
		}
		m.opts.Logger.InfoContext(ctx, "jobmirror: a source that no process names was removed", "source", s.Cause())
	}
	return nil
}

// removeSource removes a source with everything that it showed, as a refresh
// would that sees nothing. It stops where a process begins to refresh the source
// meanwhile.
func (m *Mirror) removeSource(ctx context.Context, s *sources.Source) error {
	turn, err := fromUpdate(ctx, m.db, func(t *tx) (turn, error) {
		out, err := t.begin(s, "")
		if err == nil {
			err = t.listing(s).GoAll()
		}
		return out, err
	})
	if err != nil {
		return err
	}
	if err := m.drop(ctx, s, turn); err != nil {
		return err
	}
	return m.db.update(ctx, func(t *tx) error {
		if isLast, err := turn.IsLast(t.Tx); err != nil || !isLast {
			return err
		}
		if err := t.listing(s).End(); err != nil {
			return err
		}
		return sources.Remove(t.Tx, s.ID)
	})
}
