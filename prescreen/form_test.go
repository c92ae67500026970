package prescreen_test

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// show returns the form in short: a line for each field.
func show(fields []prescreen.Field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s %s %d choices", f.Name, f.Control, len(f.Choices))
		if f.Required {
			b.WriteString(", required")
		}
		if f.MaxLength > 0 {
			fmt.Fprintf(&b, ", at most %d", f.MaxLength)
		}
		fmt.Fprintf(&b, ": %q", f.Value)
		if f.Problem != nil {
			b.WriteString(", " + string(f.Problem.Reason))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestFields(t *testing.T) {
	job := typedJob(t)
	rules := prescreen.Rules{
		Optional: func(q jobboard.Question) bool { return q.ID == "9" }, MaxText: 8, MaxTextArea: 500, RequireNationality: true,
	}
	const empty = `q8 radio 2 choices, required: ""
q9 text 0 choices, at most 8: ""
q10 textarea 0 choices, required, at most 500: ""
q11 select 3 choices, required: ""
q-1 select 3 choices, required: ""
nationality select 4 choices, required: ""
`
	if got := show(prescreen.Fields(job, prescreen.Answers{}, rules, nil)); got != empty {
		t.Errorf("an empty form:\n%s", got)
	}

	sent := url.Values{
		"q8": {"2900100"}, "q9": {"six weeks"}, "q10": {" \n"}, "q11": {"5"}, "q-1": {"330072"}, "nationality": {"2800999"},
		"q77": {"of a question that is gone"}, "other": {"x"},
	}
	given := prescreen.FromForm(job, sent)
	checked, err := prescreen.Check(job, given, rules)
	const filled = `q8 radio 2 choices, required: "2900100"
q9 text 0 choices, at most 8: "six weeks", too long
q10 textarea 0 choices, required, at most 500: " \n", missing
q11 select 3 choices, required: "5", not offered
q-1 select 3 choices, required: "330072"
nationality select 4 choices, required: "2800999", nationality not known
`
	if got := show(prescreen.Fields(job, given, rules, fmt.Errorf("while applying: %w", err))); got != filled {
		t.Errorf("a filled form, %v:\n%s", err, got)
	}
	if want := map[string]string{"8": "2900100", "-1": "330072"}; !reflect.DeepEqual(checked.Values, want) {
		t.Errorf("passed: %v", checked.Values)
	}
	if got := show(prescreen.Fields(job, given, rules, io.EOF)); strings.Contains(got, "too long") {
		t.Errorf("problems without a check:\n%s", got)
	}

	fields := prescreen.Fields(job, prescreen.Answers{Questions: goodAnswers()}, prescreen.Rules{}, nil)
	if fields[0].Value != "2900101" || fields[0].Label != job.Questions[0].Label || fields[0].QuestionID != "8" || fields[5].Required || !fields[5].Nationality {
		t.Errorf("%+v", fields)
	}
	fields[5].Choices = append(fields[5].Choices, jobboard.IDLabel{})
	if len(job.Nationalities) != 4 {
		t.Error("the form shares the room behind the catalogue")
	}
}

// What a service may send beside the four types that the interface shows.
func TestFieldsOfOddQuestions(t *testing.T) {
	job := new(jobboard.JobInformation)
	err := json.Unmarshal([]byte(`{"jobId":1,"jobTitle":"","applyPossible":true,"questions":[
		{"id":"1","type":"YESNO","label":"many","answers":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"}]},
		{"id":"2","type":"YESNO","label":"none"},
		{"id":"3","type":"DATE","label":"a new kind"},
		{"id":"4","type":"CHOICE","label":"a new kind with answers","answers":[{"id":"1"}]},
		{"id":"5","type":"CATALOG","label":"twice","answers":[{"id":"1"}]},
		{"id":"5","type":"TEXT","label":"again","answers":[{"id":"2"}]},
		{"id":"6","type":"YESNO","label":"and a third","answers":[{"id":"1"},{"id":"2"},{"id":"3"}]},
		{"id":"","label":"nothing"}]}`), job)
	if err != nil {
		t.Fatal(err)
	}
	const want = `q1 select 4 choices, required: "3"
q2 select 0 choices, required: ""
q3 text 0 choices: "tomorrow"
q4 select 1 choices: ""
q5 select 2 choices, required: "2"
q6 radio 3 choices, required: ""
q text 0 choices: "x"
`
	given := prescreen.FromForm(job, url.Values{"q1": {"3"}, "q3": {"tomorrow"}, "q5": {"2"}, "q": {"x"}, "nationality": {"1"}})
	if got := show(prescreen.Fields(job, given, prescreen.Rules{}, nil)); got != want || given.Nationality != "" {
		t.Errorf("nationality %q\n%s", given.Nationality, got)
	}
	if got := prescreen.Fields(job, prescreen.Answers{Questions: map[string]prescreen.Answer{"2": prescreen.YesNo(true)}}, prescreen.Rules{}, nil)[1].Value; got != "" {
		t.Errorf("a yes that no answer means: %q", got)
	}
	if got := prescreen.Fields(new(jobboard.JobInformation), prescreen.Answers{}, prescreen.Rules{}, nil); len(got) != 0 {
		t.Errorf("a job without questions: %v", got)
	}
}

func ExampleFields() {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{
		{ID: "8", Type: jobboard.QuestionYesNo, Label: "A licence?", Answers: []jobboard.IDLabel{{ID: "2900101", Label: "Yes"}, {ID: "2900100", Label: "No"}}},
		{ID: "9", Type: jobboard.QuestionText, Label: "Notice period?"},
	}}
	page := template.Must(template.New("").Parse(`{{range .}}{{$f := .}}<p>{{.Label}}
{{- if eq .Control "radio"}}{{range .Choices}}
  <input type="radio" name="{{$f.Name}}" value="{{.ID}}"{{if eq .ID $f.Value}} checked{{end}}>{{.Label}}{{end}}
{{- else}}
  <input name="{{.Name}}" value="{{.Value}}">
{{- end}}{{with .Problem}}
  <em>{{.Message}}</em>{{end}}
{{end}}`))
	sent := url.Values{"q8": {"2900100"}} // http.Request.PostForm

	given := prescreen.FromForm(job, sent)
	_, err := prescreen.Check(job, given, prescreen.Rules{})
	var b strings.Builder
	_ = page.Execute(&b, prescreen.Fields(job, given, prescreen.Rules{}, err))
	fmt.Print(b.String())
	// Output:
	// <p>A licence?
	//   <input type="radio" name="q8" value="2900101">Yes
	//   <input type="radio" name="q8" value="2900100" checked>No
	// <p>Notice period?
	//   <input name="q9" value="">
	//   <em>Please answer this question.</em>
}
