package jobfeed_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

func index(t testing.TB, feed string) *jobfeed.Index {
	t.Helper()
	x, err := jobfeed.NewIndex(jobfeed.NewReader(strings.NewReader(feed), nil).Entries())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// adOf is an entry of a job with one link and one posting identifier.
func adOf(job jobboard.JobID, posting, link string) string {
	return strings.Replace(opening(job), "</PositionOpening>", "<PositionPosting><Id><IdValue>"+posting+
		"</IdValue></Id><Link><![CDATA["+link+"]]></Link></PositionPosting></PositionOpening>", 1)
}

// TestIndexJob has each kind of evidence alone, in agreement and in
// contradiction.
func TestIndexJob(t *testing.T) {
	x := index(t, "<Jobs>"+
		adOf(1, "100", "https://jobs.example/job/1/x?jobDbPVId=10")+
		adOf(2, "200", "")+
		adOf(3, "posting-3", "../job/3/x?jobDbPVId=30&l=de")+
		adOf(3, "posting-3", "../job/3/x?jobDbPVId=30&l=en")+
		adOf(4, "400", "../job/4/x")+adOf(5, "400", "")+adOf(6, "400", "")+
		adOf(7, "", "/job/8/x?jobDbPVId=70")+
		opening("broken")+
		"</Jobs>")
	type ev = jobfeed.Evidence
	for _, test := range []struct {
		name        string
		id          jobboard.JobPostingID
		version     jobboard.PostingVersionID
		link        string
		job         jobboard.JobID
		evidence    ev
		contradicts bool
		words       string
	}{
		{name: "nothing", id: 999, version: 999, link: "https://jobs.example/apply", words: "no evidence"},
		{name: "zeros"},
		{name: "posting", id: 100, job: 1, evidence: ev{Posting: 1}, words: "the feed gives the posting job 1"},
		{name: "version", version: 10, job: 1, evidence: ev{Version: 1}, words: "the feed gives the posting's version job 1"},
		{name: "link", link: "../job/9/x", job: 9, evidence: ev{Link: 9}, words: "the posting's link names job 9"},
		{name: "all", id: 100, version: 10, link: "/job/1/", job: 1, evidence: ev{1, 1, 1, nil}},
		{name: "a feed that says it twice", version: 30, job: 3, evidence: ev{Version: 3}},
		{name: "posting against version", id: 200, version: 10, evidence: ev{Posting: 2, Version: 1}, contradicts: true},
		{name: "posting against link", id: 200, link: "/job/1/", evidence: ev{Posting: 2, Link: 1}, contradicts: true},
		{name: "version against link", version: 30, link: "/job/1/", evidence: ev{Version: 3, Link: 1}, contradicts: true},
		{
			name: "a posting of three jobs", id: 400, link: "/job/4/", contradicts: true,
			evidence: ev{Posting: 4, Link: 4, Others: []jobboard.JobID{5, 6}},
			words:    "the feed gives the posting job 4, the feed also gives it job 5, the feed also gives it job 6, the posting's link names job 4",
		},
		{name: "an entry whose link names another job", version: 70, evidence: ev{Version: 7, Others: []jobboard.JobID{8}}, contradicts: true},
		{name: "a version is no posting", id: 10, version: 100},
	} {
		p := &jobboard.JobPosting{JobPostingID: test.id, PostingVersionID: test.version, ApplyOnlineLink: test.link}
		job, evidence, ok := x.Job(p)
		if job != test.job || ok != (test.job != 0) || !reflect.DeepEqual(evidence, test.evidence) || evidence.Contradicts() != test.contradicts {
			t.Errorf("%s: %d, %+v, %v", test.name, job, evidence, ok)
		}
		if test.words != "" && evidence.String() != test.words {
			t.Errorf("%s: %s", test.name, evidence)
		}
	}
	if read, broken := x.Entries(); read != 8 || broken != 1 {
		t.Errorf("%d entries, %d broken", read, broken)
	}
	for _, x := range []*jobfeed.Index{nil, new(jobfeed.Index)} {
		if job, e, ok := x.Job(&jobboard.JobPosting{JobPostingID: 100, ApplyOnlineLink: "/job/9/"}); job != 9 || !ok || e.Link != 9 {
			t.Errorf("without a feed: %d, %v, %v", job, e, ok)
		}
		if read, broken := x.Entries(); read != 0 || broken != 0 {
			t.Errorf("without a feed: %d entries, %d broken", read, broken)
		}
	}
}

// TestIndexOfManyJobs: a posting of more jobs than one look in memory has.
func TestIndexOfManyJobs(t *testing.T) {
	feed := "<Jobs>"
	for job := 200; job > 0; job-- {
		feed += adOf(jobboard.JobID(job), fmt.Sprint(min(job, 21)), "")
	}
	want := jobfeed.Evidence{Posting: 21}
	for job := jobboard.JobID(22); job <= 200; job++ {
		want.Others = append(want.Others, job)
	}
	if _, got, _ := index(t, feed+"</Jobs>").Job(&jobboard.JobPosting{JobPostingID: 21}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestIndexOfHalfAFeed: a feed that was not seen whole has no index.
func TestIndexOfHalfAFeed(t *testing.T) {
	feed := "<Jobs>" + opening(1) + opening("broken") + opening(2)
	x, err := jobfeed.NewIndex(jobfeed.NewReader(strings.NewReader(feed), nil).Entries())
	if x != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, %v", x, err)
	}
}

// entries are those of a feed of n jobs, without its XML.
func entries(n int) iter.Seq2[*jobfeed.Entry, error] {
	return func(yield func(*jobfeed.Entry, error) bool) {
		e := &jobfeed.Entry{Postings: []jobboard.JobPostingID{0}, Links: []jobfeed.Link{{Kind: jobfeed.LinkPosting}}}
		for i := range n {
			e.JobID, e.Postings[0] = jobboard.JobID(2_000_000+i), jobboard.JobPostingID(600_000+7*i)
			e.Links[0].URL = fmt.Sprintf("../job/%d/nurse?jobDbPVId=%d&l=de", e.JobID, 900_000+11*i)
			if !yield(e, nil) {
				return
			}
		}
	}
}

func postingOf(i int) *jobboard.JobPosting {
	return &jobboard.JobPosting{JobPostingID: jobboard.JobPostingID(600_000 + 7*i), PostingVersionID: jobboard.PostingVersionID(900_000 + 11*i)}
}

// TestIndexMemory makes, saves and reads an index of a million entries.
func TestIndexMemory(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	live := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, peak := live(), int64(0)
	measured := func(yield func(*jobfeed.Entry, error) bool) {
		i := 0
		for e, err := range entries(n) {
			if i++; i%(n/10) == 0 {
				peak = max(peak, live()-before)
			}
			if !yield(e, err) {
				return
			}
		}
	}
	x, err := jobfeed.NewIndex(measured)
	if err != nil {
		t.Fatal(err)
	}
	size := live() - before
	t.Logf("figure: index of %d entries: %d bytes an entry, at most %d while it is made", n, size/int64(n), peak/int64(n))
	if size > 45*int64(n) || peak > 100*int64(n) {
		t.Errorf("%d bytes, at most %d", size, peak)
	}
	file := filepath.Join(t.TempDir(), "index")
	if err := x.SaveFile(file); err != nil {
		t.Fatal(err)
	}
	same, err := jobfeed.ReadIndexFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() > 8*int64(n) {
		t.Errorf("a file of %d bytes, %v", info.Size(), err)
	}
	if !reflect.DeepEqual(x, same) {
		t.Error("another index came back")
	}
	for range 1000 {
		i := rand.IntN(n)
		if job, e, ok := same.Job(postingOf(i)); !ok || job != jobboard.JobID(2_000_000+i) || e.Posting != job || e.Version != job {
			t.Fatalf("%d: %d, %v, %v", i, job, e, ok)
		}
	}
}

// indexBytes is a small index in a file.
func indexBytes(t testing.TB) []byte {
	t.Helper()
	x, err := jobfeed.NewIndex(entries(50))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if n, err := x.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatal(n, err)
	}
	return b.Bytes()
}

// TestIndexFileBroken: each cut and each changed byte of a file is refused.
func TestIndexFileBroken(t *testing.T) {
	whole := indexBytes(t)
	if x, err := jobfeed.ReadIndex(iotest.OneByteReader(bytes.NewReader(whole))); err != nil {
		t.Fatal(x, err)
	}
	refuse := func(what string, b []byte) {
		t.Helper()
		if x, err := jobfeed.ReadIndex(bytes.NewReader(b)); x != nil || !errors.Is(err, jobfeed.ErrIndexFile) {
			t.Errorf("%s: %v, %v", what, x, err)
		}
	}
	for i := range whole {
		refuse(fmt.Sprintf("cut after %d", i), whole[:i])
		for _, flip := range []byte{1, 0x80, 0xff} {
			b := bytes.Clone(whole)
			b[i] ^= flip
			refuse(fmt.Sprintf("byte %d ^ %#x", i, flip), b)
		}
	}
	refuse("longer", append(bytes.Clone(whole), 0))
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1]++
	for text, b := range map[string][]byte{
		"it ends too early":          whole[:14],
		"it does not begin like one": []byte("<Jobs></Jobs><!-- -->"),
		"version '2', not '1'":       []byte("jobfeed index\x002"),
		"its checksum is wrong":      flipped,
		"over 100000000 pairs":       sealed(0x81, 0xc2, 0xd7, 0x2f, 0),
		"identifiers out of order":   sealed(0, 0, 1, 0, 4),
		"bytes after its end":        append(bytes.Clone(whole), 0),
	} {
		name := filepath.Join(t.TempDir(), "index")
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		want := "jobfeed: reading an index: not a usable index: " + text + " (file " + name + ")"
		if _, err := jobfeed.ReadIndexFile(name); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	boom := io.ErrUnexpectedEOF // of a body that is cut off
	for i := range whole {
		_, err := jobfeed.ReadIndex(io.MultiReader(bytes.NewReader(whole[:i]), iotest.ErrReader(boom)))
		if !errors.Is(err, boom) || errors.Is(err, jobfeed.ErrIndexFile) {
			t.Fatalf("a read that fails after %d: %v", i, err)
		}
	}
	if _, err := jobfeed.ReadIndexFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// sealed is a file of an index with these numbers, and the checksum of them.
func sealed(numbers ...byte) []byte {
	b := append([]byte("jobfeed index\x001"), numbers...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// TestIndexFileNumbers: a right checksum does not make an index.
func TestIndexFileNumbers(t *testing.T) {
	// Two entries, one broken; postings 1 and 3 of job 2 and version 1 of jobs 1 and 2.
	whole := []byte{2, 1, 2, 1, 4, 2, 0, 2, 1, 2, 0, 2}
	x, err := jobfeed.ReadIndex(bytes.NewReader(sealed(whole...)))
	if err != nil {
		t.Fatal(err)
	}
	if job, _, ok := x.Job(&jobboard.JobPosting{JobPostingID: 3}); !ok || job != 2 {
		t.Errorf("job %d", job)
	}
	_, e, _ := x.Job(&jobboard.JobPosting{PostingVersionID: 1})
	if read, broken := x.Entries(); e.Version != 1 || len(e.Others) != 1 || read != 2 || broken != 1 {
		t.Errorf("%v, %d, %d", e, read, broken)
	}
	for name, numbers := range map[string][]byte{
		"the same pair twice":  {2, 1, 2, 1, 4, 0, 0, 0},
		"an identifier of 0":   {2, 1, 1, 0, 4, 0},
		"a job of 0":           {2, 1, 1, 1, 0, 0},
		"a job below 0":        {2, 1, 1, 1, 1, 0},
		"jobs that descend":    {2, 1, 2, 1, 4, 0, 1, 0},
		"one pair more":        {2, 1, 0, 2, 1, 2},
		"fewer than it says":   {2, 1, 0, 1, 1},
		"a number too long":    append(bytes.Repeat([]byte{0xff}, 10), 1, 1, 0, 0),
		"more behind it":       append(bytes.Clone(whole), 0),
		"no number of broken":  {2},
		"nothing between both": nil,
		"entries beyond int64": append(binary.AppendUvarint(nil, 1<<63+5), 1, 0, 0),
		"broken beyond int64":  append(binary.AppendUvarint([]byte{1}, 1<<63), 0, 0),
	} {
		if x, err := jobfeed.ReadIndex(bytes.NewReader(sealed(numbers...))); x != nil || !errors.Is(err, jobfeed.ErrIndexFile) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

// zeros never ends.
type zeros struct{ read int }

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	z.read += len(p)
	return len(p), nil
}

// TestIndexFileEndless: what begins like an index and never ends is refused, and
// so are many pairs that are none, before they take memory.
func TestIndexFileEndless(t *testing.T) {
	endless := new(zeros)
	for name, numbers := range map[string]io.Reader{
		"two numbers": endless,
		"many pairs":  io.MultiReader(bytes.NewReader([]byte{0, 0, 0x80, 0x80, 0x80, 4}), endless),
	} {
		_, err := jobfeed.ReadIndex(io.MultiReader(strings.NewReader("jobfeed index\x001"), numbers))
		if !errors.Is(err, jobfeed.ErrIndexFile) || endless.read > 1<<20 {
			t.Errorf("%s: %v after %d bytes", name, err, endless.read)
		}
	}
}

// TestIndexFileClaims: a file that claims a hundred million pairs costs what it
// has.
func TestIndexFileClaims(t *testing.T) {
	claim := sealed(1, 0, 0x80, 0xc2, 0xd7, 0x2f) // 100 000 000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := jobfeed.ReadIndex(bytes.NewReader(claim)); !errors.Is(err, jobfeed.ErrIndexFile) {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if allocated > 2<<20 || allocated == 0 {
		t.Errorf("%d bytes", allocated)
	}
}

// An index that is not there is written as an empty one.
func TestIndexOfNothingIsWritten(t *testing.T) {
	var none *jobfeed.Index
	var b bytes.Buffer
	if _, err := none.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if x, err := jobfeed.ReadIndex(&b); x == nil || err != nil {
		t.Errorf("%v, %v", x, err)
	}
}

// Numbers that are no identifiers lead nowhere, and do not spoil the file.
func TestIndexOfEntriesByHand(t *testing.T) {
	link := []jobfeed.Link{{Kind: jobfeed.LinkPosting, URL: "?jobDbPVId=7"}}
	list := []*jobfeed.Entry{
		{JobID: 0, Postings: []jobboard.JobPostingID{5}, Links: link},
		{JobID: -1, Postings: []jobboard.JobPostingID{5}, Links: link},
		{JobID: 1, Postings: []jobboard.JobPostingID{0, -5, 5}, Links: link},
	}
	x, err := jobfeed.NewIndex(func(yield func(*jobfeed.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := x.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if x, err = jobfeed.ReadIndex(&b); err != nil {
		t.Fatal(err)
	}
	job, evidence, ok := x.Job(&jobboard.JobPosting{JobPostingID: 5, PostingVersionID: 7})
	if job != 1 || !ok || !reflect.DeepEqual(evidence, jobfeed.Evidence{Posting: 1, Version: 1}) {
		t.Errorf("%d, %+v, %v", job, evidence, ok)
	}
}

// filling takes room bytes.
type filling struct{ room int64 }

var errFull = errors.New("full")

func (f *filling) Write(b []byte) (int, error) {
	n := min(int64(len(b)), f.room)
	f.room -= n
	if n < int64(len(b)) {
		return int(n), errFull
	}
	return int(n), nil
}

func TestIndexWriteFails(t *testing.T) {
	x := index(t, "<Jobs>"+adOf(1, "100", "")+"</Jobs>")
	pr, pw := io.Pipe()
	boom := errors.New("boom")
	pr.CloseWithError(boom)
	if n, err := x.WriteTo(pw); n != 0 || !errors.Is(err, boom) {
		t.Errorf("%d bytes of none, %v", n, err)
	}
	if err := x.SaveFile(filepath.Join(t.TempDir(), "nowhere", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	x, err := jobfeed.NewIndex(entries(2000))
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int64{0, 10, 5000} {
		n, err := x.WriteTo(&filling{room: room})
		if n != room || !errors.Is(err, errFull) || err.Error() != "jobfeed: writing an index: full" {
			t.Errorf("%d bytes where %d have room, %v", n, room, err)
		}
	}
}

// FuzzReadIndex reads anything; what is an index comes back as it was.
func FuzzReadIndex(f *testing.F) {
	f.Add(indexBytes(f))
	f.Add([]byte("jobfeed index\x001"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := jobfeed.ReadIndex(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, jobfeed.ErrIndexFile) {
				t.Fatal(err)
			}
			return
		}
		var again bytes.Buffer
		if _, err := x.WriteTo(&again); err != nil {
			t.Fatal(err)
		}
		if same, err := jobfeed.ReadIndex(&again); err != nil || !reflect.DeepEqual(x, same) {
			t.Fatal(err)
		}
	})
}

// BenchmarkIndexJob asks an index of a million entries for a posting whose link
// says nothing.
func BenchmarkIndexJob(b *testing.B) {
	const n = 1_000_000
	x, err := jobfeed.NewIndex(entries(n))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := uint64(0)
	p := new(jobboard.JobPosting)
	for b.Loop() {
		i += 0x9e3779b97f4a7c15 // anywhere
		k := int(i % n)
		p.JobPostingID, p.PostingVersionID = jobboard.JobPostingID(600_000+7*k), jobboard.PostingVersionID(900_000+11*k)
		if job, _, ok := x.Job(p); !ok || job != jobboard.JobID(2_000_000+k) {
			b.Fatal(job)
		}
	}
}
