package jobboardtest_test

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// Who asks the token endpoint in vain reads why in the journal.
func TestRefusedApplications(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddClient(jobboardtest.ClientApp{ID: "a b", Secret: "s%"})
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
		{basic("a%20b:s%"), "", 200, "granted a client token"}, // not percent-encoded, so it is taken unchanged
		{"", "&client_id=a+b&client_secret=s%25", 200, "granted a client token"},
		{"", "&client_id=10&x=%zz", 400, "refused: none is named"}, // of a form that cannot be read nothing counts
		{"", "&client_id=a+b", 401, "refused: client a b without its secret"},
	} {
		header := formHeader()
		if c.authorization != "" {
			header.Set("Authorization", c.authorization)
		}
		res, _ := send(t, srv, "POST", srv.TokenURL, header, "grant_type=client_credentials"+c.form)
		if note := lastRequest(srv).Note; res.StatusCode != c.status || note != c.note {
			t.Errorf("%s %s: %d, %q; want %d, %q", c.authorization, c.form, res.StatusCode, note, c.status, c.note)
		}
	}
}

// A search takes decimal degrees and kilometers within their bounds, and nothing else.
func TestGeoLocations(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets()) // which takes the violations
	defer srv.Close()
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
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

// A link that is no URL goes out as it is, whatever form links have.
func TestLinkThatIsNone(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithVariants(jobboardtest.Variants{Links: jobboardtest.LinksPlain}))
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
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

// A switch that cannot be meant is refused in words; what is just within the bounds is
// taken.
func TestVariantsCheck(t *testing.T) {
	for _, c := range []struct {
		v    jobboardtest.Variants
		want string
	}{
		{jobboardtest.Variants{PlainErrors: "x"}, `plain_errors does not know "x", only ["" "as-json" "json-string"]`},
		{jobboardtest.Variants{CodedErrors: "x"}, `coded_errors does not know "x", only ["" "as-text" "code-word"]`},
		{jobboardtest.Variants{ApplicationID: "x"}, `application_id does not know "x", only ["" "quoted" "newline"]`},
		{jobboardtest.Variants{ErrorShape: "x"}, `error_shape does not know "x", only ["" "json-string" "text"]`},
		{jobboardtest.Variants{AuthErrors: "x"}, `auth_errors does not know "x", only ["" "body" "both"]`},
		{jobboardtest.Variants{Dates: "x"}, `dates does not know "x", only ["" "iso-z" "iso-colon" "iso-plain"]`},
		{jobboardtest.Variants{Missing: "x"}, `missing does not know "x", only ["" "null" "absent"]`},
		{jobboardtest.Variants{Feed: "x"}, `feed does not know "x", only ["" "namespace" "prefix" "lower-case"]`},
		{jobboardtest.Variants{Links: "x"}, `links does not know "x", only ["" "plain" "relative" "opaque"]`},
		{jobboardtest.Variants{ErrorStatus: -1}, "error_status is -1, not a status between 200 and 599"},
		{jobboardtest.Variants{ErrorStatus: 199}, "error_status is 199, not a status between 200 and 599"},
		{jobboardtest.Variants{ErrorStatus: 200}, ""},
		{jobboardtest.Variants{ErrorStatus: 204}, "error_status is 204, which has no body for the code"},
		{jobboardtest.Variants{ErrorStatus: 304}, "error_status is 304, which has no body for the code"},
		{jobboardtest.Variants{ErrorStatus: 599}, ""},
		{jobboardtest.Variants{ErrorStatus: 600}, "error_status is 600, not a status between 200 and 599"},
		{jobboardtest.Variants{UnknownChannel: 400}, ""},
		{jobboardtest.Variants{UnknownChannel: 401}, "unknown_channel is 401, not 0, 400 or 404"},
		{jobboardtest.Variants{UnknownChannel: 404}, ""},
		{jobboardtest.Variants{UnknownChannel: 405}, "unknown_channel is 405, not 0, 400 or 404"},
		{jobboardtest.Variants{PageSize: -1}, "page_size is -1, below 0"},
		{jobboardtest.Variants{Page: -1}, "page is -1, below 0"},
		{jobboardtest.Variants{TokenSeconds: -1}, "token_seconds is -1, not between 0 and 1000000000"},
		{jobboardtest.Variants{TokenSeconds: 1e9}, ""},
		{jobboardtest.Variants{TokenSeconds: 1e9 + 1}, "token_seconds is 1000000001, not between 0 and 1000000000"},
		{jobboardtest.Variants{ErrorField: "error"}, ""},
		{jobboardtest.Variants{ErrorField: "."}, `error_field "." has an empty part`},
		{jobboardtest.Variants{ErrorField: "a..b"}, `error_field "a..b" has an empty part`},
		{jobboardtest.Variants{ErrorField: strings.Repeat("0.", 999) + "0"}, ""},
		{jobboardtest.Variants{ErrorField: strings.Repeat("0.", 1000) + "0"}, "error_field has 1001 parts, more than 1000"},
	} {
		said := ""
		if err := c.v.Check(); err != nil {
			said = strings.TrimPrefix(err.Error(), "jobboardtest: variant ")
		}
		if said != c.want {
			t.Errorf("%q, want %q", said, c.want)
		}
	}
}

// A record added without an identifier gets one above all existing identifiers.
func TestIdentifiersAreNotUsedAgain(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddJob(jobboardtest.Job{ID: 900_000_000, Title: "Nurse"})
	job := srv.AddJob(jobboardtest.Job{Title: "Nurse"}).ID
	srv.AddPosting(jobboardtest.Posting{ID: 910_000_000, VersionID: 920_000_000, Title: "Nurse", Channels: []string{"c"}})
	p := srv.AddPosting(jobboardtest.Posting{Title: "Nurse", Channels: []string{"c"}})
	srv.AddApplicant(jobboardtest.Applicant{ID: 930_000_000})
	who := srv.AddApplicant(jobboardtest.Applicant{}).ID
	srv.AddJob(jobboardtest.Job{ID: math.MaxInt64}) // beyond which there is none
	if next := srv.AddJob(jobboardtest.Job{}).ID; next != p.VersionID+1 {
		t.Errorf("beside the largest identifier a job gets %d", next)
	}
	srv.AddJob(jobboardtest.Job{ID: 1 << 62})
	if next := srv.AddJob(jobboardtest.Job{}).ID; next != 1<<62+1 {
		t.Errorf("behind 2^62 a job gets %d", next)
	}
	if job <= 900_000_000 || p.ID <= 920_000_000 || p.VersionID <= p.ID || who <= 930_000_000 {
		t.Errorf("job %d, posting %d, version %d, applicant %d", job, p.ID, p.VersionID, who)
	}
}

// The journal keeps the beginning of a long body, and no part of a token in it.
func TestTokenAtTheEndOfWhatIsKept(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	token := srv.ClientToken("10")
	for _, shown := range []int{1, len(token) / 2, len(token) - 1} {
		body := `{"a":"` + strings.Repeat("x", 8<<10-6-1-shown) + " " + token + strings.Repeat(" y", 1000) + `"}`
		do(t, srv, http.MethodPost, srv.BaseURL+"/jobabo?channel=c", "10:", body)
		if got := lastRequest(srv).Body; !strings.HasSuffix(got, fmt.Sprintf("x... (%d bytes)", len(body))) {
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
		AdditionalLocations: []jobboardtest.Location{{City: "Kiel"}, {}, {Lat: "1", Long: "2"}, {Zip: "24103", Country: "DE"}, {Name: "Harbour", City: "Kiel"}, {Country: "DE"}},
	})
	for language, label := range map[string]string{
		"": "Which location do you prefer?", "nl": "Which location do you prefer?",
		"de": "Welchen Standort bevorzugen Sie?", "DE_at": "Welchen Standort bevorzugen Sie?",
	} {
		srv.UpdateJob(5, func(j *jobboardtest.Job) { j.Language = language })
		_, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=5", "")
		want := `"questions":[{"id":"-1","type":"CATALOG","label":"` + label + `","answers":[` +
			`{"id":"2","label":"Kiel"},{"id":"4","label":"1 2"},{"id":"5","label":"24103"},{"id":"6","label":"Harbour"},{"id":"7","label":"DE"}]}]`
		if !strings.Contains(string(body), want) {
			t.Errorf("%q: %s\nwant %s", language, body, want)
		}
	}
}

// Of what was added the server keeps a copy, and gives copies away: changing them
// changes nothing in it.
func TestCopies(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	lists := func() map[string][]string { return map[string][]string{"c": {"1"}} }
	state := jobboardtest.State{
		Clients:       []jobboardtest.ClientApp{{ID: "10", RedirectURIs: []string{"http://a"}}},
		Subscriptions: []jobboardtest.Subscription{{ID: "s", Categories: lists()}},
		Nationalities: map[string][]jobboardtest.Choice{"en": {{ID: "1", Label: "German"}}},
	}
	if err := srv.Restore(state); err != nil {
		t.Fatal(err)
	}
	german := []jobboardtest.Choice{{ID: "1", Label: "deutsch"}}
	setNationalities(t, srv, "de", german)
	job := jobboardtest.Job{
		ID: 1, AdditionalLocations: []jobboardtest.Location{{City: "Kiel"}},
		Questions: []jobboardtest.Question{{ID: "8", Label: "Yes?", Answers: []jobboardtest.Choice{{ID: "1", Label: "Yes"}}}},
	}
	posting := jobboardtest.Posting{
		ID: 2, VersionID: 3, JobID: 1, Channels: []string{"c"}, Config: lists(), Locations: []jobboardtest.Location{{City: "Kiel"}},
		Translations: map[string]jobboardtest.Translation{"en": {Title: "Nurse", Config: lists()}},
	}
	addedJob, addedPosting := srv.AddJob(job), srv.AddPosting(posting)
	found, _ := srv.Job(1)
	before := written(t, srv)
	for _, v := range []any{
		state, german, job, posting, addedJob, addedPosting, found, srv.Snapshot(), srv.Snapshot().Subscriptions,
	} {
		scribble(reflect.ValueOf(v))
		if after := written(t, srv); after != before {
			t.Fatalf("with %T the server changes to %s", v, after)
		}
	}
}

// written is the state of a server as Write has it.
func written(t *testing.T, srv *jobboardtest.Server) string {
	t.Helper()
	var b strings.Builder
	if err := srv.Snapshot().Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// scribble changes all that can be reached through lists and maps.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			scribble(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			scribble(v.MapIndex(k))
			v.SetMapIndex(k, reflect.Zero(v.Type().Elem()))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString("scribbled")
		}
	}
}

// A job is published as long as one of its postings is there, each counted once.
func TestPostingsOfAJob(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddChannel(jobboardtest.Channel{ID: "c", Name: "Careers"})
	srv.AddJob(jobboardtest.Job{ID: 4711})
	srv.AddPosting(jobboardtest.Posting{ID: 9, Channels: []string{"c", "d"}})
	for range 2 {
		srv.AddPosting(jobboardtest.Posting{ID: 5, JobID: 4711, Channels: []string{"c"}})
	}
	srv.AddPosting(jobboardtest.Posting{ID: 6, JobID: 4711})
	token := srv.UserToken(srv.AddApplicant(jobboardtest.Applicant{}).ID)
	for _, step := range []struct {
		name      string
		do        func() bool
		did       bool
		published bool
	}{
		{"remove one of two", func() bool { return srv.RemovePosting(5) }, true, true},
		{"remove it again", func() bool { return srv.RemovePosting(5) }, false, true},
		{"remove the other", func() bool { return srv.RemovePosting(6) }, true, false},
		{"remove those of no job", func() bool { return srv.UnpublishJob(0) }, false, false},
		{"remove none", func() bool { return srv.UnpublishJob(4711) }, false, false},
		{"add one", func() bool { return srv.AddPosting(jobboardtest.Posting{ID: 7, JobID: 4711}).ID == 7 }, true, true},
		{"move it", func() bool { return srv.AddPosting(jobboardtest.Posting{ID: 7, JobID: 4712}).ID == 7 }, true, false},
		{"move it back", func() bool { return srv.AddPosting(jobboardtest.Posting{ID: 7, JobID: 4711}).ID == 7 }, true, true},
		{"delete the job", func() bool { return srv.DeleteJob(4711) }, true, false},
		{"activate the job", func() bool { return srv.ActivateJob(4711) }, true, true},
		{"remove all", func() bool { return srv.UnpublishJob(4711) }, true, false},
	} {
		did := step.do()
		res, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/4711/applied", token)
		if did != step.did || (res.StatusCode == http.StatusOK) != step.published {
			t.Errorf("%s: %t, then %s", step.name, did, body)
		}
	}
	s := srv.Snapshot()
	if want := []jobboardtest.Channel{{ID: "c", Name: "Careers"}, {ID: "d"}}; !slices.Equal(s.Channels, want) || len(s.Postings) != 1 {
		t.Errorf("channels %v, %d postings", s.Channels, len(s.Postings))
	}
}
