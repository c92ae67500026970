package boardcheck_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// anyDay returns a board with other data than that of any other seed: jobs, questions, places,
// config keys, dates, states and applications come and go with each.
func anyDay(t *testing.T, seed uint64, v jobboardtest.Variants) *jobboardtest.Server {
	t.Helper()
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithStrict(false), fewCountries(), jobboardtest.WithVariants(v))
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
