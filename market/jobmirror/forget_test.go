package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// erasing is a board's channel whose postings tell words that are to be erased, or to be kept.
type erasing struct {
	*testing.T
	m *Mirror
}

// The parts of words by which a test finds texts again.
const (
	toErase = "qzerase"
	toKeep  = "qzkept"
)

// post returns a posting of a job, each text of which has a word.
func (b erasing) post(id, job int64, word string) *jobboard.JobPosting {
	word += string(rune('a'+id/26)) + string(rune('a'+id%26)) // the vocabulary has no words with digits
	return &jobboard.JobPosting{
		JobPostingID: jobboard.JobPostingID(id), Title: "Nurse " + word, ApplyOnlineLink: fmt.Sprintf("https://jobs.example/job/%d/%s", job, word),
		Config: jobboard.NewPostingConfig(map[string][]string{
			"platform_internalAdText": {"<p>Ask Jana " + word + "ad</p>"}, "ProjectNumber": {word}, "locationname": {word + "town"},
		}),
	}
}

// show has the first source show postings and no others, and indexes them.
func (b erasing) show(postings ...*jobboard.JobPosting) {
	b.Helper()
	turn := beginTurn(b.T, b.m, b.m.sources[0])
	save(b.T, b.m, b.m.sources[0], turn, postings...)
	do(b.T, b.m, func(in *tx) error {
		rows, err := in.load("1 = 1")
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !slices.ContainsFunc(postings, func(p *jobboard.JobPosting) bool { return p.JobPostingID == r.rec.Posting }) {
				if err := in.Do("DELETE FROM listings WHERE posting = ?", r.id); err != nil {
					return err
				}
			}
		}
		return postingTx{in}.save(rows, "search")
	})
	if err := b.m.index(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// fill copies what is to be erased with job 7, and others. Of job 7 are posting 1; posting 2, which left the copy;
// posting 3, which was job 8's before; posting 5, which is job 10's now; posting 6, of which the log alone tells.
func (b erasing) fill() {
	b.Helper()
	kept := b.post(4, 9, toKeep)
	b.show(b.post(1, 7, toErase), b.post(2, 7, toErase), b.post(3, 8, toErase), b.post(5, 7, toErase), kept)
	saveEntries(b.T, b.m, b.m.sources[2], beginTurn(b.T, b.m, b.m.sources[2]), feedItem{hash: 1, job: 7, postings: []int64{1}, versions: []int64{99}})
	b.show(b.post(1, 7, toErase), b.post(3, 7, toErase), b.post(5, 10, toErase), kept)
	number := nextAnswer(b.T, b.m)
	info := &jobboard.JobInformation{JobID: 7, JobTitle: "Nurse " + toErase + "job", ApplyPossible: true}
	do(b.T, b.m, func(in *tx) error {
		for range changelog.Batch + 100 {
			in.log.Append(changelog.Change{Kind: string(ChangePosting), ID: 6, Job: 7, Before: `{"title":"` + toErase + `"}`, After: "{}"})
		}
		return in.answering(b.m).saveAnswers([]lookedUp{{job: 7, answer: number, info: info}})
	})
	if err := b.m.index(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// columnsWith returns the columns of all tables that have a text somewhere, as "table.column". The pages of SQLite's
// text index are left out: words are compressed there, and stay until it puts pages together.
func (b erasing) columnsWith(text string) (found []string) {
	b.Helper()
	columns := "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'search%'"
	has := "instr(lower(CAST(%s AS TEXT)), '%s') > 0"
	if b.m.db.Shared {
		columns = "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema()"
		has = "position('%[2]s' in lower(CAST(%[1]s AS TEXT))) > 0"
	}
	do(b.T, b.m, func(in *tx) error {
		var list []string
		err := in.Rows(columns, nil, func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			list = append(list, name)
			return err
		})
		if err == nil && len(list) < 100 {
			b.Errorf("it looks into %d columns", len(list))
		}
		for _, name := range list {
			table, column, _ := strings.Cut(name, ".")
			rows, err := in.Numbers("SELECT count(*) FROM " + table + " WHERE " + fmt.Sprintf(has, `"`+column+`"`, text))
			if err != nil {
				return err
			}
			if rows[0] > 0 {
				found = append(found, name)
			}
		}
		return err
	})
	slices.Sort(found)
	return found
}

// wantErased checks that nothing is left of job 7 in the database, that its tombstones say so, and that the log has
// no gap and tells of each erased posting.
func (b erasing) wantErased() {
	b.Helper()
	if left := b.columnsWith(toErase); len(left) > 0 {
		b.Errorf("erased words are in %s", left)
	}
	do(b.T, b.m, func(in *tx) error {
		for _, query := range []string{
			"SELECT count(*) FROM claims WHERE job = 7", "SELECT count(*) FROM jobs WHERE job = 7", "SELECT count(*) FROM changes WHERE job = 7 OR earlier_job = 7",
			"SELECT count(*) FROM forgotten WHERE erased = 0", "SELECT count(*) FROM jobs WHERE last_posting_id IN (1, 2, 3, 5, 6)",
		} {
			if n, err := in.Numbers(query); err != nil || n[0] != 0 {
				b.Errorf("%s: %d, %v", query, n, err)
			}
		}
		return nil
	})
	told := map[string]bool{}
	for c, err := range b.m.Changes(b.Context(), "") {
		if err != nil {
			b.Fatal(err)
		}
		if c.Kind == ChangeForgotten {
			told[fmt.Sprint(c.Language, c.ID)] = true
		}
	}
	want := []string{"job7", "posting1", "posting2", "posting3", "posting5", "posting6"}
	if got := slices.Sorted(maps.Keys(told)); !slices.Equal(got, want) {
		b.Errorf("the log tells of %q", got)
	}
}

// Of a forgotten job and its postings nothing is left in any column of any table: neither of postings that left the copy
// before, nor in what another job keeps of a posting, nor in the vocabulary. What is not theirs stays, and
// no refresh brings them back.
func TestForgetLeavesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		b := erasing{t, m}
		b.fill()
		had := b.columnsWith(toErase)
		for _, name := range []string{
			"changes.after", "changes.before", "jobs.last_posting", "jobs.record",
			"postings.ads", "postings.record", "postings.title", "vocabulary.words",
		} {
			if !slices.Contains(had, name) {
				t.Errorf("before, %s has none of the words, but %s", name, had)
			}
		}
		kept := b.columnsWith(toKeep)
		parts := 0
		FailStatements(m, func(query string) error {
			if strings.HasPrefix(query, "UPDATE changes SET job = NULL") {
				parts++
			}
			return nil
		})
		if err := m.Forget(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		FailStatements(m, nil)
		if parts < 3 {
			t.Errorf("the log is erased in %d parts", parts)
		}
		b.wantErased()
		if still := b.columnsWith(toKeep); !slices.Equal(still, kept) {
			t.Errorf("other words are in %s, and were in %s", still, kept)
		}
		b.show(b.post(1, 7, toErase), b.post(2, 7, toErase), b.post(3, 7, toErase), b.post(5, 10, toErase), b.post(4, 9, toKeep))
		b.wantErased()
		if err := m.Forget(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		b.wantErased()
	})
}

// A forgotten posting is erased in the same way; its job stays.
func TestForgetPosting(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		b := erasing{t, m}
		b.show(b.post(1, 7, toKeep), b.post(2, 7, toErase), b.post(3, 8, toErase))
		b.show(b.post(1, 7, toKeep), b.post(2, 8, toErase))
		for _, id := range []jobboard.JobPostingID{2, 3} {
			if err := m.ForgetPosting(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if left := b.columnsWith(toErase); len(left) > 0 {
			t.Errorf("erased words are in %s", left)
		}
		b.show(b.post(1, 7, toKeep), b.post(2, 7, toErase))
		if j, err := m.Job(t.Context(), 7); j == nil || len(j.Postings) != 1 || j.Postings[0].Posting != 1 {
			t.Errorf("the job has %+v, %v", j, err)
		}
	})
}

// A process that is killed at any statement of Forget has begun nothing, or the next refresh goes on to the end.
func TestKilledInForget(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		b := erasing{t, m}
		b.fill()
		n := b.forgetUntil(0)
		b.wantErased()
		for _, at := range testenv.Some(t, 4, numbersTo(n)) {
			address := Databases["sqlite"](t)
			if m.db.Shared {
				address = Databases["postgres"](t)
			}
			b := erasing{t, guardedAt(t, address)}
			b.fill()
			had := b.columnsWith(toErase)
			b.forgetUntil(at)
			if err := b.m.prune(t.Context()); err != nil {
				t.Fatal(err)
			}
			begun := false
			do(t, b.m, func(in *tx) error {
				list, err := in.Numbers("SELECT id FROM forgotten")
				begun = len(list) > 0
				return err
			})
			if begun {
				b.wantErased()
			} else if has := b.columnsWith(toErase); !slices.Equal(has, had) {
				t.Errorf("killed at %d nothing is begun, and words are in %s", at, has)
			}
		}
	})
}

// numbersTo returns the numbers from 1 to n.
func numbersTo(n int) (list []int) {
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

// forgetUntil forgets job 7, and fails from a statement on; 0: from none. It returns how many there were.
func (b erasing) forgetUntil(at int) (n int) {
	b.Helper()
	var mu sync.Mutex
	FailStatements(b.m, func(string) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; at > 0 && n >= at {
			return errors.New("killed")
		}
		return nil
	})
	err := b.m.Forget(b.Context(), 7)
	FailStatements(b.m, nil)
	if (err != nil) != (at > 0) {
		b.Fatalf("from statement %d on killed, it ends with %v", at, err)
	}
	return n
}

// A job of more postings than go in one transaction is erased in several, and one that is killed between them is gone on with.
func TestForgetManyPostings(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		b := erasing{t, m}
		var list []*jobboard.JobPosting
		for id := range int64(forgetPart + 20) {
			list = append(list, b.post(id+1, 7, toErase))
		}
		b.show(list...)
		locked := 0
		FailStatements(m, func(query string) error {
			if strings.HasPrefix(query, "SELECT id FROM sources ORDER BY id") {
				if locked++; locked > 1 {
					return errors.New("killed")
				}
			}
			return nil
		})
		if err := m.Forget(t.Context(), 7); err == nil {
			t.Error("it takes one transaction")
		}
		FailStatements(m, nil)
		left := func() (n int) {
			t.Helper()
			if err := m.db.Ask(context.WithoutCancel(t.Context()), "SELECT count(*) FROM postings", nil, &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := left(); n != 20 {
			t.Errorf("after the first part %d postings are left", n)
		}
		if err := m.prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if has := b.columnsWith(toErase); left() != 0 || len(has) != 0 {
			t.Errorf("gone on with, %d postings are left, and words in %s", left(), has)
		}
	})
}
