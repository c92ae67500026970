package prescreen_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/url"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

func ExampleCheck() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	client, err := jobboard.NewClient(jobboard.Config{JobDBURL: fake.JobDBURL})
	if err != nil {
		log.Fatal(err)
	}
	job, err := client.JobInformation(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	if err != nil {
		log.Fatal(err)
	}

	sent := url.Values{"q8": {"2900101"}, "q9": {"55.000 Euro, gern mehr."}, "nationality": {"2800137"}} // by a form
	checked, err := prescreen.Check(job, prescreen.FromForm(job, sent), prescreen.Rules{MaxText: 20})
	if bad, ok := errors.AsType[*prescreen.Error](err); ok {
		for _, p := range bad.Problems {
			fmt.Printf("%s: %s %s\n", p.QuestionID, p.Label, p.Message())
		}
	}
	fmt.Println("in order:", checked.Values, checked.Nationality)
	// Output:
	// 9: Welches Jahresgehalt wünschen Sie sich? Please use at most 20 characters. These are 23.
	// 10: Warum möchten Sie bei uns arbeiten? Please answer this question.
	// 11: Was ist Ihr höchster Abschluss? Please answer this question.
	// -1: Welchen Standort bevorzugen Sie? Please answer this question.
	// in order: map[8:2900101] 2800137
}

func ExampleError_Question() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{{ID: "9", Type: jobboard.QuestionText, Label: "Notice period?"}}}
	_, err := prescreen.Check(job, prescreen.Answers{}, prescreen.Rules{})
	bad, _ := errors.AsType[*prescreen.Error](err)
	for _, q := range job.Questions {
		fmt.Println(q.Label)
		if p, ok := bad.Question(q.ID); ok {
			fmt.Println("  !", p.Message())
		}
	}
	// Output:
	// Notice period?
	//   ! Please answer this question.
}

func ExampleError_Nationality() {
	job := &jobboard.JobInformation{Nationalities: []jobboard.IDLabel{{ID: "2800137", Label: "German"}}}
	_, err := prescreen.Check(job, prescreen.Answers{Nationality: "German"}, prescreen.Rules{})
	bad, _ := errors.AsType[*prescreen.Error](err)
	if p, ok := bad.Nationality(); ok {
		fmt.Println(p.Message())
	}
	fmt.Println(err)
	// Output:
	// Please choose a nationality from the list.
	// prescreen: invalid input; nationality not known
}

func ExampleRules() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "9", Type: jobboard.QuestionText, Label: "Notice period?"},
		{ID: "10", Type: jobboard.QuestionTextArea, Label: "Anything else?"},
	}}
	rules := prescreen.Rules{
		MaxText:  10,
		Optional: func(q jobboard.Question) bool { return q.Type == jobboard.QuestionTextArea },
	}
	for _, text := range []string{"4 weeks", "four weeks from now"} {
		given := prescreen.Answers{Questions: map[string]prescreen.Answer{"9": prescreen.Text(text)}}
		_, err := prescreen.Check(job, given, rules)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// prescreen: invalid input; question "9": too long
}

func ExampleYesNo() {
	job := &jobboard.JobInformation{JobLanguage: "de", Questions: []jobboard.Question{{
		ID: "8", Type: jobboard.QuestionYesNo, Label: "Besitzen Sie eine Fahrerlaubnis?",
		Answers: []jobboard.IDLabel{{ID: "2900101", Label: "Ja"}, {ID: "2900100", Label: "Nein"}},
	}}}
	given := prescreen.Answers{Questions: map[string]prescreen.Answer{"8": prescreen.YesNo(false)}}
	checked, err := prescreen.Check(job, given, prescreen.Rules{})
	fmt.Println(checked.Values["8"], err)
	// Output:
	// 2900100 <nil>
}

func ExampleText() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "9", Type: jobboard.QuestionText, Label: "Notice period?"},
		{ID: "10", Type: jobboard.QuestionTextArea, Label: "Why us?"},
	}}
	given := prescreen.Answers{Questions: map[string]prescreen.Answer{
		"9": prescreen.Text("4 weeks"), "10": prescreen.Text("The trams.\nAnd the people."),
	}}
	checked, err := prescreen.Check(job, given, prescreen.Rules{MaxText: 50, MaxTextArea: 2000})
	fmt.Printf("%q %v\n", checked.Values, err)
	// Output:
	// map["10":"The trams.\nAnd the people." "9":"4 weeks"] <nil>
}

func ExampleCatalog() {
	q := jobboard.Question{
		ID: "11", Type: jobboard.QuestionCatalog, Label: "How good is your English?",
		Answers: []jobboard.IDLabel{{ID: "2700454", Label: "Basic"}, {ID: "2700455", Label: "Fluent"}},
	}
	job := &jobboard.JobInformation{Questions: []jobboard.Question{q}}
	for _, id := range []string{"2700455", "Fluent"} {
		given := prescreen.Answers{Questions: map[string]prescreen.Answer{q.ID: prescreen.Catalog(id)}}
		checked, err := prescreen.Check(job, given, prescreen.Rules{})
		fmt.Println(checked.Values, err)
	}
	// Output:
	// map[11:2700455] <nil>
	// map[] prescreen: invalid input; question "11": not offered
}

func ExampleFindYesNo() {
	q := jobboard.Question{Type: jobboard.QuestionYesNo, Answers: []jobboard.IDLabel{{ID: "31", Label: "Non"}, {ID: "32", Label: "Oui"}}}
	yes, no, ok := prescreen.FindYesNo(q)
	fmt.Println(yes.ID, no.ID, ok)
	// Output:
	// 32 31 true
}

func ExampleAnswerTo() {
	q := jobboard.Question{Type: jobboard.QuestionTextArea}
	fmt.Println(prescreen.AnswerTo(q, "two\nlines") == prescreen.Text("two\nlines"))
	// Output:
	// true
}

func ExampleProblem_Message() {
	p := prescreen.Problem{Reason: prescreen.ReasonTooLong, Length: 214, Limit: 200}
	fmt.Println(p.Message())
	// Output:
	// Please use at most 200 characters. These are 214.
}

// A question of an unknown type is no obstacle.
func ExampleNotice_Message() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{{ID: "12", Type: "DATE", Label: "Available from?"}}}
	given := prescreen.Answers{Questions: map[string]prescreen.Answer{"12": prescreen.Text("2026-03-01")}}
	checked, err := prescreen.Check(job, given, prescreen.Rules{})
	fmt.Println(checked.Values, err)
	for _, n := range checked.Notices {
		fmt.Println(n.Label, n.Message())
	}
	// Output:
	// map[12:2026-03-01] <nil>
	// Available from? This is a new kind of question. Its answer has not been checked.
}
