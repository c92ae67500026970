package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// fast asks as quickly as the machine can: the pace is tested where time is virtual.
var fast = []string{"check", "--rate", "100000"}

func checking(args ...string) []string { return append(fast[:len(fast):len(fast)], args...) }

// A nightly job: the first run saves the shape, the next run exits with 0, a run after a change
// with 8 and the place of the change, and the run after that with 0 again.
func TestCheckTellsAChangeOnce(t *testing.T) {
	srv := demo(t)
	file, junit := filepath.Join(t.TempDir(), "board.json"), filepath.Join(t.TempDir(), "check.xml")
	run := func(code int, want ...string) {
		t.Helper()
		newProcess().pointAt(srv).run(t, checking("--feed", srv.FeedURL, "--save", file, "--junit", junit)...).want(t, code, want...)
	}
	run(setup.ExitOK, "rules kept, 0 broken", "give --withdrawn-job", "give --wrong-credentials", "not observable  search/failure")
	run(setup.ExitOK, "0 changes")
	srv.SetVariants(jobboardtest.Variants{QuotedIDs: true})
	run(setup.ExitChanged, "What changed:", "search results[].jobPostingId: the form quoted number was never seen")
	if text := read(t, junit); !strings.Contains(text, `<testsuite name="changes"`) || !strings.Contains(text, "<failure message=\"the form quoted number") {
		t.Errorf("JUnit: %s", text)
	}
	run(setup.ExitOK, "0 changes")
	if strings.Contains(read(t, file), srv.Demo.Channel) {
		t.Error("the channel is in the file")
	}
	srv.Fail(jobboardtest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"3600"}}})
	before := read(t, file)
	run(setup.ExitNetwork, "Without a good answer:", "the answer is status 429")
	srv.LiftFaults()
	if after := read(t, file); strings.Count(after, "\n") != strings.Count(before, "\n") {
		t.Errorf("the file learned of an outage")
	}
	run(setup.ExitOK)
}

// A channel whose search fails is asked for when it is named, and its 500 is no outage.
func TestCheckOfAFailingChannel(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Path: "/api/rest/v2/frontend/jobboards/broken/jobs", Status: http.StatusInternalServerError})
	newProcess().pointAt(srv).run(t, checking()...).want(t, setup.ExitOK, "not observable  search/failure", "give --failing-channel")
	out := newProcess().pointAt(srv).run(t, checking("--failing-channel", "broken", "--like")...).want(t, setup.ExitOK, `"empty_server_errors":true`).out
	if strings.Contains(out, "search/failure") || strings.Contains(out, "status 500") {
		t.Errorf("it prints %s", out)
	}
}

// A broken rule ends with 7 until the file knows of it; words of the board are shown on
// request, and stored in no file.
func TestCheckOfABrokenRule(t *testing.T) {
	srv := demo(t)
	broken := roundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/applied") {
			r.URL.Path = strings.TrimSuffix(r.URL.Path, "applied") + "application" // an identifier, and no boolean
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	file := filepath.Join(t.TempDir(), "board.json")
	run := func(args ...string) result {
		p := newProcess().pointAt(srv)
		p.transport = broken
		return p.run(t, checking(append(args, "--save", file)...)...)
	}
	id := srv.Demo.ApplicationID
	first := run("--applied-job", fmtID(srv.Demo.AppliedJob))
	first.want(t, setup.ExitIncomplete, "broken applied/boolean (section 4.2): the applied check answers with a JSON boolean")
	if strings.Contains(first.out, id) {
		t.Error("it shows what the board says")
	}
	run("--applied-job", fmtID(srv.Demo.AppliedJob), "--quote").want(t, setup.ExitOK, id)
	if out := run("--applied-job", fmtID(srv.Demo.AppliedJob), "--json").want(t, setup.ExitOK).out; strings.Contains(out, id) || !json.Valid([]byte(out)) {
		t.Errorf("JSON: %s", out)
	}
}

func fmtID(id int64) string { return jsonText(id) }

func jsonText(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// The plan sends nothing, and has wrong credentials only where they are allowed.
func TestCheckPlan(t *testing.T) {
	srv := demo(t)
	r := newProcess().pointAt(srv).run(t, "check", "--plan").want(t, setup.ExitOK, "AT MOST", "{jobDbId}/applied", "Nothing is changed")
	if strings.Contains(r.out, "wrong") || srv.Count() > 0 {
		t.Errorf("%d requests; %s", srv.Count(), r.out)
	}
	newProcess().pointAt(srv).run(t, "check", "--plan", "--wrong-credentials").want(t, setup.ExitOK, "wrong ones")
	var steps []struct{ Request string }
	if out := newProcess().pointAt(srv).run(t, "check", "--plan", "--json").want(t, setup.ExitOK).out; json.Unmarshal([]byte(out), &steps) != nil || len(steps) == 0 {
		t.Error(out)
	}
}

// What --like prints starts a mock server like the board: by PATCH, as Go, and from the file.
func TestCheckLike(t *testing.T) {
	srv := demo(t)
	v := jobboardtest.Variants{QuotedIDs: true, Dates: jobboardtest.DatesISOColon, ErrorStatus: 422}
	srv.SetVariants(v)
	file := filepath.Join(t.TempDir(), "board.json")
	out := newProcess().pointAt(srv).run(t, checking("--like", "--save", file)...).want(t, setup.ExitIncomplete, // quoted identifiers are no integers
		"QuotedIDs: true,", `Dates: "iso-colon",`, "ErrorStatus: 422,", "Not observable:", "subscription_lists").out
	var got jobboardtest.Variants
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "{") {
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
		}
	}
	if like := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.Like(file)); got != v || like.Variants() != v {
		t.Errorf("printed %+v, started with %+v, want %+v", got, like.Variants(), v)
	}
	newProcess().pointAt(srv).run(t, checking("--like", "--json")...).want(t, setup.ExitIncomplete, `"patch": {`, `"not_imitated": []`)
}

// Mistakes are told before anything is sent.
func TestCheckMistakes(t *testing.T) {
	srv := demo(t)
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"format": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--rate is not above 0":     {"--rate", "0"},
		"no time such as 10m":       {"--within", "-1s"},
		"two are wanted":            {"--languages", "en"},
		"has the format 99":         {"--save", bad},
		"--save: open":              {"--save", filepath.Join(dir, "missing", "board.json")},
		"is a directory":            {"--junit", dir},
		"--junit: open":             {"--junit", filepath.Join(dir, "missing", "check.xml")},
		"--expired-token-file":      {"--expired-token-file", "/no/such"},
		"FeedURL is no http":        {"--feed", "feed.xml"},
		"--like and --plan exclude": {"--plan", "--like"},
		"is not <latitude>":         {"--near", "Berlin"},
	} {
		newProcess().pointAt(srv).run(t, append([]string{"check"}, args...)...).want(t, setup.ExitUsage).wantErr(t, want)
	}
	if n := srv.Count(); n > 0 {
		t.Errorf("%d requests", n)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("files left behind: %v, %v", left, err)
	}
}
