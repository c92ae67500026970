package jobpublish

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A handler serves the jobs in one format.
type handler struct {
	feeds       *Feeds
	path        string
	contentType string
	write       format
	writing     chan struct{} // a lock whose waiters can give up: full while a request writes a new file
	file        *file         // the newest file; nil before the first
	dated       time.Time     // the newest Last-Modified of any file
	failure     error         // error of the last failed write
	failed      time.Time     // time of that failure
}

// A format writes jobs into a file.
type format func(f *file, h *handler, jobs iter.Seq2[Job, error]) error

func (f *Feeds) handler(path, contentType string, write format) http.Handler {
	if f.cfg.Jobs == nil {
		panic("jobpublish: use NewFeeds: the zero Feeds has no jobs")
	}
	return &handler{feeds: f, path: path, contentType: contentType, write: write, writing: make(chan struct{}, 1)}
}

// maxWriting bounds the time to write a file, and the time to send it to a client.
const maxWriting = 10 * time.Minute

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	// net/url drops malformed parameters. A request with a malformed part would get the index,
	// so refuse it. Other malformed parameters, such as those of campaigns, do not matter.
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil && !parameters.Has("part") && strings.Contains(r.URL.RawQuery, "part=") {
		http.Error(w, "the query of the address cannot be read", http.StatusBadRequest)
		return
	}
	f, err := h.current(r.Context())
	if err != nil {
		h.feeds.cfg.Logger.ErrorContext(r.Context(), "jobpublish: nothing was written", "path", h.path, "error", err)
		w.Header().Set("Retry-After", "60")
		http.Error(w, "the jobs are not known at the moment", http.StatusServiceUnavailable)
		return
	}
	defer f.release()
	// A slow client needs minutes for a large file. A writer that does not support deadlines keeps
	// the server's.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxWriting))
	doc := f.index
	if part := parameters.Get("part"); part != "" {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > len(f.parts) || len(f.parts) == 1 {
			http.NotFound(w, r)
			return
		}
		doc = f.parts[n-1]
	}
	left := max(0, time.Until(f.until)) / time.Second
	w.Header().Set("Content-Type", h.contentType)
	w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", left))
	w.Header().Set("ETag", `"`+doc.hash+`"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", f.modified, io.NewSectionReader(f.body, doc.start, doc.size))
}

// current returns the file to serve, which the caller must release. It writes a
// new file if there is none or the last has expired. One caller writes while
// the others wait for its result, or its error. The write goes on even if the
// client of the writing request leaves.
func (h *handler) current(ctx context.Context) (*file, error) {
	came := time.Now()
	select {
	case h.writing <- struct{}{}:
		defer func() { <-h.writing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if h.file == nil || !time.Now().Before(h.file.until) {
		if h.failed.After(came) {
			return nil, h.failure
		}
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxWriting)
		defer cancel()
		f, err := h.newFile(writing)
		if err != nil {
			h.failure, h.failed = err, time.Now()
			return nil, err
		}
		if h.file != nil {
			h.file.release()
		}
		h.file = f
	}
	h.file.users.Add(1)
	return h.file, nil
}

// errLapsed means that a job could no longer be published when the file was
// complete.
var errLapsed = errors.New("a job was no longer known to be open")

// newFile returns a new file that may be served now. If a job lapses while the
// file is written, newFile writes it again, without the jobs that lapse soon.
func (h *handler) newFile(ctx context.Context) (*file, error) {
	began := time.Now()
	f, err := h.writeFile(ctx, began, began)
	if errors.Is(err, errLapsed) {
		again := time.Now()
		f, err = h.writeFile(ctx, again, again.Add(2*again.Sub(began)+time.Second))
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
func (h *handler) writeFile(ctx context.Context, began, until time.Time) (*file, error) {
	f, err := createFile(began.Add(h.feeds.cfg.MaxAge))
	if err != nil {
		return nil, err
	}
	f.modified = began.Truncate(time.Second)
	err = h.write(f, h, h.feeds.jobs(ctx, began, until))
	if err == nil {
		err = f.finish()
	}
	if err == nil && !time.Now().Before(f.until) {
		err = fmt.Errorf("%w when %v of writing were over", errLapsed, time.Since(began))
	}
	if err != nil {
		f.release()
		return nil, err
	}
	return f, nil
}

// A file holds the written documents: a single document, or several parts and
// their index. It lies on disk, to save memory, and its name is removed at
// once.
type file struct {
	body     *os.File
	out      *bufio.Writer
	written  int64
	parts    []document
	index    document // the index, or the only part
	hash     string   // of the whole file
	modified time.Time
	until    time.Time // expiry of the file
	users    atomic.Int64
}

type document struct {
	start, size int64
	hash        string
	modified    time.Time // change time of its newest job
}

func createFile(until time.Time) (*file, error) {
	body, err := os.CreateTemp("", "jobpublish-")
	if err != nil {
		return nil, err
	}
	f := &file{body: body, until: until}
	f.out = bufio.NewWriterSize(body, 1<<16)
	f.users.Store(1)
	os.Remove(body.Name()) // where an open file cannot be removed, release removes it
	return f, nil
}

// Write appends to the last document.
func (f *file) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	f.written += int64(n)
	return n, err
}

// begin starts a document.
func (f *file) begin() {
	f.parts = append(f.parts, document{start: f.written})
}

// end ends the current document.
func (f *file) end() *document {
	d := &f.parts[len(f.parts)-1]
	d.size = f.written - d.start
	return d
}

// holds records that the file contains a job: it limits the file's until to the job's, and
// raises the document's modified to the change of the job's page.
func (f *file) holds(job Job, changed time.Time) {
	if until := job.until(); until.Before(f.until) {
		f.until = until
	}
	if d := &f.parts[len(f.parts)-1]; changed.After(d.modified) {
		d.modified = changed
	}
}

// correct replaces written text by a text of the same length.
func (f *file) correct(at int64, text string) error {
	if err := f.out.Flush(); err != nil {
		return err
	}
	_, err := f.body.WriteAt([]byte(text), at)
	return err
}

// finish computes the hashes of the file and its documents, for ETag.
func (f *file) finish() error {
	if err := f.out.Flush(); err != nil {
		return err
	}
	f.out = nil
	all := sha256.New()
	for i := range f.parts {
		if err := f.sum(&f.parts[i], all); err != nil {
			return err
		}
	}
	if len(f.parts) == 1 {
		f.index = f.parts[0]
	} else if err := f.sum(&f.index, all); err != nil {
		return err
	}
	f.hash = hex.EncodeToString(all.Sum(nil)[:16])
	return nil
}

func (f *file) sum(d *document, all io.Writer) error {
	hash := sha256.New()
	_, err := io.Copy(io.MultiWriter(hash, all), io.NewSectionReader(f.body, d.start, d.size))
	d.hash = hex.EncodeToString(hash.Sum(nil)[:16])
	return err
}

// release ends one use of the file. The last release removes it.
func (f *file) release() {
	if f.users.Add(-1) == 0 {
		f.body.Close()
		os.Remove(f.body.Name())
	}
}

// An xmlWriter writes XML elements. It remembers the first error, and then
// writes nothing more.
type xmlWriter struct {
	*xml.Encoder
	err error
}

func newXMLWriter(w io.Writer) *xmlWriter {
	x := &xmlWriter{Encoder: xml.NewEncoder(w)}
	_, x.err = io.WriteString(w, xml.Header)
	return x
}

func (x *xmlWriter) start(name string, attributes ...xmlAttr) {
	x.token(xml.StartElement{Name: xml.Name{Local: name}, Attr: attributes})
}

func (x *xmlWriter) close(name string) {
	x.token(xml.EndElement{Name: xml.Name{Local: name}})
}

func (x *xmlWriter) token(t xml.Token) {
	if x.err == nil {
		x.err = x.EncodeToken(t)
	}
}

// element writes an element with a value, or nothing for an empty text.
func (x *xmlWriter) element(name string, value any, attributes ...xmlAttr) {
	if value != "" && x.err == nil {
		x.err = x.EncodeElement(value, xml.StartElement{Name: xml.Name{Local: name}, Attr: attributes})
	}
}

func (x *xmlWriter) finish() error {
	if x.err == nil {
		x.err = x.Flush()
	}
	return x.err
}

type xmlAttr = xml.Attr

func attr(name, value string) xmlAttr { return xmlAttr{Name: xml.Name{Local: name}, Value: value} }
