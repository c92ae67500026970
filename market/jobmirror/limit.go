package jobmirror

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/pace"
)

// The table limits has what the processes tell one another of the limit that they share.

// givePace lets a limit take its slots from the database, or gives it the pause that
// another process kept.
func givePace(t *tx, limit *pace.Limit) error {
	if t.db.Permits != nil {
		limit.Share(t.db.Permits)
		return nil
	}
	var kept pace.State
	err := t.Row("SELECT paused, slowed, calm FROM limits", nil, &kept.Paused, &kept.Slowed, &kept.Calm)
	limit.Keep(kept, t.db.Alone())
	return err
}

// tellRate notes how many requests a second this process lets through, for all who
// read the status; below 0 is no limit.
func tellRate(t *tx, perSecond float64) error {
	_, err := t.Exec("UPDATE limits SET rate = ?", max(perSecond, 0))
	return err
}

// limitNow returns how fast requests may be sent, and until when none may.
func limitNow(t *tx) (rate float64, paused time.Time, err error) {
	var kept pace.State
	err = t.Row("SELECT rate, paused, slowed, calm FROM limits", nil, &rate, &kept.Paused, &kept.Slowed, &kept.Calm)
	if err != nil {
		return 0, time.Time{}, err
	}
	rate, paused = kept.At(rate, time.UnixMilli(t.Now))
	return rate, paused, nil
}
