// Package mcpconformance runs the protocol's own conformance suite against the handler
// of jobmcp. It comes from npm ("npm ci" here).
package mcpconformance

import (
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
)

// The protocol's own conformance suite passes against the handler, but for what
// baseline.yml names with its reasons.
func TestConformance(t *testing.T) {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	// The suite needs a newer Node than many systems have.
	node := testenv.File(t, filepath.Join("node_modules", "node-"+runtime.GOOS+"-"+arch, "bin", "node"), "npm ci --prefix dev/e2e/mcpconformance")
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: srv.Demo.ClientID})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(jobmcp.NewServer(client, jobmcp.Options{
		Channel:   jobboard.ChannelID(srv.Demo.Channel),
		Applicant: client.Applicant(jobboard.StaticToken(srv.Demo.ApplicantToken)),
		Pages:     []jobmcp.Page{{URI: "test://static-text", Name: "static", Text: "# The page that the suite reads\n"}},
	}).Handler())
	defer web.Close()
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--url", web.URL, "--suite", "all", "--expected-failures", "baseline.yml")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	// Those that apply.
	scenarios := []string{
		"server-initialize", "logging-set-level", "ping", "tools-list", "resources-list", "resources-read-text", "prompts-list",
		"dns-rebinding-protection",
	}
	for _, scenario := range scenarios {
		_, after, _ := strings.Cut(string(out), "✓ "+scenario+": ")
		if after == "" || strings.HasPrefix(after, "0 passed") {
			t.Errorf("%s was not run:\n%s", scenario, out)
		}
	}
	t.Logf("figure: %d scenarios of the protocol's conformance suite apply and pass: %s", len(scenarios), strings.Join(scenarios, ", "))
}
