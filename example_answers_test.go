package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/url"

	"github.com/jobboard-sdk/jobboard-go"
)

func ExampleJobInformation_CheckAnswers() {
	client, fake := open()
	defer fake.Close()
	job, err := client.JobInformation(context.Background(), jobboard.JobID(fake.Demo.OpenJob))
	if err != nil {
		log.Fatal(err)
	}

	sent := url.Values{"q8": {"2900101"}, "q9": {"55.000 Euro, gern mehr."}, "nationality": {"2800137"}} // by a form
	checked, err := job.CheckAnswers(job.FormAnswers(sent), jobboard.AnswerRules{MaxText: 20})
	if bad, ok := errors.AsType[*jobboard.AnswersError](err); ok {
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

func ExampleAnswersError_Question() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{{ID: "9", Type: jobboard.QuestionText, Label: "Notice period?"}}}
	_, err := job.CheckAnswers(jobboard.Answers{}, jobboard.AnswerRules{})
	bad, _ := errors.AsType[*jobboard.AnswersError](err)
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

func ExampleAnswersError_Nationality() {
	job := &jobboard.JobInformation{Nationalities: []jobboard.IDLabel{{ID: "2800137", Label: "German"}}}
	_, err := job.CheckAnswers(jobboard.Answers{Nationality: "German"}, jobboard.AnswerRules{})
	bad, _ := errors.AsType[*jobboard.AnswersError](err)
	if p, ok := bad.Nationality(); ok {
		fmt.Println(p.Message())
	}
	fmt.Println(err)
	// Output:
	// Please choose a nationality from the list.
	// jobboard: answers: invalid input; nationality not known
}

func ExampleAnswerRules() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "9", Type: jobboard.QuestionText, Label: "Notice period?"},
		{ID: "10", Type: jobboard.QuestionTextArea, Label: "Anything else?"},
	}}
	rules := jobboard.AnswerRules{
		MaxText:  10,
		Optional: func(q jobboard.Question) bool { return q.Type == jobboard.QuestionTextArea },
	}
	for _, text := range []string{"4 weeks", "four weeks from now"} {
		given := jobboard.Answers{Questions: map[string]jobboard.Answer{"9": jobboard.AnswerText(text)}}
		_, err := job.CheckAnswers(given, rules)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// jobboard: answers: invalid input; question "9": too long
}

func ExampleAnswerYesNo() {
	job := &jobboard.JobInformation{JobLanguage: "de", Questions: []jobboard.Question{{
		ID: "8", Type: jobboard.QuestionYesNo, Label: "Besitzen Sie eine Fahrerlaubnis?",
		Answers: []jobboard.IDLabel{{ID: "2900101", Label: "Ja"}, {ID: "2900100", Label: "Nein"}},
	}}}
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{"8": jobboard.AnswerYesNo(false)}}
	checked, err := job.CheckAnswers(given, jobboard.AnswerRules{})
	fmt.Println(checked.Values["8"], err)
	// Output:
	// 2900100 <nil>
}

func ExampleAnswerText() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "9", Type: jobboard.QuestionText, Label: "Notice period?"},
		{ID: "10", Type: jobboard.QuestionTextArea, Label: "Why us?"},
	}}
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{
		"9": jobboard.AnswerText("4 weeks"), "10": jobboard.AnswerText("The trams.\nAnd the people."),
	}}
	checked, err := job.CheckAnswers(given, jobboard.AnswerRules{MaxText: 50, MaxTextArea: 2000})
	fmt.Printf("%q %v\n", checked.Values, err)
	// Output:
	// map["10":"The trams.\nAnd the people." "9":"4 weeks"] <nil>
}

func ExampleAnswerCatalog() {
	q := jobboard.Question{
		ID: "11", Type: jobboard.QuestionCatalog, Label: "How good is your English?",
		Answers: []jobboard.IDLabel{{ID: "2700454", Label: "Basic"}, {ID: "2700455", Label: "Fluent"}},
	}
	job := &jobboard.JobInformation{Questions: []jobboard.Question{q}}
	for _, id := range []string{"2700455", "Fluent"} {
		given := jobboard.Answers{Questions: map[string]jobboard.Answer{q.ID: jobboard.AnswerCatalog(id)}}
		checked, err := job.CheckAnswers(given, jobboard.AnswerRules{})
		fmt.Println(checked.Values, err)
	}
	// Output:
	// map[11:2700455] <nil>
	// map[] jobboard: answers: invalid input; question "11": not offered
}

func ExampleQuestion_YesNo() {
	q := jobboard.Question{Type: jobboard.QuestionYesNo, Answers: []jobboard.IDLabel{{ID: "31", Label: "Non"}, {ID: "32", Label: "Oui"}}}
	yes, no, ok := q.YesNo()
	fmt.Println(yes.ID, no.ID, ok)
	// Output:
	// 32 31 true
}

func ExampleQuestion_FormAnswer() {
	q := jobboard.Question{Type: jobboard.QuestionTextArea}
	fmt.Println(q.FormAnswer("two\nlines") == jobboard.AnswerText("two\nlines"))
	// Output:
	// true
}

func ExampleAnswerProblem_Message() {
	p := jobboard.AnswerProblem{Reason: jobboard.ReasonTooLong, Length: 214, Limit: 200}
	fmt.Println(p.Message())
	// Output:
	// Please use at most 200 characters. These are 214.
}

// A question of an unknown type is no obstacle.
func ExampleAnswerNotice_Message() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{{ID: "12", Type: "DATE", Label: "Available from?"}}}
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{"12": jobboard.AnswerText("2026-03-01")}}
	checked, err := job.CheckAnswers(given, jobboard.AnswerRules{})
	fmt.Println(checked.Values, err)
	for _, n := range checked.Notices {
		fmt.Println(n.Label, n.Message())
	}
	// Output:
	// map[12:2026-03-01] <nil>
	// Available from? This is a new kind of question. Its answer has not been checked.
}
