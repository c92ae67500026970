package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const (
	riverConns   = 6
	stalledAfter = 45 * time.Second // a connection that says nothing for so long is given up
)

// riverPool opens the connections that River uses.
func riverPool(ctx context.Context, address string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("jobmirror: the address %s cannot be read", redact(address))
	}
	config.MaxConns = riverConns
	setSession(config.ConnConfig)
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return impatient{conn}, nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("jobmirror: %s: %w", redact(address), withoutAddress(err))
	}
	return pool, nil
}

// impatient is a connection that fails when a server or a proxy leaves an
// answer open: River waits for some of them without end.
type impatient struct{ net.Conn }

func (c impatient) Write(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(stalledAfter)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// riverVersion is the newest migration that this version's River knows.
func riverVersion() (int, error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return 0, err
	}
	all := migrator.AllVersions()
	return all[len(all)-1].Version, nil
}

// riverReady reports whether River's tables are there. Newer ones are: they
// serve older versions, too.
func (m *Mirror) riverReady(ctx context.Context) (bool, error) {
	want, err := riverVersion()
	if err != nil {
		return false, fmt.Errorf("jobmirror: %w", err)
	}
	ready := false
	err = m.db.view(ctx, func(t *tx) error {
		var exists bool
		if err := t.row("SELECT to_regclass('river_migration') IS NOT NULL AND to_regclass('river_job') IS NOT NULL", nil, &exists); err != nil || !exists {
			return err
		}
		return t.row("SELECT coalesce(max(version), 0) >= ? FROM river_migration WHERE line = 'main'", []any{want}, &ready)
	})
	return ready, err
}

// setUpRiver makes River's tables where they are missing.
func (m *Mirror) setUpRiver(ctx context.Context) error {
	ready, err := m.riverReady(ctx)
	if err != nil || ready {
		return err
	}
	return migrateRiver(ctx, m.address)
}

// migrateRiver brings River's tables up to this version's, each step in a
// transaction of its own. Processes do so one after the other.
func migrateRiver(ctx context.Context, address string) (err error) {
	pool, err := riverPool(ctx, address)
	if err != nil {
		return err
	}
	defer pool.Close()
	defer func() {
		if err != nil {
			err = missingRight(fmt.Errorf("jobmirror: setting up River's tables: %w", err))
		}
	}()
	one, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() {
		// Closed, the connection holds no lock.
		err = errors.Join(err, one.Hijack().Close(context.WithoutCancel(ctx)))
	}()
	if _, err := one.Exec(ctx, "SELECT pg_advisory_lock($1)", migrateLock); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// migrateLock is the advisory lock of whoever sets up River's tables.
const migrateLock = numberLock + 1
