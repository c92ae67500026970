package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// operation is one of an applicant's two calls.
type operation string

const (
	applied     operation = "applied"
	application operation = "application"
)

var appliedRules = slices.Concat([]rule{
	says("applied/answers", "4.2, 5, 9", "the applied check answers an applicant's user token with 200", answers(applied)),
	says("applied/boolean", "4.2", "the applied check answers with a JSON boolean", appliedBoolean),
	says("applied/true", "4.2", "it is true for a job that the applicant has applied to",
		hasApplied("AppliedJob", userToken, true)),
	says("applied/false", "4.2", "it is false for a job that the applicant has not applied to",
		hasApplied("OpenJob", userToken, false)),
	says("applied/withdrawn", "1, 3, 8", "it is true for a withdrawn application, which still counts",
		hasApplied("WithdrawnJob", userToken, true)),
	says("applied/other-applicant", "4.2, 5", "it is about the applicant whose token it is: false for another", hasApplied("AppliedJob", otherUser, false)),
	says("applied/internal-applicant", "7.2", "an internal applicant has access to an internal job",
		asks(applied, "InternalJob", otherUser, wants200("an internal applicant is"))),
}, refusals(applied, "applied check"), rows(applied, "applied check"), []rule{
	says("applied/other-company", "7.2", "a job that the applicant cannot access, as of another company: 404 and get_project_error, the message says not accessible",
		asks(applied, "OtherCompanyJob", userToken, wantsCode("get_project_error", "accessible"))),
})

var applicationRules = slices.Concat([]rule{
	says("application/answers", "4.3, 5, 9", "the application lookup answers an applicant's user token with 200", answers(application)),
	says("application/plain-string", "2.4, 4.3", "the application identifier is a plain string",
		asks(application, "AppliedJob", userToken, wantsString)),
	says("application/identifier", "4.3", "it is the identifier of the applicant's application for the job", applicationIdentifier),
	says("application/stable", "2.4", "an application keeps its identifier", applicationStable),
	says("application/distinct", "2.4",
		"an identifier identifies: applications to two jobs have two", applicationDistinct),
	says("application/withdrawn", "1, 3, 8", "a withdrawn application still has its identifier",
		asks(application, "WithdrawnJob", userToken, wants200("for a job with a withdrawn application it is"))),
	says("application/none", "7.2", "no application for this job and applicant: 404 and get_application_error",
		asks(application, "OpenJob", userToken, wantsCode("get_application_error", ""))),
	says("application/other-applicant", "5, 7.2", "it is about the applicant whose token it is: 404 and get_application_error for another",
		asks(application, "AppliedJob", otherUser, wantsCode("get_application_error", ""))),
}, refusals(application, "application lookup"), rows(application, "application lookup"), []rule{
	says("application/other-company", "7.2", "get_project_error with a message that says not accessible belongs to the applied check only",
		asks(application, "OtherCompanyJob", userToken, wantsNoProjectError)),
	changing("application/one", "1, 8", "an applicant has one application per job, also after it was withdrawn", applicationOne),
})

// refusals returns the rules about credentials of section 5 that both calls
// must refuse.
func refusals(op operation, name string) []rule {
	refused := func(last, text string, c credential) rule {
		text = "the " + name + " " + text + " is refused with 401 or 403"
		return refusing(says(string(op)+"/"+last, "5, 7.2", text, refuses(op, c)))
	}
	return []rule{
		refused("client-token", "wants a user token: a client token", clientToken),
		refused("basic", "wants a user token: Basic", basicClient),
		refused("no-credential", "without credential", noCredential),
		refused("unknown-token", "with a token that nobody issued", unknownToken),
		refused("expired-token", "with an expired token", expiredToken),
	}
}

// rows returns the rules for those rows of section 7.2 that apply to both
// calls.
func rows(op operation, name string) []rule {
	row := func(last, text, job string, want func(*probe, response)) rule {
		return says(string(op)+"/"+last, "7.2", "the "+name+" of "+text, asks(op, job, userToken, want))
	}
	return []rule{
		row("unpublished", "a job without posting: 404 and a plain message", "UnpublishedJob",
			wantsMessage(http.StatusNotFound)),
		row("not-accessible", "an internal job for an applicant who is not: 403 and a plain message", "InternalJob",
			wantsMessage(http.StatusForbidden)),
		row("inactive", "a deactivated posting: 410 and a plain message", "InactiveJob",
			wantsMessage(http.StatusGone)),
		row("unknown", "an identifier without job: 404 and get_project_error, the message says not available", "UnknownJob",
			wantsCode("get_project_error", "available")),
	}
}

func (op operation) line() string {
	return "GET {base_url}/api/rest/v3/frontend/jobs/{jobDbId}/" + string(op)
}

func (p *probe) jobRequest(op operation, job int64, c credential) request {
	path := fmt.Sprintf("/api/rest/v3/frontend/jobs/%d/%s", job, op)
	return request{url: p.BaseURL + path, auth: p.authorization(c), line: op.line()}
}

// gate checks once per session that the operation answers the applicant at all.
// It returns a description of the wrong answer, or "" if the answer is good or
// the target has no job to ask about.
func (p *probe) gate(op operation) string {
	if said, ok := p.gates[op]; ok {
		p.uses(op.line())
		return said
	}
	said := ""
	for _, job := range p.answeredJobs(op) {
		rs, err := p.try(p.jobRequest(op, p.job(job), userToken))
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
	p.gates[op] = said
	return said
}

// answeredJobs returns the names of those fields of the target whose jobs have an
// answer for the applicant.
func (p *probe) answeredJobs(op operation) []string {
	jobs := []string{"AppliedJob", "WithdrawnJob"}
	if op == applied {
		jobs = append(jobs, "OpenJob")
	}
	return slices.DeleteFunc(jobs, func(field string) bool { return p.job(field) == 0 })
}

// lacksAnswered skips the rule if answeredJobs is empty.
func (p *probe) lacksAnswered(op operation) bool {
	return p.without(len(p.answeredJobs(op)) == 0, "AppliedJob")
}

func answers(op operation) func(*probe) {
	return func(p *probe) {
		if p.lacks("BaseURL", "ApplicantToken") || p.lacksAnswered(op) {
			return
		}
		if said := p.gate(op); said != "" {
			p.errorf("%s", said)
		}
	}
}

// asks returns a check of the answer about the job in a field of the target.
func asks(op operation, job string, c credential, want func(*probe, response)) func(*probe) {
	return func(p *probe) {
		if rs, ok := p.ask(op, job, c); ok {
			want(p, rs)
		}
	}
}

func (p *probe) ask(op operation, job string, c credential) (response, bool) {
	if c.field != userToken.field && p.lacks(c.field) || p.lacks("BaseURL", "ApplicantToken", job) {
		return response{}, false
	}
	if p.gate(op) != "" {
		p.unless(string(op) + "/answers")
		return response{}, false
	}
	return p.send(p.jobRequest(op, p.job(job), c))
}

// wants200 checks only the status; who begins the problem's text.
func wants200(who string) func(*probe, response) {
	return func(p *probe, rs response) {
		if rs.status != http.StatusOK {
			p.errorf("%s answered with %s, not 200", who, rs)
		}
	}
}

func refuses(op operation, c credential) func(*probe) {
	return func(p *probe) {
		if p.lacks(c.field) || p.lacksAnswered(op) {
			return
		}
		if rs, ok := p.ask(op, p.answeredJobs(op)[0], c); ok && !rs.refused() {
			p.errorf("%s is answered with %s", c.name, rs)
		}
	}
}

// unquote returns a body's plain text, also if the body is a JSON string.
func unquote(b []byte) string {
	v, _ := parse(b)
	if s, ok := v.(string); ok {
		return strings.TrimSpace(s)
	}
	return strings.TrimSpace(string(b))
}

// wantsMessage checks for a status of section 7.2 with a plain message.
func wantsMessage(status int) func(*probe, response) {
	return func(p *probe, rs response) {
		if rs.status != status {
			p.errorf("it is answered with %s, not %s", rs, strconv.Itoa(status))
			return
		}
		v, err := parse(rs.body)
		_, isText := v.(string)
		switch words := unquote(rs.body); {
		case words == "":
			p.errorf("the %s has no message", strconv.Itoa(status))
		case codeForm.MatchString(words):
			p.errorf("the %s has the code %q where a plain message is wanted", strconv.Itoa(status), words)
		case err == nil && !isText || strings.HasPrefix(words, "<"):
			p.errorf("the %s has %s where a plain message is wanted", strconv.Itoa(status), sample(rs.body))
		}
	}
}

// codeOf reads a coded error of section 7.2. If the body is a bare code,
// message is nil.
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

// wantsCode checks for 404 with a code and a message that contains word. By this
// word section 7.2 distinguishes two messages.
func wantsCode(code, word string) func(*probe, response) {
	return func(p *probe, rs response) {
		if rs.status != http.StatusNotFound {
			p.errorf("it is answered with %s, not 404 and %s", rs, code)
			return
		}
		got, message, err := codeOf(rs.body)
		words, isText := message.(string)
		switch {
		case err != nil:
			p.errorf("%s: %s", err.Error(), rs)
		case got != code:
			p.errorf("the code is %q, not %s", got, code)
		case !isText || words == "":
			p.errorf("the message of %s is missing, or no text: %s", code, rs)
		case words == got: // bare
		case !strings.Contains(strings.ToLower(words), word):
			p.errorf("the message of %s is %q, which does not say %q", code, words, "not "+word)
		}
	}
}

// truth reads the answer of the applied check, quoted or not: the rule
// applied/boolean judges the form.
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
	if p.lacksAnswered(applied) {
		return
	}
	for _, job := range p.answeredJobs(applied) {
		rs, _ := p.ask(applied, job, userToken)
		if rs.status != http.StatusOK {
			continue
		}
		if v, _ := parse(rs.body); boolean(v) != "" {
			p.errorf("for job %d the answer is %s, not true or false", p.job(job), rs)
		}
	}
}

func hasApplied(job string, c credential, want bool) func(*probe) {
	return asks(applied, job, c, func(p *probe, rs response) {
		if rs.status != http.StatusOK {
			p.errorf("it is answered with %s, not 200", rs)
			return
		}
		switch got, ok := truth(rs.body); {
		case !ok:
			p.unless("applied/boolean")
		case got != want:
			p.errorf("for the target's %s the answer is %t, not %t", job, got, want)
		}
	})
}

// identity reads an application identifier; bad says why the body is not an
// identifier.
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

// applicationID fetches the identifier of the application to AppliedJob, for the
// rules about its value.
func (p *probe) applicationID() (string, bool) {
	rs, ok := p.ask(application, "AppliedJob", userToken)
	if !ok {
		return "", false
	}
	if rs.status != http.StatusOK {
		p.errorf("for the target's AppliedJob it is answered with %s, not 200", rs)
		return "", false
	}
	id, bad := identity(rs)
	if bad != "" {
		p.unless("application/plain-string")
		return "", false
	}
	return id, true
}

func wantsString(p *probe, rs response) {
	if rs.status != http.StatusOK {
		p.unless("application/identifier")
		return
	}
	if _, bad := identity(rs); bad != "" {
		p.errorf("%s", bad)
	} else if v, _ := parse(rs.body); text(v) == "" {
		p.errorf("it is %s, a JSON string, not a plain string", sample(rs.body))
	}
}

func applicationIdentifier(p *probe) {
	id, ok := p.applicationID()
	if ok && p.ApplicationID != "" && id != p.ApplicationID {
		p.errorf("the identifier is %q, and the target's is %q", id, p.ApplicationID)
	}
}

func applicationStable(p *probe) {
	first, ok1 := p.applicationID()
	if !ok1 {
		return
	}
	if second, ok := p.applicationID(); ok && first != second {
		p.errorf("the identifier is %q, and the next time %q", first, second)
	}
}

func applicationDistinct(p *probe) {
	one, ok := p.applicationID()
	if !ok {
		return
	}
	rs, ok := p.ask(application, "WithdrawnJob", userToken)
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

// wantsNoProjectError checks that the lookup does not answer get_project_error,
// which belongs to the applied check.
func wantsNoProjectError(p *probe, rs response) {
	code, message, _ := codeOf(rs.body)
	words, _ := message.(string)
	if code == "get_project_error" && strings.Contains(strings.ToLower(words), "accessible") {
		p.errorf("it is answered with %s", rs)
	}
}

// applicationOne applies, applies again, withdraws and applies once more.
func applicationOne(p *probe) {
	cannotApply := p.Apply == nil || p.SpareJob == 0
	if p.lacks("BaseURL") || p.without(cannotApply, "Apply and SpareJob") || p.lacks("ApplicantToken") {
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
		together.Go(func() { _ = p.Apply(p.ctx, p.SpareJob) }) // an error is allowed: the application exists already
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
	rs, ok := p.send(p.jobRequest(application, p.SpareJob, userToken))
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

// stillApplied checks that the application to the spare job still has its first
// identifier.
func (p *probe) stillApplied(first, when string) {
	rs, ok := p.send(p.jobRequest(application, p.SpareJob, userToken))
	if !ok {
		return
	}
	if id, bad := identity(rs); rs.status != http.StatusOK || bad != "" {
		p.errorf("%s the application lookup is answered with %s", when, rs)
	} else if id != first {
		p.errorf("%s the application is another: %q, which was %q", when, id, first)
	}
	rs, _ = p.send(p.jobRequest(applied, p.SpareJob, userToken))
	if got, valid := truth(rs.body); valid && !got {
		p.errorf("%s the applied check says false", when)
	}
}
