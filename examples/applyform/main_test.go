package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func open(t *testing.T) (*form, *board.Board) {
	t.Helper()
	board.ClearEnv(t)
	b := new(board.Board)
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		t.Fatal(err)
	}
	return &form{client: client, job: b.Job}, b
}

func serve(f *form, method string, values url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func TestForm(t *testing.T) {
	f, _ := open(t)
	w := serve(f, http.MethodGet, nil)
	for _, want := range []string{`<html lang="de">`, "<select id=\"question-8\"", "<textarea", "maxlength=\"2000\"", "Privacy statement", `value="2800137"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in the form", want)
		}
	}
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "class=\"problem\"") {
		t.Error(w.Code)
	}

	// Nothing filled in: every question and the nationality have a problem.
	w = serve(f, http.MethodPost, url.Values{})
	info, err := f.client.JobInformation(t.Context(), f.job)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(w.Body.String(), "-problem\">"), 2*(len(info.Questions)+1); w.Code != http.StatusUnprocessableEntity || got < want/2 {
		t.Errorf("%d with %d problems, want %d", w.Code, got, want/2)
	}

	// All of it: ready to be sent.
	all := url.Values{"nationality": {info.Nationalities[0].ID}}
	for _, q := range info.Questions {
		if len(q.Answers) > 0 {
			all.Set(fieldName(q), q.Answers[0].ID)
		} else {
			all.Set(fieldName(q), `"><script>alert(1)</script>`)
		}
	}
	w = serve(f, http.MethodPost, all)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `id="complete"`) {
		t.Error(w.Code, w.Body)
	}
	if strings.Contains(w.Body.String(), "<script") {
		t.Error("what was filled in is not escaped")
	}

	// One that is too long, and what else was filled in stays.
	for _, q := range info.Questions {
		if q.Type == jobboard.QuestionText {
			all.Set(fieldName(q), strings.Repeat("ä", 201))
		}
	}
	w = serve(f, http.MethodPost, all)
	if !strings.Contains(w.Body.String(), "at most 200 characters") || !strings.Contains(w.Body.String(), " selected") {
		t.Error(w.Body)
	}
}

func TestClosed(t *testing.T) {
	f, b := open(t)
	for _, job := range []int64{b.Fake.Demo.InactiveJob, b.Fake.Demo.ClosedJob, b.Fake.Demo.UnknownJob} {
		f.job = jobboard.JobID(job)
		if w := serve(f, http.MethodGet, nil); w.Code != http.StatusGone || !strings.Contains(w.Body.String(), `id="closed"`) {
			t.Errorf("job %d: %d %s", job, w.Code, w.Body)
		}
	}
	defer b.Fake.Fail(jobboardtest.Fault{
		Header: http.Header{"Content-Type": {"text/html"}}, Body: "<!DOCTYPE html><title>Sign in</title>",
	}).Lift()
	if w := serve(f, http.MethodGet, nil); w.Code != http.StatusBadGateway {
		t.Error(w.Code)
	}
}

// The service's texts are shown as text.
func TestEscaping(t *testing.T) {
	f, b := open(t)
	b.Fake.UpdateJob(b.Fake.Demo.OpenJob, func(j *jobboardtest.Job) { j.Title = `<script>alert("x")</script>&` })
	if w := serve(f, http.MethodGet, nil); strings.Contains(w.Body.String(), "<script") {
		t.Error(w.Body)
	}
}

// A real browser shows the form, at the width of a phone without scrolling
// sideways.
func TestBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("JOBBOARD_NEED_BROWSER") != "" {
			t.Fatal("chromium is not installed, and JOBBOARD_NEED_BROWSER is set")
		}
		t.Skip("SKIPPED: chromium is not installed; the form was not looked at with a browser")
	}
	f, _ := open(t)
	server := httptest.NewServer(f)
	defer server.Close()
	out, err := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(),
		"--window-size=390,844", "--virtual-time-budget=2000", "--dump-dom", server.URL).Output()
	if err != nil {
		t.Fatal(err)
	}
	dom := string(out)
	for _, want := range []string{`<select id="question-8"`, "</textarea>", `lang="de"`} {
		if !strings.Contains(dom, want) {
			t.Errorf("no %s in what the browser shows", want)
		}
	}
	if got := strings.Count(dom, "<option"); got < 200 {
		t.Errorf("%d options, want the whole catalogue", got)
	}
}
