package jobboardtest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// Who asks the token endpoint in vain reads why in the journal.
func TestRefusedApplications(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddClient(jobboardtest.Client{ID: "10"})
	srv.AddClient(jobboardtest.Client{ID: "a b", Secret: "s%"})
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, c := range []struct {
		authorization, form string
		status              int
		note                string
	}{
		{"", "", 401, "refused: none is named"},
		{"Basic §", "", 401, "refused: its Basic credential is not base64"},
		{basic("12:x"), "", 401, "refused: unknown client"},
		{basic("10:x"), "", 401, "refused: client 10 with a secret, and it has none"},
		{basic("a+b:"), "", 401, "refused: client a b without its secret"},
		{basic("a+b:t"), "", 401, "refused: client a b with a wrong secret"},
		{basic("a+b:s%25"), "", 200, "granted a client token"},
		{basic("a%20b:s%"), "", 200, "granted a client token"}, // not escaped, and so as it is
		{"", "&client_id=a+b&client_secret=s%25", 200, "granted a client token"},
		{"", "&client_id=10&x=%zz", 400, "refused: none is named"}, // of a form that cannot be read nothing counts
		{"", "&client_id=a+b", 401, "refused: client a b without its secret"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.TokenURL(), strings.NewReader("grant_type=client_credentials"+c.form))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if c.authorization != "" {
			req.Header.Set("Authorization", c.authorization)
		}
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		all := srv.Requests()
		if note := all[len(all)-1].Note; res.StatusCode != c.status || note != c.note {
			t.Errorf("%s %s: %d, %q; want %d, %q", c.authorization, c.form, res.StatusCode, note, c.status, c.note)
		}
	}
}

// A search takes decimal degrees and kilometers within their bounds, and nothing else.
func TestGeoLocations(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets()) // which takes the violations
	defer srv.Close()
	srv.AddClient(jobboardtest.Client{ID: "10"})
	srv.Publish("c", jobboardtest.Job{Title: "Nurse"})
	for geo, says := range map[string]string{
		"-90::180::0":  "",
		"90::-180::.5": `the distance ".5" is not a decimal number`,
		"90.1::0::1":   "the latitude 90.1 is not between -90 and 90",
		"-91::0::1":    "the latitude -91 is not between -90 and 90",
		"1::180.1::1":  "the longitude 180.1 is not between -180 and 180",
		"1::-181::1":   "the longitude -181 is not between -180 and 180",
		"1::2::-1":     "the distance -1 is below 0",
		"1::2":         "has 2 parts between ::, not 3",
		"1::2::3::4":   "has 4 parts between ::, not 3",
		"::2::3":       `the latitude "" is not a decimal number`,
		"1.::2::3":     `the latitude "1." is not a decimal number`,
		"1::1e2::3":    `the longitude "1e2" is not a decimal number`,
		"1::2.5.1::3":  `the longitude "2.5.1" is not a decimal number`,
	} {
		res, body := get(t, srv, searchAt(srv, "c")+"?geoLocation="+geo, "10:")
		if (res.StatusCode == http.StatusOK) != (says == "") || !strings.Contains(string(body), says) {
			t.Errorf("%s: %d, %s; want %q", geo, res.StatusCode, body, says)
		}
	}
}

func searchAt(srv *jobboardtest.Server, channel string) string {
	return srv.BaseURL + "/api/rest/v2/frontend/jobboards/" + channel + "/jobs"
}

// A posting's own text is the nearest to another country's form of its language.
func TestOwnLanguageOfAnotherCountry(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddClient(jobboardtest.Client{ID: "10"})
	srv.AddPosting(jobboardtest.Posting{
		Title: "Pflegekraft", Language: "de-DE", Channels: []string{"c"},
		Translations: map[string]jobboardtest.Translation{"en": {Title: "Nurse", Config: map[string][]string{"ad": {"Hello"}}}},
	})
	for header, want := range map[string]string{
		"de-AT, en;q=0.9": "title:Pflegekraft", "fr, en;q=0.9": "config:map[ad:[Hello]",
	} {
		h := basicHeader("10:")
		h.Set("Accept-Language", header)
		_, body := send(t, srv, http.MethodGet, searchAt(srv, "c"), h, "")
		if got := fmt.Sprint(decode(t, body)); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", header, got, want)
		}
	}
}

// A link that is no URL goes out as it is, whatever form links have.
func TestLinkThatIsNone(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithVariants(jobboardtest.Variants{Links: jobboardtest.LinksPlain}))
	srv.AddClient(jobboardtest.Client{ID: "10"})
	srv.AddPosting(jobboardtest.Posting{Title: "Nurse", Channels: []string{"c"}, ApplyURL: "http://[job/1/x"})
	if _, body := get(t, srv, searchAt(srv, "c"), "10:"); !strings.Contains(string(body), `"http://[job/1/x"`) {
		t.Errorf("%s", body)
	}
}

// What a test asks for in vain ends it with the name of the call that is missing.
func TestTokensOfNobody(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	for want, issue := range map[string]func(){
		`no client "10"; add it with AddClient`:     func() { srv.ClientToken("10") },
		"no applicant 7; add it with AddApplicant":  func() { srv.UserToken(7) },
		"variant page_size is -1, below 0":          func() { srv.SetVariants(jobboardtest.Variants{PageSize: -1}) },
		"variant page is -1, below 0":               func() { srv.SetVariants(jobboardtest.Variants{Page: -1}) },
		"fault: status 1000 is not between 200 and": func() { srv.Fail(jobboardtest.Fault{Status: 1000}) },
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, want) {
					t.Errorf("it panics with %s, want %s", said, want)
				}
			}()
			issue()
		}()
	}
}

// The line of a request in the journal ends with the fault that it met.
func TestFaultInTheJournal(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.Fail(jobboardtest.Fault{Status: 503})
	get(t, srv, appliedURL(srv), "")
	if got := srv.Requests()[0].String(); !strings.HasSuffix(got, "[none] 503 fault: status 503") {
		t.Error(got)
	}
}

// What is added without an identifier gets one above all that were there.
func TestIdentifiersAreNotUsedAgain(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddJob(jobboardtest.Job{ID: 900_000_000, Title: "Nurse"})
	job := srv.AddJob(jobboardtest.Job{Title: "Nurse"}).ID
	srv.AddPosting(jobboardtest.Posting{ID: 910_000_000, VersionID: 920_000_000, Title: "Nurse", Channels: []string{"c"}})
	p := srv.AddPosting(jobboardtest.Posting{Title: "Nurse", Channels: []string{"c"}})
	srv.AddApplicant(jobboardtest.Applicant{ID: 930_000_000})
	who := srv.AddApplicant(jobboardtest.Applicant{}).ID
	if job <= 900_000_000 || p.ID <= 920_000_000 || p.VersionID <= p.ID || who <= 930_000_000 {
		t.Errorf("job %d, posting %d, version %d, applicant %d", job, p.ID, p.VersionID, who)
	}
}

// The journal keeps the beginning of a long body, and no part of a token in it.
func TestTokenAtTheEndOfWhatIsKept(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddClient(jobboardtest.Client{ID: "10"})
	token := srv.ClientToken("10")
	for _, shown := range []int{1, len(token) / 2, len(token) - 1} {
		body := `{"a":"` + strings.Repeat("x", 8<<10-6-1-shown) + " " + token + strings.Repeat(" y", 1000) + `"}`
		do(t, srv, http.MethodPost, srv.BaseURL+"/jobabo?channel=c", "10:", body)
		all := srv.Requests()
		if got := all[len(all)-1].Body; !strings.HasSuffix(got, fmt.Sprintf("x... (%d bytes)", len(body))) {
			t.Errorf("with %d bytes of a token it ends with %q", shown, got[max(0, len(got)-60):])
		}
	}
}

// A job's locations that say something are the answers to where one prefers to
// work.
func TestPreferredLocations(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.Publish("c", jobboardtest.Job{
		ID: 5, Title: "Nurse", AskLocation: true, Location: jobboardtest.Location{},
		AdditionalLocations: []jobboardtest.Location{{City: "Kiel"}, {}, {Lat: "1", Long: "2"}, {Zip: "24103", Country: "DE"}, {Name: "Harbour", City: "Kiel"}},
	})
	_, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=5", "")
	const want = `"answers":[{"id":"2","label":"Kiel"},{"id":"4","label":"1 2"},{"id":"5","label":"24103"},{"id":"6","label":"Harbour"}]`
	if !strings.Contains(string(body), want) {
		t.Errorf("%s\nwant %s", body, want)
	}
}

// A posting that was given out is its reader's own.
func TestTranslationsAreCopied(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	own := map[string]jobboardtest.Translation{"en": {Title: "Nurse"}}
	p := srv.AddPosting(jobboardtest.Posting{Title: "Pflegekraft", Channels: []string{"c"}, Translations: own})
	own["en"] = jobboardtest.Translation{Title: "Cook"}
	p.Translations["en"] = jobboardtest.Translation{Title: "Cook"}
	if got := srv.Snapshot().Postings[0].Translations["en"].Title; got != "Nurse" {
		t.Errorf("it is a %s now", got)
	}
}
