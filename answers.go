package jobboard

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Answer is an answer to a prescreening question (2.5), made by one of the
// functions below. The zero value is no answer.
type Answer struct {
	kind QuestionType
	text string
	yes  bool
}

// AnswerYesNo answers a [QuestionYesNo]. Which of the question's answers that
// is says [Question.YesNo].
func AnswerYesNo(yes bool) Answer { return Answer{kind: QuestionYesNo, yes: yes} }

// AnswerText answers a [QuestionText]. Text of nothing but white space is no
// answer.
func AnswerText(text string) Answer { return Answer{kind: QuestionText, text: text} }

// AnswerTextArea answers a [QuestionTextArea]. Text of nothing but white space
// is no answer.
func AnswerTextArea(text string) Answer { return Answer{kind: QuestionTextArea, text: text} }

// AnswerCatalog answers a [QuestionCatalog] with the identifier of one of its
// answers, and likewise a [QuestionYesNo]. An empty identifier is no answer.
func AnswerCatalog(id string) Answer { return Answer{kind: QuestionCatalog, text: id} }

func (a Answer) given() bool {
	return a.kind == QuestionYesNo || strings.TrimSpace(a.text) != ""
}

// FormAnswer is the answer that the value of a form's field gives to q: the
// identifier of one of its answers where it has a list of them by its type,
// else text. A question of another type than the four takes text.
func (q Question) FormAnswer(value string) Answer {
	switch q.Type {
	case QuestionYesNo, QuestionCatalog:
		return AnswerCatalog(value)
	case QuestionTextArea:
		return AnswerTextArea(value)
	}
	return AnswerText(value)
}

// YesNo says which of the answers is yes and which is no. Identifiers decide:
// 2900101 is yes and 2900100 is no where a question has both, whatever the
// labels. Else labels do, where exactly one of them is the word for yes, and
// exactly one the word for no, in a language of Europe, Arabic, Chinese or
// Japanese. Their order says nothing: where neither helps, it is not ok, and
// nobody's yes is turned into a no by a guess.
func (q Question) YesNo() (yes, no IDLabel, ok bool) {
	if yes, ok := only(q.Answers, func(a IDLabel) bool { return a.ID == yesID }); ok {
		if no, ok := only(q.Answers, func(a IDLabel) bool { return a.ID == noID }); ok {
			return yes, no, true
		}
	}
	says := func(words string) func(IDLabel) bool {
		return func(a IDLabel) bool {
			label := strings.ToLower(strings.Trim(a.Label, " \t\r\n\u00a0.!"))
			return label != "" && strings.Contains(words, " "+label+" ")
		}
	}
	if yes, ok := only(q.Answers, says(yesWords)); ok {
		if no, ok := only(q.Answers, says(noWords)); ok && yes.ID != no.ID {
			return yes, no, true
		}
	}
	return IDLabel{}, IDLabel{}, false
}

const (
	yesID    = "2900101"
	noID     = "2900100"
	yesWords = " yes ja oui sí sì si sim tak ano áno da да так evet igen kyllä jah jā taip ναι نعم 是 はい "
	noWords  = " no nein nee nej nei non não nie ne nu не нет ні hayır nem ei nē όχι لا 否 いいえ "
)

// only finds the answer that fits, if there is exactly one; repeats of an
// identifier are one.
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

// Answers are what an applicant fills in. The zero value is nothing.
type Answers struct {
	Questions   map[string]Answer // by the question's identifier
	Nationality string            // identifier of one of JobInformation.Nationalities; empty: none given
}

// AnswerRules are the caller's part of what is asked of answers. With the zero
// value every question must be answered, texts are as long as one likes, and a
// nationality may be left out.
type AnswerRules struct {
	// Optional says which questions may stay without an answer; nil: none.
	Optional func(Question) bool
	// MaxText and MaxTextArea are how many characters an answer to a
	// QuestionText and a QuestionTextArea may have; 0: no limit. A character is
	// a Unicode code point, and a line's end is one, also as CR LF. That is
	// never more than what maxlength of HTML counts.
	MaxText, MaxTextArea int
	// RequireNationality asks for one where the job has a list of them.
	RequireNationality bool
}

// CheckedAnswers are what to send for the answers that are in order.
type CheckedAnswers struct {
	// Values has, by the question's identifier, the identifier of the chosen
	// answer, or the text. It is never nil.
	Values      map[string]string
	Nationality string         // its identifier; empty: none
	Notices     []AnswerNotice // of questions that could not be checked, in their order
}

// AnswerNotice is about a question of a type that this library does not know.
// Its answer, if any, passes as it is.
type AnswerNotice struct {
	QuestionID string
	Label      string       // the service's and untrusted
	Type       QuestionType // the one that is not known
}

// Text is a sentence for people, in English.
func (n AnswerNotice) Text() string {
	return "This is a new kind of question. Its answer has not been checked."
}

// AnswerReason says what is wrong with an answer.
type AnswerReason string

// The reasons.
const (
	ReasonMissing            AnswerReason = "missing"               // no answer, and the question is not optional
	ReasonUnknownQuestion    AnswerReason = "unknown question"      // the job has no such question
	ReasonWrongKind          AnswerReason = "wrong kind"            // such as text where one of two is asked for
	ReasonNotOffered         AnswerReason = "not offered"           // the question has no answer with that identifier
	ReasonUnclearYesNo       AnswerReason = "unclear yes or no"     // Question.YesNo does not know; AnswerCatalog helps
	ReasonTooLong            AnswerReason = "too long"              // longer than the caller's limit
	ReasonNationality        AnswerReason = "nationality not known" // not in the job's list
	ReasonNationalityMissing AnswerReason = "nationality missing"   // none, and AnswerRules.RequireNationality
)

// AnswerProblem is what is wrong with one answer. A question has at most one.
type AnswerProblem struct {
	QuestionID string       `json:"questionId,omitempty"` // empty where it is about the nationality
	Label      string       `json:"label,omitempty"`      // the question's text, untrusted; empty where there is no such question
	Type       QuestionType `json:"type,omitempty"`       // of the question; empty likewise
	Reason     AnswerReason `json:"reason"`
	Length     int          `json:"length,omitempty"` // characters, where the reason is ReasonTooLong
	Limit      int          `json:"limit,omitempty"`  // characters, likewise
}

// Text is a sentence to show beside the field, in English; for other languages
// go by Reason. It holds nothing of the service's or the applicant's words.
func (p AnswerProblem) Text() string {
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

// AnswersError is everything that is wrong with an applicant's answers.
// errors.Is finds ErrInvalidInput in it.
type AnswersError struct {
	Problems []AnswerProblem `json:"problems"` // at least one: in the order of the questions, then unknown questions, then the nationality
}

// Error names the first questions with their reasons, and nothing of the
// answers.
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

// Unwrap gives ErrInvalidInput.
func (e *AnswersError) Unwrap() error { return ErrInvalidInput }

// Question finds the problem of a question, for a form that shows it beside
// its field. A nil *AnswersError has none.
func (e *AnswersError) Question(id string) (p AnswerProblem, ok bool) {
	return e.find(func(p AnswerProblem) bool { return !p.ofNationality() && p.QuestionID == id })
}

// Nationality finds the problem of the nationality, likewise.
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

// CheckAnswers holds an applicant's answers against the questions and the
// nationalities of the job (2.5), and gives what to send for them. Its error,
// an *AnswersError, has all problems at once; the answers without a problem are
// in the result even then.
//
// A question of a type beside the four passes with a notice, answered or not.
// Questions that share an identifier are one question: type and label are the
// first one's, and the answers of all are offered.
func (j *JobInformation) CheckAnswers(given Answers, rules AnswerRules) (CheckedAnswers, error) {
	checked := CheckedAnswers{Values: make(map[string]string, len(given.Questions))}
	var problems []AnswerProblem
	questions := distinct(j.Questions)
	asked := make(map[string]bool, len(questions))
	for _, q := range questions {
		asked[q.ID] = true
		a := given.Questions[q.ID]
		if !q.Type.known() {
			checked.Notices = append(checked.Notices, AnswerNotice{q.ID, q.Label, q.Type})
			if value, p := q.take(a, rules); p.Reason == "" && a.given() {
				checked.Values[q.ID] = value
			}
			continue
		}
		if !a.given() && rules.Optional != nil && rules.Optional(q) {
			continue
		}
		value, p := q.take(a, rules)
		if p.Reason == "" {
			checked.Values[q.ID] = value
			continue
		}
		p.QuestionID, p.Label, p.Type = q.ID, q.Label, q.Type
		problems = append(problems, p)
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

// take returns what to send for an answer, or the reason why it is none.
func (q Question) take(a Answer, rules AnswerRules) (value string, p AnswerProblem) {
	refuse := func(r AnswerReason) (string, AnswerProblem) { return "", AnswerProblem{Reason: r} }
	if !a.given() {
		return refuse(ReasonMissing)
	}
	choice := a.kind == QuestionCatalog && q.Type == QuestionYesNo // an identifier says it even better
	if q.Type.known() && a.kind != q.Type && !choice {
		return refuse(ReasonWrongKind)
	}
	switch a.kind {
	case QuestionYesNo:
		id, ok := q.choose(a.yes)
		if !ok {
			return refuse(ReasonUnclearYesNo)
		}
		return id, p
	case QuestionCatalog:
		if q.Type.known() && !offers(q.Answers, a.text) {
			return refuse(ReasonNotOffered)
		}
		return a.text, p
	case QuestionText:
		return q.takeText(a.text, rules.MaxText)
	case QuestionTextArea:
		return q.takeText(a.text, rules.MaxTextArea)
	}
	return a.text, p
}

// takeText is take for a text, which has at most limit characters; 0 means any
// number of them.
func (q Question) takeText(text string, limit int) (value string, p AnswerProblem) {
	if n := characters(text); q.Type.known() && limit > 0 && n > limit {
		return "", AnswerProblem{Reason: ReasonTooLong, Length: n, Limit: limit}
	}
	return text, p
}

// choose returns the identifier of the answer that is yes, or no.
func (q Question) choose(yes bool) (id string, ok bool) {
	yesAnswer, noAnswer, ok := q.YesNo()
	if yes {
		return yesAnswer.ID, ok
	}
	return noAnswer.ID, ok
}

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

// distinct is the questions, those with the same identifier as one.
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
