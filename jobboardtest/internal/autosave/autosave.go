// Package autosave keeps a file up to date with what changes in memory.
package autosave

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/atomicfile"
)

// Every is the least time from the beginning of one write to that of the next, so
// that many changes are few writes.
const Every = 200 * time.Millisecond

// Saver writes a file after changes. Make it with New.
type Saver struct {
	snapshot func() func(io.Writer) error
	dirty    chan struct{}         // has room for one: a write is due
	lastErr  atomic.Pointer[error] // of the last write but the first, which Start returns

	mu   sync.Mutex // one file takes another's place at a time
	stop func()     // stops saving after a last write; nil without a file
}

// New returns a saver that writes to no file so far. snapshot returns what writes
// the content as it is at that time.
func New(snapshot func() func(io.Writer) error) *Saver {
	return &Saver{snapshot: snapshot, dirty: make(chan struct{}, 1)}
}

// Touch makes a write due. It never waits.
func (v *Saver) Touch() {
	select {
	case v.dirty <- struct{}{}:
	default: // a write is due already
	}
}

// Err returns the error of the newest write that came after Start's own, whose error Start
// returned. It is nil if that write succeeded, if there was none, and without a file.
func (v *Saver) Err() error {
	if err := v.lastErr.Load(); err != nil {
		return *err
	}
	return nil
}

// Start writes the file once, so that a place that cannot be written to is found at
// once, and then after every change until the context ends. A file that was saved to
// before is written a last time and left.
func (v *Saver) Start(ctx context.Context, file string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.leave()
	atomicfile.RemoveLeftovers(file) // of a process that was killed while it wrote
	select {
	case <-v.dirty: // a change that this write has
	default:
	}
	saved := &savedFile{name: file}
	if err := saved.write(v.snapshot()); err != nil {
		return err
	}
	v.lastErr.Store(nil)
	write := func() {
		err := saved.write(v.snapshot())
		v.lastErr.Store(&err)
	}
	ctx, quit := context.WithCancel(ctx)
	var loop sync.WaitGroup
	loop.Go(func() { v.run(ctx, write) })
	v.stop = func() {
		quit()
		loop.Wait()
		write() // also what changed without a Touch
	}
	return nil
}

// run writes after changes until the context ends.
func (v *Saver) run(ctx context.Context, write func()) {
	for {
		select {
		case <-v.dirty:
		case <-ctx.Done():
			return
		}
		rested := time.After(Every)
		write()
		select {
		case <-rested:
		case <-ctx.Done():
		}
	}
}

// Stop writes the file a last time and leaves it. It may be called twice, and where
// nothing was started.
func (v *Saver) Stop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.leave()
}

func (v *Saver) leave() {
	if v.stop != nil {
		v.stop()
		v.stop = nil
	}
}

// savedFile is a file, and how it was when it was written last.
type savedFile struct {
	name string
	last os.FileInfo // nil: it was not
}

// write replaces the file in one step, unless somebody else has changed it.
func (f *savedFile) write(content func(io.Writer) error) error {
	if f.last != nil {
		now, err := os.Stat(f.name)
		if err == nil && !(os.SameFile(now, f.last) && now.ModTime().Equal(f.last.ModTime())) {
			return fmt.Errorf("another program has written %s, which is left as it is", f.name)
		}
	}
	err := atomicfile.Write(f.name, content)
	if err == nil {
		f.last, err = os.Stat(f.name)
	}
	return err
}
