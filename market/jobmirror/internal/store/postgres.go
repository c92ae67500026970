package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresIDs selects the numbers of a parameter that is a list of them.
const postgresIDs = "(SELECT value::bigint FROM json_array_elements_text(?::json))"

var postgresDialect = dialect{
	Name:   "postgres",
	Shared: true,
	Clock:  "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
	ids:    postgresIDs,
	// Arrays, because the planner may join a subquery: without statistics it reads all rows
	// of a source and compares each of them with each number.
	in:    "= ANY (ARRAY" + postgresIDs + ")",
	notIn: "<> ALL (ARRAY" + postgresIDs + ")",
	lock:  "FOR UPDATE",
	share: "FOR SHARE",
	skip:  "FOR UPDATE SKIP LOCKED",
	key:   "BIGINT PRIMARY KEY",
	next:  "SELECT nextval(('mirror_' || ?)::regclass)",
}

// How many connections a process has, for each purpose.
const (
	postgresReaders = 8
	postgresWriters = 1
	postgresPermits = 2
	// postgresIdle bounds the time for which an idle connection stays open.
	postgresIdle = time.Minute
)

// IsPostgres reports whether an address is one of PostgreSQL.
func IsPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

func openPostgres(ctx context.Context, address string, schema Schema, readOnly bool) (*DB, error) {
	if splitsPassword(address) {
		return nil, fmt.Errorf("jobmirror: the address %s cannot be read: in a password an @ is written as %%40, and a / as %%2F", redact(address))
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		// The driver's error may quote the address, password and all.
		return nil, fmt.Errorf("jobmirror: the address %s cannot be read", redact(address))
	}
	out := &DB{dialect: postgresDialect, schema: schema, Pooled: setSession(config)}
	pool := func(size int) *sql.DB {
		// The pool's own ping before each transaction would be one more round trip: onLive does
		// without.
		never := stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false })
		db := sql.OpenDB(dialer{stdlib.GetConnector(*config, never)})
		db.SetMaxOpenConns(size)
		db.SetMaxIdleConns(size)
		db.SetConnMaxIdleTime(postgresIdle)
		return db
	}
	out.readers = pool(postgresReaders)
	if err := out.readers.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("jobmirror: %s: %w", redact(address), err), out.Close())
	}
	if !readOnly {
		out.writers, out.turn, out.Permits = pool(postgresWriters), make(chan struct{}, 1), pool(postgresPermits)
	}
	return out, nil
}

// dialer makes connections, and leaves the address out of the errors of those that
// cannot be made.
type dialer struct{ driver.Connector }

func (d dialer) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := d.Connector.Connect(ctx)
	if err != nil {
		return nil, dialError{withoutAddress(err)}
	}
	return conn, nil
}

// dialError is why no connection could be made.
type dialError struct{ error }

func (e dialError) Unwrap() error { return e.error }

// isStale reports whether a connection that was kept has lost its server.
func isStale(err error) bool {
	_, failed := errors.AsType[dialError](err)
	return !failed && IsOutage(err)
}

// sendAll sends statements over a connection of the driver at once, and waits until all
// are done.
func sendAll(ctx context.Context, conn any, statements []statement) error {
	var all pgx.Batch
	for _, s := range statements {
		all.Queue(s.text, s.args...)
	}
	return conn.(*stdlib.Conn).Conn().SendBatch(ctx, &all).Close()
}

// idleTimeout is for how many milliseconds a transaction may do nothing: a process that stops
// in the middle of a transaction must not hold others up.
const idleTimeout = "5000"

// setSession sets what holds for each connection, and reports whether the address
// says that a pooler stands before the server, which knows no such settings.
func setSession(config *pgx.ConnConfig) (pooled bool) {
	pooled = config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "jobmirror"
	}
	if !pooled {
		config.RuntimeParams["idle_in_transaction_session_timeout"] = idleTimeout
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, 10*time.Second)
	return pooled
}

// denied is the code of a server that does not let a role do something.
const denied = "42501"

// readOnly is the code of a server that lets nobody write.
const readOnly = "25006"

// quoteSchema is what to do about a search_path with the name of a schema that the server
// does not know, or cannot read.
const quoteSchema = "; in an address the name of a schema that has more than small letters, digits and _ " +
	"is written as in search_path=%22My%20Jobs%22"

// hint returns what to do about an error of a server, empty where there is nothing to say. A
// pooler whose address lacks the mode for poolers refuses a setting, or runs a prepared
// statement in a session that has not prepared it.
func hint(e *pgconn.PgError) string {
	switch {
	case e.Code == "26000", e.Code == "42P05", e.Code == "08P01" && strings.Contains(e.Message, "startup parameter"):
		return "; a pooler such as PgBouncer needs default_query_exec_mode=cache_describe in the address"
	case e.Code == readOnly:
		return "; this server is a standby, or is set to be read only: name the primary's address to write; reading works here"
	case e.Code == denied:
		return "; GRANT this role SELECT on all tables of the mirror to read it, and SELECT, INSERT, UPDATE, DELETE " +
			"on all its tables and USAGE on all its sequences to run it"
	case e.Code == "22023" && strings.Contains(e.Message, "search_path"):
		return quoteSchema
	}
	return ""
}

// withHint adds to an error of a server what to do about it.
func withHint(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && hint(e) != "" {
		return fmt.Errorf("%w%s", err, hint(e))
	}
	return err
}

// splitsPassword reports whether an address has an @ that may be one of a password, and that
// the driver reads otherwise. The driver takes the text before the first @ as user and
// password, if no / precedes that @, and the text after it as the host: it would ask the
// network for a part of the password, and tell that in its error.
func splitsPassword(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		host, options, _ := strings.Cut(rest[i+1:], "?")
		// Text before a / may be an option, or the end of a password.
		unsure := strings.Contains(rest[:i], "?") || !strings.Contains(host, "/")
		return strings.Contains(host, "@") || unsure && strings.Contains(options, "@")
	}
	before, options, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(before, "/")
	if !strings.Contains(host, ":") {
		return strings.Count(path, "@") > 1 // no password begins before the options
	}
	if strings.Contains(path, "@") {
		return true // what looks like a port is no number, so a password with a / in it may begin here
	}
	others := 0 // @ signs in the options beyond the one that a user option may have
	for option := range strings.SplitSeq(options, "&") {
		if name, _, _ := strings.Cut(option, "="); name != "user" && name != "password" {
			others += strings.Count(option, "@")
		}
	}
	return others > 1
}

// redact returns an address as it may be printed: without its password and its options.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://..."
	}
	if strings.Contains(u.Host+u.Path+u.RawQuery+u.Fragment, "@") {
		return "postgres://..." // a password may have ended before its end, at a character that it should have escaped
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

// withoutAddress keeps of an error of connecting what the server or the
// network said.
func withoutAddress(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return withHint(refused)
	}
	if connect, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return connect.Unwrap()
	}
	return err
}

// missingRight makes an ErrNoSchema of a set-up that the server does not allow.
func missingRight(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == denied {
		return fmt.Errorf("%w: Migrate, or jobboard-mirror migrate, must run with a role that may create tables: %w", ErrNoSchema, err)
	}
	return withHint(err)
}

// IsOutage reports whether the server was not there, or ended the session, so
// that the same may succeed once it is back.
func IsOutage(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		_, network := errors.AsType[net.Error](err)
		return network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
			errors.Is(err, driver.ErrBadConn) ||
			errors.Is(err, sql.ErrConnDone)
	}
	return strings.HasPrefix(e.Code, "08") || strings.HasPrefix(e.Code, "57P") || e.Code == "25P03" || e.Code == "53300"
}

// isDeadlock reports whether the database asks for the transaction again.
func isDeadlock(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	// Serialization, deadlock, a row that another made first.
	return ok && (e.Code == "40001" || e.Code == "40P01" || e.Code == "23505")
}
