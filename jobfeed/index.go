package jobfeed

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// Index finds the job of a posting. A search gives posting identifiers, every other call needs a
// job identifier, and the interface has no call that finds the job of a posting. The index holds
// the postings that the entries of one feed name, in about 40 bytes an entry; [Index.Job] also
// looks at the posting's own link. Several goroutines may use an index at the same time. The zero
// value and nil hold no feed: Job then looks at the link alone.
type Index struct {
	postings pairs // by the posting's identifier
	versions pairs // by the posting's version

	entries, broken int
}

// pairs maps identifiers to jobs.
type pairs struct {
	list []pair  // ascending, without repeats
	tops []int64 // the identifier of each blockSize-th pair; stays in the processor's cache
}

const blockSize = 32

type pair struct{ id, job int64 }

func (a pair) compare(b pair) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.job, b.job)) }

// Evidence holds the job that each of three sources names for a posting; 0: the source names no
// job. The interface does not promise that a source is right. To confirm a job, look it up (4.4):
// its title is the posting's.
type Evidence struct {
	Posting jobboard.JobID // job of the entry that names the posting
	Version jobboard.JobID // job of the entry whose link names the posting's version
	Link    jobboard.JobID // job in the path of the posting's own ApplyOnlineLink

	// Others holds further jobs that the feed names for the same posting or version, ascending. It
	// is empty unless the feed contradicts itself.
	Others []jobboard.JobID
}

// job returns the job if the sources agree; false: they name no job or different jobs.
func (e *Evidence) job() (job jobboard.JobID, ok bool) {
	for _, named := range [...]jobboard.JobID{e.Posting, e.Version, e.Link} {
		if named != 0 && job != 0 && named != job {
			return 0, false
		}
		job = max(job, named)
	}
	return job, job != 0 && len(e.Others) == 0
}

// Contradicts reports whether the sources name different jobs.
func (e Evidence) Contradicts() bool {
	_, ok := e.job()
	return !ok && (e.Posting != 0 || e.Version != 0 || e.Link != 0)
}

// String returns the evidence in words, for a log.
func (e Evidence) String() string {
	var words []string
	say := func(job jobboard.JobID, what string) {
		if job != 0 {
			words = append(words, fmt.Sprintf("%s job %d", what, job))
		}
	}
	say(e.Posting, "the feed gives the posting")
	say(e.Version, "the feed gives the posting's version")
	for _, job := range e.Others {
		say(job, "the feed also gives it")
	}
	say(e.Link, "the posting's link names")
	if len(words) == 0 {
		return "no evidence"
	}
	return strings.Join(words, ", ")
}

// Job returns the job of a posting, and the evidence for it. If the sources name no job, or
// different jobs, ok is false and the job is 0; Evidence.Contradicts tells these two cases apart.
func (x *Index) Job(p *jobboard.JobPosting) (job jobboard.JobID, e Evidence, ok bool) {
	if x != nil {
		e.Posting = x.postings.find(int64(p.JobPostingID), &e)
		e.Version = x.versions.find(int64(p.PostingVersionID), &e)
		slices.Sort(e.Others)
		e.Others = slices.Compact(e.Others)
	}
	e.Link, _ = p.LinkedJob()
	if job, ok = e.job(); !ok {
		return 0, e, false
	}
	return job, e, true
}

// find returns the first job of an identifier, and appends further jobs to e.Others.
func (ps *pairs) find(id int64, e *Evidence) (job jobboard.JobID) {
	if id == 0 {
		return 0
	}
	block := sort.Search(len(ps.tops), func(i int) bool { return ps.tops[i] >= id })
	from := max(0, block-1) * blockSize
	within := ps.list[from:min(from+blockSize, len(ps.list))]
	from += sort.Search(len(within), func(i int) bool { return within[i].id >= id })
	for _, p := range ps.list[from:] {
		switch {
		case p.id != id:
			return job
		case job == 0:
			job = jobboard.JobID(p.job)
		default:
			e.Others = append(e.Others, jobboard.JobID(p.job))
		}
	}
	return job
}

// Entries returns the number of the feed's entries in the index, and the number of broken entries
// that it lacks.
func (x *Index) Entries() (read, broken int) {
	if x == nil {
		return 0, 0
	}
	return x.entries, x.broken
}

// NewIndex reads the entries of a feed to the end, such as those of [Reader.Entries], and returns
// their index. It leaves out broken entries. If the feed fails before its end, NewIndex returns the
// error and no index, because half a feed would hide contradictions. If you need the entries too,
// pass a sequence that handles each entry and yields it on: NewIndex cannot notice entries that an
// earlier loop took from the Reader.
func NewIndex(entries iter.Seq2[*Entry, error]) (*Index, error) {
	x := new(Index)
	for e, err := range entries {
		if err == nil {
			x.add(e)
			continue
		}
		if _, broken := errors.AsType[*EntryError](err); !broken {
			return nil, err
		}
		x.broken++
	}
	for _, ps := range [...]*pairs{&x.postings, &x.versions} {
		slices.SortFunc(ps.list, pair.compare)
		ps.list = slices.Compact(ps.list)
		ps.setTops()
	}
	return x, nil
}

// add adds the postings and versions that an entry names. If a link names another job than the
// entry's own, add adds both jobs, which contradict each other.
func (x *Index) add(e *Entry) {
	x.entries++
	for _, id := range e.Postings {
		x.postings.add(int64(id), e.JobID)
	}
	for _, l := range e.Links {
		job, version := jobboard.JobFromLink(l.URL)
		if version == 0 {
			continue
		}
		x.versions.add(int64(version), e.JobID)
		if job != e.JobID {
			x.versions.add(int64(version), job)
		}
	}
}

// add adds a pair. It ignores numbers below 1, which an entry that no Reader made may have.
func (ps *pairs) add(id int64, job jobboard.JobID) {
	if id > 0 && job > 0 {
		ps.list = append(ps.list, pair{id, int64(job)})
	}
}

func (ps *pairs) setTops() {
	for i := 0; i < len(ps.list); i += blockSize {
		ps.tops = append(ps.tops, ps.list[i].id)
	}
}
