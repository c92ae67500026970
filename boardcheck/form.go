package boardcheck

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// valueKind says what a value of the interface is for, which decides which forms of it matter.
type valueKind int

const (
	anyKind  valueKind = iota // the interface does not name it
	aText                     // any text
	aNumber                   // a number or an identifier
	aFlag                     // true or false
	aDecimal                  // a number as a text
	aMillis                   // milliseconds since 1970
	aTime                     // ISO 8601
	aLink
	aList
	anObject
)

// The interface's members (sections 2.1 to 2.5) by their paths. Those of locations are at two places.
var interfaceMembers = func() map[string]valueKind {
	m := map[string]valueKind{
		"itemsPerPage": aNumber, "numPages": aNumber, "offset": aNumber, "actualPage": aNumber,
		"firstPostingOnPage": aNumber, "lastPostingOnPage": aNumber, "totalNumberOfJobs": aNumber, "results": aList,
		"results[].jobPostingId": aNumber, "results[].postingVersionId": aNumber, "results[].title": aText,
		"results[].applyOnlineLink": aLink, "results[].config": anObject, "results[].jobStartDate": aMillis,
		"results[].postingVersionStartDate": aMillis, "results[].postingVersionEndDate": aMillis,

		"jobId": aNumber, "jobTitle": aText, "jobLanguage": aText, "applyPossible": aFlag, "dataSecurityLink": aLink,
		"questions": aList, "nationalities": aList, "timestamp": aTime, "companyName": aText, "companyId": aText,
		"location": anObject, "additionalLocations": aList,
		"questions[].id": aDecimal, "questions[].type": aText, "questions[].label": aText,
		"questions[] (YESNO).answers": aList, "questions[] (CATALOG).answers": aList,
		"questions[].answers[].id": aText, "questions[].answers[].label": aText,
		"nationalities[].id": aText, "nationalities[].label": aText,
		answerPath: aText,
	}
	for _, at := range []string{"location.", "additionalLocations[]."} {
		for _, name := range []string{"geoName", "geoCountry", "geoState", "geoCity", "geoZip", "geoStreet"} {
			m[at+name] = aText
		}
		m[at+"geoLat"], m[at+"geoLong"] = aDecimal, aDecimal
	}
	for key := range namedKeys {
		m[configPath+"."+key] = aList
		m[configPath+"."+key+"[]"] = aText
	}
	m[configPath+".listingStartDate[]"] = aDecimal
	return m
}()

// namedKeys are the keys of config that the interface shows (section 2.3).
var namedKeys = map[string]bool{
	"ProjectLocation": true, "location": true, "ProjectLocationGerman": true, "ProjectNumber": true, "audience": true,
	"platformvisibility": true, "listingStartDate": true, "internalPostingName": true, "platform_internalAdText": true,
	"jobcategory": true, "ProjectCompanyNameGerman": true, "sg_remote_status": true,
}

func kindAt(path string) valueKind { return interfaceMembers[path] }

// anyText are texts in which markup is nothing new.
var anyText = map[string]bool{configPath + ".platform_internalAdText[]": true, configPath + ".internalPostingName[]": true}

// The forms that a value may take whatever form the others have.
const (
	formNull   = "null"
	formEmpty  = "empty text"
	formNoItem = "empty list"
	formZero   = "0"
)

// formOf returns the type of a value, and the form of a text or a number where it matters.
func formOf(v any, kind valueKind) string {
	switch v := v.(type) {
	case nil:
		return formNull
	case bool:
		return "boolean"
	case []any:
		if len(v) == 0 {
			return formNoItem
		}
		return "list"
	case map[string]any:
		return "object"
	case json.Number:
		return formOfNumber(v.String(), kind)
	case string:
		return formOfText(v, kind)
	}
	return "another type"
}

func formOfNumber(s string, kind valueKind) string {
	switch {
	case strings.ContainsAny(s, ".eE"):
		return "number with a fraction"
	case kind != aMillis:
		return "number"
	case s == "0":
		return formZero
	case len(strings.TrimPrefix(s, "-")) > 11:
		return "milliseconds"
	}
	return "seconds"
}

var (
	quotedForm = regexp.MustCompile(`^-?[0-9]{1,20}(\.[0-9]{1,20})?$`)
	dateForm   = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-](?:0[0-9]|1[0-4]):?(?:00|15|30|45))?)?$`)
	markupForm = regexp.MustCompile(`<[A-Za-z/!][^>]*>`)
)

func formOfText(s string, kind valueKind) string {
	quoted := quotedForm.MatchString(s)
	date := dateForm.FindStringSubmatch(s)
	switch {
	case s == "":
		return formEmpty
	case kind == aText:
		return textForm(s)
	case quoted:
		return "number in quotes"
	case date != nil && kind != aLink && kind != aDecimal:
		return formOfDate(date)
	case kind == anyKind || kind == aLink:
		if link := linkForm(s); link != "" {
			return link
		}
	}
	return textForm(s)
}

func textForm(s string) string {
	if markupForm.MatchString(s) {
		return "markup"
	}
	return "text"
}

func formOfDate(m []string) string {
	switch {
	case m[1] == "":
		return "date"
	case m[3] == "" && m[4] == "":
		return "time without a zone"
	case m[4] == "":
		return "time with milliseconds without a zone"
	case m[3] == "":
		return "time with " + m[4]
	}
	return "time with milliseconds and " + m[4]
}

func linkForm(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || strings.ContainsAny(s, " \n\t"):
		return ""
	case u.Scheme == "http" || u.Scheme == "https":
		if u.Host != "" {
			return "link"
		}
	case u.Scheme == "" && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "./")):
		return "relative link"
	}
	return ""
}
