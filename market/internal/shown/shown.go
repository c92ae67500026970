// Package shown writes parts of the service's answers as short texts for people:
// locations, days, links, kinds of questions and errors.
package shown

import (
	"net/url"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Locations returns the names of a job's locations, the main location first.
func Locations(info *jobboard.JobInformation) []string {
	texts := []string{location(info.Location)}
	for _, l := range info.AdditionalLocations {
		texts = append(texts, location(l))
	}
	return texts
}

// location returns the service's name of a location, or else its address.
func location(l jobboard.Location) string {
	if l.GeoName != "" {
		return l.GeoName
	}
	var parts []string
	for _, s := range []string{l.GeoStreet, strings.TrimSpace(l.GeoZip + " " + l.GeoCity), l.GeoState, l.GeoCountry} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// Day returns the UTC day of a time, such as 2026-01-31, or "" for an unset time.
func Day(m jobboard.Millis) string {
	if t, ok := m.Time(); ok {
		return t.UTC().Format(time.DateOnly)
	}
	return ""
}

// Link takes the results of a method such as JobPosting.ApplyURL, and returns the link as
// text, or "" on an error.
func Link(link *url.URL, err error) string {
	if err != nil {
		return ""
	}
	return link.String()
}

// Answering describes the answers to a type of question, and reports whether the interface
// names the type.
func Answering(t jobboard.QuestionType) (text string, known bool) {
	switch t {
	case jobboard.QuestionYesNo:
		return "yes or no", true
	case jobboard.QuestionText:
		return "one line of text", true
	case jobboard.QuestionTextArea:
		return "text", true
	case jobboard.QuestionCatalog:
		return "one of a list", true
	}
	return "of a kind this program does not know", false
}

// Error returns the text of an error without the library's name at its
// beginning.
func Error(err error) string {
	text := err.Error()
	for _, library := range []string{"jobboard: ", "jobmirror: "} {
		if rest, cut := strings.CutPrefix(text, library); cut {
			return rest
		}
	}
	return text
}
