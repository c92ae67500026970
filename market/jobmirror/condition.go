package jobmirror

import (
	"context"
	"log/slog"
)

// condition says what an operator should know of a source. A condition is logged when it begins and when
// it ends. What the log has already stands in the column logged, so that each is logged once, by whichever
// process refreshes the source, and after a restart too.
type condition int64

const (
	failing condition = 1 << iota // it could not be copied whole
	holding                       // the copy holds rows that the source ceased to show
	empty                         // it shows nothing
	damaged                       // postings of its answer cannot be read
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
	if t.turn.unreadable.n > 0 {
		now |= damaged
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
	{holding, "jobmirror: removals of a source are pending", "jobmirror: no removals of a source are pending any more"},
	{empty, "jobmirror: a source shows nothing", "jobmirror: a source shows something again"},
	{damaged, "jobmirror: postings of a source cannot be read", "jobmirror: all postings of a source can be read again"},
}

// tellCondition logs what has changed about the source. reason says why it could not be copied.
func (r *refresher) tellCondition(ctx context.Context, before, now condition, reason string) {
	log, source := r.opts.Logger, slog.String("source", r.src.Cause())
	for _, text := range conditionTexts {
		switch {
		case before&text.condition == now&text.condition:
		case now&text.condition == 0:
			log.InfoContext(ctx, text.ends, source)
		case text.condition == failing:
			log.WarnContext(ctx, text.begins, source, "error", reason)
		case text.condition == holding:
			log.WarnContext(ctx, text.begins, source, slog.Duration("longest", r.opts.HoldMissing))
		case text.condition == damaged:
			log.WarnContext(ctx, text.begins, source, "postings", r.turn.unreadable.n, "error", r.turn.unreadable.why)
		default:
			log.WarnContext(ctx, text.begins, source)
		}
	}
}

// sourceError is what is wrong with a source. The log has it as the source's condition.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }
