package jobboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
	"github.com/jobboard-sdk/jobboard-go/internal/multimap"
)

// JobSearchResult holds one page of a channel's postings (2.1). It encodes to
// the interface's JSON and decodes from it.
type JobSearchResult struct {
	ItemsPerPage       int          `json:"itemsPerPage"`       // size of a page
	NumPages           int          `json:"numPages"`           // number of pages
	Offset             int          `json:"offset"`             // offset of this page
	ActualPage         int          `json:"actualPage"`         // number of this page, from 0 as far as seen
	FirstPostingOnPage int          `json:"firstPostingOnPage"` // position of its first posting
	LastPostingOnPage  int          `json:"lastPostingOnPage"`  // position of its last posting
	TotalNumberOfJobs  int          `json:"totalNumberOfJobs"`  // hits on all pages
	Results            []JobPosting `json:"results"`

	// Unreadable counts the entries of the answer that Results lacks because they are no usable
	// posting; see PostingError. Encoding loses both.
	Unreadable       int            `json:"-"`
	UnreadableErrors []PostingError `json:"-"` // of the first 100 such entries

	Unknown map[string]json.RawMessage `json:"-"` // further members, by their names; see JobPosting
}

// Partial reports whether the search has more postings than the page holds: the
// page's counters name more hits than it has postings, or more than one page, or
// entries of the answer could not be read. The interface documents no way to ask
// for another page.
func (r *JobSearchResult) Partial() bool { return r.partial(len(r.Results)) }

// partial reports what Partial does, for a page of which n postings were read.
func (r *JobSearchResult) partial(n int) bool {
	return r.TotalNumberOfJobs > n || r.NumPages > 1 || r.Unreadable > 0
}

// MarshalJSON returns the page in the form of section 2.1; results is never
// null.
func (r JobSearchResult) MarshalJSON() ([]byte, error) {
	type plain JobSearchResult
	postings := r.Results
	r.Results = nil
	w := newObjectWriter()
	w.value(plain(r))
	w.reopen("null}") // the null of results, the last member
	separator := byte('[')
	for _, p := range postings {
		w.WriteByte(separator)
		w.posting(p)
		separator = ','
	}
	if len(postings) == 0 {
		w.WriteByte('[')
	}
	w.WriteByte(']')
	w.end(r.Unknown, pageObject.HasLike)
	return w.Bytes(), w.err
}

// UnmarshalJSON reads a page by the rules of a search; null changes nothing. It
// returns [ErrDecode] for anything else.
func (r *JobSearchResult) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	p := &postingReader{d: newPostingDecoder(b)}
	defer p.close()
	page, err := p.all()
	if err != nil {
		return err
	}
	*r = *page
	return nil
}

// JobPosting holds a posting of a channel (2.2). Its strings share one piece of
// memory: a program that keeps one of them keeps all, unless it keeps a copy
// made with strings.Clone. The texts come from the service and are untrusted.
type JobPosting struct {
	JobPostingID            JobPostingID     `json:"jobPostingId"`
	PostingVersionID        PostingVersionID `json:"postingVersionId"`
	Title                   string           `json:"title"`
	ApplyOnlineLink         string           `json:"applyOnlineLink"` // see ApplyURL
	Config                  PostingConfig    `json:"config"`
	JobStartDate            Millis           `json:"jobStartDate"`
	PostingVersionStartDate Millis           `json:"postingVersionStartDate"`
	PostingVersionEndDate   Millis           `json:"postingVersionEndDate"` // 0 occurs; see Millis

	// AdTooLarge reports that Postings left the advertisement out of Config, because
	// with it the posting is over Config.MaxPostingBytes of the client.
	AdTooLarge bool `json:"-"`

	// Unknown holds members that the interface does not name, as JSON by their names; nil: there
	// are none. They are encoded again. If a name comes twice, the last one counts. A name that
	// differs from an interface name only in upper and lower case is left out. So is a member over
	// 1 MiB, and members that together take more than a quarter of the memory bound of the answer.
	Unknown map[string]json.RawMessage `json:"-"`
}

// MarshalJSON returns the posting in the form of section 2.2, with its unknown
// members. A struct that embeds a JobPosting gets this method, too, and then
// encodes to the posting alone.
func (p JobPosting) MarshalJSON() ([]byte, error) {
	w := newObjectWriter()
	w.posting(p)
	return w.Bytes(), w.err
}

// posting writes a posting. encoding/json writes the posting with an empty config, in whose place
// posting then writes the config itself, the bulk of the posting. "config":{} cannot stand
// elsewhere, because a quote in a text is escaped.
func (w *objectWriter) posting(p JobPosting) {
	const empty = `"config":{}`
	type plain JobPosting
	lists, err := p.Config.lists.MarshalJSON()
	if err != nil {
		w.err = err
		return
	}
	start := w.Len()
	p.Config = PostingConfig{}
	w.value(plain(p))
	head, tail, _ := bytes.Cut(bytes.Clone(w.Bytes()[start:]), []byte(empty))
	w.Truncate(start)
	w.Write(head)
	w.WriteString(strings.TrimSuffix(empty, "{}"))
	w.Write(lists)
	w.Write(tail)
	w.reopen("}")
	w.end(p.Unknown, postingObject.HasLike)
}

// UnmarshalJSON reads a posting by the rules of a search; null changes
// nothing. It returns [ErrDecode] for an entry that a search passes over, see
// [PostingError], and for what is no JSON.
func (p *JobPosting) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	d := newPostingDecoder(b)
	defer d.release()
	var v JobPosting
	d.readPosting(&v)
	d.refuseFlaw()
	if err := d.end(); err != nil {
		return err
	}
	*p = v
	return nil
}

// ApplyURL returns ApplyOnlineLink as an address that is safe to link to: absolute, http or https,
// with a host and without a user. It returns [ErrDecode] for any other link, also if it is empty.
func (p *JobPosting) ApplyURL() (*url.URL, error) {
	return webURL("applyOnlineLink", p.ApplyOnlineLink)
}

// webURL reads a link of the service. Its error names the field and holds no part
// of the link.
func webURL(field, link string) (*url.URL, error) {
	u, wrong := address.Link(link)
	if wrong != "" {
		return nil, fmt.Errorf("jobboard: %s %s: %w", field, wrong, ErrDecode)
	}
	return u, nil
}

// A postingDecoder reads one posting, or one config without a posting, at a time and is reused.
type postingDecoder struct {
	decoder
	posting      *JobPosting
	title, link  jsonread.Piece
	postingOrder jsonread.Order
	config       multimap.Reading
	omit         multimap.Omitted
}

type postingMember = jsonread.Member[*postingDecoder]

var postingDecoders = sync.Pool{New: func() any { return new(postingDecoder) }}

// newPostingDecoder returns a decoder for the document b.
func newPostingDecoder(b []byte) *postingDecoder {
	d := postingDecoders.Get().(*postingDecoder)
	d.start(b)
	return d
}

// release keeps the decoder for the next answer, without buffers that an unusual
// config made large.
func (d *postingDecoder) release() {
	d.forget()
	d.config.Release()
	d.omit = multimap.Omitted{}
	postingDecoders.Put(d)
}

var postingObject = jsonread.NewObject([]postingMember{
	{Name: "jobPostingId", Required: true, Read: func(d *postingDecoder) {
		id, reason := d.TryInt()
		if reason == "" && id < 1 {
			reason = "not 1 or more"
		}
		if reason != "" {
			d.Note("jobPostingId", reason)
		}
		d.posting.JobPostingID = JobPostingID(id)
	}},
	{Name: "postingVersionId", Read: func(d *postingDecoder) {
		id, _ := d.TryInt()
		d.posting.PostingVersionID = PostingVersionID(id)
	}},
	{Name: "title", Read: func(d *postingDecoder) { d.title = d.text() }},
	{Name: "applyOnlineLink", Read: func(d *postingDecoder) { d.link = d.text() }},
	{Name: "config", Read: (*postingDecoder).readConfigMember},
	{Name: "jobStartDate", Read: func(d *postingDecoder) { d.posting.JobStartDate = d.millisOrZero() }},
	{Name: "postingVersionStartDate", Read: func(d *postingDecoder) {
		d.posting.PostingVersionStartDate = d.millisOrZero()
	}},
	{Name: "postingVersionEndDate", Read: func(d *postingDecoder) {
		d.posting.PostingVersionEndDate = d.millisOrZero()
	}},
}).Lenient().KeepUnknown(func(d *postingDecoder) *unknownMembers { return &d.posting.Unknown })

// readPosting reads a posting into p. A posting that cannot be used is read to its end, and d.Flaw
// then says why; p has no use.
func (d *postingDecoder) readPosting(p *JobPosting) {
	d.item.Reset()
	d.posting, d.title, d.link = p, jsonread.Piece{}, jsonread.Piece{}
	postingObject.Read(&d.Reader, &d.postingOrder, d)
	p.AdTooLarge = d.config.Fit(&d.Reader, adSuffix)
	d.posting = nil
	if d.Flaw.Reason != "" {
		d.config.Drop()
		return
	}
	if lists, text := d.config.Join(&d.Reader, &d.item); d.Err() == nil {
		p.Title, p.ApplyOnlineLink, p.Config = d.title.In(text), d.link.In(text), PostingConfig{lists}
	}
}

// decodeLimits bounds one page; 0 means no bound.
type decodeLimits struct {
	maxBytes int64 // the answer, decompressed
	maxItem  int   // one posting of it
}

// postingReader reads a page, posting by posting, as it arrives.
type postingReader struct {
	d        *postingDecoder // nil after close
	lim      decodeLimits
	counters JobSearchResult // the page's counters, without postings
	cursor   jsonread.Cursor
	order    jsonread.Order
	started  bool
	list     bool                  // results is an array, not null
	inList   bool                  // the reader stands inside the array results
	n        int                   // entries of results read: postings, known ones and unreadable ones
	skip     func(raw []byte) bool // reports whether next leaves a posting out; nil: it leaves out none
	err      error
}

type pageMember = jsonread.Member[*postingReader]

var pageObject = jsonread.NewObject([]pageMember{
	{Name: "totalNumberOfJobs", Required: true, Read: func(p *postingReader) {
		n := p.d.Int()
		if n < 0 || int64(int(n)) != n {
			p.d.Fail(jsonscan.Error("integer out of range"))
		}
		p.counters.TotalNumberOfJobs = int(n)
	}},
	{Name: "results", Required: true, Read: func(p *postingReader) {
		p.list = !p.d.Null() && p.d.Array()
		p.inList = p.list
	}},
	{Name: "itemsPerPage", Read: func(p *postingReader) { p.counters.ItemsPerPage = p.optCount() }},
	{Name: "numPages", Read: func(p *postingReader) { p.counters.NumPages = p.optCount() }},
	{Name: "offset", Read: func(p *postingReader) { p.counters.Offset = p.optCount() }},
	{Name: "actualPage", Read: func(p *postingReader) { p.counters.ActualPage = p.optCount() }},
	{Name: "firstPostingOnPage", Read: func(p *postingReader) { p.counters.FirstPostingOnPage = p.optCount() }},
	{Name: "lastPostingOnPage", Read: func(p *postingReader) { p.counters.LastPostingOnPage = p.optCount() }},
}).KeepUnknown(func(p *postingReader) *unknownMembers { return &p.counters.Unknown })

// optCount reads a counter that decides nothing: what is no integer is 0.
func (p *postingReader) optCount() int {
	n, _ := p.d.TryInt()
	if int64(int(n)) != n {
		return 0
	}
	return int(n)
}

func newPostingReader(r io.Reader, lim decodeLimits, omit []string) *postingReader {
	p := &postingReader{d: newPostingDecoder(nil), lim: lim}
	p.d.omit = multimap.Omit(&configKeys, omit)
	p.d.omit.Bulk = adSuffix
	p.d.Reset(r, lim.maxBytes)
	return p
}

// next returns the next posting. After the last posting it reads the page to its end and returns
// io.EOF if the page is complete. After an error it returns the same error again.
func (p *postingReader) next() (*JobPosting, error) {
	var posting *JobPosting
	for {
		if p.d != nil {
			p.d.Allow(allocations(int64(p.lim.maxItem)))
		}
		if !p.more() {
			return nil, p.err
		}
		if p.skipped() {
			continue
		}
		if posting == nil {
			posting = new(JobPosting)
		}
		if p.read(posting) {
			return posting, nil
		}
	}
}

// skipped passes over the posting at which more stopped, if skip knows its bytes, and
// reports whether it did.
func (p *postingReader) skipped() bool {
	if p.skip == nil {
		return false
	}
	raw := p.d.Ahead(p.lim.maxItem)
	if len(raw) == 0 || !p.skip(raw) {
		return false
	}
	p.d.Advance(len(raw))
	p.n++
	return true
}

// page returns the page's counters, without postings. It reports false before
// next has returned io.EOF.
func (p *postingReader) page() (JobSearchResult, bool) {
	if p.err != io.EOF {
		return JobSearchResult{}, false
	}
	return p.counters, true
}

var errReaderClosed = errors.New("jobboard: postings read after their end")

// close returns the buffers to their pool. A second close does nothing.
func (p *postingReader) close() {
	if p.d == nil {
		return
	}
	p.d.release()
	p.d = nil
	if p.err == nil {
		p.err = errReaderClosed
	}
}

// more reports whether there is another posting, and moves to its beginning.
func (p *postingReader) more() bool {
	if p.err != nil {
		return false
	}
	d := p.d
	if !p.started {
		p.started = true
		d.Object()
	}
	for d.Err() == nil {
		if p.inList {
			if d.Next() {
				return true
			}
			p.inList = false
			if d.Err() != nil {
				d.Within("results")
				break
			}
		}
		if !pageObject.Step(&d.Reader, &p.cursor, &p.order, p) {
			d.End()
			break
		}
	}
	if p.err = d.err(); p.err == nil {
		p.err = p.noneRead()
	}
	return false
}

// noneRead returns io.EOF, or an error that names what is wrong with the first entry if the page has
// entries and none could be read.
func (p *postingReader) noneRead() error {
	if p.n == 0 || p.counters.Unreadable < p.n {
		return io.EOF
	}
	return errUndecodable(p.counters.UnreadableErrors[0].text())
}

// read reads the entry at which more stopped, and reports whether it is a posting. If it is not, and
// p.err is nil, the entry is counted as unreadable, and *posting is empty.
func (p *postingReader) read(posting *JobPosting) bool {
	d := p.d
	if p.lim.maxItem > 0 {
		d.Peek()
		d.Bound(p.lim.maxItem)
	}
	d.readPosting(posting)
	d.Unbound()
	if d.Err() != nil {
		d.WithinIndex(p.n)
		d.Within("results")
		p.err = d.err()
		return false
	}
	p.n++
	if d.Flaw.Reason == "" {
		return true
	}
	*posting = JobPosting{}
	p.counters.unreadable(PostingError{Position: p.n - 1, Member: d.Flaw.Member, Reason: string(d.Flaw.Reason)})
	return false
}

// decodeSearch reads a page.
func decodeSearch(r io.Reader, lim decodeLimits, omit []string) (*JobSearchResult, error) {
	p := newPostingReader(r, lim, omit)
	defer p.close()
	return p.all()
}

// all reads the whole page. It collects the postings in several slices, because growing one slice
// would copy the postings again and again, and returns one slice without spare capacity.
func (p *postingReader) all() (*JobSearchResult, error) {
	p.d.Allow(allocations(p.lim.maxBytes))
	var full [][]JobPosting
	var cur []JobPosting
	for p.more() {
		if len(cur) == cap(cur) {
			n := min(max(16, p.n-p.counters.Unreadable), 4096)
			if !p.d.Charge(2 * n * int(unsafe.Sizeof(JobPosting{}))) { // the slices, and their copy at the end
				p.err = p.d.err()
				break
			}
			if cur != nil {
				full = append(full, cur)
			}
			cur = make([]JobPosting, 0, n)
		}
		cur = cur[:len(cur)+1]
		if !p.read(&cur[len(cur)-1]) {
			cur = cur[:len(cur)-1]
		}
	}
	page, ok := p.page()
	if !ok {
		return nil, p.err
	}
	switch {
	case full != nil:
		page.Results = slices.Concat(append(full, cur)...)
	case cur != nil:
		page.Results = slices.Clip(cur)
	case p.list:
		page.Results = []JobPosting{}
	}
	return &page, nil
}

// JobFromLink returns the identifiers in the address of an ad: the job in a path of the form
// .../job/{job id}/... or .../jobs/{job id}/..., and the posting's version in a query with
// jobDbPVId={posting version id}. An identifier is 0 if the address lacks it or holds two different
// ones. JobFromLink also reads relative addresses and ignores the host.
//
// The interface does not promise these forms, so the identifiers are evidence
// and no proof. Confirm them with the job information lookup (4.4): its title
// is the posting's.
func JobFromLink(link string) (JobID, PostingVersionID) {
	if !strings.Contains(link, "job/") && !strings.Contains(link, "jobs/") && !strings.Contains(link, "jobDbPVId=") {
		return 0, 0 // spares most links the slow url.Parse
	}
	u, err := url.Parse(link)
	if err != nil {
		return 0, 0
	}
	var jobs []string
	segments := strings.Split(u.Path, "/")
	for i, segment := range segments[1:] {
		if segments[i] == "job" || segments[i] == "jobs" {
			jobs = append(jobs, segment)
		}
	}
	return JobID(onlyNumber(jobs)), PostingVersionID(onlyNumber(u.Query()["jobDbPVId"]))
}

// LinkedJob returns the job in the path of the posting's own ApplyOnlineLink, by the
// rules of [JobFromLink]. It reports false if the link names no job.
func (p *JobPosting) LinkedJob() (JobID, bool) {
	job, _ := JobFromLink(p.ApplyOnlineLink)
	return job, job != 0
}

// onlyNumber returns the positive number among the texts; 0: no text is a number, or two numbers
// differ.
func onlyNumber(texts []string) (found int64) {
	for _, s := range texts {
		n, ok := positiveNumber(s)
		switch {
		case !ok:
		case found != 0 && found != n:
			return 0
		default:
			found = n
		}
	}
	return found
}
