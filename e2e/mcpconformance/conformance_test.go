package mcpconformance

import (
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// The protocol's own conformance suite passes against the handler, but for what
// conformance/baseline.yml names with its reasons.
func TestConformance(t *testing.T) {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	// The suite needs a newer Node than many systems have.
	modules := filepath.Join("conformance", "node_modules")
	node := testenv.File(t, filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node"), "npm ci --prefix conformance")
	web := httptest.NewServer(setting{options: Options{
		Pages: []Page{{URI: "test://static-text", Name: "static", Text: "# The page that the suite reads\n"}},
	}}.server(t, demo(t)).Handler())
	defer web.Close()
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--url", web.URL, "--suite", "all", "--expected-failures", filepath.Join("conformance", "baseline.yml"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list", "resources-read-text", "dns-rebinding-protection"} {
		if !strings.Contains(string(out), "✓ "+scenario+":") {
			t.Errorf("%s was not run:\n%s", scenario, out)
		}
	}
}
