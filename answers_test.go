package jobboard_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// typedJob is the job information of testdata: a question of each kind (8 to
// 11) and the preferred location (-1).
func typedJob(tb testing.TB) *jobboard.JobInformation {
	tb.Helper()
	b, err := os.ReadFile("testdata/jobinfo.json")
	if err != nil {
		tb.Fatal(err)
	}
	j := new(jobboard.JobInformation)
	if err := json.Unmarshal(b, j); err != nil {
		tb.Fatal(err)
	}
	return j
}

// goodAnswers answer every question of typedJob.
func goodAnswers() map[string]jobboard.Answer {
	return map[string]jobboard.Answer{
		"8":  jobboard.AnswerYesNo(true),
		"9":  jobboard.AnswerText("sofort"),
		"10": jobboard.AnswerText("Die Bahn.\r\nUnd Straßen."),
		"11": jobboard.AnswerCatalog("2700455"),
		"-1": jobboard.AnswerCatalog("330072"),
	}
}

func TestCheckAnswersInOrder(t *testing.T) {
	got, err := typedJob(t).CheckAnswers(jobboard.Answers{Questions: goodAnswers(), Nationality: "2800138"}, jobboard.AnswerRules{
		MaxText: 6, MaxTextArea: 22, RequireNationality: true,
	})
	want := jobboard.CheckedAnswers{
		Values: map[string]string{
			"8": "2900101", "9": "sofort", "10": "Die Bahn.\r\nUnd Straßen.", "11": "2700455", "-1": "330072",
		},
		Nationality: "2800138",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %v\nwant %v", err, got, want)
	}
}

// Each row changes one thing about good answers, which are then all in order but
// for one.
func TestCheckAnswersProblems(t *testing.T) {
	set := func(id string, a jobboard.Answer) func(*jobboard.Answers) {
		return func(all *jobboard.Answers) { all.Questions[id] = a }
	}
	nationality := func(id string) func(*jobboard.Answers) {
		return func(all *jobboard.Answers) { all.Nationality = id }
	}
	withoutLicence := func(all *jobboard.Answers) { delete(all.Questions, "8") }
	const (
		missing = "Please answer this question."
		yesNo   = "Please answer yes or no."
		inWords = "Please answer in words."
		choose  = "Please choose one of the answers."
		listed  = "Please choose a nationality from the list."
	)
	for _, c := range []struct {
		name   string
		change func(*jobboard.Answers)
		rules  jobboard.AnswerRules
		of     string // the question; "": the nationality
		want   jobboard.AnswerReason
		length int
		limit  int
		text   string
	}{
		{name: "missing", change: withoutLicence, of: "8", want: jobboard.ReasonMissing, text: missing},
		{name: "zero answer", change: set("9", jobboard.Answer{}), of: "9", want: jobboard.ReasonMissing, text: missing},
		{
			name: "blank", change: set("10", jobboard.AnswerText(" \r\n\u00a0")),
			of: "10", want: jobboard.ReasonMissing, text: missing,
		},
		{name: "nothing chosen", change: set("11", jobboard.AnswerCatalog("")), of: "11", want: jobboard.ReasonMissing, text: missing},
		{
			name: "missing, and another is optional", change: withoutLicence,
			rules: jobboard.AnswerRules{Optional: func(q jobboard.Question) bool { return q.ID == "9" }},
			of:    "8", want: jobboard.ReasonMissing, text: missing,
		},
		{
			name: "unknown question", change: set("12", jobboard.AnswerText("x")),
			of: "12", want: jobboard.ReasonUnknownQuestion, text: "This job does not ask this question.",
		},
		{name: "text for yes or no", change: set("8", jobboard.AnswerText("yes")), of: "8", want: jobboard.ReasonWrongKind, text: yesNo},
		{name: "yes for text", change: set("9", jobboard.AnswerYesNo(true)), of: "9", want: jobboard.ReasonWrongKind, text: inWords},
		{name: "yes for long text", change: set("10", jobboard.AnswerYesNo(true)), of: "10", want: jobboard.ReasonWrongKind, text: inWords},
		{
			name: "choice for text", change: set("9", jobboard.AnswerCatalog("2700455")),
			of: "9", want: jobboard.ReasonWrongKind, text: inWords,
		},
		{name: "no for a choice", change: set("11", jobboard.AnswerYesNo(false)), of: "11", want: jobboard.ReasonWrongKind, text: choose},
		{
			name: "wrong kind is wrong also where optional", change: set("11", jobboard.AnswerYesNo(false)),
			rules: jobboard.AnswerRules{Optional: func(jobboard.Question) bool { return true }},
			of:    "11", want: jobboard.ReasonWrongKind, text: choose,
		},
		{
			name: "not in the catalogue", change: set("11", jobboard.AnswerCatalog("330071")),
			of: "11", want: jobboard.ReasonNotOffered, text: choose,
		},
		{
			name: "a label is no identifier", change: set("11", jobboard.AnswerCatalog("Fließend")),
			of: "11", want: jobboard.ReasonNotOffered, text: choose,
		},
		{
			name: "choice not of the yes or no", change: set("8", jobboard.AnswerCatalog("2900102")),
			of: "8", want: jobboard.ReasonNotOffered, text: choose,
		},
		{
			name: "too long in characters", change: set("9", jobboard.AnswerText("größer 🚀🚀")),
			rules: jobboard.AnswerRules{MaxText: 8}, of: "9", want: jobboard.ReasonTooLong, length: 9, limit: 8,
			text: "Please use at most 8 characters. These are 9.",
		},
		{
			name: "too long text, by its own limit", change: set("10", jobboard.AnswerText("a\r\nb")),
			rules: jobboard.AnswerRules{MaxText: 9, MaxTextArea: 1}, of: "10", want: jobboard.ReasonTooLong, length: 3, limit: 1,
			text: "Please use at most 1 characters. These are 3.",
		},
		{name: "nationality not in the list", change: nationality("2800999"), want: jobboard.ReasonNationality, text: listed},
		{name: "nationality by its label", change: nationality("deutsch"), want: jobboard.ReasonNationality, text: listed},
		{
			name: "nationality missing", change: nationality(""), rules: jobboard.AnswerRules{RequireNationality: true},
			want: jobboard.ReasonNationalityMissing, text: "Please choose a nationality.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := jobboard.Answers{Questions: goodAnswers(), Nationality: "2800137"}
			c.change(&given)
			job := typedJob(t)
			want := jobboard.AnswerProblem{QuestionID: c.of, Reason: c.want, Length: c.length, Limit: c.limit}
			for _, q := range job.Questions {
				if q.ID == c.of {
					want.Label, want.Type = q.Label, q.Type
				}
			}
			got, err := job.CheckAnswers(given, c.rules)
			var e *jobboard.AnswersError
			if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrInvalidInput) {
				t.Fatalf("error %v", err)
			}
			if len(e.Problems) != 1 || e.Problems[0] != want {
				t.Errorf("\n got %+v\nwant %+v", e.Problems, want)
			}
			if text := e.Problems[0].Message(); text != c.text {
				t.Errorf("text %q", text)
			}
			if _, sent := got.Values[c.of]; sent || len(got.Values) < 4 {
				t.Errorf("values %v", got.Values)
			}
			find := func() (jobboard.AnswerProblem, bool) { return e.Question(c.of) }
			if c.of == "" {
				find = e.Nationality
			}
			if p, ok := find(); !ok || p != want {
				t.Errorf("found %+v, %v", p, ok)
			}
			if p, ok := e.Question("0"); ok {
				t.Errorf("found %+v for a question without a problem", p)
			}
		})
	}
}

func TestCheckAnswersAllAtOnce(t *testing.T) {
	_, err := typedJob(t).CheckAnswers(jobboard.Answers{
		Questions: map[string]jobboard.Answer{
			"9": jobboard.AnswerText("übermorgen"), "11": jobboard.AnswerText("gut"), "b": {}, "a": {},
		},
		Nationality: "Rohan",
	}, jobboard.AnswerRules{MaxText: 5})
	var e *jobboard.AnswersError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	var got []string
	for _, p := range e.Problems {
		got = append(got, p.QuestionID+" "+string(p.Reason))
	}
	want := []string{
		"8 missing", "9 too long", "10 missing", "11 wrong kind", "-1 missing",
		"a unknown question", "b unknown question", " nationality not known",
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if text := err.Error(); text != `jobboard: answers: invalid input; question "8": missing; question "9": too long; question "10": missing; question "11": wrong kind; question "-1": missing; and 3 more` {
		t.Error(text)
	}
}

// An error's text is bounded, and has no line of anybody else's.
func TestAnswersErrorText(t *testing.T) {
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{}, Nationality: "my secret"}
	for range 5 {
		given.Questions[strings.Repeat("x\n", 500)] = jobboard.AnswerText("my secret")
	}
	_, err := (&jobboard.JobInformation{}).CheckAnswers(given, jobboard.AnswerRules{})
	if text := err.Error(); len(text) > 500 || strings.ContainsAny(text, "\n") || strings.Contains(text, "secret") {
		t.Errorf("%q", text)
	}
	var none *jobboard.AnswersError
	if _, ok := none.Question("8"); ok {
		t.Error("nil has a problem")
	}
	if _, ok := none.Nationality(); ok {
		t.Error("nil has a problem")
	}
	for _, p := range []jobboard.AnswerProblem{{}, {Reason: jobboard.ReasonUnclearYesNo}} {
		if p.Message() == "" {
			t.Errorf("%+v has no text", p)
		}
	}
}

func TestCheckAnswersOptional(t *testing.T) {
	all := func(jobboard.Question) bool { return true }
	got, err := typedJob(t).CheckAnswers(jobboard.Answers{}, jobboard.AnswerRules{Optional: all})
	if err != nil || len(got.Values) != 0 || got.Values == nil {
		t.Errorf("%v, %v", got, err)
	}
	// A job without a list of nationalities cannot ask for one.
	if _, err := (&jobboard.JobInformation{}).CheckAnswers(jobboard.Answers{}, jobboard.AnswerRules{RequireNationality: true}); err != nil {
		t.Error(err)
	}
	if _, err := (&jobboard.JobInformation{}).CheckAnswers(jobboard.Answers{Nationality: "2800137"}, jobboard.AnswerRules{}); err == nil {
		t.Error("a nationality passes where there is no list")
	}
}

func TestCheckAnswersOfUnknownType(t *testing.T) {
	j := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "1", Type: "DATE", Label: "When?"},
		{ID: "2", Type: "SCALE", Label: "How much?", Answers: []jobboard.IDLabel{{ID: "21", Label: "1"}}},
		{ID: "3", Type: "", Label: "What?"},
		{ID: "4", Type: "CONSENT", Answers: []jobboard.IDLabel{{ID: "41", Label: "Yes"}, {ID: "40", Label: "No"}}},
		{ID: "5", Type: "CONSENT"},
	}}
	got, err := j.CheckAnswers(jobboard.Answers{Questions: map[string]jobboard.Answer{
		"1": jobboard.AnswerText("2026-01-31"),
		"2": jobboard.AnswerCatalog("22"),
		"4": jobboard.AnswerYesNo(false),
		"5": jobboard.AnswerYesNo(true),
	}}, jobboard.AnswerRules{MaxText: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"1": "2026-01-31", "2": "22", "4": "40"}; !maps.Equal(got.Values, want) {
		t.Errorf("%v, want %v", got.Values, want)
	}
	if len(got.Notices) != 5 || got.Notices[0] != (jobboard.AnswerNotice{QuestionID: "1", Label: "When?", Type: "DATE"}) || got.Notices[0].Message() == "" {
		t.Errorf("notices %+v", got.Notices)
	}
}

func TestCheckAnswersOfRepeatedQuestion(t *testing.T) {
	answers := func(ids ...string) (list []jobboard.IDLabel) {
		for _, id := range ids {
			list = append(list, jobboard.IDLabel{ID: id, Label: "label of " + id})
		}
		return list
	}
	j := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "7", Type: jobboard.QuestionCatalog, Label: "first", Answers: answers("a", "b")},
		{ID: "8", Type: jobboard.QuestionYesNo, Label: "yes or no", Answers: answers("2900101", "2900100")},
		{ID: "7", Type: jobboard.QuestionCatalog, Label: "second", Answers: answers("b", "c")},
		{ID: "8", Type: jobboard.QuestionYesNo, Label: "yes or no", Answers: answers("2900101", "2900100")},
	}}
	before, _ := json.Marshal(j)
	for _, id := range []string{"a", "b", "c"} {
		got, err := j.CheckAnswers(jobboard.Answers{Questions: map[string]jobboard.Answer{
			"7": jobboard.AnswerCatalog(id), "8": jobboard.AnswerYesNo(false),
		}}, jobboard.AnswerRules{})
		if err != nil || got.Values["7"] != id || got.Values["8"] != "2900100" {
			t.Errorf("%v, %v", got, err)
		}
	}
	_, err := j.CheckAnswers(jobboard.Answers{}, jobboard.AnswerRules{})
	var e *jobboard.AnswersError
	if !errors.As(err, &e) || len(e.Problems) != 2 || e.Problems[0].Label != "first" {
		t.Errorf("%+v", err)
	}
	if after, _ := json.Marshal(j); string(after) != string(before) {
		t.Error("the job information was changed")
	}
}

func TestQuestionYesNo(t *testing.T) {
	type labels = []jobboard.IDLabel
	for _, c := range []struct {
		name    string
		answers labels
		yes, no string
	}{
		{"identifiers", labels{{"2900101", "Ja"}, {"2900100", "Nein"}}, "2900101", "2900100"},
		{"identifiers, other order", labels{{"2900100", "Nein"}, {"2900101", "Ja"}}, "2900101", "2900100"},
		{"identifiers before labels", labels{{"2900101", "Nein"}, {"2900100", "Ja"}}, "2900101", "2900100"},
		{"identifiers, labels nobody knows", labels{{"2900100", "x"}, {"2900101", "y"}}, "2900101", "2900100"},
		{"one identifier is not enough", labels{{"2900101", "x"}, {"5", "y"}}, "", ""},
		{"one identifier and labels", labels{{"2900101", "No"}, {"5", "Yes"}}, "5", "2900101"},
		{"English", labels{{"1", "No"}, {"2", " YES. "}}, "2", "1"},
		{"French", labels{{"1", "Oui"}, {"2", "Non"}}, "1", "2"},
		{"Polish", labels{{"1", "Nie"}, {"2", "Tak"}}, "2", "1"},
		{"Turkish", labels{{"1", "Hayır"}, {"2", "Evet"}}, "2", "1"},
		{"Czech", labels{{"1", "Ano"}, {"2", "Ne"}}, "1", "2"},
		{"repeated", labels{{"1", "Ja"}, {"2", "Nein"}, {"1", "Ja"}}, "1", "2"},
		{"two of one", labels{{"1", "Ja"}, {"2", "Nein"}, {"3", "Yes"}}, "", ""},
		{"same identifier", labels{{"1", "Ja"}, {"1", "Nein"}}, "", ""},
		{"unknown words", labels{{"1", "Certainly"}, {"2", "Never"}}, "", ""},
		{"half known", labels{{"1", "Yes"}, {"2", "Never"}}, "", ""},
		{"part of a word", labels{{"1", "es"}, {"2", "o"}}, "", ""},
		{"empty labels", labels{{"1", ""}, {"2", " "}}, "", ""},
		{"none", nil, "", ""},
	} {
		yes, no, ok := jobboard.Question{Type: jobboard.QuestionYesNo, Answers: c.answers}.YesNo()
		if yes.ID != c.yes || no.ID != c.no || ok != (c.yes != "") {
			t.Errorf("%s: %v, %v, %v", c.name, yes, no, ok)
		}
	}

	unclear := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "8", Type: jobboard.QuestionYesNo, Answers: labels{{"1", "Certainly"}, {"2", "Never"}}},
	}}
	_, err := unclear.CheckAnswers(jobboard.Answers{Questions: map[string]jobboard.Answer{"8": jobboard.AnswerYesNo(true)}}, jobboard.AnswerRules{})
	if e, ok := errors.AsType[*jobboard.AnswersError](err); !ok || e.Problems[0].Reason != jobboard.ReasonUnclearYesNo {
		t.Errorf("%v", err)
	}
	got, err := unclear.CheckAnswers(jobboard.Answers{Questions: map[string]jobboard.Answer{"8": jobboard.AnswerCatalog("2")}}, jobboard.AnswerRules{})
	if err != nil || got.Values["8"] != "2" {
		t.Errorf("%v, %v", got, err)
	}
}

// What a form of the job posts, in order, is in order.
func TestFormAnswer(t *testing.T) {
	j := typedJob(t)
	posted := map[string]string{"8": "2900100", "9": "bald", "10": "a\r\nb", "11": "2700455", "-1": "330071"}
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{}}
	for _, q := range j.Questions {
		given.Questions[q.ID] = q.FormAnswer(posted[q.ID])
	}
	got, err := j.CheckAnswers(given, jobboard.AnswerRules{})
	if err != nil || !maps.Equal(got.Values, posted) {
		t.Errorf("%v, %v", got, err)
	}
	if a := (jobboard.Question{Type: "DATE"}).FormAnswer("x"); a != jobboard.AnswerText("x") {
		t.Errorf("%v", a)
	}
}

func FuzzCheckAnswers(f *testing.F) {
	b, err := os.ReadFile("testdata/jobinfo.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b), "8", uint8(0), "", "2800137", 0)
	f.Add(string(b), "11", uint8(3), "2700455", "", 3)
	f.Add(`{"jobId":1,"jobTitle":"","applyPossible":true,"questions":[{"id":"1","type":"YESNO","answers":[{"id":"1","label":"ja"},{"id":"0","label":"nein"}]},{"id":"1","type":"X"}]}`, "1", uint8(1), "", "", 1)
	f.Add(`{"jobId":1,"jobTitle":"","applyPossible":true,"questions":[{"id":"2","type":"TEXT"}]}`, "2", uint8(2), "ä\r\n\xff", "x", 2)
	f.Fuzz(func(t *testing.T, info, id string, kind uint8, text, nationality string, limit int) {
		j := new(jobboard.JobInformation)
		if json.Unmarshal([]byte(info), j) != nil {
			return
		}
		answer := []jobboard.Answer{
			jobboard.AnswerYesNo(true), jobboard.AnswerYesNo(false), jobboard.AnswerText(text),
			jobboard.AnswerCatalog(text),
			{},
		}[kind%5]
		given := jobboard.Answers{Questions: map[string]jobboard.Answer{id: answer}, Nationality: nationality}
		got, err := j.CheckAnswers(given, jobboard.AnswerRules{MaxText: limit, MaxTextArea: limit})
		again, _ := j.CheckAnswers(given, jobboard.AnswerRules{MaxText: limit, MaxTextArea: limit})
		if !reflect.DeepEqual(got, again) {
			t.Fatal("two checks, two results")
		}

		var e *jobboard.AnswersError
		if err != nil && (!errors.As(err, &e) || len(e.Problems) == 0 || len(err.Error()) > 600) {
			t.Fatalf("%T %v", err, err)
		}
		first := map[string]jobboard.Question{}
		for _, q := range j.Questions {
			if _, again := first[q.ID]; !again {
				first[q.ID] = q
			}
		}
		known := func(q jobboard.Question) bool {
			return slices.Contains([]jobboard.QuestionType{jobboard.QuestionYesNo, jobboard.QuestionText, jobboard.QuestionTextArea, jobboard.QuestionCatalog}, q.Type)
		}
		for qid, q := range first {
			value, sent := got.Values[qid]
			p, bad := e.Question(qid)
			switch {
			case sent && bad:
				t.Fatalf("question %q is sent and has the problem %v", qid, p)
			case known(q) && !sent && !bad:
				t.Fatalf("question %q is neither sent nor a problem", qid)
			case !known(q) && bad:
				t.Fatalf("question %q of type %q has the problem %v", qid, q.Type, p)
			case bad && (p.Message() == "" || p.Label != q.Label || p.Reason == ""):
				t.Fatalf("problem %+v", p)
			}
			if sent && known(q) && (q.Type == jobboard.QuestionYesNo || q.Type == jobboard.QuestionCatalog) {
				offered := false
				for _, o := range j.Questions {
					offered = offered || o.ID == qid && slices.ContainsFunc(o.Answers, func(a jobboard.IDLabel) bool { return a.ID == value })
				}
				if !offered {
					t.Fatalf("question %q: %q is not offered", qid, value)
				}
			}
		}
		for qid := range got.Values {
			if _, ok := first[qid]; !ok {
				t.Fatalf("a value for %q, which is not asked", qid)
			}
		}
		if _, asked := first[id]; !asked {
			if p, bad := e.Question(id); !bad || p.Reason != jobboard.ReasonUnknownQuestion {
				t.Fatalf("the answer to %q is lost", id)
			}
		}
		if got.Nationality != "" && !slices.ContainsFunc(j.Nationalities, func(n jobboard.IDLabel) bool { return n.ID == got.Nationality }) {
			t.Fatalf("nationality %q", got.Nationality)
		}
		if _, bad := e.Nationality(); nationality != "" && bad == (got.Nationality != "") {
			t.Fatalf("nationality %q is lost", nationality)
		}
	})
}
