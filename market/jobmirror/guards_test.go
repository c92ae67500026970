package jobmirror

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// guarded is a mirror of two channels and a feed whose steps a test takes one by
// one, in the order in which two processes, or a slow answer, could.
func guarded(t *testing.T) *Mirror {
	t.Helper()
	return guardedAt(t, filepath.Join(t.TempDir(), "jobs.db"))
}

// onEach runs a test with such a mirror, as OnEach does.
func onEach(t *testing.T, f func(t *testing.T, m *Mirror)) {
	t.Helper()
	OnEach(t, func(t *testing.T, address string) { f(t, guardedAt(t, address)) })
}

// onBoth runs a test with such a mirror, as OnBoth does.
func onBoth(t *testing.T, f func(t *testing.T, m *Mirror)) {
	t.Helper()
	OnBoth(t, func(t *testing.T, address string) { f(t, guardedAt(t, address)) })
}

// endsWhenAsked is a context that ends when it is asked whether it has.
type endsWhenAsked struct {
	context.Context
	end func()
}

func (e endsWhenAsked) Err() error {
	e.end()
	return e.Context.Err()
}

// A transaction whose context ends just as it has begun gives its connection back, and lets
// the next one in.
func TestContextEndsAsATransactionBegins(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		transact := map[string]func(context.Context, func(*tx) error) error{"view": m.db.view}
		if !m.db.Shared { // on a server an update's context is another one, with a deadline
			transact["update"] = m.db.update
		}
		for name, run := range transact {
			ctx, cancel := context.WithCancel(t.Context())
			err := run(endsWhenAsked{ctx, cancel}, func(*tx) error { return errors.New("it goes on") })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			if err := run(t.Context(), func(*tx) error { return nil }); err != nil {
				t.Errorf("the next %s: %v", name, err)
			}
		}
	})
}

func guardedAt(t *testing.T, address string) *Mirror {
	t.Helper()
	return OpenFor(t, address, Options{
		Config:   jobboard.Config{BaseURL: "http://127.0.0.1:1", JobDBURL: "http://127.0.0.1:1", ClientID: "10"},
		Channels: []Channel{{ID: "whole"}, {ID: "part"}},
		Feeds:    []Feed{{Address: "none.xml"}},
	})
}

// OpenFor opens a mirror until a test ends.
func OpenFor(t *testing.T, address string, opts Options) *Mirror {
	t.Helper()
	m, err := Open(t.Context(), address, opts)
	if err != nil {
		t.Fatal(err)
	}
	m.db.search.StaleFor = 0 // tests count what they have just changed
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func do(t *testing.T, m *Mirror, f func(*tx) error) {
	t.Helper()
	if err := m.db.update(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func beginTurn(t *testing.T, m *Mirror, src *source) turn {
	t.Helper()
	var out turn
	do(t, m, func(t *tx) (err error) {
		out, err = t.begin(&src.Source, "")
		return err
	})
	var err error
	if out.shown, err = m.shown(t.Context(), &src.Source); err != nil {
		t.Fatal(err)
	}
	return out
}

const linkTo7 = "https://jobs.example/job/7/x"

// savePosting writes a posting whose link names job 7.
func savePosting(t *testing.T, m *Mirror, src *source, turn turn, id jobboard.JobPostingID, title string) {
	t.Helper()
	save(t, m, src, turn, &jobboard.JobPosting{JobPostingID: id, Title: title, ApplyOnlineLink: linkTo7})
}

// save writes what a search shows.
func save(t *testing.T, m *Mirror, src *source, turn turn, postings ...*jobboard.JobPosting) {
	t.Helper()
	do(t, m, func(t *tx) error {
		return channelTx{t.refreshing(&src.Source, turn)}.savePostings(itemsOf(postings...))
	})
}

// saveEntries writes what a feed shows.
func saveEntries(t *testing.T, m *Mirror, src *source, turn turn, items ...feedItem) {
	t.Helper()
	do(t, m, func(t *tx) error {
		return feedTx{t.refreshing(&src.Source, turn)}.saveEntries(items)
	})
}

// want makes jobs due.
func want(t *testing.T, m *Mirror, jobs ...int64) {
	t.Helper()
	do(t, m, func(t *tx) error { return t.lookups.Put(jobs) })
}

// nextAnswer takes the number of an answer.
func nextAnswer(t *testing.T, m *Mirror) (number int64) {
	t.Helper()
	do(t, m, func(t *tx) (err error) { number, err = t.Next(lookups.Answers); return err })
	return number
}

// nurse returns the answer of a lookup of job 7 while it is open.
var nurse = &jobboard.JobInformation{JobID: 7, JobTitle: "Nurse", ApplyPossible: true}

// answered writes what a lookup of job 7 found.
func answered(t *testing.T, m *Mirror, number int64, info *jobboard.JobInformation, err error) {
	t.Helper()
	do(t, m, func(t *tx) error {
		return t.answering(m).saveAnswers([]lookedUp{{job: 7, answer: number, info: info, err: err}})
	})
}

// titles are the titles of the postings in the copy.
func titles(t *testing.T, m *Mirror) (out []string) {
	t.Helper()
	err := m.Snapshot(t.Context(), func(_ Cursor, rows iter.Seq2[Row, error]) error {
		for row, err := range rows {
			if err != nil {
				return err
			}
			if row.Posting != nil {
				out = append(out, row.Posting.Title)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// A lookup that was sent first and answers last does not put back the past, and
// neither does its failure.
func TestLateLookupChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		want(t, m, 7)
		answered(t, m, 5, nil, jobboard.ErrJobInactive)
		for name, late := range map[string]lookedUp{
			"an answer": {answer: 4, info: nurse}, "its own again": {answer: 5, info: nurse}, "a failure": {answer: 3, err: errors.New("reset")},
		} {
			answered(t, m, late.answer, late.info, late.err)
			if j, err := m.Job(t.Context(), 7); err != nil || j.State != StateInactive || j.Failures != 0 {
				t.Errorf("%s that is late makes of an inactive job %+v, %v", name, j, err)
			}
		}
		answered(t, m, 6, nurse, nil)
		if j, err := m.Job(t.Context(), 7); err != nil || j.State != StateOpen {
			t.Errorf("a newer answer makes of it %+v, %v", j, err)
		}
		CheckReplay(t, m)
	})
}

// A lookup that was sent before its job changed, and is written after the refresh
// that saw the change, leaves the job due.
func TestLookupBeforeAChangeIsAskedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		want(t, m, 7)
		before := nextAnswer(t, m)
		want(t, m, 7)
		after := nextAnswer(t, m)
		answered(t, m, before, nurse, nil)
		if j, err := m.Job(t.Context(), 7); err != nil || j.NextLookup.After(time.Now()) {
			t.Errorf("the job is not due, though it changed after the lookup was sent: %+v, %v", j, err)
		}
		answered(t, m, after, nurse, nil)
		if j, err := m.Job(t.Context(), 7); err != nil || !j.NextLookup.After(time.Now()) {
			t.Errorf("the job is still due after a lookup that was sent later: %+v, %v", j, err)
		}
	})
}

// A search that was sent first and is written last does not put back an older
// posting, and yet notes that its source shows the posting.
func TestLateSearchChangesNoPosting(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		whole, part := m.sources[0], m.sources[1]
		older, newer := beginTurn(t, m, whole), beginTurn(t, m, part)
		savePosting(t, m, part, newer, 1, "Nurse, new")
		savePosting(t, m, whole, older, 1, "Nurse, old")
		if got := titles(t, m); !slices.Equal(got, []string{"Nurse, new"}) {
			t.Errorf("the copy has %q", got)
		}
		page, err := m.Search(t.Context(), Query{})
		if err != nil || len(page.Postings) != 0 { // nothing is indexed yet
			t.Errorf("%+v, %v", page, err)
		}
		if err := m.index(t.Context()); err != nil {
			t.Fatal(err)
		}
		page, err = m.Search(t.Context(), Query{Channel: "whole"})
		if err != nil || len(page.Postings) != 1 || len(page.Postings[0].Sources) != 2 {
			t.Errorf("%+v, %v", page, err)
		}
		CheckReplay(t, m)
	})
}

// A refresh whose source another one began to refresh meanwhile writes nothing more, and
// removes nothing: neither at the beginning of its sweep nor during it.
func TestRefreshWhoseTurnIsOver(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		src, feed := m.sources[0], m.sources[2]
		first := beginTurn(t, m, src)
		for i := range 3 {
			savePosting(t, m, src, first, jobboard.JobPostingID(i+1), "Nurse")
		}
		slow := beginTurn(t, m, src) // sees nothing, and is slow
		fast := beginTurn(t, m, src)
		savePosting(t, m, src, fast, 1, "Nurse")
		if err := (&refresher{m, src, slow}).sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, m); len(got) != 3 {
			t.Errorf("a sweep whose turn is over leaves %q", got)
		}
		do(t, m, func(tx *tx) error {
			held, err := store.Value[int](tx, "SELECT count(*) FROM listings WHERE state <> 'shown'")
			if held > 0 {
				t.Errorf("a sweep whose turn is over holds %d rows", held)
			}
			return err
		})
		savePosting(t, m, src, slow, 4, "Late")
		if got := titles(t, m); len(got) != 3 {
			t.Errorf("a refresh whose turn is over writes %q", got)
		}
		// In the middle of the sweep: rows are marked, and then the turn ends.
		marked := beginTurn(t, m, src)
		do(t, m, func(t *tx) error {
			_, err := t.Exec("UPDATE listings SET state = 'going' WHERE source = ?", src.ID)
			return err
		})
		beginTurn(t, m, src)
		if err := m.drop(t.Context(), &src.Source, marked); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, m); len(got) != 3 {
			t.Errorf("the rest of a sweep whose turn is over leaves %q", got)
		}

		entries := func() (n int) {
			do(t, m, func(t *tx) error { return t.Row("SELECT count(*) FROM entries", nil, &n) })
			return n
		}
		saveEntries(t, m, feed, beginTurn(t, m, feed), feedItem{hash: 11, job: 11, postings: []int64{1}})
		over := beginTurn(t, m, feed)
		now := beginTurn(t, m, feed)
		saveEntries(t, m, feed, over, feedItem{hash: 12, job: 12, postings: []int64{1}})
		if err := (&refresher{m, feed, over}).sweep(t.Context()); err != nil || entries() != 1 {
			t.Errorf("a refresh of a feed whose turn is over leaves %d entries, %v", entries(), err)
		}
		do(t, m, func(t *tx) error {
			_, err := t.Exec("UPDATE entries SET state = 'going'")
			return err
		})
		if err := m.drop(t.Context(), &feed.Source, over); err != nil || entries() != 1 {
			t.Errorf("the rest of its sweep leaves %d, %v", entries(), err)
		}
		if err := (&refresher{m, feed, now}).sweep(t.Context()); err != nil || entries() != 0 {
			t.Errorf("the one whose turn it is leaves %d, %v", entries(), err)
		}
		CheckReplay(t, m)
	})
}

// A feed that claimed a posting for another job claims it no more, and so the job of the
// posting's own link comes back, which no source named until now: it is looked up.
func TestJobOfALinkIsLookedUp(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		src, feed := m.sources[0], m.sources[2]
		saveEntries(t, m, feed, beginTurn(t, m, feed), feedItem{hash: 1, job: 9, postings: []int64{1}})
		savePosting(t, m, src, beginTurn(t, m, src), 1, nurse.JobTitle)
		do(t, m, func(t *tx) error {
			return feedTx{t.refreshing(&feed.Source, turn{})}.dropEntries([]int64{1}, "test")
		})
		if jobs := due(t, m); !slices.Contains(jobs, 7) {
			t.Errorf("%v are looked up, not job 7", jobs)
		}
		answered(t, m, nextAnswer(t, m), nurse, nil)
		postings, err := m.Postings(t.Context(), 7)
		if err != nil || len(postings) != 1 || !postings[0].Confirmed {
			t.Errorf("the posting has not the title of its job: %+v, %v", postings, err)
		}
	})
}

// What was read before a job was forgotten, and is written after it, does not
// bring the job back: neither a search, nor a feed, nor a lookup.
func TestLateAnswersBringNothingForgottenBack(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		src, feed := m.sources[0], m.sources[2]
		turn, feedTurn := beginTurn(t, m, src), beginTurn(t, m, feed)
		savePosting(t, m, src, turn, 1, "Nurse")
		entry := func(hash int64) { // says that posting 5 is job 7's
			saveEntries(t, m, feed, feedTurn, feedItem{hash: hash, job: 7, postings: []int64{5}})
		}
		entry(1)
		save(t, m, src, turn, &jobboard.JobPosting{JobPostingID: 5, Title: "Nurse by the feed"})
		answered(t, m, 10, nurse, nil)
		if _, err := m.Job(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		if err := m.Forget(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		answered(t, m, 11, nurse, nil)
		savePosting(t, m, src, turn, 1, "Nurse, changed") // the same posting
		savePosting(t, m, src, turn, 2, "Nurse of the same job")
		save(t, m, src, turn, &jobboard.JobPosting{JobPostingID: 5, Title: "Nurse by the feed, changed"})
		entry(2)
		want(t, m, 7)
		answered(t, m, 12, nurse, nil)
		if j, err := m.Job(t.Context(), 7); !errors.Is(err, ErrUnknown) {
			t.Errorf("the job is back: %+v, %v", j, err)
		}
		if got := titles(t, m); len(got) != 0 {
			t.Errorf("its postings are back: %q", got)
		}
		for change, err := range m.Changes(context.WithoutCancel(t.Context()), "") {
			if err != nil || change.Before != nil || change.After != nil {
				t.Errorf("the log has %+v, %v", change, err)
			}
		}
	})
}

// Who ends asking about held rows leaves it to others if a complete refresh has ended
// since, which has the jobs asked about anew.
func TestRefreshEndsWhileItIsAskedAboutHeldRows(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		src := m.sources[0]
		note := func(answer int) {
			do(t, m, func(t *tx) error {
				_, err := t.Exec("UPDATE sources SET last_answer = ?, held_lease = 1 WHERE id = ?", answer, src.ID)
				return err
			})
		}
		end := func(before func()) (asking int64) {
			w := &worker{m, "process"}
			var held *sources.Held
			do(t, m, func(t *tx) (err error) {
				_, held, _, err = w.takeHeld(t)
				return err
			})
			if held == nil || held.ID != src.ID {
				t.Fatalf("no source needs answers: %+v", held)
			}
			before()
			if err := w.endHeldLookups(t.Context(), held); err != nil {
				t.Fatal(err)
			}
			do(t, m, func(t *tx) (err error) {
				asking, err = store.Value[int64](t, "SELECT held_lease FROM sources WHERE id = ?", src.ID)
				return err
			})
			return asking
		}
		note(5)
		if asking := end(func() { note(6) }); asking != 1 {
			t.Errorf("after a refresh that ended meanwhile: %d", asking)
		}
		if asking := end(func() {}); asking != 0 {
			t.Errorf("after no refresh: %d", asking)
		}
		open := []lookedUp{{job: 7, answer: 7, info: nurse}}
		for answer, want := range map[int64]int{5: 0, 6: 1} { // of the source's last complete refresh when they were asked
			do(t, m, func(t *tx) error {
				_, err := t.Exec("UPDATE sources SET opens = 0 WHERE id = ?", src.ID)
				if err == nil {
					err = t.answering(m).countOpens(&sources.Held{Source: src.Source, Answer: answer}, open)
				}
				return err
			})
			do(t, m, func(tx *tx) error {
				opens, err := store.Value[int](tx, "SELECT opens FROM sources WHERE id = ?", src.ID)
				if opens != want {
					t.Errorf("an answer of turn %d is counted %d times in turn 6", answer, opens)
				}
				return err
			})
		}
	})
}

// A lookup for a held row that fails leaves the job to the next refresh, unless a newer answer is
// waited for.
func TestFailedLookupOfAHeldRow(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		fail := func() (wait time.Duration) {
			number := nextAnswer(t, m)
			do(t, m, func(tx *tx) error {
				err := tx.answering(m).saveAnswers([]lookedUp{{job: 7, answer: number, err: errors.New("500"), held: true}})
				if err != nil {
					return err
				}
				due, err := store.Value[int64](tx, "SELECT next_due FROM jobs WHERE job = 7")
				wait = time.Duration(due-tx.Now) * time.Millisecond
				return err
			})
			return wait
		}
		want(t, m, 7)
		number := nextAnswer(t, m)
		do(t, m, func(t *tx) error {
			return t.answering(m).saveAnswers([]lookedUp{{job: 7, answer: number, info: nurse}})
		})
		if wait := fail(); wait < m.opts.LookupEvery/2 {
			t.Errorf("the next refresh asks anyway, and yet the job is due after %s", wait)
		}
		want(t, m, 7)
		if wait := fail(); wait > 5*time.Minute {
			t.Errorf("a newer answer is waited for, and the job is due after %s", wait)
		}
	})
}
