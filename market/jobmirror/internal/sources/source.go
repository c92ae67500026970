package sources

import (
	"database/sql"
	"errors"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The kinds of sources.
const (
	Channel = "channel"
	Feed    = "feed"
)

// Source is what is refreshed at a time: a channel in one language, or a feed.
type Source struct {
	ID       int64  // of its row; 0: it has not been entered
	Kind     string // Channel or Feed
	Name     string // the channel's identifier, or the feed's name
	Language string // in which a channel is asked for; empty: the board chooses, or it is a feed
}

// Cause returns the cause of a change that a refresh of the source makes.
func (s *Source) Cause() string {
	if s.Language != "" {
		return s.Kind + " " + s.Name + " " + s.Language
	}
	return s.Kind + " " + s.Name
}

// Key returns the source without the number of its row: sources with equal keys are the same.
func (s *Source) Key() Source {
	key := *s
	key.ID = 0
	return key
}

// Enter notes that a process names a source, and sets its ID. A source without a row gets one, and is due
// at once.
func Enter(t *store.Tx, s *Source) error {
	key := []any{s.Kind, s.Name, s.Language}
	err := t.Row("UPDATE sources SET named = ? WHERE kind = ? AND name = ? AND language = ? RETURNING id",
		append([]any{t.Now}, key...), &s.ID)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if s.ID, err = t.Next(rows); err != nil {
		return err
	}
	_, err = t.Exec("INSERT INTO sources (named, next_due, kind, name, language, id) VALUES (?, ?, ?, ?, ?, ?)",
		append(append([]any{t.Now, t.Now}, key...), s.ID)...)
	return err
}

// columns are the columns that Source.columns reads.
const columns = "id, kind, name, language"

func (s *Source) columns() []any {
	return []any{&s.ID, &s.Kind, &s.Name, &s.Language}
}

// where reads the sources that a condition selects, in the order in which processes first named them.
func where(t *store.Tx, condition string, args ...any) (list []*Source, err error) {
	query := "SELECT " + columns + " FROM sources WHERE " + condition + " ORDER BY id"
	err = t.Rows(query, args, func(scan func(...any) error) error {
		s := &Source{}
		list = append(list, s)
		return scan(s.columns()...)
	})
	return list, err
}

// All reads all sources.
func All(t *store.Tx) ([]*Source, error) { return where(t, "1 = 1") }

// WithIDs reads those of some sources that have a row. ids is a list as store.IDs writes it.
func WithIDs(t *store.Tx, ids string) ([]*Source, error) { return where(t, "id IN @ids", ids) }

// Others reads the sources without those with some identifiers.
func Others(t *store.Tx, ids string) ([]*Source, error) { return where(t, "id NOT IN @ids", ids) }

// Unnamed reads the sources that no process has named since a time, and those without a row of a posting or
// an entry, of which no refresh was ever complete, that no process has named since another time. Those with
// some identifiers are left out.
func Unnamed(t *store.Tx, since, emptySince int64, ids string) ([]*Source, error) {
	return where(t, `(named < ? OR named < ? AND complete = 0
		AND NOT EXISTS (SELECT 1 FROM listings WHERE source = sources.id)
		AND NOT EXISTS (SELECT 1 FROM entries WHERE source = sources.id)) AND id NOT IN @ids`, since, emptySince, ids)
}

// Languages returns the languages in which channels are copied, each once.
func Languages(t *store.Tx) (languages []string, err error) {
	const query = "SELECT DISTINCT language FROM sources WHERE kind = 'channel' ORDER BY language"
	err = t.Rows(query, nil, func(scan func(...any) error) error {
		var language string
		err := scan(&language)
		languages = append(languages, language)
		return err
	})
	return languages, err
}

// Lock waits for a transaction that writes what a source shows, and keeps others from doing so until this
// one ends.
func Lock(t *store.Tx, source int64) error {
	_, err := t.Numbers("SELECT id FROM sources WHERE id = ? @lock", source)
	return err
}

// LockAll does what Lock does for all sources.
func LockAll(t *store.Tx) error {
	_, err := t.Numbers("SELECT id FROM sources ORDER BY id @lock")
	return err
}

// Remove removes the row of a source.
func Remove(t *store.Tx, source int64) error {
	_, err := t.Exec("DELETE FROM sources WHERE id = ?", source)
	return err
}
