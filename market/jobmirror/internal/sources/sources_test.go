package sources

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store/storetest"
)

// table is a database with the table of sources.
type table struct {
	*testing.T
	db    *store.DB
	again func() *store.DB
	later time.Duration // by which the clock of transactions is ahead
}

func each(t *testing.T, test func(s *table)) {
	t.Helper()
	with := storetest.Tables{
		Add: []func(*store.Schema){AddTables}, Counters: []string{generations, rows},
		SQL: "CREATE TABLE listings (source BIGINT); CREATE TABLE entries (source BIGINT);",
	}
	storetest.Each(t, with, func(t *testing.T, db *store.DB, again func() *store.DB) {
		test(&table{T: t, db: db, again: again})
	})
}

func (s *table) do(f func(t *store.Tx) error) {
	s.Helper()
	err := s.db.Update(s.Context(), func(t *store.Tx) error {
		t.Now += s.later.Milliseconds()
		return f(t)
	})
	if err != nil {
		s.Fatal(err)
	}
}

// enter has a process name sources of which nothing but the name is told.
func (s *table) enter(names ...string) (list []Source) {
	s.Helper()
	for _, name := range names {
		one := Source{Kind: Channel, Name: name}
		s.do(func(t *store.Tx) error { return Enter(t, &one) })
		list = append(list, one)
	}
	return list
}

func (s *table) begin(source int64) (n Turn) {
	s.Helper()
	s.do(func(t *store.Tx) (err error) { n, err = Begin(t, source, "process"); return err })
	return n
}

// state returns what is known of a source.
func (s *table) state(source int64) (state State) {
	s.Helper()
	s.do(func(t *store.Tx) error {
		list, err := States(t)
		i := slices.IndexFunc(list, func(s State) bool { return s.ID == source })
		if err == nil && i < 0 {
			err = sql.ErrNoRows
		}
		if err == nil {
			state = list[i]
		}
		return err
	})
	return state
}

// A source has one row, however often and by whomever it is named. Another language makes another source.
func TestSourcesAreEnteredOnce(t *testing.T) {
	each(t, func(s *table) {
		all := []Source{
			{Kind: Channel, Name: "a"},
			{Kind: Feed, Name: "a"},
			{Kind: Channel, Name: "a", Language: "de"},
		}
		for range 2 {
			for i := range all {
				s.do(func(t *store.Tx) error { return Enter(t, &all[i]) })
				if all[i].ID != int64(i+1) {
					s.Errorf("%+v", all[i])
				}
			}
		}
		for i, one := range all {
			key := one
			key.ID = 0
			if got := s.state(one.ID).Source; got != one || got.Key() != key || key == all[(i+1)%len(all)].Key() {
				s.Errorf("stored is %+v", got)
			}
		}
		for i, want := range []string{"channel a", "feed a", "channel a de"} {
			if got := all[i].Cause(); got != want {
				s.Errorf("%s: %s", want, got)
			}
		}
		s.do(func(t *store.Tx) error {
			languages, err := Languages(t)
			if !slices.Equal(languages, []string{"", "de"}) {
				s.Errorf("languages are %q", languages)
			}
			return err
		})
	})
}

// The one that has been due the longest is refreshed first, each by one process, until its lease ends. What began in the
// future is due, because the clock was set back.
func TestDue(t *testing.T) {
	each(t, func(s *table) {
		all := s.enter("a", "b", "c", "not named")
		ids := store.IDsOf(all[:3], func(s Source) int64 { return s.ID })
		next := func() (name string) {
			s.do(func(t *store.Tx) error {
				last, err := Due(t, ids)
				if errors.Is(err, sql.ErrNoRows) {
					return nil
				}
				if err != nil {
					return err
				}
				name = all[last.Source-1].Name
				_, err = Begin(t, last.Source, "process")
				return err
			})
			return name
		}
		s.do(func(t *store.Tx) error {
			return t.DoAll(nil, "UPDATE sources SET next_due = 5", "UPDATE sources SET next_due = 3 WHERE name = 'b'",
				"UPDATE sources SET next_due = 9000000000000 WHERE name = 'c'")
		})
		if got := []string{next(), next(), next()}; !slices.Equal(got, []string{"b", "a", ""}) {
			s.Errorf("in turn %q", got)
		}
		s.later = s.db.Lasting(Lease) + time.Second
		if got := next(); got != "b" {
			s.Errorf("after its lease %q", got)
		}
		s.later = 0
		s.do(func(t *store.Tx) error {
			if n, err := Count(t, ids); err != nil || n != 3 {
				s.Errorf("%d, %v", n, err)
			}
			return errors.Join(t.Do("UPDATE sources SET next_due = 9000000000000, began = 0, leased_until = 0"),
				t.Do("UPDATE sources SET began = ? WHERE name = 'c'", t.Now+time.Hour.Milliseconds()))
		})
		if got := next(); got != "c" {
			s.Errorf("of the future %q", got)
		}
	})
}

// After the clock was set back what waits for a time that is still to come is due, and what was done then counts from now on.
func TestClockSetBack(t *testing.T) {
	each(t, func(s *table) {
		s.enter("ahead", "refreshed before", "never refreshed")
		var future int64
		s.do(func(t *store.Tx) error {
			future = t.Now + time.Hour.Milliseconds()
			return t.DoAll([]any{future}, "UPDATE sources SET next_due = ?", "UPDATE sources SET began = ? WHERE id = 1",
				"UPDATE sources SET complete = ? WHERE id = 1", "UPDATE sources SET named = ? WHERE id = 1", "UPDATE sources SET began = 5 * sign(?) WHERE id = 2")
		})
		s.do(ClockSetBack)
		s.do(func(t *store.Tx) error {
			due, err := t.Numbers("SELECT id FROM sources WHERE next_due <= ? ORDER BY id", t.Now)
			if !slices.Equal(due, []int64{1, 3}) {
				s.Errorf("due are %d", due)
			}
			ahead, err2 := t.Numbers("SELECT id FROM sources WHERE began > ? OR complete >= ? OR named > ?", t.Now, t.Now, t.Now)
			if len(ahead) > 0 {
				s.Errorf("ahead is %d", ahead)
			}
			return errors.Join(err, err2)
		})
	})
}

// A turn writes nothing to the row once another one has begun.
func TestTurnThatIsOver(t *testing.T) {
	each(t, func(s *table) {
		source := s.enter("a")[0].ID
		over := s.begin(source)
		last := s.begin(source)
		if last.Generation <= over.Generation {
			s.Errorf("turns are %d and %d", over.Generation, last.Generation)
		}
		s.do(func(t *store.Tx) error { _, err := last.SetLogged(t, 3); return errors.Join(err, last.SetMade(t, 4)) })
		before := s.state(source)
		for name, write := range map[string]func(t *store.Tx) error{
			"Complete":  func(t *store.Tx) error { return over.Complete(t, 7, 1) },
			"Fail":      func(t *store.Tx) error { return over.Fail(t, "why", No, func(int) time.Duration { return 0 }) },
			"Lease":     func(t *store.Tx) error { isLast, err := over.Lease(t, 0); return wantOver(isLast, err) },
			"SetMade":   func(t *store.Tx) error { return over.SetMade(t, 5) },
			"SetLogged": func(t *store.Tx) error { isLast, err := over.SetLogged(t, 5); return wantOver(isLast, err) },
			"IsLast":    func(t *store.Tx) error { isLast, err := over.IsLast(t); return wantOver(isLast, err) },
		} {
			s.do(write)
			if after := s.state(source); after != before {
				s.Errorf("%s leaves %+v of %+v", name, after, before)
			}
		}
		s.do(func(t *store.Tx) error {
			logged, err := last.Logged(t)
			if none, err := over.Logged(t); err != nil || logged != 3 || none != 0 {
				s.Errorf("logged are %d and %d, %v", logged, none, err)
			}
			if n, err := LastGeneration(t); err != nil || n != last.Generation {
				s.Errorf("the last one is %d, %v", n, err)
			}
			return err
		})
		if again := s.begin(source); again.LastMade != 4 {
			s.Errorf("the next one begins with %+v", again)
		}
		s.do(func(t *store.Tx) error { return Remove(t, source) })
		s.do(func(t *store.Tx) error {
			if isLast, err := last.IsLast(t); err != nil || isLast {
				s.Errorf("of a source that is removed: %t, %v", isLast, err)
			}
			_, err := Begin(t, source, "process")
			return err
		})
	})
}

func wantOver(isLast bool, err error) error {
	if isLast {
		err = errors.Join(err, errors.New("it counts as the last turn"))
	}
	return err
}

// While a transaction has asked whether a turn is the last, no other process of a server begins one.
func TestTurnIsLastUntilTheCommit(t *testing.T) {
	each(t, func(s *table) {
		if !s.db.Shared {
			return // one process writes
		}
		source := s.enter("a")[0].ID
		n, other := s.begin(source), &table{T: s.T, db: s.again()}
		s.do(func(t *store.Tx) error { _, err := n.Lease(t, 0); return err })
		began := make(chan time.Time, 1)
		var ends time.Time
		s.do(func(t *store.Tx) error {
			isLast, err := n.IsLast(t)
			if !isLast {
				s.Error("it is not the last")
			}
			go func() {
				other.begin(source)
				began <- time.Now()
			}()
			third := &table{T: s.T, db: s.again()}
			third.do(func(t *store.Tx) error { // it does not wait for a row that is locked, but leaves it out
				if _, err := Due(t, "[1]"); !errors.Is(err, sql.ErrNoRows) {
					s.Errorf("a locked row is due: %v", err)
				}
				return nil
			})
			ends = time.Now()
			return err
		})
		if (<-began).Before(ends) {
			s.Error("another turn begins meanwhile")
		}
	})
}

// A source that fails waits as it is told, for longer each time; one that is complete again has no failures.
func TestFailures(t *testing.T) {
	each(t, func(s *table) {
		source := s.enter("a")[0].ID
		for want := range 3 {
			n := s.begin(source)
			s.do(func(t *store.Tx) error {
				return n.Fail(t, "no answer", Nothing, func(failures int) time.Duration {
					if failures != want {
						s.Errorf("%d failures, not %d", failures, want)
					}
					return time.Hour
				})
			})
			got := s.state(source)
			if wait := time.Until(time.UnixMilli(got.NextDue)); wait < 59*time.Minute || wait > time.Hour ||
				got.Failures != want+1 || got.Problem != "no answer" || got.LeasedUntil != 0 || got.Complete != 0 {
				s.Errorf("%+v", got)
			}
		}
		n := s.begin(source)
		s.do(func(t *store.Tx) error { return n.Complete(t, 9, 0) })
		if got := s.state(source); got.Failures != 0 || got.Problem != "" || got.NextDue != 9 || got.Complete == 0 || got.LeasedUntil != 0 {
			s.Errorf("%+v", got)
		}
		if n := s.begin(source); n.LastComplete == 0 {
			s.Error("the next turn does not know of it")
		}
	})
}

// The copy does without a source that the board has refused for four minutes, in turns of which none said otherwise, until it
// has it again.
func TestRefusals(t *testing.T) {
	each(t, func(s *table) {
		source := s.enter("a")[0].ID
		for _, step := range []struct {
			minutes          int // since the last
			says             Word
			refused, leftOut bool
		}{
			{0, Nothing, false, false},
			{0, No, true, false},
			{3, No, true, false},
			{3, Nothing, true, false},
			{0, No, true, true},
			{0, Nothing, true, true},
			{-60, No, true, true},
			{60, Yes, false, false},
			{0, No, true, false},
			{-60, No, true, false}, // the clock was set back: it counts from then on
			{3, No, true, false},
			{1, No, true, true},
		} {
			s.later += time.Duration(step.minutes) * time.Minute
			n := s.begin(source)
			s.do(func(t *store.Tx) error { return n.Fail(t, "why", step.says, func(int) time.Duration { return 0 }) })
			if got := s.state(source); got.Refused != step.refused || got.LeftOut != step.leftOut {
				s.Errorf("%+v: refused %t, left out %t", step, got.Refused, got.LeftOut)
			}
		}
	})
}

// A source goes that nobody has named for long, one that never had anything sooner.
func TestUnnamed(t *testing.T) {
	each(t, func(s *table) {
		s.enter("empty", "has a posting", "has an entry", "complete", "named by this process")
		s.do(func(t *store.Tx) error {
			return t.DoAll(nil, "INSERT INTO listings VALUES (2)", "INSERT INTO entries VALUES (3)", "UPDATE sources SET complete = 5 WHERE id = 4",
				"UPDATE sources SET named = 50")
		})
		for _, test := range []struct {
			since, emptySince int64
			want              []string
		}{
			{50, 50, nil},
			{50, 51, []string{"empty"}},
			{51, 51, []string{"empty", "has a posting", "has an entry", "complete"}},
		} {
			s.do(func(t *store.Tx) error {
				list, err := Unnamed(t, test.since, test.emptySince, "[5]")
				var names []string
				for _, s := range list {
					names = append(names, s.Name)
				}
				if !slices.Equal(names, test.want) {
					s.Errorf("since %d and %d: %q", test.since, test.emptySince, names)
				}
				return err
			})
		}
		s.do(func(t *store.Tx) error {
			others, err := Others(t, "[1, 5]")
			with, err2 := WithIDs(t, "[2, 9]")
			if len(others) != 3 || len(with) != 1 || with[0].Name != "has a posting" {
				s.Errorf("%d others, %d with", len(others), len(with))
			}
			return errors.Join(err, err2)
		})
	})
}

// A channel has a copy in each language, and the oldest copy tells the age.
func TestCopies(t *testing.T) {
	each(t, func(s *table) {
		for _, one := range []Source{
			{Kind: Channel, Name: "a", Language: "en"},
			{Kind: Channel, Name: "a", Language: "de"},
			{Kind: Feed, Name: "a", Language: "fr"},
			{Kind: Channel, Name: "b"},
		} {
			s.do(func(t *store.Tx) error { return Enter(t, &one) })
		}
		s.do(func(t *store.Tx) error {
			return t.DoAll(nil, "UPDATE sources SET complete = 10 * id WHERE id < 4", "UPDATE sources SET left_out = 1 WHERE id = 4")
		})
		s.do(func(t *store.Tx) error {
			list, err := Copies(t, "a")
			if got := fmt.Sprint(list); got != "[{en 10} {de 20}]" {
				s.Errorf("copies are %s", got)
			}
			for channel, want := range map[string]int64{"a": 10, "b": 0, "c": 0} {
				if got, err := Copied(t, channel); err != nil || got != want {
					s.Errorf("%s was copied at %d, %v", channel, got, err)
				}
			}
			if got, err := AllCopied(t); err != nil || got != 10 {
				s.Errorf("all were copied at %d, %v", got, err)
			}
			return err
		})
	})
}

// Who refreshes what is told, until the lease ends or is given back.
func TestUnderWay(t *testing.T) {
	each(t, func(s *table) {
		all := s.enter("a", "b", "c")
		s.later = -time.Second
		two := s.begin(all[1].ID)
		s.later = 0
		one := s.begin(all[0].ID)
		names := func() (names string) {
			s.do(func(t *store.Tx) error {
				list, err := AllUnderWay(t)
				for _, one := range list {
					names += one.Name + " by " + one.Process + ", "
				}
				return err
			})
			return names
		}
		if got := names(); got != "b by process, a by process, " {
			s.Errorf("under way are %s", got)
		}
		s.do(func(t *store.Tx) error { _, err := two.Lease(t, 0); return err })
		if got := names(); got != "a by process, " {
			s.Errorf("then %s", got)
		}
		s.do(func(t *store.Tx) error {
			last, err := LockLast(t, all[0].ID)
			if last.Generation != one.Generation || last.LeasedUntil == 0 || last.Began == 0 {
				s.Errorf("%+v", last)
			}
			return errors.Join(err, EndLeases(t))
		})
		if got := names(); got != "" {
			s.Errorf("after all leases %s", got)
		}
	})
}
