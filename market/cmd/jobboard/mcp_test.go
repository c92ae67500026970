package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// maxFinish bounds answering what was asked before SIGTERM, as market/docs/assistant.md says.
const maxFinish = time.Second

// connect starts jobboard mcp in a process, and gives a session of the official client with it.
func connect(t *testing.T, p *testProcess, args ...string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p.stdin = in
	var stderr bytes.Buffer
	server, code := p.program(out, &stderr), make(chan int, 1)
	go func() {
		ended := server.Run(t.Context(), append([]string{"mcp"}, args...), commands)
		out.Close()
		code <- ended
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if ended := <-code; ended != setup.ExitOK {
			t.Errorf("exit code %d: %s", ended, stderr.String())
		}
	})
	return session
}

// called is the answer of a tool.
type called struct {
	text   string
	failed bool
	fields map[string]any
}

// use calls a tool. arguments is JSON.
func use(t *testing.T, session *mcp.ClientSession, name, arguments string) called {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s %s: %d contents", name, arguments, len(r.Content))
	}
	c := called{text: r.Content[0].(*mcp.TextContent).Text, failed: r.IsError}
	if err := json.Unmarshal([]byte(c.text), &c.fields); err != nil {
		t.Fatalf("%s %s: %v: %s", name, arguments, err, c.text)
	}
	if r.IsError != (r.StructuredContent == nil) {
		t.Errorf("%s %s: failed is %t, and the structured content %v", name, arguments, r.IsError, r.StructuredContent)
	}
	return c
}

func (c called) want(t *testing.T, failed bool, texts ...string) called {
	t.Helper()
	if c.failed != failed {
		t.Errorf("failed is %t: %s", c.failed, c.text)
	}
	for _, s := range texts {
		if !strings.Contains(c.text, s) {
			t.Errorf("no %q in %s", s, c.text)
		}
	}
	return c
}

// toolCalls are calls of every tool, with what is in the answer of the demo.
var toolCalls = []struct {
	tool, arguments string
	want            []string
}{
	{"search_jobs", `{"near":"Berlin","limit":1}`, []string{`"town":"Berlin"`, `"total":11`, `"next_offset":1`}},
	{"job_information", `{"job":2797227}`, []string{`"apply_possible":true`, `"nationalities_total":202`}},
	{"may_i_apply", `{"job":"2797238"}`, []string{`"decision":"already applied"`}},
	{"check_answers", `{"job":"2797227","answers":{"8":"yes"}}`, []string{`"ok":false`}},
	{"what_changed", `{}`, []string{`"postings":42`, `this is the first look`}},
	{"doctor", `{}`, []string{`"ok":true`, `"check":"lookup host"`}},
}

func TestAssistantUsesEveryTool(t *testing.T) {
	session := connect(t, newProcess(), "--fake")
	for _, test := range toolCalls {
		t.Run(test.tool+test.arguments, func(t *testing.T) {
			use(t, session, test.tool, test.arguments).want(t, false, test.want...)
		})
	}
}

// An assistant reads what the results mean and how the command is set up, and no other file.
func TestAssistantReadsPages(t *testing.T) {
	session := connect(t, newProcess())
	list, err := session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"jobboard://applying": "applying.md", "jobboard://command": "README.md"}
	for _, page := range list.Resources {
		want := read(t, files[page.URI])
		delete(files, page.URI)
		got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: page.URI})
		if err != nil || len(got.Contents) != 1 || got.Contents[0].Text != want {
			t.Errorf("%s: %v, or it is not its file", page.URI, err)
		}
		if page.Title == "" || page.Size != int64(len(want)) || page.MIMEType != "text/markdown" {
			t.Errorf("%s is announced as %+v", page.URI, page)
		}
	}
	if len(files) > 0 {
		t.Errorf("no page is of %v", files)
	}
	for _, uri := range []string{"jobboard://mcp.go", "jobboard://command/../mcp.go", "file:///etc/passwd", "https://www.example", ""} {
		if r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%q can be read: %v", uri, r.Contents)
		}
	}
}

// The page about the results has every decision.
func TestPageOfTheResults(t *testing.T) {
	for d := jobboard.DecisionUnknown; d <= jobboard.DecisionNotFound; d++ {
		if !strings.Contains(applying, "\n| "+d.String()+" |") {
			t.Errorf("the page has no decision %s", d)
		}
	}
}

// What is wrong arrives as an error of the tool, typed and with the next step.
func TestAssistantErrors(t *testing.T) {
	srv := demo(t)
	for _, test := range []struct {
		name  string
		env   env
		fault *jobboardtest.Fault
		tool  string
		want  []string
	}{
		{"nothing set up", nil, nil, "search_jobs", []string{"no base address is set", "--fake"}},
		{"nothing set up", nil, nil, "job_information", []string{"no lookup address is set", "--fake"}},
		{"nothing set up", nil, nil, "may_i_apply", []string{"no lookup address is set", "--fake"}},
		{"no channel", env{"CHANNEL": ""}, nil, "search_jobs", []string{"no channel is set"}},
		{"no credential", env{"CLIENT_ID": "", "USER_TOKEN": ""}, nil, "search_jobs", []string{
			"a search needs a credential", "set JOBBOARD_CLIENT_ID",
		}},
		{"wrong client", env{"CLIENT_ID": "4711"}, nil, "search_jobs", []string{
			`"conditions":["ErrUnauthorized"]`, "status 401", "jobboard doctor says what is wrong with the credential",
		}},
		{"expired token", env{"USER_TOKEN": srv.Demo.ExpiredToken}, nil, "may_i_apply", []string{`"ErrUnauthorized"`}},
		{"http to elsewhere", env{"BASE_URL": "http://board.example"}, nil, "search_jobs", []string{"--allow-insecure"}},
		{"both credentials", env{"TOKEN": "some-token"}, nil, "search_jobs", []string{"exclude each other"}},
		{"a config that is not there", env{"CONFIG": "/no/such/file.toml"}, nil, "search_jobs", []string{"configuration:"}},
		{"down", nil, &jobboardtest.Fault{Status: 503}, "search_jobs", []string{`"ErrServer"`, "status 503", "try again later"}},
		{"busy", nil, &jobboardtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"7200"}}}, "job_information", []string{`"ErrRateLimited"`}},
		{"a page", nil, &jobboardtest.Fault{Body: "<html>Log in</html>"}, "job_information", []string{`"ErrDecode"`, "foreign_details"}},
	} {
		t.Run(test.name+" "+test.tool, func(t *testing.T) {
			defer srv.LiftFaults()
			if test.fault != nil {
				srv.Fail(*test.fault)
			}
			p := newProcess()
			if test.name != "nothing set up" {
				p.pointAt(srv).with(test.env)
			}
			arguments := `{"job":"2797227"}`
			if test.tool == "search_jobs" {
				arguments = `{}`
			}
			use(t, connect(t, p), test.tool, arguments).want(t, true, test.want...)
		})
	}
}

// Where nothing is set up the doctor says so, and an assistant can be told of the
// demo.
func TestAssistantDoctorWithoutSettings(t *testing.T) {
	use(t, connect(t, newProcess()), "doctor", `{}`).want(t, false, `"ok":false`, `"verdict":"fail"`, "no address is set", "--fake")
}

// The settings are read anew after the doctor, and the demo stays the same.
func TestAssistantKeepsTheDemo(t *testing.T) {
	started := 0
	p := newProcess()
	p.startFake = func() *jobboardtest.Server {
		started++
		return demo(t)
	}
	session := connect(t, p, "--fake")
	for range 3 {
		use(t, session, "doctor", `{}`).want(t, false, `"ok":true`)
	}
	if started != 1 {
		t.Errorf("the mock server was started %d times", started)
	}
}

// Settings that are put right meanwhile are used without a new start, whichever tool saw
// that they were wrong.
func TestAssistantReadsNewSettings(t *testing.T) {
	srv := demo(t)
	right := fmt.Sprintf("base_url = %q\njobdb_url = %q\nclient_id = \"10\"\nchannel = %q\n", srv.BaseURL, srv.JobDBURL, srv.Demo.Channel)
	for _, wrong := range []string{
		"", "base_url = 7\n", fmt.Sprintf("base_url = %q\nclient_id = \"10\"\n", srv.BaseURL), fmt.Sprintf("base_url = %q\n", srv.BaseURL),
		strings.Replace(right, `"10"`, `"4711"`, 1), right + "token = \"x\"\n", right + "ca_file = \"none\"\n",
	} {
		for _, tool := range []string{"search_jobs", "doctor"} {
			path := clitest.WriteFile(t, "config.toml", wrong, 0o600)
			session := connect(t, newProcess().set("CONFIG", path))
			if first := use(t, session, tool, `{}`); !first.failed && !strings.Contains(first.text, `"next":`) {
				t.Errorf("%q works: %s", wrong, first.text)
			}
			if err := os.WriteFile(path, []byte(right), 0o600); err != nil {
				t.Fatal(err)
			}
			use(t, session, "search_jobs", `{}`).want(t, false, `"total":42`)
		}
	}
}

// What changed is compared with what watch has kept, and that is left alone.
func TestAssistantComparesWithAWatch(t *testing.T) {
	srv := demo(t)
	p := newProcess().pointAt(srv)
	state := filepath.Join(t.TempDir(), "state.json")
	p.run(t, "watch", "--state", state, "--once").want(t, setup.ExitOK)
	kept := read(t, state)
	srv.DeactivateJob(srv.Demo.OpenJob)
	use(t, connect(t, p), "what_changed", `{}`).want(t, false, "this is the first look")
	session := connect(t, p, "--state", state)
	use(t, session, "what_changed", `{}`).want(t, false, `{"change":"gone","posting":"600100","foreign_title":"Pflegefachkraft (m/w/d)"}`)
	use(t, session, "what_changed", `{"near":"Berlin"}`).want(t, false, "the state file is of another search")
	if read(t, state) != kept {
		t.Error("the state was written")
	}
}

// A tool needs the settings of what it asks alone, and searches as the applicant where there is no other credential.
func TestSettingsOfATool(t *testing.T) {
	srv := demo(t)
	for _, test := range []struct {
		env       env
		tool      string
		want      string
		searchers string // the credential of a search; empty: none is sent
	}{
		{env{"JOBDB_URL": ""}, "search_jobs", `"total":42`, "basic client 10"},
		{env{"CLIENT_ID": ""}, "search_jobs", `"total":42`, "user token of applicant 7"},
		{env{"BASE_URL": "", "USER_TOKEN": ""}, "may_i_apply", "JOBBOARD_USER_TOKEN", ""},
		{nil, "may_i_apply", `"decision":"may apply"`, ""},
	} {
		use(t, connect(t, newProcess().pointAt(srv).with(test.env)), test.tool, map[bool]string{true: `{}`, false: `{"job":"2797227"}`}[test.searchers != ""]).want(t, false, test.want)
		if test.searchers != "" {
			wantSearch(t, srv, srv.Demo.Channel+"/jobs", test.searchers)
		}
	}
	for _, need := range []string{"BASE_URL", "JOBDB_URL"} {
		use(t, connect(t, newProcess().pointAt(srv).set(need, "")), "may_i_apply", `{"job":"2797227"}`).want(t, true, "JOBBOARD_"+need)
	}
}

// Nothing is made, read or asked before the first tool is used: not the settings,
// not the mock server.
func TestAssistantStartsWithNothing(t *testing.T) {
	var read []string
	p := newProcess()
	started := 0
	p.startFake = func() *jobboardtest.Server {
		started++
		return demo(t)
	}
	p.stdin = strings.NewReader(initialize + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	p.getenv = func(name string) string { read = append(read, name); return "" }
	if r := p.run(t, "mcp", "--fake"); r.code != setup.ExitOK || started != 0 || len(read) != 0 {
		t.Errorf("code %d, the mock server was started %d times, the environment was read: %q", r.code, started, read)
	}
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments)
}

// When the input ends, or a line of it is no message, what was asked before is answered, and a client that is gone ends it.
func TestAssistantEnds(t *testing.T) {
	searches := initialize + call(1, "search_jobs", `{}`) + call(2, "search_jobs", `{}`) + call(3, "search_jobs", `{}`)
	for name, test := range map[string]struct {
		in      string
		out     io.Writer
		code    int
		answers int
		says    string
	}{
		"end of the input":          {searches, nil, setup.ExitOK, 3, ""},
		"a line that is no message": {searches + "garbage\n", nil, setup.ExitUnexpected, 3, "a line is not one message of at most 1 MiB"},
		"the client is gone":        {searches, &fullDisk{}, setup.ExitUnexpected, 0, "the output cannot be written"},
	} {
		p := newProcess().pointAt(demo(t))
		p.stdin, p.stdout = strings.NewReader(test.in), test.out
		r := p.run(t, "mcp").want(t, test.code).wantErr(t, test.says)
		if n := strings.Count(r.out, `"total":42`); n != test.answers {
			t.Errorf("%s: %d answers: %s", name, n, r.out)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Hour, func() { end(setup.ErrTerminated) })
		p := newProcess()
		in, typed := io.Pipe()
		p.stdin = in
		began := time.Now()
		p.runContext(ctx, t, "mcp").want(t, setup.ExitOK)
		if took := time.Since(began); took > time.Hour+maxFinish {
			t.Errorf("SIGTERM: it ended after %s", took)
		}
		typed.Close()
	})
}

// Standard output is the protocol's, also with --debug.
func TestAssistantLogsToStandardError(t *testing.T) {
	srv := demo(t)
	p := newProcess().pointAt(srv)
	p.stdin = strings.NewReader(initialize + call(1, "search_jobs", `{}`) + call(2, "may_i_apply", `{"job":"2797227"}`) + call(3, "doctor", `{}`))
	r := p.run(t, "mcp", "--debug").want(t, setup.ExitOK).wantErr(t, "op=Postings", "server session connected").without(t, srv.Demo.ApplicantToken)
	if n := strings.Count(r.out, "\n"); n != 4 {
		t.Errorf("%d lines: %s", n, r.out)
	}
	for line := range strings.Lines(r.out) {
		if !strings.HasPrefix(line, `{"jsonrpc":"2.0",`) || !json.Valid([]byte(line)) {
			t.Errorf("standard output has %.100s", line)
		}
	}
}

// The page shows a registration that works, and the rate of requests.
func TestAssistantPage(t *testing.T) {
	page := read(t, "../../docs/assistant.md")
	if row := fmt.Sprintf("| calls of the interface | %d a second, after a burst of %d |", requestRate, requestMost); !strings.Contains(page, row) {
		t.Errorf("the page does not say %q", row)
	}
	_, snippet, _ := strings.Cut(page, "```json\n")
	snippet, _, _ = strings.Cut(snippet, "```")
	server := decode[struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}](t, snippet).Servers["jobboard"]
	if server.Command != "jobboard" || !slices.Equal(server.Args, []string{"mcp"}) {
		t.Errorf("the page starts %q %q", server.Command, server.Args)
	}
	srv := demo(t)
	p := newProcess()
	for name, text := range server.Env {
		switch name {
		case "JOBBOARD_BASE_URL":
			text = srv.BaseURL
		case "JOBBOARD_JOBDB_URL":
			text = srv.JobDBURL
		case "JOBBOARD_USER_TOKEN_FILE":
			text = clitest.WriteFile(t, "user-token", srv.Demo.ApplicantToken, 0o600)
		}
		p.env[name] = text
	}
	use(t, connect(t, p), "may_i_apply", `{"job":"2797227"}`).want(t, false, `"decision":"may apply"`)
}
