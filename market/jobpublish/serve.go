package jobpublish

import (
	"bufio"
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
	"sync"
	"sync/atomic"
	"time"
)

// A handler serves the jobs in one format.
type handler struct {
	feeds       *Feeds
	path        string
	contentType string
	write       format
	streams     bool // the format is written from its beginning to its end, so it may be sent meanwhile

	mu      sync.Mutex
	file    *file    // the newest file; nil before the first. The renewal alone changes it
	renewal *renewal // under way; nil: none

	dated time.Time // the newest Last-Modified of any file; the renewal's alone
}

// A format writes jobs into a file.
type format func(f *file, h *handler, jobs iter.Seq2[Job, error]) error

func (f *Feeds) handler(path, contentType string, write format) *handler {
	if f.cfg.Jobs == nil {
		panic("jobpublish: use NewFeeds: the zero Feeds has no jobs")
	}
	return &handler{feeds: f, path: path, contentType: contentType, write: write}
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
	f, whole, err := h.find(r.Context(), h.streams && plainGet(r))
	if err == nil {
		defer f.release()
		if !whole {
			err = h.follow(w, r, f)
			if err == nil {
				return
			}
		}
	}
	if err != nil {
		h.feeds.cfg.Logger.ErrorContext(r.Context(), "jobpublish: nothing was written", "path", h.path, "error", err)
		w.Header().Set("Retry-After", "60")
		http.Error(w, "the jobs are not known at the moment", http.StatusServiceUnavailable)
		return
	}
	// A slow client needs minutes for a large file. A writer that does not support deadlines keeps
	// the server's.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxWriting))
	doc, ok := f.document(parameters.Get("part"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	left := max(0, time.Until(f.until)) / time.Second
	w.Header().Set("Content-Type", h.contentType)
	w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", left))
	w.Header().Set("ETag", `"`+doc.hash+`"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", f.modified, io.NewSectionReader(f.body, doc.start, doc.size))
}

// document returns a part of the file by its number, and the index for "".
func (f *file) document(part string) (doc document, ok bool) {
	if part == "" {
		return f.index, true
	}
	n, err := strconv.Atoi(part)
	if err != nil || n < 1 || n > len(f.parts) || len(f.parts) == 1 {
		return document{}, false
	}
	return f.parts[n-1], true
}

// plainGet reports whether a request asks for all of a file, whatever it has already.
func plainGet(r *http.Request) bool {
	for _, name := range []string{"Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return r.Method == http.MethodGet
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
	lapses   time.Time // when the first of its jobs may no longer be published; zero: never
	until    time.Time // expiry of the file; set when it is whole
	notes    notes
	kept     kept // of the file before, while this one is written
	users    atomic.Int64

	mu     sync.Mutex
	onDisk int64
	ended  bool          // it is written, or came to nothing
	failed error         // why it came to nothing
	more   chan struct{} // closed when onDisk or ended change
}

type document struct {
	start, size int64
	hash        string
	modified    time.Time // change time of its newest job
}

// createFile returns a new file, which takes advertisements from the file before; nil: there is none.
func createFile(before *file) (*file, error) {
	body, err := os.CreateTemp("", "jobpublish-")
	if err != nil {
		return nil, err
	}
	disk, err := os.CreateTemp("", "jobpublish-")
	if err != nil {
		body.Close()
		os.Remove(body.Name())
		return nil, err
	}
	f := &file{body: body, kept: keptOf(before), more: make(chan struct{})}
	f.notes = notes{disk: disk, out: bufio.NewWriter(disk)}
	f.out = bufio.NewWriterSize(grower{f}, 1<<16)
	f.users.Store(1)
	for _, open := range []*os.File{body, disk} {
		os.Remove(open.Name()) // where an open file cannot be removed, release removes it
	}
	return f, nil
}

// grower writes to a file's disk.
type grower struct{ f *file }

func (g grower) Write(p []byte) (int, error) {
	n, err := g.f.body.Write(p)
	if n > 0 {
		g.f.grew(int64(n))
	}
	return n, err
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

// holds records that the file contains a job: it lapses when the job does. It
// raises the document's modified to the change of the job's page.
func (f *file) holds(job Job, changed time.Time) {
	if until := job.until(); f.lapses.IsZero() || until.Before(f.lapses) {
		f.lapses = until
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
	if err := errors.Join(f.out.Flush(), f.notes.out.Flush()); err != nil {
		return err
	}
	f.endWriting(nil)
	f.out, f.notes.out, f.kept = nil, nil, kept{}
	if len(f.parts) == 1 {
		err := f.sum(&f.parts[0], io.Discard)
		f.index, f.hash = f.parts[0], f.parts[0].hash
		return err
	}
	all := sha256.New()
	for i := range f.parts {
		if err := f.sum(&f.parts[i], all); err != nil {
			return err
		}
	}
	err := f.sum(&f.index, all)
	f.hash = hex.EncodeToString(all.Sum(nil)[:16])
	return err
}

// sum computes the hash of a document, and writes the document to all.
func (f *file) sum(d *document, all io.Writer) error {
	hash := sha256.New()
	_, err := io.Copy(io.MultiWriter(hash, all), io.NewSectionReader(f.body, d.start, d.size))
	d.hash = hex.EncodeToString(hash.Sum(nil)[:16])
	return err
}

// release ends one use of the file. The last release removes it.
func (f *file) release() {
	if f.users.Add(-1) == 0 {
		for _, open := range []*os.File{f.body, f.notes.disk} {
			open.Close()
			os.Remove(open.Name())
		}
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
