package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
)

// Each command has these flags with these defaults, takes as many arguments, and completes
// both so: with the words, or (:0) with files, (:8) with files of these extensions, and
// else with nothing more.
func TestFlagsAndArguments(t *testing.T) {
	const unbounded = -1
	want := map[string]struct {
		most  int // arguments
		args  string
		flags []string
	}{
		"backup":  {1, ":0", nil},
		"changes": {0, ":0", []string{"fake-jobs=0 :4", "follow=false", "limit=0 10 50 100 :36", "since= :4"}},
		"doctor":  {0, ":0", []string{"json=false"}},
		"migrate": {0, ":0", []string{"board= :4", "board-moved=false"}},
		"refresh": {0, ":0", []string{
			"accept-removals=false", "board= :4", "channels= :4", "concurrency=0 4 16 64 :36", "fake-jobs=0 :4", "feed=[] :0",
			"json=false", "languages= de en de,en :36", "rate=0 5 20 50 :36", "remove-sources=false",
		}},
		"run": {0, ":0", []string{
			"accept-removals=false", "addr= :4", "allow= :4", "board= :4", "channels= :4", "concurrency=0 4 16 64 :36", "fake-jobs=0 :4", "feed=[] :0",
			"hosts=[] :4", "languages= de en de,en :36", "mcp= :4", "monitor= :4", "rate=0 5 20 50 :36", "remove-sources=false",
		}},
		"search": {unbounded, ":4", []string{
			"after= :4", "csv=false", "facets=false", "fake-jobs=0 :4", "fields= posting job language km title place company evidence seen :38",
			"json=false", "limit=0 10 50 100 :36", "near= :36", "output= csv json :8", "radius=50 10 25 50 100 :36", "text= :4",
		}},
		"serve":   {0, ":0", []string{"addr=127.0.0.1:8080 :4", "allow= :4", "fake-jobs=0 :4", "hosts=[] :4", "mcp= :4", "monitor= :4"}},
		"status":  {0, ":0", []string{"fake-jobs=0 :4", "json=false"}},
		"version": {0, ":0", []string{"json=false"}},
	}
	completed := func(args ...string) string {
		return strings.Join(strings.Fields(ran(t, nil, append(append([]string{"__complete"}, args...), "")...).out), " ")
	}
	flags := func(command string, set *pflag.FlagSet) (all []string) {
		set.VisitAll(func(f *pflag.Flag) {
			text := f.Name + "=" + f.DefValue
			if f.Value.Type() != "bool" {
				text += " " + completed(command, "--"+f.Name)
			}
			all = append(all, text)
		})
		return all
	}
	for _, c := range commands(cli.New("jobboard-mirror")).Commands() {
		w, ok := want[c.Name()]
		if !ok {
			if c.Flags().HasFlags() {
				t.Errorf("nothing is said of %s", c.Name())
			}
			continue
		}
		if got := flags(c.Name(), c.LocalNonPersistentFlags()); !slices.Equal(got, w.flags) {
			t.Errorf("%s has the flags %q", c.Name(), got)
		}
		if got := completed(c.Name()); got != w.args {
			t.Errorf("the arguments of %s are completed with %q", c.Name(), got)
		}
		if w.most == unbounded {
			continue
		}
		args := strings.Fields("a b c")[:w.most+1]
		r := ran(t, nil, append([]string{c.Name()}, args...)...)
		if r.code != setup.ExitUsage || !strings.Contains(r.err, fmt.Sprintf("one argument too many: %q", args[w.most])) {
			t.Errorf("%s %q: %v", c.Name(), args, r)
		}
		if err := c.Args(c, args[:w.most]); err != nil {
			t.Errorf("%s does not take %d arguments: %v", c.Name(), w.most, err)
		}
	}
}
