package prescreen_test

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
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// typedJob is the job information of testdata: a question of each kind (8 to
// 11) and the preferred location (-1).
func typedJob(tb testing.TB) *jobboard.JobInformation {
	tb.Helper()
	b, err := os.ReadFile("../testdata/jobinfo.json")
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
func goodAnswers() map[string]prescreen.Answer {
	return map[string]prescreen.Answer{
		"8":  prescreen.YesNo(true),
		"9":  prescreen.Text("sofort"),
		"10": prescreen.Text("Die Bahn.\r\nUnd Straßen."),
		"11": prescreen.Catalog("2700455"),
		"-1": prescreen.Catalog("330072"),
	}
}

func TestCheckInOrder(t *testing.T) {
	got, err := prescreen.Check(typedJob(t), prescreen.Answers{Questions: goodAnswers(), Nationality: "2800138"}, prescreen.Rules{
		MaxText: 6, MaxTextArea: 22, RequireNationality: true,
	})
	want := prescreen.Checked{
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
func TestCheckProblems(t *testing.T) {
	set := func(id string, a prescreen.Answer) func(*prescreen.Answers) {
		return func(all *prescreen.Answers) { all.Questions[id] = a }
	}
	nationality := func(id string) func(*prescreen.Answers) {
		return func(all *prescreen.Answers) { all.Nationality = id }
	}
	withoutLicence := func(all *prescreen.Answers) { delete(all.Questions, "8") }
	const (
		missing = "Please answer this question."
		yesNo   = "Please answer yes or no."
		inWords = "Please answer in words."
		choose  = "Please choose one of the answers."
		listed  = "Please choose a nationality from the list."
	)
	for _, c := range []struct {
		name   string
		change func(*prescreen.Answers)
		rules  prescreen.Rules
		of     string // the question; "": the nationality
		want   prescreen.Reason
		length int
		limit  int
		text   string
	}{
		{name: "missing", change: withoutLicence, of: "8", want: prescreen.ReasonMissing, text: missing},
		{name: "zero answer", change: set("9", prescreen.Answer{}), of: "9", want: prescreen.ReasonMissing, text: missing},
		{
			name: "blank", change: set("10", prescreen.Text(" \r\n\u00a0")),
			of: "10", want: prescreen.ReasonMissing, text: missing,
		},
		{name: "nothing chosen", change: set("11", prescreen.Catalog("")), of: "11", want: prescreen.ReasonMissing, text: missing},
		{
			name: "missing, and another is optional", change: withoutLicence,
			rules: prescreen.Rules{Optional: func(q jobboard.Question) bool { return q.ID == "9" }},
			of:    "8", want: prescreen.ReasonMissing, text: missing,
		},
		{
			name: "unknown question", change: set("12", prescreen.Text("x")),
			of: "12", want: prescreen.ReasonUnknownQuestion, text: "This job does not ask this question.",
		},
		{name: "text for yes or no", change: set("8", prescreen.Text("yes")), of: "8", want: prescreen.ReasonWrongKind, text: yesNo},
		{name: "yes for text", change: set("9", prescreen.YesNo(true)), of: "9", want: prescreen.ReasonWrongKind, text: inWords},
		{name: "yes for long text", change: set("10", prescreen.YesNo(true)), of: "10", want: prescreen.ReasonWrongKind, text: inWords},
		{
			name: "choice for text", change: set("9", prescreen.Catalog("2700455")),
			of: "9", want: prescreen.ReasonWrongKind, text: inWords,
		},
		{name: "no for a choice", change: set("11", prescreen.YesNo(false)), of: "11", want: prescreen.ReasonWrongKind, text: choose},
		{
			name: "wrong kind is wrong also where optional", change: set("11", prescreen.YesNo(false)),
			rules: prescreen.Rules{Optional: func(jobboard.Question) bool { return true }},
			of:    "11", want: prescreen.ReasonWrongKind, text: choose,
		},
		{
			name: "not in the catalogue", change: set("11", prescreen.Catalog("330071")),
			of: "11", want: prescreen.ReasonNotOffered, text: choose,
		},
		{
			name: "a label is no identifier", change: set("11", prescreen.Catalog("Fließend")),
			of: "11", want: prescreen.ReasonNotOffered, text: choose,
		},
		{
			name: "choice not of the yes or no", change: set("8", prescreen.Catalog("2900102")),
			of: "8", want: prescreen.ReasonNotOffered, text: choose,
		},
		{
			name: "too long in characters", change: set("9", prescreen.Text("größer 🚀🚀")),
			rules: prescreen.Rules{MaxText: 8}, of: "9", want: prescreen.ReasonTooLong, length: 9, limit: 8,
			text: "Please use at most 8 characters. These are 9.",
		},
		{
			name: "too long text, by its own limit", change: set("10", prescreen.Text("a\r\nb")),
			rules: prescreen.Rules{MaxText: 9, MaxTextArea: 1}, of: "10", want: prescreen.ReasonTooLong, length: 3, limit: 1,
			text: "Please use at most 1 characters. These are 3.",
		},
		{name: "nationality not in the list", change: nationality("2800999"), want: prescreen.ReasonNationality, text: listed},
		{name: "nationality by its label", change: nationality("deutsch"), want: prescreen.ReasonNationality, text: listed},
		{
			name: "nationality missing", change: nationality(""), rules: prescreen.Rules{RequireNationality: true},
			want: prescreen.ReasonNationalityMissing, text: "Please choose a nationality.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := prescreen.Answers{Questions: goodAnswers(), Nationality: "2800137"}
			c.change(&given)
			job := typedJob(t)
			want := prescreen.Problem{QuestionID: c.of, Reason: c.want, Length: c.length, Limit: c.limit}
			for _, q := range job.Questions {
				if q.ID == c.of {
					want.Label, want.Type = q.Label, q.Type
				}
			}
			got, err := prescreen.Check(job, given, c.rules)
			var e *prescreen.Error
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
			find := func() (prescreen.Problem, bool) { return e.Question(c.of) }
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

func TestCheckAllAtOnce(t *testing.T) {
	_, err := prescreen.Check(typedJob(t), prescreen.Answers{
		Questions: map[string]prescreen.Answer{
			"9": prescreen.Text("übermorgen"), "11": prescreen.Text("gut"), "b": {}, "a": {},
		},
		Nationality: "Rohan",
	}, prescreen.Rules{MaxText: 5})
	var e *prescreen.Error
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
	if text := err.Error(); text != `prescreen: invalid input; question "8": missing; question "9": too long; question "10": missing; question "11": wrong kind; question "-1": missing; and 3 more` {
		t.Error(text)
	}
}

// An error's text is bounded, and has no line of anybody else's.
func TestErrorText(t *testing.T) {
	given := prescreen.Answers{Questions: map[string]prescreen.Answer{}, Nationality: "my secret"}
	for range 5 {
		given.Questions[strings.Repeat("x\n", 500)] = prescreen.Text("my secret")
	}
	_, err := prescreen.Check(&jobboard.JobInformation{}, given, prescreen.Rules{})
	if text := err.Error(); len(text) > 500 || strings.ContainsAny(text, "\n") || strings.Contains(text, "secret") {
		t.Errorf("%q", text)
	}
	var none *prescreen.Error
	if _, ok := none.Question("8"); ok {
		t.Error("nil has a problem")
	}
	if _, ok := none.Nationality(); ok {
		t.Error("nil has a problem")
	}
	for _, p := range []prescreen.Problem{{}, {Reason: prescreen.ReasonUnclearYesNo}} {
		if p.Message() == "" {
			t.Errorf("%+v has no text", p)
		}
	}
}

// The problems of answers go to a page as JSON.
func TestErrorAsJSON(t *testing.T) {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{{ID: "9", Type: jobboard.QuestionText, Label: "Notice?"}}}
	given := prescreen.Answers{Questions: map[string]prescreen.Answer{"9": prescreen.Text("four weeks"), "77": prescreen.Text("x")}}
	_, err := prescreen.Check(job, given, prescreen.Rules{MaxText: 5})
	b, _ := json.Marshal(err)
	if want := `{"problems":[{"questionId":"9","label":"Notice?","type":"TEXT","reason":"too long","length":10,"limit":5},{"questionId":"77","reason":"unknown question"}]}`; string(b) != want {
		t.Errorf("%s\nwant %s", b, want)
	}
}

func TestCheckOptional(t *testing.T) {
	all := func(jobboard.Question) bool { return true }
	got, err := prescreen.Check(typedJob(t), prescreen.Answers{}, prescreen.Rules{Optional: all})
	if err != nil || len(got.Values) != 0 || got.Values == nil {
		t.Errorf("%v, %v", got, err)
	}
	// A job without a list of nationalities cannot ask for one.
	if _, err := prescreen.Check(&jobboard.JobInformation{}, prescreen.Answers{}, prescreen.Rules{RequireNationality: true}); err != nil {
		t.Error(err)
	}
	if _, err := prescreen.Check(&jobboard.JobInformation{}, prescreen.Answers{Nationality: "2800137"}, prescreen.Rules{}); err == nil {
		t.Error("a nationality passes where there is no list")
	}
}

func TestCheckOfUnknownType(t *testing.T) {
	j := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "1", Type: "DATE", Label: "When?"},
		{ID: "2", Type: "SCALE", Label: "How much?", Answers: []jobboard.IDLabel{{ID: "21", Label: "1"}}},
		{ID: "3", Type: "", Label: "What?"},
		{ID: "4", Type: "CONSENT", Answers: []jobboard.IDLabel{{ID: "41", Label: "Yes"}, {ID: "40", Label: "No"}}},
		{ID: "5", Type: "CONSENT"},
	}}
	got, err := prescreen.Check(j, prescreen.Answers{Questions: map[string]prescreen.Answer{
		"1": prescreen.Text("2026-01-31"),
		"2": prescreen.Catalog("22"),
		"4": prescreen.YesNo(false),
		"5": prescreen.YesNo(true),
	}}, prescreen.Rules{MaxText: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"1": "2026-01-31", "2": "22", "4": "40"}; !maps.Equal(got.Values, want) {
		t.Errorf("%v, want %v", got.Values, want)
	}
	if len(got.Notices) != 5 || got.Notices[0] != (prescreen.Notice{QuestionID: "1", Label: "When?", Type: "DATE"}) || got.Notices[0].Message() == "" {
		t.Errorf("notices %+v", got.Notices)
	}
}

func TestCheckOfRepeatedQuestion(t *testing.T) {
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
		got, err := prescreen.Check(j, prescreen.Answers{Questions: map[string]prescreen.Answer{
			"7": prescreen.Catalog(id), "8": prescreen.YesNo(false),
		}}, prescreen.Rules{})
		if err != nil || got.Values["7"] != id || got.Values["8"] != "2900100" {
			t.Errorf("%v, %v", got, err)
		}
	}
	_, err := prescreen.Check(j, prescreen.Answers{}, prescreen.Rules{})
	var e *prescreen.Error
	if !errors.As(err, &e) || len(e.Problems) != 2 || e.Problems[0].Label != "first" {
		t.Errorf("%+v", err)
	}
	if after, _ := json.Marshal(j); string(after) != string(before) {
		t.Error("the job information was changed")
	}
}

func TestFindYesNo(t *testing.T) {
	type labels = []jobboard.IDLabel
	for _, c := range []struct {
		name    string
		answers labels
		yes, no string
	}{
		{"identifiers", labels{{ID: "2900101", Label: "Ja"}, {ID: "2900100", Label: "Nein"}}, "2900101", "2900100"},
		{"identifiers, other order", labels{{ID: "2900100", Label: "Nein"}, {ID: "2900101", Label: "Ja"}}, "2900101", "2900100"},
		{"identifiers before labels", labels{{ID: "2900101", Label: "Nein"}, {ID: "2900100", Label: "Ja"}}, "2900101", "2900100"},
		{"identifiers, labels nobody knows", labels{{ID: "2900100", Label: "x"}, {ID: "2900101", Label: "y"}}, "2900101", "2900100"},
		{"one identifier is not enough", labels{{ID: "2900101", Label: "x"}, {ID: "5", Label: "y"}}, "", ""},
		{"one identifier and labels", labels{{ID: "2900101", Label: "No"}, {ID: "5", Label: "Yes"}}, "5", "2900101"},
		{"English", labels{{ID: "1", Label: "No"}, {ID: "2", Label: " YES. "}}, "2", "1"},
		{"French", labels{{ID: "1", Label: "Oui"}, {ID: "2", Label: "Non"}}, "1", "2"},
		{"Polish", labels{{ID: "1", Label: "Nie"}, {ID: "2", Label: "Tak"}}, "2", "1"},
		{"Turkish", labels{{ID: "1", Label: "Hayır"}, {ID: "2", Label: "Evet"}}, "2", "1"},
		{"Czech", labels{{ID: "1", Label: "Ano"}, {ID: "2", Label: "Ne"}}, "1", "2"},
		{"repeated", labels{{ID: "1", Label: "Ja"}, {ID: "2", Label: "Nein"}, {ID: "1", Label: "Ja"}}, "1", "2"},
		{"two of one", labels{{ID: "1", Label: "Ja"}, {ID: "2", Label: "Nein"}, {ID: "3", Label: "Yes"}}, "", ""},
		{"same identifier", labels{{ID: "1", Label: "Ja"}, {ID: "1", Label: "Nein"}}, "", ""},
		{"unknown words", labels{{ID: "1", Label: "Certainly"}, {ID: "2", Label: "Never"}}, "", ""},
		{"half known", labels{{ID: "1", Label: "Yes"}, {ID: "2", Label: "Never"}}, "", ""},
		{"part of a word", labels{{ID: "1", Label: "es"}, {ID: "2", Label: "o"}}, "", ""},
		{"empty labels", labels{{ID: "1", Label: ""}, {ID: "2", Label: " "}}, "", ""},
		{"none", nil, "", ""},
	} {
		yes, no, ok := prescreen.FindYesNo(jobboard.Question{Type: jobboard.QuestionYesNo, Answers: c.answers})
		if yes.ID != c.yes || no.ID != c.no || ok != (c.yes != "") {
			t.Errorf("%s: %v, %v, %v", c.name, yes, no, ok)
		}
	}

	unclear := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "8", Type: jobboard.QuestionYesNo, Answers: labels{{ID: "1", Label: "Certainly"}, {ID: "2", Label: "Never"}}},
	}}
	_, err := prescreen.Check(unclear, prescreen.Answers{Questions: map[string]prescreen.Answer{"8": prescreen.YesNo(true)}}, prescreen.Rules{})
	if e, ok := errors.AsType[*prescreen.Error](err); !ok || e.Problems[0].Reason != prescreen.ReasonUnclearYesNo {
		t.Errorf("%v", err)
	}
	got, err := prescreen.Check(unclear, prescreen.Answers{Questions: map[string]prescreen.Answer{"8": prescreen.Catalog("2")}}, prescreen.Rules{})
	if err != nil || got.Values["8"] != "2" {
		t.Errorf("%v, %v", got, err)
	}
}

// What a form of the job posts, in order, is in order.
func TestAnswerTo(t *testing.T) {
	j := typedJob(t)
	posted := map[string]string{"8": "2900100", "9": "bald", "10": "a\r\nb", "11": "2700455", "-1": "330071"}
	given := prescreen.Answers{Questions: map[string]prescreen.Answer{}}
	for _, q := range j.Questions {
		given.Questions[q.ID] = prescreen.AnswerTo(q, posted[q.ID])
	}
	got, err := prescreen.Check(j, given, prescreen.Rules{})
	if err != nil || !maps.Equal(got.Values, posted) {
		t.Errorf("%v, %v", got, err)
	}
	if a := prescreen.AnswerTo(jobboard.Question{Type: "DATE"}, "x"); a != prescreen.Text("x") {
		t.Errorf("%v", a)
	}
}

func FuzzCheck(f *testing.F) {
	b, err := os.ReadFile("../testdata/jobinfo.json")
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
		answer := []prescreen.Answer{
			prescreen.YesNo(true), prescreen.YesNo(false), prescreen.Text(text),
			prescreen.Catalog(text),
			{},
		}[kind%5]
		given := prescreen.Answers{Questions: map[string]prescreen.Answer{id: answer}, Nationality: nationality}
		got, err := prescreen.Check(j, given, prescreen.Rules{MaxText: limit, MaxTextArea: limit})
		again, _ := prescreen.Check(j, given, prescreen.Rules{MaxText: limit, MaxTextArea: limit})
		if !reflect.DeepEqual(got, again) {
			t.Fatal("two checks, two results")
		}

		var e *prescreen.Error
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
			if p, bad := e.Question(id); !bad || p.Reason != prescreen.ReasonUnknownQuestion {
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
