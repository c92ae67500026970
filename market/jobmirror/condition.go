package jobmirror

import (
	"context"
	"log/slog"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// condition says what an operator should know of a source. A condition is logged when it begins and when
// it ends. What the log has already stands in the column logged, so that each is logged once, by whichever
// process refreshes the source, and after a restart too.
type condition int64

const (
	failing condition = 1 << iota // it could not be copied whole
	holding                       // the copy holds rows that the source ceased to show
	empty                         // it shows nothing
)

// conditionOf returns the condition of a source after a turn. A turn that was not whole says
// nothing of the rows: what was known of them holds.
func (t *refreshTx) conditionOf(before condition, whole bool) (condition, error) {
	if !whole {
		return before | failing, nil
	}
	held, shows, err := t.listing(t.src).State()
	if err != nil {
		return 0, err
	}
	var now condition
	if held {
		now |= holding
	}
	if !shows {
		now |= empty
	}
	return now, nil
}

// noteCondition stores the condition of a source after a turn, and returns the one before it.
func (t *refreshTx) noteCondition(whole bool) (before, now condition, err error) {
	logged, err := t.turn.Logged(t.Tx)
	before = condition(logged)
	if err != nil {
		return 0, 0, err
	}
	if now, err = t.conditionOf(before, whole); err != nil || now == before {
		return before, now, err
	}
	isLast, err := t.turn.SetLogged(t.Tx, int64(now))
	if !isLast { // it is another's turn by now
		now = before
	}
	return before, now, err
}

// conditionTexts has what the log says when a condition begins and when it ends.
var conditionTexts = []struct {
	condition
	begins, ends string
}{
	{failing, "jobmirror: a source cannot be copied", "jobmirror: a source is copied again"},
	{holding, "jobmirror: rows are kept for now that a source ceased to show", "jobmirror: no rows are kept any more that a source ceased to show"},
	{empty, "jobmirror: a source shows nothing", "jobmirror: a source shows something again"},
}

// tellCondition logs what has changed about a source. reason says why it could not be copied.
func (m *Mirror) tellCondition(ctx context.Context, src *sources.Source, before, now condition, reason string) {
	for _, text := range conditionTexts {
		switch {
		case before&text.condition == now&text.condition:
		case now&text.condition == 0:
			m.opts.Logger.InfoContext(ctx, text.ends, "source", src.Cause())
		case text.condition == failing:
			m.opts.Logger.WarnContext(ctx, text.begins, "source", src.Cause(), "error", reason)
		case text.condition == holding:
			m.opts.Logger.WarnContext(ctx, text.begins, "source", src.Cause(), slog.Duration("longest", m.opts.HoldMissing))
		default:
			m.opts.Logger.WarnContext(ctx, text.begins, "source", src.Cause())
		}
	}
}

// sourceError is what is wrong with a source. The log has it as the source's condition.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }
