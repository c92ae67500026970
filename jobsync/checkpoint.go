package jobsync

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go"
)

// ErrNotCheckpoint is the error of Open for a file that is something else. The
// file is left as it is.
var ErrNotCheckpoint = errors.New("not a checkpoint file")

// Checkpoint is which jobs of a run are done, in memory and in a file. Its
// methods may be called at the same time. One program at a time may have the
// file open.
//
// Memory and file grow by some tens of bytes a job.
type Checkpoint struct {
	// Notify, if set, is called after each Done that recorded something, in its
	// goroutine. Set it before anything else is called.
	Notify func(Progress)

	mu       sync.Mutex
	file     *os.File
	jobs     map[jobboard.JobID]uint32 // the pass that handed it out, or isDone
	pass     uint32
	progress Progress
	err      error // that made the file unusable
}

const isDone = math.MaxUint32

// Progress counts. Of what Pending reads, Read = Broken + Repeated + Skipped +
// Started.
type Progress struct {
	Read     int // items of the input
	Broken   int // errors among them
	Repeated int // identifiers that had come before in the same input
	Skipped  int // jobs that were done already
	Started  int // jobs handed out
	Done     int // jobs recorded since Open
	Recorded int // jobs recorded in all, those of earlier runs included
}

// Open reads the checkpoint file of a run, or makes it. name tells runs apart,
// such as by the date of a feed: a file that was made under another name is
// begun anew, because what was done then says nothing of now. It has at most
// 1024 bytes.
//
// A file whose end is missing, as after a crash in the middle of writing, has
// what was recorded before; whatever is damaged counts as not recorded.
func Open(path, name string) (*Checkpoint, error) {
	c, err := open(path, name)
	if err != nil {
		return nil, fmt.Errorf("jobsync: %w", err)
	}
	return c, nil
}

func open(path, name string) (*Checkpoint, error) {
	if len(name) > 1024 {
		return nil, fmt.Errorf("%w: the name is longer than 1024 bytes", jobboard.ErrInvalidInput)
	}
	c := &Checkpoint{jobs: map[jobboard.JobID]uint32{}}
	head := header(name)
	intact, err := c.load(path, head)
	if err != nil {
		return nil, err
	}
	c.progress.Recorded = len(c.jobs)
	if !intact {
		// Writing on behind a line that was cut off would spoil the next one.
		if err := c.rewrite(path, head); err != nil {
			return nil, err
		}
	}
	c.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return c, err
}

// The file is text. Its first line is the magic and a sum of the name and the
// name; each further line is a sum and the identifiers it is of:
//
//	jobsync 1 5f0c0f9e "feed of 2026-01-31"
//	8a1b2c3d 2797227 2797228 2797229
const magic = "jobsync 1 "

// lineJobs keeps lines well below the buffer that reads them.
const lineJobs = 512

func header(name string) []byte {
	return append([]byte(magic), line(strconv.AppendQuote(nil, name))...)
}

// line is a text with its sum in front and an end behind.
func line(text []byte) []byte {
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(text, castagnoli), text)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// lines are the lines that record the jobs.
func lines(jobs []jobboard.JobID) []byte {
	var all, text []byte
	for part := range slices.Chunk(jobs, lineJobs) {
		text = text[:0]
		for i, job := range part {
			if i > 0 {
				text = append(text, ' ')
			}
			text = strconv.AppendInt(text, int64(job), 10)
		}
		all = append(all, line(text)...)
	}
	return all
}

// load reads what is recorded. The file is intact if it can be written on.
func (c *Checkpoint) load(path string, head []byte) (intact bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	start, err := r.Peek(len(magic))
	if err != nil && err != io.EOF {
		return false, err
	}
	if !strings.HasPrefix(magic, string(start)) {
		return false, fmt.Errorf("%s: %w", path, ErrNotCheckpoint)
	}
	first, err := r.Peek(len(head))
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return false, err
	}
	if !bytes.Equal(first, head) {
		return false, nil // another run's, or cut off in its first line
	}
	if _, err := r.Discard(len(head)); err != nil {
		return false, err
	}
	intact = true
	for {
		text, err := r.ReadSlice('\n')
		switch {
		case err == io.EOF:
			return intact && len(text) == 0, nil // a line without its end was cut off
		case err == bufio.ErrBufferFull: //nolint:errorlint // likewise; no line of ours is so long
			intact = false
		case err != nil:
			return false, err
		case !c.read(text[:len(text)-1]):
			intact = false
		}
	}
}

// read takes the jobs of a line, all of them or none.
func (c *Checkpoint) read(text []byte) bool {
	sum, ids, _ := bytes.Cut(text, []byte(" "))
	if fmt.Sprintf("%08x", crc32.Checksum(ids, castagnoli)) != string(sum) {
		return false
	}
	var jobs []jobboard.JobID
	for id := range bytes.SplitSeq(ids, []byte(" ")) {
		job, err := jobboard.ParseJobID(string(id))
		if err != nil {
			return false
		}
		jobs = append(jobs, job)
	}
	for _, job := range jobs {
		c.jobs[job] = isDone
	}
	return true
}

// rewrite replaces the file by one that holds what is known, in one step.
func (c *Checkpoint) rewrite(path string, head []byte) error {
	jobs := make([]jobboard.JobID, 0, len(c.jobs))
	for job := range c.jobs {
		jobs = append(jobs, job)
	}
	slices.Sort(jobs)
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(head, lines(jobs)...))
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		_ = os.Remove(next)
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = dir.Sync()
	_ = dir.Close()
	if runtime.GOOS == "windows" {
		return nil // has no such thing
	}
	return err
}

// Pending hands on the jobs that are not done, each once. Errors of jobs pass.
// A job that was handed out and is not done, because its call failed, is handed
// out again by the next range over Pending; two ranges at the same time do not
// know of each other.
func (c *Checkpoint) Pending(jobs iter.Seq2[jobboard.JobID, error]) iter.Seq2[jobboard.JobID, error] {
	return func(yield func(jobboard.JobID, error) bool) {
		c.mu.Lock()
		c.pass++
		pass := c.pass
		c.mu.Unlock()
		for job, err := range jobs {
			if c.wants(job, err, pass) && !yield(job, err) {
				return
			}
		}
	}
}

func (c *Checkpoint) wants(job jobboard.JobID, err error, pass uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress.Read++
	switch known := c.jobs[job]; {
	case err != nil:
		c.progress.Broken++
		return true
	case known == pass:
		c.progress.Repeated++
		return false
	case known == isDone:
		c.progress.Skipped++
		return false
	}
	c.jobs[job] = pass
	c.progress.Started++
	return true
}

// Done records jobs whose results are safe. When it returns without an error
// they are on the disk. It costs a write and a sync, so call it for many jobs
// at once; Store does. Jobs that are recorded already, and identifiers below 1,
// which come with errors of the input, are left out.
//
// After an error the file may end in half a line: Done then fails for good, and
// Open repairs it.
func (c *Checkpoint) Done(jobs ...jobboard.JobID) error {
	p, err := c.done(jobs)
	if err != nil {
		return fmt.Errorf("jobsync: %w", err)
	}
	if c.Notify != nil && p != (Progress{}) {
		c.Notify(p)
	}
	return nil
}

func (c *Checkpoint) done(jobs []jobboard.JobID) (Progress, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return Progress{}, c.err
	}
	var fresh []jobboard.JobID
	seen := make(map[jobboard.JobID]bool, len(jobs))
	for _, job := range jobs {
		if job >= 1 && c.jobs[job] != isDone && !seen[job] {
			seen[job] = true
			fresh = append(fresh, job)
		}
	}
	if fresh == nil {
		return Progress{}, nil
	}
	if _, err := c.file.Write(lines(fresh)); err != nil {
		c.err = err
		return Progress{}, err
	}
	if err := c.file.Sync(); err != nil {
		c.err = err // what is on the disk is not known any more
		return Progress{}, err
	}
	for _, job := range fresh {
		c.jobs[job] = isDone
	}
	c.progress.Done += len(fresh)
	c.progress.Recorded += len(fresh)
	return c.progress, nil
}

// Progress is how far the run is.
func (c *Checkpoint) Progress() Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progress
}

// Close closes the file, which stays for the next Open. Nothing is lost without
// it.
func (c *Checkpoint) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = os.ErrClosed
	}
	return c.file.Close()
}
