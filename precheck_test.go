package jobboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// sourceSays is what one source answers.
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

// threeSources answers from memory: information, applied check, application lookup.
type threeSources struct{ information, applied, application sourceSays }

func (b threeSources) RoundTrip(r *http.Request) (*http.Response, error) {
	what := b.information
	switch {
	case strings.HasSuffix(r.URL.Path, "/applied"):
		what = b.applied
	case strings.HasSuffix(r.URL.Path, "/application"):
		what = b.application
	}
	return &http.Response{
		StatusCode: what.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(what.body)), Request: r,
	}, nil
}

func (b threeSources) applicant(tb testing.TB) *jobboard.Applicant {
	tb.Helper()
	c, err := jobboard.NewClient(jobboard.Config{
		BaseURL: "https://board.example.com", JobDBURL: "https://jobs.example.com",
		HTTPClient: &http.Client{Transport: b}, Retry: jobboard.RetryPolicy{MaxAttempts: 1},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c.Applicant(jobboard.StaticToken("secret-of-the-applicant"))
}

func TestPrecheckDecides(t *testing.T) {
	const (
		unknown    = jobboard.DecisionUnknown
		may        = jobboard.DecisionMayApply
		already    = jobboard.DecisionAlreadyApplied
		closed     = jobboard.DecisionClosed
		notVisible = jobboard.DecisionNotVisible
		gone       = jobboard.DecisionGone
	)
	for _, c := range []struct {
		name  string
		board threeSources
		want  jobboard.Decision
	}{
		{"applied", threeSources{infoOpen, saysApplied, saysApplication}, already},
		{"applied, identifier failed", threeSources{infoOpen, saysApplied, saysBroken}, already},
		{"applied, no identifier", threeSources{infoOpen, saysApplied, saysNoApplication}, already},
		{"identifier, check says false", threeSources{infoOpen, saysNotApplied, saysApplication}, already},
		{"identifier alone", threeSources{saysBroken, saysBroken, saysApplication}, already},
		{"check alone", threeSources{saysBroken, saysApplied, saysBroken}, already},
		{"applied to what closed", threeSources{infoInactive, saysApplied, saysInactive}, already},
		{"applied to what is gone", threeSources{infoGone, saysNoProject, saysApplication}, already},
		{"applied to what is hidden", threeSources{infoOpen, saysHidden, saysApplication}, already},

		{"internal", threeSources{infoOpen, saysHidden, saysHidden}, notVisible},
		{"internal says the check alone", threeSources{infoOpen, saysHidden, saysBroken}, notVisible},
		{"internal says the lookup alone", threeSources{saysBroken, saysBroken, saysHidden}, notVisible},
		{"other company", threeSources{infoOpen, saysOtherCompany, saysNoApplication}, notVisible},
		{"hidden before gone", threeSources{infoGone, saysOtherCompany, saysNoApplication}, notVisible},
		{"hidden before closed", threeSources{infoClosed, saysHidden, saysInactive}, notVisible},

		{"deleted", threeSources{infoGone, saysNoProject, saysNoProject}, gone},
		{"deleted says the information alone", threeSources{infoGone, saysBroken, saysBroken}, gone},
		{"no project says the check alone", threeSources{saysBroken, saysNoProject, saysBroken}, gone},
		{"no project says the lookup alone", threeSources{saysBroken, saysBroken, saysNoProject}, gone},
		{"no posting", threeSources{infoNoPosting, saysNoPosting, saysNoPosting}, gone},
		{"no posting says the information alone", threeSources{infoNoPosting, saysNotApplied, saysNoApplication}, gone},
		{"no posting says the check alone", threeSources{infoOpen, saysNoPosting, saysBroken}, gone},
		{"gone before closed", threeSources{infoGone, saysInactive, saysInactive}, gone},

		{"inactive", threeSources{infoInactive, saysInactive, saysInactive}, closed},
		{"inactive says the information alone", threeSources{infoInactive, saysBroken, saysBroken}, closed},
		{"inactive says the check alone", threeSources{saysBroken, saysInactive, saysBroken}, closed},
		{"inactive says the lookup alone", threeSources{saysBroken, saysBroken, saysInactive}, closed},
		{"inactive, the information lags", threeSources{infoOpen, saysInactive, saysInactive}, closed},
		{"not possible", threeSources{infoClosed, saysNotApplied, saysNoApplication}, closed},
		{"not possible, others failed", threeSources{infoClosed, saysUnauthorized, saysUnauthorized}, closed},

		{"open", threeSources{infoOpen, saysNotApplied, saysNoApplication}, may},
		{"open, lookup failed", threeSources{infoOpen, saysNotApplied, saysBroken}, may},
		{"open, check failed", threeSources{infoOpen, saysBroken, saysNoApplication}, may},

		{"no information", threeSources{saysBroken, saysNotApplied, saysNoApplication}, unknown},
		{"nothing of the applicant", threeSources{infoOpen, saysBroken, saysBroken}, unknown},
		{"token refused", threeSources{infoOpen, saysUnauthorized, saysUnauthorized}, unknown},
		{"wrong address", threeSources{infoOpen, saysWrongAddress, saysWrongAddress}, unknown},
		{"null is not false", threeSources{infoOpen, saysNull, saysBroken}, unknown},
		{"nothing", threeSources{saysBroken, saysBroken, saysBroken}, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.board.applicant(t).Precheck(t.Context(), 4711)
			if p.Decision != c.want {
				t.Errorf("decision %q, want %q", p.Decision, c.want)
			}
			if p.Job != 4711 {
				t.Errorf("job %d", p.Job)
			}
			checkPrecheckSources(t, c.board, p)
		})
	}
}

// checkSources holds what the result says of its sources against what they
// said.
func checkPrecheckSources(t *testing.T, b threeSources, p jobboard.Precheck) {
	t.Helper()
	if (p.Information != nil) != strings.HasPrefix(b.information.body, `{"jobId"`) || (p.Information == nil) != (p.InformationErr != nil) {
		t.Errorf("information %v, %v", p.Information, p.InformationErr)
	}
	if p.Applied != (b.applied == saysApplied) || (p.AppliedErr == nil) != (b.applied == saysApplied || b.applied == saysNotApplied) {
		t.Errorf("applied %v, %v", p.Applied, p.AppliedErr)
	}
	if (p.ApplicationID == "70000006c-99b5-45g-arh-b59exxx4a46") != (b.application == saysApplication) || (p.ApplicationID == "") != (p.ApplicationErr != nil) {
		t.Errorf("application %q, %v", p.ApplicationID, p.ApplicationErr)
	}
	for _, err := range []error{p.InformationErr, p.AppliedErr, p.ApplicationErr} {
		var e *jobboard.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%v is no *Error", err)
		}
	}
	if err := p.Err(); (err != nil) != (p.Decision == jobboard.DecisionUnknown) {
		t.Errorf("Err is %v for %q", err, p.Decision)
	}
}

// Whatever the sources say together, these hold.
func TestPrecheckOfEveryCombination(t *testing.T) {
	informations := []sourceSays{infoOpen, infoClosed, infoInactive, infoGone, infoNoPosting, saysBroken}
	checks := []sourceSays{saysApplied, saysNotApplied, saysNoPosting, saysHidden, saysInactive, saysNoProject, saysOtherCompany, saysBroken, saysUnauthorized}
	lookups := []sourceSays{saysApplication, saysNoApplication, saysNoPosting, saysHidden, saysInactive, saysNoProject, saysBroken, saysUnauthorized}
	for _, information := range informations {
		for _, check := range checks {
			for _, lookup := range lookups {
				b := threeSources{information, check, lookup}
				p := b.applicant(t).Precheck(t.Context(), 4711)
				checkPrecheckSources(t, b, p)
				hasApplied := check == saysApplied || lookup == saysApplication
				if hasApplied != (p.Decision == jobboard.DecisionAlreadyApplied) {
					t.Errorf("%v: %q", b, p.Decision)
				}
				if p.Decision == jobboard.DecisionMayApply && (information != infoOpen || check != saysNotApplied && lookup != saysNoApplication) {
					t.Errorf("%v: %q", b, p.Decision)
				}
				hidden := check == saysHidden || check == saysOtherCompany || lookup == saysHidden
				if !hasApplied && hidden != (p.Decision == jobboard.DecisionNotVisible) {
					t.Errorf("%v: %q", b, p.Decision)
				}
				if p.Decision == jobboard.DecisionUnknown && information != saysBroken && information != infoOpen {
					t.Errorf("%v: %q", b, p.Decision)
				}
			}
		}
	}
}

func TestPrecheckErr(t *testing.T) {
	p := threeSources{saysBroken, saysUnauthorized, saysNoApplication}.applicant(t).Precheck(t.Context(), 4711)
	err := p.Err()
	if !errors.Is(err, jobboard.ErrServer) || !errors.Is(err, jobboard.ErrUnauthorized) {
		t.Errorf("%v does not say what failed", err)
	}
	if errors.Is(err, jobboard.ErrApplicationNotFound) {
		t.Errorf("%v calls an answer a failure", err)
	}
	if err := (jobboard.Precheck{}).Err(); err != nil {
		t.Errorf("the zero value has the error %v", err)
	}
}

// What cannot be sent is a result, too.
func TestPrecheckOfUnusableInput(t *testing.T) {
	p := threeSources{}.applicant(t).Precheck(t.Context(), 0)
	if p.Decision != jobboard.DecisionUnknown || !errors.Is(p.Err(), jobboard.ErrInvalidInput) {
		t.Errorf("%q, %v", p.Decision, p.Err())
	}
	for _, cfg := range []jobboard.Config{{BaseURL: "https://board.example.com"}, {JobDBURL: "https://jobs.example.com"}} {
		cfg.HTTPClient = &http.Client{Transport: threeSources{infoOpen, saysNotApplied, saysNoApplication}}
		c, err := jobboard.NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Applicant(jobboard.StaticToken("token")).Precheck(t.Context(), 4711)
		if p.Decision != jobboard.DecisionUnknown || !errors.Is(p.Err(), jobboard.ErrInvalidInput) {
			t.Errorf("%q, %v", p.Decision, p.Err())
		}
	}
}

func TestPrecheckJSON(t *testing.T) {
	for _, c := range []struct {
		board threeSources
		want  string
	}{
		{
			threeSources{infoOpen, saysNotApplied, saysNoApplication},
			`{"job":4711,"decision":"may apply","information":{"jobId":4711,"jobTitle":"Nurse","jobLanguage":"","applyPossible":true,` +
				`"dataSecurityLink":"","questions":[],"nationalities":[],"timestamp":null,"companyName":"","companyId":"",` +
				`"location":{"geoLat":"","geoLong":"","geoName":"","geoCountry":"","geoState":"","geoCity":"","geoZip":"","geoStreet":""},` +
				`"additionalLocations":[]},"applied":false,` +
				`"applicationError":"jobboard: ApplicationID: 404 Not Found: application not found: get_application_error: \"none for job 4711\""}`,
		},
		{
			threeSources{saysBroken, saysApplied, saysApplication},
			`{"job":4711,"decision":"already applied","informationError":"jobboard: JobInformation: 503 Service Unavailable: server error",` +
				`"applied":true,"applicationId":"70000006c-99b5-45g-arh-b59exxx4a46"}`,
		},
		{
			threeSources{saysBroken, sourceSays{401, `{"error":"invalid_token","error_description":"secret-of-the-applicant"}`}, saysBroken},
			`{"job":4711,"decision":"unknown","informationError":"jobboard: JobInformation: 503 Service Unavailable: server error",` +
				`"appliedError":"jobboard: HasApplied: 401 Unauthorized: unauthorized: invalid_token: \"[hidden]\"",` +
				`"applicationError":"jobboard: ApplicationID: 503 Service Unavailable: server error"}`,
		},
	} {
		got, err := json.Marshal(c.board.applicant(t).Precheck(t.Context(), 4711))
		if err != nil || string(got) != c.want {
			t.Errorf("%v\n got %s\nwant %s", err, got, c.want)
		}
	}
}

func TestDecisionString(t *testing.T) {
	seen := map[string]bool{}
	for d := jobboard.DecisionUnknown; d <= jobboard.DecisionGone; d++ {
		if s := d.String(); s == "" || seen[s] {
			t.Errorf("decision %d is %q", int(d), s)
		} else {
			seen[s] = true
		}
	}
	if got := jobboard.Decision(-1).String() + jobboard.Decision(6).String(); got != "Decision(-1)Decision(6)" {
		t.Error(got)
	}
}

// demoApplicant is the demo's applicant, on a fake without sockets.
func demoApplicant(t *testing.T) (*jobboard.Applicant, *jobboardtest.Server) {
	fake := jobboardtest.New(t, jobboardtest.Demo(), jobboardtest.WithoutSockets())
	c, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, HTTPClient: fake.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return c.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken)), fake
}

func TestPrecheckOfTheDemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, fake := demoApplicant(t)
		d := fake.Demo
		for job, want := range map[int64]jobboard.Decision{
			d.OpenJob:         jobboard.DecisionMayApply,
			d.AppliedJob:      jobboard.DecisionAlreadyApplied,
			d.WithdrawnJob:    jobboard.DecisionAlreadyApplied,
			d.InactiveJob:     jobboard.DecisionClosed,
			d.ClosedJob:       jobboard.DecisionClosed,
			d.UnknownJob:      jobboard.DecisionGone,
			d.DeletedJob:      jobboard.DecisionGone,
			d.UnpublishedJob:  jobboard.DecisionGone,
			d.InternalJob:     jobboard.DecisionNotVisible,
			d.OtherCompanyJob: jobboard.DecisionNotVisible,
		} {
			p := a.Precheck(t.Context(), jobboard.JobID(job))
			if p.Decision != want {
				t.Errorf("job %d: %q, want %q: %v %v %v", job, p.Decision, want, p.InformationErr, p.AppliedErr, p.ApplicationErr)
			}
			if (p.ApplicationID != "") != (want == jobboard.DecisionAlreadyApplied) {
				t.Errorf("job %d: application %q", job, p.ApplicationID)
			}
		}
	})
}

// The three calls are under way at the same time: a second each is a second.
func TestPrecheckIsConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, fake := demoApplicant(t)
		fake.Fail(jobboardtest.Slow(time.Second, 0))
		start := time.Now()
		p := a.Precheck(t.Context(), jobboard.JobID(fake.Demo.OpenJob))
		if took := time.Since(start); p.Decision != jobboard.DecisionMayApply || took != time.Second {
			t.Errorf("%q after %v", p.Decision, took)
		}
	})
}

// A failing attempt of each is repeated, and the decision is none the worse.
func TestPrecheckRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, fake := demoApplicant(t)
		for _, op := range []jobboardtest.Operation{jobboardtest.OpJobInformation, jobboardtest.OpApplied, jobboardtest.OpApplication} {
			fake.Fail(jobboardtest.Answer(503, "").On(op).Next(2))
		}
		p := a.Precheck(t.Context(), jobboard.JobID(fake.Demo.OpenJob))
		if p.Decision != jobboard.DecisionMayApply || fake.Count() != 9 {
			t.Errorf("%q after %d requests", p.Decision, fake.Count())
		}
	})
}

// What ends badly in one source is its error, and at the deadline the others
// decide.
func TestPrecheckWithinDeadline(t *testing.T) {
	for _, c := range []struct {
		name string
		op   jobboardtest.Operation
		job  func(jobboardtest.DemoInfo) int64
		want jobboard.Decision
	}{
		{"information hangs, applied", jobboardtest.OpJobInformation, func(d jobboardtest.DemoInfo) int64 { return d.WithdrawnJob }, jobboard.DecisionAlreadyApplied},
		{"information hangs, open", jobboardtest.OpJobInformation, func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }, jobboard.DecisionUnknown},
		{"check hangs, open", jobboardtest.OpApplied, func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }, jobboard.DecisionMayApply},
		{"lookup hangs, open", jobboardtest.OpApplication, func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }, jobboard.DecisionMayApply},
		{"everything hangs", "", func(d jobboardtest.DemoInfo) int64 { return d.OpenJob }, jobboard.DecisionUnknown},
	} {
		for _, end := range []jobboardtest.Break{jobboardtest.StallBefore, jobboardtest.StallBody} {
			t.Run(c.name+", "+string(end), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a, fake := demoApplicant(t)
					fake.Fail(jobboardtest.Broken(end).On(c.op))
					ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
					defer cancel()
					start := time.Now()
					p := a.Precheck(ctx, jobboard.JobID(c.job(fake.Demo)))
					if took := time.Since(start); p.Decision != c.want || took != 3*time.Second {
						t.Errorf("%q after %v", p.Decision, took)
					}
					if c.want == jobboard.DecisionUnknown && !(errors.Is(p.Err(), jobboard.ErrTimeout) && errors.Is(p.Err(), context.DeadlineExceeded)) {
						t.Errorf("%v", p.Err())
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
		fake.Fail(jobboardtest.Slow(time.Hour, 0).On(jobboardtest.OpApplied))
		fake.Fail(jobboardtest.Answer(503, "").On(jobboardtest.OpJobInformation))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(150*time.Millisecond, cancel)
		start := time.Now()
		p := a.Precheck(ctx, jobboard.JobID(fake.Demo.OpenJob))
		if p.Decision != jobboard.DecisionUnknown || !errors.Is(p.AppliedErr, context.Canceled) ||
			!errors.Is(p.ApplicationErr, jobboard.ErrApplicationNotFound) || time.Since(start) > 150*time.Millisecond {
			t.Errorf("%q after %v: %v", p.Decision, time.Since(start), p.Err())
		}
		sent := fake.Count()
		if p := a.Precheck(ctx, jobboard.JobID(fake.Demo.OpenJob)); !errors.Is(p.Err(), context.Canceled) || fake.Count() != sent {
			t.Errorf("%v, %d more requests", p.Err(), fake.Count()-sent)
		}
	})
}
