package jobboardtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// errorRows is one job 4711 in every state of section 7, and the hand-typed bytes for it. A
// file for application is empty if both calls answer alike.
var errorRows = []struct {
	name                  string
	change                func(srv *jobboardtest.Server)
	status                int
	applied, application  string
	applicationStatus     int
	lookupStatus          int
	lookup                string
	variants              jobboardtest.Variants
	contentType, appField string
}{
	{name: "unknown", change: func(s *jobboardtest.Server) {}, status: 404, applied: "404_project_not_available.json", lookupStatus: 404, lookup: `{"errorCode":"ERROR_JOB_UNAVAILABLE"}`},
	{name: "deleted", change: func(s *jobboardtest.Server) { publish(s); s.DeleteJob(4711) }, status: 404, applied: "404_project_not_available.json", lookupStatus: 404, lookup: `{"errorCode":"ERROR_JOB_UNAVAILABLE"}`},
	{name: "inactive", change: func(s *jobboardtest.Server) { publish(s); s.DeactivateJob(4711) }, status: 410, applied: "410_posting_inactive.txt", lookupStatus: 404, lookup: `{"errorCode":"ERROR_JOB_INACTIVE"}`},
	{name: "no posting", change: func(s *jobboardtest.Server) { s.AddJob(jobboardtest.Job{ID: 4711, CompanyID: "A"}) }, status: 404, applied: "404_posting_not_found.txt", lookupStatus: 404, lookup: `{"errorCode":"ERROR_POSTING_UNAVAILABLE"}`},
	{name: "unpublished", change: func(s *jobboardtest.Server) { publish(s); s.UnpublishJob(4711) }, status: 404, applied: "404_posting_not_found.txt", lookupStatus: 404, lookup: `{"errorCode":"ERROR_POSTING_UNAVAILABLE"}`},
	{name: "typo", variants: jobboardtest.Variants{NotFount: true}, change: func(s *jobboardtest.Server) { publish(s); s.UnpublishJob(4711) }, status: 404, applied: "404_posting_not_found_misspelt.txt", lookupStatus: 404, lookup: `{"errorCode":"ERROR_POSTING_UNAVAILABLE"}`},
	{name: "internal", change: func(s *jobboardtest.Server) {
		publish(s)
		s.UpdateJob(4711, func(j *jobboardtest.Job) { j.Internal = true })
	}, status: 403, applied: "403_posting_not_accessible.txt"},
	{name: "other company", change: func(s *jobboardtest.Server) {
		publish(s)
		s.UpdateJob(4711, func(j *jobboardtest.Job) { j.CompanyID = "B" })
	}, status: 404, applied: "404_project_not_accessible.json", application: "404_application_not_found.json"},
	{name: "open", change: publish, status: 200, applied: "../applied_false.json", application: "404_application_not_found.json", applicationStatus: 404},
	{name: "quoted", variants: jobboardtest.Variants{PlainErrors: jobboardtest.PlainAsJSONString}, change: func(s *jobboardtest.Server) { publish(s); s.DeactivateJob(4711) }, status: 410, applied: "410_posting_inactive_quoted.json", contentType: "application/json", lookupStatus: 404, lookup: `{"errorCode":"ERROR_JOB_INACTIVE"}`},
	{name: "labelled JSON", variants: jobboardtest.Variants{PlainErrors: jobboardtest.PlainAsJSON}, change: func(s *jobboardtest.Server) { publish(s); s.DeactivateJob(4711) }, status: 410, applied: "410_posting_inactive.txt", contentType: "application/json", lookupStatus: 404, lookup: `{"errorCode":"ERROR_JOB_INACTIVE"}`},
	{name: "code word", variants: jobboardtest.Variants{CodedErrors: jobboardtest.CodedAsWord}, change: publish, status: 200, applied: "../applied_false.json", application: "404_application_not_found_bare.txt", applicationStatus: 404},
	{name: "JSON labelled text", variants: jobboardtest.Variants{CodedErrors: jobboardtest.CodedAsText}, change: func(s *jobboardtest.Server) {}, status: 404, applied: "404_project_not_available.json", contentType: "text/plain;charset=UTF-8", lookupStatus: 404, lookup: `{"errorCode":"ERROR_JOB_UNAVAILABLE"}`},
}

func publish(s *jobboardtest.Server) {
	s.Publish("27828_extern", jobboardtest.Job{ID: 4711, Title: "Nurse", CompanyID: "A"})
}

func TestErrorRows(t *testing.T) {
	for _, row := range errorRows {
		t.Run(row.name, func(t *testing.T) {
			srv := jobboardtest.New(t, jobboardtest.WithVariants(row.variants))
			srv.AddClient(jobboardtest.ClientApp{ID: "10"})
			who := srv.AddApplicant(jobboardtest.Applicant{ID: 7, CompanyID: "A"})
			token := srv.UserToken(who.ID)
			row.change(srv)

			check := func(op, file string, status int) {
				t.Helper()
				res, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/4711/"+op, token)
				want := typed(t, "errors/"+file)
				if res.StatusCode != status || !bytes.Equal(bytes.TrimSpace(body), bytes.TrimSpace(want)) {
					t.Errorf("%s: %d %s, want %d %s", op, res.StatusCode, body, status, want)
				}
				wantType := row.contentType
				if wantType == "" {
					wantType = "text/plain;charset=UTF-8"
					if strings.HasSuffix(file, ".json") {
						wantType = "application/json"
					}
				}
				if got := res.Header.Get("Content-Type"); got != wantType {
					t.Errorf("%s: content type %q, want %q", op, got, wantType)
				}
			}
			check("applied", row.applied, row.status)
			if row.application == "" {
				row.application = row.applied
			}
			if row.applicationStatus == 0 {
				row.applicationStatus = row.status
			}
			check("application", row.application, row.applicationStatus)

			res, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=4711", "")
			if row.lookup == "" {
				if res.StatusCode != 200 || !bytes.HasPrefix(body, []byte(`{"jobId":4711,`)) {
					t.Errorf("lookup: %d %s", res.StatusCode, body)
				}
			} else if res.StatusCode != row.lookupStatus || string(body) != row.lookup {
				t.Errorf("lookup: %d %s, want %d %s", res.StatusCode, body, row.lookupStatus, row.lookup)
			}

			// Whatever the row, a search shows the posting of an open job alone.
			_, body = get(t, srv, srv.BaseURL+searchPath, "10:")
			shown := strings.Contains(string(body), `"Nurse"`)
			if want := row.status == 200 || row.name == "other company"; shown != want {
				t.Errorf("shown by the search: %v", shown)
			}
		})
	}
}

func TestErrorCodeForms(t *testing.T) {
	srv := jobboardtest.New(t)
	for _, status := range []int{200, 400, 404, 409, 410, 422, 500} {
		for _, c := range []struct {
			shape       jobboardtest.ErrorForm
			field, want string
		}{
			{"", "", `{"errorCode":"ERROR_JOB_UNAVAILABLE"}`},
			{"", "error", `{"error":"ERROR_JOB_UNAVAILABLE"}`},
			{"", "errors.0.errorCode", `{"errors":[{"errorCode":"ERROR_JOB_UNAVAILABLE"}]}`},
			{jobboardtest.ErrorAsJSONString, "", string(typed(t, "errors/lookup_job_unavailable_quoted.json"))},
			{jobboardtest.ErrorAsText, "", "ERROR_JOB_UNAVAILABLE"},
		} {
			srv.SetVariants(jobboardtest.Variants{ErrorStatus: status, ErrorShape: c.shape, ErrorField: c.field})
			res, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid=1", "")
			if res.StatusCode != status || string(body) != strings.TrimSpace(c.want) {
				t.Errorf("%d %q %q: %d %s, want %s", status, c.shape, c.field, res.StatusCode, body, c.want)
			}
		}
	}
}

func TestAuthorizationErrors(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "hush-hush"})
	who := srv.AddApplicant(jobboardtest.Applicant{})
	user, client := srv.UserToken(who.ID), srv.ClientToken("11")
	expired, narrow, old := srv.UserToken(who.ID), srv.UserToken(who.ID), srv.ClientToken("11")
	if !srv.ExpireToken(expired) || !srv.Inside().NarrowToken(narrow) || !srv.ExpireToken(old) || srv.ExpireToken("none") || srv.Inside().NarrowToken("none") {
		t.Error("a token that is there is not found, or one that is not")
	}
	publish(srv)
	jobs := srv.BaseURL + "/api/rest/v3/frontend/jobs/4711/applied"
	search := srv.BaseURL + searchPath

	header := func(name string) string {
		s := strings.TrimSpace(string(typed(t, "errors/"+name)))
		_, v, _ := strings.Cut(s, ": ")
		return v
	}
	for _, c := range []struct {
		name, url, credential string
		status                int
		file                  string
	}{
		{"search, nothing", search, "", 401, ""},
		{"search, public client", search, "10:", 200, ""},
		{"search, confidential client with Basic", search, "11:", 401, ""},
		{"search, unknown client", search, "12:", 401, ""},
		{"search, client token", search, client, 200, ""},
		{"search, user token", search, user, 200, ""},
		{"search, unknown token", search, "nobody-issued-this", 401, "401_invalid_token"},
		{"search, expired token", search, expired, 401, "401_invalid_token"},
		{"search, narrow token", search, narrow, 403, "403_insufficient_scope"},
		{"search, lookup token", search, srv.LookupToken(), 401, "401_invalid_token"},
		{"applied, expired client token", jobs, old, 401, "401_invalid_token"},
		{"applied, nothing", jobs, "", 401, ""},
		{"applied, public client", jobs, "10:", 401, ""},
		{"applied, client token", jobs, client, 401, "401_user_token_required"},
		{"applied, user token", jobs, user, 200, ""},
		{"applied, expired token", jobs, expired, 401, "401_invalid_token"},
		{"applied, narrow token", jobs, narrow, 403, "403_insufficient_scope"},
		{"application, client token", strings.Replace(jobs, "/applied", "/application", 1), client, 401, "401_user_token_required"},
	} {
		for _, where := range []jobboardtest.AuthPlace{"", jobboardtest.AuthInBody, jobboardtest.AuthInBoth} {
			srv.SetVariants(jobboardtest.Variants{AuthErrors: where})
			res, body := get(t, srv, c.url, c.credential)
			if res.StatusCode != c.status {
				t.Errorf("%s: status %d, want %d", c.name, res.StatusCode, c.status)
				continue
			}
			if c.status == 200 {
				continue
			}
			wantHeader, wantBody := "Bearer", ""
			if c.file != "" {
				wantHeader, wantBody = header(c.file+".header"), strings.TrimSpace(string(typed(t, "errors/"+c.file+".json")))
			}
			if where == "" {
				wantBody = ""
			}
			if where == "body" {
				wantHeader = ""
			}
			if got := res.Header.Get("WWW-Authenticate"); got != wantHeader {
				t.Errorf("%s, %q: header %q, want %q", c.name, where, got, wantHeader)
			}
			if string(body) != wantBody {
				t.Errorf("%s, %q: body %q, want %q", c.name, where, body, wantBody)
			}
		}
	}

	srv.SetVariants(jobboardtest.Variants{AuthErrors: jobboardtest.AuthInBody, InvalidTokenSpace: true})
	if _, body := get(t, srv, search, "nobody"); string(body) != strings.TrimSpace(string(typed(t, "errors/401_invalid_token_spaced.json"))) {
		t.Errorf("spaced: %s", body)
	}
}

// What Basic is worth depends on the client, its colon, and the switches.
func TestBasic(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "hush-hush"})
	colon, secret := jobboardtest.Variants{BasicNeedsColon: true}, jobboardtest.Variants{ConfidentialBasic: true}
	for _, c := range []struct {
		v          jobboardtest.Variants
		credential string
		status     int
		says       string // the journal
	}{
		{jobboardtest.Variants{}, "10:", 200, "basic client 10"},
		{jobboardtest.Variants{}, "10", 200, "basic client 10"},
		{colon, "10:", 200, "basic client 10"},
		{colon, "10", 401, "bad basic (client 10 without the colon that section 5 requires)"},
		{jobboardtest.Variants{}, "10:x", 401, "bad basic (client 10 with a password, and it has none)"},
		{jobboardtest.Variants{}, "12:", 401, "bad basic (unknown client)"},
		{jobboardtest.Variants{}, "11:hush-hush", 401, "bad basic (confidential client 11, which must use tokens)"},
		{secret, "11:hush-hush", 200, "basic client 11"},
		{secret, "11:hush", 401, "bad basic (client 11 with a wrong secret)"},
		{secret, "11:", 401, "bad basic (client 11 with a wrong secret)"},
	} {
		srv.SetVariants(c.v)
		res, _ := send(t, srv, "GET", srv.BaseURL+searchPath, basicHeader(c.credential), "")
		if says := lastRequest(srv).Credential; res.StatusCode != c.status || says != c.says {
			t.Errorf("%+v: %d, %q", c, res.StatusCode, says)
		}
	}
	send(t, srv, "GET", srv.BaseURL+searchPath, http.Header{"Authorization": {"Basic ?"}}, "")
	if r := lastRequest(srv); r.Status != 401 || r.Credential != "bad basic (not base64)" {
		t.Error(r)
	}
}

func TestOneApplicationWhoeverRaces(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	who := srv.AddApplicant(jobboardtest.Applicant{})
	publish(srv)
	var made atomic.Int32
	var ids sync.Map
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			id, err := srv.Apply(who.ID, 4711)
			switch {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, jobboardtest.ErrAlreadyApplied):
				t.Error(err)
			}
			ids.Store(id, true)
		})
	}
	wg.Wait()
	n := 0
	ids.Range(func(any, any) bool { n++; return true })
	if made.Load() != 1 || n != 1 || len(srv.Snapshot().Applications) != 1 {
		t.Errorf("%d made, %d identifiers, %d kept; want 1 each", made.Load(), n, len(srv.Snapshot().Applications))
	}
}

func TestApplyAndWithdraw(t *testing.T) {
	srv := jobboardtest.New(t)
	who := srv.AddApplicant(jobboardtest.Applicant{CompanyID: "A"})
	inside := srv.AddApplicant(jobboardtest.Applicant{CompanyID: "A", Internal: true})
	token := srv.UserToken(who.ID)
	url := srv.BaseURL + "/api/rest/v3/frontend/jobs/4711/"
	refused := func(applicant, job int64, want string) {
		t.Helper()
		id, err := srv.Apply(applicant, job)
		if want = "jobboardtest: the job cannot be applied to: " + want; id != "" || !errors.Is(err, jobboardtest.ErrNotOpen) || err.Error() != want {
			t.Errorf("%q, %v; want %s", id, err, want)
		}
	}
	refused(who.ID, 4711, "no job 4711")
	publish(srv)
	refused(99, 4711, "no applicant 99")
	for want, change := range map[string]func(){
		"job 4711 is inactive": func() { srv.DeactivateJob(4711) },
		"no job 4711":          func() { srv.DeleteJob(4711) },
		"job 4711 is internal and applicant 1 is not": func() { srv.UpdateJob(4711, func(j *jobboardtest.Job) { j.Internal = true }) },
		"job 4711 belongs to another company":         func() { srv.UpdateJob(4711, func(j *jobboardtest.Job) { j.CompanyID = "B" }) },
		"job 4711 has no posting":                     func() { srv.UnpublishJob(4711) },
		"job 4711 takes no more applications":         func() { srv.UpdateJob(4711, func(j *jobboardtest.Job) { j.ApplyClosed = true }) },
	} {
		publish(srv)
		change()
		refused(who.ID, 4711, want)
	}
	publish(srv)
	srv.AddJob(jobboardtest.Job{ID: 4711, Title: "Nurse", CompanyID: "A", Internal: true})
	if _, err := srv.Apply(inside.ID, 4711); err != nil {
		t.Errorf("internal applicant: %v", err)
	}
	srv.UpdateJob(4711, func(j *jobboardtest.Job) { j.Internal = false })
	if err := srv.Withdraw(who.ID, 4711); !errors.Is(err, jobboardtest.ErrNoApplication) {
		t.Errorf("withdrawing nothing: %v", err)
	}
	id, err := srv.Apply(who.ID, 4711)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"applied", "withdrawn", "applied again"} {
		if _, body := get(t, srv, url+"applied", token); string(body) != string(bytes.TrimSpace(typed(t, "applied_true.json"))) {
			t.Errorf("%s: applied is %s", step, body)
		}
		for form, want := range map[jobboardtest.ApplicationIDForm]string{
			"":                                id,
			jobboardtest.ApplicationIDQuoted:  `"` + id + `"`,
			jobboardtest.ApplicationIDNewline: id + "\n",
		} {
			srv.SetVariants(jobboardtest.Variants{ApplicationID: form})
			if _, body := get(t, srv, url+"application", token); string(body) != want {
				t.Errorf("%s, %q: application is %q, want %q", step, form, body, want)
			}
		}
		switch step {
		case "applied":
			before := srv.Snapshot().Applications
			if err := srv.Withdraw(who.ID, 4711); err != nil {
				t.Error(err)
			}
			before[0].Withdrawn = true
			if after := srv.Snapshot().Applications; before[0].ID != id || !reflect.DeepEqual(after, before) {
				t.Errorf("withdrawn it is %+v", after)
			}
		case "withdrawn":
			if again, err := srv.Apply(who.ID, 4711); again != id || !errors.Is(err, jobboardtest.ErrAlreadyApplied) {
				t.Errorf("applying again: %q, %v", again, err)
			}
		}
	}
}

func TestSearchFilters(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	at := func(lat, long string) jobboardtest.Location { return jobboardtest.Location{Lat: lat, Long: long} }
	berlin, hamburg, potsdam := at("52.520014", "13.373006"), at("53.550556", "10.001389"), at("52.390569", "13.064473")
	add := func(id int64, title string, j jobboardtest.Job, config map[string][]string) {
		j.ID, j.Title = id, title
		srv.AddJob(j)
		srv.AddPosting(jobboardtest.Posting{ID: id, JobID: id, Title: title, Channels: []string{"c"}, Language: "en", Config: config})
	}
	add(1, "Nurse in BERLIN", jobboardtest.Job{Location: berlin}, map[string][]string{"platform_internalAdText": {"<p>Night&nbsp;shift &amp; day<strong>light</strong></p>"}})
	add(2, "Cook", jobboardtest.Job{Location: hamburg, AdditionalLocations: []jobboardtest.Location{potsdam}}, map[string][]string{"jobcategory": {"KITCHEN-7"}})
	add(3, "Zürcher Köchin", jobboardtest.Job{}, nil)
	add(4, "Inside", jobboardtest.Job{Location: berlin, Internal: true}, nil)
	nowhere := []jobboardtest.Location{at("52", "180.5"), at("52.520014", ""), at("", "13.373006")}
	add(6, "Медсестра 護士", jobboardtest.Job{Location: at("90.5", "13"), AdditionalLocations: nowhere}, map[string][]string{"a": {"one", "day<"}, "b": {"two"}})
	srv.AddPosting(jobboardtest.Posting{ID: 7, Title: "Fahrer", Channels: []string{"d"}, Locations: []jobboardtest.Location{at("90", "-180")}, Translations: map[string]jobboardtest.Translation{
		"en": {Title: "Driver", Config: map[string][]string{"a": {"Lorry"}}}, "fr": {Title: "Chauffeur"},
	}})
	srv.AddPosting(jobboardtest.Posting{ID: 5, JobID: 3, Title: "Own place", Channels: []string{"d"}, Locations: []jobboardtest.Location{berlin}})
	in := srv.UserToken(srv.AddApplicant(jobboardtest.Applicant{Internal: true}).ID)
	out := srv.UserToken(srv.AddApplicant(jobboardtest.Applicant{}).ID)

	for _, c := range []struct{ channel, query, credential, want string }{
		{"c", "", "10:", "1 2 3 6"},
		{"c", "?search=&geoLocation=", "10:", "1 2 3 6"},
		{"c", "", in, "1 2 3 4 6"},
		{"c", "", out, "1 2 3 6"},
		{"c", "?search=berlin", "10:", "1"},
		{"c", "?search=NURSE+berlin", "10:", "1"},
		{"c", "?search=cookkitchen", "10:", ""}, // the title ends where another text begins
		{"c", "?search=nurse+cook", "10:", ""},
		{"c", "?search=k%C3%96chin", "10:", "3"},
		{"c", "?search=%D0%9C%D0%95%D0%94", "10:", "6"}, // МЕД
		{"c", "?search=%E8%AD%B7%E5%A3%AB", "10:", "6"}, // 護士
		{"c", "?search=kitchen-7", "10:", "2"},
		{"c", "?search=strong", "10:", ""},   // markup is no text
		{"c", "?search=daylight", "10:", ""}, // and parts words
		{"c", "?search=light", "10:", "1"},
		{"c", "?search=day", "10:", "1 6"},
		{"c", "?search=oneday", "10:", ""},
		{"c", "?search=daytwo", "10:", ""},
		{"d", "?search=driver+lorry+fahrer+CHAUFFEUR", "10:", "7"},
		{"c", "?search=%26+day", "10:", "1"},
		{"c", "?geoLocation=52.520014::13.373006::10", "10:", "1"},
		{"c", "?geoLocation=52.520014%3A%3A13.373006%3A%3A10", "10:", "1"},
		{"c", "?geoLocation=52.520014::13.373006::50", "10:", "1 2"}, // through an additional location
		{"c", "?geoLocation=52.520014::13.373006::0", "10:", "1"},
		{"c", "?geoLocation=0::0::20015", "10:", "1 2"},      // everywhere, but a place must be set
		{"c", "?geoLocation=-40::-170::40031", "10:", "1 2"}, // once around
		{"c", "?geoLocation=-33.9::-70.6::10.5", "10:", ""},
		{"c", "?geoLocation=-40::-170::15000", "10:", ""}, // far more than half around
		{"d", "?geoLocation=90::7::1", "10:", "7"},        // the pole
		{"c", "?geoLocation=52.520014::13.373006::50&search=cook", "10:", "2"},
		{"d", "?geoLocation=52.520014::13.373006::10", "10:", "5"},
		{"nowhere", "", "10:", ""},
	} {
		res, body := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/"+c.channel+"/jobs"+c.query, c.credential)
		if got := postingIDs(t, body); res.StatusCode != 200 || got != c.want {
			t.Errorf("%s%s as %.4s: %d %q, want %q", c.channel, c.query, c.credential, res.StatusCode, got, c.want)
		}
	}

	// The next search sees a change, even if the same search was made before.
	srv.DeactivateJob(1)
	if _, body := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/c/jobs?search=berlin", "10:"); postingIDs(t, body) != "" {
		t.Errorf("an inactive job is still found: %s", body)
	}
	if _, body := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/c/jobs", "10:"); postingIDs(t, body) != "2 3 6" {
		t.Errorf("behind an inactive job is found %s", body)
	}
}

func postingIDs(t *testing.T, body []byte) string {
	t.Helper()
	var ids []string
	for _, r := range decode(t, body).(map[string]any)["results"].([]any) {
		ids = append(ids, fmt.Sprint(r.(map[string]any)["jobPostingId"]))
	}
	return strings.Join(ids, " ")
}

func TestRadiusIsTheGreatCircle(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.Publish("c", jobboardtest.Job{Title: "Hamburg", Location: jobboardtest.Location{Lat: "53.550556", Long: "10.001389"}})
	srv.Publish("c", jobboardtest.Job{Title: "Taveuni", Location: jobboardtest.Location{Lat: "-16.85", Long: "-179.95"}})
	for _, c := range []struct {
		geo   string
		found bool
	}{
		{"52.520014::13.373006::252.8", false},
		{"52.520014::13.373006::252.9", true},
		{"-16.85::179.95::10.6", false}, // 10.64 km across the date line
		{"-16.85::179.95::10.7", true},
	} {
		_, body := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/c/jobs?geoLocation="+c.geo, "10:")
		if got := postingIDs(t, body) != ""; got != c.found {
			t.Errorf("%s: found %v", c.geo, got)
		}
	}
}

func TestLanguages(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddPosting(jobboardtest.Posting{
		Title: "Pflegekraft", Language: "de", Channels: []string{"c"}, Config: map[string][]string{"ad": {"Hallo"}, "n": {"1"}},
		Translations: map[string]jobboardtest.Translation{
			"en":      {Title: "Nurse", Config: map[string][]string{"ad": {"Hello"}}},
			"pt-BR":   {Title: "Enfermeira", Config: map[string][]string{"ad": {"Oi"}}},
			"zh-Hant": {Title: "護士", Config: map[string][]string{"ad": {"你好"}}},
			"nl":      {Config: map[string][]string{"ad": {"Hoi"}}},
			"da":      {Title: "Sygeplejerske"},
			"it-IT":   {Title: "2"}, "IT_it": {Title: "1"}, "it_it": {Title: "3"}, "It-It": {Title: "4"},
			"ro-ro": {Title: "2"}, "RO-RO": {Title: "1"},
		},
	})
	care := map[string]jobboardtest.Translation{"en": {Title: "Care", Config: map[string][]string{"ad": {"Hi"}}}}
	srv.AddPosting(jobboardtest.Posting{Title: "Pflege", Language: "de-DE", Channels: []string{"d"}, Translations: care})
	srv.AddPosting(jobboardtest.Posting{Title: "of no language", Channels: []string{"e"}, Translations: care})
	shown := func(channel, header string) string {
		h := basicHeader("10:")
		for line := range strings.Lines(header) {
			h.Add("Accept-Language", strings.TrimSpace(line))
		}
		_, body := send(t, srv, "GET", searchAt(srv, channel), h, "")
		var page struct {
			Results []struct {
				Title  string
				Config map[string][]string
			}
		}
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		r := page.Results[0]
		return r.Title + "/" + strings.Join(append(r.Config["ad"], r.Config["n"]...), "/")
	}
	for header, want := range map[string]string{
		"": "Pflegekraft/Hallo", "de": "Pflegekraft/Hallo", "en": "Nurse/Hello", "en-GB": "Nurse/Hello", "en_US": "Nurse/Hello", "EN": "Nurse/Hello",
		"fr": "Pflegekraft/Hallo", "fr, en;q=0.5, de;q=0.1": "Nurse/Hello", "en;q=0.3, de-AT;q=0.9": "Pflegekraft/Hallo", "en;q=0": "Pflegekraft/Hallo", "*": "Pflegekraft/Hallo",
		"pt-BR": "Enfermeira/Oi", "pt_br": "Enfermeira/Oi", "pt": "Pflegekraft/Hallo",
		"nl": "Pflegekraft/Hoi", "da": "Sygeplejerske/Hallo", "de;q=1, en": "Pflegekraft/Hallo", "en;q=x, nl;q=0.1": "Pflegekraft/Hoi", "it-IT": "1/Hallo", "ro-RO": "2/Hallo",
		"zh-Hant-TW": "護士/你好", "zh-TW": "Pflegekraft/Hallo", "fr\nen": "Nurse/Hello",
	} {
		if got := shown("c", header); got != want+"/1" {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	// A posting's own text is the nearest to another country's form of its language.
	if own, other, none := shown("d", "de-AT, en;q=0.9"), shown("d", "fr, en;q=0.9"), shown("e", ", en"); own != "Pflege/" || other != "Care/Hi" || none != "Care/Hi" {
		t.Errorf("%s, %s, %s", own, other, none)
	}
}

// Postings are encoded once for each language, and no page of them is put together
// in memory: many searches at once of a large channel take no more than one.
func TestSearchesShareEncodings(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithStrict(false))
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddChannel(jobboardtest.Channel{ID: "large"})
	for range 500 {
		srv.AddPosting(jobboardtest.Posting{
			Channels: []string{"large"}, Config: map[string][]string{"platform_internalAdText": {strings.Repeat("x", 4000)}},
			Translations: map[string]jobboardtest.Translation{"de": {Title: "Stelle"}},
		})
	}
	search := func(language string) {
		r := httptest.NewRequest(http.MethodGet, searchAt(srv, "large"), http.NoBody)
		r.SetBasicAuth("10", "")
		r.Header.Set("Accept-Language", language)
		var w counter
		srv.Handler().ServeHTTP(&w, r)
		if w < 500*4000 {
			t.Errorf("%d bytes", w)
		}
	}
	search("en")
	search("de")
	const n = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		search("en")
		search("de")
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / (2 * n); each > 500<<10 {
		t.Errorf("%d bytes for a page of two megabytes", each)
	}
}

// counter counts the bytes of an answer.
type counter int

func (*counter) Header() http.Header { return http.Header{} }
func (*counter) WriteHeader(int)     {}

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestPagesAndUnknownChannels(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	for range 5 {
		srv.Publish("c", jobboardtest.Job{Title: "x"})
	}
	for _, c := range []struct {
		channel string
		v       jobboardtest.Variants
		status  int
		want    string
	}{
		{"c", jobboardtest.Variants{}, 200, `{"itemsPerPage":5,"numPages":1,"offset":0,"actualPage":0,"firstPostingOnPage":1,"lastPostingOnPage":5,"totalNumberOfJobs":5,"results":[{`},
		{"c", jobboardtest.Variants{PageSize: 2}, 200, `{"itemsPerPage":2,"numPages":3,"offset":0,"actualPage":0,"firstPostingOnPage":1,"lastPostingOnPage":2,"totalNumberOfJobs":5,"results":[{`},
		{"c", jobboardtest.Variants{PageSize: 2, Page: 1}, 200, `{"itemsPerPage":2,"numPages":3,"offset":2,"actualPage":1,"firstPostingOnPage":3,"lastPostingOnPage":4,"totalNumberOfJobs":5,"results":[{"jobPostingId":4718,`},
		{"c", jobboardtest.Variants{PageSize: 2, Page: 9}, 200, `{"itemsPerPage":2,"numPages":3,"offset":4,"actualPage":2,"firstPostingOnPage":5,"lastPostingOnPage":5,"totalNumberOfJobs":5,"results":[{"jobPostingId":4724,`},
		{"c", jobboardtest.Variants{PageSize: math.MaxInt, Page: math.MaxInt}, 200, fmt.Sprintf(`{"itemsPerPage":%d,"numPages":1,"offset":0,`, math.MaxInt)},
		{"c", jobboardtest.Variants{PageSize: 1, Page: 4}, 200, `{"itemsPerPage":1,"numPages":5,"offset":4,"actualPage":4,"firstPostingOnPage":5,"lastPostingOnPage":5,"totalNumberOfJobs":5,"results":[{`},
		{"c", jobboardtest.Variants{PageSize: 20}, 200, `{"itemsPerPage":20,"numPages":1,"offset":0,"actualPage":0,"firstPostingOnPage":1,"lastPostingOnPage":5,"totalNumberOfJobs":5,"results":[{`},
		{"no", jobboardtest.Variants{PageSize: 20}, 200, strings.TrimSpace(string(typed(t, "search_empty.json")))},
		{"no", jobboardtest.Variants{PageSize: 20, Missing: jobboardtest.MissingNull}, 200, strings.TrimSpace(string(typed(t, "search_results_null.json")))},
		{"no", jobboardtest.Variants{UnknownChannel: 404}, 404, "channel no not found"},
		{"no", jobboardtest.Variants{UnknownChannel: 400}, 400, "channel no not found"},
		{strings.Repeat("a", 80), jobboardtest.Variants{UnknownChannel: 400}, 400, "channel " + strings.Repeat("a", 80) + " not found"},
		{strings.Repeat("a", 81), jobboardtest.Variants{UnknownChannel: 400}, 400, "channel " + strings.Repeat("a", 80) + "... not found"},
		{"x" + strings.Repeat("%C3%A4", 60), jobboardtest.Variants{UnknownChannel: 400}, 400, "channel x" + strings.Repeat("ä", 39) + "... not found"},
	} {
		srv.SetVariants(c.v)
		res, body := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/"+c.channel+"/jobs", "10:")
		if res.StatusCode != c.status || !strings.HasPrefix(string(body), c.want) {
			t.Errorf("%s %+v: %d %s\nwant %s", c.channel, c.v, res.StatusCode, body, c.want)
		}
	}
}

func TestProcessingErrors(t *testing.T) {
	srv := jobboardtest.NewServer()
	defer srv.Close()
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	url := srv.BaseURL + searchPath + "?geoLocation=here"
	res, body := get(t, srv, url, "10:")
	if want := strings.TrimSpace(string(typed(t, "errors/500_processing.txt"))); res.StatusCode != 500 || !strings.HasPrefix(string(body), want) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	srv.SetVariants(jobboardtest.Variants{EmptyServerErrors: true})
	res, body = get(t, srv, url, "10:")
	if res.StatusCode != 500 || !bytes.Equal(body, typed(t, "errors/500_empty.txt")) || res.Header.Get("Content-Type") != "" {
		t.Errorf("%d %s %q", res.StatusCode, body, res.Header.Get("Content-Type"))
	}
}
