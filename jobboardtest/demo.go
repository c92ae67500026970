package jobboardtest

import (
	"bytes"
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// DemoInfo names what the demo data set holds, one thing for each answer of the
// interface. Its values are the same in every server with the option WithDemo.
type DemoInfo struct {
	Channel        string `json:"channel"`
	ClientID       string `json:"client_id"`       // public: Basic
	ClientToken    string `json:"client_token"`    // of the confidential client; like all tokens here it never expires
	ApplicantToken string `json:"applicant_token"` // of Applicant

	OpenJob         int64  `json:"open_job"`      // Applicant has not applied
	AppliedJob      int64  `json:"applied_job"`   // Applicant has applied
	WithdrawnJob    int64  `json:"withdrawn_job"` // Applicant has applied and withdrawn
	InactiveJob     int64  `json:"inactive_job"`
	UnknownJob      int64  `json:"unknown_job"`       // never existed
	DeletedJob      int64  `json:"deleted_job"`       // existed, and was deleted
	InternalJob     int64  `json:"internal_job"`      // Applicant is not internal
	OtherCompanyJob int64  `json:"other_company_job"` // not of Applicant's company
	UnpublishedJob  int64  `json:"unpublished_job"`   // has no posting
	ClosedJob       int64  `json:"closed_job"`        // active, but takes no more applications
	ApplicationID   string `json:"application_id"`    // of Applicant to AppliedJob

	Applicant          int64  `json:"applicant"`
	Username           string `json:"username"` // of Applicant, for the password grant
	Password           string `json:"password"`
	InternalApplicant  int64  `json:"internal_applicant"`
	InternalToken      string `json:"internal_token"`
	ExpiredToken       string `json:"expired_token"`
	NarrowToken        string `json:"narrow_token"` // its scope is not enough
	ConfidentialClient string `json:"confidential_client"`
	ConfidentialSecret string `json:"confidential_secret"`
}

// demoDocument is the demo in the form of State.Write. To change it by hand, run
// jobboard-fake with -data demo.json, and fetch its state from the control interface. What looks like a mistake in it is
// there on purpose: scripts and unclosed tags as word processors and mails leave
// them, an empty company name, ends that are 0, keys and languages that some
// postings lack.
//
//go:embed demo.json
var demoDocument []byte

// demoState is shared by all servers; each server copies the records that it
// may change.
var demoState = sync.OnceValue(func() State {
	in, _ := ReadState(bytes.NewReader(demoDocument)) // cannot fail: a test reads this document
	return in
})

// demoAt returns the demo with its dates moved by whole days, so that the newest posting was listed on the last day
// before now. A board's jobs never all lie in the past, and the demo's must not expire.
func demoAt(now time.Time) State {
	in := demoState()
	newest := slices.MaxFunc(in.Postings, func(a, b Posting) int { return a.VersionStart.Compare(b.VersionStart) }).VersionStart
	const day = 24 * time.Hour
	by := now.Sub(newest).Truncate(day)
	if newest.Add(by).After(now) {
		by -= day // Truncate rounds towards zero
	}
	move := func(at *time.Time) {
		if !at.IsZero() {
			*at = at.Add(by)
		}
	}
	in.Postings = slices.Clone(in.Postings)
	for i := range in.Postings {
		p := &in.Postings[i]
		move(&p.JobStart)
		move(&p.VersionStart)
		move(&p.VersionEnd)
		p.Config = listedLater(p.Config, by)
		p.Translations = maps.Clone(p.Translations)
		for language, t := range p.Translations {
			t.Config = listedLater(t.Config, by)
			p.Translations[language] = t
		}
	}
	in.Applications = slices.Clone(in.Applications)
	for i := range in.Applications {
		move(&in.Applications[i].Created)
	}
	in.Tokens = slices.Clone(in.Tokens)
	for i := range in.Tokens {
		move(&in.Tokens[i].Since)
	}
	return in
}

// listedLater returns a copy of a posting's config with a later date of listing, which is in milliseconds.
func listedLater(config map[string][]string, by time.Duration) map[string][]string {
	const key = "listingStartDate"
	moved := maps.Clone(config)
	for i, date := range config[key] {
		if ms, err := strconv.ParseInt(date, 10, 64); err == nil {
			moved[key] = slices.Clone(moved[key])
			moved[key][i] = strconv.FormatInt(ms+by.Milliseconds(), 10)
		}
	}
	return moved
}
