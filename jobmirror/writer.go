package jobmirror

import (
	"context"
	"errors"
)

// writer writes what a refresh reads, so many items in one transaction. An error
// is given again by all that follows.
type writer[T any] struct {
	m      *Mirror
	size   int
	items  []T
	save   func(t *tx, items []T) (due bool, err error) // due: jobs are due by now
	failed error
}

func newWriter[T any](m *Mirror, size int, save func(*tx, []T) (due bool, err error)) *writer[T] {
	return &writer[T]{m: m, size: size, items: make([]T, 0, size), save: save}
}

func (w *writer[T]) add(ctx context.Context, item T) error {
	if w.items = append(w.items, item); len(w.items) == w.size {
		return w.flush(ctx)
	}
	return w.failed
}

// end writes the items that are left, and returns with what reading ended, or what
// failed before.
func (w *writer[T]) end(ctx context.Context, err error) error {
	if w.failed != nil {
		return w.failed
	}
	return errors.Join(err, w.flush(ctx))
}

func (w *writer[T]) flush(ctx context.Context) error {
	if len(w.items) == 0 || w.failed != nil {
		return w.failed
	}
	due := false
	w.failed = w.m.db.update(ctx, func(t *tx) (err error) {
		due, err = w.save(t, w.items)
		return err
	})
	w.m.copied.Add(int64(len(w.items)))
	w.items = w.items[:0]
	if due {
		w.m.jobsDue.raise()
	}
	w.m.unindexed.raise()
	return w.failed
}
