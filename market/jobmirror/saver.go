package jobmirror

import (
	"context"
	"errors"
)

// saver saves what a refresh reads, so many items in one transaction. After an error every
// further call returns it.
type saver[T any] struct {
	m      *Mirror
	size   int
	items  []T
	save   func(t *tx, items []T) error
	failed error
}

func newSaver[T any](m *Mirror, size int, save func(*tx, []T) error) *saver[T] {
	return &saver[T]{m: m, size: size, items: make([]T, 0, size), save: save}
}

func (s *saver[T]) add(ctx context.Context, item T) error {
	if s.items = append(s.items, item); len(s.items) == s.size {
		return s.flush(ctx)
	}
	return s.failed
}

// end saves the items that are left, and returns with what reading ended, or what
// failed before.
func (s *saver[T]) end(ctx context.Context, err error) error {
	if s.failed != nil {
		return s.failed
	}
	return errors.Join(err, s.flush(ctx))
}

func (s *saver[T]) flush(ctx context.Context) error {
	if len(s.items) == 0 || s.failed != nil {
		return s.failed
	}
	s.failed = s.m.db.update(ctx, func(t *tx) error { return s.save(t, s.items) })
	s.m.copied.Add(int64(len(s.items)))
	s.items = s.items[:0]
	return s.failed
}
