package jobmirror

import (
	"context"
	"errors"
	"maps"
	"os"
	ossignal "os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/pace"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Databases are the addresses of new, empty databases, one of each kind.
var Databases = map[string]func(t *testing.T) string{
	"sqlite": func(t *testing.T) string { return filepath.Join(t.TempDir(), "jobs.db") },
}

// OnEach runs a test beside other tests: on SQLite, and at night on each database. The statements are written once
// for both, and the tests of the packages that keep tables run them on both. Tests that use the
// process's directory or its processor time must not run with it.
func OnEach(t *testing.T, f func(t *testing.T, address string)) {
	t.Helper()
	if testenv.Night() {
		OnBoth(t, f)
		return
	}
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { f(t, Databases["sqlite"](t)) })
}

// OnBoth runs a test on each database at the same time, beside other tests, because PostgreSQL does something else
// there: several processes, leases, numbers, grants, types, plans, a clock of its own.
func OnBoth(t *testing.T, f func(t *testing.T, address string)) {
	t.Helper()
	t.Parallel()
	onDatabases(t, true, f)
}

// OnEachMeasured runs a test that tells how fast something is: on each database in turn, and beside no
// other test, where JOBBOARD_TESTS asks for all; else on one of them, chosen by a seed.
func OnEachMeasured(t *testing.T, f func(t *testing.T, address string)) {
	t.Helper()
	if testenv.Whole() {
		onDatabases(t, false, f)
		return
	}
	t.Parallel()
	names := slices.Sorted(maps.Keys(Databases))
	name := names[testenv.Seed(t)%uint64(len(names))]
	t.Run(name, func(t *testing.T) { f(t, Databases[name](t)) })
}

func onDatabases(t *testing.T, parallel bool, f func(t *testing.T, address string)) {
	t.Helper()
	for name, address := range Databases {
		t.Run(name, func(t *testing.T) {
			if parallel {
				t.Parallel()
			}
			f(t, address(t))
		})
	}
}

// Limited gives a client's configuration the limit of the mirror at an address,
// without a mirror that works. The process's clock is wrong by skew.
func Limited(
	ctx context.Context, address string, perSecond float64, skew time.Duration, config jobboard.Config,
) (limited jobboard.Config, stop func() error, err error) {
	db, err := open(ctx, address, false)
	if err != nil {
		return config, nil, err
	}
	l := pace.New(perSecond, func() time.Time { return time.Now().Add(skew) })
	if err := db.view(ctx, func(t *tx) error { return givePace(t, l) }); err != nil {
		return config, nil, errors.Join(err, db.Close())
	}
	config.Limiter, config.Observer = l, l.Observer(config.Observer)
	return config, func() error {
		l.Close()
		return db.Close()
	}, nil
}

// MigrateLater migrates a mirror's database as a later version would, which has more statements. Each is a transaction of its
// own.
func MigrateLater(ctx context.Context, m *Mirror, statements string) error {
	for statement := range strings.SplitSeq(statements+"INSERT INTO mirror_versions (version_id, is_applied) VALUES (2, true)", ";\n") {
		if err := Exec(ctx, m, statement); err != nil {
			return err
		}
	}
	return nil
}

// Exec runs a statement in a mirror's database.
func Exec(ctx context.Context, m *Mirror, statement string) error {
	return m.db.update(ctx, func(t *tx) error {
		_, err := t.Exec(statement)
		return err
	})
}

// Ask reads the one row of a query in a mirror's database.
func Ask(ctx context.Context, m *Mirror, query string, dest ...any) error {
	return m.db.Ask(ctx, query, nil, dest...)
}

// StopNumbered writes a change in a transaction, and stops the process before the commit, when the change has its
// number. It returns an error if the transaction was undone meanwhile.
func StopNumbered(ctx context.Context, address string) error {
	db, err := open(ctx, address, false)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	return db.Update(ctx, func(in *store.Tx) error {
		w := db.log.Writer(in)
		w.Append(changelog.Change{Kind: string(ChangeJob), ID: 1, Cause: "stopped"})
		if err := w.End(); err != nil {
			panic(err)
		}
		if _, err := in.Numbers("SELECT number FROM changes"); err != nil { // which sends what is kept
			panic(err)
		}
		goesOn := make(chan os.Signal, 1)
		ossignal.Notify(goesOn, syscall.SIGCONT)
		err := syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		<-goesOn
		return err
	})
}

// FailStatements has a function say of each statement of a mirror whether it fails.
func FailStatements(m *Mirror, f func(query string) error) { m.db.Fail = f }

// itemsOf returns postings of whose bytes nothing is known.
func itemsOf(postings ...*jobboard.JobPosting) (items []channelItem) {
	for _, p := range postings {
		items = append(items, channelItem{p, 0})
	}
	return items
}

// CopyOne copies a posting whose link names a job, as a refresh of a mirror's first
// source does, and calls f before that is committed.
func CopyOne(ctx context.Context, m *Mirror, posting *jobboard.JobPosting, f func()) error {
	src := m.sources[0]
	return m.db.update(ctx, func(t *tx) error {
		turn, err := t.begin(&src.Source, "")
		if err != nil {
			return err
		}
		if err := (channelTx{t.refreshing(&src.Source, turn)}).savePostings(itemsOf(posting)); err != nil {
			return err
		}
		f()
		return nil
	})
}

// Vocabulary returns the words of the table, in order, and how many rows they stand in.
func Vocabulary(ctx context.Context, m *Mirror) (list []string, rows int, err error) {
	err = m.db.view(ctx, func(t *tx) (err error) {
		return t.Rows("SELECT words FROM vocabulary", nil, func(scan func(...any) error) error {
			var words string
			err := scan(&words)
			list, rows = append(list, strings.Fields(words)...), rows+1
			return err
		})
	})
	slices.Sort(list)
	return list, rows, err
}

// Merge puts the pieces of a mirror's text index together, and returns how many there
// were before and are after it.
func Merge(ctx context.Context, m *Mirror) (before, after int, err error) {
	pieces := func(t *tx) (int, error) {
		return store.Value[int](t, "SELECT count(DISTINCT segid) FROM search_idx")
	}
	before, err = fromView(ctx, m.db, pieces)
	if err == nil {
		err = m.db.search.Merge(ctx)
	}
	if err == nil {
		after, err = fromView(ctx, m.db, pieces)
	}
	return before, after, err
}

// IndexNow brings a mirror's text index up to date.
func IndexNow(ctx context.Context, m *Mirror) error { return m.index(ctx) }

// AskHeld asks about the jobs of held rows as a process of a fleet does.
func (m *Mirror) AskHeld(ctx context.Context) error {
	w, done, err := m.start(ctx, "run")
	if err != nil {
		return err
	}
	defer done()
	return w.lookUpAllHeld(ctx)
}

// HoldWriter keeps others from writing to a mirror's database for some time.
func HoldWriter(ctx context.Context, m *Mirror, d time.Duration) error {
	return m.db.update(ctx, func(*tx) error {
		rest(ctx, d)
		return nil
	})
}

// RowsRead returns how many rows of the text index PostgreSQL reads for a search.
func RowsRead(ctx context.Context, m *Mirror, q Query) (int64, error) {
	return ofSearch(ctx, m, q, "idx_tup_fetch + seq_tup_read")
}

// TimesRead returns how many times PostgreSQL looks into an index of the text index, or reads
// it whole, for a search: once for each statement.
func TimesRead(ctx context.Context, m *Mirror, q Query) (int64, error) {
	return ofSearch(ctx, m, q, "idx_scan + seq_scan")
}

// ofSearch returns by how much a search raises a figure of PostgreSQL's about the text index.
func ofSearch(ctx context.Context, m *Mirror, q Query, figure string) (n int64, err error) {
	err = m.db.view(ctx, func(t *tx) error {
		read := func() (int64, error) {
			return store.Value[int64](t, "SELECT "+figure+" FROM pg_stat_xact_user_tables WHERE relname = 'search'")
		}
		before, err := read()
		if err != nil {
			return err
		}
		at, err := q.cursor(m.db.search.Synonyms.Sum(), t.Now)
		if err != nil {
			return err
		}
		if _, err := (searchTx{readTx{t}}).search(q, at); err != nil {
			return err
		}
		after, err := read()
		n = after - before
		return err
	})
	return n, err
}

// HashOf returns the hash of an entry's bytes.
func HashOf(raw []byte) int64 { return hash(raw) }

// Refreshed is the status after a refresh: of all sources how many rows are held, and the sources that did not
// answer whole.
type Refreshed struct {
	*Status
	Held, Unreadable int
	Partial          []SourceStatus
}

// RefreshedStatus refreshes a mirror and returns its status.
func RefreshedStatus(ctx context.Context, m *Mirror) (out Refreshed, err error) {
	if err = m.Refresh(ctx); err == nil {
		out.Status, err = m.Status(ctx)
	}
	if err != nil {
		return out, err
	}
	for _, s := range out.Sources {
		out.Held += s.Held
		out.Unreadable += s.Unreadable
		if s.Failures > 0 {
			out.Partial = append(out.Partial, s)
		}
	}
	return out, nil
}

// OptionsOf returns the options that a mirror holds.
func OptionsOf(m *Mirror) *Options { return m.opts }
