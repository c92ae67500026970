package docs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

var ctx = context.Background()

// begin starts what every example here needs.
func begin() (*jobboardtest.Server, *jobboard.Client) {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		log.Fatal(err)
	}
	return fake, client
}

func Example_search() {
	fake, client := begin()
	defer fake.Close()
	// begin
	result, err := client.Search(ctx, "27828_extern", jobboard.Query{
		Text:     "nurse",
		Near:     jobboard.Near(53.55, 9.99, 25), // latitude, longitude, kilometres
		Language: "en",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, posting := range result.Results {
		fmt.Println(posting.JobPostingID, posting.Title)
	}
	if result.Partial() {
		fmt.Println("there are more than these:", result.TotalNumberOfJobs)
	}
	// end

	// Output:
	// 600107 Registered Nurse (f/m/x)
}

func Example_stream() {
	fake, client := begin()
	defer fake.Close()
	// begin
	stream := client.PostingStream(ctx, "27828_extern", jobboard.Query{OmitConfig: []string{jobboard.KeyAdText}})
	cities := map[string]int{}
	for posting, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		cities[posting.Config.First("ProjectLocationGerman")]++
	}
	page, complete := stream.Page()
	fmt.Println(page.TotalNumberOfJobs, "jobs, complete:", complete)
	fmt.Println(cities["Berlin"], "in Berlin")
	// end

	// Output:
	// 42 jobs, complete: true
	// 7 in Berlin
}

func Example_credentials() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	fetchClientToken := func(context.Context) (*oauth2.Token, error) {
		return &oauth2.Token{AccessToken: fake.Demo.ClientToken}, nil
	}
	baseURL, usersToken := fake.BaseURL, fake.Demo.ApplicantToken
	// begin
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:     baseURL,
		TokenSource: jobboard.RenewingToken(fetchClientToken), // for search
	})
	if err != nil {
		log.Fatal(err)
	}
	applicant := client.Applicant(jobboard.StaticToken(usersToken)) // for calls about this applicant
	applied, err := applicant.HasApplied(ctx, 2797227)
	// end
	fmt.Println(applied, err)

	// Output:
	// false <nil>
}

func Example_errors() {
	fake, client := begin()
	defer fake.Close()
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	job := jobboard.JobID(fake.Demo.InactiveJob)
	// begin
	_, err := applicant.HasApplied(ctx, job)
	var failed *jobboard.Error
	switch {
	case errors.Is(err, jobboard.ErrInactive):
		fmt.Println("closed: take it off the page")
	case errors.Is(err, jobboard.ErrServer), errors.Is(err, jobboard.ErrTimeout), errors.Is(err, jobboard.ErrTransport):
		fmt.Println("try later")
	case errors.As(err, &failed):
		log.Println(failed.Op, failed.StatusCode, failed.Code, failed.Message, failed.Attempts, failed.Stopped)
	}
	// end

	// Output:
	// closed: take it off the page
}

func Example_unknownCode() {
	fake, client := begin()
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: 422, Body: `{"code":"ERROR_JOB_PAUSED","message":"the job is paused"}`})
	job := jobboard.JobID(fake.Demo.OpenJob)
	// begin
	_, err := client.JobInformation(ctx, job)
	var failed *jobboard.Error
	switch {
	case err == nil, errors.Is(err, jobboard.ErrInactive), errors.Is(err, jobboard.ErrNotFound):
		fmt.Println("the board has answered about the job")
	case errors.As(err, &failed) && failed.Err == nil:
		fmt.Println("unknown:", failed.StatusCode, failed.Code, failed.Message)
	default:
		fmt.Println("try later:", err)
	}
	// end

	// Output:
	// unknown: 422 ERROR_JOB_PAUSED the job is paused
}

func Example_handler() {
	fake, client := begin()
	defer fake.Close()
	// begin
	handler := func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second) // no visitor waits longer
		defer cancel()
		job, err := jobboard.ParseJobID(r.PathValue("job"))
		var info *jobboard.JobInformation
		if err == nil {
			info, err = client.JobInformation(ctx, job)
		}
		if err != nil {
			status := jobboard.HTTPStatus(err)
			if status >= 500 {
				log.Println(err) // a fault and no answer: see to it
			}
			jobboard.SetRetryAfter(w.Header(), err)
			http.Error(w, http.StatusText(status), status)
			return
		}
		fmt.Fprintln(w, info.JobTitle, info.ApplyPossible)
	}
	// end
	mux := http.NewServeMux()
	mux.HandleFunc("GET /job/{job}", handler)
	get := func(job string) {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/job/"+job, nil))
		fmt.Println(w.Code, w.Header().Get("Retry-After"), w.Body)
	}
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	for _, job := range []int64{fake.Demo.OpenJob, fake.Demo.InactiveJob, fake.Demo.UnknownJob, 0} {
		get(strconv.FormatInt(job, 10))
	}
	fake.Fail(jobboardtest.Fault{Status: 503, Header: http.Header{"Retry-After": {"90"}}})
	get(strconv.FormatInt(fake.Demo.OpenJob, 10))

	// Output:
	// 200  Pflegefachkraft (m/w/d) true
	//
	// 410  Gone
	//
	// 404  Not Found
	//
	// 400  Bad Request
	//
	// 503 90 Service Unavailable
}

func Example_outcomes() {
	fake, client := begin()
	defer fake.Close()
	applicant := client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	job := jobboard.JobID(fake.Demo.AppliedJob)
	// begin
	applied, err := applicant.HasApplied(ctx, job)
	switch {
	case applied:
		fmt.Println("one application per job and applicant: do not offer another")
	case err == nil:
		fmt.Println("may apply")
	case errors.Is(err, jobboard.ErrInactive):
		fmt.Println("no longer open")
	case errors.Is(err, jobboard.ErrNotFound):
		fmt.Println("no such job")
	case errors.Is(err, jobboard.ErrNotVisible):
		fmt.Println("not for this applicant")
	case errors.Is(err, jobboard.ErrUnauthorized):
		fmt.Println("sign in again")
	default:
		log.Println(err) // errors.As finds *jobboard.Error: status, code, words, attempts
	}
	// end

	// Output:
	// one application per job and applicant: do not offer another
}

func Example_retries() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	// begin
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:  fake.BaseURL,
		ClientID: "10",
		Logger:   slog.New(slog.NewTextHandler(os.Stderr, nil)), // says of each repeat
		Retry: jobboard.RetryPolicy{
			MaxAttempts:    3,
			AttemptTimeout: 5 * time.Second,
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 8*time.Second) // the end of it all, waits included
	defer cancel()
	_, err = client.Search(ctx, "27828_extern", jobboard.Query{})
	// end
	fmt.Println(err)

	// Output:
	// <nil>
}

func Example_otherPath() {
	n := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, _, _ := r.BasicAuth()
		if n++; n == 1 || id != "10" || r.URL.Path != "/api/rest/v2/frontend/jobboards" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `["27828_extern"]`)
	}))
	defer service.Close()
	baseURL := service.URL
	// begin
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: baseURL, ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	httpClient := &http.Client{Transport: client.Transport()}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+"/api/rest/v2/frontend/jobboards", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := httpClient.Do(req) // err wraps a *jobboard.Error if there is no answer
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var channels []string
	err = json.NewDecoder(resp.Body).Decode(&channels)
	// end
	fmt.Println(resp.StatusCode, channels, err, n)

	// Output:
	// 200 [27828_extern] <nil> 2
}

func Example_bulk() {
	fake, client := begin()
	defer fake.Close()
	jobs := jobboard.Jobs(jobboard.JobID(fake.Demo.OpenJob), jobboard.JobID(fake.Demo.InactiveJob), jobboard.JobID(fake.Demo.UnknownJob))
	// begin
	open, closed := 0, 0
	for result := range client.BulkJobInformation(ctx, jobs, jobboard.BulkOptions{Concurrency: 32}) {
		switch {
		case result.Err == nil && result.Value.ApplyPossible:
			open++
		case result.Err == nil, errors.Is(result.Err, jobboard.ErrInactive), errors.Is(result.Err, jobboard.ErrNotFound):
			closed++
		default:
			log.Println(result.Job, result.Err)
		}
	}
	fmt.Println(open, "open,", closed, "closed or gone")
	// end

	// Output:
	// 1 open, 2 closed or gone
}

func Example_bulkRounds() {
	fake, client := begin()
	defer fake.Close()
	left := []jobboard.JobID{jobboard.JobID(fake.Demo.OpenJob), jobboard.JobID(fake.Demo.UnpublishedJob), jobboard.JobID(fake.Demo.UnknownJob)}
	// begin
	for round := 0; round < 3 && len(left) > 0; round++ { // a job may have no answer for ever
		ask := left
		left = nil
		for result := range client.BulkJobInformation(ctx, jobboard.Jobs(ask...), jobboard.BulkOptions{}) {
			if !jobboard.Settled(result.Err) {
				left = append(left, result.Job)
			}
		}
		// Between rounds a real program waits, such as for an hour.
	}
	fmt.Println("keep what is known of", left)
	// end

	// Output:
	// keep what is known of [2797337]
}

func Example_feed() {
	fake, client := begin()
	defer fake.Close()
	file := strings.NewReader(`<Feed>
		<PositionOpening><PositionRecordInfo><Id><IdValue>2797227</IdValue></Id></PositionRecordInfo></PositionOpening>
		<PositionOpening><PositionRecordInfo><Id><IdValue>x</IdValue></Id></PositionRecordInfo></PositionOpening>
	</Feed>`)
	// begin
	feed := jobfeed.NewReader(file, nil)
	for result := range client.BulkJobInformation(ctx, feed.JobIDs(), jobboard.BulkOptions{}) {
		if result.Err != nil {
			fmt.Println("not read:", errors.Is(result.Err, jobfeed.ErrBadJobID))
			continue
		}
		fmt.Println(result.Job, result.Value.JobTitle)
	}
	// end

	// Unordered output:
	// not read: true
	// 2797227 Pflegefachkraft (m/w/d)
}

func Example_precheck() {
	fake, client := begin()
	defer fake.Close()
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	visitor := func(r *http.Request) *jobboard.Applicant {
		if r.Header.Get("Cookie") == "" {
			return nil
		}
		return client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
	}
	// begin
	page := func(w http.ResponseWriter, r *http.Request) {
		job, err := jobboard.ParseJobID(r.PathValue("job"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		var check jobboard.PrecheckResult // its decision is DecisionUnknown until somebody is checked
		applicant := visitor(r)           // of the session; nil: nobody has signed in
		if applicant == nil {
			check.Information, err = client.JobInformation(ctx, job)
		} else {
			check, err = applicant.Precheck(ctx, job)
		}
		status, text := http.StatusOK, ""
		switch check.Decision {
		case jobboard.DecisionMayApply:
			text = "apply now"
		case jobboard.DecisionAlreadyApplied:
			text = "you have applied already"
		case jobboard.DecisionClosed:
			status, text = http.StatusGone, "too late"
		case jobboard.DecisionNotVisible, jobboard.DecisionNotFound:
			status, text = http.StatusNotFound, "there is no such job"
			check.Information = nil // the lookup tells of internal jobs, too
		case jobboard.DecisionUnknown:
			switch {
			case err != nil:
				log.Println(err) // what failed
				check.Information = nil
				status = jobboard.HTTPStatus(err)
				text = http.StatusText(status)
				jobboard.SetRetryAfter(w.Header(), err)
			case check.Information.ApplyPossible:
				text = "sign in to apply"
			default:
				status, text = http.StatusGone, "too late"
			}
		}
		w.WriteHeader(status)
		if check.Information != nil {
			fmt.Fprint(w, check.Information.JobTitle, ": ")
		}
		fmt.Fprint(w, text)
	}
	// end
	mux := http.NewServeMux()
	mux.HandleFunc("GET /jobs/{job}", page)
	get := func(job int64, cookie string) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, fmt.Sprint("/jobs/", job), nil)
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	for _, cookie := range []string{"", "session=x"} {
		for _, job := range []int64{fake.Demo.OpenJob, fake.Demo.AppliedJob, fake.Demo.ClosedJob, fake.Demo.UnknownJob} {
			get(job, cookie)
		}
	}
	get(fake.Demo.InternalJob, "session=x")
	fake.Fail(jobboardtest.Fault{Status: 501, Operation: jobboardtest.OpApplied})
	get(fake.Demo.OpenJob, "session=x")

	// Output:
	// 200 Pflegefachkraft (m/w/d): sign in to apply
	// 200 Registered Nurse (f/m/x): sign in to apply
	// 410 Data Analyst (f/m/x): too late
	// 404 Not Found
	// 200 Pflegefachkraft (m/w/d): apply now
	// 200 Registered Nurse (f/m/x): you have applied already
	// 410 Data Analyst (f/m/x): too late
	// 404 there is no such job
	// 404 there is no such job
	// 502 Bad Gateway
}

func Example_answers() {
	fake, client := begin()
	defer fake.Close()
	job, err := client.JobInformation(ctx, 2797227)
	if err != nil {
		log.Fatal(err)
	}
	sent := url.Values{"q8": {"2900101"}, "q9": {"55.000"}, "q10": {"Die Lage."}, "q11": {"2700454"}, "nationality": {"2800137"}}
	// begin
	rules := prescreen.Rules{MaxText: 200, RequireNationality: true}
	given := prescreen.FromForm(job, sent) // the form's values; zero Answers for an empty form
	checked, err := prescreen.Check(job, given, rules)
	for _, field := range prescreen.Fields(job, given, rules, err) {
		fmt.Printf("%s: %s %q\n", field.Control, field.Label, field.Value)
		if field.Problem != nil {
			fmt.Println("  !", field.Problem.Message())
		}
	}
	fmt.Println(len(checked.Values), "of", len(job.Questions), "in order, and", checked.Nationality)
	// end

	// Output:
	// radio: Haben Sie einen Führerschein der Klasse B? "2900101"
	// text: Welches Jahresgehalt wünschen Sie sich? "55.000"
	// textarea: Warum möchten Sie bei uns arbeiten? "Die Lage."
	// select: Was ist Ihr höchster Abschluss? "2700454"
	//   ! Please choose one of the answers.
	// select: Welchen Standort bevorzugen Sie? ""
	//   ! Please answer this question.
	// select:  "2800137"
	// 3 of 5 in order, and 2800137
}

func Example_changes() {
	fake, client := begin()
	defer fake.Close()
	dir, err := os.MkdirTemp("", "changes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "channel.json")
	look := func() error {
		// begin
		now, err := snapshot.Take(ctx, client, "27828_extern", jobboard.Query{Text: "Food Buyer"})
		if err != nil {
			return err
		}
		var before snapshot.Snapshot
		if kept, err := os.ReadFile(file); errors.Is(err, fs.ErrNotExist) {
			before = *now // the first look
		} else if err != nil {
			return err
		} else if err := json.Unmarshal(kept, &before); err != nil {
			return err
		}
		changes, err := snapshot.Diff(&before, now)
		if err != nil {
			return err
		}
		fmt.Println(len(changes.Added), "added,", len(changes.Changed), "changed,", len(changes.Gone), "gone,", len(changes.MaybeGone), "perhaps gone")
		if !now.Complete {
			return nil // what is kept is the last complete one
		}
		b, err := json.Marshal(now)
		if err != nil {
			return err
		}
		return os.WriteFile(file, b, 0o600)
		// end
	}
	for _, change := range []func(){
		func() {},
		func() { fake.SetVariants(jobboardtest.Variants{PageSize: 1}) },
		func() { fake.SetVariants(jobboardtest.Variants{}); fake.RemovePosting(600282) },
	} {
		change()
		if err := look(); err != nil {
			log.Fatal(err)
		}
	}

	// Output:
	// 0 added, 0 changed, 0 gone, 0 perhaps gone
	// 0 added, 0 changed, 0 gone, 1 perhaps gone
	// 0 added, 0 changed, 1 gone, 0 perhaps gone
}

func Example_observer() {
	fake, _ := begin()
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: 503, Times: 1})
	// begin
	observer := &jobboard.Observer{
		Call: func(ctx context.Context, call jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
			return ctx, func(end jobboard.CallEnd) {
				fmt.Println(call.Op, call.Path, end.StatusCode, "after", end.Attempts, "attempts, failed:", end.Err != nil)
			}
		},
		Attempt: func(ctx context.Context, attempt jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
			attempt.Header.Set("X-Request-Id", "17") // a header of your own on every request
			return ctx, nil
		},
	}
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: "10", Observer: observer})
	// end
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Search(ctx, "27828_extern", jobboard.Query{}); err != nil {
		log.Fatal(err)
	}

	// Output:
	// Search /api/rest/v2/frontend/jobboards/{channelID}/jobs 200 after 2 attempts, failed: false
}

// TestShowsNurses is the first test of a partner's program.
func TestShowsNurses(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo()) // in the place of the service
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		t.Fatal(err)
	}
	found, err := client.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Text: "nurse"})
	if err != nil || len(found.Results) == 0 {
		t.Errorf("found %v, %v", found, err)
	}
}

// TestClosesBetween is a test as a partner writes it.
func TestClosesBetween(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		t.Fatal(err)
	}
	job := jobboard.JobID(fake.Demo.OpenJob)
	if _, err := client.JobInformation(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	fake.DeactivateJob(fake.Demo.OpenJob)
	if _, err := client.JobInformation(t.Context(), job); !errors.Is(err, jobboard.ErrJobInactive) {
		t.Errorf("the job is closed, and the lookup says %v", err)
	}
}

// TestOutage is a test of the worst day of the year.
func TestOutage(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: fake.BaseURL, ClientID: fake.Demo.ClientID,
		Retry: jobboard.RetryPolicy{MinWait: time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	fake.Fail(jobboardtest.Fault{Status: 503, Times: 2})
	result, err := client.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
	if err != nil || result.TotalNumberOfJobs == 0 {
		t.Error(result, err)
	}
	if n := fake.Count(); n != 3 {
		t.Errorf("%d requests, want 3: %v", n, slices.Collect(slices.Values(fake.Requests())))
	}
}

func Example_unknown() {
	// begin
	var posting jobboard.JobPosting
	err := json.Unmarshal([]byte(`{"jobPostingId":41,"title":"Nurse","salary":{"from":52000}}`), &posting)
	if err != nil {
		log.Fatal(err)
	}
	var salary struct{ From int }
	if given, ok := posting.Unknown["salary"]; ok {
		err = json.Unmarshal(given, &salary)
	}
	fmt.Println(salary.From, err)
	// end

	// Output:
	// 52000 <nil>
}
