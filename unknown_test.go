package jobboard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

type members = map[string]json.RawMessage

func read[T any](t *testing.T, text string) *T {
	t.Helper()
	v := new(T)
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	return v
}

func write(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const (
	aPage = `{"itemsPerPage":0,"numPages":0,"offset":0,"actualPage":0,"firstPostingOnPage":0,"lastPostingOnPage":0,` +
		`"totalNumberOfJobs":1,"results":[%s]%s}`
	aPosting = `{"jobPostingId":1,"postingVersionId":2,"title":"\"config\":{}","applyOnlineLink":"{\"config\":{},",` +
		`"config":{"audience":["a"],"config":["{}"]},"jobStartDate":3,"postingVersionStartDate":4,"postingVersionEndDate":5%s}`
	anInfo = `{"jobId":1,"jobTitle":"t","jobLanguage":"","applyPossible":true,"dataSecurityLink":"",` +
		`"questions":[{"id":"1","type":"TEXT","label":"l"%s}],"nationalities":[],"timestamp":"2026-01-31T08:30:00.000Z",` +
		`"companyName":"","companyId":"","location":%s,"additionalLocations":[%s]%s}`
	aPlace = `{"geoLat":"","geoLong":"","geoName":"","geoCountry":"","geoState":"","geoCity":"c","geoZip":"","geoStreet":""%s}`
)

// What the interface does not name is kept and written back, in the order of the names; without
// such members the text equals the one that was read.
func TestUnknownMembersAreWrittenBack(t *testing.T) {
	const more = `,"":null,"Salary":{"max":61000.50,"min":[1,{}]},"zulu":"\u003ca\u003e ü"`
	for _, more := range []string{"", more} {
		posting := fmt.Sprintf(aPosting, more)
		place := fmt.Sprintf(aPlace, more)
		for text, again := range map[string]any{
			fmt.Sprintf(aPage, posting, more):             new(jobboard.JobSearchResult),
			fmt.Sprintf(aPage, "", more):                  new(jobboard.JobSearchResult),
			posting:                                       new(jobboard.JobPosting),
			fmt.Sprintf(anInfo, more, place, place, more): new(jobboard.JobInformation),
			fmt.Sprintf(anInfo, "", place, "", ""):        new(jobboard.JobInformation),
			place:                                         new(jobboard.Location), `{"id":"1","type":"TEXT","label":"l"` + more + `}`: new(jobboard.Question),
			"[" + posting + "," + posting + "]": new([]jobboard.JobPosting),
			`{"a":` + posting + `}`:             new(map[string]*jobboard.JobPosting),
		} {
			if err := json.Unmarshal([]byte(text), again); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if got := write(t, again); got != text {
				t.Errorf("%T:\n got %s\nwant %s", again, got, text)
			}
		}
	}

	page := read[jobboard.JobSearchResult](t, fmt.Sprintf(aPage, fmt.Sprintf(aPosting, ""), ""))
	info := read[jobboard.JobInformation](t, fmt.Sprintf(anInfo, "", fmt.Sprintf(aPlace, ""), "", ""))
	if page.Unknown != nil || page.Results[0].Unknown != nil || info.Unknown != nil || info.Questions[0].Unknown != nil || info.Location.Unknown != nil {
		t.Errorf("empty maps: %+v, %+v", page, info)
	}
	// Angle brackets are the outer encoder's affair.
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	p := read[jobboard.JobPosting](t, `{"jobPostingId":1,"title":"<b>","x":"<i>"}`)
	if err := e.Encode(p); err != nil || !strings.Contains(b.String(), `"<b>"`) || !strings.Contains(b.String(), `"x":"<i>"`) {
		t.Errorf("%s, %v", b.String(), err)
	}
}

func TestUnknownMembers(t *testing.T) {
	for text, want := range map[string]members{
		`"a":1,"a":[2],"a": {"b" : 3} `:                     {"a": json.RawMessage(`{"b" : 3}`)}, // the last one
		`"Title":5,"TITLE":[],"jobpostingid":{},"titles":1`: {"titles": json.RawMessage("1")},
		"\"appl\\u0079OnlineLin\u212a\":1":                  nil, // the Kelvin sign, which is like a k
		"\"a\xff\":\"\xfe\xff\",\"b\":{\"\xff\":1}":         {"a\ufffd": json.RawMessage("\"\ufffd\ufffd\""), "b": json.RawMessage("{\"\ufffd\":1}")},
		`"a":"\ud800"`:                  {"a": json.RawMessage(`"\ud800"`)},
		`"Unknown":1,"unknown":2,"-":3`: {"Unknown": json.RawMessage("1"), "unknown": json.RawMessage("2"), "-": json.RawMessage("3")},
	} {
		in := []byte(`{"jobPostingId":1,"title":"t",` + text + `}`)
		p := new(jobboard.JobPosting)
		if err := p.UnmarshalJSON(in); err != nil || !reflect.DeepEqual(p.Unknown, want) {
			t.Errorf("%s: %s, %v; want %s", text, p.Unknown, err, want)
		}
		clear(in) // what was kept is a copy
		if !reflect.DeepEqual(p.Unknown, want) {
			t.Errorf("%s: %s after the answer changed", text, p.Unknown)
		}
	}

	// OmitConfig is about the config alone, and a stream keeps what a search keeps.
	fields := fmt.Sprintf(aPage, fmt.Sprintf(aPosting, `,"audience":["x"]`), `,"facets":{}`)
	c := answering(t, jobboard.Config{ClientID: "10"}, 200, fields)
	page, err := c.Search(t.Context(), "1", jobboard.Query{OmitConfig: []string{"audience"}})
	if err != nil || page.Results[0].Config.Len() != 1 || string(page.Results[0].Unknown["audience"]) != `["x"]` || string(page.Unknown["facets"]) != "{}" {
		t.Errorf("%+v, %v", page, err)
	}
	stream := c.PostingStream(t.Context(), "1", jobboard.Query{})
	for p, err := range stream.All() {
		if err != nil || string(p.Unknown["audience"]) != `["x"]` {
			t.Errorf("%+v, %v", p, err)
		}
	}
	if page, ok := stream.Page(); !ok || string(page.Unknown["facets"]) != "{}" {
		t.Errorf("%+v, %v", page, ok)
	}
}

// A program may put members of its own into Unknown: never one twice, nor what is
// no JSON.
func TestUnknownMembersOfTheCaller(t *testing.T) {
	p := jobboard.JobPosting{Title: "t", Unknown: members{"TITLE": json.RawMessage("1"), "title": json.RawMessage("2"), "x": nil}}
	if got := write(t, p); strings.Contains(got, "TITLE") || strings.Count(got, `"title"`) != 1 || !strings.HasSuffix(got, `,"x":null}`) {
		t.Error(got)
	}
	p.Unknown["x"] = json.RawMessage("{")
	for _, v := range []any{p, &jobboard.JobSearchResult{Results: []jobboard.JobPosting{p}}, jobboard.Question{Unknown: p.Unknown}} {
		if b, err := json.Marshal(v); err == nil {
			t.Errorf("%s", b)
		}
	}
}

// A struct that embeds one of the types gets its MarshalJSON, as it gets its
// UnmarshalJSON: fields of its own are not encoded.
func TestEmbedded(t *testing.T) {
	for _, v := range []any{
		struct {
			jobboard.JobPosting
			Own int
		}{}, struct {
			jobboard.Question
			Own int
		}{}, struct {
			jobboard.Location
			Own int
		}{},
	} {
		if got := write(t, v); strings.Contains(got, "Own") {
			t.Errorf("%s", got)
		}
	}
	named := struct {
		Posting jobboard.JobPosting
		Own     int
	}{}
	if got := write(t, named); !strings.HasSuffix(got, `"Own":0}`) {
		t.Errorf("%s", got)
	}
}

// Unknown members are kept as far as there is room, and never fail an answer.
func TestBoundsOfUnknownMembers(t *testing.T) {
	var small []string
	for i := range 1000 {
		small = append(small, fmt.Sprintf(`{"jobPostingId":%d,"title":"t","salary":%d}`, i+1, i))
	}
	text := fmt.Sprintf(aPage, strings.Join(small, ","), "")
	page, err := answering(t, jobboard.Config{ClientID: "10"}, 200, text).Search(t.Context(), "1", jobboard.Query{})
	if err != nil || len(page.Results) != 1000 {
		t.Fatalf("%v", err)
	}
	for i, p := range page.Results {
		if string(p.Unknown["salary"]) != fmt.Sprint(i) {
			t.Fatalf("posting %d: %s", i, p.Unknown)
		}
	}

	// Twice as much as may be kept, in many members and in one.
	var many strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&many, `,"m%d":0`, i)
	}
	for name, more := range map[string]string{
		"many": many.String(), "a large one": `,"last":"` + strings.Repeat("x", 600<<10) + `"`,
		"a large key":             `,"` + strings.Repeat("x", 60<<10) + `":"` + strings.Repeat("x", 400<<10) + `"`,
		"a large one after all":   `,"last":1,"last":"` + strings.Repeat("x", 600<<10) + `"`,
		"behind the window's end": `,"fits":"` + strings.Repeat("é", 50<<10) + `"`,
	} {
		text := fmt.Sprintf(aPage, fmt.Sprintf(aPosting, more), "")
		client := answering(t, jobboard.Config{ClientID: "10", MaxBodyBytes: 700 << 10}, 200, text)
		var page *jobboard.JobSearchResult
		allocated := rig.Allocated(func() { page, err = client.Search(t.Context(), "1", jobboard.Query{}) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kept := page.Results[0].Unknown
		switch {
		case name == "many" && (len(kept) < 1000 || len(kept) == 40_000),
			strings.HasPrefix(name, "a large") && len(kept) != 0,
			strings.HasPrefix(name, "behind") && len(kept["fits"]) != 100<<10+2:
			t.Errorf("%s: kept %d members: %.200q", name, len(kept), slices.Collect(maps.Keys(kept)))
		}
		if allocated > 4<<20 {
			t.Errorf("%s: %d KiB allocated", name, allocated>>10)
		}
	}
}
