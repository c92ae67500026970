package jobboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
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

	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, b, readFile(t, "search.json"))

	start, err := got.Results[0].Config.ListingStartDate()
	if want := time.Date(2025, 3, 10, 8, 0, 0, 1e6, time.UTC); err != nil || !start.Equal(want) {
		t.Errorf("ListingStartDate = %v, %v; want %v", start, err, want)
	}
}

func samePage(t testing.TB, got, want *JobSearchResult) {
	t.Helper()
	g, w := *got, *want
	g.Results, w.Results = nil, nil
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
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %+v\nwant %+v", g, w)
	}
}

func TestSearchLenient(t *testing.T) {
	minimal := searchOf(t, readFile(t, "search_minimal.json"))
	samePage(t, minimal, &JobSearchResult{TotalNumberOfJobs: 1, Results: []JobPosting{{JobPostingID: 41880218, Title: "Gardener"}}})
	if minimal.Partial() {
		t.Error("a page of 1 of 1 is partial")
	}

	nulls := searchOf(t, readFile(t, "search_nulls.json"))
	samePage(t, nulls, &JobSearchResult{TotalNumberOfJobs: 2, Results: []JobPosting{
		{JobPostingID: 41880219, Title: "Florist"},
		{JobPostingID: 41880220, Title: "Baker", Config: NewPostingConfig(map[string][]string{"location": {}, "ProjectNumber": {"P-2023-0008"}})},
	}})

	open := searchOf(t, readFile(t, "search_open.json"))
	samePage(t, open, &JobSearchResult{
		ItemsPerPage: 50, NumPages: 1, FirstPostingOnPage: 1, LastPostingOnPage: 1, TotalNumberOfJobs: 1,
		Results: []JobPosting{{
			JobPostingID: 41880221, PostingVersionID: 60377110,
			Title: `Teacher – "Müller\School"`, ApplyOnlineLink: "https://jobs.example.com/apply/41880221",
			Config: NewPostingConfig(map[string][]string{
				"ProjectCompanyNameGerman": {""}, "company": {"8841"}, "platform_keywords": {"teaching", "physics", "part time"},
				"location": {"2904", "2905"}, "tags": {}, "sg_remote_status": {"SOMETHING_NEW"},
			}),
			PostingVersionStartDate: 1735065900126,
		}},
	})

	for _, name := range []string{"search_empty.json", "search_results_null.json"} {
		page := searchOf(t, readFile(t, name))
		if len(page.Results) != 0 || page.ItemsPerPage != 20 || page.Partial() {
			t.Errorf("%s: %+v", name, page)
		}
		b, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, b, readFile(t, "search_empty.json"))
	}
}

func TestJobInformationFile(t *testing.T) {
	got := infoOf(t, readFile(t, "jobinfo.json"))
	want := &JobInformation{
		JobID: 5310482, JobTitle: "Softwareentwickler (m/w/d) für Straßenbahnen", JobLanguage: "de", ApplyPossible: true,
		DataSecurityLink: "https://privacy.example.com/policy?company=19&lang=german",
		Questions: []Question{
			{"8", QuestionYesNo, "Besitzen Sie eine Fahrerlaubnis?", []IDLabel{{"2900101", "Ja"}, {"2900100", "Nein"}}},
			{"9", QuestionText, "Ihr frühester Eintrittstermin?", nil},
			{"10", QuestionTextArea, "Was reizt Sie an dieser Aufgabe?", nil},
			{"11", QuestionCatalog, "Wie gut ist Ihr Englisch?", []IDLabel{
				{"0b7e9d52-41c3-4f86-9a1e-5d20c8f3b671", "Grundkenntnisse"},
				{"1c8fae63-52d4-4097-8b2f-6e31d904c782", "Fließend"},
				{"2700455", "Verhandlungssicher"},
			}},
			{"-1", QuestionCatalog, "Welchen Standort bevorzugen Sie?", []IDLabel{
				{"330071", "Torstraße 201, 10115 Berlin, Deutschland"},
				{"330072", "Mariahilfer Straße 88, 1070 Wien, Österreich"},
				{"330073", "Langstrasse 64, 8004 Zürich, Schweiz"},
			}},
		},
		Nationalities: []IDLabel{{"2800137", "deutsch"}, {"2800138", "österreichisch"}, {"2800139", "schweizerisch"}, {"2800140", "ivorisch"}},
		Timestamp:     Timestamp{time.Date(2025, 4, 16, 11, 22, 33, 444e6, time.UTC)},
		CompanyName:   "Musterbahn Erle SE", CompanyID: "9f3d6a10-7b24-4c58-8e91-a2c4e6f80b13",
		Location: Location{
			"52.531677", "13.396942", "Torstraße 201, 10115 Berlin, Deutschland (Hauptsitz)", "Deutschland",
			"Land Berlin", "Berlin", "10115", "Torstraße 201",
		},
		AdditionalLocations: []Location{
			{"48.197300", "16.345800", "Mariahilfer Straße 88, 1070 Wien, Österreich (Werk)", "Österreich", "Land Wien", "Wien", "1070", "Mariahilfer Straße 88"},
			{"47.378411", "8.526133", "Langstrasse 64, 8004 Zürich, Schweiz (Büro)", "Schweiz", "Kanton Zürich", "Zürich", "8004", "Langstrasse 64"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, b, readFile(t, "jobinfo.json"))
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

func TestChunks(t *testing.T) {
	for _, b := range [][]byte{readFile(t, "search.json"), readFile(t, "search_open.json"), makePage(60)} {
		want := searchOf(t, b)
		for name, chunk := range chunked {
			t.Run(name, func(t *testing.T) {
				got, err := decodeSearch(chunk(bytes.NewReader(b)), decodeLimits{maxBytes: 64 << 20}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Error("differs from the page read at once")
				}
			})
		}
	}
}

func TestBigPage(t *testing.T) {
	b := makePage(300)
	got := searchOf(t, b)
	var want plainPage
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if len(got.Results) != len(want.Results) {
		t.Fatalf("%d postings, want %d", len(got.Results), len(want.Results))
	}
	for i, w := range want.Results {
		samePosting(t, &got.Results[i], &JobPosting{
			JobPostingID: JobPostingID(w.JobPostingID), PostingVersionID: PostingVersionID(w.PostingVersionID),
			Title: w.Title, ApplyOnlineLink: w.ApplyOnlineLink, Config: NewPostingConfig(w.Config),
			JobStartDate: Millis(w.JobStartDate), PostingVersionStartDate: Millis(w.PostingVersionStartDate),
			PostingVersionEndDate: Millis(w.PostingVersionEndDate),
		})
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
