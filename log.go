package jobboard

import (
	"errors"
	"log/slog"
)

// The records of Config.Logger. Their keys stay: op, path, attempt, attempts,
// status, code, condition, wait, stopped. None holds a body, an address or an
// identifier.

func (c *call) logRepeat(f *failedAttempt) {
	if l := c.slot.logger; l != nil {
		l.LogAttrs(c.ctx, slog.LevelInfo, "jobboard: repeat", slog.String("op", c.op.name), slog.String("path", c.op.path),
			slog.Int("attempt", c.attempts), slog.Int("status", f.status), slog.Duration("wait", c.wait))
	}
}

func (c *call) logFailure(e *Error) {
	if l := c.slot.logger; l != nil {
		condition := "unnamed"
		var f *failure
		switch {
		case errors.As(e.Err, &f):
			condition = f.kind.Error()
		case e.Err != nil:
			condition = clean(e.Err.Error(), maxErrorCause)
		}
		l.LogAttrs(c.ctx, slog.LevelDebug, "jobboard: failed", slog.String("op", e.Op), slog.String("path", e.Path),
			slog.Int("attempts", e.Attempts), slog.Int("status", e.StatusCode), slog.String("code", clean(e.Code, 60)),
			slog.String("condition", condition), slog.String("stopped", string(e.Stopped)))
	}
}
