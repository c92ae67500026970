package jobmirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/evidence"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/pace"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Mirror keeps a copy of a board in a database. Several goroutines may call its
// methods at the same time.
type Mirror struct {
	// What holds secrets stands behind a pointer: fmt asks no Format for a field that is not
	// exported, and prints a pointer in it as a number.
	db     *database
	opts   *Options
	client *jobboard.Client
	limit  *pace.Limit
	ages   ages // of the answers that client gets

	naming  sync.Mutex
	sources []*source // what Options names; see named

	file    *flock.Flock // SQLite: beside the database; nil where several processes may write
	holding sync.Mutex   // also held while a call is added to working
	holders int          // calls of this process that hold file

	sourcesDue signal // wakes refreshDue: there may be sources to refresh
	heldDue    signal // wakes lookUpHeld: there may be jobs of held rows to look up

	closing sync.Once
	closed  error
	life    context.Context // ends when Close begins
	end     context.CancelCauseFunc
	working sync.WaitGroup // calls of Run and Refresh

	heard      evidence.Inquiry // what lookups said last; see answerTx.remember
	metrics    metrics
	catalogues catalogues
	copied     atomic.Int64 // postings and entries read since Open
	lookups    atomic.Int64 // lookups written since Open
}

// Errors of a mirror's methods.
var (
	// ErrReadOnly reports that the mirror was opened with Options.ReadOnly.
	ErrReadOnly = errors.New("jobmirror: opened to read only")
	// ErrLocked reports that another process runs or refreshes the mirror.
	ErrLocked = errors.New("jobmirror: another process runs this mirror")
	// ErrUnknown reports that the mirror has no such job.
	ErrUnknown error = &statusError{"jobmirror: no such job in the mirror", http.StatusNotFound}
	// ErrIncomplete reports that a source, whose copy the call needs, was never copied whole.
	ErrIncomplete error = &statusError{"jobmirror: not everything was copied whole yet", http.StatusServiceUnavailable}
	// ErrStale reports that what the mirror knows is older than Options.MaxAge allows.
	ErrStale error = &statusError{"jobmirror: the answer is too old to be given", http.StatusServiceUnavailable}
)

// statusError is an error for which a web handler has an answer.
type statusError struct {
	text   string
	status int
}

func (e *statusError) Error() string { return e.text }

// HTTPStatus returns the status that jobboard.HTTPStatus gives the error.
func (e *statusError) HTTPStatus() int { return e.status }

// Open opens the mirror at an address: the path of a file of SQLite, which it
// makes, or postgres://. It sets up the tables where they are missing. It sends
// nothing.
//
// Errors are ErrNotMirror, ErrNewer, ErrNoSchema and ErrOtherBoard, those of
// jobboard.NewClient, a jobboard.ConfigError where Config lacks an address that a source needs,
// jobboard.ErrInvalidInput with the line of a mistake in Options.Synonyms, and those of the database.
// With an error nothing has been written. The password of an address stands in no error.
func Open(ctx context.Context, address string, opts Options) (*Mirror, error) {
	opts.setDefaults()
	m := &Mirror{
		opts: &opts, limit: pace.New(opts.Limit, time.Now),
		sourcesDue: newSignal(), heldDue: newSignal(),
	}
	m.limit.Busy = func() {
		opts.Logger.Info("jobmirror: requests have waited for Options.Limit for a minute", "limit", opts.Limit)
	}
	m.life, m.end = context.WithCancelCause(context.Background())
	synonyms, err := opts.synonyms()
	if err != nil {
		return nil, err
	}
	if m.sources, err = opts.sources(); err != nil {
		return nil, err
	}
	if len(m.sources) > 0 && !opts.ReadOnly {
		if err := opts.checkAddresses(); err != nil {
			return nil, err
		}
		config := opts.Config
		config.Observer = m.limit.Observer(config.Observer)
		config.Middleware = m.ages.under(config.Middleware)
		config.Limiter = m.limit
		if own := opts.Config.Limiter; own != nil {
			config.Limiter = limiters{own, m.limit}
		}
		if m.client, err = jobboard.NewClient(config); err != nil {
			return nil, err
		}
	}
	if m.db, err = open(ctx, address, opts.ReadOnly); err != nil {
		return nil, err
	}
	m.db.search.Synonyms = synonyms
	if !m.db.Shared && !opts.ReadOnly {
		m.file = flock.New(address + ".lock")
	}
	err = m.setUp(ctx)
	if err == nil {
		err = m.measure()
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func open(ctx context.Context, address string, readOnly bool) (*database, error) {
	switch {
	case address == "":
		return nil, errors.New("jobmirror: no address of a database")
	case store.IsPostgres(address):
	case strings.Contains(address, "://"):
		scheme, _, _ := strings.Cut(address, "://")
		return nil, fmt.Errorf("jobmirror: no database is known for addresses that begin with %s://; there are paths and postgres://", scheme)
	case isServer.MatchString(address):
		// Used as a path, the address would show its password in errors and in the folder.
		return nil, errors.New("jobmirror: the address of a PostgreSQL server begins with postgres://")
	}
	db, err := store.Open(ctx, address, schema(), readOnly)
	if err != nil {
		return nil, err
	}
	d := &database{
		DB: db, address: address, log: changelog.New(db),
		jobsDue: newSignal(), unindexed: newSignal(),
	}
	d.search = search.New(db, readTexts)
	d.search.Titles = readTitles
	return d, nil
}

// isServer matches what was meant as the address of a server: host=db password=...,
// postgres:/... or postgres//... with a sign too few, or user:password@... without a scheme. C:/a@b is a path.
var isServer = regexp.MustCompile(`(?i)^["'\s]*(postgres|postgresql)(:|//)|^[^/\\]{2,}:[^\\@]*@|(^|\s)(host|dbname|password)\s*=`)

// setUp checks the tables, makes them where they are missing, and notes the
// sources.
func (m *Mirror) setUp(ctx context.Context) error {
	schema := schema()
	version, err := m.db.Version(ctx)
	if err != nil {
		return err
	}
	if version < schema.Version {
		if m.opts.ReadOnly {
			return ErrNoSchema
		}
		if err := m.migrate(ctx); err != nil {
			return err
		}
	}
	err = m.db.view(ctx, func(t *tx) error {
		err := t.Row("SELECT e.value, s.value FROM mirror e, mirror s WHERE e.name = 'epoch' AND s.name = 'secret'", nil,
			&m.db.log.Epoch, &m.db.secret)
		if errors.Is(err, sql.ErrNoRows) {
			return store.ErrUnreleased
		}
		if err != nil {
			return err
		}
		return givePace(t, m.limit)
	})
	if err != nil || m.opts.ReadOnly || len(m.sources) == 0 {
		return err
	}
	if err := m.db.update(ctx, m.opts.board().enter); err != nil {
		return err
	}
	return errors.Join(m.enter(ctx), m.db.update(ctx, m.tellFirstRate))
}

// tellFirstRate notes the limit of this process where none works that has told its own.
func (m *Mirror) tellFirstRate(t *tx) error {
	working, err := statusTx{t}.working()
	if err != nil || working > 0 {
		return err
	}
	return tellRate(t, m.opts.Limit)
}

func (m *Mirror) migrate(ctx context.Context) error {
	if m.file != nil { // on PostgreSQL the migration takes a lock of its own
		_, unlock, err := m.lock()
		if err != nil {
			return err
		}
		defer unlock()
	}
	return m.db.Migrate(ctx)
}

// Backup writes a whole copy of a SQLite mirror to a new file while it runs: a copy of the file
// alone lacks what is beside it. The backup continues the same log. Its errors are os.ErrExist
// where there is such a file, and errors.ErrUnsupported on PostgreSQL, whose own tools make
// backups.
func (m *Mirror) Backup(ctx context.Context, path string) error {
	if m.db == nil {
		return errNotOpened
	}
	return m.db.Backup(ctx, path)
}

// Close ends Run and Refresh, which return an error, waits for them, and closes the database.
// Other methods finish what they are reading; what is called or read later returns an error, for
// which jobboard.HTTPStatus is 503.
func (m *Mirror) Close() error {
	m.closing.Do(func() {
		if m.db == nil {
			return
		}
		m.holding.Lock()
		m.end(store.ErrClosed)
		m.holding.Unlock()
		m.working.Wait()
		if m.metrics.reading != nil {
			_ = m.metrics.reading.Unregister() // it never fails
		}
		m.limit.Close()
		m.closed = m.db.Close()
	})
	return m.closed
}

// errNotOpened is the error of the methods of a Mirror that Open did not make.
var errNotOpened = fmt.Errorf("jobmirror: %w: a Mirror that was not opened; make it with jobmirror.Open", jobboard.ErrInvalidInput)

// writes returns an error unless the mirror was opened, and not to read only.
func (m *Mirror) writes() error {
	switch {
	case m.db == nil:
		return errNotOpened
	case m.opts.ReadOnly:
		return ErrReadOnly
	}
	return nil
}

// logger returns the logger of the options.
func (m *Mirror) logger() *slog.Logger {
	if m.opts == nil {
		return slog.New(slog.DiscardHandler)
	}
	return m.opts.Logger
}

// lock keeps other processes from running the mirror; the last unlock lets them
// again. first reports that no other call of this process holds the lock.
func (m *Mirror) lock() (first bool, unlock func(), err error) {
	if m.file == nil { // any number of processes may run a mirror on PostgreSQL
		return false, func() {}, nil
	}
	m.holding.Lock()
	defer m.holding.Unlock()
	ok, err := m.file.TryLock() // holds, too, where it is held already
	if err != nil {
		return false, nil, fmt.Errorf("jobmirror: the lock beside the database: %w", err)
	}
	if !ok {
		return false, nil, ErrLocked
	}
	m.holders++
	return m.holders == 1, m.unlock, nil
}

func (m *Mirror) unlock() {
	m.holding.Lock()
	defer m.holding.Unlock()
	if m.holders--; m.holders == 0 {
		_ = m.file.Unlock()
	}
}

// Progress counts what a Mirror has done since it was opened.
type Progress struct {
	Read     int64 // postings and entries of feeds
	LookedUp int64 // lookups whose results are written
}

// Progress returns how much was done so far; it costs nothing.
func (m *Mirror) Progress() Progress { return Progress{m.copied.Load(), m.lookups.Load()} }

// limiters asks several in turn.
type limiters []jobboard.Limiter

func (l limiters) Wait(ctx context.Context) error {
	for _, each := range l {
		if err := each.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
