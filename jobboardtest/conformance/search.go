package conformance

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

var searchRules = []rule{
	says("search/answers", "4.1, 9", "a search of a channel is answered with 200 and a JSON object", searchAnswers),
	says("search/page-fields", "2.1", "JobSearchResult has its fields, with their types", ofSearch(pageFields)),
	says("search/page-counts", "2.1", "the counters of a page fit each other and its results", ofSearch(pageCounts)),
	says("search/posting-fields", "2.2", "JobPosting has its fields, with their types", ofPostings(postingFields)),
	says("search/posting-ids", "2.2", "jobPostingId identifies a posting: none is there twice", ofPostings(postingIDs)),
	says("search/timestamps", "2.2",
		"the dates of a posting are milliseconds since the epoch", ofPostings(postingTimestamps)),
	says("search/config", "2.3", "config maps keys to arrays of strings", ofPostings(postingConfig)),
	says("search/empty-parameters", "4.1", "empty parameters mean the same as none", ofSearch(emptyParameters)),
	says("search/text", "4.1", "the parameter search narrows the results down to its text", ofSearch(searchText)),
	says("search/radius", "4.1", "the parameter geoLocation narrows the results down to its circle", ofSearch(searchRadius)),
	says("search/unlocated", "4.1", "a posting without geolocation never matches a circle", ofSearch(searchUnlocated)),
	says("search/additional-locations", "4.1",
		"with geoLocation, additional job locations are considered", ofSearch(searchAdditional)),
	says("search/text-and-radius", "4.1", "search and geoLocation hold together", ofSearch(searchBoth)),
	says("search/escaped", "4.1", "geoLocation means the same with its colons escaped", ofSearch(searchEscaped)),
	says("search/language", "4.1", "results are localized to Accept-Language", ofSearch(searchLanguage)),
	says("search/unknown-channel", "4.1", "a search gives the postings of its channel: an unknown one has none", ofSearch(unknownChannel)),
	says("search/failure", "4.1, 7.1", "an error while processing is answered with 500", ofSearch(searchFailure)),
}

// query is a search; empty parameters are not sent.
type query struct {
	channel  string // empty: the target's
	rawQuery string
	language string
	auth     string
}

// with returns the search for a text near a place; both may be empty.
func with(text, near string) query {
	v := url.Values{}
	if text != "" {
		v.Set("search", text)
	}
	if near != "" {
		v.Set("geoLocation", near)
	}
	return query{rawQuery: v.Encode()}
}

func (p *probe) searchRequest(q query) request {
	if q.channel == "" {
		q.channel = p.Channel
	}
	u := p.BaseURL + "/api/rest/v2/frontend/jobboards/" + escape(q.channel) + "/jobs"
	if q.rawQuery != "" {
		u += "?" + q.rawQuery
	}
	return request{url: u, auth: q.auth, language: q.language, json: true, line: q.line()}
}

// line returns the request's line for Result.Requests: the names of its parameters, without
// their values.
func (q query) line() string {
	channel := "{channelID}"
	if q.channel == noSuch {
		channel = "{made-up channel}"
	}
	line := "GET {base_url}/api/rest/v2/frontend/jobboards/" + channel + "/jobs"
	and := "?"
	for _, name := range []string{"search", "geoLocation"} {
		if strings.Contains("&"+q.rawQuery, "&"+name+"=") {
			line += and + name
			and = "&"
		}
	}
	if q.language != "" {
		line += " with Accept-Language"
	}
	return line
}

// plainSearch is the search without parameters, with the first of the target's
// credentials that the service accepts.
type plainSearch struct {
	auth string
	page page
	bad  string // why the answer is no page
}

func (p *probe) searchCredentials() []string {
	var out []string
	if p.ClientToken != "" {
		out = append(out, p.authorization(clientToken))
	}
	if p.ClientID != "" {
		out = append(out, p.authorization(basicClient))
	}
	if p.ApplicantToken != "" {
		out = append(out, p.authorization(userToken))
	}
	return out
}

// fetchPlain makes the plain search once per session. It returns nil if the
// target lacks fields for it.
func (p *probe) fetchPlain() *plainSearch {
	creds := p.searchCredentials()
	if p.lacks("BaseURL", "Channel") || p.without(len(creds) == 0, "ClientToken, ClientID or ApplicantToken") {
		return nil
	}
	if p.plain != nil {
		p.uses(query{}.line())
		return p.plain
	}
	for _, auth := range creds {
		s := &plainSearch{auth: auth}
		if rs, err := p.try(p.searchRequest(query{auth: auth})); err != nil {
			s.bad = err.Error()
		} else {
			s.page, s.bad = readPage(rs)
		}
		if p.plain == nil || s.bad == "" {
			p.plain = s
		}
		if s.bad == "" {
			break
		}
	}
	return p.plain
}

// needPlain returns the plain search for a rule that builds on it. It reports false if the
// rule is skipped.
func (p *probe) needPlain() (*plainSearch, bool) {
	s := p.fetchPlain()
	if s == nil {
		return nil, false
	}
	if s.bad != "" {
		p.unless("search/answers")
		return nil, false
	}
	return s, true
}

// ofSearch returns a check that needs the plain search.
func ofSearch(check func(*probe, *plainSearch)) func(*probe) {
	return func(p *probe) {
		if s, ok := p.needPlain(); ok {
			check(p, s)
		}
	}
}

// find searches with the credential of the plain search, which the service
// accepts.
func (p *probe) find(q query) (page, bool) {
	q.auth = p.plain.auth
	rs, ok := p.send(p.searchRequest(q))
	if !ok {
		return page{}, false
	}
	pg, bad := readPage(rs)
	if bad != "" {
		p.errorf("the search with %q: %s", q.rawQuery, bad)
		return page{}, false
	}
	return pg, true
}

// page is a JobSearchResult (section 2.1).
type page struct {
	fields   object
	postings []object
}

func readPage(rs response) (pg page, bad string) {
	if rs.status != http.StatusOK {
		return pg, fmt.Sprintf("it is answered with %s, not 200", rs)
	}
	v, err := parse(rs.body)
	if err != nil {
		return pg, fmt.Sprintf("the body is no JSON (%s): %s", err.Error(), rs)
	}
	o, ok := v.(object)
	if !ok {
		return pg, fmt.Sprintf("the body is no JSON object: %s", rs)
	}
	return page{o, list(o["results"])}, ""
}

// count returns how many postings are found: those that are listed, or where they fill the page, or
// cannot be read, totalNumberOfJobs.
func (pg page) count() int {
	have := len(pg.postings)
	listed, _ := pg.fields["results"].([]any)
	size, sized := number(pg.fields["itemsPerPage"])
	total, ok := number(pg.fields["totalNumberOfJobs"])
	if ok && (!sized || have >= int(size) || listed == nil || len(listed) > have) {
		return max(int(total), have)
	}
	return have
}

// narrows reports whether a search lists fewer postings than another, or others, or finds fewer.
func (pg page) narrows(all page) bool {
	if len(pg.postings) != len(all.postings) || pg.count() < all.count() {
		return len(pg.postings) < len(all.postings) || pg.count() < all.count()
	}
	listed := map[string]bool{}
	for _, o := range all.postings {
		listed[describe(o["jobPostingId"])] = true
	}
	return slices.ContainsFunc(pg.postings, func(o object) bool { return !listed[describe(o["jobPostingId"])] })
}

// complete reports whether all hits are on the page.
func (pg page) complete() bool { return pg.count() <= len(pg.postings) }

func (pg page) has(posting int64) bool { return pg.posting(posting) != nil }

// readable reports whether the postings have identifiers.
func (pg page) readable() bool {
	_, ok := number(pg.postings[0]["jobPostingId"])
	return ok
}

func (pg page) posting(id int64) object {
	for _, o := range pg.postings {
		if n, ok := number(o["jobPostingId"]); ok && n == id {
			return o
		}
	}
	return nil
}

func searchAnswers(p *probe) {
	if s := p.fetchPlain(); s != nil && s.bad != "" {
		p.errorf("%s", s.bad)
	}
}

func pageFields(p *probe, s *plainSearch) {
	var table []field
	for _, name := range pageCounters {
		table = append(table, field{name, integer})
	}
	p.fields("JobSearchResult", []object{s.page.fields}, append(table, field{"results", objects}))
}

var pageCounters = []string{
	"itemsPerPage", "numPages", "offset", "actualPage", "firstPostingOnPage", "lastPostingOnPage", "totalNumberOfJobs",
}

func pageCounts(p *probe, s *plainSearch) {
	p.checkCounters(s.page)
	// Some boards return the channel's total for a search.
	for _, q := range []query{with(p.SearchText, ""), with("", p.Near)} {
		if q.rawQuery == "" || p.result.Failed() || p.result.Skipped != "" {
			continue
		}
		q.auth = s.auth
		rs, err := p.try(p.searchRequest(q))
		if pg, bad := readPage(rs); err == nil && bad == "" { // else the rules about what is found tell
			p.checkCounters(pg)
		}
	}
}

func (p *probe) checkCounters(pg page) {
	n := map[string]int{}
	for _, name := range pageCounters {
		v, ok := number(pg.fields[name])
		if !ok {
			p.unless("search/page-fields")
			return
		}
		if n[name] = int(v); v < 0 {
			p.errorf("%s is %d, below 0", name, v)
		}
	}
	have := len(pg.postings)
	p.checkPageSize(have, n["itemsPerPage"], n["numPages"], n["totalNumberOfJobs"])
	first, last := n["firstPostingOnPage"], n["lastPostingOnPage"]
	if have > 0 && last-first+1 != have {
		p.errorf("firstPostingOnPage is %d and lastPostingOnPage %d, and %d postings are in results", first, last, have)
	}
	page, pages := n["actualPage"], n["numPages"]
	switch {
	case n["offset"] == 0 && page != 0:
		p.errorf("actualPage is %d, which begins at zero, and offset is 0", page)
	case page >= max(pages, 1):
		p.errorf("actualPage is %d, which begins at zero, of %d pages", page, pages)
	}
	if page == 0 && have < min(n["itemsPerPage"], n["totalNumberOfJobs"]) {
		p.errorf("%d postings are in results of the first page, with %d on a page and %d in all",
			have, n["itemsPerPage"], n["totalNumberOfJobs"])
	}
}

// checkPageSize compares the number of postings on the page with itemsPerPage,
// numPages and totalNumberOfJobs.
func (p *probe) checkPageSize(have, perPage, pages, total int) {
	if have > total {
		p.errorf("totalNumberOfJobs is %d, and %d postings are in results", total, have)
	}
	if have > perPage {
		p.errorf("itemsPerPage is %d, and %d postings are in results", perPage, have)
	}
	if perPage > 0 && pages != (total+perPage-1)/perPage && (total != 0 || pages != 1) { // one empty page is allowed
		p.errorf("numPages is %d, with %d postings and %d on a page", pages, total, perPage)
	}
	if have < total && pages <= 1 {
		p.errorf("%d of %d postings are in results, and numPages is %d", have, total, pages)
	}
}

// ofPostings returns a check of the channel's postings.
func ofPostings(check func(*probe, []object)) func(*probe) {
	return ofSearch(func(p *probe, s *plainSearch) {
		if len(s.page.postings) > 0 {
			check(p, s.page.postings)
		} else {
			p.skip("the channel of the target has no postings, or results is not what search/page-fields wants")
		}
	})
}

var present kind = func(any) string { return "" } // another rule judges the value

func postingFields(p *probe, postings []object) {
	p.fields("JobPosting", postings, []field{
		{"jobPostingId", integer},
		{"postingVersionId", integer},
		{"title", text},
		{"applyOnlineLink", link},
		{"config", present},
		{"jobStartDate", present},
		{"postingVersionStartDate", present},
		{"postingVersionEndDate", present},
	})
}

func postingIDs(p *probe, postings []object) {
	seen := map[int64]bool{}
	for _, o := range postings {
		id, ok := number(o["jobPostingId"])
		if !ok {
			p.unless("search/posting-fields")
			return
		}
		if seen[id] {
			p.errorf("jobPostingId %d is there more than once", id)
		}
		seen[id] = true
	}
}

// A date below earliest (1973) or above latest (5138), in milliseconds, was
// probably sent in another unit.
const earliest, latest = 100_000_000_000, 100_000_000_000_000

func postingTimestamps(p *probe, postings []object) {
	for _, o := range postings {
		for _, name := range []string{"jobStartDate", "postingVersionStartDate", "postingVersionEndDate"} {
			v, there := o[name]
			if !there {
				continue
			}
			n, _ := number(v)
			switch {
			case integer(v) != "":
				p.errorf("%s is %s, not a number of milliseconds", name, describe(v))
			case n != 0 && (max(n, -n) < earliest || max(n, -n) > latest):
				p.errorf("%s is %d, which is no likely number of milliseconds since the epoch", name, n)
			}
		}
	}
}

func postingConfig(p *probe, postings []object) {
	for _, o := range postings {
		config, ok := o["config"].(object)
		if _, there := o["config"]; there && !ok {
			p.errorf("config is %s, not an object", describe(o["config"]))
		}
		for _, key := range slices.Sorted(maps.Keys(config)) {
			value := config[key]
			values, ok := value.([]any)
			if !ok {
				p.errorf("config: the value of %q is %s, not an array", key, describe(value))
			}
			for _, e := range values {
				s, ok := e.(string)
				if !ok {
					p.errorf("config: %q holds %s, which is not a string", key, describe(e))
				} else if key == "listingStartDate" && !numericForm.MatchString(s) {
					p.errorf("config: listingStartDate holds %q, not epoch milliseconds as a string", s)
				}
			}
		}
	}
}

// same checks that two searches find the same number of postings. On a
// difference it repeats the first search, because the board may have changed
// between the two.
func (p *probe) same(q query, as query) {
	got, ok := p.find(q)
	if !ok {
		return
	}
	want, ok := p.find(as)
	if !ok || got.count() == want.count() {
		return
	}
	if got, ok = p.find(q); ok && got.count() != want.count() {
		p.errorf("with %q there are %d postings, and with %q there are %d",
			q.rawQuery, got.count(), as.rawQuery, want.count())
	}
}

func emptyParameters(p *probe, _ *plainSearch) {
	for _, raw := range []string{"search=", "geoLocation=", "search=&geoLocation="} {
		p.same(query{rawQuery: raw}, query{})
	}
}

func searchText(p *probe, all *plainSearch) {
	if p.lacks("SearchText") {
		return
	}
	got, ok := p.find(with(p.SearchText, ""))
	switch n, total := got.count(), all.page.count(); {
	case !ok:
	case n == 0:
		p.errorf("nothing is found for %q, which is in some postings", p.SearchText)
	case !got.narrows(all.page):
		p.errorf("%d of %d postings are found for %q, though some do not contain it", n, total, p.SearchText)
	}
}

const (
	halfTheEarth = "20100"                        // kilometers: the longest distance between two places
	nowhere      = "-48.876667::-123.393333::100" // the point in the ocean farthest from land
)

func searchRadius(p *probe, all *plainSearch) {
	if got, ok := p.find(with("", nowhere)); ok && got.count() > 0 {
		p.errorf("%d of %d postings are found at %s, in the middle of an ocean", got.count(), all.page.count(), nowhere)
	}
	if p.Near == "" {
		return
	}
	got, ok := p.find(with("", p.Near))
	if !ok {
		return
	}
	n, total := got.count(), all.page.count()
	if n == 0 {
		p.errorf("nothing is found at %s, where some postings are", p.Near)
	}
	if !got.narrows(all.page) {
		p.errorf("%d of %d postings are found at %s, though some lie elsewhere", n, total, p.Near)
	}
	latitude, longitude, _ := splitGeo(p.Near)
	whole := latitude + "::" + longitude + "::" + halfTheEarth
	if wide, ok := p.find(with("", whole)); ok && !got.narrows(wide) {
		p.errorf("%d postings are found at %s, and not more, but %d, with a distance around the earth", n, p.Near, wide.count())
	}
}

func searchUnlocated(p *probe, all *plainSearch) {
	if p.lacks("UnlocatedPosting") {
		return
	}
	if !all.page.has(p.UnlocatedPosting) {
		if all.page.complete() {
			p.skip("the target's UnlocatedPosting %d is not in the channel", p.UnlocatedPosting)
		} else {
			p.skip("the target's UnlocatedPosting %d is not on the first page, and there is no parameter for another", p.UnlocatedPosting)
		}
		return
	}
	if got, ok := p.find(with("", "0::0::"+halfTheEarth)); ok && got.has(p.UnlocatedPosting) {
		p.errorf("the posting %d has no geolocation, and a circle around the earth finds it", p.UnlocatedPosting)
	}
}

func searchAdditional(p *probe, _ *plainSearch) {
	if p.without(p.AdditionalNear == "" || p.AdditionalPosting == 0, "AdditionalNear and AdditionalPosting") {
		return
	}
	got, ok := p.find(with("", p.AdditionalNear))
	switch {
	case !ok || got.has(p.AdditionalPosting):
	case len(got.postings) > 0 && !got.readable():
		p.unless("search/posting-fields")
	case !got.complete():
		p.skip("the target's AdditionalPosting %d is not on the first page, and there is no parameter for another", p.AdditionalPosting)
	default:
		p.errorf("the posting %d is not found at %s, where an additional location of it is", p.AdditionalPosting, p.AdditionalNear)
	}
}

func searchBoth(p *probe, _ *plainSearch) {
	if p.without(p.SearchText == "" || p.Near == "", "SearchText and Near") {
		return
	}
	byText, ok1 := p.find(with(p.SearchText, ""))
	near, ok2 := p.find(with("", p.Near))
	both, _ := p.find(with(p.SearchText, p.Near)) // a failed search counts as no hits
	if ok1 && ok2 && both.count() > min(byText.count(), near.count()) {
		p.errorf("%d postings are found for %q, %d at %s, and %d for both together", byText.count(), p.SearchText, near.count(), p.Near, both.count())
	}
	nothing, _ := p.find(with(p.SearchText, nowhere))
	if ok1 && nothing.count() >= max(byText.count(), 1) {
		p.errorf("%d postings are found for %q, and as many in the middle of an ocean", byText.count(), p.SearchText)
	}
}

func searchEscaped(p *probe, _ *plainSearch) {
	geo := p.Near
	if geo == "" {
		geo = nowhere
	}
	p.same(query{rawQuery: "geoLocation=" + geo}, with("", geo))
}

func searchLanguage(p *probe, _ *plainSearch) {
	if p.without(len(p.Languages) == 0, "Languages") {
		return
	}
	one, _ := p.find(query{language: p.Languages[0]}) // a failed search breaks the rule in find
	other, _ := p.find(query{language: p.Languages[1]})
	compared := 0
	for _, o := range one.postings {
		id, _ := number(o["jobPostingId"])
		twin := other.posting(id)
		if twin == nil {
			continue
		}
		compared++
		if !reflect.DeepEqual(o["title"], twin["title"]) || !reflect.DeepEqual(o["config"], twin["config"]) {
			return
		}
	}
	if compared == 0 {
		p.skip("no posting came in both languages of the target")
		return
	}
	p.errorf("%d postings are the same, title and config, for %s and for %s", compared, p.Languages[0], p.Languages[1])
}

// noSuch is an identifier that no service uses.
const noSuch = "conformance-no-such-thing-7f0d2c"

func unknownChannel(p *probe, s *plainSearch) {
	rs, _ := p.send(p.searchRequest(query{channel: noSuch, auth: s.auth}))
	pg, _ := readPage(rs) // an error has no postings
	if n := max(pg.count(), len(pg.postings)); n > 0 {
		p.errorf("the channel %q, which nobody has, has %d postings", noSuch, n)
	}
}

func searchFailure(p *probe, s *plainSearch) {
	if p.lacks("FailingChannel") {
		return
	}
	rs, ok := p.send(p.searchRequest(query{channel: p.FailingChannel, auth: s.auth}))
	if ok && rs.status != http.StatusInternalServerError {
		p.errorf("the search of channel %q, which fails, is answered with %s, not 500", p.FailingChannel, rs)
	}
}
