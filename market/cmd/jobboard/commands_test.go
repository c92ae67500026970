package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// Each command has these flags and takes as many arguments, and all commands have the same
// flags of settings.
func TestFlagsAndArguments(t *testing.T) {
	want := map[string]clitest.Command{
		"check": {Most: 0, Args: ":0", Flags: []string{
			"channels=[] :4", "feed= :4", "jobs=[] :4", "junit= xml :8", "languages=[] :4", "plan=false", "save= json :8",
		}},
		"completion": {Most: 0, Args: ":0", Flags: []string{"shell= bash zsh fish powershell :36"}},
		"doctor":     {Most: 0, Args: ":0", Flags: []string{"json=false"}},
		"feed": {Most: 1, Args: "xml gz :8", Flags: []string{
			"concurrency=16 4 16 64 :36", "csv=false", "fields= job outcome apply_possible questions title company language city privacy_link error :38",
			"jsonl=false", "limit=0 10 50 100 :36", "rate=0 10 50 100 :36",
		}},
		"info": {Most: 1, Args: ":4", Flags: []string{"json=false"}},
		"mcp":  {Most: 0, Args: ":0", Flags: []string{"state= :0"}},
		"search": {Most: clitest.Unbounded, Args: ":4", Flags: []string{
			"csv=false", "fields= posting version title place company remote since until apply_link job :38", "json=false", "jsonl=false",
			"limit=0 10 50 100 :36", "near= :36", "radius=50 10 25 50 100 :36",
		}},
		"status":  {Most: 1, Args: ":4", Flags: []string{"json=false", "nationalities=false"}},
		"version": {Most: 0, Args: ":0"},
		"watch": {Most: clitest.Unbounded, Args: ":4", Flags: []string{
			"interval=5m0s 1m 5m 15m 1h :36", "jsonl=false", "near= :36", "once=false", "radius=50 10 25 50 100 :36", "state= json :8",
		}},
	}
	all := []string{
		"allow-insecure=false", "attempts=0 1 3 5 :36", "base-url= :4", "ca-file= pem crt cer :8", "channel= :4", "client-id= :4",
		"client-secret-file= :0", "config= toml :8", "debug=false", "fake=false", "job= :4", "jobdb-url= :4", "language= :4",
		"timeout= 5s 15s 60s :36", "token-file= :0", "token-url= :4", "user-token-file= :0",
	}
	program := clitest.Program{
		Completed: func(args ...string) string { return newProcess().completed(t, args...) },
		Refused: func(why string, args ...string) {
			newProcess().run(t, args...).want(t, setup.ExitUsage).wantErr(t, why)
		},
	}
	root := commands(newProcess().program(io.Discard, io.Discard))
	program.Check(t, root, want)
	if got := program.Flags("search", root.PersistentFlags()); !slices.Equal(got, all) {
		t.Errorf("every command has the flags %q", got)
	}
}

// What a command cannot do without is named before anything is sent, and a mistake in the
// settings ends every command that reads them.
func TestWhatACommandNeeds(t *testing.T) {
	srv := demo(t)
	for command, needs := range map[string]string{
		"search": "BASE_URL CHANNEL", "search --jsonl": "BASE_URL CHANNEL", "watch": "BASE_URL CHANNEL", "info": "JOBDB_URL JOB",
		"status": "BASE_URL JOBDB_URL USER_TOKEN JOB", "feed -": "JOBDB_URL",
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

// A flag whose value cannot be used ends every command that has it, and the next step is told.
func TestWrongValues(t *testing.T) {
	srv := demo(t)
	for _, test := range []struct{ args, want string }{
		{"search --near Berlni", "is it Berlin"},
		{"search --fields x", "there is no field"},
		{"feed - --csv --fields x", "there is no field"},
		{"feed - --fields job", "--fields is for lines"},
		{"feed http:///x", "address cannot be used"},
		{"feed http://h\x01/", "address cannot be used"},
		{"watch --near Berlni", "is it Berlin"},
		{"watch --interval 999ms", "shorter than 1s"},
		{"watch --once", "--once has nothing to compare with"},
		{"watch --state /", "--state: "},
		{"completion -s tcsh", "there is no shell"},
		{"info abc", "is not a positive number"},
		{"status 0", "is not a positive number"},
		{"search --limit -1", "--limit is negative"},
		{"search --limit x", "--limit"},
		{"search --radius 5", "--radius needs a place"},
		{"search --timeout -1s", "--timeout"},
		{"search --attempts -1", "--attempts"},
		{"search --user-token-file /no/such", "no such file"},
		{"search --ca-file /no/such", "no such file"},
		{"search --language de_AT!", "language"},
		{"search --csv --json", "exclude each other"},
		{"feed", "no feed is named"},
		{"feed /no/such", "no such file"},
		{"feed - --concurrency 0", "--concurrency"},
		{"feed - --rate -1", "--rate"},
		{"check --jobs x", "--jobs"},
		{"nope", "unknown command"},
		{"help nope", "unknown command"},
		{"version x", "one argument too many"},
	} {
		r := newProcess().pointAt(srv).run(t, strings.Fields(test.args)...).want(t, setup.ExitUsage).wantErr(t, test.want, "\nnext: ")
		if r.out != "" {
			t.Errorf("%s: %q", test.args, r.out)
		}
	}
	if n := srv.Count(); n > 0 {
		t.Errorf("%d requests", n)
	}
}
