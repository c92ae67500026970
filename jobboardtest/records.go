package jobboardtest

import (
	"maps"
	"slices"
	"strconv"
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

// Job describes a job as the job information lookup shows it (section 2.5). The
// search finds its postings, added with AddPosting. For a job without a posting
// the server answers "JobPosting not found" and ERROR_POSTING_UNAVAILABLE.
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

// Posting describes a job advertisement, which the search finds (section 2.2). A
// zero time goes out as 0.
type Posting struct {
	ID           int64                  `json:"id"`         // zero: one is given
	VersionID    int64                  `json:"version_id"` // zero: one is given
	JobID        int64                  `json:"job_id,omitempty"`
	Channels     []string               `json:"channels"`
	Language     string                 `json:"language,omitempty"` // language of Title and Config
	Title        string                 `json:"title"`
	ApplyURL     string                 `json:"apply_url,omitempty"` // a path is below BaseURL; empty: one is made, see LinkForm
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
	ID          string    `json:"id"` // empty in a State: the server makes one
	ApplicantID int64     `json:"applicant_id"`
	JobID       int64     `json:"job_id"`
	Withdrawn   bool      `json:"withdrawn,omitempty"` // it still counts
	Created     time.Time `json:"created,omitzero"`
}

// SubscriptionStatus is the state of a subscription.
type SubscriptionStatus string

// A subscription begins unconfirmed and becomes confirmed. After unsubscribing it
// is gone, and stays in the list.
const (
	Unconfirmed SubscriptionStatus = "unconfirmed"
	Confirmed   SubscriptionStatus = "confirmed"
	Gone        SubscriptionStatus = "gone"
)

// Subscription describes a subscription of section 4.5. A service mails the identifier
// of an email subscription; here tests read it from a Snapshot.
type Subscription struct {
	ID         string              `json:"id"` // the aboId
	Channel    string              `json:"channel"`
	Type       string              `json:"type"` // "rss" or "email"
	Email      string              `json:"email,omitempty"`
	Categories map[string][]string `json:"categories,omitempty"`
	Status     SubscriptionStatus  `json:"status"`
	Created    time.Time           `json:"created,omitzero"`
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
