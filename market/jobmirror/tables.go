package jobmirror

import (
	"context"
	"embed"
	"fmt"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

//go:embed schema
var schemaFiles embed.FS

// schema says which tables a mirror has.
func schema() store.Schema {
	read := func(name string) string {
		text, err := schemaFiles.ReadFile("schema/" + name + ".sql")
		if err != nil {
			panic(err) // it is part of the program
		}
		return string(text)
	}
	s := store.Schema{
		Program: "jobmirror", Version: 1, Tables: read("tables"),
		Own: map[string]string{"sqlite": read("sqlite"), "postgres": read("postgres")},
	}
	changelog.AddTables(&s)
	sources.AddTables(&s)
	listings.AddTables(&s)
	lookups.AddTables(&s)
	search.AddTables(&s)
	return s
}

// Errors of Open.
var (
	// ErrNotMirror reports that the database belongs to another program, or is none, or that
	// its tables were made before the first release.
	ErrNotMirror = store.ErrNotMirror
	// ErrNewer reports that a newer version of this package changed the database in a way
	// that this one does not understand.
	ErrNewer = store.ErrNewer
	// ErrNoSchema reports that the database has no tables yet, or older ones, and was
	// opened only to read or without the right to make them.
	ErrNoSchema = store.ErrNoSchema
)

// Migrate sets up the tables of the mirror at an address, or brings them up to
// this version's. Open does the same. Migrate is
// for a role that may create tables, so that the one that runs the mirror need
// not. Programs of an older version may run meanwhile.
func Migrate(ctx context.Context, address string) error {
	m, err := Open(ctx, address, Options{})
	if err != nil {
		return err
	}
	return m.Close()
}

// database is a store with the tables of a mirror.
type database struct {
	*store.DB
	address string
	secret  string // with which bytes of postings are hashed; see rawHash
	search  *search.Index
	log     *changelog.Log

	// Commits of this process raise these.
	jobsDue   signal // wakes lookUpDue: there may be jobs to look up
	unindexed signal // wakes Mirror.index: there may be postings to index
}

// tx is a transaction in progress.
type tx struct {
	*store.Tx
	db *database

	log     *changelog.Writer // nil where the transaction only reads
	lookups *lookups.Writer   // likewise

	unindexed indexList // the postings to index
}

// listing returns what a source shows.
func (t *tx) listing(s *sources.Source) *listings.Writer {
	return listings.NewWriter(t.Tx, s.Kind, s.ID)
}

// update runs f in a transaction that writes. It is repeated when the database
// chose it as the victim of a deadlock, so f must not change anything else.
func (db *database) update(ctx context.Context, f func(*tx) error) error {
	if db == nil {
		return errNotOpened
	}
	var t *tx
	err := db.Update(ctx, func(in *store.Tx) error {
		log := db.log.Writer(in)
		t = &tx{Tx: in, db: db, log: log, lookups: lookups.NewWriter(in, log), unindexed: indexList{Tx: in}}
		if err := f(t); err != nil {
			return err
		}
		return t.log.End()
	})
	if err != nil {
		return err
	}
	if t.lookups.Due {
		db.jobsDue.raise()
	}
	if t.unindexed.due {
		db.unindexed.raise()
	}
	return nil
}

// updateLate runs f as update does, though ctx may just have ended. A server that is started
// anew is waited for, and the writer of SQLite for as long as it takes.
func (db *database) updateLate(ctx context.Context, f func(*tx) error) error {
	ctx, cancel := outlast(ctx, giveBackTime)
	defer cancel()
	if db.Shared {
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
	}
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		err := db.update(ctx, f)
		if err == nil || !store.IsOutage(err) || ctx.Err() != nil {
			return err
		}
		rest(ctx, wait)
	}
}

// updateAll runs f in one transaction after another, as update does, until f reports that
// nothing is left.
func (db *database) updateAll(ctx context.Context, f func(*tx) (more bool, err error)) error {
	for {
		more, err := fromUpdate(ctx, db, f)
		if err != nil || !more {
			return err
		}
	}
}

// view runs f in a transaction that reads one state of the database.
func (db *database) view(ctx context.Context, f func(*tx) error) error {
	if db == nil {
		return errNotOpened
	}
	return db.View(ctx, func(in *store.Tx) error { return f(&tx{Tx: in, db: db}) })
}

// fromUpdate returns what f returns in a transaction that writes, as update runs it.
func fromUpdate[T any](ctx context.Context, db *database, f func(*tx) (T, error)) (T, error) {
	return result(ctx, db.update, f)
}

// fromView returns what f returns in a transaction that reads, as view runs it.
func fromView[T any](ctx context.Context, db *database, f func(*tx) (T, error)) (T, error) {
	return result(ctx, db.view, f)
}

// result returns what f returns in a transaction, and the zero value where that fails.
func result[T any](
	ctx context.Context, transact func(context.Context, func(*tx) error) error, f func(*tx) (T, error),
) (out T, err error) {
	err = transact(ctx, func(t *tx) (err error) {
		out, err = f(t)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return out, nil
}

// flag returns what a column has for a truth: 1 or 0.
func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

// instant returns the time of a column; 0 is the zero time.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// instantColumn reads a time from its column.
type instantColumn struct{ *time.Time }

func (c instantColumn) Scan(ms any) error {
	n, ok := ms.(int64)
	if !ok {
		return fmt.Errorf("jobmirror: a time of type %T", ms)
	}
	*c.Time = instant(n)
	return nil
}
