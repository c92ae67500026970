package jobmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// kitchen publishes n postings, of the identifiers from 1, on a channel of their own.
func kitchen(srv *jobboardtest.Server, n int) {
	srv.AddChannel(jobboardtest.Channel{ID: "kitchen"})
	job := srv.AddJob(jobboardtest.Job{Title: "Cook"})
	for i := range n {
		srv.AddPosting(jobboardtest.Posting{
			ID: int64(i + 1), JobID: job.ID, Channels: []string{"kitchen"}, Title: "Cook",
			Config: map[string][]string{"platform_internalAdText": {"<p>0123456789</p>"}},
		})
	}
}

// Each argument does what its description says, up to its bounds.
func TestPagesOfASearch(t *testing.T) {
	srv := demo(t)
	kitchen(srv, 51)
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	for _, test := range []struct {
		arguments string
		first     string // the identifier of its first posting
		count     int
		next      float64 // 0: none
	}{
		{``, "1", 10, 10},
		{`,"limit":1`, "1", 1, 1},
		{`,"limit":49`, "1", 49, 49},
		{`,"limit":50`, "1", 50, 50},
		{`,"limit":50,"offset":0`, "1", 50, 50},
		{`,"limit":50,"offset":1`, "2", 50, 0},
		{`,"offset":10`, "11", 10, 20},
		{`,"offset":40`, "41", 10, 50},
		{`,"offset":41`, "42", 10, 0},
		{`,"offset":50`, "51", 1, 0},
		{`,"offset":51`, "", 0, 0},
		{`,"offset":1000000`, "", 0, 0},
		{`,"posting":"17"`, "17", 1, 0},
		{`,"posting":"17","offset":1`, "", 0, 0},
		{`,"posting":"52"`, "", 0, 0},
	} {
		var got struct {
			Total    int
			Next     float64 `json:"next_offset"`
			Postings []struct{ Posting string }
		}
		r := use(t, session, "search_jobs", `{"channel":"kitchen"`+test.arguments+`}`).want(t, false, `"channel":"kitchen"`)
		if err := json.Unmarshal([]byte(r.text), &got); err != nil {
			t.Fatal(err)
		}
		first := ""
		if len(got.Postings) > 0 {
			first = got.Postings[0].Posting
		}
		if got.Total != 51 || got.Next != test.next || len(got.Postings) != test.count || first != test.first {
			t.Errorf("%s: %d postings of %d from %q, next %g", test.arguments, len(got.Postings), got.Total, first, got.Next)
		}
		if strings.Contains(r.text, "incomplete") || strings.Contains(r.text, `"note"`) {
			t.Errorf("%s: %s", test.arguments, r.text)
		}
	}
	for arguments, why := range map[string]string{
		`{"limit":0}`:                        "limit must be a whole number from 1 to 50",
		`{"limit":51}`:                       "limit must be a whole number from 1 to 50",
		`{"offset":-1}`:                      "offset must be a whole number from 0 to 1000000",
		`{"offset":1000001}`:                 "offset must be a whole number from 0 to 1000000",
		`{"advertisement_characters":-1}`:    "advertisement_characters must be a whole number from 0 to 20000",
		`{"advertisement_characters":20001}`: "advertisement_characters must be a whole number from 0 to 20000",
		`{"posting":"12345678901234567890"}`: "posting must be an identifier: digits alone, at most 19",
	} {
		use(t, session, "search_jobs", arguments).want(t, true, why, "change the arguments: nothing was sent")
	}
}

// A service with pages gives fewer postings than it counts: the answer says so.
func TestSearchIsIncomplete(t *testing.T) {
	srv := demo(t)
	kitchen(srv, 5)
	session := connect(t, setting{}.server(t, srv))
	for size, incomplete := range map[int]bool{4: true, 5: false, 6: false} {
		srv.SetVariants(jobboardtest.Variants{PageSize: size})
		r := use(t, session, "search_jobs", `{"channel":"kitchen"}`).want(t, false, `"total":5`)
		if got := strings.Contains(r.text, `"incomplete":true`); got != incomplete || strings.Count(r.text, `"posting":`) != min(size, 5) {
			t.Errorf("a page of %d: %s", size, r.text)
		}
	}
}

// Postings that cannot be read are left out, and the answer says how many.
func TestSearchLeavesOutUnreadablePostings(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{}.server(t, srv))
	srv.Fail(jobboardtest.Fault{
		Operation: jobboardtest.OpSearch,
		Body:      `{"totalNumberOfJobs":3,"results":[{"jobPostingId":1,"title":"Nurse"},{"title":"s3cret"},{"jobPostingId":2,"title":null}]}`,
	})
	r := use(t, session, "search_jobs", `{}`).want(t, false, `"total":3`, `"incomplete":true`, "1 of the answer's postings could not be read", "Nurse")
	if strings.Count(r.text, `"posting":`) != 2 || strings.Contains(r.text, "s3cret") {
		t.Error(r.text)
	}
}

// Postings that not everybody may see are left out on every page, and the answer says why the total is
// larger.
func TestSearchLeavesOutHiddenPostings(t *testing.T) {
	srv := demo(t)
	kitchen(srv, 5)
	for i, visibility := range [][]string{{"internal"}, {"visible", "internal"}, {""}, {"visible"}} {
		srv.AddPosting(jobboardtest.Posting{
			ID: int64(91 + i), Channels: []string{"kitchen"}, Title: "Butler", Config: map[string][]string{jobboard.KeyVisibility: visibility},
		})
	}
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	var seen []string
	for _, page := range []string{``, `,"offset":4`, `,"posting":"91"`, `,"posting":"93"`} {
		r := use(t, session, "search_jobs", `{"channel":"kitchen","limit":4`+page+`}`).want(t, false, `"total":9`, "not everybody may see 2 of these postings")
		var got struct{ Postings []struct{ Posting string } }
		if err := json.Unmarshal([]byte(r.text), &got); err != nil {
			t.Fatal(err)
		}
		for _, p := range got.Postings {
			seen = append(seen, p.Posting)
		}
	}
	if got := strings.Join(seen, " "); got != "1 2 3 4 5 93 94 93" {
		t.Errorf("seen: %s", got)
	}
}

// As much of an advertisement is returned as was asked for, and what is cut is said.
func TestAsMuchAdvertisementAsAskedFor(t *testing.T) {
	srv := demo(t)
	kitchen(srv, 1)
	session := connect(t, setting{}.server(t, srv))
	for characters, want := range map[int]string{
		0:  "",
		1:  `"foreign_advertisement":"…","advertisement_cut":true`,
		9:  `"foreign_advertisement":"01234567…","advertisement_cut":true`,
		10: `"foreign_advertisement":"0123456789"}`,
		11: `"foreign_advertisement":"0123456789"}`,
	} {
		r := use(t, session, "search_jobs", fmt.Sprintf(`{"channel":"kitchen","advertisement_characters":%d}`, characters)).want(t, false, want)
		if strings.Contains(r.text, "foreign_advertisement") != (characters > 0) {
			t.Errorf("%d characters: %s", characters, r.text)
		}
	}
}

// An entry has every field that its posting fills, and no others.
func TestEntries(t *testing.T) {
	srv := demo(t)
	srv.AddChannel(jobboardtest.Channel{ID: "one"})
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	day := func(d int) time.Time { return time.Date(2027, time.March, d, 12, 0, 0, 0, time.UTC) }
	x := func(n int) string { return strings.Repeat("x", n) }
	link := func(n int) string {
		const begin = "https://jobs.example/job/77/"
		return begin + x(n-len(begin))
	}
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, "Town "+strconv.Itoa(i))
		}
		return list
	}
	quoted := func(list []string) string {
		body, _ := json.Marshal(list)
		return string(body)
	}
	config := func(key string, values ...string) map[string][]string { return map[string][]string{key: values} }
	for _, test := range []struct {
		name    string
		posting jobboardtest.Posting
		want    string // behind the identifier
	}{
		{"all", jobboardtest.Posting{
			Title: "Cook", ApplyURL: "https://jobs.example/job/77/cook", JobStart: day(3), VersionStart: day(1), VersionEnd: day(2),
			Config: map[string][]string{
				"ProjectCompanyNameGerman": {"Inn"}, "ProjectLocationGerman": {"Bonn", "Köln"}, "sg_remote_status": {"FULLY_REMOTE"},
			},
		}, `"job":"77","since":"2027-03-01","until":"2027-03-02","starts":"2027-03-03","remote":true,"foreign_title":"Cook",` +
			`"foreign_company":"Inn","foreign_locations":["Bonn","Köln"],"foreign_apply_link":"https://jobs.example/job/77/cook"`},
		{"little", jobboardtest.Posting{Title: "Cook", ApplyURL: "https://jobs.example/"}, `"foreign_title":"Cook","foreign_apply_link":"https://jobs.example/"`},
		{"no link to follow", jobboardtest.Posting{Title: "Cook", ApplyURL: "javascript:alert(1)"}, `"foreign_title":"Cook"`},
		{"partly remote", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("sg_remote_status", "PARTLY")}, `"foreign_title":"Cook"`},
		{"not a status", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("sg_remote_status", "a b")}, `"foreign_title":"Cook"`},
		{"title", jobboardtest.Posting{Title: x(200), ApplyURL: "x:"}, `"foreign_title":"` + x(200) + `"`},
		{"longer title", jobboardtest.Posting{Title: x(201), ApplyURL: "x:"}, `"foreign_title":"` + x(199) + `…"`},
		{"company", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("ProjectCompanyNameGerman", x(120))}, `"foreign_title":"Cook","foreign_company":"` + x(120) + `"`},
		{"longer company", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("ProjectCompanyNameGerman", x(121))}, `"foreign_title":"Cook","foreign_company":"` + x(119) + `…"`},
		{"location", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("ProjectLocationGerman", x(120))}, `"foreign_title":"Cook","foreign_locations":["` + x(120) + `"]`},
		{"longer location", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("ProjectLocationGerman", x(121))}, `"foreign_title":"Cook","foreign_locations":["` + x(119) + `…"]`},
		{"no location", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("ProjectLocationGerman", " ", "Bonn", "\u200b")}, `"foreign_title":"Cook","foreign_locations":["Bonn"]`},
		{"ten locations", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("ProjectLocationGerman", names(10)...)}, `"foreign_title":"Cook","foreign_locations":` + quoted(names(10))},
		{"eleven locations", jobboardtest.Posting{Title: "Cook", ApplyURL: "x:", Config: config("ProjectLocationGerman", names(11)...)}, `"foreign_title":"Cook","foreign_locations":` + quoted(names(10))},
		{"link", jobboardtest.Posting{Title: "Cook", ApplyURL: link(1000)}, `"job":"77","foreign_title":"Cook","foreign_apply_link":"` + link(1000) + `"`},
		{"longer link", jobboardtest.Posting{Title: "Cook", ApplyURL: link(1001)}, `"job":"77","foreign_title":"Cook"`},
	} {
		p := test.posting
		p.ID, p.Channels = 7, []string{"one"}
		srv.AddPosting(p)
		r := use(t, session, "search_jobs", `{"channel":"one"}`)
		if want := `"total":1,"postings":[{"posting":"7",` + test.want + `}]}`; !strings.HasSuffix(r.text, want) {
			t.Errorf("%s: %s, want %s", test.name, r.text, want)
		}
	}
}

// What a call says goes to the service, and the result repeats where it looked.
func TestWhatASearchAsksFor(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	for _, test := range []struct {
		arguments             string
		path, search, circle  string
		language, whereabouts string
	}{
		{`{}`, srv.Demo.Channel, "", "", "", ""},
		{`{"near":"  "}`, srv.Demo.Channel, "", "", "", ""},
		{`{"channel":"nope","text":"a b","language":"de"}`, "nope", "a b", "", "de", ""},
		{`{"near":"52.5,13.25"}`, srv.Demo.Channel, "", "52.5::13.25::50", "", `{"latitude":52.5,"longitude":13.25,"radius_km":50}`},
		{`{"near":"52.5,13.25","radius_km":1}`, srv.Demo.Channel, "", "52.5::13.25::1", "", `{"latitude":52.5,"longitude":13.25,"radius_km":1}`},
		{`{"near":"52.5,13.25","radius_km":20000}`, srv.Demo.Channel, "", "52.5::13.25::20000", "", `{"latitude":52.5,"longitude":13.25,"radius_km":20000}`},
	} {
		for _, tool := range []string{"search_jobs", "what_changed"} {
			srv.ClearRequests()
			r := use(t, session, tool, test.arguments)
			near, _ := json.Marshal(r.fields["near"])
			if got := strings.TrimPrefix(string(near), "null"); got != test.whereabouts || r.fields["channel"] != test.path {
				t.Errorf("%s %s: channel %v near %s", tool, test.arguments, r.fields["channel"], got)
			}
			all := srv.Requests(jobboardtest.OpSearch)
			if len(all) != 1 {
				t.Fatalf("%s %s: %d searches: %s", tool, test.arguments, len(all), r.text)
			}
			q := all[0].Query
			if !strings.Contains(all[0].Path, "/"+test.path+"/") || q.Get("search") != test.search || q.Get("geoLocation") != test.circle ||
				all[0].Header.Get("Accept-Language") != test.language {
				t.Errorf("%s %s: asked %s %v %q", tool, test.arguments, all[0].Path, q, all[0].Header.Get("Accept-Language"))
			}
		}
	}
	for arguments, why := range map[string]string{
		`{"radius_km":20001}`:                             "radius_km must be a number from 1 to 20000",
		`{"text":"` + strings.Repeat("x", 501) + `"}`:     "text must be a text of at most 500 characters",
		`{"near":"` + strings.Repeat("x", 201) + `"}`:     "near must be a text of at most 200 characters",
		`{"channel":"` + strings.Repeat("x", 201) + `"}`:  "channel must be a text of at most 200 characters",
		`{"language":"` + strings.Repeat("x", 101) + `"}`: "language must be a text of at most 100 characters",
	} {
		for _, tool := range []string{"search_jobs", "what_changed"} {
			use(t, session, tool, arguments).want(t, true, why)
		}
	}
	use(t, session, "search_jobs", `{"text":"`+strings.Repeat("x", 500)+`"}`).want(t, false)
}

// Open says whom to ask, and for what: the call names its channel and its applicant.
func TestOpenSaysWhomToAsk(t *testing.T) {
	srv := demo(t)
	first := setting{}.server(t, srv).board
	var board Board
	var needs []Need
	session := connect(t, setting{options: Options{Rate: -1, Open: func(_ context.Context, need Need) (Board, error) {
		needs = append(needs, need)
		return board, nil
	}}}.server(t, srv))
	search := func(b Board, credential string) {
		t.Helper()
		board = b
		for _, tool := range []string{"search_jobs", "what_changed"} {
			srv.ClearRequests()
			use(t, session, tool, `{}`).want(t, false, `"channel":"`+string(b.Channel)+`"`)
			if got := srv.Requests(jobboardtest.OpSearch); len(got) != 1 || !strings.Contains(got[0].Credential, credential) {
				t.Errorf("%s: %v, want the credential of a %s", tool, got, credential)
			}
		}
	}
	search(first, "client")
	search(Board{Client: first.Client, Channel: first.Channel, Applicant: first.Applicant}, "client")
	search(Board{Client: first.Client, Channel: first.Channel, Applicant: first.Applicant, SearchAsApplicant: true}, "applicant")
	search(Board{Client: first.Client, Channel: "other"}, "client")
	for tool, want := range map[string]Need{
		"search_jobs": NeedSearch, "what_changed": NeedSearch, "job_information": NeedLookup, "check_answers": NeedLookup, "may_i_apply": NeedApplicant,
	} {
		arguments := map[Need]string{NeedSearch: `{}`, NeedLookup: `{"job":"2797227"}`, NeedApplicant: `{"job":"2797227"}`}[want]
		if tool == "check_answers" {
			arguments = `{"job":"2797227","answers":{}}`
		}
		needs = nil
		if use(t, session, tool, arguments); len(needs) != 1 || needs[0] != want {
			t.Errorf("%s needs %v, want %d", tool, needs, want)
		}
	}
}

// A search that names no channel, where none is set, sends nothing; the program's own text may say
// what to do.
func TestNoChannel(t *testing.T) {
	srv := demo(t)
	client := setting{}.server(t, srv).board.Client
	var told []error
	session := connect(t, NewServer(client, Options{
		Failed:   func(err error) { told = append(told, err) },
		NextStep: func(error) string { return "name a channel" },
	}))
	for _, tool := range []string{"search_jobs", "what_changed"} {
		r := use(t, session, tool, `{}`)
		if want := `{"error":"no channel is set","next":"name a channel"}`; r.text != want || !r.failed {
			t.Errorf("%s: %s, want %s", tool, r.text, want)
		}
	}
	if len(told) != 2 || !errors.Is(told[0], ErrNoChannel) || !errors.Is(told[1], ErrNoChannel) || srv.Count() != 0 {
		t.Errorf("%v, after %d requests", told, srv.Count())
	}
	use(t, session, "search_jobs", `{"limit":0}`).want(t, true, "limit must be")
	if len(told) != 2 {
		t.Errorf("wrong arguments are told to the program: %v", told)
	}
	use(t, session, "search_jobs", fmt.Sprintf(`{"channel":%q}`, srv.Demo.Channel)).want(t, false, `"total":42`)
}

// Whatever a tool's schema lets pass, a page and an advertisement end at their bounds.
func TestLastBoundsOfASearch(t *testing.T) {
	srv := demo(t)
	kitchen(srv, 51)
	srv.AddChannel(jobboardtest.Channel{ID: "long"})
	srv.AddPosting(jobboardtest.Posting{
		ID: 100, Channels: []string{"long"}, Title: "Cook", Config: map[string][]string{"platform_internalAdText": {strings.Repeat("x", 20_001)}},
	})
	s := setting{}.server(t, srv)
	many, err := s.searchJobs(t.Context(), searchJobsArgs{searchArgs: searchArgs{Channel: "kitchen"}, Limit: 51})
	if err != nil || len(many.Postings) != 50 || many.Next != 50 {
		t.Errorf("%v: %d postings, next %d", err, len(many.Postings), many.Next)
	}
	long, err := s.searchJobs(t.Context(), searchJobsArgs{searchArgs: searchArgs{Channel: "long"}, Limit: 1, Advertisement: 20_001})
	if err != nil || len(long.Postings) != 1 || len(long.Postings[0].Advertisement) != 19_999+len("…") || !long.Postings[0].Cut {
		t.Errorf("%v: %+v", err, long)
	}
	if room := newRoom().left; room != 60<<10 {
		t.Errorf("the lists of a result have %d bytes", room)
	}
}

// A search that breaks off tells the error and no postings.
func TestSearchBreaksOff(t *testing.T) {
	srv := demo(t)
	var told []error
	options := Options{Rate: -1, Failed: func(err error) { told = append(told, err) }}
	session := connect(t, setting{options: options, config: jobboard.Config{Retry: jobboard.RetryPolicy{MaxAttempts: 1}}}.server(t, srv))
	for _, test := range []struct {
		fault jobboardtest.Fault
		want  string
	}{
		{jobboardtest.Fault{Status: http.StatusServiceUnavailable}, `"conditions":["ErrServer"],"next":"try again later"`},
		{jobboardtest.Fault{Break: jobboardtest.CutBody}, `"next":"try again later"`},
		{jobboardtest.Fault{Body: `{"results":7}`}, `"conditions":["ErrDecode"],"foreign_details":`},
		{jobboardtest.Fault{Status: http.StatusUnauthorized}, `"next":"whoever runs this server must look after its credential"`},
	} {
		srv.LiftFaults()
		srv.Fail(test.fault)
		for _, tool := range []string{"search_jobs", "what_changed"} {
			told = nil
			r := use(t, session, tool, `{}`).want(t, true, test.want)
			if strings.Contains(r.text, "postings") || len(told) != 1 {
				t.Errorf("%s %+v: %s, told %v", tool, test.fault, r.text, told)
			}
		}
	}
}
