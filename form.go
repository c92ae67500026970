package jobboard

import (
	"errors"
	"net/url"
	"slices"
)

// FormControl names the kind of control by which a form asks a question.
type FormControl string

// The controls, for a template to choose by. An HTML form has an element for
// each.
const (
	ControlText     FormControl = "text"     // a line
	ControlTextArea FormControl = "textarea" // several lines
	ControlRadio    FormControl = "radio"    // one of two or three choices, all in sight
	ControlSelect   FormControl = "select"   // one of a list
)

// FormField holds what a form shows for one question, or for the nationality.
// Label and Choices come from the service and are untrusted.
type FormField struct {
	Name        string         // in the form: "q" and the question's identifier, or "nationality"
	Nationality bool           // the field asks for the nationality; it has no question, label or type
	QuestionID  string         // as in Question
	Label       string         // what is asked
	Type        QuestionType   // as in Question; another than the constants is possible
	Control     FormControl    // how to ask
	Choices     []IDLabel      // of a ControlRadio or ControlSelect; the value of each is its ID
	Required    bool           // AnswerRules demand an answer
	MaxLength   int            // the most characters of a text, as maxlength in HTML; 0: no limit
	Value       string         // what was given: the ID of a choice, or text
	Problem     *AnswerProblem // what is wrong with Value; nil: nothing, or it was not checked
}

const nationalityField = "nationality"

// Form returns a field for each question of the job, in their order, and then
// one for the nationality if the job has a list of them. It shows the answers
// that were given, zero ones for an empty form, and beside each the problem that
// checked names: the error of [JobInformation.CheckAnswers], nil if nothing was
// checked. Questions that share an identifier have one field, as they count as
// one there.
//
// A question of an unknown type is asked by its answers if it has some, else as
// a line of text, and need not be answered.
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

// field returns the question's field with an answer.
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

// FormAnswers returns the answers in the values that somebody sent with the form
// that [JobInformation.Form] describes. It ignores fields that the form does not
// have, such as one of a question that the job no longer asks.
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
