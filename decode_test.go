package jobboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func searchOf(t testing.TB, b []byte) *JobSearchResult {
	t.Helper()
	page, err := decodeSearch(bytes.NewReader(b), decodeLimits{maxBytes: 64 << 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func infoOf(t testing.TB, b []byte) *JobInformation {
	t.Helper()
	j, err := decodeJobInformation(b, new(catalogueCache))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// sameJSON compares through encoding/json, in which the order of keys does not
// count.
func sameJSON(t testing.TB, got, want []byte) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSearchFile(t *testing.T) {
	got := searchOf(t, readFile(t, "search.json"))
	want := &JobSearchResult{
		ItemsPerPage: 3, NumPages: 8, Offset: 6, ActualPage: 2,
		FirstPostingOnPage: 7, LastPostingOnPage: 9, TotalNumberOfJobs: 23,
		Results: []JobPosting{{
			JobPostingID: 41880215, PostingVersionID: 60377104,
			Title:           "Backend Developer (m/w/d) – Zürich & remote",
			ApplyOnlineLink: "https://jobs.example.com/apply/41880215?channel=27828_extern&lang=de",
			Config: NewPostingConfig(map[string][]string{
				"ProjectLocation": {"2901"}, "location": {"2902"}, "ProjectLocationGerman": {"Zürich"},
				"ProjectNumber": {"P-2025-0117"}, "audience": {"1404"}, "platformvisibility": {"visible"},
				"listingStartDate": {"1741593600001"}, "internalPostingName": {"backend-zrh-spring"},
				"platform_internalAdText":  {"<p class=\"lead\">We build <b>things</b> &amp; more.</p>\n<ul><li>Go</li><li>café 🚀</li></ul>"},
				"jobcategory":              {"5512"},
				"ProjectCompanyNameGerman": {"Musterfirma Ahorn GmbH"},
				"sg_remote_status":         {"FULLY_REMOTE"},
			}),
			JobStartDate: 1738555506789, PostingVersionStartDate: 1741964966535, PostingVersionEndDate: 1790805599999,
		}, {
			JobPostingID: 41880216, PostingVersionID: 60377105,
			Title: "Nurse, night shift", ApplyOnlineLink: "https://jobs.example.com/apply/41880216",
			Config: NewPostingConfig(map[string][]string{
				"location": {"2903"}, "ProjectNumber": {"P-2024-0932"}, "platformvisibility": {"hidden"},
				"listingStartDate": {"1734690030040"}, "jobcategory": {"5513"},
				"ProjectCompanyNameGerman": {"Beispielklinik Birke gGmbH"},
			}),
			JobStartDate: 1730791815250, PostingVersionStartDate: 1735065900125, PostingVersionEndDate: 1801436337056,
		}, {
			JobPostingID: 41880217, PostingVersionID: 60377106,
			Title: "Lagerist \"Frühschicht\"", ApplyOnlineLink: "https://jobs.example.com/apply/41880217",
			Config: NewPostingConfig(map[string][]string{
				"audience": {"1405"}, "internalPostingName": {"warehouse/early"},
			}),
			JobStartDate: 1748769011012, PostingVersionStartDate: 1752412455016, PostingVersionEndDate: 1842196699020,
		}},
	}
	samePage(t, got, want)
	samePage(t, searchOf(t, readFile(t, "search_quoted.json")), want)
	if !got.Partial() {
		t.Error("a page of 3 of 23 is not partial")
	}

	sameJSON(t, []byte(fmtJSON(t, got)), readFile(t, "search.json"))

	start, listed := got.Results[0].Config.ListingStartDate(), time.Date(2025, 3, 10, 8, 0, 0, 1e6, time.UTC)
	if !start.Equal(listed) {
		t.Errorf("ListingStartDate = %v; want %v", start, listed)
	}
}

func samePage(t testing.TB, got, want *JobSearchResult) {
	t.Helper()
	g, w := *got, *want
	g.Results, w.Results = nil, nil
	g.Unknown, w.Unknown = inOneForm(g.Unknown), inOneForm(w.Unknown)
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %+v\nwant %+v", g, w)
	}
	if len(got.Results) != len(want.Results) {
		t.Fatalf("%d postings, want %d", len(got.Results), len(want.Results))
	}
	for i := range got.Results {
		samePosting(t, &got.Results[i], &want.Results[i])
	}
}

func samePosting(t testing.TB, got, want *JobPosting) {
	t.Helper()
	g, w := *got, *want
	if !g.Config.Equal(w.Config) {
		t.Errorf("config of %d:\ngot  %q\nwant %q", g.JobPostingID, g.Config, w.Config)
	}
	g.Config, w.Config = PostingConfig{}, PostingConfig{}
	g.Unknown, w.Unknown = inOneForm(g.Unknown), inOneForm(w.Unknown)
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %+v\nwant %+v", g, w)
	}
}

// A page without postings is kept as such, however it came.
func TestSearchEmpty(t *testing.T) {
	for _, name := range []string{"search_empty.json", "search_results_null.json"} {
		page := searchOf(t, readFile(t, name))
		if len(page.Results) != 0 || page.ItemsPerPage != 20 || page.Partial() {
			t.Errorf("%s: %+v", name, page)
		}
		sameJSON(t, []byte(fmtJSON(t, page)), readFile(t, "search_empty.json"))
	}
}

func TestJobInformationFile(t *testing.T) {
	got := infoOf(t, readFile(t, "jobinfo.json"))
	want := &JobInformation{
		JobID: 5310482, JobTitle: "Softwareentwickler (m/w/d) für Straßenbahnen", JobLanguage: "de", ApplyPossible: true,
		DataSecurityLink: "https://privacy.example.com/policy?company=19&lang=german",
		Questions: []Question{
			{"8", QuestionYesNo, "Besitzen Sie eine Fahrerlaubnis?", []IDLabel{{"2900101", "Ja"}, {"2900100", "Nein"}}, nil},
			{"9", QuestionText, "Ihr frühester Eintrittstermin?", nil, nil},
			{"10", QuestionTextArea, "Was reizt Sie an dieser Aufgabe?", nil, nil},
			{"11", QuestionCatalog, "Wie gut ist Ihr Englisch?", []IDLabel{
				{"0b7e9d52-41c3-4f86-9a1e-5d20c8f3b671", "Grundkenntnisse"},
				{"1c8fae63-52d4-4097-8b2f-6e31d904c782", "Fließend"},
				{"2700455", "Verhandlungssicher"},
			}, nil},
			{"-1", QuestionCatalog, "Welchen Standort bevorzugen Sie?", []IDLabel{
				{"330071", "Torstraße 201, 10115 Berlin, Deutschland"},
				{"330072", "Mariahilfer Straße 88, 1070 Wien, Österreich"},
				{"330073", "Langstrasse 64, 8004 Zürich, Schweiz"},
			}, nil},
		},
		Nationalities: []IDLabel{{"2800137", "deutsch"}, {"2800138", "österreichisch"}, {"2800139", "schweizerisch"}, {"2800140", "ivorisch"}},
		Timestamp:     Timestamp{time.Date(2025, 4, 16, 11, 22, 33, 444e6, time.UTC)},
		CompanyName:   "Musterbahn Erle SE", CompanyID: "9f3d6a10-7b24-4c58-8e91-a2c4e6f80b13",
		Location: Location{
			"52.531677", "13.396942", "Torstraße 201, 10115 Berlin, Deutschland (Hauptsitz)", "Deutschland",
			"Land Berlin", "Berlin", "10115", "Torstraße 201", nil,
		},
		AdditionalLocations: []Location{
			{"48.197300", "16.345800", "Mariahilfer Straße 88, 1070 Wien, Österreich (Werk)", "Österreich", "Land Wien", "Wien", "1070", "Mariahilfer Straße 88", nil},
			{"47.378411", "8.526133", "Langstrasse 64, 8004 Zürich, Schweiz (Büro)", "Schweiz", "Kanton Zürich", "Zürich", "8004", "Langstrasse 64", nil},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	sameJSON(t, []byte(fmtJSON(t, got)), readFile(t, "jobinfo.json"))
	if lat, long, ok := got.Location.Coordinates(); lat != 52.531677 || long != 13.396942 || !ok {
		t.Errorf("Coordinates = %v, %v, %v", lat, long, ok)
	}
}

// chunked gives r in ways in which networks do.
var chunked = map[string]func(io.Reader) io.Reader{
	"whole":              func(r io.Reader) io.Reader { return r },
	"a byte at a time":   iotest.OneByteReader,
	"half":               iotest.HalfReader,
	"error with data":    iotest.DataErrReader,
	"byte, error at end": func(r io.Reader) io.Reader { return iotest.DataErrReader(iotest.OneByteReader(r)) },
}

// A big page is what the reference makes of it, whole and in pieces.
func TestBigPage(t *testing.T) {
	b := makePage(100)
	want, ok := refDecode[JobSearchResult](b)
	for name, chunk := range chunked {
		got, err := decodeSearch(chunk(bytes.NewReader(b)), decodeLimits{maxBytes: 64 << 20}, nil)
		if !ok || err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		samePage(t, got, want)
	}
}

func TestReaderError(t *testing.T) {
	b := makePage(40)
	for _, cut := range []int{0, 1, 100, 5000, len(b) / 2, len(b) - 1, len(b)} {
		for _, want := range []error{io.ErrUnexpectedEOF, errors.New("reset"), os.ErrDeadlineExceeded} {
			r := io.MultiReader(bytes.NewReader(b[:cut]), iotest.ErrReader(want))
			if _, err := decodeSearch(r, decodeLimits{}, nil); !errors.Is(err, want) || errors.Is(err, ErrDecode) {
				t.Errorf("cut at %d, reader says %v: %v", cut, want, err)
			}
		}
		if cut == len(b) {
			continue
		}
		_, err := decodeSearch(bytes.NewReader(b[:cut]), decodeLimits{}, nil)
		if !errors.Is(err, ErrDecode) || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "ends early") {
			t.Errorf("cut at %d, clean end: %v", cut, err)
		}
	}
}

// wrap puts config, an object, into a page of one posting.
func wrap(config string) string {
	return `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"t","config":` + config + `}]}`
}

func TestSearchRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "ends early"},
		{`null`, "not an object"},
		{`"text"`, "not an object"},
		{`7`, "not an object"},
		{`[]`, "not an object"},
		{`<html>`, "not an object"},
		{`{}`, "totalNumberOfJobs is missing"},
		{`{"totalNumberOfJobs":1}`, "results is missing"},
		{`{"results":[]}`, "totalNumberOfJobs is missing"},
		{`{"results":[],"totalNumberOfJobs":null}`, "totalNumberOfJobs not an integer"},
		{`{"results":[],"totalNumberOfJobs":"many"}`, "totalNumberOfJobs not an integer"},
		{`{"results":[],"totalNumberOfJobs":1e3}`, "totalNumberOfJobs not an integer"},
		{`{"results":[],"totalNumberOfJobs":9223372036854775808}`, "totalNumberOfJobs integer out of range"},
		{`{"results":[],"TotalNumberOfJobs":1}`, "totalNumberOfJobs is missing"},
		{`{"results":[],"totalNumberOfJobs":1,"totalNumberOfJobs":2}`, "totalNumberOfJobs occurs twice"},
		{`{"results":[],"totalNumberOfJobs":1,"results":[]}`, "results occurs twice"},
		{`{"results":[],"totalNumberOfJobs":-1}`, "totalNumberOfJobs integer out of range"},
		{`{"results":[],"totalNumberOfJobs":"-5"}`, "totalNumberOfJobs integer out of range"},
		{`{"results":[],"totalNumberOfJobs":1,"numPages":1,"numPages":1}`, "numPages occurs twice"},
		{`{"results":{},"totalNumberOfJobs":1}`, "results not an array"},
		{`{"results":"","totalNumberOfJobs":1}`, "results not an array"},
		{`{"results":[null],"totalNumberOfJobs":1}`, "results[0] not an object"},
		{`{"results":[[]],"totalNumberOfJobs":1}`, "results[0] not an object"},
		{`{"results":[{}],"totalNumberOfJobs":1}`, "results[0].jobPostingId is missing"},
		{`{"results":[{"title":"t"}],"totalNumberOfJobs":1}`, "results[0].jobPostingId is missing"},
		{`{"results":[{"jobPostingId":1,"title":"a","title":"b"}],"totalNumberOfJobs":1}`, "results[0].title occurs twice"},
		{`{"results":[{"jobPostingId":1,"title":"a","t\u0069tle":"b"}],"totalNumberOfJobs":1}`, "results[0].title occurs twice"},
		{`{"results":[{"jobPostingId":null,"title":"t"}],"totalNumberOfJobs":1}`, "results[0].jobPostingId not an integer"},
		{`{"results":[{"jobPostingId":1.5,"title":"t"}],"totalNumberOfJobs":1}`, "results[0].jobPostingId not an integer"},
		{`{"results":[{"jobPostingId":1,"title":"t"},{"jobPostingId":2,"title":"u"} {"jobPostingId":3,"title":"v"}],"totalNumberOfJobs":1}`, "results not JSON"},
		{`{"results":[{"jobPostingId":1,"title":"t"},],"totalNumberOfJobs":1}`, "results[1] not JSON"},
		{`{"results":[],"totalNumberOfJobs":1} x`, "bytes after the value"},
		{`{"results":[],"totalNumberOfJobs":1}{}`, "bytes after the value"},
		{`{"results":[],"totalNumberOfJobs":1,"more":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "nested too deeply"},
		{`{"results":[],"totalNumberOfJobs":1,"more":` + strings.Repeat("[", 1_000_000), "nested too deeply"},
		{wrap(`{"audience":["a"],"audience":["b"]}`), "results[0].config.audience occurs twice"},
		{wrap(`{"service's own":["a"],"x":[],"service's own":["b"]}`), "results[0].config.* occurs twice"},
		{`{"results":[{"jobPostingId":0,"title":"t"}],"totalNumberOfJobs":1}`, "results[0].jobPostingId not 1 or more"},
		{`{"results":[{"jobPostingId":"-7","title":"t"}],"totalNumberOfJobs":1}`, "results[0].jobPostingId not 1 or more"},
		{`{"results":[{"jobPostingId":9223372036854775808}],"totalNumberOfJobs":1}`, "results[0].jobPostingId integer out of range"},
		{`{"results":[{"jobPostingId":1,"config":null,"config":{}}],"totalNumberOfJobs":1}`, "results[0].config occurs twice"},
		{`{"results":[7,{"jobPostingId":true}],"totalNumberOfJobs":1}`, "results[0] not an object"},
		{wrap(`{"x":{},"x":["a"]}`), "results[0].config.* occurs twice"},
		{wrap(`{"audience":{},"audience":["a"]}`), "results[0].config.audience occurs twice"},
		{wrap(`[07]`), "results[0].config not JSON"},
		{wrap(`{"audience":[-]}`), "results[0].config.audience[0] not JSON"},
		{wrap(`{"audience":truth}`), "results[0].config.audience not JSON"},
		{wrap(`{,"audience":["a"]}`), "results[0].config not JSON"},
		{wrap(`{"audience":["a"],}`), "results[0].config not JSON"},
		{wrap("{\"audience\":[\"a\x00\"]}"), "results[0].config.audience[0] control character"},
	} {
		for name, chunk := range chunked {
			page, err := decodeSearch(chunk(strings.NewReader(c.text)), decodeLimits{}, nil)
			if page != nil || !errors.Is(err, ErrDecode) || errors.Is(err, ErrResponseTooLarge) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%.80s, %s:\n%v, %v; want %s", c.text, name, page, err, c.want)
			}
		}
	}
}

// TestErrorsKeepValues holds that no text of the answer gets into an error.
func TestErrorsKeepValues(t *testing.T) {
	for _, text := range []string{
		`{"totalNumberOfJobs":"s3cret","results":[]}`,
		`{"totalNumberOfJobs":1,"results":"s3cret"}`,
		`{"totalNumberOfJobs":1,"results":[{"jobPostingId":"s3cret"}]}`,
		`{"totalNumberOfJobs":1,"results":[{"jobPostingId":{"s3cret":1}}]}`,
		wrap(`{"s3cret":[01]}`), wrap(`{"s3cret":[],"s3cret":[]}`), wrap(`{"audience":["s3cret",-]}`),
		`{"totalNumberOfJobs":1,"results":["s3cret"]}`, `{"totalNumberOfJobs":1,"results":[{"jobPostingId":"s3cret"},{"jobPostingId":1,"s3cret":-}]}`,
		wrap(`{"listingStartDate":s3cret}`), `{"totalNumberOfJobs":1,"results":[]} s3cret`,
	} {
		if _, err := decodeSearch(strings.NewReader(text), decodeLimits{}, nil); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestManyConfigKeys(t *testing.T) {
	m := map[string][]string{}
	var b strings.Builder
	b.WriteString("{")
	for i := range 1000 {
		key := strings.Repeat("k", i%70) + string(rune('a'+i%26)) + strings.Repeat("x", i/70)
		for m[key] != nil {
			key += "'"
		}
		m[key] = make([]string, i%300)
		for j := range m[key] {
			m[key][j] = key[:j%len(key)]
		}
		text, err := json.Marshal(m[key])
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(quoted(key) + ":" + string(text))
	}
	page := searchOf(t, []byte(wrap(b.String()+"}")))
	got := page.Results[0].Config
	if !got.Equal(NewPostingConfig(m)) || got.Len() != 1000 {
		t.Error("config of 1000 keys differs")
	}
	for key := range m {
		if _, err := decodeSearch(strings.NewReader(wrap(b.String()+","+quoted(key)+":[]}")), decodeLimits{}, nil); !errors.Is(err, ErrDecode) {
			t.Fatalf("%q twice: %v", key, err)
		}
		if len(key) > 40 {
			break
		}
	}
}

func TestOmit(t *testing.T) {
	b := readFile(t, "search_open.json")
	omit := []string{KeyLocation, "platform_keywords", "not there", KeyAdText}
	page, err := decodeSearch(bytes.NewReader(b), decodeLimits{}, omit)
	if err != nil {
		t.Fatal(err)
	}
	want := NewPostingConfig(map[string][]string{
		"ProjectCompanyNameGerman": {""}, "company": {"8841"}, "tags": {}, "sg_remote_status": {"SOMETHING_NEW"},
	})
	if got := page.Results[0].Config; !got.Equal(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// Members left out are not decoded, but must be JSON, apart from the bytes of their texts.
	for text, ok := range map[string]bool{"{\"a\":\"\\x\x01\\\"\",\"audience\":\"\\x\"}": true, `{"a":"\"}`: false, `{"a":7,"audience":{"x":[]}}`: true, `{"a":07}`: false, `{"audience":[}`: false, `{"audience":1,"audience":2}`: false} {
		_, err := decodeSearch(strings.NewReader(wrap(text)), decodeLimits{}, []string{"a", "audience"})
		if ok != (err == nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPostingReader(t *testing.T) {
	b := readFile(t, "search.json")
	want := searchOf(t, b)
	for name, chunk := range chunked {
		p := newPostingReader(chunk(bytes.NewReader(b)), decodeLimits{maxBytes: 1 << 20, maxItem: 1 << 20}, nil)
		for i := range want.Results {
			if _, ok := p.page(); ok {
				t.Errorf("%s: counters before the end", name)
			}
			got, err := p.next()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			samePosting(t, got, &want.Results[i])
		}
		for range 2 {
			if got, err := p.next(); got != nil || err != io.EOF {
				t.Errorf("%s: %v, %v after the end", name, got, err)
			}
		}
		page, ok := p.page()
		page.Results = want.Results
		if !ok || !reflect.DeepEqual(&page, want) {
			t.Errorf("%s: counters %+v, %v", name, page, ok)
		}
		p.close()
		p.close()
		if _, err := p.next(); err != io.EOF {
			t.Errorf("%s: %v after close", name, err)
		}
	}

	// Closed twice, it gave its buffers back once: no two readers share them.
	one, other := newPostingReader(bytes.NewReader(b), decodeLimits{}, nil), newPostingReader(bytes.NewReader(b), decodeLimits{}, nil)
	if one.d == other.d {
		t.Error("two readers have the same buffers")
	}
	one.close()
	other.close()

	// Closed in the middle, it gives nothing more.
	p := newPostingReader(bytes.NewReader(b), decodeLimits{}, nil)
	if _, err := p.next(); err != nil {
		t.Fatal(err)
	}
	p.close()
	if got, err := p.next(); got != nil || err == nil || err == io.EOF {
		t.Errorf("after close: %v, %v", got, err)
	}
	if _, ok := p.page(); ok {
		t.Error("counters of a page that was not read")
	}

	// An error stays, and comes before the posting it is in.
	p = newPostingReader(strings.NewReader(`{"results":[{"jobPostingId":1,"title":"a"},{"jobPostingId":2,"title":"b"}`), decodeLimits{}, nil)
	for i := range 4 {
		got, err := p.next()
		if i < 2 != (err == nil) || i < 2 && got.JobPostingID != JobPostingID(i+1) || i >= 2 && (got != nil || !errors.Is(err, ErrDecode)) {
			t.Errorf("posting %d: %v, %v", i, got, err)
		}
	}
	// Missing counters show at the end.
	p = newPostingReader(strings.NewReader(`{"results":[{"jobPostingId":1,"title":"a"}]}`), decodeLimits{}, nil)
	if _, err := p.next(); err != nil {
		t.Error(err)
	}
	if _, err := p.next(); !errors.Is(err, ErrDecode) {
		t.Errorf("page without counters: %v", err)
	}
}

// TestPostingsAsTheyArrive holds that a posting is handed out as soon as its
// last byte is there.
func TestPostingsAsTheyArrive(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	p := newPostingReader(r, decodeLimits{}, nil)
	defer p.close()
	for i, part := range []string{`{"results":[{"jobPostingId":1,"title":"a"}`, `,{"jobPostingId":2,"title":"b","jobStartDate":7}`} {
		go func() { _, _ = io.WriteString(w, part) }()
		got, err := p.next()
		if err != nil || got.JobPostingID != JobPostingID(i+1) {
			t.Fatalf("%v, %v", got, err)
		}
	}
}

func TestSizes(t *testing.T) {
	posting := `{"jobPostingId":1,"title":"` + strings.Repeat("x", 3000) + `"}`
	text := `{"totalNumberOfJobs":3,"results":[` + posting + `, ` + posting + `,` + posting + `]}`
	for extra := -1; extra <= 1; extra++ {
		_, err := decodeSearch(strings.NewReader(text), decodeLimits{maxBytes: int64(len(text) + extra)}, nil)
		if extra < 0 != errors.Is(err, ErrResponseTooLarge) || extra >= 0 && err != nil || errors.Is(err, ErrDecode) {
			t.Errorf("page %d over its bound: %v", -extra, err)
		}
		p := newPostingReader(strings.NewReader(text), decodeLimits{1 << 20, len(posting) + extra}, nil)
		_, err = p.next()
		if extra < 0 != errors.Is(err, ErrResponseTooLarge) || extra >= 0 && err != nil {
			t.Errorf("posting %d over its bound: %v", -extra, err)
		}
		p.close()
	}
	// One large posting alone may fill the bound.
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20, 5 << 20} {
		text := wrap(`{"audience":["` + strings.Repeat("é", size/2) + `"]}`)
		page, err := decodeSearch(strings.NewReader(text), decodeLimits{maxBytes: int64(len(text))}, nil)
		if err != nil || len(page.Results[0].Config.First("audience")) != size {
			t.Errorf("posting of %d bytes: %v", size, err)
		}
	}
}

// TestLargeAds streams postings around their bound: one that is over it comes without its
// advertisement, wherever that stands, and costs the others nothing.
func TestLargeAds(t *testing.T) {
	const bound = 100 << 10
	text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	around := func(config string) string {
		return `{"jobPostingId":7,"config":{` + config + `"audience":["a"]},"title":"t"}`
	}
	const key = `"other_internalAdText":`
	whole := func(value func(n int) string, rest string) string { // one that fills the bound
		empty := around(rest + key + value(0) + `,`)
		return around(rest + key + value(bound-len(empty)) + `,`)
	}
	list := func(n int) string { return `[` + text(n) + `]` }
	halves := func(n int) string { return `[` + text(n/2) + `,` + text(n-n/2) + `]` }
	many := func(n int) string { return `[` + strings.Repeat(`"xyz",`, n/6) + text(n%6) + `]` }
	for name, c := range map[string]struct {
		posting string
		fits    bool
	}{
		"at the bound":             {whole(list, ""), true},
		"one byte more":            {whole(func(n int) string { return list(n + min(n, 1)) }, ""), false},
		"two halves":               {whole(halves, ""), true},
		"two halves and one":       {whole(func(n int) string { return halves(n + min(n, 1)) }, ""), false},
		"a string, no list":        {whole(text, ""), true},
		"endless":                  {around(key + list(50*bound) + `,`), false},
		"endless beside others":    {around(key + list(30*bound) + `,"b":["x"],"c_internalAdText":` + list(30*bound) + `,`), false},
		"two that fit alone":       {around(key + list(bound*2/3) + `,"c_internalAdText":` + list(bound*2/3) + `,`), false},
		"the rest comes behind it": {around(key + list(bound*9/10) + `,"b":` + list(bound*9/10) + `,`), false},
		"the rest comes before it": {around(`"b":` + list(bound*9/10) + `,` + key + list(bound*9/10) + `,`), false},
		"many strings":             {around(key + many(30*bound) + `,`), false},
		"bytes that are no text":   {around(key + list(0)[:2] + strings.Repeat("\xff", bound*3/2) + `"],`), false},
		"cut off by the window":    {around(key + strings.Repeat(" ", 2*bound) + list(1) + `,`), false},
	} {
		page := `{"totalNumberOfJobs":3,"results":[` + around("") + `,` + c.posting + `,` + around("") + `]}`
		for by, chunk := range chunked {
			p := newPostingReader(chunk(strings.NewReader(page)), decodeLimits{1 << 30, bound}, nil)
			var got []*JobPosting
			for {
				posting, err := p.next()
				if err != nil {
					if err != io.EOF {
						t.Errorf("%s, %s: %v", name, by, err)
					}
					break
				}
				got = append(got, posting)
			}
			p.close()
			if len(got) != 3 {
				t.Errorf("%s, %s: %d postings", name, by, len(got))
				continue
			}
			for i, posting := range got {
				ads := 0
				for key := range posting.Config.All() {
					if strings.HasSuffix(key, adSuffix) {
						ads++
					}
				}
				if omitted := i == 1 && !c.fits; posting.AdTooLarge != omitted || omitted && ads > 0 || i == 1 && c.fits && ads == 0 {
					t.Errorf("%s, %s, posting %d: advertisement left out: %v, %d there", name, by, i, posting.AdTooLarge, ads)
				}
				if posting.Config.First("audience") != "a" || posting.Title != "t" {
					t.Errorf("%s, %s, posting %d: %v", name, by, i, posting.Title)
				}
			}
		}
	}
	// Members left out on request do not count against the bound, kept members do.
	for posting, want := range map[string]error{
		around(`"b":` + list(2*bound) + `,`):   nil,
		around(`"c":` + list(bound) + `,`):     ErrResponseTooLarge,
		around(`"c":` + list(bound*3/4) + `,`): nil,
	} {
		p := newPostingReader(strings.NewReader(`{"totalNumberOfJobs":1,"results":[`+posting+`]}`), decodeLimits{1 << 30, bound}, []string{"b"})
		if _, err := p.next(); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		p.close()
	}
}

// endless repeats a text for ever.
type endless struct {
	text string
	n    int
}

func (r *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		m := copy(p[n:], r.text[r.n:])
		r.n = (r.n + m) % len(r.text)
		n += m
	}
	return n, nil
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// hostile are pages that never end, and their beginnings.
var hostile = []struct{ start, rest string }{
	{`{"x":"`, "unwanted text "},
	{`{"x":[`, `[],`},
	{`{"x":{`, `"k":{},`},
	{`{`, `"x":1,`},
	{`{"`, `a long key`},
	{`{"totalNumberOfJobs":`, `1`},
	{`{"totalNumberOfJobs":"`, `1`},
	{`{"results":[`, `{"jobPostingId":1,"title":""},`},
	{`{"results":[`, `{"jobPostingId":1,"title":"","config":{"a":""}},`},
	{`{"results":[{"title":"`, `text`},
	{`{"results":[{"title":"`, "\xff"},
	{`{"results":[{"title":"`, `\ud800`},
	{`{"results":[{"title":"`, `\n`},
	{`{"results":[{"x":"`, `text`},
	{`{"results":[{"config":{"a":[`, `"",`},
	{`{"results":[{"config":{"a":[`, `null,`},
	{`{"results":[{"config":{"a":[`, `"text",`},
	{`{"results":[{"config":{"a":"`, `text`},
	{`{"results":[{"config":{"`, `long key`},
	{`{"results":[{"config":{"platform_internalAdText":["`, `text`},
	{`{"results":[{"config":{"platform_internalAdText":["`, "\xff"},
	{`{"results":[{"config":{"platform_internalAdText":[`, `"",`},
	{`{"results":[{"config":{"platform_internalAdText":[`, `"a longer text",`},
	{`{"results":[{"jobPostingId":1,"title":"","config":{`, `"a_internalAdText":[""],`},
	{`{"results":[{"jobStartDate":"`, `2026`},
	{`{"results":[{"jobPostingId":`, `9`},
}

// distinctKeys is a config that never ends, of keys that are all different.
type distinctKeys struct{ n int }

func (r *distinctKeys) Read(p []byte) (int, error) {
	b := p[:0]
	for len(p)-len(b) > 24 {
		r.n++
		b = append(b, '"')
		b = strconv.AppendInt(b, int64(r.n), 36)
		b = append(b, `":[],`...)
	}
	return len(b), nil
}

// TestHostileMemory holds what an answer may make us allocate: two and a half
// times its bound for a page.
func TestHostileMemory(t *testing.T) {
	bound, body := int64(8<<20), 4<<20
	if raceEnabled { // one goroutine, which the detector makes ten times as slow
		bound, body = 1<<20, 1<<20
	}
	check := func(name string, r func() io.Reader) {
		var err error
		if n := allocated(func() { _, err = decodeSearch(r(), decodeLimits{maxBytes: bound}, nil) }); !raceEnabled && n > bound*5/2 {
			t.Errorf("%s: %d bytes allocated, %.2f times the bound", name, n, float64(n)/float64(bound))
		}
		if !errors.Is(err, ErrResponseTooLarge) && !errors.Is(err, ErrDecode) {
			t.Errorf("%s: %v", name, err)
		}
		if n := allocated(func() {
			p := newPostingReader(r(), decodeLimits{bound, 1 << 20}, []string{"omitted"})
			defer p.close()
			for err = nil; err == nil; {
				_, err = p.next()
			}
		}); !raceEnabled && !strings.Contains(name, "jobPostingId\":1") && n > 4<<20 {
			t.Errorf("%s: %d bytes allocated for a stream of postings of 1 MiB", name, n)
		}
		if !errors.Is(err, ErrResponseTooLarge) && !errors.Is(err, ErrDecode) {
			t.Errorf("%s, stream: %v", name, err)
		}
	}
	for _, h := range hostile {
		check(h.start+h.rest, func() io.Reader { return io.MultiReader(strings.NewReader(h.start), &endless{text: h.rest}) })
	}
	check("distinct keys", func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"results":[{"config":{`), &distinctKeys{})
	})

	// A job information is small, and may take more for its size.
	for _, h := range []struct{ start, rest string }{
		{`{"nationalities":[`, `{},`},
		{`{"nationalities":[`, `{"id":"","label":""},`},
		{`{"nationalities":[{"label":"`, `text`},
		{`{"nationalities":[{"label":"\n`, "\xff"},
		{`{"nationalities":[{"label":"\n`, "text"},
		{`{"questions":[`, `{},`},
		{`{"questions":[{"answers":[`, `{},`},
		{`{"questions":[{"label":"`, `\n`},
		{`{"additionalLocations":[`, `{},`},
		{`{"jobTitle":"`, "\xff"},
		{`{"companyId":`, `1`},
	} {
		b := append(make([]byte, 0, body), h.start...)
		for len(b)+len(h.rest) < body {
			b = append(b, h.rest...)
		}
		if n := allocated(func() { _, _ = decodeJobInformation(b, new(catalogueCache)) }); n > int64(body)*5 {
			t.Errorf("%s%s: %d bytes allocated", h.start, h.rest, n)
		}
	}
}

// heapInUse returns how many bytes are in use.
func heapInUse() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestKeepsNoPage keeps one title of each of many pages.
func TestKeepsNoPage(t *testing.T) {
	b := makePage(100)
	before := heapInUse()
	const pages = 20
	titles := make([]string, 0, pages)
	for i := range pages {
		titles = append(titles, searchOf(t, b).Results[i].Title)
	}
	// A posting takes some 8 KB at most, a page 480 KB.
	if after := heapInUse(); after > before+pages*8<<10+64<<10 {
		t.Errorf("%d titles keep %d bytes", pages, after-before)
	}
	runtime.KeepAlive(titles)
}

// A stream takes the same memory whether it has a hundred postings or ten thousand.
func TestStreamKeepsNoPosting(t *testing.T) {
	const posting = `{"jobPostingId":1,"title":"t","config":{"platform_internalAdText":["a text"],"company":["c"]},"unknown":[1,2]},`
	p := newPostingReader(io.MultiReader(strings.NewReader(`{"results":[`), &endless{text: posting}), decodeLimits{}, nil)
	defer p.close()
	var before uint64
	for i := range 10_000 {
		if _, err := p.next(); err != nil {
			t.Fatal(err)
		}
		if i == 100 {
			before = heapInUse()
		}
	}
	if after := heapInUse(); after > before+64<<10 {
		t.Errorf("%d bytes are kept after 10 000 postings, %d after 100", after, before)
	}
}

// TestKeepsNoAdvertisement keeps postings whose advertisement is over the bound of one.
func TestKeepsNoAdvertisement(t *testing.T) {
	const postings, ad, bound = 100, 400 << 10, 200 << 10
	page := `{"totalNumberOfJobs":100,"results":[` + strings.Repeat(
		`{"jobPostingId":1,"title":"t","config":{"company":["c"],"platform_internalAdText":["`+strings.Repeat("x", ad)+`"]}},`, postings-1) +
		`{"jobPostingId":1,"title":"t"}]}`
	p := newPostingReader(strings.NewReader(page), decodeLimits{maxItem: bound}, nil)
	defer p.close()
	var kept []*JobPosting
	before := heapInUse()
	for range postings {
		posting, err := p.next()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, posting)
	}
	if !kept[0].AdTooLarge || kept[0].Config.Len() != 1 {
		t.Errorf("%+v", kept[0])
	}
	if each := (int64(heapInUse()) - int64(before)) / postings; each > 8<<10 {
		t.Errorf("a posting keeps %d bytes", each)
	}
	runtime.KeepAlive(kept)
}

func TestAllocs(t *testing.T) {
	const n = 1000
	page := makePage(n)
	check := func(name string, most float64, f func()) {
		if got := testing.AllocsPerRun(5, f); got > most {
			t.Errorf("%s: %v allocations, want at most %v", name, got, most)
		}
	}
	check("page kept", 2*n+60, func() { searchOf(t, page) })
	stream := func(omit ...string) func() {
		return func() {
			p := newPostingReader(bytes.NewReader(page), decodeLimits{}, omit)
			defer p.close()
			for {
				if _, err := p.next(); err != nil {
					if err != io.EOF {
						t.Fatal(err)
					}
					return
				}
			}
		}
	}
	check("page streamed", 3*n+60, stream())
	check("page streamed without ad text", 3*n+60, stream(KeyAdText))
	if raceEnabled {
		return
	}
	info := makeInfo(1, 1)
	cat := new(catalogueCache)
	check("job information, known catalogue", 7, func() { _, _ = decodeJobInformation(info, cat) })
	check("job information, new catalogue", 14, func() { _, _ = decodeJobInformation(info, new(catalogueCache)) })
	// Keys that no table has are shared, too.
	open := []byte(`{"totalNumberOfJobs":1,"results":[` + strings.Repeat(`{"jobPostingId":1,"title":"t","config":{"one_key":["a"],"another_key":["b"],"x":["c"]}},`, n) + `{"jobPostingId":1,"title":"t"}]}`)
	check("open keys", 2*n+60, func() { searchOf(t, open) })
}

// What an answer leaves out is written with its empty value.
func TestJobInformationMinimal(t *testing.T) {
	minimal := infoOf(t, readFile(t, "jobinfo_minimal.json"))
	if want := (&JobInformation{JobID: 5310484, JobTitle: "Cook"}); !reflect.DeepEqual(minimal, want) {
		t.Errorf("got  %+v\nwant %+v", minimal, want)
	}
	sameJSON(t, []byte(fmtJSON(t, minimal)), []byte(`{"jobId":5310484,"jobTitle":"Cook","jobLanguage":"","applyPossible":false,
		"dataSecurityLink":"","questions":[],"nationalities":[],"timestamp":null,"companyName":"","companyId":"",
		"location":{"geoLat":"","geoLong":"","geoName":"","geoCountry":"","geoState":"","geoCity":"","geoZip":"","geoStreet":""},
		"additionalLocations":[]}`))
}

func TestJobInformationRefuses(t *testing.T) {
	// with adds a member to an object that is complete without it.
	with := func(member string) string { return `{"jobId":1,"jobTitle":"t","applyPossible":true,` + member + `}` }
	for _, c := range []struct{ text, want string }{
		{``, "ends early"},
		{`null`, "not an object"},
		{`"ERROR_JOB_INACTIVE"`, "not an object"},
		{`{}`, "jobId is missing"},
		{`{"jobId":1,"applyPossible":true}`, "jobTitle is missing"},
		{`{"jobId":1,"jobTitle":"t"}`, "applyPossible is missing"},
		{`{"jobTitle":"t","applyPossible":true}`, "jobId is missing"},
		{`{"jobId":null,"jobTitle":"t","applyPossible":true}`, "jobId not an integer"},
		{`{"jobId":1,"jobTitle":"t","applyPossible":null}`, "applyPossible not true or false"},
		{`{"jobId":1,"jobTitle":"t","applyPossible":"true"}`, "applyPossible not true or false"},
		{`{"jobId":1,"jobTitle":"t","applyPossible":1}`, "applyPossible not true or false"},
		{`{"jobId":1,"jobTitle":"t","ApplyPossible":true}`, "applyPossible is missing"},
		{with(`"jobId":2`), "jobId occurs twice"},
		{with(`"companyName":"a","companyName":"b"`), "companyName occurs twice"},
		{with(`"questions":{}`), "questions not an array"},
		{with(`"questions":[null]`), "questions[0] not an object"},
		{with(`"questions":[{},{"answers":[{},7]}]`), "questions[1].answers[1] not an object"},
		{with(`"questions":[{"id":[]}]`), "questions[0].id not a string"},
		{with(`"questions":[{"label":{}}]`), "questions[0].label not a string"},
		{with(`"questions":[{"type":` + strings.Repeat("1", 100) + `}]`), "questions[0].type number too long"},
		{with(`"questions":[{"answers":{}}]`), "questions[0].answers not an array"},
		{with(`"questions":[{"answers":[{"label":[]}]}]`), "questions[0].answers[0].label not a string"},
		{with(`"companyName":[0}`), "companyName not JSON"},
		{with(`"timestamp":1e`), "timestamp not JSON"},
		{with(`"location":[`), "location not JSON"},
		{with(`"questions":[{"id":"1","id":"2"}]`), "questions[0].id occurs twice"},
		{with(`"questions":[{"answers":[{"id":"1","id":"2"}]}]`), "questions[0].answers[0].id occurs twice"},
		{with(`"nationalities":[{"id":"1","label":"a"}{"id":"2","label":"b"}]`), "nationalities not JSON"},
		{with(`"nationalities":[{"id":"1","label":"a"},]`), "nationalities[1] not JSON"},
		{with(`"x":1`) + "x", "bytes after the value"},
		{with(`"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64)), "nested too deeply"},
	} {
		j, err := decodeJobInformation([]byte(c.text), new(catalogueCache))
		if j != nil || !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.120s:\n%v, %v; want %s", c.text, j, err, c.want)
		}
	}
	// A complete one that is cut off anywhere is refused.
	whole := bytes.TrimSpace(readFile(t, "jobinfo.json"))
	for i := range whole {
		if _, err := decodeJobInformation(whole[:i], nil); !errors.Is(err, ErrDecode) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

func TestDecodeBool(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "false": false, " true\n": true, "\t\r\nfalse ": false, "\ufefftrue": true} {
		if got, err := decodeBool([]byte(text)); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", " ", "null", `"true"`, "1", "0", "TRUE", "True", "truefalse", "true false", "tru", "truex", "[true]", `{"applied":true}`,
		"true\x00", "true\xff", "\xfftrue", "\ufeff\ufefftrue", "ERROR", "<html>",
	} {
		if got, err := decodeBool([]byte(text)); got || !errors.Is(err, ErrDecode) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestStoreAndReload(t *testing.T) {
	page, info := searchOf(t, makePage(30)), infoOf(t, makeInfo(1, 2))
	var again JobSearchResult
	var posting JobPosting
	var info2 JobInformation
	for _, kept := range []struct{ was, is any }{{page, &again}, {&page.Results[7], &posting}, {info, &info2}} {
		if err := json.Unmarshal([]byte(fmtJSON(t, kept.was)), kept.is); err != nil || !reflect.DeepEqual(kept.was, kept.is) {
			t.Errorf("a %T differs after it was stored: %v", kept.was, err)
		}
	}

	// By value and by pointer, in a list, and null, which changes nothing.
	list := []JobPosting{}
	if err := json.Unmarshal([]byte(`[{"jobPostingId":1,"title":"a"},null]`), &list); err != nil || len(list) != 2 || list[0].Title != "a" {
		t.Errorf("%v, %v", list, err)
	}
	for _, v := range []any{&posting, &info2, &again} {
		before := fmtJSON(t, v)
		if err := json.Unmarshal([]byte("null"), v); err != nil || fmtJSON(t, v) != before {
			t.Errorf("null into %T: %v", v, err)
		}
		if err := json.Unmarshal([]byte("{}"), v); !errors.Is(err, ErrDecode) || fmtJSON(t, v) != before {
			t.Errorf("{} into %T: %v", v, err)
		}
	}
}

func fmtJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPartial(t *testing.T) {
	three := make([]JobPosting, 3)
	for _, c := range []struct {
		page JobSearchResult
		want bool
	}{
		{JobSearchResult{}, false},
		{JobSearchResult{TotalNumberOfJobs: 3, NumPages: 1, Results: three}, false},
		{JobSearchResult{TotalNumberOfJobs: 4, NumPages: 1, Results: three}, true},
		{JobSearchResult{TotalNumberOfJobs: 3, NumPages: 2, Results: three}, true},
		{JobSearchResult{TotalNumberOfJobs: 3, Results: three}, false},
		{JobSearchResult{TotalNumberOfJobs: 1}, true},
	} {
		if got := c.page.Partial(); got != c.want {
			t.Errorf("%+v: %v", c.page, got)
		}
	}
}

// TestEveryBudget lets memory run out everywhere.
func TestEveryBudget(t *testing.T) {
	info := []byte(`{"jobId":1,"jobTitle":"` + strings.Repeat("long ", 10_000) + `","applyPossible":true,"nationalities":[{"id":"1","label":"\n` + strings.Repeat("long ", 10_000) + `"},{"id":"2","label":"b"}],
		"questions":[{"id":"1","answers":[{"id":"x"}]}],"additionalLocations":[{"geoCity":"a","geoCountry":"b"}],"companyName":"` + strings.Repeat("long ", 10_000) + `"}`)
	posting := []byte(`{"jobPostingId":1,"title":"` + strings.Repeat("long ", 10_000) + `","config":{"audience":["a","b"],"x":["` + strings.Repeat("long ", 10_000) + `"]}}`)
	for _, c := range []struct {
		text []byte
		read func(text []byte, budget int64) error
	}{
		{info, func(text []byte, budget int64) error {
			d := new(infoDecoder)
			d.start(text)
			d.Budget = budget
			d.readInfo(new(JobInformation), new(catalogueCache))
			return d.err()
		}},
		{posting, func(text []byte, budget int64) error {
			d := new(postingDecoder)
			d.start(text)
			d.Budget = budget
			d.readPosting(new(JobPosting))
			return d.err()
		}},
		{posting[bytes.Index(posting, []byte(`{"audience"`)) : len(posting)-1], func(text []byte, budget int64) error {
			d := new(postingDecoder)
			d.start(text)
			d.Budget = budget
			d.readConfig()
			d.config.Join(&d.Reader, &d.item)
			return d.err()
		}},
	} {
		enough, step := false, int64(391)
		if raceEnabled {
			step *= 10
		}
		for budget := int64(0); budget < 800_000; budget += step {
			if err := c.read(c.text, budget); err == nil {
				enough = true
			} else if enough || !errors.Is(err, ErrResponseTooLarge) {
				t.Fatalf("budget %d: %v", budget, err)
			}
		}
		if !enough {
			t.Error("no budget was enough")
		}
	}
}

// TestUnknownMembersAmongKnown puts members of every kind that the interface does
// not show first, between and last into every object. What is known stays the same.
func TestUnknownMembersAmongKnown(t *testing.T) {
	const unknown = `"new":{"id":"x","label":["\"]}",{}],"title":null,"geoCity":1.5e3},"n":[[],true]`
	with := func(text string) string {
		text = strings.ReplaceAll(text, `{"`, `{`+unknown+`,"`)
		text = strings.ReplaceAll(text, `"}`, `",`+strings.ReplaceAll(unknown, `"n`, `"m`)+`}`)
		return strings.ReplaceAll(text, `","label":`, `",`+strings.ReplaceAll(unknown, `"n`, `"o`)+`,"label":`)
	}
	const info = `{"jobId":1,"jobTitle":"t","applyPossible":true,"questions":[{"id":"1","type":"YESNO","label":"q","answers":[{"id":"2","label":"a"}]}],` +
		`"nationalities":[{"id":"3","label":"b"},{"id":"4","label":"c"},{"id":"5","label":"d"}],"location":{"geoCity":"e"},` +
		`"additionalLocations":[{"geoZip":"1","geoCity":"f"}],"companyName":"g"}`
	got := infoOf(t, []byte(with(info)))
	if len(got.Unknown) != 4 || len(got.Questions[0].Unknown) != 4 || len(got.Location.Unknown) != 4 || len(got.AdditionalLocations[0].Unknown) != 4 {
		t.Errorf("kept %s, %s, %s, %s", got.Unknown, got.Questions[0].Unknown, got.Location.Unknown, got.AdditionalLocations[0].Unknown)
	}
	got.Unknown, got.Questions[0].Unknown, got.Location.Unknown, got.AdditionalLocations[0].Unknown = nil, nil, nil, nil
	if want := infoOf(t, []byte(info)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	const page = `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"t","applyOnlineLink":"l"}],"actualPage":"7"}`
	found := searchOf(t, []byte(with(page)))
	if len(found.Unknown) != 4 || len(found.Results[0].Unknown) != 4 {
		t.Errorf("kept %s, %s", found.Unknown, found.Results[0].Unknown)
	}
	found.Unknown, found.Results[0].Unknown = nil, nil
	samePage(t, found, searchOf(t, []byte(page)))
	if with(page) == page || strings.Count(with(info), `"new"`) != 8 {
		t.Fatal("nothing was put in")
	}
}

func TestDecodeRaw(t *testing.T) {
	brackets := strings.Repeat(`[{`, 100)
	for text, want := range map[string]string{
		"": "", " \n": "", "\ufeff null ": "null", "7": "7", `{"a":[1]}`: `{"a":[1]}`,
		`{"rss":"` + brackets + `","e\"[":"\\","x":"` + `\"` + brackets + `"}`: `{"rss":"` + brackets + `","e\"[":"\\","x":"` + `\"` + brackets + `"}`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64):                      strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		if got, err := decodeRaw([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%.80q: %.80q, %v", text, got, err)
		}
	}
	for _, text := range []string{"<html>", "{", "1 2", `"\x0041"`, "\ufeff\ufeff1", strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat("[", 1_000_000)} {
		if got, err := decodeRaw([]byte(text)); !errors.Is(err, ErrDecode) {
			t.Errorf("%.80q: %.80q, %v", text, got, err)
		}
	}
}

// Three short members that the interface does not name take no more allocations than one, and
// none is changed by what is appended to another.
func TestUnknownMembersShareAnArray(t *testing.T) {
	reads := func(more string) (allocations float64, unknown unknownMembers) {
		text := []byte(`{"jobPostingId":1,"postingVersionId":2,"title":"t","applyOnlineLink":"","config":{},"jobStartDate":3,` +
			`"postingVersionStartDate":4,"postingVersionEndDate":5` + more + "}")
		allocations = testing.AllocsPerRun(100, func() {
			p := new(JobPosting)
			if err := p.UnmarshalJSON(text); err != nil {
				t.Fatal(err)
			}
			unknown = p.Unknown
		})
		return allocations, unknown
	}
	one, _ := reads(`,"salaryBand":"B7"`)
	three, unknown := reads(`,"salaryBand":"B7","shift":["early","late"],"remote":true`)
	t.Logf("figure: %.0f allocations with one unknown member, %.0f with three", one, three)
	if three > one && !raceEnabled {
		t.Errorf("%.0f allocations with one unknown member, %.0f with three", one, three)
	}
	_ = append(unknown["salaryBand"], "overwritten"...)
	want := unknownMembers{"salaryBand": json.RawMessage(`"B7"`), "shift": json.RawMessage(`["early","late"]`), "remote": json.RawMessage("true")}
	if !reflect.DeepEqual(unknown, want) {
		t.Errorf("%s; want %s", unknown, want)
	}
}
