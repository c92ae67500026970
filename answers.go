package jobboard

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Answer holds an answer to a prescreening question (2.5). AnswerYesNo,
// AnswerText and AnswerCatalog make one. The zero value means
// no answer.
type Answer struct {
	kind QuestionType
	text string
	yes  bool
}

// AnswerYesNo returns an answer to a [QuestionYesNo]. [Question.YesNo] tells
// which of the question's answers means yes and which no.
func AnswerYesNo(yes bool) Answer { return Answer{kind: QuestionYesNo, yes: yes} }

// AnswerText returns an answer to a [QuestionText] or a [QuestionTextArea]. Text
// of nothing but white space counts as no answer.
func AnswerText(text string) Answer { return Answer{kind: QuestionText, text: text} }

// AnswerCatalog returns an answer to a [QuestionCatalog] or a [QuestionYesNo]:
// id is the identifier of one of the question's answers. An empty identifier
// counts as no answer.
func AnswerCatalog(id string) Answer { return Answer{kind: QuestionCatalog, text: id} }

func (a Answer) given() bool {
	return a.kind == QuestionYesNo || strings.TrimSpace(a.text) != ""
}

// FormAnswer returns the answer that the value of a form's field gives to q. For
// a QuestionYesNo or a QuestionCatalog the value is the identifier of one of
// its answers; for every other type, known or not, it is text.
func (q Question) FormAnswer(value string) Answer {
	switch q.Type {
	case QuestionYesNo, QuestionCatalog:
		return AnswerCatalog(value)
	}
	return AnswerText(value)
}

// YesNo returns the answer that means yes and the one that means no.
// Identifiers decide first: if a question has both, 2900101 means yes and
// 2900100 means no, whatever the labels. Otherwise labels decide, if exactly
// one is the word for yes and exactly one the word for no in a European
// language, Arabic, Chinese or Japanese. The order of the answers never
// decides: YesNo reports false if neither rule applies, because a guess could
// turn an applicant's yes into a no.
func (q Question) YesNo() (yes, no IDLabel, ok bool) {
	has := func(id string) func(IDLabel) bool {
		return func(a IDLabel) bool { return a.ID == id }
	}
	says := func(words string) func(IDLabel) bool {
		return func(a IDLabel) bool {
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
		return IDLabel{}, IDLabel{}, false
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
func only(answers []IDLabel, fits func(IDLabel) bool) (found IDLabel, ok bool) {
	for _, a := range answers {
		if !fits(a) || ok && a.ID == found.ID {
			continue
		}
		if ok {
			return IDLabel{}, false
		}
		found, ok = a, true
	}
	return found, ok
}

// Answers holds the answers of one applicant. The zero value holds none.
type Answers struct {
	Questions   map[string]Answer // by the question's identifier
	Nationality string            // identifier of one of JobInformation.Nationalities; empty: none given
}

// AnswerRules holds the caller's own rules for answers. The zero value demands
// an answer to every question, sets texts no limit, and lets the nationality be
// left out.
type AnswerRules struct {
	// Optional reports whether a question may stay without an answer; nil: no
	// question may.
	Optional func(Question) bool
	// MaxText and MaxTextArea limit the characters of an answer to a
	// QuestionText and a QuestionTextArea; 0: no limit. A Unicode code point
	// counts as one character, and so does the end of a line, also as CR LF.
	// The count is never above that of maxlength in HTML.
	MaxText, MaxTextArea int
	// RequireNationality demands a nationality if the job has a list of them.
	RequireNationality bool
}

// CheckedAnswers holds the values to send for the answers that passed.
type CheckedAnswers struct {
	// Values has, by the question's identifier, the identifier of the chosen
	// answer, or the text. It is never nil.
	Values      map[string]string
	Nationality string         // its identifier; empty: none
	Notices     []AnswerNotice // one for each question of an unknown type, in order
}

// AnswerNotice names a question whose type this library does not know. Its
// answer, if any, passes unchecked; see [JobInformation.CheckAnswers].
type AnswerNotice struct {
	QuestionID string
	Label      string       // the service's and untrusted
	Type       QuestionType // the type that this library does not know
}

// Message returns a sentence for people, in English.
func (n AnswerNotice) Message() string {
	return "This is a new kind of question. Its answer has not been checked."
}

// AnswerReason names what is wrong with an answer.
type AnswerReason string

// The reasons.
const (
	ReasonMissing            AnswerReason = "missing"               // no answer, and the question is not optional
	ReasonUnknownQuestion    AnswerReason = "unknown question"      // the job has no such question
	ReasonWrongKind          AnswerReason = "wrong kind"            // such as a text given to a yes-or-no question
	ReasonNotOffered         AnswerReason = "not offered"           // the question has no answer with that identifier
	ReasonUnclearYesNo       AnswerReason = "unclear yes or no"     // Question.YesNo cannot tell; use AnswerCatalog
	ReasonTooLong            AnswerReason = "too long"              // longer than the caller's limit
	ReasonNationality        AnswerReason = "nationality not known" // not in the job's list
	ReasonNationalityMissing AnswerReason = "nationality missing"   // none, and AnswerRules.RequireNationality
)

// AnswerProblem describes what is wrong with one answer. Each question has at most one problem.
type AnswerProblem struct {
	QuestionID string       `json:"questionId,omitempty"` // empty: the problem is the nationality
	Label      string       `json:"label,omitempty"`      // the question's text, untrusted; empty: the job has no such question
	Type       QuestionType `json:"type,omitempty"`       // of the question; empty: the job has no such question
	Reason     AnswerReason `json:"reason"`
	Length     int          `json:"length,omitempty"` // in characters, for ReasonTooLong
	Limit      int          `json:"limit,omitempty"`  // in characters, for ReasonTooLong
}

// Message returns an English sentence to show beside the field; for other languages
// use Reason. It holds no words of the service or the applicant.
func (p AnswerProblem) Message() string {
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
		case QuestionYesNo:
			return "Please answer yes or no."
		case QuestionCatalog:
			return "Please choose one of the answers."
		}
		return "Please answer in words."
	}
	return "Please check this answer."
}

// AnswersError holds all problems of an applicant's answers. errors.Is finds
// ErrInvalidInput in it.
type AnswersError struct {
	Problems []AnswerProblem `json:"problems"` // at least one: in the order of the questions, then unknown questions, then the nationality
}

// Error returns the first five problems, each with its question and its reason.
// It holds no part of the answers.
func (e *AnswersError) Error() string {
	const shown = 5
	var b strings.Builder
	b.WriteString("jobboard: answers: " + ErrInvalidInput.Error())
	for i, p := range e.Problems {
		switch {
		case i == shown:
			b.WriteString("; and " + strconv.Itoa(len(e.Problems)-shown) + " more")
			return b.String()
		case p.ofNationality():
			b.WriteString("; " + string(p.Reason))
		default:
			b.WriteString("; question " + strconv.Quote(clean(p.QuestionID, 40)) + ": " + string(p.Reason))
		}
	}
	return b.String()
}

// Unwrap returns ErrInvalidInput.
func (e *AnswersError) Unwrap() error { return ErrInvalidInput }

// Question returns the problem of a question, for a form that shows it beside
// its field, and reports whether there is one. A nil *AnswersError has none.
func (e *AnswersError) Question(id string) (p AnswerProblem, ok bool) {
	return e.find(func(p AnswerProblem) bool { return !p.ofNationality() && p.QuestionID == id })
}

// Nationality returns the problem of the nationality, and reports whether there
// is one. A nil *AnswersError has none.
func (e *AnswersError) Nationality() (p AnswerProblem, ok bool) {
	return e.find(AnswerProblem.ofNationality)
}

func (p AnswerProblem) ofNationality() bool {
	return p.Reason == ReasonNationality || p.Reason == ReasonNationalityMissing
}

func (e *AnswersError) find(is func(AnswerProblem) bool) (p AnswerProblem, ok bool) {
	if e == nil {
		return p, false
	}
	i := slices.IndexFunc(e.Problems, is)
	if i < 0 {
		return p, false
	}
	return e.Problems[i], true
}

// CheckAnswers checks an applicant's answers against the questions and the
// nationalities of the job (2.5), and returns the values to send. Its error, an
// *AnswersError, holds all problems at once; the result then still holds the
// answers without a problem.
//
// A question of an unknown type passes with a notice, answered or not. Its text or identifier goes
// to Values unchanged. An AnswerYesNo goes there only if [Question.YesNo] finds its identifier;
// otherwise Values lacks the question.
//
// Questions that share an identifier count as one question with the type and label of the first and
// the answers of all.
func (j *JobInformation) CheckAnswers(given Answers, rules AnswerRules) (CheckedAnswers, error) {
	checked := CheckedAnswers{Values: make(map[string]string, len(given.Questions))}
	var problems []AnswerProblem
	questions := distinct(j.Questions)
	asked := make(map[string]bool, len(questions))
	for _, q := range questions {
		asked[q.ID] = true
		a, known := given.Questions[q.ID], q.Type.known()
		if !known {
			checked.Notices = append(checked.Notices, AnswerNotice{q.ID, q.Label, q.Type})
		}
		if known && !a.given() && rules.Optional != nil && rules.Optional(q) {
			continue
		}
		value, p := q.take(a, rules)
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
			problems = append(problems, AnswerProblem{QuestionID: id, Reason: ReasonUnknownQuestion})
		}
	}
	if reason := j.checkNationality(given.Nationality, rules); reason != "" {
		problems = append(problems, AnswerProblem{Reason: reason})
	} else {
		checked.Nationality = given.Nationality
	}
	if problems != nil {
		return checked, &AnswersError{problems}
	}
	return checked, nil
}

// checkNationality returns what is wrong with the nationality, or nothing.
func (j *JobInformation) checkNationality(id string, rules AnswerRules) AnswerReason {
	switch {
	case id == "" && rules.RequireNationality && len(j.Nationalities) > 0:
		return ReasonNationalityMissing
	case id != "" && !offers(j.Nationalities, id):
		return ReasonNationality
	}
	return ""
}

// take returns the value to send for an answer, or the problem of the answer.
func (q Question) take(a Answer, rules AnswerRules) (value string, p AnswerProblem) {
	if !a.given() {
		return "", AnswerProblem{Reason: ReasonMissing}
	}
	if a.kind == QuestionYesNo && (q.Type == QuestionYesNo || !q.Type.known()) {
		chosen, other, ok := q.YesNo()
		if !ok {
			return "", AnswerProblem{Reason: ReasonUnclearYesNo}
		}
		if !a.yes {
			chosen = other
		}
		return chosen.ID, p
	}
	if q.Type.known() {
		p = q.check(a, rules)
	}
	return a.text, p
}

// check returns the problem of an AnswerText or AnswerCatalog. The zero value means that the answer
// passes.
func (q Question) check(a Answer, rules AnswerRules) (p AnswerProblem) {
	limit := 0
	switch {
	case a.kind == QuestionCatalog && (q.Type == QuestionCatalog || q.Type == QuestionYesNo):
		if !offers(q.Answers, a.text) {
			return AnswerProblem{Reason: ReasonNotOffered}
		}
	case a.kind == QuestionText && q.Type == QuestionText:
		limit = rules.MaxText
	case a.kind == QuestionText && q.Type == QuestionTextArea:
		limit = rules.MaxTextArea
	default:
		return AnswerProblem{Reason: ReasonWrongKind}
	}
	if n := characters(a.text); limit > 0 && n > limit {
		return AnswerProblem{Reason: ReasonTooLong, Length: n, Limit: limit}
	}
	return p
}

// characters returns how many characters AnswerRules.MaxText counts in s.
func characters(s string) int {
	return utf8.RuneCountInString(s) - strings.Count(s, "\r\n")
}

func offers(list []IDLabel, id string) bool {
	return slices.ContainsFunc(list, func(a IDLabel) bool { return a.ID == id })
}

func (t QuestionType) known() bool {
	switch t {
	case QuestionYesNo, QuestionText, QuestionTextArea, QuestionCatalog:
		return true
	}
	return false
}

// distinct merges questions that share an identifier.
func distinct(questions []Question) []Question {
	at := make(map[string]int, len(questions))
	var list []Question
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
