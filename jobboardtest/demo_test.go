package jobboardtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// demoDay is when the newest posting of the demo's document was listed.
func demoDay() time.Time { return time.Date(2026, 2, 19, 8, 0, 0, 0, time.UTC) }

func TestDemo(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithClock(demoDay))
	d := srv.Demo
	s := srv.Snapshot()

	cities, keys, types, langs, jobLangs := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	zeroEnd, otherEnd, emptyCompany, ask := false, false, false, false
	jobs := map[int64]jobboardtest.Job{}
	for _, j := range s.Jobs {
		jobs[j.ID] = j
		jobLangs[j.Language] = true
		ask = ask || j.AskLocation
		for _, q := range j.Questions {
			types[q.Type] = true
			if (len(q.Answers) > 0) != (q.Type == jobboardtest.YesNo || q.Type == jobboardtest.Catalog) {
				t.Errorf("question %+v", q)
			}
		}
	}
	for _, p := range s.Postings {
		cities[jobs[p.JobID].Location.Zip] = true
		langs[p.Language] = true
		zeroEnd = zeroEnd || p.VersionEnd.IsZero()
		otherEnd = otherEnd || !p.VersionEnd.IsZero()
		for k, v := range p.Config {
			keys[k] = true
			if k == "ProjectCompanyNameGerman" && v[0] == "" {
				emptyCompany = true
			}
		}
	}
	if len(s.Postings) < 40 || len(cities) < 6 || len(langs) != 2 || len(jobLangs) != 2 || !zeroEnd || !otherEnd || !emptyCompany || !ask {
		t.Errorf("%d postings, cities %v, languages %v and %v, an end of 0: %v, another: %v, an empty company name: %v, a location question: %v", len(s.Postings), cities, langs, jobLangs, zeroEnd, otherEnd, emptyCompany, ask)
	}
	for _, k := range []string{
		"ProjectLocation", "location", "ProjectLocationGerman", "ProjectNumber", "audience", "platformvisibility", "listingStartDate", "internalPostingName",
		"platform_internalAdText", "jobcategory", "ProjectCompanyNameGerman", "sg_remote_status",
	} {
		if !keys[k] {
			t.Errorf("no posting has %s", k)
		}
	}
	for _, q := range []string{jobboardtest.YesNo, jobboardtest.Text, jobboardtest.TextArea, jobboardtest.Catalog} {
		if !types[q] {
			t.Errorf("no question is a %s", q)
		}
	}

	// One thing for each answer, as DemoInfo names them.
	for _, c := range []struct {
		name          string
		job           int64
		applied, info string
	}{
		{"open", d.OpenJob, "false", `"applyPossible":true`},
		{"applied", d.AppliedJob, "true", `"applyPossible":true`},
		{"withdrawn", d.WithdrawnJob, "true", `"applyPossible":true`},
		{"inactive", d.InactiveJob, "inactive", "ERROR_JOB_INACTIVE"},
		{"unknown", d.UnknownJob, "not available", "ERROR_JOB_UNAVAILABLE"},
		{"deleted", d.DeletedJob, "not available", "ERROR_JOB_UNAVAILABLE"},
		{"internal", d.InternalJob, "JobPosting not accessible", `"applyPossible":true`},
		{"other company", d.OtherCompanyJob, "Project for jobId", `"applyPossible":true`},
		{"unpublished", d.UnpublishedJob, "JobPosting not found", "ERROR_POSTING_UNAVAILABLE"},
		{"closed", d.ClosedJob, "false", `"applyPossible":false`},
	} {
		_, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/"+id(c.job)+"/applied", d.ApplicantToken)
		if !strings.Contains(string(body), c.applied) {
			t.Errorf("%s: applied: %s", c.name, body)
		}
		_, body = get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid="+id(c.job), "")
		if !strings.Contains(string(body), c.info) {
			t.Errorf("%s: lookup: %.200s", c.name, body)
		}
	}
	if _, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/"+id(d.AppliedJob)+"/application", d.ApplicantToken); string(body) != d.ApplicationID {
		t.Errorf("application: %s", body)
	}
	for token, want := range map[string]int{d.ClientToken: 401, d.InternalToken: 200, d.ExpiredToken: 401, d.NarrowToken: 403} {
		if res, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/"+id(d.InternalJob)+"/applied", token); res.StatusCode != want {
			t.Errorf("%s: %d %s", token, res.StatusCode, body)
		}
	}
	for credential, want := range map[string]int{d.ClientID + ":": 200, d.ClientToken: 200, d.ConfidentialClient + ":": 401} {
		if res, _ := get(t, srv, searchURL(srv), credential); res.StatusCode != want {
			t.Errorf("search as %s: %d", credential, res.StatusCode)
		}
	}
	// Published clients send the secret in Basic.
	res, _ := send(t, srv, "GET", searchURL(srv), basicHeader(d.ConfidentialClient+":"+d.ConfidentialSecret), "")
	if res.StatusCode != 200 {
		t.Errorf("search with a secret in Basic: %d", res.StatusCode)
	}
	v := reflect.ValueOf(d)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("DemoInfo.%s is empty", v.Type().Field(i).Name)
		}
	}

	intranet, remote, hidden := 0, 0, 0
	for _, p := range s.Postings {
		if p.Config["platformvisibility"][0] == "hidden" {
			hidden++
		}
		remote += len(p.Config["sg_remote_status"])
		if len(p.Channels) == 2 && p.Channels[1] == "27829_intern" {
			intranet++
		}
	}
	if intranet != 12 || remote != 11 || hidden != 3 {
		t.Errorf("%d postings are in the channel of the intranet too, %d are of remote work, %d hidden", intranet, remote, hidden)
	}
	for _, a := range s.Applications {
		if a.Withdrawn != (a.JobID == d.WithdrawnJob) {
			t.Errorf("%+v", a)
		}
	}
	for _, token := range s.Tokens {
		if token.Since.Format(time.DateOnly) != "2026-01-05" {
			t.Errorf("%v is of %v", token, token.Since)
		}
	}

	var again bytes.Buffer
	if err := s.Write(&again); err != nil {
		t.Fatal(err)
	}
	if document, err := os.ReadFile("demo.json"); err != nil || !bytes.Equal(again.Bytes(), document) {
		t.Errorf("the demo is not what its document says, in the form of Write: %v", err)
	}
}

// Whenever a server starts, the newest posting of its demo was listed on the day before, all dates lie as far apart as
// ever, and no posting has expired.
func TestDemoIsOfToday(t *testing.T) {
	was := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithClock(demoDay)).Snapshot()
	for _, now := range []time.Time{
		demoDay().Add(24*time.Hour - 1), demoDay().Add(24 * time.Hour), time.Date(2031, 12, 31, 7, 59, 0, 0, time.UTC), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithClock(func() time.Time { return now }))
		is := srv.Snapshot()
		by := is.Postings[0].VersionStart.Sub(was.Postings[0].VersionStart)
		if by%(24*time.Hour) != 0 {
			t.Errorf("%s: moved by %s", now, by)
		}
		var newest time.Time
		for i, p := range is.Postings {
			old := was.Postings[i]
			ms, err := strconv.ParseInt(p.Config["listingStartDate"][0], 10, 64)
			if err != nil || ms != p.VersionStart.UnixMilli() {
				t.Errorf("%s: %s is listed at %d", now, p.Title, ms)
			}
			if p.VersionStart.After(newest) {
				newest = p.VersionStart
			}
			if !p.VersionEnd.IsZero() && !p.VersionEnd.After(now) || p.VersionEnd.IsZero() != old.VersionEnd.IsZero() {
				t.Errorf("%s: %s ends at %s", now, p.Title, p.VersionEnd)
			}
			if p.VersionStart.Sub(old.VersionStart) != by || p.JobStart.Sub(old.JobStart) != by || !old.VersionEnd.IsZero() && p.VersionEnd.Sub(old.VersionEnd) != by {
				t.Errorf("%s: %s moved otherwise than by %s", now, p.Title, by)
			}
		}
		if age := now.Sub(newest); age < 0 || age >= 24*time.Hour {
			t.Errorf("%s: the newest posting is of %s", now, newest)
		}
		if is.Applications[0].Created.Sub(was.Applications[0].Created) != by || is.Tokens[0].Since.Sub(was.Tokens[0].Since) != by {
			t.Errorf("%s: applications or tokens moved otherwise than by %s", now, by)
		}
	}
}

func id(n int64) string { b, _ := json.Marshal(n); return string(b) }

func TestNationalities(t *testing.T) {
	srv := jobboardtest.New(t)
	labels := map[string]map[string]string{}
	for _, lang := range []string{"de", "en"} {
		j, _ := srv.Publish("c", jobboardtest.Job{Title: "x", Language: lang})
		_, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid="+id(j.ID), "")
		labels[lang] = map[string]string{}
		seen := map[string]bool{}
		for _, n := range decode(t, body).(map[string]any)["nationalities"].([]any) {
			n := n.(map[string]any)
			label := n["label"].(string)
			if label == "" || seen[label] || labels[lang][n["id"].(string)] != "" {
				t.Errorf("%v is empty or there twice", n)
			}
			seen[label] = true
			labels[lang][n["id"].(string)] = label
		}
		if n := len(labels[lang]); n < 190 || n > 210 {
			t.Errorf("%d nationalities in %s", n, lang)
		}
	}
	if len(labels["de"]) != len(labels["en"]) || labels["en"]["2800100"] == "" || labels["en"]["2800101"] == "" {
		t.Error("the catalogues differ in length, or do not begin with 2800100")
	}
	// Replacing a catalogue also changes the answers about earlier jobs.
	j, _ := srv.Publish("c", jobboardtest.Job{Title: "x", Language: "fr"})
	for _, label := range []string{"français", "française"} {
		setNationalities(t, srv, "fr", []jobboardtest.Choice{{ID: "1", Label: label}})
		want := `"nationalities":[{"id":"1","label":"` + label + `"}],`
		if _, body := get(t, srv, srv.JobDBURL+"/jobdb/public/apply/external?jobid="+id(j.ID), ""); !strings.Contains(string(body), want) {
			t.Errorf("%s, want %s", body, want)
		}
	}
	for n, de := range labels["de"] {
		if en := labels["en"][n]; en == "" || (de == "deutsch") != (en == "German") || (de == "schweizerisch") != (en == "Swiss") || (de == "staatenlos") != (en == "Stateless") {
			t.Errorf("%s is %q and %q", n, de, en)
		}
	}
}

// The demo has what a program must bear: ugly advertisements, and links that say
// all, the job alone, or nothing.
func TestDemoIsNotTooNice(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	defer srv.Close()
	scripts, unclosed := 0, 0
	links := map[string]int{}
	for _, p := range srv.Snapshot().Postings {
		ad := strings.ToLower(strings.Join(p.Config["platform_internalAdText"], ""))
		if strings.Contains(ad, "<script") || strings.Contains(ad, "onerror=") || strings.Contains(ad, "javascript:") {
			scripts++
		}
		if strings.Count(ad, "<p") > strings.Count(ad, "</p>") || strings.Count(ad, "<table") > strings.Count(ad, "</table>") {
			unclosed++
		}
		switch {
		case strings.Contains(p.ApplyURL, fmt.Sprintf("/job/%d/", p.JobID)) && strings.Contains(p.ApplyURL, fmt.Sprintf("jobDbPVId=%d&", p.VersionID)):
			links["job and version"]++
		case strings.Contains(p.ApplyURL, fmt.Sprintf("/job/%d/", p.JobID)):
			links["job"]++
		default:
			links["nothing"]++
		}
	}
	if scripts < 3 || unclosed < 2 || links["job and version"] < 30 || links["job"] < 3 || links["nothing"] < 3 {
		t.Errorf("%d with scripts, %d unclosed, links %v", scripts, unclosed, links)
	}
}
