// Package inspector runs the official inspector of the assistants' protocol against the
// command. It comes from npm ("npm ci" here).
package inspector

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/dev/e2e/program"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
)

// inspect runs the official inspector's command line against a server, and gives what it
// prints. target is a program to start, with its arguments, or the flags that name an address.
func inspect(t *testing.T, target []string, args ...string) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	// The inspector needs a newer Node than many systems have.
	node := filepath.Join("node_modules", "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	testenv.File(t, node, "npm ci --prefix dev/e2e/inspector")
	cmd := exec.CommandContext(t.Context(), node, slices.Concat([]string{
		filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"),
		"--cli", "--format", "json",
	}, target, args)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, out, stderr.String())
	}
	if slices.Contains(args, "--strict") && strings.Contains(stderr.String(), "Issue:") {
		t.Errorf("the inspector says of the schemas:\n%s", stderr.String())
	}
	return string(out)
}

// The inspector lists and calls every tool and reads a page, in both eras of the
// protocol.
func TestAssistantWithTheInspector(t *testing.T) {
	started := []string{program.Build(t, "market/cmd", "./jobboard"), "mcp", "--fake"}
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			tools := decode[struct {
				Result struct{ Tools []struct{ Name string } }
			}](t, inspect(t, started, "--protocol-era", era, "--method", "tools/list", "--strict"))
			var names []string
			for _, tool := range tools.Result.Tools {
				names = append(names, tool.Name)
			}
			if !slices.Equal(names, []string{"check_answers", "doctor", "job_information", "may_i_apply", "search_jobs", "what_changed"}) {
				t.Errorf("the inspector lists %q", names)
			}
			for tool, call := range map[string]struct{ arguments, want string }{
				"search_jobs":     {`{"near":"Berlin","limit":3,"advertisement_characters":200}`, `"town":"Berlin"`},
				"job_information": {`{"job":"2797227"}`, `"apply_possible":true`},
				"may_i_apply":     {`{"job":"2797227"}`, `"decision":"may apply"`},
				"check_answers":   {`{"job":"2797227","answers":{"8":"yes"}}`, `"ok":false`},
				"what_changed":    {`{}`, `"postings":42`},
				"doctor":          {`{}`, `"ok":true`},
			} {
				if era == "modern" && tool != "search_jobs" {
					continue // what differs is how a session begins
				}
				out := inspect(t, started, "--protocol-era", era, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", call.arguments)
				if compact := strings.ReplaceAll(out, " ", ""); !strings.Contains(compact, strings.ReplaceAll(call.want, " ", "")) {
					t.Errorf("%s: no %s in %s", tool, call.want, out)
				}
			}
			if out := inspect(t, started, "--protocol-era", era, "--method", "resources/list"); !strings.Contains(out, "jobboard://applying") {
				t.Errorf("the pages are %s", out)
			}
			contents := decode[struct {
				Result struct{ Contents []struct{ Text string } }
			}](t, inspect(t, started, "--protocol-era", era, "--method", "resources/read", "--uri", "jobboard://applying")).Result.Contents
			if len(contents) != 1 || contents[0].Text != read(t, "../../../market/cmd/jobboard/applying.md") {
				t.Errorf("the page is %.200v", contents)
			}
		})
	}
}

// Over HTTP the inspector lists the tools that need no session, and calls each, in both eras of
// the protocol.
func TestAssistantOverHTTP(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: srv.Demo.ClientID})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(jobmcp.NewServer(client, jobmcp.Options{
		Channel:   jobboard.ChannelID(srv.Demo.Channel),
		Applicant: client.Applicant(jobboard.StaticToken(srv.Demo.ApplicantToken)),
	}).Handler())
	defer web.Close()
	address := []string{"--transport", "http", "--server-url", web.URL}
	for _, era := range []string{"legacy", "modern"} {
		tools := decode[struct {
			Result struct{ Tools []struct{ Name string } }
		}](t, inspect(t, address, "--protocol-era", era, "--method", "tools/list", "--strict"))
		var names []string
		for _, tool := range tools.Result.Tools {
			names = append(names, tool.Name)
		}
		if !slices.Equal(names, []string{"check_answers", "job_information", "may_i_apply", "search_jobs"}) {
			t.Errorf("%s: the inspector lists %q", era, names)
		}
		for tool, call := range map[string]struct{ arguments, want string }{
			"search_jobs":     {`{"near":"Berlin","limit":3}`, `"tell":"11 postings within 50 km of Berlin, 3 listed here; there are more"`},
			"job_information": {`{"job":"2797227"}`, `"apply_possible":true`},
			"may_i_apply":     {`{"job":"2797227"}`, `"decision":"may apply"`},
			"check_answers":   {`{"job":"2797227","answers":{"8":"yes","driving":"no"}}`, `"foreign_key":"driving"`},
		} {
			out := inspect(t, address, "--protocol-era", era, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", call.arguments)
			if compact := strings.ReplaceAll(out, " ", ""); !strings.Contains(compact, strings.ReplaceAll(call.want, " ", "")) {
				t.Errorf("%s, %s: no %s in %s", era, tool, call.want, out)
			}
		}
	}
}

func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.500s", err, text)
	}
	return v
}

func read(t *testing.T, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
