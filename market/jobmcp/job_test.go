package jobmcp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// One job's information has every field that the service fills, cut at its bounds.
func TestJobInformation(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	x := func(n int) string { return strings.Repeat("x", n) }
	towns := func(n int) (list []jobboardtest.Location) {
		for i := range n {
			list = append(list, jobboardtest.Location{Name: "Town " + strconv.Itoa(i+1)})
		}
		return list
	}
	ask := func(j jobboardtest.Job, nationality string) called {
		t.Helper()
		job, _ := srv.Publish(srv.Demo.Channel, j)
		return use(t, session, "job_information", fmt.Sprintf(`{"job":"%d","nationality":%q}`, job.ID, nationality)).want(t, false,
			fmt.Sprintf(`{"job":"%d","apply_possible":%t,`, job.ID, !j.ApplyClosed))
	}
	link := func(n int) string {
		const begin = "https://inn.example/"
		return begin + x(n-len(begin))
	}
	for _, test := range []struct {
		name string
		job  jobboardtest.Job
		want string
		no   string // is nowhere in the result
	}{
		{"whole", jobboardtest.Job{
			Title: "Cook", Language: "de", PrivacyURL: "https://inn.example/privacy", CompanyID: srv.AddCompany(jobboardtest.Company{Name: "Inn"}).ID,
			Location: jobboardtest.Location{Name: "Bonn"}, AdditionalLocations: []jobboardtest.Location{{Name: "Köln"}},
		}, `"foreign_title":"Cook","foreign_company":"Inn","foreign_locations":["Bonn","Köln"],"foreign_privacy_statement":"https://inn.example/privacy","questions":[],"nationalities_total":202}`, "left_out"},
		{"closed", jobboardtest.Job{Title: "Cook", ApplyClosed: true}, `"foreign_title":"Cook"`, "foreign_privacy_statement"},
		{"title", jobboardtest.Job{Title: x(200)}, `"foreign_title":"` + x(200) + `"`, "…"},
		{"longer title", jobboardtest.Job{Title: x(201)}, `"foreign_title":"` + x(199) + `…"`, x(200)},
		{"company", jobboardtest.Job{Title: "Cook", CompanyID: srv.AddCompany(jobboardtest.Company{Name: x(120)}).ID}, `"foreign_company":"` + x(120) + `"`, "…"},
		{"longer company", jobboardtest.Job{Title: "Cook", CompanyID: srv.AddCompany(jobboardtest.Company{Name: x(121)}).ID}, `"foreign_company":"` + x(119) + `…"`, x(120)},
		{"location", jobboardtest.Job{Title: "Cook", Location: jobboardtest.Location{Name: x(200)}}, `"foreign_locations":["` + x(200) + `"`, "…"},
		{"longer location", jobboardtest.Job{Title: "Cook", Location: jobboardtest.Location{Name: x(201)}}, `"foreign_locations":["` + x(199) + `…"`, x(200)},
		{"ten locations", jobboardtest.Job{Title: "Cook", Location: jobboardtest.Location{Name: "Bonn"}, AdditionalLocations: towns(9)}, `"Town 8","Town 9"]`, "Town 10"},
		{"eleven locations", jobboardtest.Job{Title: "Cook", Location: jobboardtest.Location{Name: "Bonn"}, AdditionalLocations: towns(10)}, `"Town 8","Town 9"]`, "Town 10"},
		{"privacy", jobboardtest.Job{Title: "Cook", PrivacyURL: link(1000)}, `"foreign_privacy_statement":"` + link(1000) + `"`, "…"},
		{"longer privacy", jobboardtest.Job{Title: "Cook", PrivacyURL: link(1001)}, `"foreign_title":"Cook"`, "foreign_privacy_statement"},
		{"questions", jobboardtest.Job{Title: "Cook", Questions: []jobboardtest.Question{
			{ID: "1", Type: "YESNO", Label: "Really?", Answers: []jobboardtest.Choice{{ID: "10", Label: "Yes"}, {ID: "20", Label: "No"}}},
			{ID: "2", Type: "TEXT", Label: "When?"},
			{ID: "3", Type: "TEXTAREA", Label: "Why?"},
			{ID: "4", Type: "CATALOG", Label: "Where?", Answers: []jobboardtest.Choice{{ID: "do this", Label: "There"}, {ID: "", Label: "None"}, {ID: "40", Label: "Here"}}},
			{ID: "5", Type: "DRAWING", Label: "How?"},
			{ID: "do that", Type: "TEXT", Label: "What?"},
		}}, `"questions":[` +
			`{"id":"1","kind":"yes or no","foreign_label":"Really?","answers":[{"id":"10","foreign_label":"Yes"},{"id":"20","foreign_label":"No"}]},` +
			`{"id":"2","kind":"one line of text","foreign_label":"When?"},{"id":"3","kind":"text","foreign_label":"Why?"},` +
			`{"id":"4","kind":"one of a list","foreign_label":"Where?","answers":[{"id":"40","foreign_label":"Here"}],"answers_left_out":2},` +
			`{"id":"5","kind":"of a kind this program does not know","foreign_label":"How?"}],"questions_left_out":1,"nationalities_total":202}`, "do th"},
		{"labels", jobboardtest.Job{Title: "Cook", Questions: []jobboardtest.Question{
			{ID: "1", Type: "CATALOG", Label: x(1000), Answers: []jobboardtest.Choice{{ID: "1", Label: strings.Repeat("y", 200)}}},
		}}, `"foreign_label":"` + x(1000) + `","answers":[{"id":"1","foreign_label":"` + strings.Repeat("y", 200) + `"}]`, "…"},
		{"longer labels", jobboardtest.Job{Title: "Cook", Questions: []jobboardtest.Question{
			{ID: "1", Type: "CATALOG", Label: x(1001), Answers: []jobboardtest.Choice{{ID: "1", Label: strings.Repeat("y", 201)}}},
		}}, `"foreign_label":"` + x(999) + `…","answers":[{"id":"1","foreign_label":"` + strings.Repeat("y", 199) + `…"}]`, x(1000)},
	} {
		r := ask(test.job, "")
		if !strings.Contains(r.text, test.want) || test.no != "" && strings.Contains(r.text, test.no) {
			t.Errorf("%s: %s, want %s, and not %q", test.name, r.text, test.want, test.no)
		}
	}
	if r := ask(jobboardtest.Job{Title: "Cook", Language: "de"}, ""); r.fields["language"] != "de" || !strings.HasSuffix(fmt.Sprint(r.fields["as_of"]), "Z") {
		t.Errorf("%s", r.text)
	}
}

// Nationalities are listed by a part of their names, at most twenty.
func TestListsNationalities(t *testing.T) {
	info := &jobboard.JobInformation{}
	for i := range 30 {
		info.Nationalities = append(info.Nationalities, jobboard.IDLabel{ID: strconv.Itoa(i), Label: fmt.Sprintf("Land %02d Ä", i)})
	}
	info.Nationalities = append(info.Nationalities, jobboard.IDLabel{ID: "no identifier", Label: "Other"}, jobboard.IDLabel{ID: "99", Label: "Other Land"})
	for text, want := range map[string]int{
		"": 0, "  ": 0, "land 0": 10, " LAND 0 ": 10, "ä": 20, "land": 20, "land 1": 10, "other": 1, "nowhere": 0, "land 29": 1,
	} {
		if got := nationalities(info, text); len(got) != want {
			t.Errorf("%q: %d are listed, want %d: %v", text, len(got), want, got)
		}
	}
	info.Nationalities = info.Nationalities[:21]
	if got := nationalities(info, "land"); len(got) != 20 || got[0] != (choice{"0", "Land 00 Ä"}) || got[19] != (choice{"19", "Land 19 Ä"}) {
		t.Errorf("of 21: %v", got)
	}
	if got := nationalities(&jobboard.JobInformation{Nationalities: info.Nationalities[:20]}, "land"); len(got) != 20 {
		t.Errorf("of 20: %v", got)
	}
}

// Each decision is told in a sentence, with what is known of the job where an application may
// follow. The answer is the same whichever of the board's comes first.
func TestSaysWhetherApplyingIsPossible(t *testing.T) { synctest.Test(t, saysWhetherApplyingIsPossible) }

func saysWhetherApplyingIsPossible(t *testing.T) {
	srv := inMemory()
	t.Cleanup(func() {
		srv.Close()
		srv.Client().CloseIdleConnections()
	})
	d := srv.Demo
	one := connect(t, setting{options: Options{Rate: -1, SignIn: "sign in first"}}.server(t, srv))
	nobody := connect(t, setting{anonymous: true, options: Options{Rate: -1, SignIn: "sign in first"}}.server(t, srv))
	const applied = `"decision":"already applied","tell":"the applicant has applied already; there is one application per job, and a withdrawn one counts"`
	title := `,"foreign_title":"Pflegefachkraft (m/w/d)"`
	sessions := map[string]*mcp.ClientSession{"one": one, "nobody": nobody}
	for _, test := range []struct {
		who  string
		job  int64
		told string // behind the job
	}{
		{"one", d.OpenJob, `"decision":"may apply","tell":"the applicant may apply","questions":5` + title},
		{"one", d.AppliedJob, applied},
		{"one", d.WithdrawnJob, applied},
		{"one", d.InactiveJob, `"decision":"closed","tell":"closed: the job takes no applications"`},
		{"one", d.ClosedJob, `"decision":"closed","tell":"closed: the job takes no applications"`},
		{"one", d.InternalJob, `"decision":"not visible","tell":"not visible: the job is not for this applicant"`},
		{"one", d.UnknownJob, `"decision":"not found","tell":"not found: there is no such job, or no posting of it"`},
		{"nobody", d.OpenJob, `"decision":"unknown","tell":"the job takes applications; whether this applicant has applied, or may see it, was not asked: no applicant's token is set","questions":5` + title + `,"next":"sign in first"`},
		{"nobody", d.InactiveJob, `"decision":"closed","tell":"closed: the job takes no applications"`},
		{"nobody", d.ClosedJob, `"decision":"closed","tell":"closed: the job takes no applications"`},
		{"nobody", d.UnknownJob, `"decision":"not found","tell":"not found: there is no such job, or no posting of it"`},
		{"nobody", d.DeletedJob, `"decision":"not found","tell":"not found: there is no such job, or no posting of it"`},
	} {
		want := fmt.Sprintf(`{"job":"%d",%s}`, test.job, test.told)
		for _, late := range []jobboardtest.Operation{"", jobboardtest.OpJobInformation, jobboardtest.OpApplied} {
			lift := srv.Fail(jobboardtest.Fault{Operation: late, Delay: time.Second})
			r := use(t, sessions[test.who], "may_i_apply", fmt.Sprintf(`{"job":"%d"}`, test.job))
			lift.Lift()
			if r.text != want || r.failed {
				t.Errorf("%s, job %d, %q late: %s, want %s", test.who, test.job, late, r.text, want)
			}
		}
	}
	// What the service cannot find it does not call gone.
	use(t, nobody, "may_i_apply", fmt.Sprintf(`{"job":"%d"}`, d.UnpublishedJob)).want(t, true, `"conditions":["ErrPostingUnavailable"]`, `"next":"a technical error`)
	if got := Meaning(jobboard.DecisionUnknown); got != "unknown: too little answered" {
		t.Error(got)
	}
	// Where the applied check fails, the application itself tells, and is named.
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Status: 403, Body: "{}"})
	use(t, one, "may_i_apply", fmt.Sprintf(`{"job":"%d"}`, d.AppliedJob)).want(t, false, applied, fmt.Sprintf(`"application":%q`, d.ApplicationID))
	srv.LiftFaults()
	srv.Fail(jobboardtest.Fault{Status: 401})
	for _, session := range []*mcp.ClientSession{one, nobody} {
		use(t, session, "may_i_apply", `{"job":"2797227"}`).want(t, true, `"ErrUnauthorized"`, `"next":"whoever runs this server must look after its credential"`)
	}
}

// Answers are checked by the rules of the call, each for the questions that it is about.
func TestChecksAnswers(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	yesNo := []jobboardtest.Choice{{ID: "10", Label: "Ja"}, {ID: "20", Label: "Nein"}}
	plain, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook", Questions: []jobboardtest.Question{
		{ID: "1", Type: "YESNO", Label: "Really?", Answers: yesNo},
		{ID: "2", Type: "TEXT", Label: "When?"},
		{ID: "3", Type: "TEXTAREA", Label: "Why?"},
		{ID: "4", Type: "CATALOG", Label: "Where?", Answers: []jobboardtest.Choice{{ID: "40", Label: "Here"}}},
	}})
	words, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook", ApplyClosed: true, Questions: []jobboardtest.Question{
		{ID: "1", Type: "YESNO", Label: "Really?", Answers: []jobboardtest.Choice{{ID: "yes", Label: "Nein"}, {ID: "no", Label: "Ja"}}},
	}})
	passed := func(first, text string) string {
		chosen := map[string]string{"10": "Ja", "20": "Nein"}[first]
		return `"ok":true,"problems":[],"answers":[{"question":"1","answer":"` + first + `","foreign_label":"Really?","foreign_answer":"` + chosen + `"},` + text +
			`{"question":"4","answer":"40","foreign_label":"Where?","foreign_answer":"Here"}]`
	}
	const both = `{"question":"2","foreign_label":"When?"},{"question":"3","foreign_label":"Why?"},`
	problem := func(id, reason, text, label string) string {
		return fmt.Sprintf(`"ok":false,"problems":[{"question":%q,"reason":%q,"text":%q,"foreign_label":%q}],"answers":[]}`, id, reason, text, label)
	}
	const long = "Please use at most 3 characters. These are 4."
	for _, test := range []struct{ rest, want string }{
		{`"answers":{"1":"yes","2":"a","3":"b","4":"40"}`, passed("10", both) + "}"},
		{`"answers":{"1":" YES ","2":"a","3":"b","4":"40"}`, passed("10", both) + "}"},
		{`"answers":{"1":"No","2":"a","3":"b","4":"40"}`, passed("20", both) + "}"},
		{`"answers":{"1":"20","2":"a","3":"b","4":"40"}`, passed("20", both) + "}"},
		{`"answers":{"1":"maybe","2":"a","3":"b","4":"40"}`, problem("1", "not offered", "Please choose one of the answers.", "Really?")},
		{`"answers":{"1":"yes","2":"yes","3":"no","4":"40"}`, passed("10", both) + "}"},
		{`"answers":{"1":"yes","2":"a","3":"b","4":"41"}`, problem("4", "not offered", "Please choose one of the answers.", "Where?")},
		{`"answers":{"1":"yes","2":"a","3":"b"}`, problem("4", "missing", "Please answer this question.", "Where?")},
		{`"answers":{"1":"yes","4":"40"},"optional_questions":["2","3"]`, passed("10", "") + "}"},
		{`"answers":{"1":"yes","2":"a","4":"40"},"optional_questions":["2"]`, problem("3", "missing", "Please answer this question.", "Why?")},
		{`"answers":{"1":"yes","2":"abc","3":"abcd","4":"40"},"max_text":3`, passed("10", both) + "}"},
		{`"answers":{"1":"yes","2":"abcd","3":"b","4":"40"},"max_text":3`, problem("2", "too long", long, "When?")},
		{`"answers":{"1":"yes","2":"abcd","3":"abc","4":"40"},"max_text_area":3`, passed("10", both) + "}"},
		{`"answers":{"1":"yes","2":"a","3":"abcd","4":"40"},"max_text_area":3`, problem("3", "too long", long, "Why?")},
		{`"answers":{"1":"yes","2":"a","3":"b","4":"40"},"nationality":"2800168"`, passed("10", both) + `,"nationality":"2800168"}`},
		{`"answers":{"1":"yes","2":"a","3":"b","4":"40"},"require_nationality":true`, `"ok":false,"problems":[{"reason":"nationality missing","text":"Please choose a nationality."}],"answers":[]}`},
		{`"answers":{"1":"yes","2":"a","3":"b","4":"40"},"nationality":"1"`, `"ok":false,"problems":[{"reason":"nationality not known","text":"Please choose a nationality from the list."}],"answers":[]}`},
		{`"answers":{"1":"yes","2":"a","3":"b","4":"40","9":"x"}`, `"ok":false,"problems":[{"question":"9","reason":"unknown question","text":"This job does not ask this question. Keys are the identifiers or the labels of its questions: 1, 2, 3, 4.","foreign_key":"9"}],"answers":[]}`},
		{`"answers":{"1":"yes","2":"a","3":"b","4":"40","do this":"x"}`, `"ok":false,"problems":[{"reason":"unknown question","text":"This job does not ask this question. Keys are the identifiers or the labels of its questions: 1, 2, 3, 4.","foreign_key":"do this"}],"answers":[]}`},
	} {
		r := use(t, session, "check_answers", fmt.Sprintf(`{"job":"%d",%s}`, plain.ID, test.rest))
		if want := fmt.Sprintf(`{"job":"%d","apply_possible":true,%s`, plain.ID, test.want); r.text != want {
			t.Errorf("%s:\n%s, want\n%s", test.rest, r.text, want)
		}
	}
	// Labels mean what job_information shows with them, and no other.
	labels, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook", Questions: []jobboardtest.Question{
		{ID: "1", Type: "YESNO", Label: "Licence <b>B</b>?", Answers: yesNo},
		{ID: "2", Type: "CATALOG", Label: "Where?", Answers: []jobboardtest.Choice{{ID: "40", Label: "Here"}, {ID: "41", Label: "There"}, {ID: "42", Label: "there"}, {ID: "Here", Label: "Both"}}},
		{ID: "3", Type: "TEXT", Label: "Why?"},
		{ID: "4", Type: "TEXT", Label: "Why?"},
	}})
	for given, want := range map[string]string{
		`{"Licence ‹b›B‹/b›?":"ja","where?":"both","3":"a","4":"b"}`: `"ok":true,"problems":[],"answers":[{"question":"1","answer":"10",`,
		`{"1":"Nein","2":" BOTH ","3":"a","4":"b"}`:                  `{"question":"2","answer":"Here",`,
		`{"1":"Nein","2":"Here","3":"a","4":"b"}`:                    `{"question":"2","answer":"Here",`, // an identifier goes before a label
		`{"1":"Nein","2":"There","3":"a","4":"b"}`:                   `{"question":"2","reason":"not offered"`,
		`{"1":"Nein","2":"40","Why?":"a"}`:                           `"foreign_key":"Why?"`, // of two questions
		`{"1":"Nein","2":"40","where?":"40","3":"a","4":"b"}`:        `"foreign_key":"where?"`,
		`{"1":"Nein","WHERE?":"40","where?":"40","3":"a","4":"b"}`:   `"foreign_key":"where?"`,
		`{"1":"","2":"","3":"","4":""}`:                              `{"question":"1","reason":"missing"`,
	} {
		use(t, session, "check_answers", fmt.Sprintf(`{"job":"%d","answers":%s}`, labels.ID, given)).want(t, false, want)
	}
	use(t, session, "check_answers", `{"job":"2797227","answers":{},"nationality":"Deutsch"}`).want(t, false).without(t, "nationality not known")
	// If an answer has the word as its identifier, the word means this answer.
	for word, label := range map[string]string{"yes": "Nein", "no": "Ja"} {
		use(t, session, "check_answers", fmt.Sprintf(`{"job":"%d","answers":{"1":%q}}`, words.ID, word)).want(t, false,
			`"apply_possible":false`, fmt.Sprintf(`"answer":%q,"foreign_label":"Really?","foreign_answer":%q`, word, label))
	}
	for _, arguments := range []string{`{"job":"9999999","answers":{}}`, `{"job":"0","answers":{}}`} {
		if r := use(t, session, "check_answers", arguments); !r.failed || strings.Contains(r.text, `"problems"`) {
			t.Errorf("%s: %s", arguments, r.text)
		}
	}
	for arguments, why := range map[string]string{
		`{"answers":{}}`: "job must be given",
		`{"job":"1"}`:    "answers must be given",
		`{"job":"1","answers":{},"max_text":100001}`:                                "max_text must be a whole number from 0 to 100000",
		`{"job":"1","answers":{},"max_text_area":100001}`:                           "max_text_area must be a whole number from 0 to 100000",
		`{"job":"1","answers":{},"nationality":"` + strings.Repeat("x", 201) + `"}`: "nationality must be a text of at most 200 characters",
	} {
		use(t, session, "check_answers", arguments).want(t, true, why)
	}
}

// Labels of what is checked are cut, those of problems later than those of answers.
func TestCutsCheckedLabels(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	for _, test := range []struct {
		length int
		answer string
		want   string
	}{
		{1000, "", `"foreign_label":"` + strings.Repeat("x", 1000) + `"`},
		{1001, "", `"foreign_label":"` + strings.Repeat("x", 999) + `…"`},
		{200, "1", `"foreign_label":"` + strings.Repeat("x", 200) + `","foreign_answer":"` + strings.Repeat("x", 200) + `"`},
		{201, "1", `"foreign_label":"` + strings.Repeat("x", 199) + `…","foreign_answer":"` + strings.Repeat("x", 199) + `…"`},
	} {
		label := strings.Repeat("x", test.length)
		job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook", Questions: []jobboardtest.Question{
			{ID: "1", Type: "CATALOG", Label: label, Answers: []jobboardtest.Choice{{ID: "1", Label: label}}},
		}})
		use(t, session, "check_answers", fmt.Sprintf(`{"job":"%d","answers":{"1":%q}}`, job.ID, test.answer)).want(t, false, test.want)
	}
}

// An identifier that no posting has is that of a job which is gone, also where the search fails, does not
// answer or shows the posting not to everybody.
func TestGoneIsNoPosting(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*jobboardtest.Server)
		job    string
	}{
		"no posting has it": {func(*jobboardtest.Server) {}, "9999999"},
		"the search fails": {func(srv *jobboardtest.Server) {
			srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Status: 403})
		}, "600100"},
		"the search hangs": {func(srv *jobboardtest.Server) {
			srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Delay: time.Hour})
		}, "600100"},
		"not for everybody": {hide(600100), "600100"},
		"the link has no job": {func(srv *jobboardtest.Server) {
			for _, p := range srv.Snapshot().Postings {
				if p.ID == 600100 {
					p.ApplyURL = "https://elsewhere.example/"
					srv.AddPosting(p)
				}
			}
		}, "600100"},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := inMemory()
			defer srv.Close()
			test.change(srv)
			began := time.Now()
			_, err := setting{options: Options{Rate: -1, Channel: jobboard.ChannelID(srv.Demo.Channel)}}.server(t, srv).lookUp(t.Context(), test.job)
			if took := time.Since(began); took > 11*time.Second {
				t.Errorf("%s: it took %s", name, took)
			}
			switch {
			case name == "the link has no job":
				if err == nil || !strings.Contains(err.Error(), "600100 is a posting, not a job, and its link names no job") {
					t.Errorf("%s: %v", name, err)
				}
			case !errors.Is(err, jobboard.ErrJobUnavailable):
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// hide returns a change that shows a posting not to everybody.
func hide(posting int64) func(*jobboardtest.Server) {
	return func(srv *jobboardtest.Server) {
		for _, p := range srv.Snapshot().Postings {
			if p.ID == posting {
				p.Config[jobboard.KeyVisibility] = []string{"internal"}
				srv.AddPosting(p)
			}
		}
	}
}
