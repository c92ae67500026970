package jobpublish

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// StructuredData holds a JobPosting of schema.org: its properties by name. A site
// can add properties that the service does not know, such as employmentType and
// baseSalary.
type StructuredData map[string]any

// MarshalJSON returns the data as JSON-LD that is safe within a script element:
// no text in it ends the element, whichever encoder writes it. In html/template
//
//	<script type="application/ld+json">{{.StructuredData}}</script>
//
// writes the same. MarshalJSON puts a space after the "<" of text such as
// "</script" and "<!--", because encoders such as encoding/json/v2 undo its
// escape.
func (d StructuredData) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(map[string]any(d))
	return withoutScripts(b), err
}

// withoutScripts puts a space into JSON wherever a text has a meaning inside a script element.
func withoutScripts(b []byte) []byte {
	const escaped = `\u003c` // a "<" of json.Marshal
	for rest := b; ; {
		i := bytes.Index(rest, []byte(escaped))
		if i < 0 {
			return b
		}
		rest = rest[i+len(escaped):]
		if len(rest) > 0 && strings.IndexByte("/sS!", rest[0]) >= 0 && scriptMarkup.Match(rest[:min(len(rest), 7)]) {
			return allScriptMarkup.ReplaceAll(b, []byte(`\u003c $1`))
		}
	}
}

const day = 24 * time.Hour

// allScriptMarkup matches text with a meaning inside a script element, in the escaped form of
// json.Marshal, and scriptMarkup what follows the escaped "<".
var (
	allScriptMarkup = regexp.MustCompile(`(?i)\\u003c(/?script|!--)`)
	scriptMarkup    = regexp.MustCompile(`^(?i:/?script|!--)`)
)

// recommended lists the optional properties that search engines recommend.
var recommended = []string{
	"applicantLocationRequirements", "baseSalary", "directApply", "employmentType", "identifier", "jobLocationType",
	"validThrough",
}

// Missing returns the recommended properties that d lacks. Some fit only some
// jobs: jobLocationType and applicantLocationRequirements belong to remote
// jobs.
func (d StructuredData) Missing() []string {
	var missing []string
	for _, name := range recommended {
		if _, ok := d[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

// StructuredData returns the job's properties for search engines, to be put on
// its page. The error is a *RefusedError for a job that Check refuses, or that
// lacks a property which search engines require: title, description, datePosted,
// hiringOrganization, and a jobLocation with its addressCountry or, for a remote
// job, applicantLocationRequirements.
//
// datePosted is the day when the job was first listed, or else the beginning of the posting's
// version. validThrough is the end of that version; without an end it is absent, unless
// ValidFor sets it. A country is its ISO 3166-1 code if package places knows it, or else the
// service's word. Locations without a country and coordinates beyond the globe are left out.
func (j Job) StructuredData(now time.Time) (StructuredData, error) {
	if err := j.Check(now); err != nil {
		return nil, err
	}
	info := j.Information
	d := StructuredData{
		"@context": "https://schema.org/",
		"@type":    "JobPosting",
		"title":    j.title(),
		"url":      j.address(),
	}
	var missing []string
	add := func(name string, value any, ok bool) {
		if ok {
			d[name] = value
		} else {
			missing = append(missing, name)
		}
	}
	description := j.ad()
	add("description", description, hasWords(description))
	posted, ok := j.Posted()
	add("datePosted", stamp(posted), ok && stamp(posted) != "")
	company := j.company()
	organization := map[string]any{"@type": "Organization", "name": company}
	for name, address := range map[string]string{"logo": j.Organization.Logo, "sameAs": j.Organization.SameAs} {
		if webAddress(address) {
			organization[name] = address
		}
	}
	add("hiringOrganization", organization, company != "")
	if end, ok := j.ValidThrough(); ok && stamp(end) != "" {
		d["validThrough"] = stamp(end)
	}
	if j.DirectApply {
		d["directApply"] = true
	}
	if info.JobID != 0 && company != "" {
		d["identifier"] = map[string]any{"@type": "PropertyValue", "name": company, "value": info.JobID.String()}
	}
	missing = append(missing, j.addPlaces(d)...)
	if len(missing) > 0 {
		return nil, &RefusedError{Job: j.ID(), Reason: ReasonIncomplete, Missing: missing}
	}
	return d, nil
}

// addPlaces adds the job's locations and, for remote work, the applicants'
// countries. It returns the missing properties.
func (j Job) addPlaces(d StructuredData) (missing []string) {
	var locations []any
	var countries []string
	for _, l := range append([]jobboard.Location{j.Information.Location}, j.Information.AdditionalLocations...) {
		country := countryCode(l.GeoCountry)
		if country == "" {
			continue
		}
		l.GeoCountry = country
		locations = append(locations, place(l))
		if !slices.Contains(countries, country) {
			countries = append(countries, country)
		}
	}
	if len(locations) > 0 {
		d["jobLocation"] = some(locations)
	}
	if j.Posting.Config.RemoteStatus() != jobboard.RemoteFully {
		if len(locations) == 0 {
			return []string{"jobLocation.address.addressCountry"}
		}
		return nil
	}
	if j.ApplicantCountries != nil {
		countries = j.ApplicantCountries
	}
	var from []any
	for _, country := range countries {
		if name := countryCode(country); name != "" {
			from = append(from, map[string]any{"@type": "Country", "name": name})
		}
	}
	if len(from) == 0 {
		return []string{"applicantLocationRequirements"}
	}
	d["jobLocationType"] = "TELECOMMUTE"
	d["applicantLocationRequirements"] = some(from)
	return nil
}

// countryCode returns the ISO 3166-1 code of a country, or the country's name itself if
// package places does not know it.
func countryCode(country string) string {
	country = line(country)
	if code, ok := places.Country(country); ok {
		return code
	}
	return country
}

// UnknownCountries returns the countries in d without an ISO 3166-1 code, each once,
// because package places does not know the service's spelling.
func (d StructuredData) UnknownCountries() []string {
	var unknown []string
	note := func(country any) {
		word, _ := country.(string)
		if code, ok := places.Country(word); word != "" && (!ok || code != word) && !slices.Contains(unknown, word) {
			unknown = append(unknown, word)
		}
	}
	for _, location := range all(d["jobLocation"]) {
		if address, ok := location["address"].(map[string]any); ok {
			note(address["addressCountry"])
		}
	}
	for _, country := range all(d["applicantLocationRequirements"]) {
		note(country["name"])
	}
	return unknown
}

// all returns the objects in a value made by some.
func all(value any) (objects []map[string]any) {
	values, several := value.([]any)
	if !several {
		values = []any{value}
	}
	for _, v := range values {
		if object, ok := v.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// some returns a single value as itself, and several values as a list.
func some(values []any) any {
	if len(values) == 1 {
		return values[0]
	}
	return values
}

func place(l jobboard.Location) map[string]any {
	address := map[string]any{"@type": "PostalAddress"}
	for name, text := range map[string]string{
		"streetAddress": l.GeoStreet, "postalCode": l.GeoZip, "addressLocality": l.GeoCity,
		"addressRegion": l.GeoState, "addressCountry": l.GeoCountry,
	} {
		if text = line(text); text != "" {
			address[name] = text
		}
	}
	p := map[string]any{"@type": "Place", "address": address}
	if latitude, longitude, ok := l.Coordinates(); ok {
		p["geo"] = map[string]any{"@type": "GeoCoordinates", "latitude": decimal(latitude), "longitude": decimal(longitude)}
	}
	return p
}

// decimal writes a coordinate without an exponent.
func decimal(degrees float64) json.Number {
	return json.Number(strconv.FormatFloat(degrees, 'f', -1, 64))
}

// company returns the company that lists and pages show too.
func (j Job) company() string { return line(company.Of(j.Posting, j.Information)) }

// stamp returns a time in the format of schema.org, sitemaps and Atom, or "" for the
// zero time and for years that the format cannot hold.
func stamp(t time.Time) string {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// hasWords reports whether an advertisement has any words.
func hasWords(ad string) bool { return Excerpt(ad, 1) != "" }
