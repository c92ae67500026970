// Package plain holds the structs of a program without a client library, for encoding/json and the decoders that take
// its place. Those of easyjson are generated for them, beside encoding/json's, which they do not touch.
package plain

import "time"

// Page is the answer of a search.
//
//easyjson:json
type Page struct {
	ItemsPerPage       int       `json:"itemsPerPage"`
	NumPages           int       `json:"numPages"`
	Offset             int       `json:"offset"`
	ActualPage         int       `json:"actualPage"`
	FirstPostingOnPage int       `json:"firstPostingOnPage"`
	LastPostingOnPage  int       `json:"lastPostingOnPage"`
	TotalNumberOfJobs  int       `json:"totalNumberOfJobs"`
	Results            []Posting `json:"results"`
}

// Posting is a posting of a Page.
type Posting struct {
	JobPostingID            int64               `json:"jobPostingId"`
	PostingVersionID        int64               `json:"postingVersionId"`
	Title                   string              `json:"title"`
	ApplyOnlineLink         string              `json:"applyOnlineLink"`
	Config                  map[string][]string `json:"config"`
	JobStartDate            int64               `json:"jobStartDate"`
	PostingVersionStartDate int64               `json:"postingVersionStartDate"`
	PostingVersionEndDate   int64               `json:"postingVersionEndDate"`
}

// Info is a job information.
//
//easyjson:json
type Info struct {
	JobID               int64      `json:"jobId"`
	JobTitle            string     `json:"jobTitle"`
	JobLanguage         string     `json:"jobLanguage"`
	ApplyPossible       bool       `json:"applyPossible"`
	DataSecurityLink    string     `json:"dataSecurityLink"`
	Questions           []Question `json:"questions"`
	Nationalities       []IDLabel  `json:"nationalities"`
	Timestamp           time.Time  `json:"timestamp"`
	CompanyName         string     `json:"companyName"`
	CompanyID           string     `json:"companyId"`
	Location            Location   `json:"location"`
	AdditionalLocations []Location `json:"additionalLocations"`
}

// Question is a prescreening question.
type Question struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Label   string    `json:"label"`
	Answers []IDLabel `json:"answers"`
}

// IDLabel is an identifier with its label.
type IDLabel struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Location is a location of a job.
type Location struct {
	GeoLat     string `json:"geoLat"`
	GeoLong    string `json:"geoLong"`
	GeoName    string `json:"geoName"`
	GeoCountry string `json:"geoCountry"`
	GeoState   string `json:"geoState"`
	GeoCity    string `json:"geoCity"`
	GeoZip     string `json:"geoZip"`
	GeoStreet  string `json:"geoStreet"`
}
