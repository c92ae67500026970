package jobsync_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobsync"
)

func mustOpen(tb testing.TB, path, name string) *jobsync.Checkpoint {
	tb.Helper()
	c, err := jobsync.Open(path, name)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// pending is what is left of the jobs 1 to n.
func pending(c *jobsync.Checkpoint, n int) (left []jobboard.JobID) {
	for job, err := range c.Pending(jobboard.Jobs(upTo(n)...)) {
		if err != nil {
			panic(err) // the input has none
		}
		left = append(left, job)
	}
	return left
}

func upTo(n int) (jobs []jobboard.JobID) {
	for i := range n {
		jobs = append(jobs, jobboard.JobID(i+1))
	}
	return jobs
}

func record(tb testing.TB, c *jobsync.Checkpoint, jobs ...jobboard.JobID) {
	tb.Helper()
	if err := c.Done(jobs...); err != nil {
		tb.Fatal(err)
	}
}

func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "done")
	c := mustOpen(t, path, "run")
	record(t, c, 1, 3, 3, 0, -1)
	record(t, c, 5)
	record(t, c)
	record(t, c, 1, 5)
	if left := pending(c, 6); !slices.Equal(left, []jobboard.JobID{2, 4, 6}) {
		t.Errorf("left %v", left)
	}
	before, _ := os.ReadFile(path)
	if n := bytes.Count(before, []byte("\n")); n != 3 {
		t.Errorf("%d lines:\n%s", n, before)
	}
	again := mustOpen(t, path, "run") // as after a crash: nothing was closed
	if left := pending(again, 6); !slices.Equal(left, []jobboard.JobID{2, 4, 6}) {
		t.Errorf("left %v", left)
	}
	record(t, again, 2, 4, 6)
	if left := pending(mustOpen(t, path, "run"), 6); left != nil {
		t.Errorf("left %v", left)
	}
	if after, _ := os.ReadFile(path); !bytes.HasPrefix(after, before) {
		t.Error("an intact file was not continued")
	}
}

// Another run begins anew; so does a name that only begins alike.
func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "done")
	names := []string{"feed of 2026-01-31", "feed of 2026-01-3", "feed of 2026-01-31\n2", "", strings.Repeat("x", 1024)}
	for _, name := range names {
		c := mustOpen(t, path, name)
		if left := pending(c, 3); len(left) != 3 {
			t.Errorf("%q: left %v", name, left)
		}
		record(t, c, 1, 2)
		if left := pending(mustOpen(t, path, name), 3); len(left) != 1 {
			t.Errorf("%q: left %v", name, left)
		}
	}
	if _, err := jobsync.Open(path, strings.Repeat("x", 1025)); !errors.Is(err, jobboard.ErrInvalidInput) {
		t.Errorf("%v", err)
	}
}

func TestProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "done")
	record(t, mustOpen(t, path, "run"), 1, 2)
	c := mustOpen(t, path, "run")
	var told []jobsync.Progress
	c.Notify = func(p jobsync.Progress) { told = append(told, p) }
	broken := errors.New("broken entry")
	input := func(yield func(jobboard.JobID, error) bool) {
		for _, job := range []jobboard.JobID{1, 3, 3, 0, 4, 2, 4, 1} {
			if job == 0 && !yield(0, broken) || job != 0 && !yield(job, nil) {
				return
			}
		}
	}
	var jobs []jobboard.JobID
	for job, err := range c.Pending(input) {
		if (job == 0) != errors.Is(err, broken) {
			t.Errorf("%d: %v", job, err)
		}
		jobs = append(jobs, job)
	}
	if !slices.Equal(jobs, []jobboard.JobID{3, 0, 4}) {
		t.Errorf("%v", jobs)
	}
	record(t, c, 3, 0)
	record(t, c, 3) // nothing new: not told
	want := jobsync.Progress{Read: 8, Broken: 1, Repeated: 2, Skipped: 3, Started: 2, Done: 1, Recorded: 3}
	if c.Progress() != want || !slices.Equal(told, []jobsync.Progress{want}) {
		t.Errorf("%+v, told %+v", c.Progress(), told)
	}
	// What was handed out and is not done comes again, in the same program too.
	if left := pending(c, 4); !slices.Equal(left, []jobboard.JobID{4}) {
		t.Errorf("left %v", left)
	}
	// Breaking off is fine.
	for job, err := range c.Pending(jobboard.Jobs(7, 8, 9)) {
		if job != 7 || err != nil {
			t.Errorf("%d, %v", job, err)
		}
		break
	}
}

// Wherever the file is cut off, each whole line counts, the rest comes again,
// and the run ends with every job done.
func TestCutAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "done")
	c := mustOpen(t, path, "a run")
	begin, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	type mark struct {
		size int
		done int
	}
	marks := []mark{{int(begin.Size()), 0}}
	done := 0
	for _, n := range []int{1, 3, 11, 2, 40} {
		record(t, c, upTo(100)[done:done+n]...)
		done += n
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		marks = append(marks, mark{int(info.Size()), done})
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		want := 0
		for _, m := range marks {
			if m.size <= n {
				want = m.done
			}
		}
		cut := filepath.Join(dir, "cut")
		if err := os.WriteFile(cut, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		c := mustOpen(t, cut, "a run")
		left := pending(c, 60)
		if !slices.Equal(left, upTo(60)[want:]) {
			t.Fatalf("cut at %d: left %v, want all after %d", n, left, want)
		}
		record(t, c, left...)
		c.Close()
		if left := pending(mustOpen(t, cut, "a run"), 60); left != nil {
			t.Fatalf("cut at %d: left %v at the end", n, left)
		}
	}
}

// Damage anywhere costs at most the lines it hits, and never makes a job done
// that is not.
func TestDamageAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "done")
	c := mustOpen(t, path, "a run")
	const lines = 4
	for i := range lines {
		record(t, c, upTo(100)[i*10:i*10+10]...)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for n := range whole {
		for _, flip := range []byte{1, 0x80, whole[n], whole[n] ^ '\n', whole[n] ^ ' '} { // the last three: 0, a line's end, a space
			if flip == 0 {
				continue
			}
			damaged := bytes.Clone(whole)
			damaged[n] ^= flip
			file := filepath.Join(dir, "damaged")
			if err := os.WriteFile(file, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			c, err := jobsync.Open(file, "a run")
			if err != nil {
				if n < len("jobsync 1 ") && errors.Is(err, jobsync.ErrNotCheckpoint) {
					continue
				}
				t.Fatalf("byte %d: %v", n, err)
			}
			left := pending(c, 100)
			c.Close()
			if !slices.IsSorted(left) || !slices.Equal(left[len(left)-60:], upTo(100)[40:]) {
				t.Fatalf("byte %d: a job that was not recorded is done: %v", n, left)
			}
			if n >= first && len(left) > 60+20 {
				t.Fatalf("byte %d: left %v", n, left)
			}
		}
	}
}

// Done jobs of many lines, and lines of foreign length.
func TestLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "done")
	c := mustOpen(t, path, "run")
	record(t, c, upTo(5000)...)
	c.Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, strings.Repeat("1 ", 200_000)+"\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	c = mustOpen(t, path, "run")
	if p := c.Progress(); p.Recorded != 5000 {
		t.Errorf("%+v", p)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 50_000 {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

func TestForeignFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "notes.txt")
	for _, text := range []string{"my notes", "jobsync 2 ...", "x", "jobsync  1 "} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := jobsync.Open(path, "run"); !errors.Is(err, jobsync.ErrNotCheckpoint) {
			t.Errorf("%q: %v", text, err)
		}
		if b, err := os.ReadFile(path); string(b) != text {
			t.Errorf("%q became %q, %v", text, b, err)
		}
	}
	if _, err := jobsync.Open(filepath.Join(dir, "none", "done"), "run"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := jobsync.Open(dir, "run"); err == nil {
		t.Error("a directory was opened")
	}
	c := mustOpen(t, filepath.Join(dir, "done"), "run")
	c.Close()
	if err := c.Done(1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// A crash before the rename leaves its file behind, here a longer one of a run
// that had done more. It is in nobody's way.
func TestCrashWhileReplacing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "done")
	record(t, mustOpen(t, path, "other run"), 1)
	left := mustOpen(t, path+".new", "run")
	for job := range 50 {
		record(t, left, jobboard.JobID(job+1))
	}
	for range 2 {
		if left := pending(mustOpen(t, path, "run"), 50); len(left) != 50 {
			t.Errorf("left %v", left)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "done")
	c := mustOpen(t, path, "run")
	var mu sync.Mutex
	told := 0
	c.Notify = func(jobsync.Progress) { mu.Lock(); told++; mu.Unlock() }
	const workers, each = 8, 25
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				if err := c.Done(jobboard.JobID(1 + w*each + i)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() { pending(c, workers*each); c.Progress() })
	}
	wg.Wait()
	if left := pending(mustOpen(t, path, "run"), workers*each+1); !slices.Equal(left, []jobboard.JobID{workers*each + 1}) || told != workers*each {
		t.Errorf("left %v, told %d times", left, told)
	}
}

// A program is killed in the middle of recording; what Done returned for is
// there.
func TestKill(t *testing.T) {
	if path := os.Getenv("JOBSYNC_TEST_RECORD"); path != "" {
		recordForEver(path)
	}
	if testing.Short() {
		t.Skip("starts programs")
	}
	path := filepath.Join(t.TempDir(), "done")
	acknowledged := map[jobboard.JobID]bool{}
	for round := range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), "JOBSYNC_TEST_RECORD="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for i := 0; lines.Scan(); i++ {
			if i == 20+round*7 {
				_ = cmd.Process.Kill() // and what it wrote until then is read to the end
			}
			job, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("%q", lines.Text())
			}
			if acknowledged[jobboard.JobID(job)] {
				t.Fatalf("job %d came twice", job)
			}
			acknowledged[jobboard.JobID(job)] = true
		}
		_ = cmd.Wait()
		c := mustOpen(t, path, "run")
		said := slices.Sorted(maps.Keys(acknowledged))
		for job, err := range c.Pending(jobboard.Jobs(said...)) {
			t.Errorf("round %d: job %d was recorded and is not there, %v", round, job, err)
		}
		c.Close()
	}
	if len(acknowledged) < 100 {
		t.Errorf("only %d jobs", len(acknowledged))
	}
}

// recordForEver is the program: it records jobs and says so.
func recordForEver(path string) {
	c, err := jobsync.Open(path, "run")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var all iter.Seq2[jobboard.JobID, error] = func(yield func(jobboard.JobID, error) bool) {
		for job := jobboard.JobID(1); yield(job, nil); job++ {
		}
	}
	for job, err := range c.Pending(all) {
		if err = errors.Join(err, c.Done(job)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(job)
	}
}
