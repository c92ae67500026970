package jobpublish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"time"
)

// A renewal is the writing of a new file, for all who ask meanwhile. It goes on even if all of them
// leave.
type renewal struct {
	done     chan struct{} // closed at its end
	err      error         // set before done is closed
	panicked any           // what Config.Jobs panicked with
	file     *file         // the file that is being written, guarded by handler.mu; nil between files
}

// patience is how long a client waits for a whole file. Then it gets a file that is still being
// written, as far as it is, and the rest as it grows.
const patience = 2 * time.Second

// current returns the file to serve, which the caller must release. If there is none, or the last has
// expired, it waits for the writing of a new one, with all others who ask meanwhile, and shares its
// error.
func (h *handler) current(ctx context.Context) (*file, error) {
	f, _, err := h.find(ctx, false)
	return f, err
}

// find returns the file to serve as current does. With early, it returns a file that is still being
// written once the caller has waited for patience.
func (h *handler) find(ctx context.Context, early bool) (f *file, whole bool, err error) {
	f, r := h.fresh(ctx)
	if f != nil {
		return f, true, nil
	}
	var late <-chan time.Time
	if early {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-r.done:
			if r.panicked != nil {
				panic(r.panicked)
			}
			if r.err != nil {
				return nil, false, r.err
			}
			return h.newest(), true, nil
		case <-late:
			if f := h.growing(r); f != nil {
				return f, false, nil
			}
			late = nil
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// fresh returns the newest file, or the renewal under way, which it begins if there is none.
func (h *handler) fresh(ctx context.Context) (*file, *renewal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file != nil && time.Now().Before(h.file.until) {
		h.file.users.Add(1)
		return h.file, nil
	}
	if h.renewal == nil {
		h.renewal = &renewal{done: make(chan struct{}), err: errEnded}
		go h.renew(context.WithoutCancel(ctx), h.renewal)
	}
	return nil, h.renewal
}

// errEnded is the error of a renewal whose goroutine Config.Jobs ended.
var errEnded = errors.New("Config.Jobs ended its goroutine")

func (h *handler) newest() *file {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.file.users.Add(1)
	return h.file
}

// growing returns the file that a renewal is writing, or nil.
func (h *handler) growing(r *renewal) *file {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.file != nil {
		r.file.users.Add(1)
	}
	return r.file
}

// renew writes a new file, and ends the renewal.
func (h *handler) renew(ctx context.Context, r *renewal) {
	var f *file
	defer func() {
		if cause := recover(); cause != nil {
			r.panicked = fmt.Sprintf("%v\n\n%s", cause, debug.Stack())
		}
		h.mu.Lock()
		old := h.file
		if f != nil {
			h.file = f
		}
		h.renewal = nil
		h.mu.Unlock()
		if f != nil && old != nil {
			old.release()
		}
		close(r.done)
	}()
	ctx, cancel := context.WithTimeout(ctx, maxWriting)
	defer cancel()
	f, r.err = h.newFile(ctx, r)
}

// errLapsed means that a job could no longer be published when the file was
// complete.
var errLapsed = errors.New("a job was no longer known to be open")

// newFile returns a new file that may be served now. If a job lapses while the
// file is written, newFile writes it again, without the jobs that lapse soon.
func (h *handler) newFile(ctx context.Context, r *renewal) (*file, error) {
	began := time.Now()
	f, err := h.writeFile(ctx, r, began, began)
	if errors.Is(err, errLapsed) {
		again := time.Now()
		f, err = h.writeFile(ctx, r, again, again.Add(2*again.Sub(began)+time.Second))
	}
	if err != nil {
		return nil, err
	}
	switch old := h.file; {
	case old != nil && old.hash == f.hash:
		f.modified = old.modified
	case f.modified.After(h.dated):
		h.dated = f.modified
	default:
		f.modified = time.Time{} // the second change in a second: a date with seconds could not tell the files apart
	}
	return f, nil
}

// writeFile writes a file of the jobs that may be published from began to until.
func (h *handler) writeFile(ctx context.Context, r *renewal, began, until time.Time) (f *file, err error) {
	f, err = createFile(h.file)
	if err != nil {
		return nil, err
	}
	f.modified = began.Truncate(time.Second)
	h.mu.Lock()
	r.file = f
	h.mu.Unlock()
	err = errEnded // also if Config.Jobs panics
	defer func() {
		h.mu.Lock()
		r.file = nil
		h.mu.Unlock()
		f.endWriting(err)
		if err != nil {
			f.release()
			f = nil
		}
	}()
	if err = h.write(f, h, h.feeds.jobs(ctx, began, until)); err != nil {
		return f, err
	}
	if err = f.finish(); err != nil {
		return f, err
	}
	now := time.Now()
	if !f.lapses.IsZero() && !now.Before(f.lapses) {
		err = fmt.Errorf("%w when %v of writing were over", errLapsed, time.Since(began))
		return f, err
	}
	if f.until = now.Add(h.feeds.cfg.MaxAge); !f.lapses.IsZero() && f.lapses.Before(f.until) {
		f.until = f.lapses
	}
	return f, nil
}

// follow sends a file that is still being written, and returns an error if it came to nothing before the
// first byte. If it comes to nothing later, the answer is cut off, so that half of it does not look
// whole.
func (h *handler) follow(w http.ResponseWriter, r *http.Request, f *file) error {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(2 * maxWriting)) // while it is written, and as long as for a whole file
	for sent := int64(0); ; {
		size, whole, err := f.wait(r.Context(), sent)
		switch {
		case err != nil && sent == 0:
			return err
		case err != nil:
			h.feeds.cfg.Logger.ErrorContext(r.Context(), "jobpublish: an answer was cut off", "path", h.path, "error", err)
			panic(http.ErrAbortHandler)
		}
		if sent == 0 {
			w.Header().Set("Content-Type", h.contentType)
			w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", h.feeds.cfg.MaxAge/time.Second))
			w.Header().Set("X-Content-Type-Options", "nosniff")
		}
		if _, err := io.Copy(w, io.NewSectionReader(f.body, sent, size-sent)); err != nil {
			return nil // the client has left
		}
		if sent = size; whole {
			return nil
		}
		_ = control.Flush()
	}
}

// grew notes that n bytes more lie on disk.
func (f *file) grew(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onDisk += n
	f.wake()
}

// endWriting notes that the file is whole, or with an error that it came to nothing. Only the first call
// counts.
func (f *file) endWriting(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	f.ended, f.failed = true, err
	f.wake()
}

// wake has those look again who wait for the file. f.mu is held.
func (f *file) wake() {
	close(f.more)
	f.more = make(chan struct{})
}

// wait returns how many bytes lie on disk once that are more than sent, or once the file is written.
func (f *file) wait(ctx context.Context, sent int64) (size int64, whole bool, err error) {
	for {
		f.mu.Lock()
		size, whole, err = f.onDisk, f.ended, f.failed
		more := f.more
		f.mu.Unlock()
		if size > sent || whole {
			return size, whole, err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
}
