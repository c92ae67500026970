// Package shown writes parts of the service's answers as short texts for people: where a
// job is, a day, a link that can be followed, how a question is answered, what went wrong.
package shown

import (
	"net/url"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Locations returns where a job is, the main location first.
func Locations(info *jobboard.JobInformation) []string {
	texts := []string{location(info.Location)}
	for _, l := range info.AdditionalLocations {
		texts = append(texts, location(l))
	}
	return texts
}

// location returns the name that the service gives a location, or else its address.
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

// Day returns the day of a time in UTC, such as 2026-01-31; "" where there is none.
func Day(m jobboard.Millis) string {
	if t, ok := m.Time(); ok {
		return t.UTC().Format(time.DateOnly)
	}
	return ""
}

// Link takes the results of a method such as JobPosting.ApplyURL, and returns the link as
// text, "" where the method refused it.
func Link(link *url.URL, err error) string {
	if err != nil {
		return ""
	}
	return link.String()
}

// Answering says how a question of a type is answered, and reports whether the type is one
// of the interface.
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

// Error returns the text of an error without the name of its library before it.
func Error(err error) string {
	text := err.Error()
	for _, library := range []string{"jobboard: ", "jobmirror: "} {
		if rest, cut := strings.CutPrefix(text, library); cut {
			return rest
		}
	}
	return text
}
