package main

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// Each command has these flags and takes as many arguments.
func TestFlagsAndArguments(t *testing.T) {
	want := map[string]clitest.Command{
		"backup":  {Most: 1, Args: ":0", Flags: nil},
		"changes": {Most: 0, Args: ":0", Flags: []string{"follow=false", "since= :4"}},
		"doctor":  {Most: 0, Args: ":0", Flags: []string{"feed=[] :0", "json=false"}},
		"forget":  {Most: 0, Args: ":0", Flags: []string{"job=0 :4", "posting=0 :4"}},
		"migrate": {Most: 0, Args: ":0", Flags: []string{"board= :4", "board-moved=false"}},
		"refresh": {Most: 0, Args: ":0", Flags: []string{
			"accept-removals=false", "board= :4", "channels= :4", "feed=[] :0",
			"hold-missing=0s 24h 72h :36", "json=false", "keep-changes=0s 720h 2160h :36", "keep-jobs=0s 720h 2160h :36", "keep-sources=0s 24h 168h :36",
			"languages= de en de,en :36", "lookup-every=0s 20h 24h :36", "max-age=0s 48h 96h :36", "rate=0 5 20 50 :36", "refresh-every=0s 15m 1h :36", "remove-sources=false",
		}},
		"completion": {Most: 0, Args: ":0", Flags: []string{"shell= bash zsh fish powershell :36"}},
		"rebuild":    {Most: 0, Args: ":0", Flags: nil},
		"run": {Most: 0, Args: ":0", Flags: []string{
			"accept-removals=false", "addr= :4", "allow= :4", "board= :4", "channels= :4", "feed=[] :0",
			"hold-missing=0s 24h 72h :36", "hosts=[] :4", "keep-changes=0s 720h 2160h :36", "keep-jobs=0s 720h 2160h :36", "keep-sources=0s 24h 168h :36",
			"languages= de en de,en :36", "lookup-every=0s 20h 24h :36", "max-age=0s 48h 96h :36", "mcp= :4", "monitor= :4", "rate=0 5 20 50 :36", "refresh-every=0s 15m 1h :36",
			"remove-sources=false", "synonyms= txt :8",
		}},
		"search": {Most: clitest.Unbounded, Args: ":4", Flags: []string{
			"after= :4", "all=false", "category= :4", "changed-after= :4", "company= :4", "csv=false", "facets=false", "fields= posting job language km title place company evidence seen :38",
			"json=false", "limit=0 10 50 100 :36", "near= :36", "place= :4", "radius=50 10 25 50 100 :36", "remote= :4", "since=0 :4",
			"synonyms= txt :8",
		}},
		"serve":   {Most: 0, Args: ":0", Flags: []string{"addr=127.0.0.1:8080 :4", "allow= :4", "hosts=[] :4", "max-age=0s 48h 96h :36", "mcp= :4", "monitor= :4", "synonyms= txt :8"}},
		"status":  {Most: 0, Args: ":0", Flags: []string{"json=false"}},
		"version": {Most: 0, Args: ":0"},
	}
	program := clitest.Program{
		Completed: func(args ...string) string { return ran(t, nil, append([]string{"__complete"}, args...)...).out },
		Refused: func(why string, args ...string) {
			if r := ran(t, nil, args...); r.code != setup.ExitUsage || !strings.Contains(r.err, why) {
				t.Errorf("%q: %v", args, r)
			}
		},
	}
	program.Check(t, commands(cli.New("jobboard-mirror")), want)
}
