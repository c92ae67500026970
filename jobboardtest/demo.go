package jobboardtest

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
)

// DemoInfo names what the demo data set holds, one thing for each answer of the
// interface. It is the same in every server.
type DemoInfo struct {
	Channel        string `json:"channel"`
	ClientID       string `json:"client_id"`       // public: Basic
	ClientToken    string `json:"client_token"`    // of the confidential client; like all tokens here it never expires
	ApplicantToken string `json:"applicant_token"` // of Applicant

	OpenJob         int64  `json:"open_job"`      // Applicant has not applied
	AppliedJob      int64  `json:"applied_job"`   // Applicant has applied
	WithdrawnJob    int64  `json:"withdrawn_job"` // Applicant has applied and withdrawn
	InactiveJob     int64  `json:"inactive_job"`
	UnknownJob      int64  `json:"unknown_job"`       // never was
	DeletedJob      int64  `json:"deleted_job"`       // was
	InternalJob     int64  `json:"internal_job"`      // Applicant is not internal
	OtherCompanyJob int64  `json:"other_company_job"` // not of Applicant's company
	UnpublishedJob  int64  `json:"unpublished_job"`   // has no posting
	ClosedJob       int64  `json:"closed_job"`        // active, but takes no more applications
	ApplicationID   string `json:"application_id"`    // of Applicant to AppliedJob

	Applicant          int64  `json:"applicant"`
	Username           string `json:"username"` // of Applicant, for the password grant
	Password           string `json:"password"`
	InternalApplicant  int64  `json:"internal_applicant"`
	InternalToken      string `json:"internal_token"`
	ExpiredToken       string `json:"expired_token"`
	NarrowToken        string `json:"narrow_token"` // its scope is not enough
	ConfidentialClient string `json:"confidential_client"`
	ConfidentialSecret string `json:"confidential_secret"`
}

// WithDemo fills the server with a believable board: 46 postings in six cities, in
// German and English, with every config key of section 2.3 and every question
// type, and with one thing for each answer of the interface, named by DemoInfo.
// Some advertisements are ugly, with scripts, unclosed tags and odd nesting. Most
// links lead from a posting to its job, some without a query, some not at all.
func WithDemo() Option { return func(c *config) { c.demo = true } }

const (
	demoCompany      = "6f1c2a70-3d5e-4b8a-9c41-5d2f7e8a9b10"
	demoOtherCompany = "b83e9d14-71c6-4f02-8a5d-0c9e6f3b2a47"
)

var demoCompanies = []Company{
	{ID: demoCompany, Name: "Lindenhof Gruppe", PrivacyURL: "https://www.lindenhof.example/datenschutz"},
	{ID: demoOtherCompany, Name: "Seeblick AG", PrivacyURL: "https://www.seeblick.example/privacy"},
}

func (s *Server) addDemo() DemoInfo {
	d := DemoInfo{
		Channel: "27828_extern", ClientID: "10", ClientToken: "demo-client-token", ApplicantToken: "demo-applicant-token",
		UnknownJob: 9999999,
		Applicant:  7, Username: "jana.beispiel@example.com", Password: "demo-password",
		InternalApplicant: 8, InternalToken: "demo-internal-token",
		ExpiredToken: "demo-expired-token", NarrowToken: "demo-narrow-token",
		ConfidentialClient: "11", ConfidentialSecret: "demo-client-secret",
		ApplicationID: "f76297d07f000002610484aa8202875a",
	}
	s.change(func(st *state) {
		st.channels[d.Channel] = Channel{ID: d.Channel, Name: "Career site"}
		st.channels["27829_intern"] = Channel{ID: "27829_intern", Name: "Intranet"}
		for _, c := range demoCompanies {
			st.companies[c.ID] = c
		}
		st.addClient(Client{ID: d.ClientID})
		st.addClient(Client{ID: d.ConfidentialClient, Secret: d.ConfidentialSecret})
		st.addApplicant(Applicant{
			ID: d.Applicant, Name: "Jana Beispiel", Username: d.Username, Password: d.Password, CompanyID: demoCompany,
		})
		st.addApplicant(Applicant{ID: d.InternalApplicant, Name: "Imre Muster", Internal: true, CompanyID: demoCompany})

		var ids []int64
		for i, r := range demoRoles {
			for k := range 2 {
				n := 2*i + k
				j, p := demoJob(r, n)
				p.Channels = []string{d.Channel}
				if n%4 == 0 {
					p.Channels = append(p.Channels, "27829_intern")
				}
				st.addJob(j)
				st.addPosting(p)
				ids = append(ids, j.ID)
			}
		}
		d.OpenJob, d.AppliedJob, d.WithdrawnJob = ids[0], ids[1], ids[2]
		d.InactiveJob, d.DeletedJob, d.InternalJob = ids[5], ids[6], ids[7]
		d.OtherCompanyJob, d.UnpublishedJob, d.ClosedJob = ids[9], ids[10], ids[11]
		edit := func(id int64, f func(*Job)) {
			j := st.jobs[id].Job
			f(&j)
			st.addJob(j)
		}
		edit(d.InactiveJob, func(j *Job) { j.Status = Inactive })
		edit(d.DeletedJob, func(j *Job) { j.Status = Deleted })
		edit(d.InternalJob, func(j *Job) { j.Internal = true })
		edit(d.OtherCompanyJob, func(j *Job) { j.CompanyID = demoOtherCompany })
		edit(d.ClosedJob, func(j *Job) { j.ApplyClosed = true })
		for _, p := range st.postings {
			if p.JobID == d.UnpublishedJob {
				st.removePosting(p.ID)
			}
		}

		applied := demoStart.AddDate(0, 1, 3)
		for _, a := range []Application{
			{ID: d.ApplicationID, ApplicantID: d.Applicant, JobID: d.AppliedJob, Created: applied},
			{
				ID: "70000006c99b545ea7b59e0f0a4600d1", ApplicantID: d.Applicant, JobID: d.WithdrawnJob,
				Created: applied, Withdrawn: true,
			},
		} {
			st.applications[appKey{a.ApplicantID, a.JobID}] = a
		}
		for _, t := range []*token{
			{value: d.ClientToken, kind: clientToken, clientID: d.ConfidentialClient},
			{value: d.ApplicantToken, kind: userToken, applicant: d.Applicant},
			{value: d.InternalToken, kind: userToken, applicant: d.InternalApplicant},
			{value: d.ExpiredToken, kind: userToken, applicant: d.Applicant, expired: true},
			{value: d.NarrowToken, kind: userToken, applicant: d.Applicant, narrow: true},
		} {
			t.use(demoStart)
			st.tokens[t.value] = t
		}
	})
	return d
}

var demoStart = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

// demoJob makes the n-th job of the demo and its posting.
func demoJob(r demoRole, n int) (Job, Posting) {
	city := demoCities[(n+n/6)%len(demoCities)]
	german := n%2 == 0
	start := demoStart.AddDate(0, 0, n)
	j := Job{
		ID: 2797227 + int64(n)*11, CompanyID: demoCompany, Title: r.english, Language: "en",
		Location: city.location(german), Questions: r.questionsIn(german),
	}
	if german {
		j.Title, j.Language = r.german, "de"
	}
	if n%3 == 0 { // further places, and the question which one is wanted
		j.AskLocation = true
		for k := 1; k <= 1+n%2; k++ {
			j.AdditionalLocations = append(j.AdditionalLocations, demoCities[(n+n/6+k*2)%len(demoCities)].location(german))
		}
	}

	house := demoHouses[n%len(demoHouses)]
	visible := "visible"
	if n%13 == 12 {
		visible = "hidden"
	}
	config := map[string][]string{
		"ProjectLocation":          {city.id},
		"location":                 {city.id},
		"ProjectLocationGerman":    {city.german},
		"ProjectNumber":            {fmt.Sprintf("LG-2026-%03d", n+101)},
		"audience":                 {[]string{"PROFESSIONAL", "GRADUATE", "STUDENT"}[n%3]},
		"platformvisibility":       {visible},
		"listingStartDate":         {strconv.FormatInt(start.UnixMilli(), 10)},
		"internalPostingName":      {r.english + " " + city.english},
		"platform_internalAdText":  {r.ad(city, house, german) + ugly(n)},
		"jobcategory":              {r.category},
		"ProjectCompanyNameGerman": {house},
		"company":                  {"Lindenhof Gruppe"},
		"platform_keywords":        {r.keywords},
	}
	if r.remote {
		config["sg_remote_status"] = []string{"FULLY_REMOTE"}
	}
	if n%5 == 4 { // keys vary per posting
		delete(config, "ProjectNumber")
		delete(config, "platform_keywords")
	}
	p := Posting{
		ID: 600100 + int64(n)*7, VersionID: 910200 + int64(n)*13, JobID: j.ID,
		Language: j.Language, Title: j.Title, Config: config,
		JobStart: start.AddDate(0, 2, 0), VersionStart: start, VersionEnd: start.AddDate(1, 0, 0),
	}
	if n%7 != 3 { // some have one language only
		other, title := "de", r.german
		if german {
			other, title = "en", r.english
		}
		ad := r.ad(city, house, !german) + ugly(n)
		p.Translations = map[string]Translation{
			other: {Title: title, Config: map[string][]string{"platform_internalAdText": {ad}}},
		}
	}
	if n%4 == 1 {
		p.VersionEnd = time.Time{} // goes out as 0
	}
	p.ApplyURL = demoLink(p, n)
	return j, p
}

// demoLink returns a link that names job and version of the posting; of some
// postings the job alone, of some neither.
func demoLink(p Posting, n int) string {
	const host = "https://lindenhof.jobs.example"
	full := strings.Replace(p.link(), "https://jobs.example.com", host, 1)
	switch n % 10 {
	case 7:
		link, _, _ := strings.Cut(full, "?")
		return link
	case 3:
		return host + opaque(p.ID)
	}
	return full
}

// The employers within the group; a name may be empty.
var demoHouses = []string{
	"Lindenhof Kliniken GmbH", "Lindenhof Logistik GmbH", "Lindenhof Software GmbH", "", "Lindenhof Hotels GmbH",
}

type demoCity struct {
	id                          string
	german, english             string
	state, stateEnglish         string
	country, countryEnglish     string
	zip, street, lat, longitude string
}

var demoCities = []demoCity{
	{
		"1001", "Berlin", "Berlin", "Berlin", "Berlin",
		"Deutschland", "Germany", "10117", "Friedrichstraße 123", "52.520014", "13.373006",
	},
	{
		"1002", "Hamburg", "Hamburg", "Hamburg", "Hamburg",
		"Deutschland", "Germany", "20095", "Mönckebergstraße 7", "53.550556", "10.001389",
	},
	{
		"1003", "München", "Munich", "Bayern", "Bavaria",
		"Deutschland", "Germany", "80331", "Sendlinger Straße 12", "48.135125", "11.567832",
	},
	{
		"1004", "Köln", "Cologne", "Nordrhein-Westfalen", "North Rhine-Westphalia",
		"Deutschland", "Germany", "50667", "Hohe Straße 48", "50.936389", "6.956944",
	},
	{
		"1005", "Wien", "Vienna", "Wien", "Vienna",
		"Österreich", "Austria", "1010", "Kärntner Straße 21", "48.204722", "16.370833",
	},
	{
		"1006", "Zürich", "Zurich", "Zürich", "Zurich",
		"Schweiz", "Switzerland", "8001", "Bahnhofstrasse 33", "47.372222", "8.538889",
	},
}

func (c demoCity) location(german bool) Location {
	l := Location{
		Lat: c.lat, Long: c.longitude, Zip: c.zip, Street: c.street,
		City: c.english, State: c.stateEnglish, Country: c.countryEnglish,
	}
	if german {
		l.City, l.State, l.Country = c.german, c.state, c.country
	}
	l.Name = fmt.Sprintf("%s, %s %s, %s", l.Street, l.Zip, l.City, l.Country)
	return l
}

// demoRole is one kind of work; tasks and profile are sentences parted by "|".
type demoRole struct {
	german, english               string
	category, keywords            string
	remote                        bool
	questions                     string // see questionsIn
	tasksGerman, tasksEnglish     string
	profileGerman, profileEnglish string
}

// ad returns the text of the advertisement, as HTML.
func (r demoRole) ad(city demoCity, house string, german bool) string {
	if house == "" {
		house = "Lindenhof Gruppe"
	}
	title, place, tasks, profile := r.english, city.english, r.tasksEnglish, r.profileEnglish
	intro, h1, h2 := "%s in %s is looking for you as", "Your tasks", "Your profile"
	if german {
		title, place, tasks, profile = r.german, city.german, r.tasksGerman, r.profileGerman
		intro, h1, h2 = "%s in %s sucht Sie als", "Ihre Aufgaben", "Ihr Profil"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<p>"+intro+" <strong>%s</strong>.</p>", html.EscapeString(house), place, html.EscapeString(title))
	for _, part := range []struct{ head, items string }{{h1, tasks}, {h2, profile}} {
		fmt.Fprintf(&b, "<h3>%s</h3><ul>", part.head)
		for item := range strings.SplitSeq(part.items, "|") {
			fmt.Fprintf(&b, "<li>%s</li>", html.EscapeString(item))
		}
		b.WriteString("</ul>")
	}
	return b.String()
}

// questionsIn returns the prescreening questions: l driving licence (YESNO), s
// salary (TEXT), m motivation (TEXTAREA), e education (CATALOG), h notice
// (CATALOG with numeric ids).
func (r demoRole) questionsIn(german bool) []Question {
	in := func(de, en string) string {
		if german {
			return de
		}
		return en
	}
	var qs []Question
	for _, k := range r.questions {
		q := Question{ID: strconv.Itoa(8 + len(qs))}
		switch k {
		case 'l':
			q.Type = YesNo
			q.Label = in("Haben Sie einen Führerschein der Klasse B?", "Do you hold a category B driving licence?")
			q.Answers = []Choice{{"2900101", in("Ja", "Yes")}, {"2900100", in("Nein", "No")}}
		case 's':
			q.Type, q.Label = Text, in("Welches Jahresgehalt wünschen Sie sich?", "What annual salary do you expect?")
		case 'm':
			q.Type, q.Label = TextArea, in("Warum möchten Sie bei uns arbeiten?", "Why would you like to work with us?")
		case 'e':
			q.Type, q.Label = Catalog, in("Was ist Ihr höchster Abschluss?", "What is your highest qualification?")
			q.Answers = []Choice{
				{"0b6f6a52-8f0e-4a3b-9d57-1c2e3f4a5b60", in("Berufsausbildung", "Vocational training")},
				{"1c7a7b63-9a1f-4b4c-8e68-2d3f4a5b6c71", in("Bachelor", "Bachelor's degree")},
				{"2d8b8c74-ab2a-4c5d-9f79-3e4a5b6c7d82", in("Master oder Diplom", "Master's degree")},
				{"3e9c9d85-bc3b-4d6e-8a8a-4f5b6c7d8e93", in("Promotion", "Doctorate")},
			}
		case 'h':
			q.Type, q.Label = Catalog, in("Wann können Sie anfangen?", "When can you start?")
			q.Answers = []Choice{
				{"2900201", in("Sofort", "At once")},
				{"2900202", in("In einem Monat", "In a month")},
				{"2900203", in("In drei Monaten", "In three months")},
			}
		}
		qs = append(qs, q)
	}
	return qs
}
