package jobmirror_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// countTransactions counts the transactions that end on the connections of a proxy, those of a
// single statement too: after each transaction, and at no other time, the server says that it
// is ready. Nobody else's count, the server's own least of all.
func countTransactions(t *testing.T) (*proxy, *atomic.Int64) {
	p, ended := newProxy(t, postgres.port), new(atomic.Int64)
	p.sees = func(toServer bool) func([]byte) {
		if toServer {
			return nil
		}
		var (
			head []byte // the message's kind and length, and the first byte of what it says
			rest int    // of the message
		)
		return func(sent []byte) {
			for len(sent) > 0 {
				if rest > 0 {
					n := min(rest, len(sent))
					sent, rest = sent[n:], rest-n
					continue
				}
				head, sent = append(head, sent[0]), sent[1:]
				if len(head) < 5 {
					continue
				}
				length := int(binary.BigEndian.Uint32(head[1:])) - 4
				if head[0] == 'Z' && len(head) < 6 {
					continue
				}
				if head[0] == 'Z' && head[5] == 'I' {
					ended.Add(1)
				}
				rest = length - (len(head) - 5)
				head = head[:0]
			}
		}
	}
	return p, ended
}

// inServedTime runs a test in virtual time that has a mirror on PostgreSQL. While a process
// waits for the server no time passes, so the number of requests in a second is the same on
// each machine. The server's own clock is the real one.
func inServedTime(t *testing.T, address string, f func(t *testing.T, address string, ended *atomic.Int64)) {
	between, ended := countTransactions(t)
	address = between.address(t, address)
	synctest.Test(t, func(t *testing.T) { f(t, address, ended) })
}

// onEachInVirtualTime runs a test on each database. Time passes while nobody waits for a
// database. The mock server must be WithoutSockets.
func onEachInVirtualTime(t *testing.T, f func(t *testing.T, address string)) {
	t.Helper()
	onBoth(t, func(t *testing.T, address string) {
		synctest.Test(t, func(t *testing.T) { f(t, address) })
	})
}

// follow follows a mirror's log from a cursor until the test ends, and calls told with
// each change.
func follow(t *testing.T, m *jobmirror.Mirror, at jobmirror.Cursor, told func(jobmirror.Cursor)) {
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(func() {
		stop()
		time.Sleep(time.Second) // who asks for all readers notices that none is left
	})
	go func() {
		for change, err := range m.Follow(ctx, at) {
			if err == nil {
				told(change.Cursor)
			}
		}
	}()
}

// rowsRead returns how many rows of tables and indexes have been read in a database,
// once all sessions that read them have ended and told of it.
func rowsRead(t *testing.T, address string) int {
	t.Helper()
	until(t, time.Minute, "all sessions have ended", func() bool {
		return query[int](t, address, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'jobmirror'`) == 0
	})
	return query[int](t, address, `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)
		+ (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)`)
}

// atRest are options for a mirror of one board, whatever its address: a test in virtual
// time has another stand-in than the one whose copy it reads.
func atRest(srv *jobboardtest.Server) jobmirror.Options {
	opts := optionsOf(srv)
	opts.Board = "at rest"
	return opts
}

// Four processes that have nothing to do ask their server little, however many jobs there are;
// and so do four that let somebody follow the log. What they may is ten transactions and 100
// rows a second, and 40 with followers; the bounds without followers are lower here, so that a
// question asked twice shows.
func TestFleetAtRest(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	address := postgres.create(t)
	m := open(t, address, atRest(srv))
	refresh(t, m)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, address, fmt.Sprintf(`INSERT INTO jobs (job, state, next_due, looked_up) SELECT n, 'open', extract(epoch FROM now()) * 1000 + 86400000, 1
		FROM generate_series(1000000, %d) n`, 1_000_000+100_000))
	execute(t, address, "ALTER TABLE jobs SET (autovacuum_enabled = off)")
	execute(t, address, "ANALYZE")
	const (
		fleet   = 4
		seconds = 100
	)
	for _, c := range []struct {
		name               string
		follow             bool
		transactions, rows float64 // a second, at most
	}{
		{"alone", false, 6, 60},
		{"with a follower each", true, 40, math.Inf(1)}, // whose snapshots read all
	} {
		t.Run(c.name, func(t *testing.T) {
			measure := func() (transactions, rows float64, connections int) {
				before := rowsRead(t, address)
				inServedTime(t, address, func(t *testing.T, address string, ended *atomic.Int64) {
					srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
					for range fleet {
						m := open(t, address, atRest(srv))
						run(t, m)
						if c.follow {
							_, at, err := snapshot(t.Context(), m)
							if err != nil {
								t.Fatal(err)
							}
							follow(t, m, at, func(jobmirror.Cursor) {})
						}
					}
					time.Sleep(5 * time.Second)
					began := ended.Load()
					time.Sleep(seconds * time.Second)
					transactions = float64(ended.Load()-began) / seconds
					connections = query[int](t, address, `SELECT count(*) FROM pg_stat_activity
						WHERE datname = current_database() AND application_name = 'jobmirror'`)
					if asked := srv.Count(); asked > 0 {
						t.Errorf("the board was asked %d times", asked)
					}
				})
				return transactions, float64(rowsRead(t, address)-before) / seconds, connections
			}
			transactions, rows, connections := measure()
			if rows > c.rows { // the server counts whatever it does with the tables
				t.Logf("%.1f rows were read a second; in all, of tables and by indexes: %s", rows, query[string](t, address,
					"SELECT string_agg(relname || ' ' || seq_tup_read || ' ' || coalesce(idx_tup_fetch, 0), ', ') FROM pg_stat_user_tables"))
				_, rows, _ = measure()
			}
			t.Logf("figure: a fleet of %d at rest, %s: %.1f transactions a second, which read %.0f rows, on %d connections", fleet, c.name, transactions, rows, connections)
			if transactions > c.transactions || transactions < fleet || rows > c.rows {
				t.Errorf("there are %.2f transactions a second, which read %.1f rows", transactions, rows)
			}
		})
	}
}

// A hundred readers that wait for changes cost the server no more than a single reader, and a
// change reaches all of them at once.
func TestQuietReadersShareOneQuestion(t *testing.T) {
	needPostgres(t)
	const readers = 100
	seconds := whole(20, 60)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	address := postgres.create(t)
	refresh(t, open(t, address, atRest(srv)))
	inServedTime(t, address, func(t *testing.T, address string, ended *atomic.Int64) {
		m := open(t, address, atRest(jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())))
		_, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan jobmirror.Cursor, 10*readers)
		asked := func(readers int) int64 {
			for range readers {
				follow(t, m, at, func(at jobmirror.Cursor) { told <- at })
			}
			time.Sleep(2 * time.Second) // all have read to the end
			began := ended.Load()
			time.Sleep(time.Duration(seconds) * time.Second)
			return ended.Load() - began
		}
		one := asked(1)
		if all := asked(readers - 1); one == 0 || all != one {
			t.Errorf("in %d s one reader costs %d transactions, %d cost %d", seconds, one, readers, all)
		}
		if err := m.Forget(t.Context(), jobboard.JobID(srv.Demo.OpenJob)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		cursors := map[jobmirror.Cursor]int{}
		for len(told) > 0 {
			cursors[<-told]++
		}
		for at, n := range cursors {
			if n != readers {
				t.Errorf("of the change at %s %d readers were told", at, n)
			}
		}
		if len(cursors) == 0 {
			t.Error("nobody was told of the change within a second")
		}
	})
}
