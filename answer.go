package jobboard

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// answer is a response that is read within its bounds: bytes on the wire,
// decompressed bytes, and through its attempt, time.
type answer struct {
	c      *call
	status int
	header http.Header
	wire   io.ReadCloser
	gzip   *gzip.Reader // nil: not compressed

	limit    int64 // of both counts
	wireRead int64
	read     int64
	failure  error // what ended reading other than io.EOF
	whole    []byte
	sample   [maxErrorSample]byte
	sampled  int
}

func newAnswer(c *call, resp *http.Response) *answer {
	a := &answer{c: c, status: resp.StatusCode, header: resp.Header, wire: resp.Body, limit: c.op.limit}
	if c.slot.maxBytes > 0 {
		a.limit = c.slot.maxBytes
	}
	return a
}

// wireReader counts what comes from the network, because a compressed stream
// may be endless and hold nothing.
type wireReader struct{ a *answer }

func (w wireReader) Read(p []byte) (int, error) {
	n, err := w.a.wire.Read(p)
	w.a.wireRead += int64(n)
	switch {
	case err != nil && err != io.EOF:
		w.a.failure = err
	case w.a.wireRead > w.a.limit+gzipOverhead:
		return 0, errTooLarge(w.a.limit)
	}
	return n, err
}

// gzipOverhead is what compressing may add to what cannot be compressed.
const gzipOverhead = 64 << 10

func errTooLarge(limit int64) error {
	return &failure{kind: ErrResponseTooLarge, detail: "more than " + strconv.FormatInt(limit, 10) + " bytes"}
}

func errUndecodable(detail string) error {
	return &failure{kind: ErrDecode, detail: clean(detail, maxErrorCause)}
}

var gzipReaders sync.Pool

// open undoes the encoding of the answer. The transport does not do it,
// because it would hide how much came over the wire.
func (a *answer) open() error {
	switch encoding := a.header.Get("Content-Encoding"); {
	case encoding == "" || strings.EqualFold(encoding, "identity"):
		return nil
	case !strings.EqualFold(encoding, "gzip") && !strings.EqualFold(encoding, "x-gzip"):
		return errUndecodable("content encoding " + strconv.Quote(clean(a.c.scrub(encoding), 40)))
	}
	if z, ok := gzipReaders.Get().(*gzip.Reader); ok {
		a.gzip = z
		if err := z.Reset(wireReader{a}); err != nil {
			return a.fail(err)
		}
		return nil
	}
	z, err := gzip.NewReader(wireReader{a})
	if err != nil {
		return a.fail(err)
	}
	a.gzip = z
	return nil
}

// fail turns an error of reading into what it means.
func (a *answer) fail(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case a.failure != nil: // the network's, whatever the decompressor made of it
		return a.failure
	case errors.Is(err, ErrResponseTooLarge):
		return err
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errUndecodable("broken gzip")
	}
	return err
}

// Read gives the decompressed body.
func (a *answer) Read(p []byte) (n int, err error) {
	if a.gzip != nil {
		n, err = a.gzip.Read(p)
	} else {
		n, err = wireReader{a}.Read(p)
	}
	if a.sampled < len(a.sample) {
		a.sampled += copy(a.sample[a.sampled:], p[:n])
	}
	a.read += int64(n)
	if a.read > a.limit {
		return 0, errTooLarge(a.limit)
	}
	if err != nil && err != io.EOF {
		err = a.fail(err)
	}
	return n, err
}

var bodyBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bytes reads a small answer whole. It is valid until the call returns.
func (a *answer) bytes() ([]byte, error) {
	if a.c.buffer == nil {
		a.c.buffer = bodyBuffers.Get().(*bytes.Buffer)
	}
	a.c.buffer.Reset()
	_, err := a.c.buffer.ReadFrom(a)
	a.whole = a.c.buffer.Bytes()
	return a.whole, err
}

func (a *answer) close() {
	_ = a.wire.Close()
	if a.gzip != nil {
		gzipReaders.Put(a.gzip)
		a.gzip = nil
	}
}

// unusable is the outcome of an answer with a good status that accept refused,
// or that did not arrive.
func (a *answer) unusable(err error) *outcome {
	changes := !a.c.op.safe()
	if a.failure != nil {
		o := a.c.transportFailure(a.failure)
		// What changes something has been executed, as the status says.
		o.status, o.unprocessed, o.unclear = a.status, false, changes
		o.retryable = o.retryable && !changes
		return o
	}
	o := &outcome{status: a.status, unclear: changes, body: a.kept()}
	var told *toldCondition
	switch {
	case errors.As(err, &told):
		o.err, o.words = told.condition, told.words
	case errors.Is(err, ErrResponseTooLarge):
		o.err = &failure{kind: ErrResponseTooLarge, detail: a.c.scrub(detailOf(err))}
	default:
		o.err = &failure{kind: ErrDecode, detail: a.c.scrub(a.describe(detailOf(err)))}
	}
	return o
}

// toldCondition is a condition that a 200 carries.
type toldCondition struct {
	condition error
	words     words
}

func (t *toldCondition) Error() string { return t.condition.Error() }

func detailOf(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.detail
	}
	var d *decodeError
	if errors.As(err, &d) {
		return strings.TrimPrefix(d.Error(), d.kind.Error()+": ")
	}
	return err.Error()
}

// describe says of an unusable answer what a person needs to see whose it is.
func (a *answer) describe(detail string) string {
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || media == "" {
		media = "no content type"
	}
	sample := clean(a.c.scrub(string(a.sample[:a.sampled])), maxErrorSample)
	return clean(detail, 120) + " (" + clean(a.c.scrub(media), 60) + ", begins " + strconv.Quote(sample) + ")"
}

// kept is what an Error keeps of the answer.
func (a *answer) kept() []byte {
	if a.whole != nil {
		return bytes.Clone(a.whole[:min(len(a.whole), maxErrorBody)])
	}
	return bytes.Clone(a.sample[:a.sampled])
}

// failed is the outcome of an answer whose status is no success.
func (a *answer) failed() *outcome {
	o := &outcome{status: a.status}
	if err := a.open(); err == nil {
		o.body, _, err = readBounded(a, maxErrorBody)
		if err != nil && a.failure != nil && !repeatedStatus(a.status) {
			// Half a body could mean anything.
			t := a.c.transportFailure(a.failure)
			t.status, t.unprocessed, t.unclear = a.status, false, !a.c.op.safe()
			return t
		}
	}
	o.words = readWords(a.c.op, a.status, a.header, o.body)
	o.retryAfter = parseRetryAfter(a.header, time.Now())
	if condition := classify(a.c.op, a.status, o.words); condition != nil {
		o.err = condition
	}
	if o.err == nil || o.err == ErrServer || o.err == ErrRateLimited { //nolint:errorlint // the table's own values
		o.retryable = repeatedStatus(a.status)
		o.unprocessed = a.status == http.StatusTooManyRequests
		o.unclear = !a.c.op.safe() && a.status >= 500 && o.retryable
	}
	return o
}

func repeatedStatus(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
