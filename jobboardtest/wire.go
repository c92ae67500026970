package jobboardtest

import (
	"bytes"
	"encoding/json"
)

// The shapes of section 2 as they go over the wire. A member of type any has
// several forms, see Variants; a nil member is left out.

type wirePosting struct {
	JobPostingID            any    `json:"jobPostingId"`
	PostingVersionID        any    `json:"postingVersionId"`
	Title                   string `json:"title"`
	ApplyOnlineLink         any    `json:"applyOnlineLink,omitempty"`
	Config                  any    `json:"config,omitempty"`
	JobStartDate            any    `json:"jobStartDate"`
	PostingVersionStartDate any    `json:"postingVersionStartDate"`
	PostingVersionEndDate   any    `json:"postingVersionEndDate"`
}

// wirePage is a search answer; Results takes the encoded postings.
type wirePage struct {
	ItemsPerPage       int             `json:"itemsPerPage"`
	NumPages           int             `json:"numPages"`
	Offset             int             `json:"offset"`
	ActualPage         int             `json:"actualPage"`
	FirstPostingOnPage int             `json:"firstPostingOnPage"`
	LastPostingOnPage  int             `json:"lastPostingOnPage"`
	TotalNumberOfJobs  int             `json:"totalNumberOfJobs"`
	Results            json.RawMessage `json:"results"`
}

type wireJob struct {
	JobID               any          `json:"jobId"`
	JobTitle            string       `json:"jobTitle"`
	JobLanguage         any          `json:"jobLanguage,omitempty"`
	ApplyPossible       bool         `json:"applyPossible"`
	DataSecurityLink    any          `json:"dataSecurityLink,omitempty"`
	Questions           any          `json:"questions,omitempty"`
	Nationalities       any          `json:"nationalities,omitempty"`
	Timestamp           string       `json:"timestamp"`
	CompanyName         any          `json:"companyName,omitempty"`
	CompanyID           any          `json:"companyId,omitempty"`
	Location            wireLocation `json:"location"`
	AdditionalLocations any          `json:"additionalLocations,omitempty"`
}

type wireQuestion struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Label   string `json:"label"`
	Answers any    `json:"answers,omitempty"`
}

type wireIDLabel struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

type wireLocation struct {
	GeoLat     any `json:"geoLat,omitempty"`
	GeoLong    any `json:"geoLong,omitempty"`
	GeoName    any `json:"geoName,omitempty"`
	GeoCountry any `json:"geoCountry,omitempty"`
	GeoState   any `json:"geoState,omitempty"`
	GeoCity    any `json:"geoCity,omitempty"`
	GeoZip     any `json:"geoZip,omitempty"`
	GeoStreet  any `json:"geoStreet,omitempty"`
}

type wireAuthError struct {
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description,omitempty"`
}

type wireToken struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
}

func (v Variants) location(l Location) wireLocation {
	return wireLocation{
		GeoLat: v.text(l.Lat), GeoLong: v.text(l.Long), GeoName: v.text(l.Name), GeoCountry: v.text(l.Country),
		GeoState: v.text(l.State), GeoCity: v.text(l.City), GeoZip: v.text(l.Zip), GeoStreet: v.text(l.Street),
	}
}

func (v Variants) idLabels(as []Choice) any {
	return wireList(v, as, func(a Choice) wireIDLabel { return wireIDLabel(a) })
}

// wireList converts records to a list of shapes, or returns the Missing form of
// an empty list.
func wireList[T, W any](v Variants, records []T, shape func(T) W) any {
	out := make([]W, len(records))
	for i, r := range records {
		out[i] = shape(r)
	}
	if len(out) == 0 {
		return v.missing(out)
	}
	return out
}

// marshal writes JSON without escaping <, > and &, as most services do.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // our own shapes, into memory: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
