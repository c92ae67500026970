package main

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
)

// Each command has a help that fits, completes its flags, and refuses what it does not take.
func TestCommands(t *testing.T) {
	env := map[string]string{"JOBBOARD_MIRROR_DB": "postgres://u:secret@h/db"}
	clitest.Check(t, commands(cli.New("jobboard-mirror")), func(args ...string) (int, string, string) {
		r := ran(t, env, args...)
		if strings.Contains(r.out+r.err, "secret@") || strings.Contains(r.out, "[=") {
			t.Errorf("%q: %v", args, r)
		}
		return r.code, r.out, r.err
	})
	if r := ran(t, nil, "help", "settings"); !strings.Contains(r.out, "--db address ") {
		t.Errorf("the settings have no --db, to which each command's help leads: %s", r.out)
	}
}
