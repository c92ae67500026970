package changelog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store/storetest"
)

// each runs a test with the log of a database that has nothing else, on each database.
func each(t *testing.T, test func(t *testing.T, l *Log)) {
	t.Helper()
	storetest.Each(t, storetest.Tables{Add: []func(*store.Schema){AddTables}}, func(t *testing.T, db *store.DB, _ func() *store.DB) {
		l := New(db)
		l.Epoch = "here"
		test(t, l)
	})
}

// write writes changes of rows in one transaction.
func (l *Log) write(t *testing.T, ids ...int64) {
	t.Helper()
	err := l.db.Update(t.Context(), func(in *store.Tx) error {
		w := l.Writer(in)
		for _, id := range ids {
			w.Append(Change{Kind: "row", ID: id, Job: id / 10, After: fmt.Sprint("text ", id)})
		}
		return w.End()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// do runs a transaction.
func (l *Log) do(t *testing.T, f func(*store.Tx) error) {
	t.Helper()
	if err := l.db.Update(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// The changes of several transactions are numbered without gaps, also when the first ones are
// pruned, all of them at last, and when one has none.
func TestNumbersHaveNoGaps(t *testing.T) {
	each(t, func(t *testing.T, l *Log) {
		l.write(t, 11, 12)
		l.write(t)
		l.write(t, 21)
		read, last, err := l.After(t.Context(), Place{})
		if err != nil || len(read) != 3 || last != read[2].Place || last.Number != 3 {
			t.Fatalf("%+v, %+v, %v", read, last, err)
		}
		if read[1].ID != 12 || read[1].Job != 1 || read[1].After != "text 12" || read[1].Before != "" || read[1].At.IsZero() {
			t.Errorf("it reads %+v", read[1])
		}
		for _, e := range read {
			if e.Stamp == 0 {
				t.Errorf("%+v has no stamp", e)
			}
		}
		l.do(t, func(in *store.Tx) error {
			in.Now += time.Hour.Milliseconds()
			more, err := Prune(in, time.Minute)
			if !more {
				t.Error("of all that are old no more is left")
			}
			return err
		})
		l.write(t, 31)
		if read, _, err = l.After(t.Context(), last); err != nil || len(read) != 1 || read[0].Number != 4 {
			t.Errorf("after a pruned log: %+v, %v", read, err)
		}
		if _, _, err = l.After(t.Context(), Place{Number: 2, Stamp: 1}); !errors.Is(err, ErrTooOld) {
			t.Error(err)
		}
	})
}

// More changes than are written at once are numbered in their order.
func TestManyChanges(t *testing.T) {
	each(t, func(t *testing.T, l *Log) {
		l.write(t, 7)
		var ids []int64
		for i := range int64(2*Batch + 10) {
			ids = append(ids, 1000+i)
		}
		l.write(t, ids...)
		got, at := []int64{}, Place{}
		for {
			read, last, err := l.After(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			if len(read) == 0 {
				break
			}
			for _, e := range read {
				got = append(got, e.ID)
			}
			at = last
		}
		if !slices.Equal(got, append([]int64{7}, ids...)) {
			t.Errorf("it reads %d", got)
		}
	})
}

// Changes have the numbers of the order in which processes commit them, not in which they begin or write: a
// reader that has read a change has missed none before it. A transaction that is undone leaves no gap.
func TestNumbersAreInTheOrderOfCommits(t *testing.T) {
	storetest.Each(t, storetest.Tables{Add: []func(*store.Schema){AddTables}}, func(t *testing.T, db *store.DB, again func() *store.DB) {
		if !db.Shared { // on SQLite one process writes at a time
			return
		}
		one, other := New(db), New(again())
		kept, numbered := make(chan bool), make(chan bool)
		commit, ended := make(chan bool), make(chan error, 2)
		go func() {
			ended <- one.db.Update(t.Context(), func(in *store.Tx) error { // begins and writes first, commits last
				w := one.Writer(in)
				w.Append(Change{Kind: "row", ID: 2})
				if _, err := in.Numbers("SELECT 1"); err != nil {
					return err
				}
				kept <- true
				<-kept
				return w.End()
			})
		}()
		<-kept
		other.write(t, 1)
		kept <- true
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		undo := errors.New("undone")
		go func() {
			ended <- one.db.Update(t.Context(), func(in *store.Tx) error { // has its number, and another one waits for it
				w := one.Writer(in)
				w.Append(Change{Kind: "row", ID: 3})
				if err := w.End(); err != nil {
					return err
				}
				if n, err := in.Numbers("SELECT number FROM changes WHERE id = 3"); err != nil || !slices.Equal(n, []int64{3}) {
					t.Errorf("it has the numbers %d, %v", n, err)
				}
				numbered <- true
				<-commit
				return undo
			})
		}()
		<-numbered
		waited := make(chan error, 1)
		go func() {
			waited <- other.db.Update(t.Context(), func(in *store.Tx) error {
				w := other.Writer(in)
				w.Append(Change{Kind: "row", ID: 4})
				return w.End()
			})
		}()
		for waits := false; !waits; { // until the other one waits for the counter
			select {
			case err := <-waited:
				t.Fatal("nobody waits for who has the last number", err)
			default:
			}
			if err := one.db.Ask(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)", nil, &waits); err != nil {
				t.Fatal(err)
			}
		}
		if read, _, err := one.After(t.Context(), Place{}); err != nil || len(read) != 2 {
			t.Errorf("before the commit the log has %+v, %v", read, err)
		}
		commit <- true
		if err := <-ended; !errors.Is(err, undo) {
			t.Fatal(err)
		}
		if err := <-waited; err != nil {
			t.Fatal(err)
		}
		read, _, err := one.After(t.Context(), Place{})
		if err != nil || len(read) != 3 || read[0].ID != 1 || read[1].ID != 2 || read[2].ID != 4 || read[2].Number != 3 {
			t.Errorf("the log has %+v, %v", read, err)
		}
	})
}

// A place of a change that the log does not have under its number is refused, as after a backup was
// put back; so is one behind its end, and a cursor that is none.
func TestPlacesAreProved(t *testing.T) {
	each(t, func(t *testing.T, l *Log) {
		l.write(t, 11, 12)
		_, last, err := l.After(t.Context(), Place{})
		if err != nil {
			t.Fatal(err)
		}
		if at, err := l.Parse(l.Cursor(last)); err != nil || at != last {
			t.Errorf("%v, %v, not %v", at, err, last)
		}
		if at, err := l.Parse(""); err != nil || at != (Place{}) {
			t.Errorf("%v, %v", at, err)
		}
		for _, cursor := range []string{"there-1-1", "here-1", "here-x-1", "here--1-1", "here-1-x", "here-1-1-1", "here-99999999999999999999-1"} {
			if _, err := l.Parse(cursor); !errors.Is(err, ErrCursor) {
				t.Errorf("%s: %v", cursor, err)
			}
		}
		for place, want := range map[Place]error{
			{}:                            nil,
			last:                          nil,
			{last.Number, last.Stamp ^ 1}: ErrAhead,
			{last.Number + 1, last.Stamp}: ErrAhead,
		} {
			l.do(t, func(in *store.Tx) error {
				if err := Check(in, place); !errors.Is(err, want) {
					t.Errorf("%v: %v, want %v", place, err, want)
				}
				return nil
			})
		}
	})
}

// What is erased leaves its number, and nothing by which its job finds it.
func TestEraseLeavesNumbers(t *testing.T) {
	each(t, func(t *testing.T, l *Log) {
		l.do(t, func(in *store.Tx) error {
			w := l.Writer(in)
			for _, c := range []Change{{ID: 11, Job: 1, After: "a"}, {ID: 12, Job: 1, EarlierJob: 2, After: "b"}, {ID: 13, Job: 3, EarlierJob: 1, After: "c"}} {
				c.Kind = "row"
				w.Append(c)
			}
			return w.End()
		})
		of := func(job int64, want ...int64) {
			t.Helper()
			l.do(t, func(in *store.Tx) error {
				ids, err := in.Numbers("SELECT id FROM changes WHERE job = ? OR earlier_job = ? ORDER BY id", job, job)
				if !slices.Equal(ids, want) {
					t.Errorf("the changes of job %d are of %d, want %d", job, ids, want)
				}
				return err
			})
		}
		of(1, 11, 12, 13)
		of(2, 12)
		l.do(t, func(in *store.Tx) error {
			more, err := Erase(in, "row", []int64{12})
			if more {
				t.Error("after one change there are more")
			}
			return err
		})
		of(1, 11, 13)
		of(2)
		read, _, err := l.After(t.Context(), Place{})
		if err != nil || len(read) != 3 || read[1].After != "" || read[1].Job != 0 || read[2].After == "" {
			t.Errorf("%+v, %v", read, err)
		}
	})
}

// Any number that waits is told of a change, and none once its context has ended.
func TestWait(t *testing.T) {
	each(t, func(t *testing.T, l *Log) {
		told := make(chan bool)
		for range 3 {
			go func() {
				l.Wait(t.Context(), 0, time.Hour)
				told <- true
			}()
		}
		l.write(t, 11)
		for range 3 {
			select {
			case <-told:
			case <-time.After(30 * time.Second):
				t.Fatal("it is not told")
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		l.Wait(ctx, 1, time.Hour)
	})
}
