package jobboard

import (
	"errors"
	"net/url"
	"slices"
)

// FormControl names the kind of control by which a form asks a question.
type FormControl string

// The controls: a template chooses its HTML element by them.
const (
	ControlText     FormControl = "text"     // a line
	ControlTextArea FormControl = "textarea" // several lines
	ControlRadio    FormControl = "radio"    // at most three choices, all visible
	ControlSelect   FormControl = "select"   // a choice from a list
)

// FormField holds what a form shows for one question, or for the nationality.
// Label and Choices come from the service and are untrusted.
type FormField struct {
	Name        string         // in the form: "q" and the question's identifier, or "nationality"
	Nationality bool           // the field asks for the nationality; it has no question, label or type
	QuestionID  string         // as in Question
	Label       string         // what is asked
	Type        QuestionType   // as in Question; may differ from the constants
	Control     FormControl    // the kind of HTML element
	Choices     []IDLabel      // options of a ControlRadio or ControlSelect; submit the ID
	Required    bool           // AnswerRules demand an answer
	MaxLength   int            // the most characters of a text, as maxlength in HTML; 0: no limit
	Value       string         // the given answer: the ID of a choice, or text
	Problem     *AnswerProblem // what is wrong with Value; nil: nothing, or not checked
}

const nationalityField = "nationality"

// Form returns a field for each question of the job, in order, and a last field for the nationality
// if the job lists nationalities. The fields show the answers in given (zero: an empty form).
// checked is the error of [JobInformation.CheckAnswers], whose problems the fields show; nil: no
// problems. Questions that share an identifier get one field.
//
// A question of an unknown type becomes a ControlSelect if it has answers to choose from, else a
// ControlText, and is never Required.
func (j *JobInformation) Form(given Answers, rules AnswerRules, checked error) []FormField {
	wrong, _ := errors.AsType[*AnswersError](checked)
	questions := distinct(j.Questions)
	fields := make([]FormField, 0, len(questions)+1)
	for _, q := range questions {
		f := q.field(given.Questions[q.ID], rules)
		if p, ok := wrong.Question(q.ID); ok {
			f.Problem = &p
		}
		fields = append(fields, f)
	}
	if len(j.Nationalities) == 0 {
		return fields
	}
	f := FormField{
		Name: nationalityField, Nationality: true, Control: ControlSelect, Choices: slices.Clip(j.Nationalities),
		Required: rules.RequireNationality, Value: given.Nationality,
	}
	if p, ok := wrong.Nationality(); ok {
		f.Problem = &p
	}
	return append(fields, f)
}

// field returns the form field of a question that was answered with a.
func (q Question) field(a Answer, rules AnswerRules) FormField {
	f := FormField{
		Name: q.fieldName(), QuestionID: q.ID, Label: q.Label, Type: q.Type, Control: ControlText, Value: a.text,
		Required: q.Type.known() && (rules.Optional == nil || !rules.Optional(q)),
	}
	switch {
	case q.Type == QuestionText:
		f.MaxLength = rules.MaxText
	case q.Type == QuestionTextArea:
		f.Control, f.MaxLength = ControlTextArea, rules.MaxTextArea
	case q.Type == QuestionYesNo && len(q.Answers) > 0 && len(q.Answers) <= 3:
		f.Control, f.Choices = ControlRadio, q.Answers
	case q.Type.known() || len(q.Answers) > 0:
		f.Control, f.Choices = ControlSelect, q.Answers
	}
	if a.kind == QuestionYesNo {
		f.Value, _ = q.take(a, rules)
	}
	return f
}

func (q Question) fieldName() string { return "q" + q.ID }

// FormAnswers reads the answers from the submitted values of the form that [JobInformation.Form]
// describes. It ignores other fields, for example of a question that the job no longer asks.
func (j *JobInformation) FormAnswers(sent url.Values) Answers {
	given := Answers{Questions: make(map[string]Answer, len(j.Questions))}
	for _, q := range distinct(j.Questions) {
		given.Questions[q.ID] = q.FormAnswer(sent.Get(q.fieldName()))
	}
	if len(j.Nationalities) > 0 {
		given.Nationality = sent.Get(nationalityField)
	}
	return given
}
