package boardcheck_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

// anyDay returns a board with other data than that of any other seed: jobs, questions, places,
// config keys, dates, states and applications come and go with each.
func anyDay(t *testing.T, seed uint64, v jobboardtest.Variants) *jobboardtest.Server {
	t.Helper()
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithStrict(false), jobboardtest.WithVariants(v))
	r := rand.New(rand.NewPCG(seed, 7))
	day := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC).AddDate(0, 0, int(seed))
	srv.SetClock(func() time.Time { return day })
	srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	who := srv.AddApplicant(jobboardtest.Applicant{Name: "Jana"})
	srv.Demo.ApplicantToken = srv.UserToken(who.ID)
	sometimes := func(n int) bool { return r.IntN(n) == 0 }
	text := func(of ...string) string { return of[r.IntN(len(of))] }
	place := func() jobboardtest.Location {
		if sometimes(8) {
			return jobboardtest.Location{}
		}
		l := jobboardtest.Location{Lat: fmt.Sprintf("%.5f", 47+8*r.Float64()), Long: fmt.Sprintf("%.5f", 6+9*r.Float64()), Country: "Germany"}
		if !sometimes(3) {
			l.City, l.Zip = text("Berlin", "Köln", "Ulm", "Bad Homburg v. d. H."), strconv.Itoa(10000+r.IntN(89999))
		}
		if !sometimes(3) {
			l.Name, l.Street, l.State = text("An der Alster 1, Hamburg", "Ulm"), text("1", "Am Markt 5", "2024"), text("BE", "", "08")
		}
		return l
	}
	for n := range 30 + r.IntN(60) {
		j := jobboardtest.Job{
			Title:     text("Nurse", "Pflegekraft", "4711", "2026-01-01", "https://x.example", "Gardener (m/w/d) <b>", "Head of Sales") + text("", " I", " II"),
			CompanyID: srv.AddCompany(jobboardtest.Company{Name: text("ACME", "", "Stadt Ulm"), PrivacyURL: text("", "https://p.example/a")}).ID,
			Language:  text("en", "de"), Location: place(), AskLocation: sometimes(3), ApplyClosed: sometimes(15), Internal: sometimes(15),
		}
		for range r.IntN(3) {
			j.AdditionalLocations = append(j.AdditionalLocations, place())
		}
		for i := range r.IntN(4) {
			q := jobboardtest.Question{ID: strconv.Itoa(i + 1), Type: text("YESNO", "TEXT", "TEXTAREA", "CATALOG"), Label: text("Führerschein?", "Why?", "12")}
			if q.Type == "YESNO" || q.Type == "CATALOG" {
				q.Answers = []jobboardtest.Choice{
					{ID: text("1", "d2b5f2c4-98a5-4f7e-8f5f-1f0c5f3a7b11"), Label: "Ja"}, {ID: "2900100", Label: text("Nein", "0", "")},
				}
			}
			j.Questions = append(j.Questions, q)
		}
		switch r.IntN(20) {
		case 0:
			j.Status = jobboardtest.Inactive
		case 1:
			j.Status = jobboardtest.Deleted
		}
		j = srv.AddJob(j)
		if sometimes(20) {
			continue // without a posting
		}
		srv.AddPosting(aPosting(r, day, n, j))
		if j.Status == jobboardtest.Active && !j.ApplyClosed && !j.Internal && sometimes(4) {
			if _, err := srv.Apply(who.ID, j.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	return srv
}

func aPosting(r *rand.Rand, day time.Time, n int, j jobboardtest.Job) jobboardtest.Posting {
	sometimes := func(n int) bool { return r.IntN(n) == 0 }
	p := jobboardtest.Posting{
		JobID: j.ID, Channels: []string{"27828_extern"}, Language: j.Language, Title: j.Title, Config: map[string][]string{},
		VersionStart: day.AddDate(0, 0, -r.IntN(90)),
	}
	if !sometimes(3) {
		p.VersionEnd = day.AddDate(0, 0, r.IntN(90))
	}
	if !sometimes(3) {
		p.JobStart = day.AddDate(0, r.IntN(6), 0)
	}
	if sometimes(10) {
		p.ApplyURL = "https://elsewhere.example/a"
	}
	values := map[string][]string{
		"ProjectLocation": {"12", "berlin"}, "location": {"12", "x"}, "ProjectLocationGerman": {"Ulm", ""}, "ProjectNumber": {"4711", "A-1"},
		"audience": {"1", "pro"}, "platformvisibility": {"visible", "hidden", "internal"}, "listingStartDate": {"1767225600000"},
		"internalPostingName": {"x", "2026", "https://x.example"}, "platform_internalAdText": {"<p>Hello</p>", "Hello", ""},
		"jobcategory": {"3001", "it"}, "ProjectCompanyNameGerman": {"", "ACME"}, "sg_remote_status": {"FULLY_REMOTE", "NONE", "PARTLY"},
	}
	for _, key := range slices.Sorted(maps.Keys(values)) { // in one order, or a seed gives another board each time
		of := values[key]
		if r.IntN(4) > 0 && !(key == "sg_remote_status" && n%2 == 0) {
			p.Config[key] = []string{of[r.IntN(len(of))]}
		}
	}
	if sometimes(10) {
		p.Config = nil
	}
	if sometimes(3) {
		p.Translations = map[string]jobboardtest.Translation{"de": {Title: "Übersetzt " + p.Title}}
	}
	return p
}

// departs are the rules about types that the boards of TestFiftyRunsTellNothing break on some days:
// they send null for what is empty, quote identifiers, and send dates as texts.
var departs = map[string][]string{"others": {
	"search/posting-fields", "search/timestamps", "search/config", "lookup/fields", "lookup/questions", "lookup/locations",
}}

// 50 runs over other data, days and orders of the same board: no difference is told, whatever
// switches the board has. Without JOBBOARD_TESTS=night there are fewer runs.
func TestFiftyRunsTellNothing(t *testing.T) {
	for name, v := range map[string]jobboardtest.Variants{
		"plain":  {},
		"others": {Missing: "null", QuotedIDs: true, Dates: "iso-plain", ErrorStatus: 200, CodedErrors: "code-word", PlainErrors: "as-json"},
		"absent": {Missing: "absent", PageSize: 25},
	} {
		t.Run(name, func(t *testing.T) {
			known := &boardcheck.Profile{}
			judged := 0
			for seed := range uint64(51) {
				if !testenv.Night() && (name == "plain" && seed > 12 || name != "plain" && seed > 5) {
					break
				}
				synctest.Test(t, func(t *testing.T) {
					r := check(t, boardOf(anyDay(t, seed, v)))
					r.Since(known)
					for _, c := range r.Changes {
						if !c.Note {
							t.Errorf("run %d: %s", seed, c)
						}
					}
					for _, x := range r.Rules {
						if x.State == boardcheck.Broken && !slices.Contains(departs[name], x.Name) {
							t.Errorf("run %d: %s is broken: %q %q", seed, x.Name, x.Problems, x.Quotes)
						}
						if x.State == boardcheck.Kept {
							judged++
						}
					}
					if len(r.Troubles) > 0 || r.Requests > boardcheck.MaxRequests {
						t.Errorf("run %d: %d requests, %q", seed, r.Requests, r.Troubles)
					}
				})
			}
			t.Logf("%d rules a run, %d runs", judged/known.Runs, known.Runs)
		})
	}
}

// A job without a place has no answers to the question about the preferred one: an empty array and
// none break no rule, and null is no array.
func TestQuestionWithoutAnswers(t *testing.T) {
	for missing, want := range map[jobboardtest.MissingForm]boardcheck.State{
		"": boardcheck.Kept, jobboardtest.MissingNull: boardcheck.Broken, jobboardtest.MissingAbsent: boardcheck.Kept,
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithVariants(jobboardtest.Variants{Missing: missing}))
			srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
			srv.AddClient(jobboardtest.ClientApp{ID: "10"})
			srv.Publish("27828_extern", jobboardtest.Job{Title: "Nurse", AskLocation: true})
			srv.Publish("27828_extern", jobboardtest.Job{
				Title: "Cook", AskLocation: true, Location: jobboardtest.Location{City: "Ulm"},
				Questions: []jobboardtest.Question{{ID: "1", Type: jobboardtest.YesNo}, {ID: "2", Type: jobboardtest.Text}},
			})
			r := check(t, boardOf(srv))
			i := slices.IndexFunc(r.Rules, func(x boardcheck.Rule) bool { return x.Name == "lookup/questions" })
			if x := r.Rules[i]; x.State != want {
				t.Errorf("missing %q: %s is %s: %q", missing, x.Name, x.State, x.Quotes)
			}
		})
	}
}

// Whether some postings differ by language is a matter of which postings there are, until
// so many are alike that they cannot be the same board's.
func TestPostingsDifferByLanguage(t *testing.T) {
	of := func(differ, same int) *boardcheck.Profile {
		return &boardcheck.Profile{Runs: 1, Answers: map[string]*boardcheck.Answer{"search/page": {Facts: map[string]int{
			"postings that differ by language": differ, "postings that do not differ by language": same,
		}}}}
	}
	for _, c := range []struct {
		was, is *boardcheck.Profile
		want    string
	}{
		{of(20, 40), of(0, 60), "search: none of 60 postings differs by language, and 20 of 60 did"},
		{of(200, 400), of(0, 60), "search: none of 60 postings differs by language, and 200 of 600 did"},
		{of(20, 40), of(0, 20), ""},
		{of(4, 21), of(0, 25), ""},
		{of(4, 21), of(0, 0), ""},
		{of(0, 60), of(20, 40), "search: 20 of 60 postings differ by language, and none of 60 did"},
		{of(0, 6000), of(20, 40), "search: 20 of 60 postings differ by language, and none of 6000 did"},
		{of(0, 6000), of(1, 59), ""},
		{of(0, 0), of(60, 0), ""},
		{of(1, 0), of(0, 1), ""},
		{of(30, 0), of(0, 30), "search: none of 30 postings differs by language, and 30 of 30 did"},
	} {
		told := ""
		for _, x := range c.was.Compare(c.is) {
			told += x.String()
		}
		if told != c.want {
			t.Errorf("told %q, want %q", told, c.want)
		}
	}
}

// edit is a transport that changes the JSON of answers.
type edit struct {
	next http.RoundTripper
	json func(path string, status int, v any) any
	raw  func(path string, resp *http.Response, body []byte) []byte
}

func (e edit) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := e.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	if e.json != nil {
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			if body, err = json.Marshal(e.json(r.URL.Path, resp.StatusCode, v)); err != nil {
				return nil, err
			}
		}
	}
	if e.raw != nil {
		body = e.raw(r.URL.Path, resp, body)
	}
	resp.Header.Del("Content-Length")
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

type object = map[string]any

// each changes the objects of a list in every answer that has it.
func each(list string, f func(i int, o object)) func(string, int, any) any {
	return func(_ string, _ int, v any) any {
		if o, ok := v.(object); ok {
			items, _ := o[list].([]any)
			for i, x := range items {
				if item, ok := x.(object); ok {
					f(i, item)
				}
			}
		}
		return v
	}
}

// info changes the answers of the lookup that tell of a job.
func info(f func(o object)) func(string, int, any) any {
	return func(_ string, _ int, v any) any {
		if o, ok := v.(object); ok && o["jobTitle"] != nil {
			f(o)
		}
		return v
	}
}

func replaced(from, to string) func(string, *http.Response, []byte) []byte {
	return func(_ string, _ *http.Response, body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(from), []byte(to))
	}
}

// A change of the board is told by its place, once, and nothing else is.
func TestChangesAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		edit edit
		want []string // beginnings of what is told, without rules; none: no change
	}{
		"nothing":      {edit{}, nil},
		"a new member": {edit{json: each("results", func(_ int, o object) { o["salary"] = 5 })}, []string{"search results[].salary: the member was never seen"}},
		"a new member of one posting": {edit{json: each("results", func(i int, o object) {
			if i == 3 {
				o["salary"] = object{"from": 1, "to": []any{object{"a": 1}}}
			}
		})}, []string{"search results[].salary: the member was never seen"}},
		"a new key of config": {edit{json: each("results", func(_ int, o object) { o["config"].(object)["salaryband"] = []any{"x"} })}, []string{"search results[].config.salaryband: "}},
		"a member is gone":    {edit{json: each("results", func(_ int, o object) { delete(o, "title") })}, []string{"search results[].title: the member is gone"}},
		"a member is renamed": {edit{json: each("results", func(_ int, o object) { o["name"] = o["title"]; delete(o, "title") })}, []string{"search results[].name: ", "search results[].title: the member is gone"}},
		"a member is null once": {edit{json: each("results", func(i int, o object) {
			if i == 7 {
				o["title"] = nil
			}
		})}, []string{"search results[].title: the form null"}},
		"some lack a key": {edit{json: each("results", func(i int, o object) { delete(o["config"].(object), "location") })}, []string{"search results[].config.location: the member is gone"}},
		"half lack a key": {edit{json: each("results", func(i int, o object) {
			if i%2 == 0 {
				delete(o["config"].(object), "location")
			}
		})}, nil},
		"dates are ISO":           {edit{json: each("results", func(_ int, o object) { o["jobStartDate"] = "2026-01-31T08:30:00.000Z" })}, []string{"search results[].jobStartDate: the form date with Z"}},
		"dates are seconds":       {edit{json: each("results", func(_ int, o object) { o["jobStartDate"] = 1767225600 })}, []string{"search results[].jobStartDate: the form number"}},
		"an identifier is quoted": {edit{json: each("results", func(_ int, o object) { o["jobPostingId"] = fmt.Sprint(o["jobPostingId"]) })}, []string{"search results[].jobPostingId: the form quoted number"}},
		"an offset":               {edit{json: info(func(o object) { o["timestamp"] = "2026-01-31T08:30:00.000+0000" })}, []string{"lookup timestamp: the form date with +0000"}},
		"a type of question":      {edit{json: each("questions", func(_ int, o object) { o["type"] = "RATING" })}, []string{"lookup questions[].type: the form a word that the interface does not name"}},
		"a location has numbers":  {edit{json: info(func(o object) { o["location"].(object)["geoLat"] = 52.5 })}, []string{"lookup location.geoLat: the form number with a fraction"}},
		"a list is an object":     {edit{json: info(func(o object) { o["additionalLocations"] = object{"0": object{}} })}, []string{"lookup additionalLocations: the form object"}},
		"a code":                  {edit{raw: replaced("ERROR_JOB_INACTIVE", "ERROR_JOB_ARCHIVED")}, []string{"lookup, error: the code ERROR_JOB_ARCHIVED"}},
		"a code of section 7.2":   {edit{raw: replaced("get_application_error", "find_application_error")}, []string{"application, coded: the code find_application_error"}},
		"the member of a code":    {edit{raw: replaced(`"errorCode"`, `"error"`)}, []string{"lookup, error error: ", "lookup, error: the peculiarity code at error"}},
		"a message is JSON": {edit{raw: func(_ string, resp *http.Response, body []byte) []byte {
			if bytes.HasPrefix(body, []byte("JobPosting")) {
				resp.Header.Set("Content-Type", "application/json")
			}
			return body
		}}, []string{"application, message: the content type application/json", "applied, message: the content type application/json"}},
		"a status": {edit{raw: func(_ string, resp *http.Response, body []byte) []byte {
			if resp.StatusCode == 410 {
				resp.StatusCode = 409
			}
			return body
		}}, []string{"application, another: an answer with status 409", "applied, another: an answer with status 409"}},
		"a charset": {edit{raw: func(path string, resp *http.Response, body []byte) []byte {
			if strings.HasSuffix(path, "/external") {
				resp.Header.Set("Content-Type", "application/json; charset=ISO-8859-1")
			}
			return body
		}}, []string{"lookup, error: the content type application/json; charset=iso-8859-1", "lookup: the content type application/json; charset=iso-8859-1"}},
		"no feed": {edit{raw: func(_ string, resp *http.Response, body []byte) []byte {
			if bytes.Contains(body, []byte("<PositionOpenings")) {
				return []byte("<env:Envelope xmlns:env='http://www.w3.org/2003/05/soap-envelope'><env:Body><env:Fault/></env:Body></env:Envelope>")
			}
			return body
		}}, []string{"feed, another: an answer with status 200 was never seen"}},
		"the feed": {edit{raw: replaced("PositionTitle>", "PositionName>")}, []string{"feed positionopening.positionprofile.positiondetail.positionname: ", "feed positionopening.positionprofile.positiondetail.positiontitle: the member is gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, b := demoBoard(t)
				known := knownDemo(t)
				c.edit.next = srv.Client().Transport
				b.Target.HTTPClient = &http.Client{Transport: c.edit}
				r := check(t, b)
				r.Since(known)
				var got []string
				for _, x := range r.Changes {
					if !x.Note && !strings.HasPrefix(x.Where, "rule ") {
						got = append(got, x.String())
					}
				}
				slices.Sort(got)
				ok := len(got) == len(c.want) && r.Changed() == (len(c.want) > 0)
				for i, want := range c.want {
					ok = ok && strings.HasPrefix(got[i], want)
				}
				if !ok {
					t.Errorf("told:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
				}
				if testenv.Night() { // else it finds the same, as TestDeterministic holds
					r = check(t, b)
				}
				r.Since(known)
				if r.Changed() {
					t.Errorf("told once more: %s", r.Changes)
				}
			})
		})
	}
}
