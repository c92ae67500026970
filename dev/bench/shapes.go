package main

import "time"

// The plain structs of a program without a client library, for encoding/json,
// go-json-experiment and sonic.
type (
	plainPage struct {
		ItemsPerPage       int            `json:"itemsPerPage"`
		NumPages           int            `json:"numPages"`
		Offset             int            `json:"offset"`
		ActualPage         int            `json:"actualPage"`
		FirstPostingOnPage int            `json:"firstPostingOnPage"`
		LastPostingOnPage  int            `json:"lastPostingOnPage"`
		TotalNumberOfJobs  int            `json:"totalNumberOfJobs"`
		Results            []plainPosting `json:"results"`
	}
	plainPosting struct {
		JobPostingID            int64               `json:"jobPostingId"`
		PostingVersionID        int64               `json:"postingVersionId"`
		Title                   string              `json:"title"`
		ApplyOnlineLink         string              `json:"applyOnlineLink"`
		Config                  map[string][]string `json:"config"`
		JobStartDate            int64               `json:"jobStartDate"`
		PostingVersionStartDate int64               `json:"postingVersionStartDate"`
		PostingVersionEndDate   int64               `json:"postingVersionEndDate"`
	}
	plainInfo struct {
		JobID               int64           `json:"jobId"`
		JobTitle            string          `json:"jobTitle"`
		JobLanguage         string          `json:"jobLanguage"`
		ApplyPossible       bool            `json:"applyPossible"`
		DataSecurityLink    string          `json:"dataSecurityLink"`
		Questions           []plainQuestion `json:"questions"`
		Nationalities       []plainLabel    `json:"nationalities"`
		Timestamp           time.Time       `json:"timestamp"`
		CompanyName         string          `json:"companyName"`
		CompanyID           string          `json:"companyId"`
		Location            plainLocation   `json:"location"`
		AdditionalLocations []plainLocation `json:"additionalLocations"`
	}
	plainQuestion struct {
		ID      string       `json:"id"`
		Type    string       `json:"type"`
		Label   string       `json:"label"`
		Answers []plainLabel `json:"answers"`
	}
	plainLabel struct {
		ID    string `json:"id"`
		Label string `json:"label"`
	}
	plainLocation struct {
		GeoLat     string `json:"geoLat"`
		GeoLong    string `json:"geoLong"`
		GeoName    string `json:"geoName"`
		GeoCountry string `json:"geoCountry"`
		GeoState   string `json:"geoState"`
		GeoCity    string `json:"geoCity"`
		GeoZip     string `json:"geoZip"`
		GeoStreet  string `json:"geoStreet"`
	}
)
