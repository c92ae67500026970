package jobmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/internal/part"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp/internal/foreign"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

type jobArgs struct {
	Job string `json:"job" pattern:"^[0-9]{1,19}$" jsonschema:"identifier of the job, such as 2797227; not that of a posting"`
}

type jobInformationArgs struct {
	jobArgs
	Nationality string `json:"nationality,omitempty" max:"100" jsonschema:"list the nationalities whose name contains this text"`
}

// choice is an answer to choose from, or a nationality.
type choice struct {
	ID    string `json:"id"`
	Label string `json:"foreign_label"`
}

type question struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind" jsonschema:"how a person answers it"`
	Label   string   `json:"foreign_label"`
	Answers []choice `json:"answers,omitempty" jsonschema:"to choose from"`
	More    int      `json:"answers_left_out,omitempty" jsonschema:"number of answers left out of the list"`
}

type jobInformationResult struct {
	Tell          string     `json:"tell" jsonschema:"what to tell the person in one line"`
	Job           string     `json:"job"`
	ApplyPossible bool       `json:"apply_possible"`
	Language      string     `json:"language,omitempty" jsonschema:"of the advertisement"`
	AsOf          string     `json:"as_of,omitempty"`
	Title         string     `json:"foreign_title"`
	Company       string     `json:"foreign_company,omitempty"`
	Locations     []string   `json:"foreign_locations,omitempty"`
	Page          string     `json:"foreign_page,omitempty" jsonschema:"page of the job on this site: show it to the person"`
	Privacy       string     `json:"foreign_privacy_statement,omitempty" jsonschema:"address of the company's privacy statement"`
	Questions     []question `json:"questions"`
	LeftOut       int        `json:"questions_left_out,omitempty" jsonschema:"number of questions left out of the list, for want of room or because their identifier is invalid"`
	NationCount   int        `json:"nationalities_total" jsonschema:"number of nationalities to choose from; 0: the form asks for none"`
	Nationalities []choice   `json:"nationalities,omitempty" jsonschema:"nationalities whose name contains the requested text, 20 at most"`
}

func (s *Server) jobInformation(ctx context.Context, in jobInformationArgs) (jobInformationResult, error) {
	info, err := s.lookUp(ctx, in.Job)
	if err != nil {
		return jobInformationResult{}, err
	}
	out := jobInformationResult{
		Job: info.JobID.String(), ApplyPossible: info.ApplyPossible,
		Language: foreign.Token(info.JobLanguage), Title: foreign.Line(info.JobTitle, maxTitle),
		Company: foreign.Line(company.Of(nil, info), maxName), Locations: listed(shown.Locations(info), maxTitle),
		Page: s.page(info.JobID, info.JobTitle), Privacy: linkOf(info.DataSecurityURL()), Questions: []question{},
		NationCount: len(info.Nationalities), Nationalities: nationalities(info, in.Nationality),
	}
	if !info.Timestamp.IsZero() {
		out.AsOf = info.Timestamp.UTC().Format(time.RFC3339)
	}
	space := newRoom()
	space.takes(out.Nationalities)
	for _, f := range prescreen.Fields(info, prescreen.Answers{}, prescreen.Rules{}, nil) {
		if f.Nationality {
			continue // nationalities are a member of their own
		}
		if x := questionOf(f); x.ID != "" && len(out.Questions) < maxQuestions && space.takes(x) {
			out.Questions = append(out.Questions, x)
			continue
		}
		out.LeftOut++
	}
	out.Tell = out.summary()
	return out, nil
}

func nationalities(info *jobboard.JobInformation, text string) (found []choice) {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, n := range info.Nationalities {
		if text == "" || len(found) == maxNationList {
			break
		}
		if c, ok := choiceOf(n); ok && strings.Contains(strings.ToLower(c.Label), text) {
			found = append(found, c)
		}
	}
	return found
}

// choiceOf returns an answer to choose from. It reports false if foreign.Token refuses the
// answer's identifier.
func choiceOf(a jobboard.IDLabel) (choice, bool) {
	id := foreign.Token(a.ID)
	return choice{id, foreign.Line(a.Label, maxTitle)}, id != ""
}

// questionOf returns the question of a form's field.
func questionOf(f prescreen.Field) question {
	kind, _ := shown.Answering(f.Type)
	x := question{ID: foreign.Token(f.QuestionID), Kind: kind, Label: foreign.Line(f.Label, maxLabel)}
	for _, a := range f.Choices {
		if c, ok := choiceOf(a); ok && len(x.Answers) < maxAnswers {
			x.Answers = append(x.Answers, c)
			continue
		}
		x.More++
	}
	return x
}

type mayIApplyResult struct {
	Job         string `json:"job"`
	Decision    string `json:"decision" enum:"unknown|may apply|already applied|closed|not visible|not found"`
	Tell        string `json:"tell" jsonschema:"what to tell the person in one line"`
	Questions   int    `json:"questions,omitempty" jsonschema:"number of questions that an application must answer, unless applying is impossible"`
	Application string `json:"application,omitempty" jsonschema:"identifier of the existing application"`
	Title       string `json:"foreign_title,omitempty" jsonschema:"title of the job, if questions are told"`
	Page        string `json:"foreign_page,omitempty" jsonschema:"page of the job on this site: show it to the person"`
	Next        string `json:"next,omitempty"`
}

func (s *Server) mayIApply(ctx context.Context, in jobArgs) (mayIApplyResult, error) {
	id, err := jobboard.ParseJobID(in.Job)
	if err != nil {
		return mayIApplyResult{}, err
	}
	b, err := s.ask(ctx, NeedApplicant, 3)
	if err != nil {
		return mayIApplyResult{}, err
	}
	if b.Applicant == nil {
		return s.openForAnyone(ctx, b, id)
	}
	p, err := b.Applicant.Precheck(ctx, id)
	if p.Decision == jobboard.DecisionNotFound {
		err = s.postingMeant(ctx, id)
	}
	if err != nil {
		return mayIApplyResult{}, err
	}
	out := s.decided(id, p.Decision, p.Information)
	out.Application = foreign.Token(string(p.ApplicationID))
	return out, nil
}

// lookUp calls the job information lookup.
func (s *Server) lookUp(ctx context.Context, job string) (*jobboard.JobInformation, error) {
	id, err := jobboard.ParseJobID(job)
	if err != nil {
		return nil, err
	}
	b, err := s.ask(ctx, NeedLookup, 1)
	if err != nil {
		return nil, err
	}
	info, err := b.Client.JobInformation(ctx, id)
	if errors.Is(err, jobboard.ErrNotFound) {
		err = cmp.Or(s.postingMeant(ctx, id), err)
	}
	return info, err
}

// meantTime bounds the search of postingMeant.
const meantTime = 10 * time.Second

// postingMeant returns an error that names the right job, if the identifier of a gone job is that of a posting,
// or of a posting's version, which the channel shows to everybody. Otherwise, and if the search fails, it
// returns nil.
func (s *Server) postingMeant(ctx context.Context, id jobboard.JobID) error {
	ctx, cancel := context.WithTimeout(ctx, meantTime)
	defer cancel()
	var told sought
	from, ch, q, err := s.seek(ctx, searchArgs{}, &told)
	if err != nil {
		return nil
	}
	q.OmitConfig = append(slices.Clone(notListed), jobboard.KeyAdText)
	ctx, _ = part.Ask(ctx, part.Wanted{Posting: int64(id)})
	for p, err := range from.PostingStream(ctx, ch, q).All() {
		if err != nil {
			return nil
		}
		if int64(p.JobPostingID) != int64(id) && int64(p.PostingVersionID) != int64(id) || !p.Config.VisibleToAll() {
			continue
		}
		job, ok := p.LinkedJob()
		if !ok {
			err = fmt.Errorf("%d is a posting, not a job, and its link names no job", id)
			return &advised{err, "search for the posting's title"}
		}
		err = fmt.Errorf("%d is a posting, not a job; its job is %s", id, job)
		return &advised{err, "call the tool again with job " + job.String()}
	}
	return nil
}

// Meaning returns a sentence that explains a decision.
func Meaning(d jobboard.Decision) string { return meanings[d] }

var meanings = map[jobboard.Decision]string{
	jobboard.DecisionUnknown:        "unknown: too little answered",
	jobboard.DecisionMayApply:       "the applicant may apply",
	jobboard.DecisionAlreadyApplied: "the applicant has applied already; there is one application per job, and a withdrawn one counts",
	jobboard.DecisionClosed:         "closed: the job takes no applications",
	jobboard.DecisionNotVisible:     "not visible: the job is not for this applicant",
	jobboard.DecisionNotFound:       "not found: there is no such job, or no posting of it",
}

// decided returns the result for a decision. It includes the job's title, page and number of
// questions only if an application may follow: other decisions do not need the lookup, so info may
// be nil, and an assistant that compares two answers must not see a difference.
func (s *Server) decided(id jobboard.JobID, d jobboard.Decision, info *jobboard.JobInformation) mayIApplyResult {
	out := mayIApplyResult{Job: id.String(), Decision: d.String(), Tell: Meaning(d)}
	if d == jobboard.DecisionMayApply || d == jobboard.DecisionUnknown {
		out.Questions, out.Title = len(info.Questions), foreign.Line(info.JobTitle, maxTitle)
		out.Page = s.page(id, info.JobTitle)
	}
	return out
}

// openForAnyone returns the result without an applicant: whether the job is
// open to anybody.
func (s *Server) openForAnyone(ctx context.Context, b Board, id jobboard.JobID) (mayIApplyResult, error) {
	info, err := b.Client.JobInformation(ctx, id)
	switch {
	case errors.Is(err, jobboard.ErrNotFound):
		return s.decided(id, jobboard.DecisionNotFound, nil), s.postingMeant(ctx, id)
	case errors.Is(err, jobboard.ErrInactive):
		return s.decided(id, jobboard.DecisionClosed, nil), nil
	case err != nil:
		return mayIApplyResult{}, err
	case !info.ApplyPossible:
		return s.decided(id, jobboard.DecisionClosed, nil), nil
	}
	out := s.decided(id, jobboard.DecisionUnknown, info)
	out.Tell = "the job takes applications; whether this applicant has applied, or may see it, was not asked: no applicant's token is set"
	out.Next = s.o.SignIn
	return out, nil
}

type checkAnswersArgs struct {
	jobArgs
	Answers     map[string]string `json:"answers" max:"200" each:"20000" jsonschema:"by the question's identifier or label: the identifier or the label of one of its answers, yes or no, or text"`
	Nationality string            `json:"nationality,omitempty" max:"200" jsonschema:"identifier or label of one of the job's nationalities"`
	Optional    []string          `json:"optional_questions,omitempty" max:"200" each:"64" jsonschema:"identifiers of questions that may stay without an answer; all others must have one"`
	MaxText     int               `json:"max_text,omitempty" min:"0" max:"100000" jsonschema:"most characters of an answer of one line; 0: no limit"`
	MaxTextArea int               `json:"max_text_area,omitempty" min:"0" max:"100000" jsonschema:"most characters of an answer of several lines; 0: no limit"`
	Demand      bool              `json:"require_nationality,omitempty" jsonschema:"a nationality must be given where the job has a list of them"`
}

type answerProblem struct {
	Question string `json:"question,omitempty" jsonschema:"the question's identifier; absent if the problem is about the nationality or about no question of the job"`
	Reason   string `json:"reason"`
	Text     string `json:"text" jsonschema:"what to tell the person"`
	Label    string `json:"foreign_label,omitempty"`
	Key      string `json:"foreign_key,omitempty" jsonschema:"a key of answers that is no question of the job"`
}

type checkedAnswer struct {
	Question string `json:"question"`
	Answer   string `json:"answer,omitempty" jsonschema:"identifier of the chosen answer; absent if the answer is text"`
	Label    string `json:"foreign_label,omitempty" jsonschema:"of the question"`
	Chosen   string `json:"foreign_answer,omitempty" jsonschema:"label of the chosen answer"`
}

type checkAnswersResult struct {
	Tell          string          `json:"tell" jsonschema:"what to tell the person in one line"`
	Job           string          `json:"job"`
	ApplyPossible bool            `json:"apply_possible"`
	OK            bool            `json:"ok" jsonschema:"the answers are complete and each fits its question; nothing was sent"`
	Problems      []answerProblem `json:"problems"`
	Answers       []checkedAnswer `json:"answers" jsonschema:"answers that passed the check, if ok is true"`
	Nationality   string          `json:"nationality,omitempty" jsonschema:"identifier of the nationality that passed the check"`
	LeftOut       int             `json:"left_out,omitempty" jsonschema:"number of problems and answers left out of the lists"`
	NotChecked    []string        `json:"not_checked,omitempty" jsonschema:"questions of an unknown kind; their answers passed unchecked"`
}

func (s *Server) checkAnswers(ctx context.Context, in checkAnswersArgs) (checkAnswersResult, error) {
	info, err := s.lookUp(ctx, in.Job)
	if err != nil {
		return checkAnswersResult{}, err
	}
	out := checkAnswersResult{
		Job: info.JobID.String(), ApplyPossible: info.ApplyPossible,
		Problems: []answerProblem{}, Answers: []checkedAnswer{},
	}
	checked, err := prescreen.Check(info, given(info, in), prescreen.Rules{
		MaxText: in.MaxText, MaxTextArea: in.MaxTextArea, RequireNationality: in.Demand,
		Optional: func(q jobboard.Question) bool { return slices.Contains(in.Optional, q.ID) },
	})
	var wrong *prescreen.Error
	if err != nil && !errors.As(err, &wrong) {
		return out, err
	}
	space := newRoom()
	if wrong != nil {
		for _, p := range wrong.Problems {
			put(space, &out.Problems, problemOf(info, p), &out.LeftOut)
		}
		out.Tell = out.summary()
		return out, nil
	}
	out.OK, out.Nationality = true, foreign.Token(checked.Nationality)
	for _, q := range info.Questions {
		if value, ok := checked.Values[q.ID]; ok {
			put(space, &out.Answers, passed(q, value), &out.LeftOut)
		}
	}
	for _, n := range checked.Notices {
		if x := foreign.Token(n.QuestionID); x != "" && space.takes(x) {
			out.NotChecked = append(out.NotChecked, x)
		}
	}
	out.Tell = out.summary()
	return out, nil
}

// problemOf returns a problem of the answers as it is told. Of an answer to a question that
// the job does not ask it names the key, and the identifiers of the job's questions.
func problemOf(info *jobboard.JobInformation, p prescreen.Problem) answerProblem {
	out := answerProblem{
		Question: foreign.Token(p.QuestionID), Reason: string(p.Reason), Text: p.Message(),
		Label: foreign.Line(p.Label, maxLabel),
	}
	if p.Reason != prescreen.ReasonUnknownQuestion {
		return out
	}
	out.Key = foreign.Line(p.QuestionID, maxName)
	var known []string
	for _, q := range info.Questions[:min(len(info.Questions), maxQuestions)] {
		if id := foreign.Token(q.ID); id != "" {
			known = append(known, id)
		}
	}
	if len(known) == 0 {
		out.Text += " It asks none."
	} else {
		out.Text += " Keys are the identifiers or the labels of its questions: " + strings.Join(known, ", ") + "."
	}
	return out
}

// given converts the answers in a call to prescreen.Answers.
func given(info *jobboard.JobInformation, in checkAnswersArgs) prescreen.Answers {
	var questions []jobboard.IDLabel
	for _, q := range info.Questions {
		questions = append(questions, jobboard.IDLabel{ID: q.ID, Label: q.Label})
	}
	answers := prescreen.Answers{
		Questions: map[string]prescreen.Answer{}, Nationality: meant(info.Nationalities, in.Nationality, maxTitle),
	}
	for _, key := range slices.Sorted(maps.Keys(in.Answers)) {
		id, value := meant(questions, key, maxLabel), in.Answers[key]
		_, given := in.Answers[id]
		if _, again := answers.Questions[id]; id != key && (given || again) {
			id = key // answered twice: Check says of this key that the job does not ask it
		}
		answers.Questions[id] = prescreen.Text(value) // Check reports identifiers without a question
		for _, q := range info.Questions {
			if q.ID == id {
				answers.Questions[id] = answerTo(q, value)
			}
		}
	}
	return answers
}

// meant returns the identifier that a text means: of the choice with this identifier, or else of the only one with
// this label, in whatever case, as job_information shows it. Any other text it returns as it is.
func meant(choices []jobboard.IDLabel, text string, limit int) string {
	label, id := strings.TrimSpace(text), ""
	for _, c := range choices {
		switch {
		case c.ID == text:
			return text
		case label == "" || !strings.EqualFold(label, strings.TrimSpace(foreign.Line(c.Label, limit))):
		case id != "":
			return text // two have this label
		default:
			id = c.ID
		}
	}
	return cmp.Or(id, text)
}

// answerTo converts a text to an answer. For a yes-or-no question the texts "yes" and
// "no" are accepted, unless the text means one of the answers.
func answerTo(q jobboard.Question, value string) prescreen.Answer {
	if q.Type != jobboard.QuestionYesNo && q.Type != jobboard.QuestionCatalog {
		return prescreen.AnswerTo(q, value)
	}
	id := meant(q.Answers, value, maxTitle)
	word := strings.ToLower(strings.TrimSpace(value))
	if q.Type == jobboard.QuestionYesNo && (word == "yes" || word == "no") &&
		!slices.ContainsFunc(q.Answers, func(a jobboard.IDLabel) bool { return a.ID == id }) {
		return prescreen.YesNo(word == "yes")
	}
	return prescreen.AnswerTo(q, id)
}

func passed(q jobboard.Question, value string) checkedAnswer {
	x := checkedAnswer{Question: foreign.Token(q.ID), Label: foreign.Line(q.Label, maxTitle)}
	for _, a := range q.Answers {
		if a.ID == value {
			x.Answer, x.Chosen = foreign.Token(a.ID), foreign.Line(a.Label, maxTitle)
		}
	}
	return x
}
