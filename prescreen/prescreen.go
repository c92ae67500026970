// Package prescreen asks an applicant the prescreening questions of a job and checks the answers
// (2.5): [Fields] returns what a form shows, [FromForm] reads what was sent, and [Check] returns the
// values for an application, or all problems at once, each with a sentence to show beside its field.
//
// It sends nothing. The service may still refuse answers that pass, and the interface has no call
// that sends an application.
package prescreen

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
)

// Answer holds an answer to a question (2.5). YesNo, Text and Catalog make one. The zero value
// means no answer.
type Answer struct {
	kind jobboard.QuestionType
	text string
	yes  bool
}

// YesNo returns an answer to a [jobboard.QuestionYesNo]. [FindYesNo] finds which of the question's
// answers means yes and which no.
func YesNo(yes bool) Answer { return Answer{kind: jobboard.QuestionYesNo, yes: yes} }

// Text returns an answer to a [jobboard.QuestionText] or a [jobboard.QuestionTextArea]. A text of
// nothing but white space counts as no answer.
func Text(text string) Answer { return Answer{kind: jobboard.QuestionText, text: text} }

// Catalog returns an answer to a [jobboard.QuestionCatalog] or a [jobboard.QuestionYesNo]: id is the
// identifier of one of the question's answers. An empty identifier counts as no answer.
func Catalog(id string) Answer { return Answer{kind: jobboard.QuestionCatalog, text: id} }

func (a Answer) given() bool {
	return a.kind == jobboard.QuestionYesNo || strings.TrimSpace(a.text) != ""
}

// AnswerTo returns the answer that the value of a form's field gives to q. For a
// jobboard.QuestionYesNo or a jobboard.QuestionCatalog the value is the identifier of one of the
// question's answers; for every other type, known or not, it is text. [FromForm] reads a whole form.
func AnswerTo(q jobboard.Question, value string) Answer {
	switch q.Type {
	case jobboard.QuestionYesNo, jobboard.QuestionCatalog:
		return Catalog(value)
	}
	return Text(value)
}

// FindYesNo returns the answer of q that means yes and the one that means no. Identifiers decide
// first: if a question has both, 2900101 means yes and 2900100 means no, whatever the labels.
// Otherwise labels decide, if exactly one is the word for yes and exactly one the word for no in a
// European language, Arabic, Chinese or Japanese. The order of the answers never decides: FindYesNo
// reports false if neither rule applies, because a guess could turn an applicant's yes into a no.
func FindYesNo(q jobboard.Question) (yes, no jobboard.IDLabel, ok bool) {
	has := func(id string) func(jobboard.IDLabel) bool {
		return func(a jobboard.IDLabel) bool { return a.ID == id }
	}
	says := func(words string) func(jobboard.IDLabel) bool {
		return func(a jobboard.IDLabel) bool {
			label := strings.ToLower(strings.Trim(a.Label, " \t\r\n\u00a0.!"))
			return label != "" && strings.Contains(words, " "+label+" ")
		}
	}
	yes, isYes := only(q.Answers, has(yesID))
	no, isNo := only(q.Answers, has(noID))
	if !isYes || !isNo {
		yes, isYes = only(q.Answers, says(yesWords))
		no, isNo = only(q.Answers, says(noWords))
	}
	if !isYes || !isNo || yes.ID == no.ID {
		return jobboard.IDLabel{}, jobboard.IDLabel{}, false
	}
	return yes, no, true
}

const (
	yesID    = "2900101"
	noID     = "2900100"
	yesWords = " yes ja oui sí sì si sim tak ano áno da да так evet igen kyllä jah jā taip ναι نعم 是 はい "
	noWords  = " no nein nee nej nei non não nie ne nu не нет ні hayır nem ei nē όχι لا 否 いいえ "
)

// only returns the answer that fits, and reports whether there is exactly one.
// Answers with the same identifier count as one.
func only(answers []jobboard.IDLabel, fits func(jobboard.IDLabel) bool) (found jobboard.IDLabel, ok bool) {
	for _, a := range answers {
		if !fits(a) || ok && a.ID == found.ID {
			continue
		}
		if ok {
			return jobboard.IDLabel{}, false
		}
		found, ok = a, true
	}
	return found, ok
}

// Answers holds the answers of one applicant. The zero value holds none.
type Answers struct {
	Questions   map[string]Answer // by the question's identifier
	Nationality string            // identifier of one of the job's nationalities; empty: none given
}

// Rules hold the caller's own rules for answers, beside those of the job. The zero value demands
// an answer to every question, sets texts no limit, and lets the nationality be
// left out.
type Rules struct {
	// Optional reports whether a question may stay without an answer; nil: no
	// question may.
	Optional func(jobboard.Question) bool
	// MaxText and MaxTextArea limit the characters of an answer to a
	// jobboard.QuestionText and a jobboard.QuestionTextArea; 0: no limit. A Unicode code point
	// counts as one character, and so does the end of a line, also as CR LF.
	// The count is never above that of maxlength in HTML.
	MaxText, MaxTextArea int
	// RequireNationality demands a nationality if the job has a list of them.
	RequireNationality bool
}

// Checked holds the values to send for the answers that passed.
type Checked struct {
	// Values has, by the question's identifier, the identifier of the chosen
	// answer, or the text. It is never nil.
	Values      map[string]string
	Nationality string   // its identifier; empty: none
	Notices     []Notice // one for each question of an unknown type, in order
}

// Notice names a question whose type this library does not know. Its answer, if any, passes
// unchecked; see [Check].
type Notice struct {
	QuestionID string
	Label      string                // the service's and untrusted
	Type       jobboard.QuestionType // the type that this library does not know
}

// Message returns a sentence for people, in English.
func (n Notice) Message() string {
	return "This is a new kind of question. Its answer has not been checked."
}

// Reason names what is wrong with an answer.
type Reason string

// The reasons.
const (
	ReasonMissing            Reason = "missing"               // no answer, and the question is not optional
	ReasonUnknownQuestion    Reason = "unknown question"      // the job has no such question
	ReasonWrongKind          Reason = "wrong kind"            // such as a text given to a yes-or-no question
	ReasonNotOffered         Reason = "not offered"           // the question has no answer with that identifier
	ReasonUnclearYesNo       Reason = "unclear yes or no"     // FindYesNo cannot tell; use Catalog
	ReasonTooLong            Reason = "too long"              // longer than the caller's limit
	ReasonNationality        Reason = "nationality not known" // not in the job's list
	ReasonNationalityMissing Reason = "nationality missing"   // none, and Rules.RequireNationality
)

// Problem describes what is wrong with one answer. Each question has at most one problem.
type Problem struct {
	QuestionID string                `json:"questionId,omitempty"` // empty: the problem is the nationality
	Label      string                `json:"label,omitempty"`      // the question's text, untrusted; empty: the job has no such question
	Type       jobboard.QuestionType `json:"type,omitempty"`       // of the question; empty: the job has no such question
	Reason     Reason                `json:"reason"`
	Length     int                   `json:"length,omitempty"` // in characters, for ReasonTooLong
	Limit      int                   `json:"limit,omitempty"`  // in characters, for ReasonTooLong
}

// Message returns an English sentence to show beside the field; for other languages
// use Reason. It holds no words of the service or the applicant.
func (p Problem) Message() string {
	switch p.Reason {
	case ReasonMissing:
		return "Please answer this question."
	case ReasonUnknownQuestion:
		return "This job does not ask this question."
	case ReasonTooLong:
		return "Please use at most " + strconv.Itoa(p.Limit) + " characters. These are " + strconv.Itoa(p.Length) + "."
	case ReasonNationality:
		return "Please choose a nationality from the list."
	case ReasonNationalityMissing:
		return "Please choose a nationality."
	case ReasonNotOffered, ReasonUnclearYesNo:
		return "Please choose one of the answers."
	case ReasonWrongKind:
		switch p.Type {
		case jobboard.QuestionYesNo:
			return "Please answer yes or no."
		case jobboard.QuestionCatalog:
			return "Please choose one of the answers."
		}
		return "Please answer in words."
	}
	return "Please check this answer."
}

// Error holds all problems of an applicant's answers. errors.Is finds
// jobboard.ErrInvalidInput in it.
type Error struct {
	Problems []Problem `json:"problems"` // at least one: in the order of the questions, then unknown questions, then the nationality
}

// Error returns the first five problems, each with its question and its reason.
// It holds no part of the answers.
func (e *Error) Error() string {
	const shown = 5
	var b strings.Builder
	b.WriteString("prescreen: " + jobboard.ErrInvalidInput.Error())
	for i, p := range e.Problems {
		switch {
		case i == shown:
			b.WriteString("; and " + strconv.Itoa(len(e.Problems)-shown) + " more")
			return b.String()
		case p.ofNationality():
			b.WriteString("; " + string(p.Reason))
		default:
			b.WriteString("; question " + strconv.Quote(redact.Clean(p.QuestionID, 40)) + ": " + string(p.Reason))
		}
	}
	return b.String()
}

// Unwrap returns jobboard.ErrInvalidInput.
func (e *Error) Unwrap() error { return jobboard.ErrInvalidInput }

// Question returns the problem of a question, for a form that shows it beside
// its field, and reports whether there is one. A nil *Error has none.
func (e *Error) Question(id string) (p Problem, ok bool) {
	return e.find(func(p Problem) bool { return !p.ofNationality() && p.QuestionID == id })
}

// Nationality returns the problem of the nationality, and reports whether there
// is one. A nil *Error has none.
func (e *Error) Nationality() (p Problem, ok bool) {
	return e.find(Problem.ofNationality)
}

func (p Problem) ofNationality() bool {
	return p.Reason == ReasonNationality || p.Reason == ReasonNationalityMissing
}

func (e *Error) find(is func(Problem) bool) (p Problem, ok bool) {
	if e == nil {
		return p, false
	}
	i := slices.IndexFunc(e.Problems, is)
	if i < 0 {
		return p, false
	}
	return e.Problems[i], true
}

// Check checks an applicant's answers against the questions and the nationalities of the job that
// info describes (2.5), and returns the values to send. Its error, an *[Error], holds all problems at
// once; the result then still holds the answers without a problem.
//
// A question of an unknown type passes with a notice, answered or not. Its text or identifier goes
// to Values unchanged. An answer of YesNo goes there only if [FindYesNo] finds its identifier;
// otherwise Values lacks the question.
//
// Questions that share an identifier count as one question with the type and label of the first and
// the answers of all.
func Check(info *jobboard.JobInformation, given Answers, rules Rules) (Checked, error) {
	checked := Checked{Values: make(map[string]string, len(given.Questions))}
	var problems []Problem
	questions := distinct(info.Questions)
	asked := make(map[string]bool, len(questions))
	for _, q := range questions {
		asked[q.ID] = true
		a, known := given.Questions[q.ID], isKnown(q.Type)
		if !known {
			checked.Notices = append(checked.Notices, Notice{q.ID, q.Label, q.Type})
		}
		if known && !a.given() && rules.Optional != nil && rules.Optional(q) {
			continue
		}
		value, p := take(q, a, rules)
		switch {
		case p.Reason == "":
			checked.Values[q.ID] = value
		case known:
			p.QuestionID, p.Label, p.Type = q.ID, q.Label, q.Type
			problems = append(problems, p)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(given.Questions)) {
		if !asked[id] {
			problems = append(problems, Problem{QuestionID: id, Reason: ReasonUnknownQuestion})
		}
	}
	if reason := checkNationality(info, given.Nationality, rules); reason != "" {
		problems = append(problems, Problem{Reason: reason})
	} else {
		checked.Nationality = given.Nationality
	}
	if problems != nil {
		return checked, &Error{problems}
	}
	return checked, nil
}

// checkNationality returns what is wrong with the nationality, or nothing.
func checkNationality(info *jobboard.JobInformation, id string, rules Rules) Reason {
	switch {
	case id == "" && rules.RequireNationality && len(info.Nationalities) > 0:
		return ReasonNationalityMissing
	case id != "" && !offers(info.Nationalities, id):
		return ReasonNationality
	}
	return ""
}

// take returns the value to send for an answer, or the problem of the answer.
func take(q jobboard.Question, a Answer, rules Rules) (value string, p Problem) {
	if !a.given() {
		return "", Problem{Reason: ReasonMissing}
	}
	if a.kind == jobboard.QuestionYesNo && (q.Type == jobboard.QuestionYesNo || !isKnown(q.Type)) {
		chosen, other, ok := FindYesNo(q)
		if !ok {
			return "", Problem{Reason: ReasonUnclearYesNo}
		}
		if !a.yes {
			chosen = other
		}
		return chosen.ID, p
	}
	if isKnown(q.Type) {
		p = problemOf(q, a, rules)
	}
	return a.text, p
}

// problemOf returns the problem of an answer of Text or Catalog. The zero value means that the answer
// passes.
func problemOf(q jobboard.Question, a Answer, rules Rules) (p Problem) {
	limit := 0
	switch {
	case a.kind == jobboard.QuestionCatalog && (q.Type == jobboard.QuestionCatalog || q.Type == jobboard.QuestionYesNo):
		if !offers(q.Answers, a.text) {
			return Problem{Reason: ReasonNotOffered}
		}
	case a.kind == jobboard.QuestionText && q.Type == jobboard.QuestionText:
		limit = rules.MaxText
	case a.kind == jobboard.QuestionText && q.Type == jobboard.QuestionTextArea:
		limit = rules.MaxTextArea
	default:
		return Problem{Reason: ReasonWrongKind}
	}
	if n := characters(a.text); limit > 0 && n > limit {
		return Problem{Reason: ReasonTooLong, Length: n, Limit: limit}
	}
	return p
}

// characters returns how many characters Rules.MaxText counts in s.
func characters(s string) int {
	return utf8.RuneCountInString(s) - strings.Count(s, "\r\n")
}

func offers(list []jobboard.IDLabel, id string) bool {
	return slices.ContainsFunc(list, func(a jobboard.IDLabel) bool { return a.ID == id })
}

func isKnown(t jobboard.QuestionType) bool {
	switch t {
	case jobboard.QuestionYesNo, jobboard.QuestionText, jobboard.QuestionTextArea, jobboard.QuestionCatalog:
		return true
	}
	return false
}

// distinct merges questions that share an identifier.
func distinct(questions []jobboard.Question) []jobboard.Question {
	at := make(map[string]int, len(questions))
	var list []jobboard.Question
	for _, q := range questions {
		i, again := at[q.ID]
		if !again {
			at[q.ID] = len(list)
			list = append(list, q)
			continue
		}
		list[i].Answers = slices.Concat(list[i].Answers, q.Answers)
	}
	return list
}
