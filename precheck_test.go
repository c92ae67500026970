package jobboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// sourceSays holds the answer of one source.
type sourceSays struct {
	status int
	body   string
}

// What the sources can say (4.2 to 4.4, 7.2, 7.3).
var (
	infoOpen      = sourceSays{200, `{"jobId":4711,"jobTitle":"Nurse","applyPossible":true}`}
	infoClosed    = sourceSays{200, `{"jobId":4711,"jobTitle":"Nurse","applyPossible":false}`}
	infoInactive  = sourceSays{404, `{"errorCode":"ERROR_JOB_INACTIVE"}`}
	infoGone      = sourceSays{404, `{"errorCode":"ERROR_JOB_UNAVAILABLE"}`}
	infoNoPosting = sourceSays{200, `ERROR_POSTING_UNAVAILABLE`}

	saysApplied    = sourceSays{200, `true`}
	saysNotApplied = sourceSays{200, `false`}

	saysApplication   = sourceSays{200, `70000006c-99b5-45g-arh-b59exxx4a46`}
	saysNoApplication = sourceSays{404, `{"code":"get_application_error","message":"none for job 4711"}`}

	saysNoPosting    = sourceSays{404, `JobPosting not found for jobId 4711`}
	saysHidden       = sourceSays{403, `JobPosting not accessible for jobId 4711`}
	saysInactive     = sourceSays{410, `JobPosting inactive for jobId 4711`}
	saysNoProject    = sourceSays{404, `{"code":"get_project_error","message":"Project for jobId 4711 not available"}`}
	saysOtherCompany = sourceSays{404, `{"code":"get_project_error","message":"Project for jobId 4711 not accessible"}`}
	saysBroken       = sourceSays{503, ``}
	saysUnauthorized = sourceSays{401, `{"error":"invalid_token"}`}
	saysWrongAddress = sourceSays{404, `404 page not found`}
	saysNull         = sourceSays{200, `null`}
)

// threeSources answers from memory: the information, the applied check, the
// application lookup. later is how much later than the others the information
// answers (below 0: how much earlier). asked counts requests.
type threeSources struct {
	information, applied, application sourceSays
	later                             time.Duration
	asked                             *atomic.Int32
}

func (b threeSources) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.asked != nil {
		b.asked.Add(1)
	}
	what, wait := b.information, 20*time.Second+b.later
	switch {
	case strings.HasSuffix(r.URL.Path, "/applied"):
		what, wait = b.applied, 20*time.Second
	case strings.HasSuffix(r.URL.Path, "/application"):
		what, wait = b.application, time.Second
	}
	if b.later != 0 {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return &http.Response{
		StatusCode: what.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(what.body)), Request: r,
	}, nil
}

func (b threeSources) applicant(tb testing.TB) *jobboard.Applicant {
	tb.Helper()
	c := rig.Client(tb, jobboard.Config{
		BaseURL: "https://board.example.com", JobDBURL: "https://jobs.example.com",
		HTTPClient: &http.Client{Transport: b},
		Retry:      jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: time.Hour},
	})
	return c.Applicant(jobboard.StaticToken("secret-of-the-applicant"))
}

// What each source says of the job on its own. A source that is not here says
// nothing.
var (
	fromInformation = map[sourceSays]jobboard.Decision{
		infoClosed: jobboard.DecisionClosed, infoInactive: jobboard.DecisionClosed,
		infoGone: jobboard.DecisionNotFound,
	}
	fromApplicant = map[sourceSays]jobboard.Decision{
		saysApplied: jobboard.DecisionAlreadyApplied, saysApplication: jobboard.DecisionAlreadyApplied,
		saysHidden: jobboard.DecisionNotVisible, saysOtherCompany: jobboard.DecisionNotVisible,
		saysNoPosting: jobboard.DecisionNotFound, saysNoProject: jobboard.DecisionNotFound, saysInactive: jobboard.DecisionClosed,
	}
)

// Whatever the sources say together, and whichever is first: both are waited for, each field has its
// source's answer, and the first row decides. "may apply" takes the word of both.
func TestPrecheckOfEveryCombination(t *testing.T) {
	informations := []sourceSays{infoOpen, infoClosed, infoInactive, infoGone, infoNoPosting, saysBroken}
	checks := []sourceSays{
		saysApplied, saysNotApplied, saysNoPosting, saysHidden, saysInactive, saysNoProject, saysOtherCompany,
		saysBroken, saysUnauthorized, saysWrongAddress, saysNull,
	}
	lookups := []sourceSays{
		saysApplication, saysNoApplication, saysNoPosting, saysHidden, saysInactive, saysNoProject, saysBroken, saysUnauthorized,
	}
	for _, information := range informations {
		for _, check := range checks {
			for _, lookup := range lookups {
				var results []string
				for _, later := range []time.Duration{-10 * time.Second, 10 * time.Second} {
					b := threeSources{information, check, lookup, later, new(atomic.Int32)}
					synctest.Test(t, func(t *testing.T) { results = append(results, checkPrecheck(t, b)) })
				}
				if results[0] != results[1] {
					t.Errorf("the order of the answers matters:\n%s\n%s", results[0], results[1])
				}
			}
		}
	}
}

// rowOf orders the decisions as the rows of Precheck do; DecisionUnknown is last.
var rowOf = map[jobboard.Decision]int{
	jobboard.DecisionAlreadyApplied: 1, jobboard.DecisionNotVisible: 2, jobboard.DecisionNotFound: 3, jobboard.DecisionClosed: 4,
	jobboard.DecisionMayApply: 5, jobboard.DecisionUnknown: 6,
}

// checkPrecheck returns the result as a text.
func checkPrecheck(t *testing.T, b threeSources) string {
	t.Helper()
	failed := b.applied == saysBroken || b.applied == saysWrongAddress || b.applied == saysNull
	ofJob, ofApplicant := fromInformation[b.information], fromApplicant[b.applied]
	infoAt, at := 20*time.Second+b.later, 20*time.Second
	if failed {
		ofApplicant, at = fromApplicant[b.application], at+time.Second
	}
	at = max(at, infoAt) // the slower of both
	want := ofJob
	if rowOf[ofApplicant] < rowOf[want] {
		want = ofApplicant
	}
	if want == jobboard.DecisionUnknown && b.information == infoOpen && b.applied == saysNotApplied {
		want = jobboard.DecisionMayApply
	}

	start := time.Now()
	p, err := b.applicant(t).Precheck(t.Context(), 4711)
	if took := time.Since(start); p.Decision != want || took != at || p.Job != 4711 {
		t.Errorf("%v: %q of job %d after %v, want %q after %v", b, p.Decision, p.Job, took, want, at)
	}
	if (err != nil) != (want == jobboard.DecisionUnknown) {
		t.Errorf("%v: the error is %v for %q", b, err, p.Decision)
	}
	if want == jobboard.DecisionUnknown && b.applied == saysUnauthorized && !errors.Is(err, jobboard.ErrUnauthorized) {
		t.Errorf("%v: the error is %v", b, err)
	}
	if sent := b.asked.Load(); sent != map[bool]int32{false: 2, true: 3}[failed] {
		t.Errorf("%v: %d requests", b, sent)
	}
	if known := b.information == infoOpen || b.information == infoClosed; known != (p.Information != nil) {
		t.Errorf("%v: the information is %v", b, p.Information)
	}
	if p.Applied != (b.applied == saysApplied) || (p.ApplicationID != "") != (failed && b.application == saysApplication) {
		t.Errorf("%v: applied %v, application %q", b, p.Applied, p.ApplicationID)
	}
	if (p.Information == nil) != (p.InformationErr != nil) || p.Applied && p.AppliedErr != nil || p.ApplicationID != "" && p.ApplicationErr != nil {
		t.Errorf("%v: a value beside an error: %+v", b, p)
	}
	for _, err := range []error{p.InformationErr, p.AppliedErr, p.ApplicationErr} {
		if _, ok := errors.AsType[*jobboard.Error](err); err != nil && !ok {
			t.Errorf("%v: %v is no *Error", b, err)
		}
	}
	info := jobboard.JobInformation{}
	if p.Information != nil {
		info = *p.Information
	}
	p.Information = nil
	return fmt.Sprintf("%+v %+v %v", p, info, err)
}

func TestPrecheckError(t *testing.T) {
	_, err := threeSources{information: saysBroken, applied: saysWrongAddress, application: saysNoApplication}.
		applicant(t).Precheck(t.Context(), 4711)
	if !errors.Is(err, jobboard.ErrServer) || !strings.Contains(err.Error(), "HasApplied: ") || !strings.Contains(err.Error(), ": 404 Not Found") {
		t.Errorf("%v does not say what failed", err)
	}
	if errors.Is(err, jobboard.ErrApplicationNotFound) {
		t.Errorf("%v calls an answer a failure", err)
	}
}

// ERROR_POSTING_UNAVAILABLE decides nothing: the page of such a job is missing for a minute,
// and the other source's answer counts.
func TestPrecheckOfAPostingThatCannotBeFound(t *testing.T) {
	p, err := threeSources{information: infoNoPosting, applied: saysNotApplied}.applicant(t).Precheck(t.Context(), 4711)
	header := http.Header{}
	jobboard.SetRetryAfter(header, err)
	if p.Decision != jobboard.DecisionUnknown || jobboard.HTTPStatus(err) != 503 || header.Get("Retry-After") != "60" {
		t.Errorf("%q, %v: %d, Retry-After %q", p.Decision, err, jobboard.HTTPStatus(err), header.Get("Retry-After"))
	}
	if p, err := (threeSources{information: infoNoPosting, applied: saysNoProject}).applicant(t).Precheck(t.Context(), 4711); err != nil ||
		p.Decision != jobboard.DecisionNotFound {
		t.Errorf("%q, %v", p.Decision, err)
	}
}

// What cannot be sent is a result, too.
func TestPrecheckOfUnusableInput(t *testing.T) {
	p, err := threeSources{}.applicant(t).Precheck(t.Context(), 0)
	if p.Decision != jobboard.DecisionUnknown || !errors.Is(err, jobboard.ErrInvalidInput) {
		t.Errorf("%q, %v", p.Decision, err)
	}
	for _, cfg := range []jobboard.Config{{BaseURL: "https://board.example.com"}, {JobDBURL: "https://jobs.example.com"}} {
		cfg.HTTPClient = &http.Client{Transport: threeSources{information: infoOpen, applied: saysNotApplied}}
		c := rig.Client(t, cfg)
		p, err := c.Applicant(jobboard.StaticToken("token")).Precheck(t.Context(), 4711)
		if p.Decision != jobboard.DecisionUnknown || !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Errorf("%q, %v", p.Decision, err)
		}
	}
}

// JSON has the decision in words and the answers, and nothing of an error: no credential, no body.
func TestPrecheckJSON(t *testing.T) {
	secretive := sourceSays{401, `{"error":"invalid_token","error_description":"secret-of-the-applicant"}`}
	for want, b := range map[string]threeSources{
		`{"job":4711,"decision":"may apply","information":{"jobId":4711,"jobTitle":"Nurse","jobLanguage":"","applyPossible":true,` +
			`"dataSecurityLink":"","questions":[],"nationalities":[],"timestamp":null,"companyName":"","companyId":"",` +
			`"location":{"geoLat":"","geoLong":"","geoName":"","geoCountry":"","geoState":"","geoCity":"","geoZip":"","geoStreet":""},` +
			`"additionalLocations":[]},"applied":false}`: {information: infoOpen, applied: saysNotApplied},
		`{"job":4711,"decision":"already applied","applied":false,"applicationId":"70000006c-99b5-45g-arh-b59exxx4a46"}`: {
			information: saysBroken, applied: saysNull, application: saysApplication,
		},
		`{"job":4711,"decision":"unknown","applied":false}`: {information: saysBroken, applied: secretive},
	} {
		p, _ := b.applicant(t).Precheck(t.Context(), 4711)
		if got, err := json.Marshal(p); err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
		var logged bytes.Buffer
		slog.New(slog.NewJSONHandler(&logged, nil)).Info("checked", "result", p, "decision", p.Decision)
		if all := logged.String() + fmt.Sprintf("%v %+v %#v", p, p, p.Decision); strings.Contains(all, "secret-of") ||
			!strings.Contains(all, `"decision":"`+p.Decision.String()+`"`) {
			t.Errorf("printed as %s", all)
		}
	}
}

func TestDecisionString(t *testing.T) {
	seen := map[string]bool{}
	for d := jobboard.DecisionUnknown; d <= jobboard.DecisionNotFound; d++ {
		if s := d.String(); s == "" || seen[s] {
			t.Errorf("decision %d is %q", int(d), s)
		} else {
			seen[s] = true
		}
		if text, err := d.MarshalText(); err != nil || string(text) != d.String() {
			t.Errorf("decision %d is %q in texts, %v", int(d), text, err)
		}
	}
	if got := jobboard.Decision(-1).String() + jobboard.Decision(6).String(); got != "Decision(-1)Decision(6)" {
		t.Error(got)
	}
}

// demoApplicant is the demo's applicant, on a mock server without sockets.
func demoApplicant(t *testing.T) (*jobboard.Applicant, *jobboardtest.Server) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	c := rig.Client(t, jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, HTTPClient: fake.Client()})
	return c.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken)), fake
}

// A failing attempt of each is repeated, and the decision is none the worse.
func TestPrecheckRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, fake := demoApplicant(t)
		for _, op := range []jobboardtest.Operation{jobboardtest.OpJobInformation, jobboardtest.OpApplied} {
			fake.Fail(jobboardtest.Fault{Status: 503, Operation: op, Times: 2})
		}
		p, err := a.Precheck(t.Context(), jobboard.JobID(fake.Demo.OpenJob))
		if p.Decision != jobboard.DecisionMayApply || err != nil || fake.Count() != 6 {
			t.Errorf("%q after %d requests: %v", p.Decision, fake.Count(), err)
		}
	})
}

// The deadline ends the wait for a source that hangs, and what has answered until then decides: an
// error tells only of a decision that is not certain. The field of the source that hangs has its error.
func TestPrecheckWithinDeadline(t *testing.T) {
	for _, c := range []struct {
		name  string
		hangs jobboardtest.Operation
		job   func(jobboardtest.DemoInfo) int64
		want  jobboard.Decision
	}{
		{"applied, information hangs", jobboardtest.OpJobInformation, func(d jobboardtest.DemoInfo) int64 { return d.WithdrawnJob }, jobboard.DecisionAlreadyApplied},
		{"other company, information hangs", jobboardtest.OpJobInformation, func(d jobboardtest.DemoInfo) int64 { return d.OtherCompanyJob }, jobboard.DecisionNotVisible},
		{"closed, check hangs", jobboardtest.OpApplied, func(d jobboardtest.DemoInfo) int64 { return d.InactiveJob }, jobboard.DecisionClosed},
		{"gone, check hangs", jobboardtest.OpApplied, func(d jobboardtest.DemoInfo) int64 { return d.DeletedJob }, jobboard.DecisionNotFound},
		{"open, information hangs", jobboardtest.OpJobInformation, func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }, jobboard.DecisionUnknown},
		{"open, check hangs", jobboardtest.OpApplied, func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }, jobboard.DecisionUnknown},
		{"everything hangs", "", func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }, jobboard.DecisionUnknown},
	} {
		for _, end := range []jobboardtest.Break{jobboardtest.StallBefore, jobboardtest.StallBody} {
			t.Run(c.name+", "+string(end), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a, fake := demoApplicant(t)
					fake.Fail(jobboardtest.Fault{Break: end, Operation: c.hangs})
					ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
					defer cancel()
					start := time.Now()
					p, err := a.Precheck(ctx, jobboard.JobID(c.job(fake.Demo)))
					if took := time.Since(start); p.Decision != c.want || took != 3*time.Second ||
						(err == nil) != (c.want != jobboard.DecisionUnknown) {
						t.Errorf("%q after %v: %v", p.Decision, took, err)
					}
					late := func(err error) bool {
						return errors.Is(err, jobboard.ErrTimeout) && errors.Is(err, context.DeadlineExceeded)
					}
					if hangs := c.hangs != jobboardtest.OpApplied; late(p.InformationErr) != hangs {
						t.Errorf("the lookup's error is %v", p.InformationErr)
					}
					if hangs := c.hangs != jobboardtest.OpJobInformation; late(p.AppliedErr) != hangs || p.ApplicationErr != nil {
						t.Errorf("the applied check's error is %v, and then %v", p.AppliedErr, p.ApplicationErr)
					}
					if err != nil && !late(err) {
						t.Errorf("%v", err)
					}
					// The bubble fails if a goroutine of the calls stays behind.
				})
			})
		}
	}
}

func TestPrecheckCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, fake := demoApplicant(t)
		fake.Fail(jobboardtest.Fault{Delay: time.Hour, Operation: jobboardtest.OpApplied})
		fake.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpJobInformation})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(150*time.Millisecond, cancel)
		start := time.Now()
		p, err := a.Precheck(ctx, jobboard.JobID(fake.Demo.OpenJob))
		if p.Decision != jobboard.DecisionUnknown || !errors.Is(p.AppliedErr, context.Canceled) || time.Since(start) > 150*time.Millisecond {
			t.Errorf("%q after %v: %v", p.Decision, time.Since(start), err)
		}
		sent := fake.Count()
		if _, err := a.Precheck(ctx, jobboard.JobID(fake.Demo.OpenJob)); !errors.Is(err, context.Canceled) || fake.Count() != sent {
			t.Errorf("%v, %d more requests", err, fake.Count()-sent)
		}
	})
}

// A panic of the caller's own code reaches the caller, who alone can recover
// from it.
func TestPrecheckPassesPanicsOn(t *testing.T) {
	for _, where := range []string{"/applied", "/external"} {
		inBubble(t, where, func(t *testing.T) {
			c := served(t, jobboard.Config{JobDBURL: jobDB}, func(r *http.Request) *http.Response {
				if strings.HasSuffix(r.URL.Path, where) {
					panic(where)
				}
				return answer(r, 503, "")
			})
			defer func() {
				if p := recover(); p != where {
					t.Errorf("panic %v", p)
				}
			}()
			_, _ = withToken(c).Precheck(t.Context(), 1)
		})
	}
}
