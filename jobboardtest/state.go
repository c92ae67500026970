package jobboardtest

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Apply and Withdraw return errors that are one of these, as errors.Is tells.
var (
	ErrAlreadyApplied = errors.New("jobboardtest: the applicant has already applied to this job (section 8: a withdrawn application counts)")
	ErrNotOpen        = errors.New("jobboardtest: the job cannot be applied to")
	ErrNoApplication  = errors.New("jobboardtest: no such application")
)

type job struct {
	Job
	points []vector
}

type posting struct {
	Posting
	enc      encodings
	points   []vector // nil: those of its job
	haystack string
	sig      signature // of haystack
}

type appKey struct{ applicant, job int64 }

// state is everything a Server remembers, guarded by Server.mu. Records are
// replaced, never changed: whoever has read one may use it without the lock.
type state struct {
	channels      map[string]Channel
	companies     map[string]Company
	jobs          map[int64]*job
	postings      map[int64]*posting
	published     map[int64]int // postings per job; 0: without one
	clients       map[string]Client
	applicants    map[int64]Applicant
	applications  map[appKey]Application
	tokens        map[string]*token
	codes         map[string]Code
	subscriptions map[string]Subscription
	catalogues    map[string][]Choice
	secrets       map[string]bool // of clients and applicants, for the journal to mask
	lastID        int64
	board         func() board // made of jobs and postings by the first search
}

func newState() *state {
	st := &state{
		channels:      map[string]Channel{},
		companies:     map[string]Company{},
		jobs:          map[int64]*job{},
		postings:      map[int64]*posting{},
		published:     map[int64]int{},
		clients:       map[string]Client{},
		applicants:    map[int64]Applicant{},
		applications:  map[appKey]Application{},
		tokens:        map[string]*token{},
		codes:         map[string]Code{},
		subscriptions: map[string]Subscription{},
		catalogues:    map[string][]Choice{},
		secrets:       map[string]bool{},
		lastID:        4710,
	}
	st.forgetBoard()
	return st
}

func (st *state) nextID() int64 {
	st.lastID++
	return st.lastID
}

// saw keeps new identifiers apart from these. It leaves out those beyond
// maxLastID: counting on from there would reach the end of int64.
func (st *state) saw(ids ...int64) {
	for _, id := range ids {
		if id <= maxLastID {
			st.lastID = max(st.lastID, id)
		}
	}
}

const maxLastID = 1 << 62

// change runs f with the state locked.
func (s *Server) change(f func(st *state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.st)
	s.saver.touch()
}

// changeJobs is change for what a search can find.
func (s *Server) changeJobs(f func(st *state)) {
	s.change(func(st *state) {
		f(st)
		st.forgetBoard()
	})
}

func (s *Server) read(f func(st *state)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	f(s.st)
}

// AddChannel adds or replaces a channel.
func (s *Server) AddChannel(c Channel) Channel {
	s.change(func(st *state) { st.channels[c.ID] = c })
	return c
}

// AddCompany adds or replaces a company, and returns it with its identifier.
func (s *Server) AddCompany(c Company) Company {
	if c.ID == "" {
		c.ID = newUUID()
	}
	s.change(func(st *state) { st.companies[c.ID] = c })
	return c
}

// AddJob adds or replaces a job, and returns it with its identifier. A search finds
// it by its postings alone; see Publish.
func (s *Server) AddJob(j Job) Job {
	s.changeJobs(func(st *state) { j = st.addJob(j) })
	return j
}

func (st *state) addJob(j Job) Job {
	j = cloneJob(j)
	if j.ID == 0 {
		j.ID = st.nextID()
	}
	if j.Language == "" {
		j.Language = "en"
	}
	st.saw(j.ID)
	st.jobs[j.ID] = &job{Job: j, points: vectors(append([]Location{j.Location}, j.AdditionalLocations...))}
	return cloneJob(j)
}

// AddPosting adds or replaces a posting, and returns it with its identifiers and
// link. Channels it names are added too.
func (s *Server) AddPosting(p Posting) Posting {
	s.changeJobs(func(st *state) { p = st.addPosting(p) })
	return p
}

func (st *state) addPosting(p Posting) Posting {
	p = clonePosting(p)
	if p.ID == 0 {
		p.ID = st.nextID()
	}
	if p.VersionID == 0 {
		p.VersionID = st.nextID()
	}
	if p.ApplyURL == "" {
		p.ApplyURL = p.link()
	}
	st.saw(p.ID, p.VersionID, p.JobID)
	for _, c := range p.Channels {
		if _, ok := st.channels[c]; !ok {
			st.channels[c] = Channel{ID: c}
		}
	}
	st.removePosting(p.ID)
	st.published[p.JobID]++
	r := &posting{Posting: p, points: vectors(p.Locations), haystack: haystack(p)}
	r.sig.add(r.haystack)
	st.postings[p.ID] = r
	return clonePosting(p)
}

// Publish adds a job and a posting for it with the same title and language.
func (s *Server) Publish(channel string, j Job) (Job, Posting) {
	var p Posting
	s.changeJobs(func(st *state) {
		j = st.addJob(j)
		p = st.addPosting(Posting{JobID: j.ID, Channels: []string{channel}, Language: j.Language, Title: j.Title})
	})
	return j, p
}

// AddApplicant adds or replaces an applicant, and returns it with its identifier.
func (s *Server) AddApplicant(a Applicant) Applicant {
	s.change(func(st *state) {
		if a.ID == 0 {
			a.ID = 1
			for id := range st.applicants {
				a.ID = max(a.ID, id+1)
			}
		}
		st.addApplicant(a)
	})
	return a
}

// HasApplicant reports whether there is an applicant.
func (s *Server) HasApplicant(id int64) (ok bool) {
	s.read(func(st *state) { _, ok = st.applicants[id] })
	return ok
}

func (st *state) addApplicant(a Applicant) {
	st.applicants[a.ID] = a
	st.secrets[a.Password] = true
}

func (st *state) addClient(c Client) {
	c.RedirectURIs = slices.Clone(c.RedirectURIs)
	st.clients[c.ID] = c
	st.secrets[c.Secret] = true
}

// UpdateJob changes a job in one step by f, which must not call the server. It
// reports whether there is such a job.
func (s *Server) UpdateJob(id int64, f func(*Job)) bool {
	var found bool
	s.changeJobs(func(st *state) {
		old, ok := st.jobs[id]
		if !ok {
			return
		}
		found = true
		j := cloneJob(old.Job)
		f(&j)
		j.ID = id
		st.addJob(j)
	})
	return found
}

// DeactivateJob makes a job inactive: it leaves the search, the applied check
// says 410 and the lookup ERROR_JOB_INACTIVE.
func (s *Server) DeactivateJob(id int64) bool {
	return s.UpdateJob(id, func(j *Job) { j.Status = Inactive })
}

// ActivateJob makes a job active again.
func (s *Server) ActivateJob(id int64) bool {
	return s.UpdateJob(id, func(j *Job) { j.Status = Active })
}

// DeleteJob makes a job unavailable: from then on it is answered as if it had
// never been. Its applications stay, so that ActivateJob brings everything back.
func (s *Server) DeleteJob(id int64) bool {
	return s.UpdateJob(id, func(j *Job) { j.Status = Deleted })
}

// SetInternal makes a job visible to internal applicants only, or to all.
func (s *Server) SetInternal(id int64, internal bool) bool {
	return s.UpdateJob(id, func(j *Job) { j.Internal = internal })
}

// MoveJob makes a job another company's.
func (s *Server) MoveJob(id int64, companyID string) bool {
	return s.UpdateJob(id, func(j *Job) { j.CompanyID = companyID })
}

// UnpublishJob removes a job's postings and keeps the job: the applied check
// says "JobPosting not found" and the lookup ERROR_POSTING_UNAVAILABLE. It
// reports whether there were any.
func (s *Server) UnpublishJob(id int64) bool {
	var found bool
	s.changeJobs(func(st *state) {
		for _, p := range st.postings {
			if p.JobID == id && id != 0 {
				found = st.removePosting(p.ID)
			}
		}
	})
	return found
}

// RemovePosting removes one posting; it reports whether there was one.
func (s *Server) RemovePosting(id int64) bool {
	var found bool
	s.changeJobs(func(st *state) {
		found = st.removePosting(id)
	})
	return found
}

func (st *state) removePosting(id int64) bool {
	p, ok := st.postings[id]
	if !ok {
		return false
	}
	delete(st.postings, id)
	st.published[p.JobID]--
	return true
}

// Job returns a copy of a job.
func (s *Server) Job(id int64) (j Job, ok bool) {
	s.read(func(st *state) {
		var r *job
		if r, ok = st.jobs[id]; ok {
			j = cloneJob(r.Job)
		}
	})
	return j, ok
}

// Apply makes an application and returns its identifier. Where there is one already,
// withdrawn or not, it returns that one's identifier and ErrAlreadyApplied. It
// returns ErrNotOpen for a job that this applicant cannot apply to.
func (s *Server) Apply(applicant, jobID int64) (id string, err error) {
	now := s.stamp()
	s.change(func(st *state) {
		who, ok := st.applicants[applicant]
		if !ok {
			err = fmt.Errorf("%w: no applicant %d", ErrNotOpen, applicant)
			return
		}
		if have, ok := st.applications[appKey{applicant, jobID}]; ok {
			id, err = have.ID, ErrAlreadyApplied
			return
		}
		j := st.jobs[jobID]
		switch {
		case j == nil || j.Status == Deleted:
			err = fmt.Errorf("%w: no job %d", ErrNotOpen, jobID)
		case j.Status == Inactive:
			err = fmt.Errorf("%w: job %d is inactive", ErrNotOpen, jobID)
		case j.ApplyClosed:
			err = fmt.Errorf("%w: job %d takes no more applications", ErrNotOpen, jobID)
		case j.Internal && !who.Internal:
			err = fmt.Errorf("%w: job %d is internal and applicant %d is not", ErrNotOpen, jobID, applicant)
		case otherCompany(j, who):
			err = fmt.Errorf("%w: job %d belongs to another company", ErrNotOpen, jobID)
		case st.published[jobID] == 0:
			err = fmt.Errorf("%w: job %d has no posting", ErrNotOpen, jobID)
		}
		if err != nil {
			return
		}
		id = newHex()
		st.applications[appKey{applicant, jobID}] = Application{ID: id, ApplicantID: applicant, JobID: jobID, Created: now}
	})
	return id, err
}

// Withdraw withdraws an application, which counts all the same (section 8). It
// returns ErrNoApplication where there is none.
func (s *Server) Withdraw(applicant, jobID int64) (err error) {
	s.change(func(st *state) {
		k := appKey{applicant, jobID}
		a, ok := st.applications[k]
		if !ok {
			err = ErrNoApplication
			return
		}
		a.Withdrawn = true
		st.applications[k] = a
	})
	return err
}

func otherCompany(j *job, who Applicant) bool {
	return who.CompanyID != "" && j.CompanyID != who.CompanyID
}

func newHex() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func newUUID() string {
	h := newHex()
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
