package jobboard

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// decodeLimits bounds one answer; 0 is no bound.
type decodeLimits struct {
	maxBytes int64 // the answer, decompressed
	maxItem  int   // one posting of it
}

// decodeError is why an answer cannot be used. It names the field and the
// place, and holds nothing of what was there.
type decodeError struct {
	kind   error  // ErrDecode or ErrResponseTooLarge
	path   string // of the field, such as results[3].title; "" is the answer
	reason string
	offset int64
}

func (e *decodeError) Error() string {
	at := " at byte " + strconv.FormatInt(e.offset, 10)
	switch {
	case e.reason == "":
		return e.kind.Error() + at
	case e.path == "":
		return e.kind.Error() + ": " + e.reason + at
	}
	return e.kind.Error() + ": " + e.path + " " + e.reason + at
}

func (e *decodeError) Unwrap() error { return e.kind }

// memory is how much may be allocated for a page of n bytes at most: 2.2 times
// as much, and a little that every page may have. A page of real postings
// takes less than twice its size; what takes more is made to.
func memory(n int64) int64 {
	const floor = 256 << 10
	if n <= 0 || n > math.MaxInt64/16 {
		return math.MaxInt64
	}
	return n/5*11 + floor
}

// A decoder turns answers into values. The strings of one item - a posting, a
// job information, a catalogue - are gathered in a buffer while it is read,
// and copied to one string of their own when it is complete, from which they
// are cut. So nothing that is handed out refers to a buffer, and an item takes
// a handful of allocations. Decoders are reused.
type decoder struct {
	s      jsonscan.Scanner
	where  string // the path of the error, as far as it is known
	text   texts  // strings of the item
	budget int64  // what may still be allocated

	// What followed what in the last objects of each kind; see order.
	postingOrder, configOrder, infoOrder, questionOrder, placeOrder order

	// The config of a posting.
	keys   []string
	counts []int
	values []piece
	layout []byte
	strs   piece // layout, in text
	names  interner
	omit   omitted

	// A job information.
	catalogueText texts
	labels        []labelPiece
	questions     []questionPiece
	places        []placePiece
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func newDecoder() *decoder {
	d := decoders.Get().(*decoder)
	d.budget = math.MaxInt64
	d.where = ""
	return d
}

// release gives the decoder's buffers to the next answer. Buffers that an
// unusual answer made large are not kept.
func (d *decoder) release() {
	d.s.ResetBytes(nil)
	d.text.reset()
	d.catalogueText.reset()
	d.omit = omitted{}
	// Of these alone the elements refer to something.
	clear(d.keys[:cap(d.keys)])
	clear(d.places[:cap(d.places)])
	d.keys = reuse(d.keys)
	d.counts = reuse(d.counts)
	d.values = reuse(d.values)
	d.layout = reuse(d.layout)
	d.labels = reuse(d.labels)
	d.questions = reuse(d.questions)
	d.places = reuse(d.places)
	decoders.Put(d)
}

func reuse[S ~[]E, E any](s S) S {
	if cap(s) > 4096 {
		return nil
	}
	return s[:0]
}

// err is the scanner's error as a caller of the decoder gets it: the reader's
// own as it is, all others with the field.
func (d *decoder) err() error {
	err := d.s.Err()
	if err == nil {
		return nil
	}
	e := &decodeError{kind: ErrDecode, path: d.where, offset: d.s.Offset()}
	var reason jsonscan.Error
	switch {
	case errors.Is(err, window.ErrTooLarge):
		e.kind = ErrResponseTooLarge
	case errors.As(err, &reason):
		e.reason = string(reason)
	default:
		return err
	}
	return e
}

// within puts name in front of the path of the error.
func (d *decoder) within(name string) {
	if d.where != "" && d.where[0] != '[' {
		name += "."
	}
	d.where = name + d.where
}

// withinIndex puts an index in front of the path of the error.
func (d *decoder) withinIndex(i int) { d.within("[" + strconv.Itoa(i) + "]") }

// charge takes n bytes, about to be allocated, out of the budget.
func (d *decoder) charge(n int) bool {
	d.budget -= int64(n)
	if d.budget < 0 {
		d.s.Fail(window.ErrTooLarge)
		return false
	}
	return true
}

// grown is s, which is full, with room for more elements, each of that size.
func grown[E any](d *decoder, s []E, size int) []E {
	n := max(16, 2*cap(s))
	if !d.charge(n*size) && cap(s) > 0 {
		// The scanner has failed; what is still appended before that is
		// seen is of no use to anybody, and may stand over the rest.
		return s[:0]
	}
	// Not slices.Grow, which takes up to half as much again as was charged.
	larger := make([]E, len(s), n)
	copy(larger, s)
	return larger
}

// A piece is a part of a texts.
type piece struct{ lo, hi uint32 }

func (p piece) in(s string) string { return s[p.lo:p.hi] }

// texts gathers text in pieces of memory that are never moved.
type texts struct {
	full [][]byte
	cur  []byte
	base int // how much text is in full
}

const (
	firstText = 32 << 10
	maxText   = 1 << 20
)

func (t *texts) len() int { return t.base + len(t.cur) }

func (t *texts) reset() {
	if t.full != nil {
		// Only the first one is of the size to be kept.
		t.cur = t.full[0]
		t.full = nil
	}
	t.cur = t.cur[:0]
	t.base = 0
}

// extend makes room for more.
func (d *decoder) extend(t *texts) bool {
	n := min(max(firstText, t.len()/2), maxText)
	if t.len() > math.MaxInt32 || !d.charge(n) {
		d.s.Fail(window.ErrTooLarge)
		return false
	}
	if t.cur != nil {
		t.base += len(t.cur)
		t.full = append(t.full, t.cur)
	}
	t.cur = make([]byte, 0, n)
	return true
}

// string is all the text, in memory of its own.
func (d *decoder) string(t *texts) string {
	if !d.charge(t.len()) {
		return ""
	}
	if len(t.full) == 0 {
		return string(t.cur)
	}
	var b strings.Builder
	b.Grow(t.len())
	for _, c := range t.full {
		b.Write(c)
	}
	b.Write(t.cur)
	return b.String()
}

// str reads a string.
func (d *decoder) str(t *texts) piece {
	if !d.s.Quote() {
		return piece{}
	}
	return d.moreStr(t)
}

// moreStr reads a string that has begun.
func (d *decoder) moreStr(t *texts) piece {
	lo := t.len()
	for {
		var done bool
		if t.cur, done = d.s.Text(t.cur); done || !d.extend(t) {
			return piece{uint32(lo), uint32(t.len())}
		}
	}
}

// optStr reads a string, or null for "".
func (d *decoder) optStr(t *texts) piece {
	if d.s.Is(`"`) {
		return d.moreStr(t)
	}
	if d.s.Null() {
		return piece{}
	}
	return d.str(t)
}

// idText reads a string, null for "", or a number for its text: services
// disagree on which of the two an identifier is.
func (d *decoder) idText(t *texts) piece {
	if d.s.Is(`"`) {
		return d.moreStr(t)
	}
	switch c := d.s.Peek(); {
	case c == '"':
		return d.str(t)
	case c == 'n':
		d.s.Null()
		return piece{}
	case c != '-' && (c < '0' || c > '9'):
		d.s.Fail(jsonscan.Error("not a string"))
		return piece{}
	}
	const longest = 64
	if cap(t.cur)-len(t.cur) < longest && !d.extend(t) {
		return piece{}
	}
	b := d.s.Number()
	if len(b) > longest {
		d.s.Fail(jsonscan.Error("number too long"))
		return piece{}
	}
	lo := t.len()
	t.cur = append(t.cur, b...)
	return piece{uint32(lo), uint32(t.len())}
}

// optInt reads an integer, or null for 0.
func (d *decoder) optInt() int64 {
	if d.s.Null() {
		return 0
	}
	return d.s.Int()
}

// An interner keeps short strings that come again and again. It forgets one
// when it needs its place, so it is of one size whatever it is given.
type interner struct{ known [256]string }

const maxInterned = 64

func (in *interner) get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxInterned {
		return string(b)
	}
	var h uint64
	if len(b) >= 8 {
		h = binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(b[len(b)-8:])*31
	} else {
		for _, c := range b {
			h = h*31 + uint64(c)
		}
	}
	h = (h + uint64(len(b))) * 0x9E3779B97F4A7C15 >> 56
	if s := in.known[h]; s == string(b) {
		return s
	}
	if s := in.known[h^1]; s == string(b) {
		return s
	}
	in.known[h^1] = in.known[h]
	in.known[h] = string(b)
	return in.known[h]
}

// An order says which member came after which, by their numbers, the last time
// that it was otherwise than guessed; 0 is the beginning, after which nothing
// is guessed, and as what came after, nothing known. A service writes all its
// objects in one order, so a guess is mostly right, and to compare a key with
// one text is cheaper than to find out which of many it is.
type order [16]uint8

func (o *order) learn(last, next int) {
	if last != 0 {
		o[last] = uint8(next)
	}
}

// members is the text with which a member with each of the keys begins, if it
// is not the first one.
func members(keys ...string) []string {
	m := make([]string, len(keys))
	for i, key := range keys {
		m[i] = `,"` + key + `":`
	}
	return m
}

// omitted is which config keys are not to be kept.
type omitted struct {
	known uint32 // by their numbers
	other []string
}

func newOmitted(keys []string) (o omitted) {
	for _, key := range keys {
		if n := configKey(key); n != 0 {
			o.known |= 1 << n
		} else {
			o.other = append(o.other, key)
		}
	}
	return o
}

var configKeys = [...]string{
	1:  KeyProjectLocation,
	2:  KeyLocation,
	3:  KeyLocationName,
	4:  KeyProjectNumber,
	5:  KeyAudience,
	6:  KeyVisibility,
	7:  KeyListingStartDate,
	8:  KeyInternalPostingName,
	9:  KeyAdText,
	10: KeyJobCategory,
	11: KeyCompanyName,
	12: KeyRemoteStatus,
}

var configMembers = members(configKeys[:]...)

// configKey is the number in configKeys of a key that the interface shows, and
// 0 of any other.
func configKey[T []byte | string](key T) int {
	switch string(key) {
	case KeyProjectLocation:
		return 1
	case KeyLocation:
		return 2
	case KeyLocationName:
		return 3
	case KeyProjectNumber:
		return 4
	case KeyAudience:
		return 5
	case KeyVisibility:
		return 6
	case KeyListingStartDate:
		return 7
	case KeyInternalPostingName:
		return 8
	case KeyAdText:
		return 9
	case KeyJobCategory:
		return 10
	case KeyCompanyName:
		return 11
	case KeyRemoteStatus:
		return 12
	}
	return 0
}

const errTwice jsonscan.Error = "occurs twice"

// startItem makes the buffers ready for the strings of another item.
func (d *decoder) startItem() {
	d.text.reset()
	d.keys = d.keys[:0]
	d.counts = d.counts[:0]
	d.values = d.values[:0]
	d.layout = d.layout[:0]
}

// config reads a config into the buffers, or null for one without keys.
func (d *decoder) config() {
	s := &d.s
	if s.Null() || !s.Object() {
		return
	}
	var seen uint32
	var others map[string]struct{} // once there are many
	last := 0
	for {
		var key []byte
		number := int(d.configOrder[last])
		if number == 0 || !s.Is(configMembers[number]) {
			var ok bool
			if key, ok = s.NextKey(""); !ok {
				break
			}
			if number = configKey(key); number != 0 {
				d.configOrder.learn(last, number)
			}
		}
		var name string
		if number != 0 {
			last = number
			name = configKeys[number]
			bit := uint32(1) << number
			if seen&bit != 0 {
				s.Fail(errTwice)
				d.within(name)
				break
			}
			seen |= bit
			if d.omit.known&bit != 0 {
				s.Pass()
				continue
			}
		} else {
			if slices.Contains(d.omit.other, string(key)) {
				s.Pass()
				continue
			}
			d.charge(len(key) + 8)
			name = d.names.get(key)
			if others == nil && len(d.keys) >= 64 {
				others = make(map[string]struct{}, 128)
				for _, key := range d.keys {
					others[key] = struct{}{}
				}
			}
			var twice bool
			if others == nil {
				twice = slices.Contains(d.keys, name)
			} else {
				d.charge(96)
				_, twice = others[name]
				others[name] = struct{}{}
			}
			if twice {
				s.Fail(errTwice)
				d.within("*")
				break
			}
		}
		n := d.configValues()
		if s.Err() != nil {
			if number == 0 {
				name = "*" // what a service calls its keys is its own affair
			}
			d.within(name)
			break
		}
		if len(d.keys) == cap(d.keys) {
			d.keys = grown(d, d.keys, 16+4) // and in d.layout
		}
		if len(d.counts) == cap(d.counts) {
			d.counts = grown(d, d.counts, 8)
		}
		d.keys = append(d.keys, name)
		d.counts = append(d.counts, n)
		d.layout = binary.AppendUvarint(d.layout, uint64(n))
	}
}

// configValues reads the strings of a key and returns how many there are.
func (d *decoder) configValues() (n int) {
	s := &d.s
	if s.OpenIs(`["`) {
		d.value(d.moreStr(&d.text))
		if s.Err() != nil {
			d.withinIndex(0)
			return 0
		}
		n = 1
	} else {
		switch s.Peek() {
		case 'n':
			s.Null()
			return 0
		case '"':
			d.value(d.str(&d.text))
			return 1
		}
		if !s.Array() {
			return 0
		}
	}
	for i := n; s.Next(); i++ {
		if s.Null() {
			continue
		}
		d.value(d.str(&d.text))
		if s.Err() != nil {
			d.withinIndex(i)
			return n
		}
		n++
	}
	return n
}

// value keeps a string of a key.
func (d *decoder) value(v piece) {
	if len(d.values) == cap(d.values) {
		d.values = grown(d, d.values, 8)
	}
	d.values = append(d.values, v)
}

// placeLayout puts how many values each key has behind the item's text.
func (d *decoder) placeLayout() {
	t := &d.text
	lo := t.len()
	for b := d.layout; len(b) > 0; {
		if len(t.cur) == cap(t.cur) && !d.extend(t) {
			return
		}
		n := min(len(b), cap(t.cur)-len(t.cur))
		t.cur = append(t.cur, b[:n]...)
		b = b[n:]
	}
	d.strs = piece{uint32(lo), uint32(t.len())}
}

// configIn makes the config that was read, with its strings cut from text.
func (d *decoder) configIn(text string) PostingConfig {
	n := len(d.keys) + len(d.values)
	if len(d.keys) == 0 || !d.charge(n*16) || d.s.Err() != nil {
		return PostingConfig{}
	}
	list := make([]string, 0, n)
	values := d.values
	for i, key := range d.keys {
		list = append(list, key)
		for range d.counts[i] {
			list = append(list, values[0].in(text))
			values = values[1:]
		}
	}
	return PostingConfig{strings: list, counts: d.strs.in(text)}
}

// keepConfig is configIn for a config that stands alone.
func (d *decoder) keepConfig() PostingConfig {
	d.placeLayout()
	return d.configIn(d.string(&d.text))
}

// The fields of a posting.
const (
	_ = iota
	postingID
	postingVersion
	postingTitle
	postingLink
	postingConfig
	postingJobStart
	postingStart
	postingEnd
)

var postingFields = [...]string{
	postingID:       "jobPostingId",
	postingVersion:  "postingVersionId",
	postingTitle:    "title",
	postingLink:     "applyOnlineLink",
	postingConfig:   "config",
	postingJobStart: "jobStartDate",
	postingStart:    "postingVersionStartDate",
	postingEnd:      "postingVersionEndDate",
}

var postingMembers = members(postingFields[:]...)

func postingField(key []byte) int {
	switch string(key) {
	case "jobPostingId":
		return postingID
	case "postingVersionId":
		return postingVersion
	case "title":
		return postingTitle
	case "applyOnlineLink":
		return postingLink
	case "config":
		return postingConfig
	case "jobStartDate":
		return postingJobStart
	case "postingVersionStartDate":
		return postingStart
	case "postingVersionEndDate":
		return postingEnd
	}
	return 0
}

// posting reads a posting into p.
func (d *decoder) posting(p *JobPosting) {
	s := &d.s
	d.startItem()
	if !s.Object() {
		return
	}
	var seen uint
	var title, link piece
	field, last := 0, 0
	for {
		field = int(d.postingOrder[last])
		if field == 0 || !s.Is(postingMembers[field]) {
			field = 0
			key, ok := s.NextKey("")
			if !ok {
				break
			}
			if field = postingField(key); field == 0 {
				s.Skip()
				continue
			}
			d.postingOrder.learn(last, field)
		}
		last = field
		if seen&(1<<field) != 0 {
			s.Fail(errTwice)
			break
		}
		seen |= 1 << field
		switch field {
		case postingID:
			p.JobPostingID = JobPostingID(s.Int())
		case postingVersion:
			p.PostingVersionID = PostingVersionID(d.optInt())
		case postingTitle:
			title = d.str(&d.text)
		case postingLink:
			link = d.optStr(&d.text)
		case postingConfig:
			d.config()
		case postingJobStart:
			p.JobStartDate = d.millis()
		case postingStart:
			p.PostingVersionStartDate = d.millis()
		case postingEnd:
			p.PostingVersionEndDate = d.millis()
		}
		if s.Err() != nil {
			break
		}
		field = 0
	}
	if s.Err() == nil {
		field = d.require(seen, postingID, postingTitle)
	}
	if s.Err() != nil {
		if field != 0 {
			d.within(postingFields[field])
		}
		return
	}
	d.placeLayout()
	text := d.string(&d.text)
	if s.Err() != nil {
		return
	}
	p.Title = title.in(text)
	p.ApplyOnlineLink = link.in(text)
	p.Config = d.configIn(text)
}

// require fails for the first of the fields that was not seen, and returns it.
func (d *decoder) require(seen uint, fields ...int) int {
	for _, f := range fields {
		if seen&(1<<f) == 0 {
			d.s.Fail(jsonscan.Error("is missing"))
			return f
		}
	}
	return 0
}

// The fields of a page.
const (
	_ = iota
	searchItems
	searchPages
	searchOffset
	searchPage
	searchFirst
	searchLast
	searchTotal
	searchResults
)

var searchFields = [...]string{
	searchItems:   "itemsPerPage",
	searchPages:   "numPages",
	searchOffset:  "offset",
	searchPage:    "actualPage",
	searchFirst:   "firstPostingOnPage",
	searchLast:    "lastPostingOnPage",
	searchTotal:   "totalNumberOfJobs",
	searchResults: "results",
}

// postingReader reads a page, posting by posting, as it arrives.
type postingReader struct {
	d       *decoder // nil: closed
	lim     decodeLimits
	counter JobSearchResult
	seen    uint
	started bool
	list    bool // results is a list
	inList  bool // and being read
	n       int  // postings read
	err     error
}

func newPostingReader(r io.Reader, lim decodeLimits, omit []string) *postingReader {
	p := &postingReader{d: newDecoder(), lim: lim}
	p.d.omit = newOmitted(omit)
	p.d.s.Reset(r, lim.maxBytes)
	return p
}

// next returns the next posting. It gives io.EOF after the last one, once the
// whole page was read and found complete. Every error stays.
func (p *postingReader) next() (*JobPosting, error) {
	if p.d != nil {
		p.d.budget = memory(int64(p.lim.maxItem))
	}
	if !p.more() {
		return nil, p.err
	}
	posting := new(JobPosting)
	if !p.read(posting) {
		return nil, p.err
	}
	return posting, nil
}

// page returns the page's counters, without postings. They are ok once next
// returned io.EOF.
func (p *postingReader) page() (JobSearchResult, bool) {
	if p.err != io.EOF {
		return JobSearchResult{}, false
	}
	return p.counter, true
}

// count is how many postings next returned.
func (p *postingReader) count() int { return p.n }

var errReaderClosed = errors.New("jobboard: postings read after their end")

// close gives the buffers back. It may be called more than once.
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

// fail keeps the scanner's error, if there is one.
func (p *postingReader) fail() bool {
	if err := p.d.err(); err != nil {
		p.err = err
		return true
	}
	return false
}

// more reports whether there is another posting, which comes next.
func (p *postingReader) more() bool {
	if p.err != nil {
		return false
	}
	s := &p.d.s
	if !p.started {
		p.started = true
		if s.Object(); p.fail() {
			return false
		}
	}
	for {
		if p.inList {
			if s.Next() {
				return true
			}
			p.inList = false
			if s.Err() != nil {
				p.d.within("results")
			}
		}
		key, ok := s.NextKey("")
		if !ok {
			break
		}
		field := 0
		switch string(key) {
		case "itemsPerPage":
			field = searchItems
		case "numPages":
			field = searchPages
		case "offset":
			field = searchOffset
		case "actualPage":
			field = searchPage
		case "firstPostingOnPage":
			field = searchFirst
		case "lastPostingOnPage":
			field = searchLast
		case "totalNumberOfJobs":
			field = searchTotal
		case "results":
			field = searchResults
		default:
			s.Skip()
			continue
		}
		if p.seen&(1<<field) != 0 {
			s.Fail(errTwice)
		} else {
			p.seen |= 1 << field
			p.member(field)
		}
		if s.Err() != nil {
			p.d.within(searchFields[field])
			break
		}
	}
	if s.Err() == nil {
		if field := p.d.require(p.seen, searchTotal, searchResults); field != 0 {
			p.d.within(searchFields[field])
		}
		s.End()
	}
	if !p.fail() {
		p.err = io.EOF
	}
	return false
}

// member reads one member of the page, or the beginning of its results.
func (p *postingReader) member(field int) {
	s := &p.d.s
	if field == searchResults {
		if !s.Null() {
			p.list = s.Array()
			p.inList = p.list
		}
		return
	}
	var n int64
	if field == searchTotal {
		n = s.Int()
	} else {
		n = p.d.optInt()
	}
	v := int(n)
	if int64(v) != n {
		s.Fail(jsonscan.Error("integer out of range"))
	}
	switch field {
	case searchItems:
		p.counter.ItemsPerPage = v
	case searchPages:
		p.counter.NumPages = v
	case searchOffset:
		p.counter.Offset = v
	case searchPage:
		p.counter.ActualPage = v
	case searchFirst:
		p.counter.FirstPostingOnPage = v
	case searchLast:
		p.counter.LastPostingOnPage = v
	case searchTotal:
		p.counter.TotalNumberOfJobs = v
	}
}

// read reads a posting, which comes next.
func (p *postingReader) read(posting *JobPosting) bool {
	d := p.d
	if p.lim.maxItem > 0 {
		d.s.Peek()
		d.s.Bound(p.lim.maxItem)
	}
	d.posting(posting)
	d.s.Unbound()
	if d.s.Err() != nil {
		d.withinIndex(p.n)
		d.within(searchFields[searchResults])
		p.fail()
		return false
	}
	p.n++
	return true
}

// decodeSearch reads a page.
func decodeSearch(r io.Reader, lim decodeLimits, omit []string) (*JobSearchResult, error) {
	p := newPostingReader(r, lim, omit)
	defer p.close()
	return p.all()
}

func decodeSearchBytes(b []byte) (*JobSearchResult, error) {
	p := &postingReader{d: newDecoder()}
	defer p.close()
	p.d.s.ResetBytes(b)
	return p.all()
}

// all reads the whole page. The postings are gathered in pieces, so that those
// already read need not be moved again and again, and the slice that is handed
// out is just as long as it must be.
func (p *postingReader) all() (*JobSearchResult, error) {
	const size = 112
	p.d.budget = memory(p.lim.maxBytes)
	var full [][]JobPosting
	var cur []JobPosting
	for p.more() {
		if len(cur) == cap(cur) {
			n := min(max(16, p.n), 4096)
			if !p.d.charge(2 * n * size) { // here, and in the end
				p.fail()
				break
			}
			if cur != nil {
				full = append(full, cur)
			}
			cur = make([]JobPosting, 0, n)
		}
		cur = cur[:len(cur)+1]
		if !p.read(&cur[len(cur)-1]) {
			break
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

// decodeBool reads an answer that is true or false and nothing else.
func decodeBool(body []byte) (bool, error) {
	d := newDecoder()
	defer d.release()
	d.s.ResetBytes(body)
	v := d.s.Bool()
	d.s.End()
	if err := d.err(); err != nil {
		return false, err
	}
	return v, nil
}
