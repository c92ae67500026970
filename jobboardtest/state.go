package jobboardtest

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Apply and Withdraw return errors that match these with errors.Is.
var (
	ErrAlreadyApplied = errors.New("jobboardtest: the applicant has already applied to this job (section 8: a withdrawn application counts)")
	ErrNotOpen        = errors.New("jobboardtest: the job cannot be applied to")
	ErrNoApplication  = errors.New("jobboardtest: no such application")
)

type appKey struct{ applicant, job int64 }

// state holds everything a Server remembers. Its owner guards it with a lock. Records
// are replaced, never changed, so that a record may be used after the lock is
// released.
type state struct {
	channels      map[string]Channel
	companies     map[string]Company
	jobs          map[int64]*job
	postings      map[int64]*posting
	published     map[int64]int // postings per job
	clients       map[string]ClientApp
	applicants    map[int64]Applicant
	applications  map[appKey]Application
	tokens        map[string]*token
	codes         map[string]Code
	subscriptions map[string]Subscription
	catalogues    map[string][]Choice
	secrets       map[string]bool // of clients and applicants, for the journal to mask
	lastID        int64
	board         func() board // built from jobs and postings at the next search
}

func newState() *state {
	st := &state{
		channels:      map[string]Channel{},
		companies:     map[string]Company{},
		jobs:          map[int64]*job{},
		postings:      map[int64]*posting{},
		published:     map[int64]int{},
		clients:       map[string]ClientApp{},
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

// saw raises lastID, so that new identifiers differ from these. It ignores identifiers
// beyond maxLastID, after which counting on would overflow int64.
func (st *state) saw(ids ...int64) {
	for _, id := range ids {
		if id <= maxLastID {
			st.lastID = max(st.lastID, id)
		}
	}
}

const maxLastID = 1 << 62

// forgetBoard makes the next search rebuild the board. Call it after every
// change to jobs or postings.
func (st *state) forgetBoard() {
	st.board = sync.OnceValue(func() board { return newBoard(st.jobs, st.postings) })
}

func (st *state) addCompany(c Company) Company {
	if c.ID == "" {
		c.ID = newUUID()
	}
	st.companies[c.ID] = c
	return c
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
	st.jobs[j.ID] = newJob(j)
	st.forgetBoard()
	return cloneJob(j)
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
	st.postings[p.ID] = newPosting(p)
	st.forgetBoard()
	return clonePosting(p)
}

// updateJob changes a job by f. It reports whether there is such a job.
func (st *state) updateJob(id int64, f func(*Job)) bool {
	old, ok := st.jobs[id]
	if !ok {
		return false
	}
	j := cloneJob(old.Job)
	f(&j)
	j.ID = id
	st.addJob(j)
	return true
}

func (st *state) removePosting(id int64) bool {
	p, ok := st.postings[id]
	if !ok {
		return false
	}
	delete(st.postings, id)
	st.published[p.JobID]--
	st.forgetBoard()
	return true
}

// unpublish removes the postings of a job. It reports whether there were any.
func (st *state) unpublish(job int64) (found bool) {
	for _, p := range st.postings {
		if p.JobID == job && job != 0 {
			found = st.removePosting(p.ID)
		}
	}
	return found
}

func (st *state) addApplicant(a Applicant) Applicant {
	if a.ID == 0 {
		a.ID = 1
		for id := range st.applicants {
			a.ID = max(a.ID, id+1)
		}
	}
	st.applicants[a.ID] = a
	st.secrets[a.Password] = true
	return a
}

// updateApplicant changes an applicant by f. It reports whether there is such an
// applicant.
func (st *state) updateApplicant(id int64, f func(*Applicant)) bool {
	a, ok := st.applicants[id]
	if !ok {
		return false
	}
	f(&a)
	a.ID = id
	st.addApplicant(a)
	return true
}

func (st *state) addClient(c ClientApp) {
	c.RedirectURIs = slices.Clone(c.RedirectURIs)
	st.clients[c.ID] = c
	st.secrets[c.Secret] = true
}

// apply makes an application, or returns the error of Server.Apply.
func (st *state) apply(applicant, jobID int64, now time.Time) (id string, err error) {
	who, ok := st.applicants[applicant]
	if !ok {
		return "", fmt.Errorf("%w: no applicant %d", ErrNotOpen, applicant)
	}
	if have, ok := st.applications[appKey{applicant, jobID}]; ok {
		return have.ID, ErrAlreadyApplied
	}
	j := st.jobs[jobID]
	switch {
	case j == nil || j.Status == Deleted:
		return "", fmt.Errorf("%w: no job %d", ErrNotOpen, jobID)
	case j.Status == Inactive:
		return "", fmt.Errorf("%w: job %d is inactive", ErrNotOpen, jobID)
	case j.ApplyClosed:
		return "", fmt.Errorf("%w: job %d takes no more applications", ErrNotOpen, jobID)
	case j.Internal && !who.Internal:
		return "", fmt.Errorf("%w: job %d is internal and applicant %d is not", ErrNotOpen, jobID, applicant)
	case otherCompany(j, who):
		return "", fmt.Errorf("%w: job %d belongs to another company", ErrNotOpen, jobID)
	case st.published[jobID] == 0:
		return "", fmt.Errorf("%w: job %d has no posting", ErrNotOpen, jobID)
	}
	id = newHex()
	st.applications[appKey{applicant, jobID}] = Application{ID: id, ApplicantID: applicant, JobID: jobID, Created: now}
	return id, nil
}

func (st *state) withdraw(applicant, jobID int64) error {
	k := appKey{applicant, jobID}
	a, ok := st.applications[k]
	if !ok {
		return ErrNoApplication
	}
	a.Withdrawn = true
	st.applications[k] = a
	return nil
}

// subscriptionsByAge returns all subscriptions, oldest first, the gone ones too.
func (st *state) subscriptionsByAge() []Subscription {
	var out []Subscription
	for _, sub := range st.subscriptions {
		sub.Categories = cloneLists(sub.Categories)
		out = append(out, sub)
	}
	slices.SortFunc(out, func(a, b Subscription) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return out
}

// catalogue returns the nationality catalogue for a job's language: from the state,
// or else the built-in German or English list.
func (st *state) catalogue(language string) []Choice {
	if c, ok := st.catalogues[language]; ok {
		return c
	}
	if isGerman(language) {
		return nationalities().german
	}
	return nationalities().english
}

// secretKind returns the kind of a text that is a credential, or "".
func (st *state) secretKind(v string) string {
	if t, ok := st.tokens[v]; ok {
		return t.String()
	}
	if _, ok := st.codes[v]; ok {
		return "authorization code"
	}
	if st.secrets[v] {
		return "secret"
	}
	return ""
}

// byKey returns a map's values in the order of their keys; nil for an empty map.
func byKey[K cmp.Ordered, V any](m map[K]V) []V {
	var out []V
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
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
