package openapitest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// ran runs a program in a folder, and returns what it prints. It fails the test where the
// program fails.
func ran(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(program), args, err, out)
	}
	return string(out)
}

// document returns the path of the document, of which a generator makes a client.
func document(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Three generators for TypeScript make clients of the document that compile, strictly, with
// calls of each.
func TestClientsInTypeScript(t *testing.T) {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	modules, err := filepath.Abs(filepath.Join("generators", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	// The generators need a newer Node than many systems have.
	node := testenv.File(t, filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node"), "npm ci --prefix dev/e2e/openapitest/generators")
	if err := os.RemoveAll(filepath.Join("generators", "out")); err != nil {
		t.Fatal(err)
	}
	for _, generator := range [][]string{
		{"openapi-typescript/bin/cli.js", document(t), "--output", "out/openapi-typescript.ts"},
		{"@hey-api/openapi-ts/bin/run.js", "--input", document(t), "--output", "out/hey"},
		{"orval/dist/bin/orval.mjs", "--input", document(t), "--output", "out/orval.ts", "--client", "fetch"},
	} {
		ran(t, "generators", node, append([]string{filepath.Join(modules, generator[0])}, generator[1:]...)...)
	}
	ran(t, "generators", node, filepath.Join(modules, "typescript", "bin", "tsc"), "--project", ".")
}

// Two generators for Go make clients of the document that compile. ogen cannot tell a job
// information from an object with an error code in the same answer (status 200), which the
// interface does not show: of the whole document it leaves out the JSON of this answer if told to;
// of what the interface shows it makes all.
func TestClientsInGo(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients"))); err != nil {
		t.Fatal(err)
	}
	ran(t, dir, "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", document(t))

	alone := filepath.Join(dir, "alone.json")
	shown, err := json.Marshal(strip(load(t)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(alone, shown, 0o600); err != nil {
		t.Fatal(err)
	}
	ogen := func(config, target, source string) string {
		return ran(t, dir, "go", "tool", "ogen", "-config", config, "-target", target, "-package", target, "-clean", source)
	}
	ogen("ogen.yaml", "interfacealone", alone)
	if out := ogen("ogen-partly.yaml", "whole", document(t)); strings.Count(out, "Skipping") != 1 {
		t.Errorf("ogen leaves out:\n%s", out)
	}
	ran(t, dir, "go", "vet", "./...")
	for _, client := range []string{"oapi/client.gen.go", "interfacealone/oas_client_gen.go", "whole/oas_client_gen.go"} {
		code, err := os.ReadFile(filepath.Join(dir, client))
		if err != nil {
			t.Fatal(err)
		}
		for _, operation := range []string{"SearchJobs", "HasApplied", "ApplicationId", "JobInformation", "Subscribe", "ConfirmSubscription", "Unsubscribe"} {
			if !strings.Contains(string(code), operation+"(ctx context.Context") {
				t.Errorf("%s has no %s", client, operation)
			}
		}
	}
}
