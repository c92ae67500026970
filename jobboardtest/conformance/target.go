package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Target holds the addresses of a service and the records that the rules use.
// One address is required; a rule is skipped if its other fields are missing.
// The JSON names equal those that jobboard-fake prints with -json, and those of
// jobboardtest.DemoInfo.
type Target struct {
	BaseURL  string `json:"base_url"`
	JobDBURL string `json:"jobdb_url"`

	// ReadOnly leaves out the rules whose check changes something.
	ReadOnly bool `json:"read_only,omitempty"`

	// GoodCredentials leaves out the rules whose check sends a credential that the
	// service must refuse: many refused credentials raise alarms at a live
	// service.
	GoodCredentials bool `json:"good_credentials,omitempty"`

	// HTTPClient sends the requests; only its Transport and Timeout are used. nil: a
	// client of its own, with 30 seconds for a request. Redirects are not followed.
	HTTPClient *http.Client `json:"-"`

	// Credentials (section 5).
	ClientID       string `json:"client_id,omitempty"`    // a public client for Basic
	ClientToken    string `json:"client_token,omitempty"` // a client access token
	ApplicantToken string `json:"applicant_token,omitempty"`
	InternalToken  string `json:"internal_token,omitempty"` // of an applicant who sees InternalJob and has no AppliedJob
	ExpiredToken   string `json:"expired_token,omitempty"`  // an expired token of the applicant
	LookupToken    string `json:"lookup_token,omitempty"`   // bearer token for {jobdb_url}, if the service wants one

	// Channel is the searched channel, which has postings (section 4.1).
	Channel        string   `json:"channel,omitempty"`
	FailingChannel string   `json:"failing_channel,omitempty"` // its searches fail while processing (section 7.1)
	SearchText     string   `json:"search_text,omitempty"`     // finds some postings of Channel, but not all
	Languages      []string `json:"languages,omitempty"`       // two of one posting of Channel, such as "en", "de"

	// Near is a geoLocation, such as "52.520014::13.373006::50", that finds some
	// postings of Channel, but not all. AdditionalNear finds an additional
	// location of AdditionalPosting, but not its main location. UnlocatedPosting
	// is a posting of Channel without a geolocation.
	Near              string `json:"near,omitempty"`
	AdditionalNear    string `json:"additional_near,omitempty"`
	AdditionalPosting int64  `json:"additional_posting,omitempty"`
	UnlocatedPosting  int64  `json:"unlocated_posting,omitempty"`

	// Jobs, from the applicant's point of view (sections 3, 7.2 and 7.3).
	OpenJob         int64  `json:"open_job,omitempty"`          // open, and not yet applied to by the applicant
	AppliedJob      int64  `json:"applied_job,omitempty"`       // has applied
	WithdrawnJob    int64  `json:"withdrawn_job,omitempty"`     // has applied and withdrawn
	InactiveJob     int64  `json:"inactive_job,omitempty"`      // deactivated
	DeletedJob      int64  `json:"deleted_job,omitempty"`       // was deleted
	UnknownJob      int64  `json:"unknown_job,omitempty"`       // never existed
	UnpublishedJob  int64  `json:"unpublished_job,omitempty"`   // has no job posting
	InternalJob     int64  `json:"internal_job,omitempty"`      // for internal applicants; the applicant is external
	OtherCompanyJob int64  `json:"other_company_job,omitempty"` // job of a company whose jobs the applicant cannot access
	ClosedJob       int64  `json:"closed_job,omitempty"`        // active, but takes no more applications
	ApplicationID   string `json:"application_id,omitempty"`    // of the applicant's application to AppliedJob

	// Apply and Withdraw change applications, for which the interface has no
	// call. They act for the applicant on SpareJob, an open job that no other
	// field names. Apply may return an error if the applicant has applied
	// already.
	SpareJob int64                                      `json:"spare_job,omitempty"`
	Apply    func(ctx context.Context, job int64) error `json:"-"`
	Withdraw func(ctx context.Context, job int64) error `json:"-"`

	// Subscription is a subscription request that the service accepts; section
	// 4.5 does not show one.
	Subscription Subscription `json:"subscription,omitzero"`
}

// Subscription is the payload of the deprecated calls of section 4.5.
type Subscription struct {
	Path        string     `json:"path,omitempty"` // empty: "/jobabo"
	Query       url.Values `json:"query,omitempty"`
	Body        string     `json:"body,omitempty"` // JSON
	ConfirmBody string     `json:"confirm_body,omitempty"`

	// ID returns the aboId from the answer. nil: the answer is a JSON object
	// with the aboId in the member IDMember.
	ID       func(answer []byte) (string, error) `json:"-"`
	IDMember string                              `json:"id_member,omitempty"`
}

// String leaves the credentials out.
func (t Target) String() string { return fmt.Sprintf("target %s, %s", t.BaseURL, t.JobDBURL) }

// GoString leaves the credentials out.
func (t Target) GoString() string { return t.String() }

// targetFields returns the words of a text that are names of Target's fields.
func targetFields(text string) (names []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		if _, ok := reflect.TypeFor[Target]().FieldByName(word); ok {
			names = append(names, word)
		}
	}
	return names
}

// Check returns an error if the target cannot be used: without an address, with an invalid
// address, or with a malformed field.
func (t Target) Check() error {
	_, err := t.prepare()
	return err
}

// prepare returns a copy with normalized addresses, or the error of Check.
func (t Target) prepare() (Target, error) {
	if t.BaseURL == "" && t.JobDBURL == "" {
		return t, errors.New("conformance: the target has neither BaseURL nor JobDBURL")
	}
	for _, a := range []*string{&t.BaseURL, &t.JobDBURL} {
		if *a == "" {
			continue
		}
		if !plainAddress(*a) {
			return t, errors.New("conformance: an address must be a plain http or https URL without user, query and fragment")
		}
		*a = strings.TrimRight(*a, "/")
	}
	if len(t.Languages) != 0 && len(t.Languages) != 2 {
		return t, fmt.Errorf("conformance: Languages has %d entries, not 2", len(t.Languages))
	}
	for _, g := range []string{t.Near, t.AdditionalNear} {
		if _, _, err := splitGeo(g); g != "" && err != nil {
			return t, fmt.Errorf("conformance: %w", err)
		}
	}
	return t, nil
}

func plainAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// splitGeo reads the point of `<latitude>::<longitude>::<distance_km>` (section 4.1).
func splitGeo(g string) (latitude, longitude string, err error) {
	parts := strings.Split(g, "::")
	if len(parts) != 3 {
		return "", "", fmt.Errorf("%q is not <latitude>::<longitude>::<distance_km>", g)
	}
	return parts[0], parts[1], nil
}
