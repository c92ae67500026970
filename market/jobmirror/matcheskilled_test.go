package jobmirror_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// killedSaved are the saved searches of the reader that is killed.
var killedSaved = map[string]jobmirror.SavedSearch{
	"new": {Text: "new"}, "changed": {Text: "changed"}, "nurse": {Text: "nurse"}, "number": {Text: "1"}, "all": {}, "english": {Language: "en"},
}

func killedSearches() (*jobmirror.Searches, error) {
	searches := &jobmirror.Searches{}
	for key, saved := range killedSaved {
		if err := searches.Set(key, saved); err != nil {
			return nil, err
		}
	}
	return searches, nil
}

// toldFile is what the owner of searches stores: a line for each pair of a search and a job that he was
// told of, the number of the reader's life before it, and now and then the cursor.
type toldFile struct {
	cursor  jobmirror.Cursor
	life    int
	told    map[pair]int   // how often
	within  map[pair][]int // in which lives
	matches int
}

func readTold(path string) (toldFile, error) {
	f := toldFile{told: map[pair]int{}, within: map[pair][]int{}}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var p pair
		switch words := strings.Fields(lines.Text()); words[0] {
		case "life":
			f.life++
		case "cursor":
			f.cursor = jobmirror.Cursor(words[1])
		default:
			if _, err := fmt.Sscan(words[1], &p.job); err != nil {
				return f, err
			}
			p.search = words[0]
			f.told[p]++
			f.within[p] = append(f.within[p], f.life)
			f.matches++
		}
	}
	return f, lines.Err()
}

// tellMatches reads the matches to the end of the log, and stores them. It stores the cursor after some of
// them, so that who is killed is told something again.
func tellMatches(ctx context.Context, m *jobmirror.Mirror, path string, r *rand.Rand) error {
	searches, err := killedSearches()
	if err != nil {
		return err
	}
	before, err := readTold(path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	last := before.cursor
	for match, err := range m.Matches(ctx, searches, before.cursor) {
		if err != nil {
			return err
		}
		var text strings.Builder
		for _, key := range match.Searches {
			fmt.Fprintf(&text, "%s %d\n", key, match.Posting.Job)
		}
		if last = match.Cursor; r.IntN(4) == 0 {
			fmt.Fprintf(&text, "cursor %s\n", last)
		}
		if _, err := file.WriteString(text.String()); err != nil { // one write is whole, or not there
			return err
		}
	}
	if last != before.cursor {
		_, err = fmt.Fprintf(file, "cursor %s\n", last)
	}
	return err
}

// beginLife notes that another process reads on.
func beginLife(path string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString("life\n")
	return errors.Join(err, file.Close())
}

// matchesChild is a process that tells matches until it is killed.
func matchesChild(ctx context.Context, o childOptions) error {
	m, err := jobmirror.Open(ctx, o.Database, jobmirror.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	if err := beginLife(o.Matches); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for {
		if err := tellMatches(ctx, m, o.Matches, r); err != nil {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Over kill -9 of the process that reads matches and of those that write, at any moment, nothing is missed of what
// somebody is told who reads the whole log in peace, and of what the searches find in the end. A pair is told
// again only after the reader was killed.
func TestMatchesThroughKills(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		r := rand.New(rand.NewPCG(15, 16))
		var jobs []int64
		for i := range 30 {
			job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: fmt.Sprint("Nurse ", i), Language: "de"})
			jobs = append(jobs, job.ID)
		}
		writer := childOptions{Database: address, BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, Channel: srv.Demo.Channel, Feed: srv.FeedURL, Limit: -1}
		reader := writer
		reader.Matches = filepath.Join(t.TempDir(), "told")
		if err := open(t, address, writer.options()).Close(); err != nil { // the tables are there
			t.Fatal(err)
		}
		writers := make([]*exec.Cmd, 1)
		if strings.HasPrefix(address, "postgres") {
			writers = make([]*exec.Cmd, 2)
		}
		for i := range writers {
			writers[i] = startChild(t, writer)
		}
		reading := startChild(t, reader)
		kill := func(c *exec.Cmd) {
			t.Helper()
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
		}
		until(t, time.Minute, "a match is told", func() bool {
			got, err := readTold(reader.Matches)
			return err == nil && got.matches > 0
		})
		kills, deaths := 0, 0
		for i := range size(7, 300) {
			for range 4 {
				jobs = stir(srv, r, jobs, i)
			}
			<-time.After(time.Duration(300+r.IntN(500)) * time.Millisecond)
			if at := r.IntN(2 * len(writers)); at < len(writers) {
				kill(writers[at])
				leasesOfKilledEnd(t, address)
				writers[at] = startChild(t, writer)
				deaths++
			} else {
				kill(reading)
				reading = startChild(t, reader)
				kills++
			}
		}
		kill(reading)
		for _, c := range writers {
			kill(c)
		}
		leasesEnd(t, address)
		opts := writer.options()
		opts.RefreshEvery, opts.LookupEvery = time.Hour, time.Hour
		m := open(t, address, opts)
		if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1"); err != nil {
			t.Fatal(err)
		}
		refresh(t, m)

		got, err := readTold(reader.Matches)
		if err != nil || got.matches == 0 {
			t.Fatalf("%d matches are told by killed readers, %v", got.matches, err)
		}
		if err := beginLife(reader.Matches); err != nil {
			t.Fatal(err)
		}
		if err := tellMatches(t.Context(), m, reader.Matches, r); err != nil {
			t.Fatal(err)
		}
		calm := filepath.Join(t.TempDir(), "calm")
		if err := tellMatches(t.Context(), m, calm, r); err != nil {
			t.Fatal(err)
		}
		if got, err = readTold(reader.Matches); err != nil {
			t.Fatal(err)
		}
		want, err := readTold(calm)
		if err != nil {
			t.Fatal(err)
		}
		checkTold(t, m, got, want)
		repeats := got.matches - len(got.told)
		t.Logf("figure: %d pairs are told over %d kills of the reader and %d of writers; %d times one again", len(got.told), kills, deaths, repeats)
	})
}

// leasesOfKilledEnd does what leasesEnd does beside processes that work, whose rows it leaves.
func leasesOfKilledEnd(t *testing.T, address string) {
	t.Helper()
	if strings.HasPrefix(address, "postgres") {
		execute(t, address, `UPDATE sources SET leased_until = leased_until - 18000
			WHERE id IN (SELECT id FROM sources WHERE leased_until > 0 FOR UPDATE SKIP LOCKED)`)
		execute(t, address, `UPDATE jobs SET leased_until = leased_until - 28000
			WHERE job IN (SELECT job FROM jobs WHERE leased_until > 0 FOR UPDATE SKIP LOCKED)`)
	}
}

// checkTold holds what a killed reader told against what a calm one told, and what the searches find in the
// end.
func checkTold(t *testing.T, m *jobmirror.Mirror, got, want toldFile) {
	t.Helper()
	for key, saved := range killedSaved {
		q := saved.Query()
		q.Limit = 1000
		for _, p := range find(t, m, q) {
			if _, err := m.Job(t.Context(), p.Job); p.Job != 0 && err == nil {
				want.told[pair{key, p.Job}]++
			}
		}
	}
	for p := range want.told {
		if got.told[p] == 0 {
			t.Errorf("%v is missed", p)
		}
	}
	for p := range got.told {
		if want.told[p] == 0 {
			t.Errorf("%v is told, and a calm reader is not told of it", p)
		}
	}
	for p, lives := range got.within {
		for i := range lives[1:] {
			if lives[i] == lives[i+1] {
				t.Errorf("%v is told again without a kill", p)
			}
		}
	}
	if _, ok := got.told[pair{"all", jobboard.JobID(0)}]; ok {
		t.Error("a job is told that is not known")
	}
}
