package main

import (
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
)

// The services of compose.yaml are commands of the program, with flags and
// variables that it has.
func TestComposeFile(t *testing.T) {
	text, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Command     []string
			Image       string
			Environment map[string]string
			DependsOn   any `yaml:"depends_on"` // a list, or conditions by service
			Deploy      struct{ Replicas int }
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{} // by the program
	p := cli.New("jobboard-mirror")
	p.Settings.Getenv = func(name string) string { read[name] = true; return "" }
	root := commands(p)
	_, _ = p.Settings.Read(root.PersistentFlags())
	var names []string
	for service, s := range file.Services {
		if s.Image != "" {
			continue
		}
		name := s.Command[0]
		names = append(names, name)
		cmd, rest, err := root.Find(s.Command)
		if err != nil || cmd.Name() != name {
			t.Errorf("%s: there is no command %q: %v", service, name, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil || cmd.Flags().NArg() > 0 {
			t.Errorf("%s: %v, %q", service, err, cmd.Flags().Args())
		}
		for variable := range s.Environment {
			if !read[variable] {
				t.Errorf("%s sets %s, which the program does not read", service, variable)
			}
		}
		if _, ok := s.Environment["JOBBOARD_MIRROR_DB"]; !ok {
			t.Errorf("%s has no database", service)
		}
	}
	slices.Sort(names)
	if want := []string{"migrate", "run", "serve"}; !slices.Equal(names, want) {
		t.Errorf("the services are %q, not %q", names, want)
	}
	if n := file.Services["mirror"].Deploy.Replicas; n != 4 {
		t.Errorf("%d mirrors", n)
	}
}
