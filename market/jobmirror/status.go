package jobmirror

import (
	"context"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Status describes the state of a mirror.
type Status struct {
	Sources   []SourceStatus  `json:"sources"`
	Processes []ProcessStatus `json:"processes"` // that run or refresh the mirror, and those that ended without saying so

	Jobs        map[State]int `json:"jobs"`        // the number of jobs in each state
	Due         int           `json:"due"`         // jobs whose lookup is due
	DueSince    time.Time     `json:"dueSince"`    // when the lookup that waits longest became due; zero: none is due
	Failing     int           `json:"failing"`     // jobs whose last lookup did not answer
	Unconfirmed int           `json:"unconfirmed"` // jobs whose end is unconfirmed: a lookup reported it, and the mirror does not believe it yet
	Postings    int           `json:"postings"`    // rows, one for each language
	Unindexed   int           `json:"unindexed"`   // postings that Search finds not yet, or by their earlier texts
	Adless      int           `json:"adless"`      // postings without their advertisement, because with it they are over Config.MaxPostingBytes
	Unplaced    int           `json:"unplaced"`    // postings that no radius finds, for want of a job or its coordinates

	// Standby reports that the database is a PostgreSQL server that lets nobody write: a standby, or
	// one that is set to be read only. What reads works with Options.ReadOnly.
	Standby bool `json:"standby,omitempty"`

	Oldest Cursor `json:"oldest"` // the earliest cursor that Changes takes
	Newest Cursor `json:"newest"` // the end of the log of changes

	Limit       float64   `json:"limit"`       // requests a second that may be sent now, by all processes; 0: no limit
	PausedUntil time.Time `json:"pausedUntil"` // because the board asked for it; zero: there is no pause
}

// SourceStatus describes the state of a channel in one language, or of a feed.
type SourceStatus struct {
	Kind     string    `json:"kind"` // "channel" or "feed"
	Name     string    `json:"name"`
	Language string    `json:"language,omitempty"`
	Rows     int       `json:"rows"`     // postings or entries that it has
	Complete time.Time `json:"complete"` // when a refresh was complete last; zero: none was
	NextDue  time.Time `json:"nextDue"`
	Failures int       `json:"failures"` // refreshes in a row that were not complete
	Problem  string    `json:"problem,omitempty"`
	Refused  bool      `json:"refused,omitempty"` // the board's last word on it: there is no such channel, or not for this credential
	Empty    bool      `json:"empty,omitempty"`   // the board shows no posting of the channel, as it does of one whose name is misspelt
	Held     int       `json:"held,omitempty"`    // pending removals: how many of Rows the source does not show any more

	// Unreadable counts the postings of the last complete refresh that could not be read. While there are
	// any, a row that the source does not show goes only if the lookup of its job says so.
	Unreadable int `json:"unreadable,omitempty"`
}

// ProcessStatus describes a process that runs or refreshes the mirror.
type ProcessStatus struct {
	Name     string    `json:"name"`    // of the machine, with the process's number
	Version  string    `json:"version"` // of the program; empty: it was not built from a version
	Doing    string    `json:"doing"`   // "run" or "refresh"
	Started  time.Time `json:"started"`
	Seen     time.Time `json:"seen"`     // when it last said that it works; it does so every ten seconds
	LookedUp int64     `json:"lookedUp"` // lookups that it wrote
	Leases   []Lease   `json:"leases"`   // what it is doing, the oldest refresh and the oldest lookups first; nothing while it rests
}

// Status returns how the mirror is doing.
func (m *Mirror) Status(ctx context.Context) (*Status, error) {
	return fromView(ctx, m.db, func(in *tx) (out *Status, err error) {
		t := statusTx{in}
		out = &Status{}
		if out.Standby, err = t.IsStandby(); err != nil {
			return nil, err
		}
		if err := t.sourceStatus(out); err != nil {
			return nil, err
		}
		if out.Processes, err = t.processes(); err != nil {
			return nil, err
		}
		if out.Jobs, err = store.Pairs[State, int](t, "SELECT state, count(*) FROM jobs GROUP BY state"); err != nil {
			return nil, err
		}
		if err := t.backlog(out); err != nil {
			return nil, err
		}
		if out.Unconfirmed, err = t.unconfirmed(); err != nil {
			return nil, err
		}
		err = t.Row(`SELECT (SELECT count(*) FROM jobs WHERE failures > 0), (SELECT count(*) FROM postings),
			(SELECT count(*) FROM postings WHERE adless = 1)`, nil, &out.Failing, &out.Postings, &out.Adless)
		if err != nil {
			return nil, err
		}
		placed, err := t.db.search.Placed(t.Tx)
		if err != nil {
			return nil, err
		}
		out.Unplaced = out.Postings - placed
		oldest, err := changelog.First(t.Tx)
		if err != nil {
			return nil, err
		}
		last, err := changelog.Last(t.Tx)
		out.Oldest, out.Newest = m.cursor(oldest), m.cursor(last)
		return out, err
	})
}

// statusTx is a transaction that reads how a mirror is doing.
type statusTx struct{ *tx }

// backlog reads what is waiting, and how fast it may be worked on.
func (t statusTx) backlog(s *Status) error {
	var since *int64
	err := t.Row("SELECT count(*), min(next_due) FROM jobs WHERE next_due <= ?", []any{t.Now}, &s.Due, &since)
	if err != nil {
		return err
	}
	if since != nil {
		s.DueSince = instant(*since)
	}
	now, err := t.indexedNow()
	if s.Unindexed = now.waiting; err == nil && now.none {
		s.Unindexed, err = store.Value[int](t, "SELECT count(*) FROM postings")
	}
	if err != nil {
		return err
	}
	s.Limit, s.PausedUntil, err = limitNow(t.tx)
	return err
}

// sourceStatus reads how each source is doing.
func (t statusTx) sourceStatus(out *Status) error {
	states, err := sources.States(t.Tx)
	if err != nil {
		return err
	}
	rows, err := listings.Counts(t.Tx)
	if err != nil {
		return err
	}
	held, err := listings.HeldCounts(t.Tx)
	for _, s := range states {
		out.Sources = append(out.Sources, SourceStatus{
			Kind: s.Kind, Name: s.Name, Language: s.Language, Rows: rows[s.ID], Held: held[s.ID],
			Complete: instant(s.Complete), NextDue: instant(s.NextDue),
			Failures: s.Failures, Problem: s.Problem, Refused: s.Refused,
			Empty: s.Kind == sources.Channel && rows[s.ID] == 0 && s.Complete > 0, Unreadable: s.Unreadable,
		})
	}
	return err
}
