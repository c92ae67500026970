package boardcheck

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// errSpent is the answer to every request after the last that a check may send.
var errSpent = errors.New("boardcheck: the requests of this check are used up")

// maxBody bounds what is read of a body after decompression.
const maxBody = 64 << 20

// tap is the transport nearest to the network. It counts requests, and notes of each answer what a
// profile keeps. It hands the bodies on untouched.
type tap struct {
	next     http.RoundTripper
	channels []string // left out of redirect targets

	mu       sync.Mutex
	sent     int
	answered bool        // by a status that is neither 429 nor 5xx
	sdk      string      // as in User-Agent
	seen     []*exchange // of the current call
	shaped   bool        // the bodies of the current call are JSON, whose shape is wanted
}

// exchange is a request and its answer. status is 0 where there was none.
type exchange struct {
	status      int
	media       string
	target      string // of a redirect
	deprecation bool
	sunset      bool
	shape       *shape // of a body that is JSON; nil: none
}

// begin starts a call, and forgets the exchanges of the last one.
func (t *tap) begin(shaped bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen, t.shaped = nil, shaped
}

// exchanges returns those of the current call.
func (t *tap) exchanges() []*exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.seen)
}

func (t *tap) spent() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent >= MaxRequests
}

func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	x, shaped := t.send(r)
	if x == nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, errSpent
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	x.status = resp.StatusCode
	x.media = mediaType(resp.Header.Get("Content-Type"))
	x.deprecation, x.sunset = resp.Header.Get("Deprecation") != "", resp.Header.Get("Sunset") != ""
	t.answered = t.answered || x.status < 500 && x.status != http.StatusTooManyRequests
	if to := resp.Header.Get("Location"); to != "" && x.status/100 == 3 {
		x.target = redirectTarget(r.URL, to, t.channels)
	}
	resp.Body = &body{
		ReadCloser: resp.Body, tap: t, x: x, length: resp.ContentLength,
		keep: shaped && x.status/100 == 2, zipped: strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip"),
	}
	return resp, nil
}

// send counts a request, and returns nil for one too many.
func (t *tap) send(r *http.Request) (x *exchange, shaped bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sent >= MaxRequests {
		return nil, false
	}
	t.sent++
	if i := strings.LastIndex(r.UserAgent(), "jobboard-go/"); i >= 0 {
		t.sdk, _, _ = strings.Cut(r.UserAgent()[i+len("jobboard-go/"):], " ")
	}
	x = &exchange{media: mediaType("")}
	t.seen = append(t.seen, x)
	return x, t.shaped
}

// body keeps what the client reads, until the client closes it.
type body struct {
	io.ReadCloser
	tap    *tap
	x      *exchange
	length int64 // as announced; -1: unknown
	keep   bool
	zipped bool

	mu    sync.Mutex
	read  bytes.Buffer
	whole bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.keep {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.read.Write(p[:n])
		b.whole = b.whole || errors.Is(err, io.EOF) || int64(b.read.Len()) == b.length
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.keep {
		return err
	}
	b.keep = false
	s := b.shape()
	b.tap.mu.Lock()
	defer b.tap.mu.Unlock()
	b.x.shape = s
	return err
}

// shape returns the shape of what was read, and forgets the bytes.
func (b *body) shape() *shape {
	var src io.Reader = &b.read
	if b.zipped {
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil
		}
		src = z
	}
	s := shapeOf(io.LimitReader(src, maxBody), b.whole)
	b.read = bytes.Buffer{}
	return s
}

var (
	mediaTypes = []string{
		"application/json", "application/problem+json", "application/hal+json", "application/vnd.api+json",
		"application/octet-stream", "application/xml", "application/rss+xml", "application/gzip", "application/x-gzip",
		"application/javascript", "text/json", "text/plain", "text/xml", "text/html",
	}
	charsets = []string{"utf-8", "us-ascii", "iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "utf-16"}
)

// mediaType returns a Content-Type with its charset. Of a type or charset that is not well known it
// returns that there is one: it may hold anything.
func mediaType(header string) string {
	if header == "" {
		return "no media type"
	}
	media, params, err := mime.ParseMediaType(header)
	if err != nil || !slices.Contains(mediaTypes, media) {
		return "another media type"
	}
	switch charset := strings.ToLower(params["charset"]); {
	case charset == "":
	case slices.Contains(charsets, charset):
		media += "; charset=" + charset
	default:
		media += "; another charset"
	}
	return media
}

var (
	plainSegment = regexp.MustCompile(`^([A-Za-z_]{1,32}|v[0-9])$`)
	plainHost    = regexp.MustCompile(`^[A-Za-z0-9.-]{1,100}$`)
)

// redirectTarget returns scheme, host and path of a redirect. Of the path it leaves out the channel and
// each segment that is not of letters, for it may name a record.
func redirectTarget(from *url.URL, location string, channels []string) string {
	to, err := from.Parse(location)
	if err != nil || !plainHost.MatchString(to.Hostname()) {
		return "no address"
	}
	segments := strings.Split(to.EscapedPath(), "/")
	for i, s := range segments {
		name, err := url.PathUnescape(s)
		switch {
		case err == nil && slices.Contains(channels, name):
			segments[i] = "{channel}"
		case s != "" && !plainSegment.MatchString(s):
			segments[i] = "*"
		}
	}
	host := to.Hostname()
	if p := to.Port(); p != "" && len(p) <= 5 {
		if _, err := strconv.Atoi(p); err == nil {
			host += ":" + p
		}
	}
	return to.Scheme + "://" + host + strings.Join(segments, "/")
}
