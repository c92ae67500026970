package transport

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Body reads an answer within its bound of bytes, which holds for those on the
// wire and for those they decompress to.
type Body struct {
	wire     io.ReadCloser
	gzip     *gzip.Reader // nil: not compressed
	limit    int64
	wireRead int64
	read     int64
	lost     error // what ended reading other than io.EOF
	sample   [SampleSize]byte
	sampled  int
}

// SampleSize is how much of the beginning of an answer a Body keeps.
const SampleSize = 120

// gzipOverhead is what compressing may add to what cannot be compressed.
const gzipOverhead = 64 << 10

// TooLargeError is an answer over its bound.
type TooLargeError int64

func (e TooLargeError) Error() string {
	return "more than " + strconv.FormatInt(int64(e), 10) + " bytes"
}

// EncodingError is an answer whose encoding cannot be undone, and why.
type EncodingError string

func (e EncodingError) Error() string { return string(e) }

var gzipReaders sync.Pool

// Open prepares to read the body of resp, of at most limit bytes. It undoes
// the body's encoding, which the transport does not do, because it would hide
// how much came over the wire. The error is an EncodingError, or what ended
// the exchange.
func (b *Body) Open(resp *http.Response, limit int64) error {
	b.wire, b.limit = resp.Body, limit
	switch encoding := resp.Header.Get("Content-Encoding"); {
	case encoding == "" || strings.EqualFold(encoding, "identity"):
		return nil
	case !strings.EqualFold(encoding, "gzip") && !strings.EqualFold(encoding, "x-gzip"):
		return EncodingError("content encoding " + strconv.Quote(encoding))
	}
	z, ok := gzipReaders.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	if err := z.Reset(wireReader{b}); err != nil {
		gzipReaders.Put(z)
		return b.fail(err)
	}
	b.gzip = z
	return nil
}

// wireReader counts what comes from the network, because a compressed stream
// may be endless and hold nothing.
type wireReader struct{ b *Body }

func (w wireReader) Read(p []byte) (int, error) {
	n, err := w.b.wire.Read(p)
	w.b.wireRead += int64(n)
	switch {
	case err != nil && err != io.EOF:
		w.b.lost = err
	case w.b.wireRead > w.b.limit+gzipOverhead:
		return 0, TooLargeError(w.b.limit)
	}
	return n, err
}

// fail returns what an error of reading means.
func (b *Body) fail(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case b.lost != nil: // the network's, whatever the decompressor made of it
		return b.lost
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return EncodingError("broken gzip")
	}
	return err
}

// Read reads the decompressed body.
func (b *Body) Read(p []byte) (n int, err error) {
	if b.gzip != nil {
		n, err = b.gzip.Read(p)
	} else {
		n, err = wireReader{b}.Read(p)
	}
	if b.sampled < len(b.sample) {
		b.sampled += copy(b.sample[b.sampled:], p[:n])
	}
	b.read += int64(n)
	if b.read > b.limit {
		return 0, TooLargeError(b.limit)
	}
	if err != nil && err != io.EOF {
		err = b.fail(err)
	}
	return n, err
}

// Limit returns the bound.
func (b *Body) Limit() int64 { return b.limit }

// Lost returns the failure of the exchange that ended reading, if one did.
func (b *Body) Lost() error { return b.lost }

// Sample returns the beginning of what was read. It is valid until Close.
func (b *Body) Sample() []byte { return b.sample[:b.sampled] }

// Close ends reading and the exchange.
func (b *Body) Close() {
	_ = b.wire.Close()
	if b.gzip != nil {
		gzipReaders.Put(b.gzip)
		b.gzip = nil
	}
}

// ReadAtMost reads at most limit bytes of r and reports whether that was all.
func ReadAtMost(r io.Reader, limit int) (body []byte, whole bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(body) > limit {
		return body[:limit], false, nil
	}
	return body, err == nil, err
}

// Framed reports whether the end of an answer is told by more than the end of
// its connection: by a length, by chunks, or by HTTP/2.
func Framed(resp *http.Response) bool {
	return !resp.Close || resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0
}
