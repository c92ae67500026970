package jobmirror_test

import (
	"context"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A refresh takes each job once, however soon it is due again: after an answer, after one that is not
// believed, and after none.
func TestRefreshTakesEachJobOnce(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(300)
		opts := board.options()
		opts.Limit, opts.RefreshEvery, opts.LookupEvery = -1, time.Millisecond, time.Millisecond
		opts.Config.Retry.MaxAttempts = 1
		m := open(t, address, opts)
		states := map[int]string{}
		for night := range 3 {
			if night > 0 {
				for job := 1; job <= 300; job++ {
					switch job % 10 {
					case 0:
						states[job] = inactive
					case 1:
						states[job] = "this is no answer"
					}
				}
			}
			board.tell(upTo(300), "open", states)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // enough for the race detector
			err := m.Refresh(ctx)
			cancel()
			if all, most := board.lookups(); err != nil || all != 300 || most != 1 {
				t.Errorf("refresh %d: %d lookups, up to %d of one job, %v", night, all, most, err)
			}
		}
		if s, err := m.Status(t.Context()); err != nil || s.Failing == 0 || s.Jobs[jobmirror.StateOpen] < 200 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
