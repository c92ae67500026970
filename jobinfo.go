package jobboard

import (
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// JobInformation is what must be known before an application to a job (2.5).
// It encodes to the interface's JSON and decodes from it. Texts are the
// service's and untrusted.
type JobInformation struct {
	JobID            JobID      `json:"jobId"`
	JobTitle         string     `json:"jobTitle"`
	JobLanguage      string     `json:"jobLanguage"` // of the advertisement, such as "de"
	ApplyPossible    bool       `json:"applyPossible"`
	DataSecurityLink string     `json:"dataSecurityLink"` // see DataSecurityURL
	Questions        []Question `json:"questions"`
	// Nationalities is the catalogue in the job's language. It may be shared
	// with other answers: do not change its elements; appending to it copies.
	Nationalities       []IDLabel  `json:"nationalities"`
	Timestamp           Timestamp  `json:"timestamp"`
	CompanyName         string     `json:"companyName"`
	CompanyID           string     `json:"companyId"`
	Location            Location   `json:"location"`
	AdditionalLocations []Location `json:"additionalLocations"`
}

// MarshalJSON is the answer as section 2.5 has it; its lists are never null.
func (j JobInformation) MarshalJSON() ([]byte, error) {
	type plain JobInformation
	if j.Questions == nil {
		j.Questions = []Question{}
	}
	if j.Nationalities == nil {
		j.Nationalities = []IDLabel{}
	}
	if j.AdditionalLocations == nil {
		j.AdditionalLocations = []Location{}
	}
	return json.Marshal(plain(j))
}

// UnmarshalJSON reads an answer by the rules of the lookup; null changes
// nothing. Its error is [ErrDecode].
func (j *JobInformation) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	v, err := decodeJobInformation(b, nil)
	if err != nil {
		return err
	}
	*j = *v
	return nil
}

// DataSecurityURL is DataSecurityLink as an address that can be linked to:
// absolute, http or https, with a host and without a user. The error of any
// other, and of none, is [ErrDecode].
func (j *JobInformation) DataSecurityURL() (*url.URL, error) {
	return webURL("dataSecurityLink", j.DataSecurityLink)
}

// QuestionType says how a question is answered. Values beside the constants
// may occur and are kept.
type QuestionType string

// The types that the interface shows (2.5).
const (
	QuestionYesNo    QuestionType = "YESNO"    // one of two answers
	QuestionText     QuestionType = "TEXT"     // a line
	QuestionTextArea QuestionType = "TEXTAREA" // several lines
	QuestionCatalog  QuestionType = "CATALOG"  // one of the answers
)

// Question is a prescreening question (2.5).
type Question struct {
	ID    string       `json:"id"` // numeric text; negative for the preferred location
	Type  QuestionType `json:"type"`
	Label string       `json:"label"` // what is asked
	// Answers is nil, and not encoded, where the question has no list of them.
	Answers []IDLabel `json:"answers,omitzero"`
}

// IDLabel is an entry of a list to choose from (2.5).
type IDLabel struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Location is where a job is (2.5).
type Location struct {
	GeoLat     string `json:"geoLat"`  // latitude, decimal; see Coordinates
	GeoLong    string `json:"geoLong"` // longitude, decimal
	GeoName    string `json:"geoName"` // full address
	GeoCountry string `json:"geoCountry"`
	GeoState   string `json:"geoState"`
	GeoCity    string `json:"geoCity"`
	GeoZip     string `json:"geoZip"`
	GeoStreet  string `json:"geoStreet"` // with number
}

// Coordinates are the location's, in degrees. They are not ok unless both are
// decimal numbers on the globe.
func (l Location) Coordinates() (latitude, longitude float64, ok bool) {
	latitude, ok = degrees(l.GeoLat, 90)
	if !ok {
		return 0, 0, false
	}
	longitude, ok = degrees(l.GeoLong, 180)
	if !ok {
		return 0, 0, false
	}
	return latitude, longitude, true
}

// degrees reads a decimal number of at most limit. strconv alone would also
// take hexadecimal, underscores and words.
func degrees(text string, limit float64) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789.+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && math.Abs(v) <= limit
}
