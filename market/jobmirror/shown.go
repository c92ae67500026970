package jobmirror

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// shown holds the rows that a source had before a refresh, and which of them the refresh
// has seen. It is kept in memory, so that a row that did not change costs no write; a
// process that is killed loses nothing else.
type shown struct {
	keys    []int64        // of its rows in the table listings or entries, in order
	seen    []uint64       // a bit for each
	missing map[int64]bool // those that are missing

	raws    []int64  // of a channel: the hash of the bytes in which it showed each row unchanged, 0: not known
	byRaw   []uint32 // the places of the rows, in the order of raws
	same    []uint64 // a bit for each: the refresh has seen the row as stored
	lowered []uint64 // a bit for each: the refresh has written a lower version of it than raws is of
}

// shown reads what a source shows. It takes the memory for all rows at once, because to
// let it grow would take several times as much for a while.
func (m *Mirror) shown(ctx context.Context, src *sources.Source) (*shown, error) {
	return fromView(ctx, m.db, func(t *tx) (*shown, error) {
		list := t.listing(src)
		n, err := list.Count()
		if err != nil {
			return nil, err
		}
		s := &shown{keys: make([]int64, 0, n), seen: make([]uint64, (n+63)/64), missing: map[int64]bool{}}
		if src.Kind == sources.Channel {
			s.raws, s.byRaw = make([]int64, 0, n), make([]uint32, 0, n)
			s.same, s.lowered = make([]uint64, len(s.seen)), make([]uint64, len(s.seen))
		}
		err = list.Each(func(key int64, missing bool, raw int64) {
			if s.keys = append(s.keys, key); missing {
				s.missing[key] = true
			}
			if src.Kind == sources.Channel {
				s.raws, s.byRaw = append(s.raws, raw), append(s.byRaw, uint32(len(s.byRaw)))
			}
		})
		slices.SortFunc(s.byRaw, func(a, b uint32) int { return cmp.Compare(s.raws[a], s.raws[b]) })
		return s, err
	})
}

// seeRaw notes that a channel shows a row by the bytes with a hash, as it did before, and
// reports whether there is such a row, it was not missing, and the same refresh has not put
// it back to a lower version since.
func (s *shown) seeRaw(raw int64) bool {
	compare := func(place uint32, raw int64) int { return cmp.Compare(s.raws[place], raw) }
	i, ok := slices.BinarySearchFunc(s.byRaw, raw, compare)
	if !ok || raw == 0 {
		return false
	}
	at := int(s.byRaw[i])
	if s.missing[s.keys[at]] || has(s.lowered, at) {
		return false
	}
	set(s.seen, at)
	set(s.same, at)
	return true
}

// seeSame notes that a channel shows a row as it is stored, and reports whether it was
// missing.
func (s *shown) seeSame(key int64) (missing bool) {
	i, before := s.place(key)
	if before {
		set(s.seen, i)
		set(s.same, i)
	}
	return s.missing[key]
}

// sawSame reports whether the refresh of a channel has seen a row as it is stored.
func (s *shown) sawSame(key int64) bool {
	i, before := s.place(key)
	return before && has(s.same, i)
}

// lower notes that a channel's refresh puts a row back to a lower version.
func (s *shown) lower(key int64) {
	if i, before := s.place(key); before {
		set(s.lowered, i)
	}
}

// place returns where a row stands in keys, and whether the source had it before the refresh.
func (s *shown) place(key int64) (int, bool) { return slices.BinarySearch(s.keys, key) }

func set(bits []uint64, i int)      { bits[i/64] |= 1 << (i % 64) }
func has(bits []uint64, i int) bool { return bits[i/64]&(1<<(i%64)) != 0 }

// see notes that a refresh saw a row, and reports whether the source had it before, and
// whether it was missing.
func (s *shown) see(key int64) (before, missing bool) {
	i, before := s.place(key)
	if before {
		set(s.seen, i)
	}
	return before, s.missing[key]
}

// unseen yields the rows that the refresh has not seen, some at a time.
func (s *shown) unseen() iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		var some []int64
		for i, key := range s.keys {
			if !has(s.seen, i) {
				some = append(some, key)
			}
			if len(some) == listings.Part || i == len(s.keys)-1 && len(some) > 0 {
				if !yield(some) {
					return
				}
				some = some[:0]
			}
		}
	}
}
