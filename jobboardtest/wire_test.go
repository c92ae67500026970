package jobboardtest_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The mock server is held against bodies that were typed by hand from the tables of the
// interface: it gets the values, and must know the names by itself.

// typed returns a body that was typed by hand.
func typed(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// get fetches an address with a credential: "" for none, "id:" for Basic, else
// a bearer token.
func get(t *testing.T, srv *jobboardtest.Server, url, credential string) (*http.Response, []byte) {
	t.Helper()
	return do(t, srv, http.MethodGet, url, credential, "")
}

func do(t *testing.T, srv *jobboardtest.Server, method, url, credential, body string) (*http.Response, []byte) {
	t.Helper()
	return send(t, srv, method, url, credentialHeader(credential), body)
}

func credentialHeader(credential string) http.Header {
	switch {
	case credential == "":
		return http.Header{}
	case strings.HasSuffix(credential, ":"):
		return basicHeader(credential)
	}
	return http.Header{"Authorization": {"Bearer " + credential}}
}

// basicHeader returns a Basic credential unescaped, even one without a colon.
func basicHeader(credential string) http.Header {
	return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(credential))}}
}

func formHeader() http.Header {
	return http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
}

// lastRequest returns the newest entry of the journal.
func lastRequest(srv *jobboardtest.Server) jobboardtest.Request {
	all := srv.Requests()
	return all[len(all)-1]
}

// send sends a request with a header of its own.
func send(t *testing.T, srv *jobboardtest.Server, method, url string, header http.Header, body string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	req.Header = header
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, b
}

func ms(n int64) time.Time { return time.UnixMilli(n) }

// board is the state that testdata/search.json and testdata/jobinfo.json show.
func board(t *testing.T, srv *jobboardtest.Server) {
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	for _, p := range []jobboardtest.Posting{
		{
			ID: 41880215, VersionID: 60377104, Title: "Backend Developer (m/w/d) – Zürich & remote",
			ApplyURL: "https://jobs.example.com/apply/41880215?channel=27828_extern&lang=de",
			Config: map[string][]string{
				"ProjectLocation": {"2901"}, "location": {"2902"}, "ProjectLocationGerman": {"Zürich"}, "ProjectNumber": {"P-2025-0117"},
				"audience": {"1404"}, "platformvisibility": {"visible"}, "listingStartDate": {"1741593600001"},
				"internalPostingName":     {"backend-zrh-spring"},
				"platform_internalAdText": {"<p class=\"lead\">We build <b>things</b> &amp; more.</p>\n<ul><li>Go</li><li>café 🚀</li></ul>"},
				"jobcategory":             {"5512"}, "ProjectCompanyNameGerman": {"Musterfirma Ahorn GmbH"}, "sg_remote_status": {"FULLY_REMOTE"},
			},
			JobStart: ms(1738555506789), VersionStart: ms(1741964966535), VersionEnd: ms(1790805599999),
		},
		{
			ID: 41880216, VersionID: 60377105, Title: "Nurse, night shift", ApplyURL: "https://jobs.example.com/apply/41880216",
			Config: map[string][]string{
				"location": {"2903"}, "ProjectNumber": {"P-2024-0932"}, "platformvisibility": {"hidden"}, "listingStartDate": {"1734690030040"},
				"jobcategory": {"5513"}, "ProjectCompanyNameGerman": {"Beispielklinik Birke gGmbH"},
			},
			JobStart: ms(1730791815250), VersionStart: ms(1735065900125), VersionEnd: ms(1801436337056),
		},
		{
			ID: 41880217, VersionID: 60377106, Title: "Lagerist \"Frühschicht\"", ApplyURL: "https://jobs.example.com/apply/41880217",
			Config:   map[string][]string{"audience": {"1405"}, "internalPostingName": {"warehouse/early"}},
			JobStart: ms(1748769011012), VersionStart: ms(1752412455016), VersionEnd: ms(1842196699020),
		},
	} {
		p.Channels = []string{"27828_extern"}
		srv.AddPosting(p)
	}

	setNationalities(t, srv, "de", []jobboardtest.Choice{
		{ID: "2800137", Label: "deutsch"},
		{ID: "2800138", Label: "österreichisch"},
		{ID: "2800139", Label: "schweizerisch"},
		{ID: "2800140", Label: "ivorisch"},
	})
	srv.AddCompany(jobboardtest.Company{ID: "9f3d6a10-7b24-4c58-8e91-a2c4e6f80b13", Name: "Musterbahn Erle SE"})
	srv.Publish("27828_bahn", jobboardtest.Job{
		ID: 5310482, CompanyID: "9f3d6a10-7b24-4c58-8e91-a2c4e6f80b13", Language: "de",
		Title:      "Softwareentwickler (m/w/d) für Straßenbahnen",
		PrivacyURL: "https://privacy.example.com/policy?company=19&lang=german",
		Questions: []jobboardtest.Question{
			{ID: "8", Type: jobboardtest.YesNo, Label: "Besitzen Sie eine Fahrerlaubnis?", Answers: []jobboardtest.Choice{{ID: "2900101", Label: "Ja"}, {ID: "2900100", Label: "Nein"}}},
			{ID: "9", Type: jobboardtest.Text, Label: "Ihr frühester Eintrittstermin?"},
			{ID: "10", Type: jobboardtest.TextArea, Label: "Was reizt Sie an dieser Aufgabe?"},
			{ID: "11", Type: jobboardtest.Catalog, Label: "Wie gut ist Ihr Englisch?", Answers: []jobboardtest.Choice{
				{ID: "0b7e9d52-41c3-4f86-9a1e-5d20c8f3b671", Label: "Grundkenntnisse"},
				{ID: "1c8fae63-52d4-4097-8b2f-6e31d904c782", Label: "Fließend"},
				{ID: "2700455", Label: "Verhandlungssicher"},
			}},
			{ID: "-1", Type: jobboardtest.Catalog, Label: "Welchen Standort bevorzugen Sie?", Answers: []jobboardtest.Choice{
				{ID: "330071", Label: "Torstraße 201, 10115 Berlin, Deutschland"},
				{ID: "330072", Label: "Mariahilfer Straße 88, 1070 Wien, Österreich"},
				{ID: "330073", Label: "Langstrasse 64, 8004 Zürich, Schweiz"},
			}},
		},
		Location: jobboardtest.Location{
			Lat: "52.531677", Long: "13.396942", Name: "Torstraße 201, 10115 Berlin, Deutschland (Hauptsitz)",
			Country: "Deutschland", State: "Land Berlin", City: "Berlin", Zip: "10115", Street: "Torstraße 201",
		},
		AdditionalLocations: []jobboardtest.Location{
			{
				Lat: "48.197300", Long: "16.345800", Name: "Mariahilfer Straße 88, 1070 Wien, Österreich (Werk)",
				Country: "Österreich", State: "Land Wien", City: "Wien", Zip: "1070", Street: "Mariahilfer Straße 88",
			},
			{
				Lat: "47.378411", Long: "8.526133", Name: "Langstrasse 64, 8004 Zürich, Schweiz (Büro)",
				Country: "Schweiz", State: "Kanton Zürich", City: "Zürich", Zip: "8004", Street: "Langstrasse 64",
			},
		},
	})
	srv.SetClock(func() time.Time { return time.Date(2025, 4, 16, 11, 22, 33, 444e6, time.UTC) })
}

const searchPath = "/api/rest/v2/frontend/jobboards/27828_extern/jobs"

func TestSearchAgainstHandTypedBytes(t *testing.T) {
	srv := jobboardtest.New(t)
	board(t, srv)
	res, body := get(t, srv, srv.BaseURL+searchPath, "10:")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("status %d, content type %q", res.StatusCode, res.Header.Get("Content-Type"))
	}
	got := decode(t, body).(map[string]any)
	want := decode(t, typed(t, "search.json")).(map[string]any)
	if !reflect.DeepEqual(got["results"], want["results"]) {
		t.Errorf("results:\ngot  %v\nwant %v", got["results"], want["results"])
	}
	// The file shows the third page of eight, the mock server serves all on one.
	for k, n := range map[string]float64{
		"itemsPerPage": 3, "numPages": 1, "offset": 0, "actualPage": 0, "firstPostingOnPage": 1, "lastPostingOnPage": 3, "totalNumberOfJobs": 3,
	} {
		if _, ok := want[k]; !ok {
			t.Errorf("%s is not in the file", k)
		}
		if got[k] != n {
			t.Errorf("%s is %v, want %v", k, got[k], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d members, want %d", len(got), len(want))
	}
}

func TestJobInformationAgainstHandTypedBytes(t *testing.T) {
	srv := jobboardtest.New(t)
	board(t, srv)
	res, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=5310482", "")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("status %d, content type %q", res.StatusCode, res.Header.Get("Content-Type"))
	}
	got, want := decode(t, body), decode(t, typed(t, "jobinfo.json"))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestMinimalAndNulls(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddPosting(jobboardtest.Posting{ID: 41880218, VersionID: 5, Title: "Gardener <&>", ApplyURL: "https://jobs.example.com/5", Channels: []string{"27828_extern"}})
	srv.Publish("other", jobboardtest.Job{ID: 5310485, Title: "Waiter", Questions: []jobboardtest.Question{
		{ID: "14", Type: jobboardtest.Text, Label: "Your favourite dish?"},
		{ID: "15", Type: jobboardtest.YesNo},
		{ID: "16", Type: jobboardtest.Catalog},
		{ID: "17", Type: jobboardtest.Text, Answers: []jobboardtest.Choice{{ID: "1", Label: "any"}}},
	}})
	setNationalities(t, srv, "en", nil)
	posting := `"jobPostingId":41880218,"postingVersionId":5,"title":"Gardener <&>","applyOnlineLink":"https://jobs.example.com/5"`
	dates := `"jobStartDate":0,"postingVersionStartDate":0,"postingVersionEndDate":0`
	info := `{"jobId":5310485,"jobTitle":"Waiter","jobLanguage":"en","applyPossible":true`
	questions := func(text, none string) string {
		return `"questions":[{"id":"14","type":"TEXT","label":"Your favourite dish?"` + text + `},{"id":"15","type":"YESNO","label":""` + none +
			`},{"id":"16","type":"CATALOG","label":""` + none + `},{"id":"17","type":"TEXT","label":"","answers":[{"id":"1","label":"any"}]}],`
	}
	srv.SetClock(func() time.Time { return time.Date(2025, 4, 17, 12, 23, 34, 555e6, time.FixedZone("", 7200)) })
	stamp := `"timestamp":"2025-04-17T10:23:34.555Z"`
	empty := `{"geoLat":"","geoLong":"","geoName":"","geoCountry":"","geoState":"","geoCity":"","geoZip":"","geoStreet":""}`
	nulls := strings.ReplaceAll(empty, `""`, "null")
	for _, c := range []struct {
		missing       jobboardtest.MissingForm
		posting, info string
	}{
		{"", `{` + posting + `,"config":{},` + dates + `}`, info + `,"dataSecurityLink":"",` + questions("", `,"answers":[]`) + `"nationalities":[],` + stamp + `,"companyName":"","companyId":"","location":` + empty + `,"additionalLocations":[]}`},
		{jobboardtest.MissingNull, `{` + posting + `,"config":null,` + dates + `}`, info + `,"dataSecurityLink":null,` + questions(`,"answers":null`, `,"answers":null`) + `"nationalities":null,` + stamp + `,"companyName":null,"companyId":null,"location":` + nulls + `,"additionalLocations":null}`},
		{jobboardtest.MissingAbsent, `{` + posting + `,` + dates + `}`, info + `,` + questions("", `,"answers":[]`) + stamp + `,"location":{}}`},
	} {
		srv.SetVariants(jobboardtest.Variants{Missing: c.missing})
		_, body := get(t, srv, srv.BaseURL+searchPath, "10:")
		want := `{"itemsPerPage":1,"numPages":1,"offset":0,"actualPage":0,"firstPostingOnPage":1,"lastPostingOnPage":1,"totalNumberOfJobs":1,"results":[` + c.posting + `]}`
		if string(body) != want {
			t.Errorf("missing %q:\ngot  %s\nwant %s", c.missing, body, want)
		}
		_, body = get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=5310485", "")
		if string(body) != c.info {
			t.Errorf("missing %q:\ngot  %s\nwant %s", c.missing, body, c.info)
		}
	}
}

func TestQuotedIDsAndDates(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddPosting(jobboardtest.Posting{
		ID: 41880216, VersionID: 60377105, Title: "Nurse", ApplyURL: "https://jobs.example.com/5", Channels: []string{"27828_extern"},
		Config: map[string][]string{"a": {"b"}}, JobStart: ms(1730791815250), VersionStart: ms(1735065900125),
	})
	srv.Publish("other", jobboardtest.Job{ID: 5310483, Title: "Tram driver"})
	srv.SetClock(func() time.Time { return time.Date(2025, 4, 17, 12, 23, 34, 555e6, time.UTC) })
	for _, c := range []struct {
		v            jobboardtest.Variants
		id, date     string
		job, instant string
	}{
		{jobboardtest.Variants{}, `41880216`, `1730791815250`, `5310483`, "2025-04-17T12:23:34.555Z"},
		{jobboardtest.Variants{QuotedIDs: true}, `"41880216"`, `1730791815250`, `"5310483"`, "2025-04-17T12:23:34.555Z"},
		{jobboardtest.Variants{Dates: jobboardtest.DatesISOZ}, `41880216`, `"2024-11-05T07:30:15.250Z"`, `5310483`, "2025-04-17T12:23:34.555Z"},
		{jobboardtest.Variants{Dates: jobboardtest.DatesISOColon}, `41880216`, `"2024-11-05T07:30:15.250+00:00"`, `5310483`, "2025-04-17T12:23:34.555+00:00"},
		{jobboardtest.Variants{Dates: jobboardtest.DatesISOPlain, QuotedIDs: true}, `"41880216"`, `"2024-11-05T07:30:15.250+0000"`, `"5310483"`, "2025-04-17T12:23:34.555+0000"},
	} {
		srv.SetVariants(c.v)
		_, body := get(t, srv, srv.BaseURL+searchPath, "10:")
		for _, want := range []string{`"jobPostingId":` + c.id + `,`, `"jobStartDate":` + c.date + `,`, `"postingVersionEndDate":0}`} {
			if !strings.Contains(string(body), want) {
				t.Errorf("%+v: no %s in %s", c.v, want, body)
			}
		}
		_, body = get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=5310483", "")
		for _, want := range []string{`{"jobId":` + c.job + `,`, `"timestamp":"` + c.instant + `",`} {
			if !strings.Contains(string(body), want) {
				t.Errorf("%+v: no %s in %s", c.v, want, body)
			}
		}
	}
}

// A company is given a UUID; one that is replaced shows its new name.
func TestCompany(t *testing.T) {
	srv := jobboardtest.New(t)
	company := srv.AddCompany(jobboardtest.Company{Name: "Nordlicht Klinik"})
	if !regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(company.ID) {
		t.Errorf("the identifier %s is no UUID", company.ID)
	}
	srv.AddCompany(jobboardtest.Company{ID: company.ID, Name: "Klinik am Wasser"})
	srv.Publish("27828_extern", jobboardtest.Job{ID: 7, CompanyID: company.ID})
	_, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=7", "")
	if got := decode(t, body).(map[string]any)["companyName"]; got != "Klinik am Wasser" {
		t.Errorf("the replaced company is called %v", got)
	}
}
