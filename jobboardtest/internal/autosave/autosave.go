// Package autosave writes changing content to a file.
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

// Every is the shortest time between the beginnings of two writes, so that many
// changes cause few writes.
const Every = 200 * time.Millisecond

// Saver writes a file after changes. Make it with New.
type Saver struct {
	snapshot func() func(io.Writer) error
	dirty    chan struct{}         // holds a value when a write is due
	lastErr  atomic.Pointer[error] // error of the newest write since Start

	mu   sync.Mutex // held while the file changes
	stop func()     // writes once more and stops saving; nil without a file
}

// New returns a saver without a file. snapshot returns a function that writes the
// content of the time when snapshot was called.
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

// Err returns the error of the newest write since Start, which returns the error of the
// first write itself. It is nil after a successful write, before the second write, and
// without a file.
func (v *Saver) Err() error {
	if err := v.lastErr.Load(); err != nil {
		return *err
	}
	return nil
}

// Start writes the file at once, to detect an unwritable place early, and then after
// every change until the context ends. If the saver had another file, Start first
// writes that file for the last time.
func (v *Saver) Start(ctx context.Context, file string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.leave()
	atomicfile.RemoveLeftovers(file) // temporary files of a process killed while writing
	select {
	case <-v.dirty: // the first write includes this change
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
		write() // includes changes without a Touch
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

// Stop writes the file a last time and ends saving. It may be called twice, and
// without Start.
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

// savedFile is a file with its state after our last write, to notice changes by
// others.
type savedFile struct {
	name string
	last os.FileInfo // nil before the first write
}

// write replaces the file in one step, unless another program has changed it.
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
