package boardcheck

import "strings"

// kind is the kind of a member's values by the interface.
type kind int

const (
	aText   kind = iota + 1 // any text
	aNumber                 // a counter
	anID                    // an integer, also quoted
	aDate                   // date of a posting
	aTime                   // the lookup's timestamp
	aLink
	aWord
	aDigit // a number as text
	aCode  // a UUID or a numeric text
	aDecimal
	aTruth
	aList
	aRecord
)

// named is a member that section 2 names.
type named struct {
	kind     kind
	optional bool // an empty value is allowed, also as null or absence
	words    []string
	open     bool // the interface allows further words
}

type table struct {
	at      string // path of the objects
	members map[string]named
}

var locationMembers = map[string]named{
	"geoLat": {kind: aDecimal, optional: true}, "geoLong": {kind: aDecimal, optional: true},
	"geoName": {kind: aText, optional: true}, "geoCountry": {kind: aText, optional: true},
	"geoState": {kind: aText, optional: true}, "geoCity": {kind: aText, optional: true},
	"geoZip": {kind: aText, optional: true}, "geoStreet": {kind: aText, optional: true},
}

var idLabelMembers = map[string]named{"id": {kind: aCode}, "label": {kind: aText}}

// tablesOf holds the tables of section 2 by operation. The items of a list, or of a key of a
// posting's config, have their kind at the path with brackets.
var tablesOf = map[string][]table{
	"search": {
		{"", map[string]named{
			"itemsPerPage": {kind: aNumber}, "numPages": {kind: aNumber}, "offset": {kind: aNumber},
			"actualPage": {kind: aNumber}, "firstPostingOnPage": {kind: aNumber},
			"lastPostingOnPage": {kind: aNumber}, "totalNumberOfJobs": {kind: aNumber}, "results": {kind: aList},
		}},
		{"results[]", map[string]named{
			"jobPostingId": {kind: anID}, "postingVersionId": {kind: anID}, "title": {kind: aText},
			"applyOnlineLink": {kind: aLink, optional: true}, "config": {kind: aRecord, optional: true},
			"jobStartDate": {kind: aDate}, "postingVersionStartDate": {kind: aDate}, "postingVersionEndDate": {kind: aDate},
		}},
		{"results[].config", configKeys()},
		{"results[].config.listingStartDate", map[string]named{"[]": {kind: aDigit}}},
		{"results[].config.platformvisibility", openWord("visible")},
		{"results[].config.sg_remote_status", openWord("FULLY_REMOTE")},
	},
	"lookup": {
		{"", map[string]named{
			"jobId": {kind: anID}, "jobTitle": {kind: aText}, "jobLanguage": {kind: aText, optional: true},
			"applyPossible": {kind: aTruth}, "dataSecurityLink": {kind: aLink, optional: true},
			"questions": {kind: aList, optional: true}, "nationalities": {kind: aList, optional: true},
			"timestamp": {kind: aTime}, "companyName": {kind: aText, optional: true},
			"companyId": {kind: aCode, optional: true}, "location": {kind: aRecord, optional: true},
			"additionalLocations": {kind: aList, optional: true},
		}},
		{"questions[]", map[string]named{
			"id": {kind: aDigit}, "type": {kind: aWord, words: []string{"YESNO", "TEXT", "TEXTAREA", "CATALOG"}},
			"label": {kind: aText}, "answers": {kind: aList, optional: true},
		}},
		{"questions[].answers[]", idLabelMembers},
		{"nationalities[]", idLabelMembers},
		{"location", locationMembers},
		{"additionalLocations[]", locationMembers},
	},
}

// openWord describes a list of texts, each the given word or a further one.
func openWord(word string) map[string]named {
	return map[string]named{"[]": {kind: aWord, words: []string{word}, open: true}}
}

func configKeys() map[string]named {
	out := map[string]named{}
	for _, key := range []string{
		"ProjectLocation", "location", "ProjectLocationGerman", "ProjectNumber", "audience", "platformvisibility",
		"listingStartDate", "internalPostingName", "platform_internalAdText", "jobcategory", "ProjectCompanyNameGerman",
		"sg_remote_status",
	} {
		out[key] = named{kind: aList, optional: true}
	}
	return out
}

const configPath = "results[].config"

// openKeys reports whether a path is a key of a posting's config, or below such
// a key.
func openKeys(path string) bool { return strings.HasPrefix(path, configPath+".") }

// named returns the interface's description of a path, or nil for a path that
// it does not name.
func (s *Shape) named(path string) *named {
	for _, t := range s.tables {
		rest, ok := strings.CutPrefix(path, t.at)
		switch {
		case !ok:
			continue
		case rest == "" && path != "" && strings.HasSuffix(path, "[]"):
			return &named{kind: aRecord}
		case t.at != "" && !strings.HasPrefix(rest, ".") && rest != "[]":
			continue
		}
		if m, ok := t.members[strings.TrimPrefix(rest, ".")]; ok {
			return &m
		}
	}
	// Items of the lists that the interface names: objects of a table, or a key's texts.
	if list, ok := strings.CutSuffix(path, "[]"); ok && list != "" && !strings.HasSuffix(list, "[]") {
		if m := s.named(list); m != nil && m.kind == aList {
			return &named{kind: aText}
		}
	}
	return nil
}
