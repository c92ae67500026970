package jobboardtest

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Channel is a job board channel (section 4.1).
type Channel struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// Company owns jobs. An applicant who belongs to one company cannot see the
// jobs of another (section 7.2).
type Company struct {
	ID         string `json:"id"` // UUID-formatted; empty: one is made
	Name       string `json:"name,omitempty"`
	PrivacyURL string `json:"privacy_url,omitempty"` // dataSecurityLink of its jobs
}

// Location is a place of a job (section 2.5). All values are the texts that go
// over the wire. A location without Lat and Long has no geolocation, and no
// radius search finds it.
type Location struct {
	Lat     string `json:"lat,omitempty"`  // decimal degrees
	Long    string `json:"long,omitempty"` // decimal degrees
	Name    string `json:"name,omitempty"` // full address text
	Country string `json:"country,omitempty"`
	State   string `json:"state,omitempty"`
	City    string `json:"city,omitempty"`
	Zip     string `json:"zip,omitempty"`
	Street  string `json:"street,omitempty"`
}

// Choice is one answer of a question, or one entry of a catalogue.
type Choice struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// The question types that section 2.5 names.
const (
	YesNo    = "YESNO"
	Text     = "TEXT"
	TextArea = "TEXTAREA"
	Catalog  = "CATALOG"
)

// Question is a prescreening question of a job (section 2.5). Answers belong to
// YesNo and Catalog only.
type Question struct {
	ID      string   `json:"id"` // numeric text
	Type    string   `json:"type"`
	Label   string   `json:"label"`
	Answers []Choice `json:"answers,omitempty"`
}

// JobStatus is the state of a job and its postings (section 3).
type JobStatus string

// The zero value is Active.
const (
	Active   JobStatus = ""
	Inactive JobStatus = "inactive" // deactivated: 410, ERROR_JOB_INACTIVE
	Deleted  JobStatus = "deleted"  // no longer there: get_project_error, ERROR_JOB_UNAVAILABLE
)

// Job describes a job as the job information lookup shows it (section 2.5). Its
// postings, added with AddPosting, are what the search finds; a job without
// one answers "JobPosting not found" and ERROR_POSTING_UNAVAILABLE.
type Job struct {
	ID                  int64      `json:"id"` // zero: one is given
	CompanyID           string     `json:"company_id,omitempty"`
	Title               string     `json:"title"`
	Language            string     `json:"language,omitempty"` // empty: "en"
	PrivacyURL          string     `json:"privacy_url,omitempty"`
	Questions           []Question `json:"questions,omitempty"`
	AskLocation         bool       `json:"ask_location,omitempty"` // adds the preferred-location question, id -1, with the locations as answers
	Location            Location   `json:"location,omitzero"`
	AdditionalLocations []Location `json:"additional_locations,omitempty"`
	Status              JobStatus  `json:"status,omitempty"`
	Internal            bool       `json:"internal,omitempty"`     // for internal applicants only
	ApplyClosed         bool       `json:"apply_closed,omitempty"` // active, and yet applyPossible is false
}

// Translation holds a posting's text in another language. Config entries replace
// those of the posting, key by key.
type Translation struct {
	Title  string              `json:"title,omitempty"`
	Config map[string][]string `json:"config,omitempty"`
}

// Posting describes what the search finds (section 2.2). A zero time goes out as 0.
type Posting struct {
	ID           int64                  `json:"id"`         // zero: one is given
	VersionID    int64                  `json:"version_id"` // zero: one is given
	JobID        int64                  `json:"job_id,omitempty"`
	Channels     []string               `json:"channels"`
	Language     string                 `json:"language,omitempty"` // of Title and Config
	Title        string                 `json:"title"`
	ApplyURL     string                 `json:"apply_url,omitempty"` // empty: one is made, see LinkForm
	Config       map[string][]string    `json:"config,omitempty"`
	Translations map[string]Translation `json:"translations,omitempty"` // by language, such as "de"
	JobStart     time.Time              `json:"job_start,omitzero"`
	VersionStart time.Time              `json:"version_start,omitzero"`
	VersionEnd   time.Time              `json:"version_end,omitzero"`
	Locations    []Location             `json:"locations,omitempty"` // empty: those of its job
}

// Applicant describes a person who applies. Username and Password are for the password
// grant of the token endpoint.
type Applicant struct {
	ID        int64  `json:"id"` // zero: one is given
	Name      string `json:"name,omitempty"`
	Username  string `json:"username,omitempty"`
	Password  string `json:"password,omitempty"`
	Internal  bool   `json:"internal,omitempty"`
	CompanyID string `json:"company_id,omitempty"` // empty: sees the jobs of every company
}

// String hides the password.
func (a Applicant) String() string { return "applicant " + strconv.FormatInt(a.ID, 10) }

// GoString hides the password.
func (a Applicant) GoString() string { return a.String() }

// Application exists once per job and applicant (section 8).
type Application struct {
	ID          string    `json:"id"`
	ApplicantID int64     `json:"applicant_id"`
	JobID       int64     `json:"job_id"`
	Withdrawn   bool      `json:"withdrawn,omitempty"` // it still counts
	Created     time.Time `json:"created,omitzero"`
}

// What Apply and Withdraw may say.
var (
	ErrAlreadyApplied = errors.New("jobboardtest: the applicant has already applied to this job (section 8: a withdrawn application counts)")
	ErrNotOpen        = errors.New("jobboardtest: the job cannot be applied to")
	ErrNoApplication  = errors.New("jobboardtest: no such application")
)

type job struct {
	Job
	enc    encodings
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
// replaced, never changed, so that an encoded form can be kept beside each.
type state struct {
	channels      map[string]Channel
	companies     map[string]Company
	jobs          map[int64]*job
	postings      map[int64]*posting
	published     map[int64]int // postings per job
	clients       map[string]Client
	applicants    map[int64]Applicant
	applications  map[appKey]Application
	tokens        map[string]*token
	codes         map[string]Code
	subscriptions map[string]Subscription
	catalogues    map[string][]Choice
	secrets       map[string]bool // of clients and applicants, for the journal to mask
	lastID        int64
}

func newState() *state {
	return &state{
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
		secrets:       map[string]bool{},
		lastID:        4710,
	}
}

func (st *state) nextID() int64 {
	st.lastID++
	return st.lastID
}

// saw makes new identifiers be others. Those beyond maxLastID are not counted
// on from: there is an end to int64.
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

// changeJobs is change for what a search can see: it also forgets what was
// derived from the postings.
func (s *Server) changeJobs(f func(st *state)) {
	s.change(func(st *state) {
		f(st)
		s.view.Store(nil)
	})
}

func (s *Server) read(f func(st *state)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	f(s.st)
}

// AddChannel adds or replaces a channel.
func (s *Server) AddChannel(c Channel) Channel {
	s.changeJobs(func(st *state) { st.channels[c.ID] = c })
	return c
}

// AddCompany adds or replaces a company.
func (s *Server) AddCompany(c Company) Company {
	if c.ID == "" {
		c.ID = newUUID()
	}
	s.change(func(st *state) {
		st.companies[c.ID] = c
		st.forgetJobs()
	})
	return c
}

// forgetJobs drops the encoded forms of the jobs: something they show changed.
func (st *state) forgetJobs() {
	for id, j := range st.jobs {
		st.jobs[id] = &job{Job: j.Job, points: j.points}
	}
}

// AddJob adds or replaces a job. Without a posting it is not found by a search;
// see Publish.
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

// AddPosting adds or replaces a posting. Channels it names are added too.
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
	if p.JobID != 0 {
		st.published[p.JobID]++
	}
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

// AddApplicant adds or replaces an applicant.
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

func (st *state) addApplicant(a Applicant) {
	st.applicants[a.ID] = a
	st.secrets[a.Password] = true
}

func (st *state) addClient(c Client) {
	st.clients[c.ID] = c
	st.secrets[c.Secret] = true
}

// UpdateJob changes a job in one step; it reports whether there is one.
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
	if p.JobID != 0 {
		st.published[p.JobID]--
	}
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

// Apply makes an application and gives its identifier. When there is one
// already, withdrawn or not, it gives that one's identifier and
// ErrAlreadyApplied. A job that is not open to this applicant gives ErrNotOpen.
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

// Withdraw withdraws an application, which goes on counting.
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

func cloneJob(j Job) Job {
	j.Questions = slices.Clone(j.Questions)
	for i := range j.Questions {
		j.Questions[i].Answers = slices.Clone(j.Questions[i].Answers)
	}
	j.AdditionalLocations = slices.Clone(j.AdditionalLocations)
	return j
}

func clonePosting(p Posting) Posting {
	p.Channels = slices.Clone(p.Channels)
	p.Config = cloneLists(p.Config)
	p.Locations = slices.Clone(p.Locations)
	p.Translations = maps.Clone(p.Translations)
	for k, t := range p.Translations {
		t.Config = cloneLists(t.Config)
		p.Translations[k] = t
	}
	return p
}

func cloneLists[V any](m map[string][]V) map[string][]V {
	m = maps.Clone(m)
	for k, v := range m {
		m[k] = slices.Clone(v)
	}
	return m
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
