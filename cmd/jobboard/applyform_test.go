package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestApplyFormEscapes(t *testing.T) {
	srv := demo(t)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) {
		j.Title, j.PrivacyURL = `<script>alert(1)</script>`, "javascript:alert(1)"
		j.Questions[0].Label = `"><img src=x onerror=alert(1)>`
		j.Questions[0].Answers[0].ID = `" onfocus="alert(1)`
	})
	r := newProcess().pointAt(srv).run(t, "apply-form", "--action", "/send").want(t, setup.ExitOK, `method="post" action="/send"`, "&lt;script&gt;")
	r.without(t, "<script>", "<img", `" onfocus="`, "javascript:", "sent nowhere")
	newProcess().pointAt(srv).run(t, "apply-form", "--action", "javascript:alert(1)").want(t, setup.ExitUsage)
	newProcess().pointAt(srv).run(t, "apply-form", "--action", "/send", "--text").want(t, setup.ExitUsage)

	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) {
		j.Questions[0].ID, j.Questions[0].Answers[0].ID = "1\x1b[2J", "\x1b]0;title\a"
		j.Location.City, j.CompanyID = "", ""
	})
	newProcess().pointAt(srv).run(t, "apply-form").want(t, setup.ExitOK, `value="]0;title"`).without(t, "\x1b", "\a", "<p></p>", "<p>, ")
}

// The form as text tells of nationalities where there are some.
func TestFormAsText(t *testing.T) {
	for n, want := range map[int]string{0: "", 2: "Nationality: one of 2"} {
		var out bytes.Buffer
		printForm(&term.Output{W: &out}, &jobboard.JobInformation{JobTitle: "Cook", Nationalities: make([]jobboard.IDLabel, n)})
		if got := out.String(); !strings.HasPrefix(got, "Cook\n") || strings.Contains(got, "Nationality") != (n > 0) || !strings.Contains(got, want) {
			t.Errorf("with %d nationalities:\n%s", n, got)
		}
	}
}

// A question of a kind that the program does not know has a word about it in the form, and those
// that it knows and the nationality have none.
func TestFormOfAnUnknownKind(t *testing.T) {
	srv := demo(t)
	const note = "of a kind this program does not know"
	newProcess().pointAt(srv).run(t, "apply-form").want(t, setup.ExitOK, `<select name="nationality">`).without(t, note)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) { j.Questions[0].Type = "fileUpload" })
	r := newProcess().pointAt(srv).run(t, "apply-form").want(t, setup.ExitOK, note+" (fileUpload)")
	if n := strings.Count(r.out, note); n != 1 {
		t.Errorf("%d notes:\n%s", n, r.out)
	}
}

// Whose identifier is that of a posting learns of the job, or where to look for it if the
// posting's link does not tell.
func TestPostingTakenForAJob(t *testing.T) {
	srv := demo(t)
	for _, p := range srv.Snapshot().Postings {
		if p.ID == 600107 {
			p.ApplyURL = "https://elsewhere.example/"
			srv.AddPosting(p)
		}
	}
	for id, next := range map[string]string{
		"600100": "next: its job is 2797227: jobboard info 2797227\n", "600107": "next: look for its job in the feed\n",
	} {
		for _, command := range []string{"info", "apply-form"} {
			newProcess().pointAt(srv).run(t, command, id).want(t, setup.ExitNo).wantErr(t, id+" is the identifier of a posting, ", next)
		}
	}
}
