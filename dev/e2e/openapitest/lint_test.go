package openapitest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// Two linters with their recommended rules have nothing to say about the document, and they
// notice a missing contact, two answers of an operation, and a misspelt reference.
func TestLinters(t *testing.T) {
	document, err := os.ReadFile("../../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "openapi.yaml")
	text := strings.Replace(string(document), "  contact:\n", "  x-contact:\n", 1)
	text = strings.Replace(text, `"#/components/schemas/IdLabel"`, `"#/components/schemas/IdLable"`, 1)
	text = strings.Replace(text, "        default: *lookupRefused\n", "", 1)
	text = strings.Replace(text, `        "4XX": &lookupRefused`, `        "200x": &lookupRefused`, 1)
	if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, found := range map[string]func(*testing.T, string) (problems int, said string){"spectral": spectral, "redocly": redocly} {
		t.Run(name, func(t *testing.T) {
			n, said := found(t, "../../../api/openapi.yaml")
			if n != 0 {
				t.Errorf("it finds %d problems:\n%s", n, said)
			}
			t.Logf("figure: %s, recommended rules: %d errors and warnings", name, n)
			if n, said := found(t, broken); n < 2 {
				t.Errorf("of a broken document it says: %s", said)
			}
		})
	}
}

func spectral(t *testing.T, document string) (problems int, said string) {
	out := lint(t, "spectral", "lint", "--ruleset", "spectral.yaml", "--format", "json", "--quiet", document)
	var list []json.RawMessage
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return len(list), string(out)
}

func redocly(t *testing.T, document string) (problems int, said string) {
	out := lint(t, "redocly", "lint", "--extends", "recommended", "--format", "json", document)
	var report struct {
		Totals *struct{ Errors, Warnings, Ignored int }
	}
	if err := json.Unmarshal(out, &report); err != nil || report.Totals == nil {
		t.Fatalf("%v: %s", err, out)
	}
	return report.Totals.Errors + report.Totals.Warnings + report.Totals.Ignored, string(out)
}

// lint runs a linter of npm, and returns what it prints. Its exit code only says that it
// found something.
func lint(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	path := testenv.File(t, filepath.Join("node_modules", ".bin", program), "npm ci --prefix dev/e2e/openapitest")
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if len(out) == 0 {
		t.Fatalf("%s: %v\n%s", program, err, &stderr)
	}
	return out
}
