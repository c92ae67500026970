package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// The configuration that init writes is one that the program reads.
func TestInit(t *testing.T) {
	srv := demo(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "config.toml")
	secret := clitest.WriteFile(t, "secret", "canary-secret\n", 0o600)
	p := newProcess()
	p.defaultConfig = path
	p.run(t, "init", "--base-url", srv.BaseURL, "--client-id", srv.Demo.ConfidentialClient, "--client-secret-file", secret,
		"--channel", srv.Demo.Channel).want(t, setup.ExitOK, "wrote "+path).wantErr(t, "jobboard doctor").without(t, "canary")
	text := read(t, path)
	for _, s := range setup.List {
		name := s.Name
		if s.Secret {
			name += "_file"
		}
		if !strings.Contains(text, "\n"+name+" = ") && !strings.Contains(text, "\n# "+name+" = ") {
			t.Errorf("%s is not there:\n%s", name, text)
		}
	}
	// The file's first lines explain its purpose, which settings override it and
	// how to try it.
	head, _, _ := strings.Cut(text, "\n\n")
	for _, words := range []string{"# The settings of jobboard. ", "JOBBOARD_", "go before this file", "jobboard doctor", "relative to this one"} {
		if !strings.Contains(head, words) {
			t.Errorf("without %q the file begins %q", words, head)
		}
	}
	if strings.Contains(text, "canary") {
		t.Errorf("the secret is in the configuration:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if len(line) > cli.HelpWidth+1 && strings.HasPrefix(line, "# ") {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	c := map[string]any{}
	err := toml.Unmarshal([]byte(text), &c)
	if err != nil || c["base_url"] != srv.BaseURL || c["client_secret_file"] != secret || c["language"] != nil || c["allow_insecure"] != nil {
		t.Errorf("%v: %+v", err, c)
	}
	// Every example, too.
	all := regexp.MustCompile(`(?m)^# (\w+ = )`).ReplaceAllString(text, "$1")
	if err := toml.Unmarshal([]byte(all), &c); err != nil || c["language"] != "de" || c["allow_insecure"] != true {
		t.Errorf("with the examples: %v, %+v", err, c)
	}
	for _, s := range setup.List {
		if c[s.Name] == nil && c[s.Name+"_file"] == nil {
			t.Errorf("%s is not in the configuration", s.Name)
		}
		delete(c, s.Name)
		delete(c, s.Name+"_file")
	}
	if len(c) > 0 {
		t.Errorf("the configuration has no such settings: %v", c)
	}

	p.run(t, "init", "--base-url", "https://other.example").want(t, setup.ExitUsage).wantErr(t, "is there already", "--force")
	if read(t, path) != text {
		t.Error("the configuration was replaced unasked")
	}
	p.run(t, "init", "--base-url", "https://other.example", "--force").want(t, setup.ExitOK)
	if again := read(t, path); !strings.Contains(again, "\nbase_url = 'https://other.example'") {
		t.Errorf("--force did not replace it: %s", again)
	}
	p.run(t, "init", "--fake").want(t, setup.ExitUsage)
	// A secret's file that cannot be read is told now, and nothing is written.
	for _, flag := range []string{"--client-secret-file", "--token-file", "--user-token-file"} {
		missing := filepath.Join(dir, "missing")
		p.run(t, "init", "--force", flag, missing).want(t, setup.ExitUsage).wantErr(t, "missing")
		if again := read(t, path); !strings.Contains(again, "\nbase_url = 'https://other.example'") {
			t.Errorf("%s, which is missing: the configuration is %s", flag, again)
		}
	}
	newProcess().run(t, "init").want(t, setup.ExitUsage).wantErr(t, "--config")
	named := filepath.Join(dir, "mine.toml")
	newProcess().run(t, "init", "--config", named, "--allow-insecure").want(t, setup.ExitOK, named)
	if body := read(t, named); !strings.Contains(body, "\nallow_insecure = true") {
		t.Error(body)
	}
}

// The folder of the configuration is its owner's alone, and a secret's file is found from
// everywhere, wherever it was named.
func TestWhereInitWrites(t *testing.T) {
	secret := clitest.WriteFile(t, "secret", "canary-secret\n", 0o600)
	dir := t.TempDir()
	t.Chdir(filepath.Dir(secret))
	p := newProcess()
	p.defaultConfig = filepath.Join(dir, "new", "config.toml")
	p.keyboard.askSecret = func(string) (string, error) {
		t.Error("it asks for a secret that has a file")
		return "", nil
	}
	p.run(t, "init", "--client-id", "11", "--client-secret-file", "secret").want(t, setup.ExitOK)
	if info, err := os.Stat(filepath.Dir(p.defaultConfig)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	var c struct {
		File string `toml:"client_secret_file"`
	}
	if err := toml.Unmarshal([]byte(read(t, p.defaultConfig)), &c); err != nil || !filepath.IsAbs(c.File) || read(t, c.File) != "canary-secret\n" {
		t.Errorf("%v: the secret is looked for in %s", err, c.File)
	}
	// If the file cannot be written, the command reports the error and no
	// success.
	for _, path := range []string{filepath.Join(secret, "config.toml"), dir} {
		p.run(t, "init", "--force", "--config", path).want(t, setup.ExitUnexpected).wantErr(t, "jobboard: ").without(t, "wrote ", "next: ")
	}
}

// Without a client identifier nobody is asked for its secret, and the last input counts, with or
// without the end of its line.
func TestInitAsksForNoSecretOfNobody(t *testing.T) {
	for typed, want := range map[string]map[string]string{
		"https://jobs.example\n\n\n1_x\nde": {setup.BaseURL: "https://jobs.example", setup.Channel: "1_x", setup.Language: "de"},
		"":                                  {},
	} {
		p := newProcess()
		p.defaultConfig = filepath.Join(t.TempDir(), "config.toml")
		p.stdin = strings.NewReader(typed)
		asked := 0
		p.keyboard.askSecret = func(string) (string, error) { asked++; return "canary", nil }
		p.run(t, "init").want(t, setup.ExitOK)
		written := setup.Reader{DefaultConfig: p.defaultConfig, Getenv: p.getenv}
		if c, err := written.FromFile(); err != nil || !maps.Equal(c, want) || asked > 0 {
			t.Errorf("%q: asked for a secret %d times, %v, %v", typed, asked, c, err)
		}
	}
}

// On a terminal it asks for what the flags leave open.
func TestInitAsks(t *testing.T) {
	p := newProcess()
	p.defaultConfig = filepath.Join(t.TempDir(), "config.toml")
	p.stdin = strings.NewReader("https://jobdb.example\n11\n\nen\n")
	p.keyboard.askSecret = func(string) (string, error) { return "canary-secret", nil }
	p.run(t, "init", "--base-url", "https://jobs.example").want(t, setup.ExitOK).without(t, "canary").
		wantErr(t, "job information lookup: ", "27828_extern: ")
	body := read(t, p.defaultConfig)
	written := setup.Reader{DefaultConfig: p.defaultConfig, Getenv: p.getenv}
	c, err := written.FromFile()
	if err != nil || !maps.Equal(c, map[string]string{
		setup.BaseURL: "https://jobs.example", setup.JobDBURL: "https://jobdb.example", setup.ClientID: "11",
		setup.ClientSecret: "canary-secret", setup.Language: "en",
	}) {
		t.Errorf("%v: %s", err, body)
	}

	// What ends in the middle writes nothing.
	p = newProcess()
	p.defaultConfig = filepath.Join(t.TempDir(), "config.toml")
	in, keyboard := io.Pipe()
	defer keyboard.Close()
	p.stdin = in
	ctx, cancel := context.WithCancel(t.Context())
	shown := false
	p.keyboard.askSecret = func(string) (string, error) { return "", errors.New("not reached") }
	p.keyboard.showInput = func() { shown = true }
	go func() {
		_, _ = io.WriteString(keyboard, "https://jobs.example\n")
		cancel()
	}()
	if r := p.runContext(ctx, t, "init"); r.code != setup.ExitInterrupted || !shown {
		t.Errorf("exit code %d, shown %t: %s", r.code, shown, r.err)
	}
	if _, err := os.Stat(p.defaultConfig); err == nil {
		t.Error("an interrupted init wrote something")
	}
}

// On a terminal of its own: the secret does not come onto it, and Ctrl-C at any
// question ends it.
func TestInitOnATerminal(t *testing.T) {
	bin := installed(t)
	home := t.TempDir()
	start := func() *screen {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "jobboard"), "init")
		cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+home)
		return newScreen(t, cmd)
	}
	s := start()
	s.until("base address of the service: ")
	s.typed("https://jobs.example\n\n11\n")
	s.until("not shown")
	s.until(": ")
	s.typed("canary-secret\n")
	s.until("such as 27828_extern: ")
	s.typed("\n")
	s.until("such as de: ")
	s.typed("\n")
	if came := s.until("next: "); !strings.Contains(came, "wrote ") {
		t.Errorf("%q", came)
	}
	if strings.Contains(s.seen, "canary") {
		t.Errorf("the secret is on the screen: %q", s.seen)
	}
	if body := read(t, filepath.Join(home, "jobboard", "config.toml")); !strings.Contains(body, "\nclient_secret = 'canary-secret'") {
		t.Error(body)
	}
	home = t.TempDir()
	s = start()
	s.until("base address of the service: ")
	s.typed("https://jobs.example\n\n11\n")
	s.until("not shown")
	s.typed("\x03")
	s.until("interrupted")
	if _, err := os.Stat(filepath.Join(home, "jobboard")); err == nil {
		t.Error("an interrupted init wrote something")
	}
}
