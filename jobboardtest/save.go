package jobboardtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/atomicfile"
)

// SaveTo writes the state to a file, and from then on after every change and at
// Close. A write begins 200 ms after a change at most, or as soon as the write
// before it has ended, and takes as long as the disk does. It replaces the file in
// one step: a process that is killed leaves the old file or the new one, never a
// part. A file that another program has replaced or changed since, such as a second
// fake that saves there, is left as it is. SaveTo returns the error of the first
// write, SaveError those of later ones. A second call changes to another file.
func (s *Server) SaveTo(file string) error {
	s.saver.mu.Lock()
	defer s.saver.mu.Unlock()
	s.saver.leave()
	return s.saver.start(s, file)
}

// SaveError returns the error of the last writing of SaveTo's file. It is nil where
// that succeeded and where there is no file.
func (s *Server) SaveError() error {
	if err := s.saver.lastErr.Load(); err != nil {
		return *err
	}
	return nil
}

// saver keeps a file up to date with the state.
type saver struct {
	dirty   chan struct{}         // has room for one: a write is due
	lastErr atomic.Pointer[error] // of the last write but the first, which SaveTo returns

	mu   sync.Mutex // one file takes another's place at a time
	stop func()     // leaves the file after a last write; nil without a file
}

// saveEvery is the time from the beginning of one write to that of the next at
// the least, so that many changes are few writes.
const saveEvery = 200 * time.Millisecond

// touch is called with Server.mu held.
func (v *saver) touch() {
	select {
	case v.dirty <- struct{}{}:
	default: // a write is due already
	}
}

// start writes the file once, so that a place that cannot be written to is found
// at the start, and then after every change.
func (v *saver) start(s *Server, file string) error {
	atomicfile.RemoveLeftovers(file) // of a process that was killed while it wrote
	select {
	case <-v.dirty: // a change that this write has
	default:
	}
	saved := &savedFile{name: file}
	if err := saved.write(s.Snapshot()); err != nil {
		return err
	}
	v.lastErr.Store(nil)
	write := func() {
		err := saved.write(s.Snapshot())
		v.lastErr.Store(&err)
	}
	ctx, quit := context.WithCancel(s.ctx)
	var loop sync.WaitGroup
	loop.Go(func() {
		for {
			select {
			case <-v.dirty:
			case <-ctx.Done():
				return
			}
			rested := time.After(saveEvery)
			write()
			select {
			case <-rested:
			case <-ctx.Done():
			}
		}
	})
	v.stop = func() {
		quit()
		loop.Wait()
		write() // also the last uses of tokens
	}
	return nil
}

// leave stops saving.
func (v *saver) leave() {
	if v.stop != nil {
		v.stop()
		v.stop = nil
	}
}

// savedFile is a file, and how it was when this server wrote it last.
type savedFile struct {
	name string
	last os.FileInfo // nil: it did not
}

// write replaces the file in one step, unless somebody else has changed it.
func (f *savedFile) write(st State) error {
	if f.last != nil {
		now, err := os.Stat(f.name)
		if err == nil && !(os.SameFile(now, f.last) && now.ModTime().Equal(f.last.ModTime())) {
			return fmt.Errorf("jobboardtest: saving the state: another program has written %s, which is left as it is", f.name)
		}
	}
	err := atomicfile.Write(f.name, st.Write)
	if err == nil {
		f.last, err = os.Stat(f.name)
	}
	if err != nil {
		return fmt.Errorf("jobboardtest: saving the state: %w", err)
	}
	return nil
}
