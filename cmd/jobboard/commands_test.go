package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

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
		"apply-form": {1, ":36", []string{"action= :4", "html=false", "output= html txt :8", "text=false"}},
		"doctor":     {0, ":0", []string{"bundle= json :8", "json=false"}},
		"fake":       {0, ":0", []string{"addr=127.0.0.1:0 :0", "jobdb-addr=127.0.0.1:0 :0", "json=false"}},
		"feed": {1, "xml gz :8", []string{
			"concurrency=16 4 16 64 :36", "csv=false", "fields= job outcome apply_possible questions title company language city privacy_link error :38",
			"jsonl=false", "limit=0 10 50 100 :36", "output= csv jsonl :8", "rate=0 10 50 100 :36",
		}},
		"info": {1, ":36", []string{"json=false", "output= json :8"}},
		"init": {0, ":0", []string{"force=false"}},
		"mcp":  {0, ":0", []string{"state= :0"}},
		"search": {unbounded, ":4", []string{
			"csv=false", "fields= posting version title place company remote since until apply_link job :38", "json=false", "jsonl=false",
			"limit=0 10 50 100 :36", "map= svg :8", "near= :36", "output= csv json jsonl :8", "radius=50 10 25 50 100 :36", "text= :4",
		}},
		"status":  {1, ":36", []string{"json=false"}},
		"version": {0, ":0", []string{"json=false"}},
		"watch": {1, ":4", []string{
			"interval=5m0s 1m 5m 15m 1h :36", "jsonl=false", "near= :36", "once=false", "radius=50 10 25 50 100 :36", "state= json :8", "text= :4",
		}},
	}
	all := []string{
		"allow-insecure=false", "attempts=0 1 3 5 :36", "base-url= :4", "ca-file= pem crt cer :8", "channel= :4", "client-id= :4",
		"client-secret-file= :0", "config= toml :8", "debug=false", "fake=false", "job= :36", "jobdb-url= :4", "language= :4",
		"timeout= 5s 15s 60s :36", "token-file= :0", "token-url= :4", "user-token-file= :0",
	}
	completed := func(args ...string) string {
		return strings.Join(strings.Fields(newProcess().completed(t, append(args, "")...)), " ")
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
	j := newProcess().program(io.Discard, io.Discard)
	root := j.commands(j.Program)
	for _, c := range root.Commands() {
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
		newProcess().run(t, append([]string{c.Name()}, args...)...).want(t, setup.ExitUsage).wantErr(t, fmt.Sprintf("one argument too many: %q", args[w.most]))
		if err := c.Args(c, args[:w.most]); err != nil {
			t.Errorf("%s does not take %d arguments: %v", c.Name(), w.most, err)
		}
	}
	if got := flags("search", root.PersistentFlags()); !slices.Equal(got, all) {
		t.Errorf("every command has the flags %q", got)
	}
}

// What a command cannot do without is named before anything is sent, and a mistake in the
// settings ends every command that reads them.
func TestWhatACommandNeeds(t *testing.T) {
	srv := demo(t)
	for command, needs := range map[string]string{
		"search": "BASE_URL CHANNEL", "search --jsonl": "BASE_URL CHANNEL", "watch": "BASE_URL CHANNEL", "info": "JOBDB_URL JOB",
		"apply-form": "JOBDB_URL JOB", "status": "BASE_URL JOBDB_URL USER_TOKEN JOB", "feed -": "JOBDB_URL",
	} {
		args := strings.Fields(command)
		for name := range strings.FieldsSeq(needs) {
			newProcess().pointAt(srv).set(name, "").run(t, args...).want(t, setup.ExitUsage).wantErr(t, "JOBBOARD_"+name)
		}
		newProcess().pointAt(srv).run(t, append(args, "--config", "/no/such")...).want(t, setup.ExitUsage).wantErr(t, "/no/such")
	}
	newProcess().pointAt(srv).run(t, "doctor", "--config", "/no/such").want(t, setup.ExitUsage).wantErr(t, "/no/such")
	if n := srv.Count(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// A flag whose value cannot be used ends every command that has it.
func TestWrongValues(t *testing.T) {
	srv := demo(t)
	for _, test := range []struct{ args, want string }{
		{"search --near Berlni", "is it Berlin"},
		{"search --map x.png", ".svg"},
		{"search --output x", "--output: the name"},
		{"search --fields x", "there is no field"},
		{"search a --text b", "are both the text"},
		{"feed - --output x", "--output: the name"},
		{"feed - --csv --fields x", "there is no field"},
		{"feed - --fields job", "--fields is for lines"},
		{"feed http:///x", "address cannot be used"},
		{"feed http://h\x01/", "address cannot be used"},
		{"watch --near Berlni", "is it Berlin"},
		{"watch --interval 999ms", "shorter than 1s"},
		{"watch --once", "--once needs --state"},
		{"watch --state /", "--state: "},
		{"info --output x", "--output: the name"},
		{"apply-form --output x", "--output: the name"},
		{"apply-form --action ftp://x", "--action is neither"},
		{"apply-form --action //host/x", "--action is neither"},
		{"apply-form --action http://\x01", "--action is neither"},
		{"init --fake", "--fake needs no configuration"},
		{"fake --addr x", "--addr: "},
		{"fake --jobdb-addr x", "--jobdb-addr: "},
		{"completion tcsh", "name a shell"},
	} {
		r := newProcess().pointAt(srv).run(t, strings.Fields(test.args)...).want(t, setup.ExitUsage).wantErr(t, test.want)
		if r.out != "" {
			t.Errorf("%s: %q", test.args, r.out)
		}
	}
	if n := srv.Count(); n > 0 {
		t.Errorf("%d requests", n)
	}
	for _, action := range []string{"/send", "send?x=1", "https://x.example/y", "http://x"} {
		newProcess().pointAt(srv).run(t, "apply-form", "--action", action).want(t, setup.ExitOK, `action="`+action+`"`)
	}
}
