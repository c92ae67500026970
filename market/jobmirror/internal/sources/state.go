package sources

import "github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"

// State is what is known of the copy of a source. Its times are those of the database's clock.
type State struct {
	Source
	Complete    int64  // when a refresh was complete last; 0: none was
	NextDue     int64  // when it is to be refreshed next
	LeasedUntil int64  // until when a process refreshes it
	Failures    int    // refreshes in a row that were not complete
	Problem     string // why the last one was not; empty: it was
	Refused     bool   // the board says that it has no such source
	LeftOut     bool   // it has said so for long, and the copy does without the source
	Unreadable  int    // postings of the last complete refresh that could not be read
}

// States reads the state of each source, in the order in which processes first named them.
func States(t *store.Tx) (list []State, err error) {
	const query = "SELECT " + columns + ", complete, next_due, leased_until, failures, problem, refused <> 0, left_out = 1, unreadable FROM sources ORDER BY id"
	err = t.Rows(query, nil, func(scan func(...any) error) error {
		var s State
		err := scan(append(s.columns(), &s.Complete, &s.NextDue, &s.LeasedUntil, &s.Failures, &s.Problem,
			&s.Refused, &s.LeftOut, &s.Unreadable)...)
		list = append(list, s)
		return err
	})
	return list, err
}

// Copied returns when the copy of a channel was complete last, the oldest of its languages. 0: one
// was never complete, or there is none.
func Copied(t *store.Tx, channel string) (int64, error) {
	return store.Value[int64](t, "SELECT coalesce(min(complete), 0) FROM sources WHERE kind = 'channel' AND name = ?", channel)
}

// AllCopied does what Copied does for all channels, without those that the copy does without.
func AllCopied(t *store.Tx) (int64, error) {
	return store.Value[int64](t, "SELECT coalesce(min(complete), 0) FROM sources WHERE kind = 'channel' AND (complete > 0 OR left_out = 0)")
}

// Unanswered returns when the last refresh of a channel began, if the last one of each channel failed, apart from
// those that the board refuses. 0: a channel was refreshed.
func Unanswered(t *store.Tx) (int64, error) {
	return store.Value[int64](t, `SELECT coalesce(CASE WHEN min(failures) > 0 THEN max(began) END, 0)
		FROM sources WHERE kind = 'channel' AND refused = 0`)
}

// Copy is the copy of a channel in one language.
type Copy struct {
	Language string
	Complete int64 // when it was complete last; 0: never
}

// Copies returns the copies of a channel, one in each language, in the order in which processes first named them.
func Copies(t *store.Tx, channel string) (list []Copy, err error) {
	const query = "SELECT language, complete FROM sources WHERE kind = 'channel' AND name = ? ORDER BY id"
	err = t.Rows(query, []any{channel}, func(scan func(...any) error) error {
		var c Copy
		err := scan(&c.Language, &c.Complete)
		list = append(list, c)
		return err
	})
	return list, err
}

// UnderWay is a refresh that a process is at.
type UnderWay struct {
	Source
	Process string // processes.id
	Since   int64
}

// AllUnderWay returns the refreshes that processes are at, the oldest first.
func AllUnderWay(t *store.Tx) (list []UnderWay, err error) {
	const query = "SELECT " + columns + ", holder, began FROM sources WHERE leased_until > ? ORDER BY began, id"
	err = t.Rows(query, []any{t.Now}, func(scan func(...any) error) error {
		var one UnderWay
		err := scan(append(one.columns(), &one.Process, &one.Since)...)
		list = append(list, one)
		return err
	})
	return list, err
}
