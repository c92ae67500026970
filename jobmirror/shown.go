package jobmirror

import (
	"context"
	"iter"
	"slices"
)

// shown holds the rows that a source had before a refresh, and which of them the refresh
// has seen. It is kept in memory, so that a row that did not change costs no write; a
// process that is killed loses nothing else.
type shown struct {
	keys []int64        // of its rows in the table listings or entries, in order
	seen []uint64       // a bit for each
	away map[int64]bool // those that are missing
}

// shown reads what a source shows. It takes the memory for all rows at once, because to
// let it grow would take several times as much for a while.
func (m *Mirror) shown(ctx context.Context, src *source) (*shown, error) {
	list := listed[src.kind]
	return fromView(ctx, m.db, func(t *tx) (*shown, error) {
		var n int
		if err := t.Row("SELECT count(*) FROM "+list.table+" WHERE source = ?", []any{src.id}, &n); err != nil {
			return nil, err
		}
		s := &shown{keys: make([]int64, 0, n), seen: make([]uint64, (n+63)/64), away: map[int64]bool{}}
		query := "SELECT " + list.key + ", missing FROM " + list.table + " WHERE source = ? ORDER BY " + list.key
		return s, t.Rows(query, []any{src.id}, func(scan func(...any) error) error {
			var key, missing int64
			err := scan(&key, &missing)
			if s.keys = append(s.keys, key); missing != 0 {
				s.away[key] = true
			}
			return err
		})
	})
}

// see notes that a refresh saw a row, and reports whether the source had it before, and
// whether it was missing.
func (s *shown) see(key int64) (before, away bool) {
	i, before := slices.BinarySearch(s.keys, key)
	if before {
		s.seen[i/64] |= 1 << (i % 64)
	}
	return before, s.away[key]
}

// unseen yields the rows that the refresh has not seen, some at a time.
func (s *shown) unseen() iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		var some []int64
		for i, key := range s.keys {
			if s.seen[i/64]&(1<<(i%64)) == 0 {
				some = append(some, key)
			}
			if len(some) == sweepBatch || i == len(s.keys)-1 && len(some) > 0 {
				if !yield(some) {
					return
				}
				some = some[:0]
			}
		}
	}
}
