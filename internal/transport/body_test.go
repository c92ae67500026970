package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

// A body is read to its bound, decompressed or not, and says what ended it.
func TestBody(t *testing.T) {
	lost := errors.New("the network is gone")
	long := strings.Repeat("0123456789", 30)
	packed := zipped(long)
	zeros := zipped(strings.Repeat("\x00", 1<<20))
	for _, test := range []struct {
		name, encoding, wire string
		end                  error // after the wire's bytes; nil: io.EOF
		limit                int64
		want                 string
		err                  error
		lost                 bool
	}{
		{name: "plain", wire: long, limit: 300, want: long},
		{name: "identity", encoding: "Identity", wire: long, limit: 300, want: long},
		{name: "one byte too many", wire: long, limit: 299, err: TooLargeError(299)},
		{name: "no bound", wire: long, limit: math.MaxInt64, want: long},
		{name: "gzip without a bound", encoding: "gzip", wire: packed, limit: math.MaxInt64, want: long},
		{name: "gzip", encoding: "gzip", wire: packed, limit: 300, want: long},
		{name: "x-gzip", encoding: "X-GZIP", wire: packed, limit: 300, want: long},
		{name: "gzip of more bytes than the text", encoding: "gzip", wire: zipped(long[:10]), limit: 10, want: long[:10]},
		{name: "gzip of too much", encoding: "gzip", wire: packed, limit: 299, err: TooLargeError(299)},
		{name: "a bomb", encoding: "gzip", wire: zeros, limit: 1 << 19, err: TooLargeError(1 << 19)},
		{
			name: "gzip of nothing, for ever", encoding: "gzip", wire: strings.Repeat(zipped(""), 10_000), limit: 300,
			err: TooLargeError(300),
		},
		{name: "gzip cut off", encoding: "gzip", wire: packed[:len(packed)-1], limit: 300, err: EncodingError("broken gzip")},
		{name: "no gzip", encoding: "gzip", wire: long, limit: 300, err: EncodingError("broken gzip")},
		{name: "gzip of no byte", encoding: "gzip", limit: 300, err: EncodingError("broken gzip")},
		{name: "br", encoding: "br", wire: long, limit: 300, err: EncodingError(`content encoding "br"`)},
		{name: "lost", wire: long[:99], end: lost, limit: 300, err: lost, lost: true},
		{name: "lost in gzip", encoding: "gzip", wire: packed[:len(packed)-1], end: lost, limit: 300, err: lost, lost: true},
		{name: "lost before gzip", encoding: "gzip", wire: packed[:5], end: lost, limit: 300, err: lost, lost: true},
	} {
		wire := io.Reader(strings.NewReader(test.wire))
		if test.end != nil {
			wire = io.MultiReader(wire, iotest.ErrReader(test.end))
		}
		resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(wire)}
		resp.Header.Set("Content-Encoding", test.encoding)
		var b Body
		var got []byte
		err := b.Open(t.Context(), resp, test.limit)
		if err == nil {
			got, err = io.ReadAll(&b)
		}
		if err != test.err || err == nil && string(got) != test.want || int64(len(got)) > test.limit {
			t.Errorf("%s: %d bytes, %v, want %v", test.name, len(got), err, test.err)
		}
		if (b.Lost() != nil) != test.lost {
			t.Errorf("%s: lost: %v", test.name, b.Lost())
		}
		if sample := string(b.Sample()); !strings.HasPrefix(long, sample) && test.name != "a bomb" || err == nil && len(sample) != min(len(got), SampleSize) {
			t.Errorf("%s: the sample is %q", test.name, sample)
		}
		b.Close()
	}
}

// Nothing is decompressed after the end of the exchange.
func TestBodyEndsWithItsExchange(t *testing.T) {
	ended := errors.New("no time left")
	ctx, cancel := context.WithCancelCause(t.Context())
	resp := &http.Response{
		Header: http.Header{"Content-Encoding": {"gzip"}},
		Body:   io.NopCloser(strings.NewReader(zipped(strings.Repeat("\x00", 1<<20)))),
	}
	var b Body
	if err := b.Open(ctx, resp, 1<<21); err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 1<<10)
	if _, err := b.Read(part); err != nil {
		t.Fatal(err)
	}
	cancel(ended)
	if n, err := b.Read(part); n != 0 || err != ended || b.Lost() != ended {
		t.Errorf("%d bytes, %v, lost %v", n, err, b.Lost())
	}
	b.Close()
}

// Only an answer without a length, whose connection ends with it, is open to
// doubt.
func TestFramed(t *testing.T) {
	for want, resp := range map[bool]*http.Response{
		false: {Close: true, ContentLength: -1}, true: {Close: true, ContentLength: 0},
	} {
		if Framed(resp) != want {
			t.Errorf("%+v: framed: %v", resp, !want)
		}
	}
	if !Framed(&http.Response{ContentLength: -1}) || !Framed(&http.Response{Close: true, ContentLength: -1, TransferEncoding: []string{"chunked"}}) {
		t.Error("an answer in chunks, or over HTTP/2, is not framed")
	}
}

// Of the body of a redirect 4 KiB are read, and it is closed.
func TestDiscard(t *testing.T) {
	body := &closable{Reader: strings.NewReader(strings.Repeat("x", 5<<10))}
	Discard(body)
	if left := body.Reader.(*strings.Reader).Len(); left != 1<<10 || !body.closed {
		t.Errorf("%d bytes are left, closed: %v", left, body.closed)
	}
}

type closable struct {
	io.Reader
	closed bool
}

func (c *closable) Close() error { c.closed = true; return nil }

// What answers no request is an error. An answer without a body gets an empty one.
func TestComplete(t *testing.T) {
	if err := Complete(nil); err != errNoResponse {
		t.Error(err)
	}
	for status, want := range map[int]string{
		101: "the transport returned status 101, which answers no request", 199: "the transport returned status 199, which answers no request", 200: "<nil>", 500: "<nil>",
	} {
		body := &closable{Reader: strings.NewReader("x")}
		err := Complete(&http.Response{StatusCode: status, Body: body})
		if fmt.Sprint(err) != want || body.closed != (err != nil) {
			t.Errorf("%d: %v, closed: %v", status, err, body.closed)
		}
	}
	resp := &http.Response{StatusCode: 204}
	if err := Complete(resp); err != nil || resp.Body != http.NoBody {
		t.Errorf("%v, body %v", err, resp.Body)
	}
}
