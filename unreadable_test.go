package jobboard

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A posting with an odd member is kept: the member reads as what it can mean, or is left out.
func TestOddMembersCostThemselves(t *testing.T) {
	long := strings.Repeat("9", 65)
	for member, want := range map[string]JobPosting{
		``:                                                {},
		`,"title":null`:                                   {},
		`,"title":5`:                                      {Title: "5"},
		`,"title":-1.50e+3`:                               {Title: "-1.50e+3"},
		`,"title":true`:                                   {Title: "true"},
		`,"title":false`:                                  {Title: "false"},
		`,"title":` + long:                                {},
		`,"title":` + long[:64]:                           {Title: long[:64]},
		`,"title":{"title":"x"}`:                          {},
		`,"title":["x"]`:                                  {},
		`,"applyOnlineLink":7`:                            {ApplyOnlineLink: "7"},
		`,"applyOnlineLink":{}`:                           {},
		`,"postingVersionId":"7"`:                         {PostingVersionID: 7},
		`,"postingVersionId":1e3`:                         {},
		`,"postingVersionId":"seven"`:                     {},
		`,"postingVersionId":7.0`:                         {},
		`,"postingVersionId":true`:                        {},
		`,"postingVersionId":[7]`:                         {},
		`,"postingVersionId":` + long:                     {},
		`,"postingVersionId":"` + long + `"`:              {},
		`,"jobStartDate":"soon"`:                          {},
		`,"jobStartDate":"2026-01-31T08:30:00"`:           {JobStartDate: 1769848200000},
		`,"jobStartDate":"31.01.2026"`:                    {},
		`,"jobStartDate":"` + long + long + `"`:           {},
		`,"jobStartDate":1e12`:                            {},
		`,"jobStartDate":{"a":[]}`:                        {},
		`,"postingVersionStartDate":true`:                 {},
		`,"postingVersionEndDate":"1970-01-01T00:00:01Z"`: {PostingVersionEndDate: 1000},
		`,"postingVersionEndDate":"12"`:                   {PostingVersionEndDate: 12},
		`,"config":null`:                                  {},
		`,"config":[{"x":["y"]}]`:                         {},
		`,"config":"x"`:                                   {},
		`,"config":{"x":1,"audience":{"a":1}}`:            {Config: NewPostingConfig(map[string][]string{"x": {"1"}})},
		`,"config":{"x":[1,true,null,"y",{},["z"]],"y":null}`: {
			Config: NewPostingConfig(map[string][]string{"x": {"1", "true", "y"}, "y": {}}),
		},
	} {
		text := `{"totalNumberOfJobs":2,"results":[{"jobPostingId":1` + member + `},{"jobPostingId":"2","title":"t","applyOnlineLink":"l"}]}`
		want.JobPostingID = 1
		for name, chunk := range chunked {
			page, err := decodeSearch(chunk(strings.NewReader(text)), decodeLimits{}, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", member, name, err)
				continue
			}
			if page.Partial() || len(page.Results) != 2 || page.Results[1].Title != "t" || page.Results[1].ApplyOnlineLink != "l" {
				t.Errorf("%s, %s: %+v", member, name, page)
			}
			samePosting(t, &page.Results[0], &want)
		}
	}
}

// unusable lists entries that are no usable posting, with what is said about each.
var unusable = []struct{ entry, member, reason string }{
	{`null`, "", "not an object"},
	{`[{"jobPostingId":1}]`, "", "not an object"},
	{`"{"`, "", "not an object"},
	{`{}`, "jobPostingId", "is missing"},
	{`{"title":"t","JobPostingId":1}`, "jobPostingId", "is missing"},
	{`{"jobPostingId":null}`, "jobPostingId", "not an integer"},
	{`{"jobPostingId":"s3cret"}`, "jobPostingId", "not an integer"},
	{`{"jobPostingId":1.5,"title":"t"}`, "jobPostingId", "not an integer"},
	{`{"jobPostingId":1e3}`, "jobPostingId", "not an integer"},
	{`{"jobPostingId":{"jobPostingId":1}}`, "jobPostingId", "not an integer"},
	{`{"jobPostingId":9223372036854775808}`, "jobPostingId", "integer out of range"},
	{`{"jobPostingId":"9223372036854775808"}`, "jobPostingId", "integer out of range"},
	{`{"jobPostingId":0}`, "jobPostingId", "not 1 or more"},
	{`{"jobPostingId":"-1"}`, "jobPostingId", "not 1 or more"},
	{`{"jobPostingId":5,"title":"a","x":{"y":[1]},"title":{"b":1},"config":{"a":["b"]}}`, "title", "occurs twice"},
	{`{"jobPostingId":5,"jobPostingId":5}`, "jobPostingId", "occurs twice"},
	{`{"config":{},"jobPostingId":5,"config":{"s3cret":["a"]}}`, "config", "occurs twice"},
	{`{"jobPostingId":5,"config":{"audience":["a"],"audience":["a"]}}`, "config.audience", "occurs twice"},
	{`{"jobPostingId":5,"config":{"s3cret":["a"],"b":["c"],"s3cret":7}}`, "config.*", "occurs twice"},
	{`{"jobPostingId":5,"config":{"s3cret":{},"s3cret":7}}`, "config.*", "occurs twice"},
}

// TestUnusablePostings mixes entries that are no usable posting among good ones: first, between
// and last. The page and the stream have every good one and tell of the others.
func TestUnusablePostings(t *testing.T) {
	var entries []string
	var want []PostingError
	var ids []JobPostingID
	good := func() {
		ids = append(ids, JobPostingID(100+len(ids)))
		entries = append(entries, fmt.Sprintf(`{"jobPostingId":%d,"title":"t","config":{"audience":["a"],"k%d":["b"]}}`, ids[len(ids)-1], len(ids)))
	}
	for i, u := range unusable {
		if i%3 == 2 {
			good()
		}
		want = append(want, PostingError{len(entries), u.member, u.reason})
		entries = append(entries, u.entry)
	}
	total := len(entries)
	text := `{"totalNumberOfJobs":` + strconv.Itoa(total) + `,"results":[` + strings.Join(entries, " ,\n") + `],"numPages":1}`
	for name, chunk := range chunked {
		page, err := decodeSearch(chunk(strings.NewReader(text)), decodeLimits{}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []JobPostingID
		for _, p := range page.Results {
			got = append(got, p.JobPostingID)
			if p.Title != "t" || p.Config.Len() != 2 {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if !slices.Equal(got, ids) || page.Unreadable != len(want) || !slices.Equal(page.UnreadableErrors, want) || !page.Partial() {
			t.Errorf("%s: %v and %d unreadable:\n%v; want %v and\n%v", name, got, page.Unreadable, page.UnreadableErrors, ids, want)
		}
		p := newPostingReader(chunk(strings.NewReader(text)), decodeLimits{maxItem: 1 << 10}, nil)
		got = nil
		for {
			posting, err := p.next()
			if err != nil {
				if err != io.EOF {
					t.Errorf("%s, stream: %v", name, err)
				}
				break
			}
			got = append(got, posting.JobPostingID)
		}
		streamed, ok := p.page()
		streamed.Results, page.Results = nil, nil
		if !ok || !slices.Equal(got, ids) || !reflect.DeepEqual(&streamed, page) {
			t.Errorf("%s, stream: %v, %+v", name, got, streamed)
		}
		p.close()
	}
	for _, e := range want {
		if !errors.Is(e, ErrDecode) || strings.Contains(e.Error(), "s3cret") {
			t.Errorf("%v", e)
		}
	}
}

// If no entry can be read, the error names the first one's member, and a single posting is refused
// with the same words.
func TestNoPostingCanBeRead(t *testing.T) {
	for _, u := range unusable {
		text := `{"totalNumberOfJobs":2,"results":[` + u.entry + `,7]}`
		wrong := strings.TrimSpace(u.member + " " + u.reason)
		page, err := decodeSearch(strings.NewReader(text), decodeLimits{}, nil)
		if page != nil || !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), wrong) || !strings.Contains(err.Error(), "results[0]") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, %v", u.entry, page, err)
		}
		if u.entry == "null" {
			continue // changes nothing
		}
		if err := new(JobPosting).UnmarshalJSON([]byte(u.entry)); !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s alone: %v", u.entry, err)
		}
	}
	// An answer without entries is empty and not unreadable.
	for _, text := range []string{`{"totalNumberOfJobs":0,"results":[]}`, `{"totalNumberOfJobs":0,"results":null}`} {
		if page := searchOf(t, []byte(text)); page.Partial() || page.Unreadable != 0 {
			t.Errorf("%+v", page)
		}
	}
}

// What breaks the document ends it also inside an entry that cannot be used, and its bound holds.
func TestUnusablePostingsAreChecked(t *testing.T) {
	const before = `{"totalNumberOfJobs":2,"results":[{"jobPostingId":1,"title":"t"},`
	for entry, want := range map[string]error{
		`{"title":"a","title":"` + "\x01" + `"}`: ErrDecode,
		`{"title":"a","title":nul}`:              ErrDecode,
		`[01]`:                                   ErrDecode,
		`[1`:                                     ErrDecode,
		`{"jobPostingId":true,"x":"\x"}`:         ErrDecode,
		`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`:      ErrDecode,
		`"` + strings.Repeat("x", 2<<10) + `"`:                                 ErrResponseTooLarge,
		`{"a":1,"title":"` + strings.Repeat("x", 2<<10) + `"}`:                 ErrResponseTooLarge,
		`{"config":{"a_internalAdText":"` + strings.Repeat("x", 2<<10) + `"}}`: nil, // without it the entry is small
	} {
		for name, chunk := range chunked {
			p := newPostingReader(chunk(strings.NewReader(before+entry+`]}`)), decodeLimits{maxItem: 1 << 10}, nil)
			if _, err := p.next(); err != nil {
				t.Fatal(err)
			}
			_, err := p.next()
			if want == nil && err != io.EOF || want != nil && !errors.Is(err, want) {
				t.Errorf("%.60s, %s: %v, want %v", entry, name, err, want)
			}
			p.close()
		}
	}
}

// TestManyUnusablePostings holds what entries that cannot be read may cost.
func TestManyUnusablePostings(t *testing.T) {
	const entries = 200_000
	text := `{"totalNumberOfJobs":1,"results":[` + strings.Repeat(`0,{},`, entries/2) + `{"jobPostingId":1}]}`
	var page *JobSearchResult
	var err error
	n := allocated(func() { page, err = decodeSearch(strings.NewReader(text), decodeLimits{maxBytes: 1 << 20}, nil) })
	if err != nil || page.Unreadable != entries || len(page.UnreadableErrors) != 100 || len(page.Results) != 1 {
		t.Fatalf("%v, %+v", err, page)
	}
	if n > 256<<10 && !raceEnabled {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestUnreadableErrorText(t *testing.T) {
	err := error(&UnreadableError{Count: 3, Errors: []PostingError{{7, "config.*", "occurs twice"}, {8, "", "not an object"}}})
	if got, want := err.Error(), "jobboard: 3 of the answer's postings could not be read; the first: results[7].config.* occurs twice"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if !errors.Is(err, ErrDecode) || Settled(err) {
		t.Error("the error's kind")
	}
	if got, want := (PostingError{8, "", "not an object"}).Error(), "jobboard: results[8] not an object"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// A job information is as lenient in its texts, places and nationalities.
func TestJobInformationOddMembers(t *testing.T) {
	with := func(member string) string { return `{"jobId":1,"jobTitle":"t","applyPossible":true,` + member + `}` }
	whole := JobInformation{JobID: 1, JobTitle: "t", ApplyPossible: true}
	for _, c := range []struct {
		text string
		want func(*JobInformation)
	}{
		{`{"jobId":"1","jobTitle":null,"applyPossible":true}`, func(j *JobInformation) { j.JobTitle = "" }},
		{`{"jobId":1,"jobTitle":7,"applyPossible":true}`, func(j *JobInformation) { j.JobTitle = "7" }},
		{`{"jobId":1,"jobTitle":{},"applyPossible":true}`, func(j *JobInformation) { j.JobTitle = "" }},
		{with(`"companyName":5,"companyId":true,"jobLanguage":[],"dataSecurityLink":{}`), func(j *JobInformation) { j.CompanyName, j.CompanyID = "5", "true" }},
		{with(`"companyId":` + strings.Repeat("1", 100)), func(*JobInformation) {}},
		{with(`"timestamp":"yesterday"`), func(*JobInformation) {}},
		{with(`"timestamp":1e3`), func(*JobInformation) {}},
		{with(`"timestamp":[]`), func(*JobInformation) {}},
		{with(`"location":[]`), func(*JobInformation) {}},
		{with(`"location":{"geoCity":5,"geoName":{}}`), func(j *JobInformation) { j.Location.GeoCity = "5" }},
		{with(`"location":{"geoCity":"a","geoState":"b","geoCity":"c"}`), func(*JobInformation) {}},
		{with(`"additionalLocations":{}`), func(*JobInformation) {}},
		{with(`"additionalLocations":[7,{"geoLat":[],"geoCity":"a"},{"geoZip":1,"geoZip":2},null,{"geoZip":3}]`), func(j *JobInformation) {
			j.AdditionalLocations = []Location{{GeoCity: "a"}, {GeoZip: "3"}}
		}},
		{with(`"nationalities":{}`), func(*JobInformation) {}},
		{with(`"nationalities":[null,{"id":"1","label":"a"},{"id":"2","label":[]},{"id":3,"label":"c"},{"id":"4","id":"4"},{"id":"5","label":null}]`), func(j *JobInformation) {
			j.Nationalities = []IDLabel{{"1", "a"}, {"3", "c"}, {"5", ""}}
		}},
		{with(`"questions":[{"id":7,"type":"TEXT","label":true,"answers":[{"id":1,"label":null}]}]`), func(j *JobInformation) {
			j.Questions = []Question{{ID: "7", Type: "TEXT", Label: "true", Answers: []IDLabel{{ID: "1"}}}}
		}},
	} {
		want := whole
		c.want(&want)
		for _, cat := range []*catalogueCache{nil, new(catalogueCache)} {
			got, err := decodeJobInformation([]byte(c.text), cat)
			if err != nil || !reflect.DeepEqual(got, &want) {
				t.Errorf("%s:\ngot  %+v, %v\nwant %+v", c.text, got, err, &want)
			}
		}
	}
	for _, text := range []string{`7`, `[]`, `{"geoCity":"a","geoCity":"b"}`} {
		if err := new(Location).UnmarshalJSON([]byte(text)); !errors.Is(err, ErrDecode) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
