// Package easyclient is the shapes of the interface for easyjson.
package easyclient

import "time"

type IDLabel struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}
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
type Question struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Label   string    `json:"label"`
	Answers []IDLabel `json:"answers"`
}
