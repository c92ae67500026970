package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func begun(ctx context.Context) *Exchange {
	x := new(Exchange)
	x.Begin(ctx, Limits{End: time.Now().Add(time.Hour), Cause: Timeout("late"), Stall: time.Hour}, true, false)
	return x
}

// An upload is what its body holds, in whatever pieces that gives it and is asked for it,
// with the error at its end.
func TestUploadIsItsBody(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	for name, of := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader,
		"error with data": iotest.DataErrReader,
	} {
		for _, length := range []int64{-1, 0, 1, 10, int64(len(text))} {
			synctest.Test(t, func(t *testing.T) {
				x := begun(t.Context())
				defer x.Close()
				content := text
				if name == "bytes" {
					content = text[:1000]
				}
				closed := 0
				u := x.NewUpload(counted{of(bytes.NewReader(content)), &closed}, length)
				if err := iotest.TestReader(u, content); err != nil {
					t.Errorf("%s, length %d: %v", name, length, err)
				}
				if err := u.Close(); err != errClose || closed != 1 {
					t.Errorf("Close returns %v, the body is closed %d times", err, closed)
				}
				if err := u.Close(); err != nil || closed != 1 {
					t.Errorf("a second Close returns %v, the body is closed %d times", err, closed)
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		x := begun(t.Context())
		defer x.Close()
		broken := errors.New("broken")
		closed := 0
		u := x.NewUpload(counted{io.MultiReader(strings.NewReader("text"), iotest.ErrReader(broken)), &closed}, -1)
		if b, err := io.ReadAll(u); string(b) != "text" || err != broken {
			t.Errorf("%q, %v", b, err)
		}
		_ = u.Close()
	})
}

var errClose = errors.New("of Close")

type counted struct {
	io.Reader
	closed *int
}

func (c counted) Close() error {
	*c.closed++
	return errClose
}

// A body that nobody asks for is not read: a service may refuse it by its header.
func TestUploadIsReadOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := begun(t.Context())
		defer x.Close()
		var reads atomic.Int64
		u := x.NewUpload(io.NopCloser(readerFunc(func(p []byte) (int, error) {
			reads.Add(1)
			return len(p), nil
		})), -1)
		synctest.Wait()
		if n := reads.Load(); n != 0 {
			t.Errorf("%d reads before the first", n)
		}
		for i := range int64(3) {
			size := uploadBuffer
			if i == 0 {
				size = firstBuffer
			}
			if _, err := io.ReadFull(u, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if n := reads.Load(); n != i+2 { // one ahead
				t.Errorf("%d reads, want %d", n, i+2)
			}
		}
		_ = u.Close()
		synctest.Wait()
		if n := reads.Load(); n != 4 {
			t.Errorf("%d reads after Close", n)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Where the body's Read waits, Read ends with the context, and with Close, and neither
// waits for it. Its buffer is its own: what comes late reaches nobody.
func TestUploadDoesNotWaitForItsBody(t *testing.T) {
	for name, closes := range map[string]bool{"the context ends": false, "it is closed": true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			x := begun(ctx)
			defer x.Close()
			gone, release, closed := errors.New("gone"), make(chan struct{}), make(chan struct{})
			u := x.NewUpload(lateBody{release, closed}, -1)
			time.AfterFunc(time.Second, func() {
				if closes {
					_ = u.Close()
					return
				}
				cancel(gone)
			})
			start, p := time.Now(), make([]byte, 10)
			n, err := u.Read(p)
			if n != 0 || time.Since(start) != time.Second || !closes && err != gone || closes && err != http.ErrBodyReadAfterClose {
				t.Errorf("%s: %d, %v after %v", name, n, err, time.Since(start))
			}
			_ = u.Close()
			synctest.Wait()
			select {
			case <-closed:
			default:
				t.Errorf("%s: the body is not closed", name)
			}
			close(release)
			synctest.Wait()
			cancel(gone)
			if n, err := u.Read(p); n != 0 || err != gone || !bytes.Equal(p, make([]byte, 10)) {
				t.Errorf("%s: then %d %q, %v", name, n, p, err)
			}
		})
	}
}

// lateBody gives a byte once it is released, whatever has happened.
type lateBody struct{ release, closed chan struct{} }

func (b lateBody) Read(p []byte) (int, error) {
	<-b.release
	return copy(p, "x"), nil
}

func (b lateBody) Close() error {
	close(b.closed)
	return nil
}
