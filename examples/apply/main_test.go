package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// Each kind of job has its answer, and a form says what is missing until it is whole.
func TestApply(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/jobs/{job}/apply", apply{client.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))})
	request := func(method string, job int64, form url.Values) (int, string) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, fmt.Sprintf("/jobs/%d/apply", job), strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for job, want := range map[int64]int{
		fake.Demo.OpenJob: 200, fake.Demo.AppliedJob: 409, fake.Demo.WithdrawnJob: 409, fake.Demo.InactiveJob: 410, fake.Demo.UnknownJob: 404, 0: 404,
	} {
		if status, page := request("GET", job, nil); status != want {
			t.Errorf("job %d: %d %s", job, status, page)
		}
	}
	job := fake.Demo.OpenJob
	status, page := request("POST", job, url.Values{"q9": {"<b>four"}})
	if status != 422 || !strings.Contains(page, "Please") || !strings.Contains(page, "&lt;b&gt;four") {
		t.Errorf("an incomplete form: %d %s", status, page)
	}
	info, err := client.JobInformation(t.Context(), jobboard.JobID(job))
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{}
	for _, field := range prescreen.Fields(info, prescreen.Answers{}, rules, nil) {
		form.Set(field.Name, "an answer")
		if len(field.Choices) > 0 {
			form.Set(field.Name, field.Choices[0].ID)
		}
	}
	if status, page := request("POST", job, form); status != 200 || !strings.Contains(page, "complete") {
		t.Errorf("a complete form: %d %s", status, page)
	}
	fake.Fail(jobboardtest.Fault{Status: 503, Times: 100, Header: http.Header{"Retry-After": {"90"}}})
	if status, page := request("GET", job, nil); status != 503 {
		t.Errorf("while the service is down: %d %s", status, page)
	}
}

// The program prints where its form is, and ends when it is told to.
func TestRun(t *testing.T) {
	board.ClearEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, in) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", strings.TrimSpace(line), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
