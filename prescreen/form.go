package prescreen

import (
	"errors"
	"net/url"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
)

// Control names the kind of control by which a form asks a question.
type Control string

// The controls: a template chooses its HTML element by them.
const (
	ControlText     Control = "text"     // a line
	ControlTextArea Control = "textarea" // several lines
	ControlRadio    Control = "radio"    // at most three choices, all visible
	ControlSelect   Control = "select"   // a choice from a list
)

// Field describes what a form shows for one question, or for the nationality.
// Label and Choices come from the service and are untrusted.
type Field struct {
	Name        string                // in the form: "q" and the question's identifier, or "nationality"
	Nationality bool                  // the field asks for the nationality; it has no question, label or type
	QuestionID  string                // as in jobboard.Question
	Label       string                // what is asked
	Type        jobboard.QuestionType // as in jobboard.Question; may differ from the constants
	Control     Control               // the kind of HTML element
	Choices     []jobboard.IDLabel    // options of a ControlRadio or ControlSelect; submit the ID
	Required    bool                  // Rules demand an answer
	MaxLength   int                   // the most characters of a text, as maxlength in HTML; 0: no limit
	Value       string                // the given answer: the ID of a choice, or text
	Problem     *Problem              // what is wrong with Value; nil: nothing, or not checked
}

const nationalityField = "nationality"

// Fields returns the form of a job: a field for each question, in order, and a last one for the
// nationality if the job lists nationalities. The fields show the answers in given (zero: an empty form).
// checked is the error of [Check], whose problems the fields show; nil: no
// problems. Questions that share an identifier get one field.
//
// A question of an unknown type becomes a ControlSelect if it has answers to choose from, else a
// ControlText, and is never Required.
func Fields(info *jobboard.JobInformation, given Answers, rules Rules, checked error) []Field {
	wrong, _ := errors.AsType[*Error](checked)
	questions := distinct(info.Questions)
	fields := make([]Field, 0, len(questions)+1)
	for _, q := range questions {
		f := fieldOf(q, given.Questions[q.ID], rules)
		if p, ok := wrong.Question(q.ID); ok {
			f.Problem = &p
		}
		fields = append(fields, f)
	}
	if len(info.Nationalities) == 0 {
		return fields
	}
	f := Field{
		Name: nationalityField, Nationality: true, Control: ControlSelect, Choices: slices.Clip(info.Nationalities),
		Required: rules.RequireNationality, Value: given.Nationality,
	}
	if p, ok := wrong.Nationality(); ok {
		f.Problem = &p
	}
	return append(fields, f)
}

// fieldOf returns the form field of a question that was answered with a.
func fieldOf(q jobboard.Question, a Answer, rules Rules) Field {
	f := Field{
		Name: fieldName(q), QuestionID: q.ID, Label: q.Label, Type: q.Type, Control: ControlText, Value: a.text,
		Required: isKnown(q.Type) && (rules.Optional == nil || !rules.Optional(q)),
	}
	switch {
	case q.Type == jobboard.QuestionText:
		f.MaxLength = rules.MaxText
	case q.Type == jobboard.QuestionTextArea:
		f.Control, f.MaxLength = ControlTextArea, rules.MaxTextArea
	case q.Type == jobboard.QuestionYesNo && len(q.Answers) > 0 && len(q.Answers) <= 3:
		f.Control, f.Choices = ControlRadio, q.Answers
	case isKnown(q.Type) || len(q.Answers) > 0:
		f.Control, f.Choices = ControlSelect, q.Answers
	}
	if a.kind == jobboard.QuestionYesNo {
		f.Value, _ = take(q, a, rules)
	}
	return f
}

func fieldName(q jobboard.Question) string { return "q" + q.ID }

// FromForm reads the answers from the submitted values of the form that [Fields]
// describes. It ignores other fields, for example of a question that the job no longer asks.
func FromForm(info *jobboard.JobInformation, sent url.Values) Answers {
	given := Answers{Questions: make(map[string]Answer, len(info.Questions))}
	for _, q := range distinct(info.Questions) {
		given.Questions[q.ID] = AnswerTo(q, sent.Get(fieldName(q)))
	}
	if len(info.Nationalities) > 0 {
		given.Nationality = sent.Get(nationalityField)
	}
	return given
}
