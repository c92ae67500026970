package transport

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/internal/steady"
)

// Body reads an answer of bounded size. The bound holds for the bytes on the wire and for the
// decompressed bytes.
type Body struct {
	ctx      context.Context // the context of the exchange
	wire     io.ReadCloser
	gzip     *gzip.Reader // nil: not compressed
	utf8     *utf8Reader  // nil: the answer is read as UTF-8
	limit    int64
	wireRead int64
	read     int64
	lost     error // the exchange's error that ended reading
	sample   [SampleSize]byte
	sampled  int
}

// SampleSize bounds the beginning of an answer that a Body keeps, in bytes.
const SampleSize = 120

// gzipOverhead bounds the bytes that compression may add to data that cannot be
// compressed.
const gzipOverhead = 64 << 10

// TooLargeError reports that an answer exceeds this bound, in bytes.
type TooLargeError int64

func (e TooLargeError) Error() string {
	return "more than " + strconv.FormatInt(int64(e), 10) + " bytes"
}

// EncodingError reports why an answer cannot be decompressed.
type EncodingError string

func (e EncodingError) Error() string { return string(e) }

var gzipReaders sync.Pool

// Open prepares to read the body of resp, of at most limit bytes, until ctx ends. It decompresses
// the body. The transport leaves this to Body, because it would hide the number of bytes on the
// wire. Of an answer that is labelled ISO-8859-1 or windows-1252, bytes that are no UTF-8 are read as
// windows-1252. Open returns an EncodingError, or the error that ended the exchange.
func (b *Body) Open(ctx context.Context, resp *http.Response, limit int64) error {
	b.ctx, b.wire, b.limit = ctx, resp.Body, limit
	if isWindows1252(charsetOf(resp.Header)) {
		b.utf8 = &utf8Reader{src: plainReader{b}}
	}
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

// wireReader counts the bytes from the network, because a compressed stream may
// be endless and decompress to nothing.
type wireReader struct{ b *Body }

func (w wireReader) Read(p []byte) (int, error) {
	n, err := w.b.wire.Read(p)
	w.b.wireRead += int64(n)
	switch {
	case err != nil && err != io.EOF:
		w.b.lost = err
	case w.b.wireRead-gzipOverhead > w.b.limit: // limit+gzipOverhead could overflow
		return 0, TooLargeError(w.b.limit)
	}
	return n, err
}

// fail turns an error of the decompressor or the network into the error of Read.
func (b *Body) fail(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case b.lost != nil: // the network's error, which the decompressor may have replaced
		return b.lost
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return EncodingError("broken gzip")
	}
	return err
}

// Read reads the decompressed body, in UTF-8. It stops when the exchange ends, even if bytes are
// buffered or still decompress to many.
func (b *Body) Read(p []byte) (n int, err error) {
	if b.utf8 == nil || b.ctx.Err() != nil {
		return b.plain(p)
	}
	return b.utf8.Read(p)
}

// plainReader reads the decompressed body as it is.
type plainReader struct{ b *Body }

func (r plainReader) Read(p []byte) (int, error) { return r.b.plain(p) }

// plain reads the decompressed body as it is.
func (b *Body) plain(p []byte) (n int, err error) {
	if b.ctx.Err() != nil {
		b.lost = context.Cause(b.ctx)
		return 0, b.lost
	}
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

// Opened reports whether Open was called.
func (b *Body) Opened() bool { return b.wire != nil }

// Received returns how many bytes came, as the service sent them: maybe compressed.
func (b *Body) Received() int64 { return b.wireRead }

// Limit returns the bound.
func (b *Body) Limit() int64 { return b.limit }

// Lost returns the failure of the exchange that ended reading, if one did.
func (b *Body) Lost() error { return b.lost }

// Sample returns the beginning of the bytes read. It is valid until Close.
func (b *Body) Sample() []byte { return b.sample[:b.sampled] }

// Close ends reading and the exchange.
func (b *Body) Close() {
	_ = b.wire.Close()
	if b.gzip != nil {
		gzipReaders.Put(b.gzip)
		b.gzip = nil
	}
}

// Discard reads up to 4 KiB of a redirect's body, so that the connection can be used again, and
// closes the body.
func Discard(body io.ReadCloser) {
	Drain(body)
	_ = body.Close()
}

// Drain reads up to 4 KiB of a body that nobody wants.
func Drain(body io.Reader) {
	_, _ = io.CopyN(io.Discard, steady.Reader{Reader: body}, 4<<10)
}

// Framed reports whether a length, chunks or HTTP/2 mark the end of an answer,
// and not only the end of its connection.
func Framed(resp *http.Response) bool {
	return !resp.Close || resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0
}

// Complete returns an error for a nil response, and for a status under 200: after it a connection
// speaks another protocol, and no context ends a read. It gives a response without a body an empty
// one, as http.Client does.
func Complete(resp *http.Response) error {
	if resp == nil {
		return errNoResponse
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	if resp.StatusCode < 200 {
		_ = resp.Body.Close()
		return statusError(resp.StatusCode)
	}
	return nil
}

var errNoResponse = errors.New("the transport gave neither an answer nor an error")

// statusError reports a status under 200.
type statusError int

func (e statusError) Error() string {
	return "the transport returned status " + strconv.Itoa(int(e)) + ", which answers no request"
}
