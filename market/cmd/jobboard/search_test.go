package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/places"
)

func TestSearchJSON(t *testing.T) {
	page := decode[struct {
		TotalNumberOfJobs int
		Results           []struct{ Config map[string][]string }
	}](t, newProcess().run(t, "search", "--fake", "--json").want(t, setup.ExitOK).out)
	if page.TotalNumberOfJobs != 42 || len(page.Results) != 42 || len(page.Results[0].Config["platform_internalAdText"]) == 0 {
		t.Errorf("%d hits, %d results", page.TotalNumberOfJobs, len(page.Results))
	}
	r := newProcess().run(t, "search", "--fake", "--jsonl").want(t, setup.ExitOK)
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	if len(lines) != 42 {
		t.Errorf("%d lines, want 42", len(lines))
	}
	for _, line := range lines {
		if posting := decode[struct{ Title string }](t, line); posting.Title == "" {
			t.Error(line)
		}
	}
}

// firstWrite closes a channel when something is written.
type firstWrite struct {
	io.Writer
	came chan struct{}
}

func (w *firstWrite) Write(p []byte) (int, error) {
	select {
	case <-w.came:
	default:
		close(w.came)
	}
	return w.Writer.Write(p)
}

// A stalled answer must not keep the postings that came.
func TestSearchJSONLStreams(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Break: jobboardtest.StallBody, After: 20_000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	p := newProcess().pointAt(srv)
	w := &firstWrite{&out, make(chan struct{})}
	p.stdout = w
	go func() {
		<-w.came
		cancel()
	}()
	if r := p.runContext(ctx, t, "search", "--jsonl"); r.code != setup.ExitInterrupted {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	if !strings.HasPrefix(out.String(), `{"jobPostingId":`) {
		t.Errorf("nothing came before the end: %q", out.String())
	}
}

// A table is printed once the whole answer has arrived, so a search that is cut off can be
// repeated.
func TestTableOfARepeatedSearch(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Break: jobboardtest.CutBody, After: 20_000, Times: 1})
	newProcess().pointAt(srv).run(t, "search").want(t, setup.ExitOK, "POSTING", "Pflegefachkraft")
	if n := srv.Count(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	srv := jobboardtest.NewServer()
	t.Cleanup(srv.Close)
	srv.AddChannel(jobboardtest.Channel{ID: "1_x"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	titles := []string{
		"Leiter der Abteilung für außerordentlich lange Stellenbezeichnungen mit vielen Wörtern und einem Ende (m/w/d)",
		"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsvorsitzender",
		"高级软件工程师负责后端系统的设计与开发以及团队的技术指导工作和代码审查", "Nurse 👩‍⚕️ for nights and weekends, with bonus and a long tail of words",
		strings.Repeat("Cafe\u0301leiter ", 12), strings.Repeat("🇩🇪 Fahne ", 20),
	}
	for _, title := range titles {
		j := srv.AddJob(jobboardtest.Job{Title: title})
		srv.AddPosting(jobboardtest.Posting{
			JobID: j.ID, Channels: []string{"1_x"}, Title: title,
			Config: map[string][]string{"ProjectLocationGerman": {"Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch, Wales"}, "ProjectCompanyNameGerman": {"Acme Gesellschaft mit beschränkter Haftung & Co. Kommanditgesellschaft"}},
		})
	}
	process := func(width int) *testProcess {
		p := newProcess().set("BASE_URL", srv.BaseURL).set("CLIENT_ID", "10").set("CHANNEL", "1_x")
		p.outTerminal = term.Terminal{TTY: width > 0, Width: width}
		return p
	}
	for _, width := range []int{40, 60, 80, 100, 160} {
		r := process(width).run(t, "search").want(t, setup.ExitOK, "6 of 6 postings")
		rows := strings.Split(r.out, "\n")[:1+len(titles)]
		company := -1 // the column in which the companies begin
		for _, row := range rows {
			if n := runewidth.StringWidth(row); n > width {
				t.Errorf("width %d: a line of %d: %s", width, n, row)
			}
			before, _, _ := strings.Cut(row, "Acme Ge")
			if before == row {
				continue
			}
			if at := runewidth.StringWidth(before); company >= 0 && at != company {
				t.Errorf("width %d: a company begins at %d, another at %d:\n%s", width, at, company, r.out)
			} else {
				company = at
			}
		}
		if title := strings.Index(rows[0], "PLACE") - strings.Index(rows[0], "TITLE"); title < 32 {
			t.Errorf("width %d: a title has %d columns:\n%s", width, title-2, r.out)
		}
		if strings.Contains(rows[0], "POSTING") != (width >= 80) || width < 80 && !strings.Contains(r.err, "posting, since") {
			t.Errorf("width %d: what is left out: %s\n%s", width, r.err, rows[0])
		}
		if width >= 60 && company < 0 {
			t.Errorf("width %d: no company:\n%s", width, r.out)
		}
		for i, row := range rows[1:] {
			if !strings.Contains(row, "…") {
				t.Errorf("width %d: %q is not cut: %s", width, titles[i], row)
			}
		}
	}
	r := process(0).run(t, "search").want(t, setup.ExitOK)
	for _, title := range titles {
		if !strings.Contains(r.out, strings.TrimSpace(term.Printable(title))) {
			t.Errorf("a pipe has no %q:\n%s", title, r.out)
		}
	}
}

// A posting that is written as JSON has the job that its link tells, and keeps one that the
// service gave.
func TestJobOfAPosting(t *testing.T) {
	const link = "https://jobs.example/job/77/cook"
	for _, test := range []struct {
		link    string
		unknown map[string]json.RawMessage
		want    string // member "job"; empty: there is none
		members int
	}{
		{link, nil, "77", 1},
		{link, map[string]json.RawMessage{"other": json.RawMessage("1")}, "77", 2},
		{link, map[string]json.RawMessage{"job": json.RawMessage(`"own"`)}, `"own"`, 1},
		{"https://jobs.example/", nil, "", 0},
		{"https://jobs.example/", map[string]json.RawMessage{"job": json.RawMessage(`"own"`)}, `"own"`, 1},
	} {
		p := &jobboard.JobPosting{ApplyOnlineLink: test.link, Unknown: test.unknown}
		if addJob(p); string(p.Unknown["job"]) != test.want || len(p.Unknown) != test.members {
			t.Errorf("%s, %s: %s", test.link, test.unknown, p.Unknown)
		}
	}
}

// Chosen fields as one document stand beside the number of all hits, and nothing found is an
// empty list.
func TestFieldsAsOneDocument(t *testing.T) {
	for args, want := range map[string]string{
		"--limit 1 --fields job":            "{\n  \"results\": [\n    {\n      \"job\": 2797227\n    }\n  ],\n  \"totalNumberOfJobs\": 42\n}\n",
		"nothing-like-it --fields job":      "{\n  \"results\": [],\n  \"totalNumberOfJobs\": 0\n}\n",
		"nothing-like-it --limit 1 --jsonl": "",
	} {
		form := "--json"
		if strings.Contains(args, "--jsonl") {
			form = ""
		}
		r := newProcess().run(t, append([]string{"search", "--fake"}, strings.Fields(args+" "+form)...)...).want(t, setup.ExitOK)
		if r.out != want {
			t.Errorf("%s:\n%s\nwant\n%s", args, r.out, want)
		}
	}
}

// Of an answer whose postings are written as they arrive the service's own number is known, too.
func TestLinesTellWhatTheServiceKeptBack(t *testing.T) {
	srv := demo(t)
	srv.SetVariants(jobboardtest.Variants{PageSize: 10})
	for args, told := range map[string]bool{"--jsonl": true, "--json": true, "": true, "--jsonl --limit 10": false, "--jsonl --limit 11": true} {
		r := newProcess().pointAt(srv).run(t, append([]string{"search"}, strings.Fields(args)...)...).want(t, setup.ExitOK)
		if got := strings.Contains(r.err, "the service gave 10 of 42 postings"); got != told {
			t.Errorf("search %s: %q", args, r.err)
		}
	}
}

// A search shows every posting that can be read, in each form, and says how many could not.
func TestSearchTellsOfUnreadablePostings(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{
		Operation: jobboardtest.OpSearch,
		Body:      `{"totalNumberOfJobs":3,"results":[{"jobPostingId":1,"title":"Nurse"},{"title":"s3cret"},{"jobPostingId":2,"title":null}]}`,
	})
	for _, args := range []string{"--jsonl", "--json", "--csv", ""} {
		r := newProcess().pointAt(srv).run(t, append([]string{"search"}, strings.Fields(args)...)...).want(t, setup.ExitOK)
		if !strings.Contains(r.err, "1 posting of the answer could not be read") || !strings.Contains(r.err, "results[1].jobPostingId is missing") ||
			strings.Contains(r.err, "the service gave") || !strings.Contains(r.out, "Nurse") || strings.Contains(r.out+r.err, "s3cret") {
			t.Errorf("search %s: %q\n%s", args, r.err, r.out)
		}
	}
}

// A search whose output is gone ends, whatever is still to come.
func TestSearchEndsWithItsOutput(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Break: jobboardtest.StallBody, After: 20_000})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	p := newProcess().pointAt(srv)
	p.stdout = &fullDisk{}
	p.runContext(ctx, t, "search", "--jsonl", "--timeout", "1h").want(t, setup.ExitUnexpected)
	if ctx.Err() != nil {
		t.Error("it waited for the rest of an answer that it cannot write")
	}
}

func TestNearByName(t *testing.T) {
	for _, name := range []string{"Berlin", "10117 berlin, Germany"} {
		newProcess().run(t, "search", "--fake", "--near", name, "--radius", "50").
			want(t, setup.ExitOK, "11 of 11 postings within 50 km of 52.524, 13.411").wantErr(t, "near Berlin, DE (52.524, 13.411)")
	}
	newProcess().run(t, "search", "--fake", "--near", "15234 Frankfurt").wantErr(t, "near Frankfurt (Oder), DE").without(t, "does not lie")
	newProcess().run(t, "search", "--fake", "--near", "10117 München").
		wantErr(t, "near 10117, DE", "the postal code 10117 does not lie in München (DE): the place is that of the code")
	newProcess().run(t, "search", "--fake", "--near", "Cologne", "--radius", "30").wantErr(t, "near Köln, DE")
	newProcess().run(t, "search", "--fake", "--near", "Müncheberg am Rhein").want(t, setup.ExitUsage).wantErr(t, "no place is known", "--near Berlin")
	newProcess().run(t, "search", "--fake", "--near", "Muench").want(t, setup.ExitUsage).wantErr(t, "is it München (DE) or")
}

func posting(title string, places ...string) *jobboard.JobPosting {
	return &jobboard.JobPosting{Title: title, Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyLocationName: places})}
}

// Hits are beyond the circle from 15 km on, because the list of towns is good to a few.
func TestHitsBeyondTheCircle(t *testing.T) {
	at := jobboard.Near(52.52437, 13.41053, 10) // Berlin's own place in the list
	potsdam, _ := places.Find("Potsdam")
	far := jobboard.DistanceKm(at, jobboard.Near(potsdam.Latitude, potsdam.Longitude, 0))
	postings := []*jobboard.JobPosting{
		posting("", "Berlin"), posting("", "Potsdam"), posting("", "Potsdam"), posting("", "Wien", "München"), posting("", "Berlin", "Vienna"),
		posting("", "Wien"), posting("", "no such town"), posting(""),
	}
	for _, test := range []struct {
		radius float64
		names  string
		n      int
	}{
		{far - 15.1, "Wien Potsdam München", 5}, {far - 14.9, "Wien München", 3}, {far, "Wien München", 3},
	} {
		near := jobboard.Near(at.Latitude, at.Longitude, test.radius)
		if names, n := beyondCircle(near, postings); strings.Join(names, " ") != test.names || n != test.n {
			t.Errorf("%g km: %q, %d", test.radius, names, n)
		}
	}
	if names, n := beyondCircle(jobboard.GeoLocation{}, postings); names != nil || n != 0 {
		t.Errorf("without a circle: %q, %d", names, n)
	}
}
