package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// shownOn gives what f writes to a terminal without colours.
func shownOn(f func(c *term.Console)) string {
	var out bytes.Buffer
	f(&term.Console{Out: &term.Output{W: &out}, Err: &out, Now: time.Now, Mask: func(s string) string { return s }})
	return out.String()
}

// The job information is told in lines, and what is not known has none.
func TestInformationAsText(t *testing.T) {
	for _, test := range []struct {
		info jobboard.JobInformation
		want string
	}{
		{jobboard.JobInformation{JobID: 1}, `
  job            1
  applying       not possible
  nationalities  0
  questions      0
`},
		{jobboard.JobInformation{
			JobID: 2, JobTitle: "Nurse", JobLanguage: "en", ApplyPossible: true, CompanyName: "Acme", DataSecurityLink: "javascript:x",
			Location: jobboard.Location{GeoCity: "Berlin"}, AdditionalLocations: []jobboard.Location{{GeoCity: "Wien"}, {GeoCity: "Bonn"}},
			Nationalities: make([]jobboard.IDLabel, 2), Timestamp: jobboard.Timestamp{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))},
			Questions: []jobboard.Question{
				{ID: "8", Type: jobboard.QuestionYesNo, Label: "Licence?", Answers: []jobboard.IDLabel{{ID: "1", Label: "Yes"}}}, {ID: "9", Type: "x", Label: "Why?"},
			},
		}, `Nurse
  job            2
  company        Acme
  location       Berlin
  also in        Wien
  also in        Bonn
  language       en
  applying       possible
  privacy        (not a usable link) javascript:x
  nationalities  2
  as of          2026-01-02 02:04:05 UTC
  questions      2

  1. Licence?
     yes or no, question 8
     - Yes (1)

  2. Why?
     of a kind this program does not know (x), question 9
`},
		{jobboard.JobInformation{JobID: 3, JobTitle: "Cook", ApplyPossible: true, DataSecurityLink: "https://x.example/p"}, `Cook
  job            3
  applying       possible
  privacy        https://x.example/p
  nationalities  0
  questions      0
`},
	} {
		if got := shownOn(func(c *term.Console) { printInfo(c, &test.info) }); got != test.want {
			t.Errorf("%s\nwant\n%s", got, test.want)
		}
	}
}

// A decision is told with what each source said.
func TestStatusAsText(t *testing.T) {
	info := &jobboard.JobInformation{JobTitle: "Nurse", ApplyPossible: true, Questions: make([]jobboard.Question, 3)}
	failed := errors.New("jobboard: failed")
	for _, test := range []struct {
		p    jobboard.PrecheckResult
		want string
	}{
		{jobboard.PrecheckResult{Decision: jobboard.DecisionMayApply, Information: info}, `job 7: the applicant may apply
  lookup         Nurse: applying is possible, 3 questions
  applied check  has not applied
`},
		{jobboard.PrecheckResult{Decision: jobboard.DecisionClosed, Information: &jobboard.JobInformation{JobTitle: "Cook"}, AppliedErr: failed}, `job 7: closed: the job takes no applications
  lookup         Cook: applying is not possible
  applied check  failed
`},
		{jobboard.PrecheckResult{Decision: jobboard.DecisionAlreadyApplied, Information: info, Applied: true}, `job 7: the applicant has applied already; there is one application per job, and a withdrawn one counts
  lookup         Nurse: applying is possible, 3 questions
  applied check  has applied
`},
		{jobboard.PrecheckResult{InformationErr: failed, AppliedErr: failed, ApplicationErr: failed}, `job 7: unknown: too little answered
  lookup         failed
  applied check  failed
  application    failed
`},
		{jobboard.PrecheckResult{Information: info, AppliedErr: failed, ApplicationErr: jobboard.ErrApplicationNotFound}, `job 7: unknown: too little answered
  lookup         Nurse: applying is possible, 3 questions
  applied check  failed
  application    none
`},
		{jobboard.PrecheckResult{Decision: jobboard.DecisionAlreadyApplied, InformationErr: failed, AppliedErr: failed, ApplicationID: "a-1"}, `job 7: the applicant has applied already; there is one application per job, and a withdrawn one counts
  lookup         failed
  applied check  failed
  application    a-1
`},
	} {
		test.p.Job = 7
		if got := shownOn(func(c *term.Console) { printStatus(c, test.p) }); got != test.want {
			t.Errorf("%s\nwant\n%s", got, test.want)
		}
	}
	for decision, colour := range map[jobboard.Decision]string{jobboard.DecisionMayApply: term.Green, jobboard.DecisionClosed: term.Red} {
		got := shownOn(func(c *term.Console) {
			c.OutTerminal.Color = true
			printStatus(c, jobboard.PrecheckResult{Decision: decision, InformationErr: failed})
		})
		if !strings.HasPrefix(got, "job 0: \x1b["+colour+"m") {
			t.Errorf("%s: %q", decision, got)
		}
	}
}

// In JSON each source has its value or its error's text, and nobody takes a check that failed for a "no".
func TestStatusAsJSON(t *testing.T) {
	info, failed := &jobboard.JobInformation{JobTitle: "Nurse"}, errors.New("jobboard: failed")
	inJSON, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]jobboard.PrecheckResult{
		`{"job":7,"decision":"closed","information":` + string(inJSON) + `,"applied":false}`: {
			Decision: jobboard.DecisionClosed, Information: info,
		},
		`{"job":7,"decision":"already applied","informationError":"jobboard: failed","applied":true}`: {
			Decision: jobboard.DecisionAlreadyApplied, InformationErr: failed, Applied: true,
		},
		`{"job":7,"decision":"already applied","informationError":"jobboard: failed","appliedError":"jobboard: failed","applicationId":"a-1"}`: {
			Decision: jobboard.DecisionAlreadyApplied, InformationErr: failed, AppliedErr: failed, ApplicationID: "a-1",
		},
		`{"job":7,"decision":"unknown","informationError":"jobboard: failed","appliedError":"jobboard: failed","applicationError":"jobboard: failed"}`: {
			InformationErr: failed, AppliedErr: failed, ApplicationErr: failed,
		},
	} {
		p.Job = 7
		if got, err := json.Marshal(statusOf(p, false)); err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
	// Nationalities are told if they are asked for, and counted else.
	const all, none = `"nationalities":[{"id":"1","label":"deutsch"}]`, `"nationalities":[]`
	info.Nationalities = []jobboard.IDLabel{{ID: "1", Label: "deutsch"}}
	for asked, want := range map[bool]string{true: all, false: none} {
		got, err := json.Marshal(statusOf(jobboard.PrecheckResult{Information: info}, asked))
		if err != nil || !strings.Contains(string(got), want) || strings.Contains(string(got), `"nationalitiesLeftOut":1`) == asked {
			t.Errorf("asked for %t: %v, %s", asked, err, got)
		}
	}
	if len(info.Nationalities) != 1 {
		t.Error("the answer itself has lost them")
	}
}

// Of a changed posting is told what is different.
func TestChangesAsText(t *testing.T) {
	a := snapshot.Posting{JobPostingID: 1, PostingVersionID: 2, Title: "Nurse"}
	with := func(f func(*snapshot.Posting)) *snapshot.Posting {
		b := a
		f(&b)
		return &b
	}
	renamed := with(func(p *snapshot.Posting) { p.Title, p.PostingVersionID = "Head\nNurse", 3 })
	renewed := with(func(p *snapshot.Posting) { p.PostingVersionID = 3 })
	longer := with(func(p *snapshot.Posting) { p.PostingVersionEndDate = 5 })
	got := shownOn(func(c *term.Console) {
		printChanges(c, "now", &snapshot.Snapshot{Postings: make([]snapshot.Posting, 1)}, []change{
			{Kind: "added", After: renamed},
			{Kind: "changed", Before: &a, After: renamed},
			{Kind: "changed", Before: &a, After: renewed},
			{Kind: "changed", Before: &a, After: longer},
			{Kind: "gone", Before: &a},
			{Kind: "maybe added", After: longer},
			{Kind: "maybe gone", Before: &a},
		}, false)
	})
	if want := `now  1 posting, 1 new, 3 changed, 1 gone
+ 1  Head Nurse
~ 1  Head Nurse (was: Nurse)
~ 1  Nurse (new version)
~ 1  Nurse (dates)
- 1  Nurse
? + 1  Nurse
? - 1  Nurse
`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A lookup has the outcome of its answer, and a failure a name that many jobs share.
func TestOutcomesAndFailures(t *testing.T) {
	entry := &jobfeed.EntryError{Err: errors.New("bad")}
	for _, test := range []struct {
		err     error
		info    *jobboard.JobInformation
		outcome string
		kind    string
	}{
		{nil, &jobboard.JobInformation{ApplyPossible: true}, "open", ""},
		{nil, &jobboard.JobInformation{}, "applying not possible", ""},
		{jobboard.ErrJobInactive, nil, "inactive", ""},
		{jobboard.ErrJobUnavailable, nil, "unavailable", ""},
		{&jobboard.Error{Err: jobboard.ErrPostingUnavailable, StatusCode: 404}, nil, "failed", "posting unavailable"},
		{entry, nil, "broken entry", "entry: bad"},
		{errors.New("x"), nil, "failed", "x"},
		{&jobboard.Error{Err: jobboard.ErrServer, StatusCode: 503}, nil, "failed", "503 Service Unavailable"},
		{&jobboard.Error{StatusCode: 599}, nil, "failed", "599"},
		{&jobboard.Error{}, nil, "failed", "no answer"},
	} {
		s := feedSummary{count: map[string]int{}, reasons: map[string]int{}}
		outcome := outcomeOf(test.err, test.info)
		s.add(outcome, test.err)
		if outcome != test.outcome || s.total() != 1 || s.failed() != len(s.reasons) || test.kind != "" && s.reasons[test.kind] != 1 || test.kind == "" && s.failed() > 0 {
			t.Errorf("%v: %s, %+v", test.err, outcome, s)
		}
	}
	// Failures of one kind are counted together, whatever their jobs, paths and statuses are.
	for _, kind := range []error{
		jobboard.ErrPostingUnavailable, jobboard.ErrTimeout, jobboard.ErrTransport, jobboard.ErrRateLimited, jobboard.ErrRedirect,
		jobboard.ErrDecode, jobboard.ErrResponseTooLarge, jobboard.ErrToken, jobboard.ErrInvalidInput,
	} {
		if got := failureKind(&jobboard.Error{Op: "x", Err: kind, StatusCode: 429}); got != kind.Error() {
			t.Errorf("%v is counted as %q", kind, got)
		}
	}
}

// The summary lists the outcomes that occurred, and the ten most frequent reasons of failures.
func TestSummaryOfAFeed(t *testing.T) {
	r := &feedRun{sum: feedSummary{count: map[string]int{outcomeFailed: 77, outcomeBadEntry: 2}, reasons: map[string]int{}}}
	r.entries.Store(90)
	for n := range 12 {
		r.sum.reasons[strings.Repeat("x", n+1)+"\n"] = n + 1
	}
	got := shownOn(func(c *term.Console) {
		r.console = c
		r.printSummary(c.Out)
	})
	if want := `OUTCOME       JOBS
open          0
broken entry  2
failed        77

90 entries, 77 different jobs
    12  xxxxxxxxxxxx
    11  xxxxxxxxxxx
    10  xxxxxxxxxx
     9  xxxxxxxxx
     8  xxxxxxxx
     7  xxxxxxx
     6  xxxxxx
     5  xxxxx
     4  xxxx
     3  xxx
`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A watch needs a second between two searches, and what it compares with.
func TestLimitsOfAWatch(t *testing.T) {
	for _, test := range []struct {
		f    watchFlags
		good bool
	}{
		{watchFlags{interval: time.Second}, true},
		{watchFlags{interval: time.Second - 1}, false},
		{watchFlags{interval: time.Second, once: true}, false},
		{watchFlags{interval: time.Second, once: true, state: "x"}, true},
	} {
		if err := test.f.check(); (err == nil) != test.good {
			t.Errorf("%+v: %v", test.f, err)
		}
	}
}

// A search says what it did not show: what the service kept back, and that an unknown channel
// looks like an empty one.
func TestNotesOfASearch(t *testing.T) {
	near := jobboard.Near(1, 2, 3)
	broken := &jobboard.UnreadableError{Count: 2, Errors: []jobboard.PostingError{{Position: 7, Member: "title", Reason: "occurs twice"}}}
	for _, test := range []struct {
		found hits
		q     jobboard.Query
		want  string
	}{
		{hits{shown: 3, total: 3}, jobboard.Query{}, ""},
		{hits{shown: 3, total: 4}, jobboard.Query{}, "jb: the service gave 3 of 4 postings; the interface has no way to ask for the others. Narrow the search with a text or --near.\n"},
		{hits{shown: 3, total: 4, limit: 3}, jobboard.Query{}, ""},
		{hits{shown: 4, total: 3}, jobboard.Query{}, ""},
		{hits{}, jobboard.Query{}, "jb: the service says the same of a channel that does not exist: jobboard doctor tells more\n"},
		{hits{}, jobboard.Query{Text: "x"}, ""},
		{hits{}, jobboard.Query{Near: near}, ""},
		{hits{total: 1}, jobboard.Query{}, "jb: the service gave 0 of 1 postings; the interface has no way to ask for the others. Narrow the search with a text or --near.\n"},
		{hits{shown: 1}, jobboard.Query{}, ""},
		{hits{shown: 3, total: 5, unreadable: broken}, jobboard.Query{}, "jb: 2 postings of the answer could not be read, and the others are all there; the first: results[7].title occurs twice\n"},
		{hits{shown: 2, total: 5, unreadable: broken}, jobboard.Query{}, "jb: 2 postings of the answer could not be read, and the others are all there; the first: results[7].title occurs twice\n" +
			"jb: the service gave 2 of 5 postings; the interface has no way to ask for the others. Narrow the search with a text or --near.\n"},
	} {
		got := shownOn(func(c *term.Console) {
			c.Name = "jb"
			noteHits(c, &test.found, test.q)
		})
		if got != test.want {
			t.Errorf("%+v: %q", test.found, got)
		}
	}
}

// A row of the table has a word about remote work beside the place, and a title in any case.
func TestRowsOfASearch(t *testing.T) {
	rows := []*jobboard.JobPosting{{JobPostingID: 1}, posting("Nurse", "Berlin", "Wien")}
	for _, status := range []string{"FULLY_REMOTE", "PARTIALLY_REMOTE", "x"} {
		rows = append(rows, &jobboard.JobPosting{JobPostingID: 2, Title: "Cook", Config: jobboard.NewPostingConfig(map[string][]string{
			jobboard.KeyRemoteStatus: {status}, jobboard.KeyCompanyName: {"Acme"},
		})})
	}
	got := shownOn(func(c *term.Console) { (&hits{shown: 5, total: 4}).print(c, rows) })
	if want := `POSTING  JOB  TITLE       PLACE             COMPANY  SINCE
1             (no title)
0             Nurse       Berlin, Wien
2             Cook        remote            Acme
2             Cook        partially remote  Acme
2             Cook        x                 Acme

5 of 5 postings
`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := shownOn(func(c *term.Console) { (&hits{total: 3}).print(c, nil) }); got != "0 of 3 postings\n" {
		t.Errorf("of nothing: %q", got)
	}
}
