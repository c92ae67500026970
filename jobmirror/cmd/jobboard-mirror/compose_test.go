package main

import (
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The services of compose.yaml are commands of the program, with flags and
// variables that it has.
func TestComposeFile(t *testing.T) {
	text, err := os.ReadFile("../../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Command     []string
			Image       string
			Environment map[string]string
			DependsOn   map[string]any `yaml:"depends_on"`
			Deploy      struct{ Replicas int }
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("program.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for service, s := range file.Services {
		for other := range s.DependsOn {
			if _, ok := file.Services[other]; !ok {
				t.Errorf("%s waits for %q, which is no service", service, other)
			}
		}
		if s.Image != "" {
			continue
		}
		name := s.Command[0]
		names = append(names, name)
		if !slices.ContainsFunc(commands, func(c command) bool { return c.name == name }) {
			t.Errorf("%s: there is no command %q", service, name)
		}
		flags := flag.NewFlagSet(service, flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		new(program).flags(flags)
		if err := flags.Parse(s.Command[1:]); err != nil || flags.NArg() > 0 {
			t.Errorf("%s: %v, %q", service, err, flags.Args())
		}
		for variable := range s.Environment {
			if !strings.Contains(string(source), `"`+variable+`"`) {
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
