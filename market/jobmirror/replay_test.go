package jobmirror

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
)

// Encode writes a record as it is stored.
var Encode = encode

// Rows is a copy as a reader keeps it: records by kind, identifier and language.
type Rows map[string]string

func key(kind string, id int64, language string) string {
	return fmt.Sprintf("%s %d %s", kind, id, language)
}

// Apply replays a change, and finds one that does not fit what is there.
func (r Rows) Apply(c Change) error {
	if c.Kind == ChangeForgotten {
		for k := range r {
			if strings.HasPrefix(k, key(c.Language, c.ID, "")) {
				delete(r, k)
			}
		}
		return nil
	}
	if c.Before == nil && c.After == nil {
		return nil // erased by a change to come
	}
	k := key(string(c.Kind), c.ID, c.Language)
	if r[k] != string(c.Before) {
		return fmt.Errorf("change %s of %s: before it is %s, and the reader has %q", c.Cursor, k, c.Before, r[k])
	}
	if c.After == nil {
		delete(r, k)
	} else {
		r[k] = string(c.After)
	}
	return nil
}

// TakeSnapshot reads a mirror's rows.
func TakeSnapshot(ctx context.Context, m *Mirror) (out Rows, at Cursor, err error) {
	out = Rows{}
	err = m.Snapshot(ctx, func(cursor Cursor, all iter.Seq2[Row, error]) error {
		at = cursor
		for row, err := range all {
			if err != nil {
				return err
			}
			if row.Job != nil {
				out[key("job", int64(row.Job.Job), "")] = encode(row.Job)
			} else {
				out[key("posting", int64(row.Posting.Posting), row.Posting.Language)] = encode(row.Posting)
			}
		}
		return nil
	})
	return out, at, err
}

// CheckReplay replays the whole log, and compares what comes of it with the
// tables.
func CheckReplay(t *testing.T, m *Mirror) {
	t.Helper()
	tables, at, err := TakeSnapshot(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	replayed := Rows{}
	for change, err := range m.Changes(t.Context(), "") {
		if err == nil {
			err = replayed.Apply(change)
		}
		if err != nil {
			t.Fatal(err)
		}
		if change.Cursor == at {
			break // a mirror at work has gone on
		}
	}
	replayed.Compare(t, "by the log", tables)
}

// Compare finds what a copy, by its name, has otherwise than it should.
func (r Rows) Compare(t *testing.T, name string, want Rows) {
	t.Helper()
	if len(r) != len(want) {
		t.Errorf("%s there are %d rows, not %d", name, len(r), len(want))
	}
	for k, row := range want {
		if r[k] != row {
			t.Errorf("%s %s is\n%s\nnot\n%s", name, k, r[k], row)
			return
		}
	}
}
