package boardcheck_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/boardcheck"
)

// ownBoard is a board written from the interface's document alone, with no code of the mock server:
// 60 jobs in two cities, in English and German. Its fields change how the board answers, in the
// ways in which the ten boards differ.
type ownBoard struct {
	extra         bool // the lookup has a member more
	renamed       bool // a counter of a page has another name
	wordy         bool // the applied check answers with words
	codeStatus    int  // of the codes of section 7.3
	channelStatus int  // of an unknown channel
	noMillis      bool // in the lookup's timestamp
	numericIDs    bool // of nationalities
	goneStatus    int  // of a deactivated posting
	quoted        bool // the application identifier
	plainConfig   bool // config has texts, not lists
	nullEnd       bool // the end of a posting
	pageSize      int
	relative      bool // links
	otherCode     string
	problem       bool // coded errors are problem+json
	everywhere    bool // geoLocation is not looked at
	oneLanguage   bool // nor is Accept-Language
	objectID      bool // the application identifier is a member
	jsonMessage   bool // plain messages are JSON objects
	noLocation    bool // the lookup
	textTrue      bool // applyPossible is a text
	upper         bool // jobLanguage
	noTotal       bool
	seconds       bool // dates
	notPossible   bool // applyPossible is missing
	noKey         bool // of config
	day           int  // other postings are away each day
}

const ownToken = "of-the-applicant"

func (b ownBoard) RoundTrip(r *http.Request) (*http.Response, error) {
	p := r.URL.Path
	switch {
	case strings.HasSuffix(p, "/jobs") && strings.Contains(p, "/v2/frontend/jobboards/"):
		return b.search(r, strings.Split(p, "/")[6])
	case strings.Contains(p, "/v3/frontend/jobs/"):
		parts := strings.Split(p, "/")
		id, _ := strconv.Atoi(parts[6])
		return b.ofApplicant(r, id, parts[7])
	case strings.HasSuffix(p, "/jobdb/public/apply/external"):
		id, _ := strconv.Atoi(r.URL.Query().Get("jobid"))
		return b.lookup(id)
	}
	return answered(404, "text/plain", "nothing here"), nil
}

func answered(status int, typ string, body any) *http.Response {
	text, ok := body.(string)
	if !ok {
		data, _ := json.Marshal(body)
		text = string(data)
	}
	return reply(status, http.Header{"Content-Type": {typ}}, strings.NewReader(text))
}

// The jobs are 5001 to 5060; 5007 is deactivated, 5009 internal.
func german(n int) bool { return n%3 == 0 }

func (b ownBoard) posting(n int, language string) object {
	title := []string{"Accountant", "Welder", "Teacher of music"}[n%3]
	if german(n) && language == "de" && !b.oneLanguage {
		title = []string{"Buchhalterin", "Schweisser", "Musiklehrer"}[n%3]
	}
	unit := int64(1000) // an int has 32 bits on some machines
	if b.seconds {
		unit = 1
	}
	link := fmt.Sprintf("https://board.example/job/%d/a?jobDbPVId=%d", n, n*10)
	if b.relative {
		link = fmt.Sprintf("../job/%d/a", n)
	}
	config := object{"location": []string{"7"}, "platformvisibility": []string{"visible"}, "listingStartDate": []string{"1760000000000"}}
	if n%2 == 0 {
		config["jobcategory"] = []string{"3001"}
	}
	if b.noKey {
		delete(config, "jobcategory")
	}
	if b.plainConfig {
		for k, v := range config {
			config[k] = v.([]string)[0]
		}
	}
	out := object{
		"jobPostingId": n + 1000, "postingVersionId": n * 10, "title": title, "applyOnlineLink": link, "config": config,
		"jobStartDate": 1760000000 * unit, "postingVersionStartDate": 1750000000 * unit, "postingVersionEndDate": 1790000000 * unit,
	}
	if b.nullEnd {
		out["postingVersionEndDate"] = nil
	}
	return out
}

func (b ownBoard) search(r *http.Request, channel string) (*http.Response, error) {
	if user, _, ok := r.BasicAuth(); !(ok && user == "10") && r.Header.Get("Authorization") != "Bearer "+ownToken {
		return answered(401, "text/plain", ""), nil
	}
	q := r.URL.Query()
	if channel != "main" && b.channelStatus != 0 {
		return answered(b.channelStatus, "text/plain", "no such channel"), nil
	}
	var hits []any
	for n := 5001; n <= 5060 && channel == "main"; n++ {
		p := b.posting(n, r.Header.Get("Accept-Language"))
		if n != 5009 && (b.day == 0 || n%17 != b.day) && strings.Contains(strings.ToLower(fmt.Sprint(p["title"])), strings.ToLower(q.Get("search"))) && b.within(n, q) {
			hits = append(hits, p)
		}
	}
	total, size := len(hits), b.pageSize
	if size == 0 {
		size = max(100, total)
	}
	page := append([]any{}, hits[:min(size, total)]...)
	o := object{
		"itemsPerPage": size, "numPages": (total + size - 1) / size, "offset": 0, "actualPage": 0,
		"firstPostingOnPage": min(1, total), "lastPostingOnPage": len(page), "totalNumberOfJobs": total, "results": page,
	}
	if b.renamed {
		o["start"] = 0
		delete(o, "offset")
	}
	if b.noTotal {
		o["totalNumberOfJobs"] = nil
	}
	return answered(200, "application/json;charset=UTF-8", o), nil
}

// within looks at the circle: even jobs are in Berlin, odd ones in Munich.
func (b ownBoard) within(n int, q url.Values) bool {
	parts := strings.Split(q.Get("geoLocation"), "::")
	if len(parts) != 3 || b.everywhere {
		return true
	}
	lat, _ := strconv.ParseFloat(parts[0], 64)
	km, _ := strconv.ParseFloat(parts[2], 64)
	at := 52.52
	if n%2 == 1 {
		at = 48.14
	}
	return max(at-lat, lat-at)*111 <= km
}

func (b ownBoard) message(status int, text string) *http.Response {
	if b.jsonMessage {
		return answered(status, "application/json", object{"error": text})
	}
	return answered(status, "text/plain", text)
}

func (b ownBoard) coded(code, message string) *http.Response {
	typ := "application/json"
	if b.problem {
		typ = "application/problem+json"
	}
	if b.otherCode != "" {
		code = b.otherCode
	}
	return answered(404, typ, object{"code": code, "message": message})
}

func (b ownBoard) ofApplicant(r *http.Request, id int, what string) (*http.Response, error) {
	applied := id%5 == 0
	switch {
	case r.Header.Get("Authorization") != "Bearer "+ownToken:
		return answered(401, "text/plain", ""), nil
	case id < 5001 || id > 5060:
		return b.coded("get_project_error", fmt.Sprintf("Project %d is not available", id)), nil
	case id == 5007:
		return b.message(cmp.Or(b.goneStatus, 410), fmt.Sprintf("job posting inactive for job id %d", id)), nil
	case id == 5009:
		return b.message(403, fmt.Sprintf("job posting not accessible for job id %d", id)), nil
	case what == "applied" && b.wordy:
		return answered(200, "application/json", map[bool]any{true: "yes", false: "no"}[applied]), nil
	case what == "applied":
		return answered(200, "application/json", applied), nil
	case !applied:
		return b.coded("get_application_error", "There is no application"), nil
	case b.quoted:
		return answered(200, "application/json", []byte(nil)), nil
	case b.objectID:
		return answered(200, "application/json", object{"id": fmt.Sprintf("app-%d", id)}), nil
	}
	return answered(200, "text/plain", fmt.Sprintf("app-%d", id)), nil
}

func (b ownBoard) lookup(id int) (*http.Response, error) {
	code := ""
	if id < 5001 || id > 5060 {
		code = "ERROR_JOB_UNAVAILABLE"
	} else if id == 5007 {
		code = "ERROR_JOB_INACTIVE"
	}
	if code != "" {
		status := b.codeStatus
		if status == 0 {
			status = 404
		}
		return answered(status, "application/json", object{"error": code}), nil
	}
	lat, long, city := "52.52", "13.40", "Berlin"
	if id%2 == 1 {
		lat, long, city = "48.14", "11.58", "Munich"
	}
	place := object{
		"geoLat": lat, "geoLong": long, "geoName": city + ", Germany", "geoCountry": "Germany", "geoState": "", "geoCity": city,
		"geoZip": "", "geoStreet": "",
	}
	nationality := object{"id": "2800137", "label": "German"}
	if b.numericIDs {
		nationality["id"] = 2800137
	}
	o := object{
		"jobId": id, "jobTitle": b.posting(id, "en")["title"], "jobLanguage": "en", "applyPossible": id%7 != 1,
		"dataSecurityLink": "https://board.example/privacy", "nationalities": []any{nationality},
		"questions": []any{
			object{"id": "8", "type": "YESNO", "label": "Licence?", "answers": []any{object{"id": "2900101", "label": "yes"}, object{"id": "2900100", "label": "no"}}},
			object{"id": "9", "type": "TEXT", "label": "Why?"},
		},
		"timestamp": "2026-02-03T10:11:12.131Z", "companyName": "Example", "companyId": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"location": place, "additionalLocations": []any{},
	}
	if b.noMillis {
		o["timestamp"] = "2026-02-03T10:11:12"
	}
	if b.notPossible {
		delete(o, "applyPossible")
	}
	if b.extra {
		o["salary"] = object{"from": 1, "to": 2}
	}
	if b.noLocation {
		delete(o, "location")
	}
	if b.textTrue {
		o["applyPossible"] = fmt.Sprint(o["applyPossible"])
	}
	if b.upper {
		o["jobLanguage"] = nil
	}
	return answered(200, "application/json;charset=UTF-8", o), nil
}

// difference is a change made to a board: what the check tells of it, or notes, as a pattern of its line.
type difference struct {
	what string
	told string
	note bool
}

// Ten boards that were written from the interface's document, each with quiet days, on which other postings are away, and
// one to three differences: nothing is told of the quiet days, each difference is, and nothing is invented.
func TestTenBoards(t *testing.T) {
	for i, board := range []struct {
		was, is     ownBoard
		differences []difference
	}{
		{is: ownBoard{extra: true, renamed: true}, differences: []difference{
			{what: "a member of the lookup", told: `^job information salary: the member was never seen`, note: true},
			{what: "a counter has another name", told: `^search offset: it is missing`},
			{what: "and the name", told: `^search start: the member`, note: true},
		}},
		{is: ownBoard{wordy: true}, differences: []difference{
			{what: "the applied check answers with words", told: `^applied check: ErrDecode`},
		}},
		{is: ownBoard{codeStatus: 200, channelStatus: 404}, differences: []difference{
			{what: "codes come with 200", told: `^job information.*: ErrJob(Inactive|Unavailable) came with 200`},
			{what: "an unknown channel is an error", told: `^search of an unknown channel: error without a condition, status 404`},
		}},
		{is: ownBoard{noMillis: true, numericIDs: true}, differences: []difference{
			{what: "the timestamp is of another form", told: `^job information timestamp: it is time without a zone`},
			{what: "identifiers of nationalities are numbers", told: `^job information nationalities\[\].id: it is number`},
		}},
		{was: ownBoard{codeStatus: 400}, is: ownBoard{codeStatus: 400, goneStatus: 409}, differences: []difference{
			{what: "a deactivated posting is 409", told: `^(applied check|application identifier): error without a condition, status 409`},
		}},
		{is: ownBoard{plainConfig: true, nullEnd: true}, differences: []difference{
			{what: "config has texts", told: `^search results\[\].config.\w+: it is (text|number in quotes) in .* and was list`},
			{what: "the end is null", told: `^search results\[\].postingVersionEndDate: it is missing or null`},
		}},
		{is: ownBoard{relative: true, noKey: true}, differences: []difference{
			{what: "links are relative", told: `^search results\[\].applyOnlineLink: it is relative link`},
			{what: "a key is gone", told: `^search results\[\].config.jobcategory: it is in none of`},
		}},
		{is: ownBoard{otherCode: "project_error"}, differences: []difference{
			{what: "a code has another name", told: `^(application identifier|applied check of an unknown job): error without a condition, status 404`},
		}},
		{is: ownBoard{everywhere: true, oneLanguage: true, seconds: true}, differences: []difference{
			{what: "geoLocation is not looked at", told: `^search in a circle: the circle does not change the result`},
			{what: "Accept-Language is not looked at", told: `^search: none of \d+ postings differs by language`},
			{what: "dates are seconds", told: `Date: it is seconds in`},
		}},
		{is: ownBoard{problem: true, objectID: true, notPossible: true}, differences: []difference{
			{what: "coded errors are problems", told: `Err(ApplicationNotFound|ProjectNotAvailable) came with 404 application/problem\+json`},
			{what: "the application identifier is a member", told: `^application identifier: ErrDecode`},
			{what: "applyPossible is missing", told: `^job information: ErrDecode of applyPossible`},
		}},
	} {
		var wrong []string // synctest.Test ends this test where its own fails
		synctest.Test(t, func(t *testing.T) {
			known := &boardcheck.Profile{}
			run := func(b ownBoard, day int) *boardcheck.Report {
				b.day = day
				r := check(t, boardcheck.Board{
					Config: jobboard.Config{
						BaseURL: "https://board.example", JobDBURL: "https://jobdb.example", ClientID: "10", HTTPClient: &http.Client{Transport: b},
					},
					Channels: []jobboard.ChannelID{"main"}, Languages: []string{"en", "de"}, Applicant: jobboard.StaticToken(ownToken),
					Jobs: []jobboard.JobID{5007, 5009},
				})
				r.Since(known)
				if len(r.Unjudged) > 0 || r.Requests > boardcheck.MaxRequests {
					wrong = append(wrong, fmt.Sprintf("%d requests, no judgement: %s", r.Requests, lines(r.Unjudged)))
				}
				return r
			}
			for day := range 4 {
				if r := run(board.was, day); len(r.Changes)+len(r.Notes) > 0 {
					wrong = append(wrong, fmt.Sprintf("day %d was quiet: %s%s", day, lines(r.Changes), lines(r.Notes)))
				}
			}
			r := run(board.is, 4)
			seen := make([]bool, len(board.differences))
			for n, all := range [][]boardcheck.Finding{r.Changes, r.Notes} {
				for _, c := range all {
					of := slices.IndexFunc(board.differences, func(d difference) bool {
						return d.note == (n == 1) && regexp.MustCompile(d.told).MatchString(c.String())
					})
					if of < 0 {
						wrong = append(wrong, fmt.Sprintf("invented: %s", c))
						continue
					}
					seen[of] = true
				}
			}
			for n, d := range board.differences {
				if !seen[n] {
					wrong = append(wrong, fmt.Sprintf("missed: %s; told %s noted %s", d.what, lines(r.Changes), lines(r.Notes)))
				}
			}
		})
		for _, w := range wrong {
			t.Errorf("board %d: %s", i+1, w)
		}
	}
}
