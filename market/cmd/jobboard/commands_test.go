package main

import (
	"io"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// Each command has a help that fits, completes its flags, and refuses what it does not take.
func TestCommands(t *testing.T) {
	clitest.Check(t, commands(newProcess().program(io.Discard, io.Discard)), func(args ...string) (int, string, string) {
		r := newProcess().run(t, args...)
		return r.code, r.out, r.err
	})
	newProcess().run(t, "search", "--help").want(t, setup.ExitOK, "jobboard help settings", "--near place")
	newProcess().run(t, "version", "--help").want(t, setup.ExitOK, "Go release").without(t, "help settings")
	if out := newProcess().completed(t, "feed", ""); out != "xml\ngz\n:8\n" {
		t.Errorf("a feed is completed with %q", out)
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
		{"search --fields title,plcae", `no field "plcae"; is it place?`},
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
		{"search --near Berlin --radius far", `--radius: "far" is not a number`},
		{"search --near here", "--near 52.52,13.405"},
		{"search --near 152,13", "--near"},
		{"search --timeout soon", "10s"},
		{"search --token abc", "secrets have no flag"},
		{"search --outptu x", "unknown flag: --outptu"},
		{"search --chanel x", "is it --channel?"},
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
		{"serch", "search"},
		{"help nope", "unknown command"},
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
