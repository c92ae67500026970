package jobmirror

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// isSource is the condition for the row of a source, with the arguments of source.key.
const isSource = "kind = ? AND name = ? AND language = ? AND search = ? AND geo = ?"

func (s *source) key() []any { return []any{s.kind, s.name, s.language, s.text, s.near.String()} }

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
		if s.kind == listings.Channel && !slices.Contains(languages, s.language) {
			languages = append(languages, s.language)
		}
	}
	return languages
}

// StoredLanguages returns the languages in which the database has channels, whichever process copies them, as
// Languages does.
func (m *Mirror) StoredLanguages(ctx context.Context) ([]string, error) {
	return fromView(ctx, m.db, func(t *tx) (languages []string, err error) {
		const query = "SELECT DISTINCT language FROM sources WHERE kind = 'channel' ORDER BY language"
		err = t.Rows(query, nil, func(scan func(...any) error) error {
			var language string
			err := scan(&language)
			languages = append(languages, language)
			return err
		})
		return languages, err
	})
}

// enter gives the sources of the options their rows, and notes that a process
// names them.
func (m *Mirror) enter(ctx context.Context) error {
	entered, err := fromUpdate(ctx, m.db, func(t *tx) (entered []*source, err error) {
		for _, s := range m.named() {
			one := *s
			if err := t.enter(&one); err != nil {
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

func (t *tx) enter(s *source) error {
	err := t.Row("UPDATE sources SET named = ? WHERE "+isSource+" RETURNING id", append([]any{t.Now}, s.key()...), &s.id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if s.id, err = t.Next(sourceRows); err != nil {
		return err
	}
	_, err = t.Exec("INSERT INTO sources (named, next_due, kind, name, language, search, geo, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		append(append([]any{t.Now, t.Now}, s.key()...), s.id)...)
	return err
}

// sourceColumns are the columns that source.columns reads.
const sourceColumns = "id, kind, name, language, search, geo"

func (s *source) columns() []any {
	return []any{&s.id, &s.kind, &s.name, &s.language, &s.text, circleColumn{&s.near}}
}

// sources reads the sources that a condition selects.
func (t *tx) sources(condition string, args ...any) (out []*source, err error) {
	query := "SELECT " + sourceColumns + " FROM sources WHERE " + condition + " ORDER BY id"
	err = t.Rows(query, args, func(scan func(...any) error) error {
		s := &source{}
		out = append(out, s)
		return scan(s.columns()...)
	})
	return out, err
}

// sourceIDs returns the argument for @ids that names sources.
func sourceIDs(sources []*source) string {
	return store.IDsOf(sources, func(s *source) int64 { return s.id })
}

// RemoveSources removes the sources that Options does not name, with what only they show, at
// once. Each posting that goes is a change in the log; jobs that nothing names any more are
// looked up. Without a call of RemoveSources they go by themselves, Options.KeepSources after
// the last process that names them; see Options.KeepSources.
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
	retired, err := fromView(ctx, m.db, func(t *tx) ([]*source, error) {
		before := t.Now - m.opts.KeepSources.Milliseconds()
		if now {
			before = math.MaxInt64
		}
		return t.sources(`(named < ? OR named < ? AND complete = 0
			AND NOT EXISTS (SELECT 1 FROM listings WHERE source = sources.id)
			AND NOT EXISTS (SELECT 1 FROM entries WHERE source = sources.id)) AND id NOT IN @ids`,
			before, t.Now-keepEmpty.Milliseconds(), sourceIDs(m.named()))
	})
	if err != nil || len(retired) == 0 {
		return err
	}
	for _, s := range retired {
		if err := m.removeSource(ctx, s); err != nil {
			return err
		}
		m.opts.Logger.InfoContext(ctx, "jobmirror: no process names this source any more", "source", s.cause())
	}
	return nil
}

// removeSource removes a source with everything that it showed, as a refresh
// would that sees nothing. It stops where a process begins to refresh the source
// meanwhile.
func (m *Mirror) removeSource(ctx context.Context, s *source) error {
	turn, err := fromUpdate(ctx, m.db, func(t *tx) (turn, error) {
		out, err := t.begin(s, "")
		if err == nil {
			err = t.listing(s).End()
		}
		return out, err
	})
	if err != nil {
		return err
	}
	if err := (&refresher{m, s, turn}).drop(ctx); err != nil {
		return err
	}
	return m.db.update(ctx, func(t *tx) error {
		r := t.refreshing(s, turn)
		if current, err := r.stillTurn(); err != nil || !current {
			return err
		}
		if err := r.endLowerVersions(); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM losses WHERE source = ?", s.id); err != nil {
			return err
		}
		_, err := t.Exec("DELETE FROM sources WHERE id = ?", s.id)
		return err
	})
}
