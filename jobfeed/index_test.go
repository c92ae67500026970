package jobfeed_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
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

// TestIndexMemory makes an index of many entries and asks it, at night of a million.
func TestIndexMemory(t *testing.T) {
	n := 100_000
	if testenv.Night() {
		n = 1_000_000
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
	random := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	for range 1000 {
		i := random.IntN(n)
		if job, e, ok := x.Job(postingOf(i)); !ok || job != jobboard.JobID(2_000_000+i) || e.Posting != job || e.Version != job {
			t.Fatalf("%d: %d, %v, %v", i, job, e, ok)
		}
	}
}

// Numbers that are no identifiers lead nowhere.
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
	job, evidence, ok := x.Job(&jobboard.JobPosting{JobPostingID: 5, PostingVersionID: 7})
	if job != 1 || !ok || !reflect.DeepEqual(evidence, jobfeed.Evidence{Posting: 1, Version: 1}) {
		t.Errorf("%d, %+v, %v", job, evidence, ok)
	}
}
