package delivery

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// The encodings of a body.
const (
	gzipped    = "gzip"
	doubleGzip = "double-gzip"
	brokenGzip = "broken-gzip"
	falseBr    = "false-br"
)

// contentEncoding returns the Content-Encoding header of an encoding, which may
// be false on purpose.
func contentEncoding(encoding string) string {
	switch encoding {
	case gzipped, doubleGzip, brokenGzip:
		return "gzip"
	case falseBr:
		return "br"
	}
	return ""
}

// body returns the body of a broken answer, and its size in bytes; -1 means an
// endless body.
func (s Sender) body(a Answer, b *Breakage) (io.Reader, int64) {
	body, size := whole(a.flat())
	if b.Size != 0 {
		body, size = grow(a.flat(), b.Size)
		body = whileClientWaits{body, s.Client}
	}
	switch b.Encoding {
	case gzipped:
		if size < 0 {
			member := packed(bytes.NewReader(filler))
			return &cycle{unit: member, left: math.MaxInt64}, -1 // gzip allows several members in a row
		}
		return whole(packed(body))
	case doubleGzip:
		return whole(packed(bytes.NewReader(packed(body))))
	case brokenGzip:
		data := packed(body)
		for i := range 8 { // an empty gzip stream has 23 bytes
			data[len(data)/2+i] ^= 0x5a
		}
		return whole(data)
	}
	return body, size
}

// Compressed returns the answer with gzip; an empty answer stays unchanged.
func (a Answer) Compressed() Answer {
	if a.Size() == 0 || HasNoBody(a.Status) {
		return a
	}
	body := packed(bytes.NewReader(a.flat()))
	header := a.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Encoding", "gzip")
	header.Add("Vary", "Accept-Encoding")
	return Answer{Status: a.Status, ContentType: a.ContentType, Header: header, Body: body}
}

// AcceptsGzip reports whether the values of Accept-Encoding name gzip, or any
// encoding, with a weight above 0 (RFC 9110, section 12.5.3).
func AcceptsGzip(values []string) bool {
	gzipWeight, anyWeight := -1.0, -1.0
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q="); ok {
			weight, _ = strconv.ParseFloat(q, 64) // 0 for text that is no number
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "x-gzip":
			gzipWeight = weight
		case "*":
			anyWeight = weight
		}
	}
	if gzipWeight >= 0 {
		return gzipWeight > 0
	}
	return anyWeight > 0
}

// whileClientWaits ends a body when the client leaves: packing a huge body could
// otherwise go on for hours.
type whileClientWaits struct {
	io.Reader
	client context.Context
}

func (w whileClientWaits) Read(p []byte) (int, error) {
	if err := w.client.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
}

// packed compresses a whole body in memory, where even a huge body of spaces becomes
// small. Level 5 shrinks spaces a thousandfold in every release of Go; Go 1.27's
// default level reaches half of that.
func packed(r io.Reader) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, 5) // level 5 is valid
	_, _ = io.Copy(z, r)
	z.Close()
	return b.Bytes()
}

func whole(b []byte) (io.Reader, int64) { return bytes.NewReader(b), int64(len(b)) }

var (
	filler     = bytes.Repeat([]byte(" "), 64<<10)
	comma      = []byte(",")
	resultsKey = []byte(`"results":[`)
	pageEnd    = []byte("]}")
)

// grow extends a body to size bytes, or endlessly for a size below 0. The
// answer of a search repeats its postings, and stays well-formed JSON up to the
// cut; any other body gets white space before its last brackets.
func grow(body []byte, size int64) (io.Reader, int64) {
	head, unit := bytes.TrimRight(body, "}]"), filler
	if items := postingsOf(body); len(items) > 0 {
		head, unit = bytes.TrimSuffix(body, pageEnd), slices.Concat(comma, items)
	}
	tail := body[len(head):]
	if size < 0 {
		return io.MultiReader(bytes.NewReader(head), &cycle{unit: unit, left: math.MaxInt64}), -1
	}
	size = max(size, int64(len(body)))
	room := size - int64(len(body))
	units := room / int64(len(unit)) * int64(len(unit))
	return io.MultiReader(
		bytes.NewReader(head),
		&cycle{unit: unit, left: units},
		&cycle{unit: filler, left: room - units},
		bytes.NewReader(tail),
	), size
}

// postingsOf returns the bytes between the brackets of a search's results.
func postingsOf(body []byte) []byte {
	_, results, _ := bytes.Cut(body, resultsKey)
	items, isSearch := bytes.CutSuffix(results, pageEnd)
	if !isSearch {
		return nil
	}
	return items
}

// cycle repeats a unit.
type cycle struct {
	unit []byte
	off  int
	left int64
}

func (c *cycle) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), c.left)], c.unit[c.off:])
	c.off = (c.off + n) % len(c.unit)
	c.left -= int64(n)
	return n, nil
}
