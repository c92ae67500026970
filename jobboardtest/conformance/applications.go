package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// operation is one of the two calls of an applicant.
type operation string

const (
	applied     operation = "applied"
	application operation = "application"
)

var appliedRules = slices.Concat([]rule{
	says("applied/answers", "4.2, 5, 9", "the applied check answers an applicant's user token with 200", func(p *probe) { p.answers(applied) }),
	says("applied/boolean", "4.2", "the applied check answers with a JSON boolean", appliedBoolean),
	says("applied/true", "4.2", "it is true for a job that the applicant has applied to", func(p *probe) {
		p.hasApplied("AppliedJob", p.AppliedJob, p.ApplicantToken, true)
	}),
	says("applied/false", "4.2", "it is false for a job that the applicant has not applied to", func(p *probe) {
		p.hasApplied("OpenJob", p.OpenJob, p.ApplicantToken, false)
	}),
	says("applied/withdrawn", "1, 3, 8", "it is true for a withdrawn application, which still counts", func(p *probe) {
		p.hasApplied("WithdrawnJob", p.WithdrawnJob, p.ApplicantToken, true)
	}),
	says("applied/other-applicant", "4.2, 5", "it is about the applicant whose token it is: false for another", func(p *probe) {
		if !p.lacks(p.InternalToken == "", "InternalToken") {
			p.hasApplied("AppliedJob", p.AppliedJob, p.InternalToken, false)
		}
	}),
	says("applied/internal-applicant", "7.2", "an internal applicant has access to an internal job", func(p *probe) {
		if p.lacks(p.InternalToken == "", "InternalToken") {
			return
		}
		if rs, ok := p.ask(applied, "InternalJob", p.InternalJob, bearer(p.InternalToken)); ok && rs.status != http.StatusOK {
			p.errorf("an internal applicant is answered with %s, not 200", rs)
		}
	}),
}, refusals(applied, "applied check"), rows(applied, "applied check"), []rule{
	says("applied/other-company", "7.2", "a job that the applicant cannot access, as of another company: 404 and get_project_error, the message says not accessible", func(p *probe) {
		p.coded(applied, "OtherCompanyJob", p.OtherCompanyJob, "get_project_error", "accessible")
	}),
})

var applicationRules = slices.Concat([]rule{
	says("application/answers", "4.3, 5, 9", "the application lookup answers an applicant's user token with 200", func(p *probe) { p.answers(application) }),
	says("application/plain-string", "2.4, 4.3", "the application identifier is a plain string", applicationString),
	says("application/identifier", "4.3", "it is the identifier of the applicant's application for the job", applicationIdentifier),
	says("application/stable", "2.4", "an application keeps its identifier", applicationStable),
	says("application/distinct", "2.4",
		"an identifier identifies: applications to two jobs have two", applicationDistinct),
	says("application/withdrawn", "1, 3, 8", "a withdrawn application still has its identifier", func(p *probe) {
		rs, ok := p.ask(application, "WithdrawnJob", p.WithdrawnJob, bearer(p.ApplicantToken))
		if ok && rs.status != http.StatusOK {
			p.errorf("for a job with a withdrawn application it is answered with %s, not 200", rs)
		}
	}),
	says("application/none", "7.2", "no application for this job and applicant: 404 and get_application_error", func(p *probe) {
		p.coded(application, "OpenJob", p.OpenJob, "get_application_error", "")
	}),
	says("application/other-applicant", "5, 7.2", "it is about the applicant whose token it is: 404 and get_application_error for another", func(p *probe) {
		if !p.lacks(p.InternalToken == "", "InternalToken") {
			p.codedFor(application, "AppliedJob", p.AppliedJob, p.InternalToken, "get_application_error", "")
		}
	}),
}, refusals(application, "application lookup"), rows(application, "application lookup"), []rule{
	says("application/other-company", "7.2", "get_project_error with a message that says not accessible belongs to the applied check only", applicationOtherCompany),
	changing("application/one", "1, 8", "an applicant has one application per job, also after it was withdrawn", applicationOne),
})

// refusals returns the rules about the credentials of section 5 that neither
// call takes.
func refusals(op operation, name string) []rule {
	refused := func(rule, text string, check func(*probe)) rule {
		return says(string(op)+"/"+rule, "5, 7.2", "the "+name+" "+text+" is refused with 401 or 403", check)
	}
	return []rule{
		refused("client-token", "wants a user token: a client token", func(p *probe) {
			p.refuses(op, p.ClientToken == "", "ClientToken", "a client token", bearer(p.ClientToken))
		}),
		refused("basic", "wants a user token: Basic", func(p *probe) {
			p.refuses(op, p.ClientID == "", "ClientID", "Basic", basic(p.ClientID))
		}),
		refused("no-credential", "without credential", func(p *probe) {
			p.refuses(op, false, "", "no credential", "")
		}),
		refused("unknown-token", "with a token that nobody issued", func(p *probe) {
			p.refuses(op, false, "", "a token that nobody issued", bearer(noSuch))
		}),
		refused("expired-token", "with an expired token", func(p *probe) {
			p.refuses(op, p.ExpiredToken == "", "ExpiredToken", "an expired token", bearer(p.ExpiredToken))
		}),
	}
}

// rows returns the rules of the rows of section 7.2 that both calls have.
func rows(op operation, name string) []rule {
	row := func(rule, text string, check func(*probe)) rule {
		return says(string(op)+"/"+rule, "7.2", "the "+name+" of "+text, check)
	}
	return []rule{
		row("unpublished", "a job without posting: 404 and a plain message", func(p *probe) {
			p.message(op, "UnpublishedJob", p.UnpublishedJob, http.StatusNotFound)
		}),
		row("not-accessible", "an internal job for an applicant who is not: 403 and a plain message", func(p *probe) {
			p.message(op, "InternalJob", p.InternalJob, http.StatusForbidden)
		}),
		row("inactive", "a deactivated posting: 410 and a plain message", func(p *probe) {
			p.message(op, "InactiveJob", p.InactiveJob, http.StatusGone)
		}),
		row("unknown", "an identifier without job: 404 and get_project_error, the message says not available", func(p *probe) {
			p.coded(op, "UnknownJob", p.UnknownJob, "get_project_error", "available")
		}),
	}
}

func (p *probe) jobRequest(op operation, job int64, auth string) request {
	path := fmt.Sprintf("/api/rest/v3/frontend/jobs/%d/%s", job, op)
	return request{url: p.BaseURL + path, auth: auth}
}

// gate asks once whether the operation answers the applicant at all. It gives
// what was said instead; "" also where the target has no job to ask about.
func (p *probe) gate(op operation) string {
	if said, ok := p.gates[op]; ok {
		return said
	}
	said := ""
	for _, job := range p.answeredJobs(op) {
		rs, err := p.try(p.jobRequest(op, job, bearer(p.ApplicantToken)))
		if err == nil && rs.status == http.StatusOK {
			said = ""
			break
		}
		if err != nil {
			said = err.Error()
		} else {
			said = fmt.Sprintf("it is answered with %s, not 200", rs)
		}
	}
	if p.gates == nil {
		p.gates = map[operation]string{}
	}
	p.gates[op] = said
	return said
}

func (p *probe) answeredJobs(op operation) []int64 {
	jobs := []int64{p.AppliedJob, p.WithdrawnJob}
	if op == applied {
		jobs = append(jobs, p.OpenJob)
	}
	return slices.DeleteFunc(jobs, func(id int64) bool { return id == 0 })
}

func (p *probe) answers(op operation) {
	if p.lacks(p.BaseURL == "", "BaseURL") || p.lacks(p.ApplicantToken == "", "ApplicantToken") ||
		p.lacks(len(p.answeredJobs(op)) == 0, "AppliedJob") {
		return
	}
	if said := p.gate(op); said != "" {
		p.errorf("%s", said)
	}
}

// ask asks about a job that the target tells.
func (p *probe) ask(op operation, name string, job int64, auth string) (response, bool) {
	if p.lacks(p.BaseURL == "", "BaseURL") || p.lacks(p.ApplicantToken == "", "ApplicantToken") ||
		p.lacks(job == 0, name) {
		return response{}, false
	}
	if p.gate(op) != "" {
		p.unless(string(op) + "/answers")
		return response{}, false
	}
	return p.send(p.jobRequest(op, job, auth))
}

func (p *probe) refuses(op operation, missing bool, field, what, auth string) {
	if p.lacks(missing, field) || p.lacks(len(p.answeredJobs(op)) == 0, "AppliedJob") {
		return
	}
	if rs, ok := p.ask(op, "AppliedJob", p.answeredJobs(op)[0], auth); ok && !rs.refused() {
		p.errorf("%s is answered with %s", what, rs)
	}
}

// unquote returns a plain text, which may come as a JSON string.
func unquote(b []byte) string {
	if v, err := parse(b); err == nil {
		if s, ok := v.(string); ok {
			return strings.TrimSpace(s)
		}
	}
	return strings.TrimSpace(string(b))
}

// message checks a row of section 7.2 with a plain message.
func (p *probe) message(op operation, name string, job int64, status int) {
	rs, ok := p.ask(op, name, job, bearer(p.ApplicantToken))
	if !ok {
		return
	}
	if rs.status != status {
		p.errorf("it is answered with %s, not %d", rs, status)
		return
	}
	v, err := parse(rs.body)
	_, isText := v.(string)
	switch words := unquote(rs.body); {
	case words == "":
		p.errorf("the %d has no message", status)
	case codeForm.MatchString(words):
		p.errorf("the %d has the code %q where a plain message is wanted", status, words)
	case err == nil && !isText || strings.HasPrefix(words, "<"):
		p.errorf("the %d has %s where a plain message is wanted", status, sample(rs.body))
	}
}

// codeOf reads a coded error of section 7.2; a bare code has no message.
func codeOf(b []byte) (code string, message any, err error) {
	v, _ := parse(b)
	if o, ok := v.(object); ok {
		code, ok := o["code"].(string)
		if !ok {
			return "", nil, errors.New("the JSON object has no code")
		}
		return code, o["message"], nil
	}
	if words := unquote(b); codeForm.MatchString(words) {
		return words, words, nil
	}
	return "", nil, errors.New("the body is no JSON object with code and message")
}

func (p *probe) coded(op operation, name string, job int64, code, word string) {
	p.codedFor(op, name, job, p.ApplicantToken, code, word)
}

// codedFor checks a row of section 7.2 with code and message. The word is the
// one by which the table tells two messages apart.
func (p *probe) codedFor(op operation, name string, job int64, token, code, word string) {
	rs, ok := p.ask(op, name, job, bearer(token))
	if !ok {
		return
	}
	if rs.status != http.StatusNotFound {
		p.errorf("it is answered with %s, not 404 and %s", rs, code)
		return
	}
	got, message, err := codeOf(rs.body)
	if err != nil {
		p.errorf("%v: %s", err, rs)
		return
	}
	if got != code {
		p.errorf("the code is %q, not %s", got, code)
		return
	}
	s, ok := message.(string)
	switch {
	case !ok || s == "":
		p.errorf("the message of %s is missing, or no text: %s", code, rs)
	case s == got: // bare
	case !strings.Contains(strings.ToLower(s), word):
		p.errorf("the message of %s is %q, which does not say %q", code, s, "not "+word)
	}
}

// truth reads the answer of the applied check, a quoted one too: that is for
// applied/boolean to judge.
func truth(b []byte) (value, ok bool) {
	switch unquote(b) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

func appliedBoolean(p *probe) {
	if p.lacks(len(p.answeredJobs(applied)) == 0, "AppliedJob") {
		return
	}
	for _, job := range p.answeredJobs(applied) {
		rs, _ := p.ask(applied, "AppliedJob", job, bearer(p.ApplicantToken))
		if rs.status != http.StatusOK {
			continue
		}
		if v, _ := parse(rs.body); boolean(v) != "" {
			p.errorf("for job %d the answer is %s, not true or false", job, rs)
		}
	}
}

func (p *probe) hasApplied(name string, job int64, token string, want bool) {
	rs, ok := p.ask(applied, name, job, bearer(token))
	if !ok {
		return
	}
	if rs.status != http.StatusOK {
		p.errorf("it is answered with %s, not 200", rs)
		return
	}
	switch got, ok := truth(rs.body); {
	case !ok:
		p.unless("applied/boolean")
	case got != want:
		p.errorf("for the target's %s the answer is %t, not %t", name, got, want)
	}
}

// identity reads an application identifier; bad says why it is none.
func identity(rs response) (id, bad string) {
	id = unquote(rs.body)
	v, err := parse(rs.body)
	switch v.(type) {
	case object, []any, nil, bool:
		if err == nil {
			return "", "it is " + sample(rs.body) + ", not a plain string"
		}
	}
	switch {
	case id == "":
		return "", "it is empty"
	case strings.HasPrefix(id, "<") || strings.ContainsFunc(id, controlOrSpace):
		return "", "it is " + sample(rs.body) + ", not an identifier"
	}
	return id, ""
}

func controlOrSpace(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }

// applicationID fetches an identifier for the rules about its value.
func (p *probe) applicationID(name string, job int64) (string, bool) {
	rs, ok := p.ask(application, name, job, bearer(p.ApplicantToken))
	if !ok {
		return "", false
	}
	if rs.status != http.StatusOK {
		p.errorf("for the target's %s it is answered with %s, not 200", name, rs)
		return "", false
	}
	id, bad := identity(rs)
	if bad != "" {
		p.unless("application/plain-string")
		return "", false
	}
	return id, true
}

func applicationString(p *probe) {
	rs, ok := p.ask(application, "AppliedJob", p.AppliedJob, bearer(p.ApplicantToken))
	if !ok {
		return
	}
	if rs.status != http.StatusOK {
		p.unless("application/identifier")
		return
	}
	if _, bad := identity(rs); bad != "" {
		p.errorf("%s", bad)
	}
}

func applicationIdentifier(p *probe) {
	id, ok := p.applicationID("AppliedJob", p.AppliedJob)
	if ok && p.ApplicationID != "" && id != p.ApplicationID {
		p.errorf("the identifier is %q, and the target's is %q", id, p.ApplicationID)
	}
}

func applicationStable(p *probe) {
	first, ok1 := p.applicationID("AppliedJob", p.AppliedJob)
	if !ok1 {
		return
	}
	if second, ok := p.applicationID("AppliedJob", p.AppliedJob); ok && first != second {
		p.errorf("the identifier is %q, and the next time %q", first, second)
	}
}

func applicationDistinct(p *probe) {
	one, ok := p.applicationID("AppliedJob", p.AppliedJob)
	if !ok {
		return
	}
	rs, ok := p.ask(application, "WithdrawnJob", p.WithdrawnJob, bearer(p.ApplicantToken))
	if !ok {
		return
	}
	if rs.status != http.StatusOK {
		p.unless("application/withdrawn")
		return
	}
	if other, _ := identity(rs); one == other {
		p.errorf("the applications to the jobs %d and %d have the same identifier %q", p.AppliedJob, p.WithdrawnJob, one)
	}
}

func applicationOtherCompany(p *probe) {
	rs, ok := p.ask(application, "OtherCompanyJob", p.OtherCompanyJob, bearer(p.ApplicantToken))
	if !ok {
		return
	}
	code, message, _ := codeOf(rs.body)
	words, _ := message.(string)
	if code == "get_project_error" && strings.Contains(strings.ToLower(words), "accessible") {
		p.errorf("it is answered with %s", rs)
	}
}

// applicationOne applies, applies again, withdraws and applies once more.
func applicationOne(p *probe) {
	if p.lacks(p.BaseURL == "", "BaseURL") || p.lacks(p.Apply == nil || p.SpareJob == 0, "Apply and SpareJob") ||
		p.lacks(p.ApplicantToken == "", "ApplicantToken") {
		return
	}
	if p.gate(application) != "" || p.gate(applied) != "" {
		p.unless("application/answers or applied/answers")
		return
	}
	first, ok := p.firstApplication()
	if !ok {
		return
	}
	var together sync.WaitGroup
	for range 8 {
		together.Go(func() { _ = p.Apply(p.ctx, p.SpareJob) }) // it may say that there is one
	}
	together.Wait()
	p.stillApplied(first, "after applying again, eight at once,")
	if p.Withdraw == nil {
		return
	}
	if err := p.Withdraw(p.ctx, p.SpareJob); err != nil {
		p.errorf("Withdraw failed: %v", err)
		return
	}
	p.stillApplied(first, "after withdrawing")
	_ = p.Apply(p.ctx, p.SpareJob)
	p.stillApplied(first, "after withdrawing and applying again")
}

// firstApplication applies to the spare job, unless that was done before, and
// returns the application's identifier.
func (p *probe) firstApplication() (id string, ok bool) {
	applyErr := p.Apply(p.ctx, p.SpareJob)
	rs, ok := p.send(p.jobRequest(application, p.SpareJob, bearer(p.ApplicantToken)))
	if !ok {
		return "", false
	}
	id, bad := identity(rs)
	switch {
	case rs.status != http.StatusOK && applyErr != nil:
		p.errorf("Apply failed (%v), and there is no application: %s", applyErr, rs)
	case rs.status != http.StatusOK:
		p.errorf("after Apply the application lookup is answered with %s, not 200", rs)
	case bad != "":
		p.unless("application/plain-string")
	default:
		return id, true
	}
	return "", false
}

// stillApplied checks that the spare job has the same application as at first.
func (p *probe) stillApplied(first, when string) {
	rs, ok := p.send(p.jobRequest(application, p.SpareJob, bearer(p.ApplicantToken)))
	if !ok {
		return
	}
	if id, bad := identity(rs); rs.status != http.StatusOK || bad != "" {
		p.errorf("%s the application lookup is answered with %s", when, rs)
	} else if id != first {
		p.errorf("%s the application is another: %q, which was %q", when, id, first)
	}
	rs, _ = p.send(p.jobRequest(applied, p.SpareJob, bearer(p.ApplicantToken)))
	if got, valid := truth(rs.body); valid && !got {
		p.errorf("%s the applied check says false", when)
	}
}
