package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// wantSearch wants one search, of that path below /jobboards/ and with that credential.
func wantSearch(t *testing.T, srv *jobboardtest.Server, path, credential string) {
	t.Helper()
	all := srv.Requests(jobboardtest.OpSearch)
	srv.ClearRequests()
	if len(all) != 1 || !strings.HasSuffix(all[0].Path, "/jobboards/"+path) || all[0].Credential != credential {
		t.Errorf("searched as %v, want %s by %s", all, path, credential)
	}
}

func TestFlagsThenEnvironmentThenFile(t *testing.T) {
	inFile, inEnvironment, inFlag := demo(t), demo(t), demo(t)
	const identifier, clientToken = "basic client 10", "client token"
	tokenFile := clitest.WriteFile(t, "token", inFile.Demo.ClientToken+"\n", 0o600)
	p := newProcess()
	p.defaultConfig = clitest.WriteFile(t, "config.toml", fmt.Sprintf("base_url = %q\nchannel = \"in_file\"\nclient_id = \"10\"\n", inFile.BaseURL), 0o600)
	for _, step := range []struct {
		set        env // from here on
		flags      []string
		asked      *jobboardtest.Server
		channel    string
		credential string
	}{
		{nil, nil, inFile, "in_file", identifier},
		{env{"BASE_URL": inEnvironment.BaseURL}, nil, inEnvironment, "in_file", identifier},
		{env{"CHANNEL": "in_environment"}, []string{"--base-url", inFlag.BaseURL}, inFlag, "in_environment", identifier},
		{nil, []string{"--base-url", inFlag.BaseURL, "--channel", "in_flag"}, inFlag, "in_flag", identifier},
		// A token closer to the command goes before an identifier, and back.
		{env{"TOKEN": inFile.Demo.ClientToken}, nil, inEnvironment, "in_environment", clientToken},
		{nil, []string{"--client-id", "10"}, inEnvironment, "in_environment", identifier},
		{env{"CLIENT_ID": "10"}, []string{"--token-file", tokenFile}, inEnvironment, "in_environment", clientToken},
	} {
		p.with(step.set).run(t, append([]string{"search"}, step.flags...)...).want(t, setup.ExitOK)
		wantSearch(t, step.asked, step.channel+"/jobs", step.credential)
	}
	p.run(t, "search").want(t, setup.ExitUsage).wantErr(t, "exclude each other")

	// --fake reads neither, and takes no address.
	p.run(t, "search", "--fake").want(t, setup.ExitOK, "42 of 42")
	p.run(t, "search", "--fake", "--base-url", "x").want(t, setup.ExitUsage).wantErr(t, "--base-url")
	newProcess().run(t, "search", "--fake", "--attempts", "-1").want(t, setup.ExitUsage).wantErr(t, "--attempts is negative")
	if n := inFile.Count() + inEnvironment.Count() + inFlag.Count(); n > 0 {
		t.Errorf("--fake asked %d times", n)
	}
}

func TestApplicantsTokenSearchesWhereThereIsNoOther(t *testing.T) {
	srv := demo(t)
	p := newProcess().pointAt(srv)
	delete(p.env, "JOBBOARD_CLIENT_ID")
	p.run(t, "search").want(t, setup.ExitOK, "42 of 42")
	wantSearch(t, srv, srv.Demo.Channel+"/jobs", "user token of applicant 7")
}

func TestClientCredentials(t *testing.T) {
	srv := demo(t)
	p := newProcess().pointAt(srv).set("CLIENT_ID", srv.Demo.ConfidentialClient).set("CLIENT_SECRET", srv.Demo.ConfidentialSecret)
	p.run(t, "search").want(t, setup.ExitOK, "42 of 42")
	wantSearch(t, srv, srv.Demo.Channel+"/jobs", "client token")
	p.set("BASE_URL", srv.BaseURL+"/api/rest/")
	p.run(t, "search").want(t, setup.ExitOK, "42 of 42")
	p.set("CLIENT_SECRET", "wrong-canary-secret")
	p.run(t, "search").want(t, setup.ExitCredential).wantErr(t, "invalid_client").without(t, "wrong-canary-secret")
	delete(p.env, "JOBBOARD_CLIENT_ID")
	p.run(t, "search").want(t, setup.ExitUsage).wantErr(t, "JOBBOARD_CLIENT_ID")

	// The secret goes to the token address alone, and not in the clear.
	var leaked []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { leaked = append(leaked, r.URL.Path) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		moved := httptest.NewServer(http.RedirectHandler(other.URL+"/token", status))
		newProcess().pointAt(srv).set("CLIENT_ID", "11").set("CLIENT_SECRET", "canary-secret").set("TOKEN_URL", moved.URL).
			run(t, "search").want(t, setup.ExitCredential).without(t, "canary-secret")
		moved.Close()
	}
	if len(leaked) > 0 {
		t.Errorf("a redirect of the token address was followed: %v", leaked)
	}
}

func TestConfigurationFile(t *testing.T) {
	srv := demo(t)
	secret := clitest.WriteFile(t, "user-token", srv.Demo.ApplicantToken+"\n", 0o600)
	whole := fmt.Sprintf("base_url = %q\njobdb_url = %q\nclient_id = \"10\"\nchannel = %q\njob = \"%d\"\nuser_token_file = \"user-token\"\n",
		srv.BaseURL, srv.JobDBURL, srv.Demo.Channel, srv.Demo.OpenJob)
	config := filepath.Join(filepath.Dir(secret), "config.toml")
	if err := os.WriteFile(config, []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	newProcess().run(t, "status", "--config", config).want(t, setup.ExitOK, "may apply")
	newProcess().set("CONFIG", config).run(t, "status").want(t, setup.ExitOK, "may apply")
	newProcess().run(t, "search", "--config", "/no/such/file").want(t, setup.ExitUsage)
	p := newProcess().pointAt(srv)
	p.defaultConfig = "/no/such/file"
	p.run(t, "search").want(t, setup.ExitOK)

	newProcess().set("BASE_ULR", "https://canary.example").run(t, "search").want(t, setup.ExitUsage).without(t, "canary").
		wantErr(t, "warning: the variable JOBBOARD_BASE_ULR means nothing here; is it JOBBOARD_BASE_URL?", "no base address is set")
	newProcess().pointAt(srv).set("ALLOW_INSECURE", "1").run(t, "search").want(t, setup.ExitOK)
	newProcess().pointAt(srv).run(t, "status", "--user-token-file", clitest.WriteFile(t, "token", srv.Demo.ApplicantToken, 0o644)).want(t, setup.ExitOK).
		wantErr(t, "warning:", "chmod 600")
}

// The file of README.md to copy is one that the program reads, with all settings.
func TestConfigurationToCopy(t *testing.T) {
	_, text, _ := strings.Cut(read(t, "README.md"), "```toml\n")
	text, _, _ = strings.Cut(text, "```")
	srv := demo(t)
	text = strings.NewReplacer("https://jobs.example/", srv.BaseURL+"/", "https://jobs.example", srv.BaseURL, "https://jobdb.example", srv.JobDBURL).Replace(text)
	path := clitest.WriteFile(t, "config.toml", text, 0o600)
	newProcess().run(t, "search", "--config", path).want(t, setup.ExitOK, "Pflegefachkraft")
	for _, s := range setup.List {
		name := s.Name
		if s.Secret {
			name += "_file"
		}
		if !strings.Contains(text, "\n"+name+" = ") && !strings.Contains(text, "\n# "+name+" = ") && !strings.HasPrefix(text, name) {
			t.Errorf("README.md shows no %s", name)
		}
	}
	secret := clitest.WriteFile(t, "user-token", srv.Demo.ApplicantToken, 0o600)
	for _, name := range []string{"user_token_file = ", "job = ", "language = "} {
		text = strings.Replace(text, "# "+name, name, 1)
	}
	path = filepath.Join(filepath.Dir(secret), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	newProcess().run(t, "status", "--config", path).want(t, setup.ExitOK, "may apply")
}

// Every command with every secret, against a service that echoes what it is
// sent and fails in many ways, with --debug: none of the secrets comes out.
func TestNoSecretComesOut(t *testing.T) {
	const (
		client = "canary-client-token"
		user   = "canary-user-token"
		secret = "canary-client-secret"
		issued = "canary-issued-token"
	)
	var known atomic.Value // what the program was told
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/token") {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, issued)
			return
		}
		said := r.Header.Get("Authorization")
		w.Header().Set("Server", said)
		w.Header().Set("Via", said+" "+known.Load().(string))
		switch r.URL.Query().Get("search") {
		case "redirect":
			w.Header().Set("Location", "/login?token="+said)
			w.WriteHeader(http.StatusFound)
		case "challenge":
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="invalid_token", error_description=%q`, said))
			w.WriteHeader(http.StatusUnauthorized)
		case "coded":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"code":"get_project_error","message":%q}`, said)
		default:
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, "you said %s", said)
		}
	}))
	defer echo.Close()
	feed := clitest.WriteFile(t, "feed.xml", sampleFeed(1, 2), 0o600)
	dir := t.TempDir()
	for _, credential := range []map[string]string{{"TOKEN": client}, {"CLIENT_ID": "11", "CLIENT_SECRET": secret}} {
		for _, command := range []string{
			"search", "search redirect", "search challenge", "search coded",
			"search --json --token-url http://127.0.0.1:1/", "info 1", "status 1", "status 1 --json",
			"feed " + feed, "feed " + feed + " --csv", "feed " + feed + " --jsonl",
			"watch --once --state " + filepath.Join(dir, "state"),
			"doctor", "doctor --json",
			"search --token " + client, "search --user-token=" + user, "search --client-secret=" + secret, "--help",
		} {
			p := newProcess().set("BASE_URL", echo.URL).set("JOBDB_URL", echo.URL+"/jobdb").set("CHANNEL", "x").set("USER_TOKEN", user)
			told := user
			for name, v := range credential {
				p.set(name, v)
				if strings.HasPrefix(v, "canary") {
					told += v
				}
			}
			known.Store(told)
			r := p.run(t, append(strings.Fields(command), "--debug", "--attempts", "1")...)
			r.without(t, "canary")
			if command == "search" && (!strings.Contains(r.err, "jobboard: request") || !strings.Contains(r.err, "status=500")) {
				t.Errorf("--debug says nothing:\n%s", r.err)
			}
			if command == "doctor --json" && !strings.Contains(r.out, "[hidden]") {
				t.Errorf("support is not told what the answers echo:\n%s", r.out)
			}
		}
	}
}
