package store

import (
	"testing"
	"time"
)

// An expired lease, or one that ends later than possible, holds nothing; nor does the row of a
// source that nobody leased.
func TestWhatIsLeased(t *testing.T) {
	const lease = 15 * time.Second
	const now, minute = 1_000_000_000, 60_000
	for _, c := range []struct {
		name   string
		shared bool
		until  int64
		want   bool
	}{
		{"never", true, 0, false},
		{"until now", true, now, false},
		{"a moment longer", true, now + 1, true},
		{"as long as it can", true, now + minute + 15_000, true},
		{"longer", true, now + minute + 15_001, false},
		{"as long as it can on SQLite", false, now + minute + 60_000, true},
		{"longer on SQLite", false, now + minute + 60_001, false},
	} {
		db := &DB{}
		db.Shared = c.shared
		if got := db.IsLeased(c.until, now, lease); got != c.want {
			t.Errorf("%s: it is leased: %t", c.name, got)
		}
		one := &Tx{Now: now, db: db}
		free := one.Free(lease)
		if got := c.until <= free[0].(int64) || c.until > free[1].(int64); got == c.want {
			t.Errorf("%s: it is free: %t", c.name, got)
		}
		if one.Until(0) != 0 || !db.IsLeased(one.Until(lease), now, lease) || db.IsLeased(one.Until(lease), one.Until(lease), lease) {
			t.Errorf("%s: a lease of now ends at %d", c.name, one.Until(lease)-now)
		}
	}
}
