package setup

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
)

// reader reads the settings of variables, which are named without JOBBOARD_, and of a
// configuration.
func reader(t *testing.T, environment map[string]string, config string) *Reader {
	t.Helper()
	r := &Reader{
		UserAgent: "towns", Log: io.Discard,
		Getenv: func(name string) string { return environment[strings.TrimPrefix(name, "JOBBOARD_")] },
		Environ: func() (all []string) {
			for _, name := range slices.Sorted(maps.Keys(environment)) {
				all = append(all, "JOBBOARD_"+name+"="+environment[name])
			}
			return all
		},
	}
	if config != "" {
		r.DefaultConfig = clitest.WriteFile(t, "config.toml", config, 0o600)
	}
	return r
}

// read reads the settings with flags.
func (r *Reader) read(t *testing.T, flags ...string) (*Board, error) {
	t.Helper()
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	r.AddFlags(f)
	if err := f.Parse(flags); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r.Read(f)
}

// says fails the test unless an error is a wrong setting with these words and this next step.
func says(t *testing.T, what any, err error, words, next string) {
	t.Helper()
	code, hint := ExitOf(err)
	if err == nil || code != ExitUsage || !strings.Contains(err.Error(), words) || !strings.Contains(hint, next) || (next == "") != (hint == "") {
		t.Errorf("%v: exit code %d, %v, next %q; want %q, next %q", what, code, err, hint, words, next)
	}
}

// Each condition has its exit code, also where it is wrapped, and its next step.
func TestExitOf(t *testing.T) {
	for _, test := range []struct {
		err  error
		code int
		next string
	}{
		{nil, 0, ""},
		{errors.New("x"), 1, ""},
		{Usage("x"), 2, ""},
		{Lacks("x").Next("y"), 2, "y"},
		{&Error{Code: ExitIncomplete}, 7, ""},
		{context.Canceled, 130, ""},
		{jobboard.ErrInvalidInput, 2, ""},
		{jobboard.ErrUnauthorized, 3, "jobboard doctor says what is wrong with the credential"},
		{jobboard.ErrForbidden, 3, "jobboard doctor says what is wrong with the credential"},
		{jobboard.ErrToken, 3, "jobboard doctor says what is wrong with the credential"},
		{jobboard.ErrNotFound, 4, ""},
		{jobboard.ErrInactive, 4, ""},
		{jobboard.ErrNotVisible, 4, ""},
		{jobboard.ErrApplicationNotFound, 4, ""},
		{jobboard.ErrRateLimited, 5, "try again later, or slower"},
		{jobboard.ErrServer, 5, "try again later"},
		{jobboard.ErrRedirect, 5, "jobboard doctor says whether the address is right"},
		{jobboard.ErrDecode, 5, "jobboard doctor says whether the address is right"},
		{jobboard.ErrResponseTooLarge, 5, "jobboard doctor says whether the address is right"},
		{jobboard.ErrTransport, 6, "jobboard doctor says whether the address, the name and the certificate are right"},
		{jobboard.ErrTimeout, 6, "jobboard doctor says whether the address, the name and the certificate are right"},
		{context.DeadlineExceeded, 6, "jobboard doctor says whether the address, the name and the certificate are right"},
		{&jobboard.Error{StatusCode: 418}, 5, "jobboard doctor says whether the address is right"},
	} {
		for _, err := range []error{test.err, fmt.Errorf("more: %w", test.err)} {
			if test.err == nil {
				err = nil
			}
			if code, next := ExitOf(err); code != test.code || next != test.next {
				t.Errorf("%v: %d, %q", err, code, next)
			}
		}
	}
	if got := (&Error{Code: 4}).Error() + Usage("a %d", 1).Error(); got != "exit code 4a 1" {
		t.Error(got)
	}
	for cause, want := range map[error]string{ErrTerminated: "143 terminated", nil: "130 interrupted"} {
		ctx, end := context.WithCancelCause(t.Context())
		end(cause)
		if code, word := Interruption(ctx); fmt.Sprint(code, " ", word) != want {
			t.Errorf("%v: %d, %s", cause, code, word)
		}
	}
	if err := (Plain{fmt.Errorf("jobboard: %w", jobboard.ErrNotFound)}); strings.HasPrefix(err.Error(), "jobboard: ") || !errors.Is(err, jobboard.ErrNotFound) {
		t.Error(err)
	}
}

// A setting takes its value from the flag, else from the variable, else from the
// file.
func TestOrigins(t *testing.T) {
	secret := clitest.WriteFile(t, "secret", " of a file \n", 0o600)
	for _, s := range List {
		typed := map[Origin]string{FromFlag: "1", FromEnvironment: "2", FromFile: "3"}
		if s.Name == AllowInsecure {
			typed = map[Origin]string{FromFlag: "true", FromEnvironment: "false", FromFile: "true"}
		}
		config := s.Name + " = \"3\"\n"
		if s.Name == AllowInsecure {
			config = s.Name + " = true\n"
		}
		flag := "--" + s.Flag + "=" + typed[FromFlag]
		if s.Secret {
			typed[FromFlag], flag = "of a file", "--"+s.Flag+"="+secret
		}
		environment := map[string]string{strings.ToUpper(s.Name): typed[FromEnvironment]}
		for _, origin := range []Origin{FromFlag, FromEnvironment, FromFile} {
			r := reader(t, environment, config)
			b, err := r.read(t, map[bool][]string{true: {flag}}[origin == FromFlag]...)
			want := Value{typed[origin], origin}
			if s.Name == CAFile && origin == FromFile {
				want.Text = filepath.Join(filepath.Dir(r.DefaultConfig), "3") // beside the configuration
			}
			if err != nil || b.Values[s.Name] != want || b.Get(s.Name) != want.Text || len(b.Values) != 1 || b.File != r.DefaultConfig || len(b.Warnings) > 0 {
				t.Errorf("%s: %+v, %v, want %v", s.Name, b, err, want)
			}
			if origin == FromEnvironment {
				clear(environment)
			}
		}
		if !s.Secret {
			continue
		}
		// The file that a variable or the configuration names holds the secret.
		r := reader(t, map[string]string{strings.ToUpper(s.Name) + "_FILE": secret}, "")
		b, err := r.read(t)
		if err != nil || b.Values[s.Name] != (Value{"of a file", FromEnvironment}) || r.Secrets.Mask("of a file") != "[hidden]" {
			t.Errorf("%s_FILE: %+v, %v", s.Env(), b, err)
		}
		r = reader(t, nil, s.Name+"_file = 'beside'\n")
		if err := os.WriteFile(filepath.Join(filepath.Dir(r.DefaultConfig), "beside"), []byte("it"), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, err = r.read(t); err != nil || b.Values[s.Name] != (Value{"it", FromFile}) {
			t.Errorf("%s_file: %+v, %v", s.Name, b, err)
		}
		for _, none := range [][]string{{"--" + s.Flag + "=/no/such"}, nil} {
			_, err := reader(t, map[string]string{strings.ToUpper(s.Name) + "_FILE": "/no/such"}, "").read(t, none...)
			says(t, s.Name, err, "/no/such", "")
		}
	}
	if got := fmt.Sprint(FromFlag, FromEnvironment, FromFile, FromFake); got != "flag environment file fake" {
		t.Error(got)
	}
}

// Errors of settings name the place and suggest similar names, but never show the value, which
// may be a secret.
func TestMistakesInSettings(t *testing.T) {
	for _, test := range []struct {
		config      string
		environment map[string]string
		words, next string
	}{
		{config: "a = 1\n", words: `config.toml:1: there is no setting "a"`, next: "jobboard help settings"},
		{config: "\nchanel = 'canary'\n", words: `config.toml:2: there is no setting "chanel"; is it channel?`, next: "jobboard help settings"},
		{config: "tokenfile = 'canary'\n", words: `there is no setting "tokenfile"; is it token_file?`, next: "jobboard help settings"},
		{config: "channel = canary\n", words: "config.toml:1:", next: ""},
		{config: "[profile]\nlanguge = 'canary'\n", words: `there is no setting "profile`, next: "jobboard help settings"},
		{config: "\ntoken = ['canary']\n", words: "config.toml:2:"},
		{config: "allow_insecure = 'canary'\n", words: "config.toml:1:"},
		{config: "token = 't'\ntoken_file = 'canary'\n", words: "token and token_file are both set", next: ""},
		{config: "token_file = 'none'\n", words: "token_file: open ", next: ""},
		{environment: map[string]string{"ALLOW_INSECURE": "canary"}, words: "JOBBOARD_ALLOW_INSECURE is neither true nor false"},
		{environment: map[string]string{"CONFIG": "/no/such.toml"}, words: "configuration: open /no/such.toml"},
		{environment: map[string]string{"CONFIG": t.TempDir()}, words: "configuration: "},
	} {
		_, err := reader(t, test.environment, test.config).read(t)
		says(t, test, err, test.words, test.next)
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the value is told: %v", err)
		}
	}
	_, err := reader(t, nil, strings.Repeat("x", 12)+" = 1\n"+manyKeys(12)).read(t)
	if n := strings.Count(err.Error(), "there is no setting"); n != 10 {
		t.Errorf("%d of 13 mistakes are told: %v", n, err)
	}
	// Without a file there is nothing to read, unless somebody named it.
	r := reader(t, nil, "")
	if b, err := r.read(t); err != nil || b.File != "" || len(b.Values) > 0 {
		t.Errorf("without a file: %+v, %v", b, err)
	}
	r.DefaultConfig = "/no/such.toml"
	if b, err := r.read(t); err != nil || b.File != "" {
		t.Errorf("with no file where it would be: %+v, %v", b, err)
	}
	if path, named := r.configPath(); path != "/no/such.toml" || named {
		t.Errorf("%s, %t", path, named)
	}
	_, err = r.read(t, "--config", "/no/other.toml")
	says(t, "--config", err, "/no/other.toml", "")
	if path, named := r.configPath(); path != "/no/other.toml" || !named {
		t.Errorf("%s, %t", path, named)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d = 1\n", i)
	}
	return b.String()
}

// A file with a secret that others can read causes a warning. A configuration with a secret
// that everybody can read is refused.
func TestWhoReadsASecret(t *testing.T) {
	for _, test := range []struct {
		config, file os.FileMode
		text         string
		warnings     int
		refused      bool
	}{
		{0o600, 0o600, "token = 't'\n", 0, false},
		{0o640, 0o600, "token = 't'\n", 1, false},
		{0o620, 0o600, "token = 't'\n", 0, false},
		{0o604, 0o600, "token = 't'\n", 0, true},
		{0o644, 0o600, "user_token = 't'\n", 0, true},
		{0o644, 0o600, "client_secret = 't'\n", 0, true},
		{0o644, 0o600, "channel = 'x'\n", 0, false},
		{0o644, 0o600, "token_file = 'FILE'\n", 0, false},
		{0o644, 0o640, "token_file = 'FILE'\n", 0, false},
		{0o644, 0o604, "token_file = 'FILE'\n", 1, false},
		{0o644, 0o602, "token_file = 'FILE'\n", 0, false},
	} {
		r := reader(t, nil, "")
		r.DefaultConfig = clitest.WriteFile(t, "config.toml", strings.Replace(test.text, "FILE", clitest.WriteFile(t, "secret", "it", test.file), 1), test.config)
		b, err := r.read(t)
		if test.refused {
			says(t, test, err, "everybody on this machine can read it", "chmod 600 "+r.DefaultConfig)
		} else if err != nil || len(b.Warnings) != test.warnings || test.warnings > 0 && !strings.Contains(b.Warnings[0], "can read it: chmod 600 ") {
			t.Errorf("%+v: %v, %v", test, b, err)
		}
	}
}

// A secret is one line of a file of at most 64 KiB, a configuration is a megabyte at most.
func TestSizesOfFiles(t *testing.T) {
	for _, test := range []struct {
		text  string
		words string // of the mistake; empty: none
	}{
		{"s", ""},
		{"\r\n s \n", ""},
		{"a b", ""},
		{" \n", "is empty"},
		{"a\nb", "more than one line"},
		{"a\rb", "more than one line"},
	} {
		b, err := reader(t, map[string]string{"TOKEN_FILE": clitest.WriteFile(t, "secret", test.text, 0o600)}, "").read(t)
		if test.words != "" {
			says(t, test, err, test.words, "")
		} else if err != nil || b.Get(Token) != strings.TrimSpace(test.text) {
			t.Errorf("%q: %q, %v", test.text, b.Get(Token), err)
		}
	}
	for n, want := range map[int]int{64<<10 - 1: 64<<10 - 1, 64 << 10: 64 << 10, 64<<10 + 1: 64 << 10} {
		b, err := reader(t, map[string]string{"TOKEN_FILE": clitest.WriteFile(t, "secret", strings.Repeat("x", n), 0o600)}, "").read(t)
		if err != nil || len(b.Get(Token)) != want {
			t.Errorf("of %d bytes %d are read, %v", n, len(b.Get(Token)), err)
		}
	}
	filled := func(n int) string {
		return "channel = '1'\n#" + strings.Repeat("x", n-len("channel = '1'\n#\nlanguage = 'd")) + "\nlanguage = 'd"
	}
	for n, good := range map[int]bool{1<<20 - 1: true, 1 << 20: false} {
		_, err := reader(t, nil, filled(n)+"'").read(t)
		if (err == nil) != good {
			t.Errorf("a configuration of %d bytes: %v", n+1, err)
		}
	}
}

// A warning names a variable whose name resembles that of an unset setting.
func TestMisspeltVariables(t *testing.T) {
	for name, meant := range map[string]string{
		"CHANEL": "JOBBOARD_CHANNEL", "USERTOKEN_FILE": "JOBBOARD_USER_TOKEN_FILE", "CONFG": "JOBBOARD_CONFIG", "MIRRORDB": "JOBBOARD_MIRROR_DB", "SEED": "", "MIRROR_DB": "",
	} {
		b, err := reader(t, map[string]string{name: ""}, "").read(t)
		want := []string(nil)
		if meant != "" {
			want = []string{"the variable JOBBOARD_" + name + " means nothing here; is it " + meant + "?"}
		}
		if err != nil || !slices.Equal(b.Warnings, want) {
			t.Errorf("%s: %q, %v", name, b.Warnings, err)
		}
	}
	if b, err := reader(t, map[string]string{"CHANEL": "x", "CHANNEL": "y"}, "").read(t); err != nil || len(b.Warnings) > 0 {
		t.Errorf("the one that is meant is set: %q, %v", b.Warnings, err)
	}
	r := reader(t, map[string]string{"CHANEL": "x"}, "")
	r.Environ = nil
	if b, err := r.read(t); err != nil || len(b.Warnings) > 0 {
		t.Errorf("without the environment: %q, %v", b.Warnings, err)
	}
}

// The help of each flag of a setting ends with the variable that stands for it.
func TestFlagsNameTheirVariables(t *testing.T) {
	f := pflag.NewFlagSet("x", pflag.ContinueOnError)
	new(Reader).AddFlags(f)
	for _, s := range List {
		want := " (" + s.Env() + ")"
		if s.Secret {
			want = " (" + s.Env() + "_FILE)"
		}
		if flag := f.Lookup(s.Flag); flag == nil || !strings.HasSuffix(flag.Usage, want) || flag.Usage == want {
			t.Errorf("--%s: %+v", s.Flag, flag)
		}
	}
}

// Of a token, an identifier and a secret, each of any origin, the token stays or the other two,
// whichever is set closer to the command.
func TestCredentialsOfAllOrigins(t *testing.T) {
	origins := []Origin{0, FromFlag, FromEnvironment, FromFile}
	for _, token := range origins {
		for _, id := range origins {
			for _, secret := range origins {
				var closest Origin // of identifier and secret
				for _, o := range origins[1:] {
					if closest == 0 && (id == o || secret == o) {
						closest = o
					}
				}
				s := Settings{Values: map[string]Value{}}
				var others []string
				for _, set := range []struct {
					name   string
					origin Origin
				}{{Token, token}, {ClientID, id}, {ClientSecret, secret}} {
					if set.origin != 0 {
						s.Values[set.name] = Value{"x", set.origin}
						if set.name != Token {
							others = append(others, set.name)
						}
					}
				}
				var want []string
				switch {
				case token == 0, closest != 0 && closest < token:
					want = others
				case closest == token:
					want = append(others, Token)
				default:
					want = []string{Token}
				}
				s.chooseCredential()
				kept, both := slices.Sorted(maps.Keys(s.Values)), token != 0 && token == closest
				if !slices.Equal(kept, want) || (s.ambiguous != nil) != both {
					t.Errorf("token %d, identifier %d, secret %d: %q, %v", token, id, secret, kept, s.ambiguous)
				}
			}
		}
	}
}

// The settings become the configuration of a client.
func TestConfig(t *testing.T) {
	all := map[string]string{"BASE_URL": "https://jobs.example", "JOBDB_URL": "https://jobdb.example", "LANGUAGE": "de", "CLIENT_ID": "10"}
	b, err := reader(t, all, "").read(t, "--attempts", "3", "--timeout", "10s")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := b.Config(jobboard.Config{})
	if err != nil || cfg.BaseURL != "https://jobs.example" || cfg.JobDBURL != "https://jobdb.example" || cfg.Language != "de" || cfg.ClientID != "10" ||
		cfg.UserAgent != "towns" || cfg.AllowInsecure || cfg.TokenSource != nil || cfg.Logger != nil || cfg.HTTPClient != nil {
		t.Errorf("%+v, %v", cfg, err)
	}
	if p := cfg.Retry; p.MaxAttempts != 3 || p.Budget != 3 || p.AttemptTimeout != 10*time.Second {
		t.Errorf("%+v", p)
	}
	shortest, err := reader(t, all, "").read(t, "--attempts", "1", "--timeout", "1ns")
	if err != nil {
		t.Fatal(err)
	}
	if cfg, err := shortest.Config(jobboard.Config{}); err != nil || cfg.Retry.MaxAttempts != 1 || cfg.Retry.Budget != 1 || cfg.Retry.AttemptTimeout != 1 {
		t.Errorf("%+v, %v", cfg.Retry, err)
	}
	if c, err := b.NewClient(jobboard.Config{}); err != nil || c == nil {
		t.Error(err)
	}
	b, _ = reader(t, all, "").read(t, "--debug")
	if cfg, err := b.Config(jobboard.Config{Retry: jobboard.RetryPolicy{MaxAttempts: 2}}); err != nil || cfg.Retry.MaxAttempts != 2 || cfg.Retry.Budget != 0 ||
		cfg.Retry.AttemptTimeout != 0 || cfg.Logger == nil {
		t.Errorf("%+v, %v", cfg, err)
	}
	for _, test := range []struct {
		set         map[string]string // beside the others; an empty text takes one away
		flags       []string
		words, next string
	}{
		{map[string]string{"BASE_URL": "", "JOBDB_URL": ""}, nil, "no address is set", "set JOBBOARD_BASE_URL and JOBBOARD_JOBDB_URL, or try --fake"},
		{nil, []string{"--attempts", "-1"}, "--attempts is negative", "--attempts 0"},
		{nil, []string{"--timeout", "-1s"}, "--timeout is negative", "--timeout 10s"},
		{map[string]string{"CLIENT_ID": "", "CLIENT_SECRET": "s"}, nil, "a client secret and no client identifier", "set JOBBOARD_CLIENT_ID beside the secret"},
		{map[string]string{"BASE_URL": "http://jobs.example"}, nil, "the base address (base_url) is http to a host that is not loopback", "--allow-insecure"},
		{map[string]string{"JOBDB_URL": "http://u@jobs.example"}, nil, "the lookup address (jobdb_url) ", "take name and password out of the address"},
		{map[string]string{"BASE_URL": "jobs.example"}, nil, "the base address (base_url) ", "write the address with its scheme"},
		{map[string]string{"BASE_URL": "https://jobs.example/#x"}, nil, "the base address (base_url) ", "write the address with its scheme"},
		{map[string]string{"BASE_URL": "http://jobs.example/?x"}, nil, "the base address (base_url) ", "write the address with its scheme"},
		{map[string]string{"LANGUAGE": "d\ne"}, nil, "the language ", ""},
		{map[string]string{"CLIENT_ID": "a:b"}, nil, "the client identifier (client_id) ", ""},
		{map[string]string{"CA_FILE": "/no/such.pem"}, nil, "ca_file: open /no/such.pem", ""},
		{map[string]string{"CA_FILE": clitest.WriteFile(t, "x.pem", "nothing", 0o600)}, nil, "holds no certificate in PEM form", ""},
		{map[string]string{"CLIENT_SECRET": "s", "TOKEN_URL": "ftp://x/"}, nil, "token_url) is not an absolute http or https address", ""},
		{map[string]string{"CLIENT_SECRET": "s", "TOKEN_URL": "https:///x"}, nil, "token_url) is not an absolute http or https address", ""},
		{map[string]string{"CLIENT_SECRET": "s", "TOKEN_URL": "https://x/\x01"}, nil, "token_url) is not an absolute http or https address", ""},
		{map[string]string{"CLIENT_SECRET": "s", "TOKEN_URL": "https://u@x/"}, nil, "token_url) holds a user part", ""},
		{map[string]string{"CLIENT_SECRET": "s", "TOKEN_URL": "http://x/"}, nil, "token_url) is http to a host that is not loopback", ""},
	} {
		environment := maps.Clone(all)
		maps.Copy(environment, test.set)
		b, err := reader(t, environment, "").read(t, test.flags...)
		if err == nil {
			_, err = b.NewClient(jobboard.Config{})
		}
		says(t, test, err, test.words, test.next)
		var wrong *Error
		if errors.As(err, &wrong); wrong == nil || !wrong.Settings {
			t.Errorf("%v: with other settings the same may work", err)
		}
	}
	// What a person permits goes over http.
	b, _ = reader(t, map[string]string{"BASE_URL": "http://x", "CLIENT_ID": "1", "CLIENT_SECRET": "s", "TOKEN_URL": "http://y/"}, "").read(t, "--allow-insecure")
	if cfg, err := b.Config(jobboard.Config{}); err != nil || !cfg.AllowInsecure || cfg.TokenSource == nil || cfg.ClientID != "" {
		t.Errorf("%+v, %v", cfg, err)
	}
	// The lookup alone needs no credential.
	b, _ = reader(t, map[string]string{"JOBDB_URL": "https://x", "CLIENT_SECRET": "s"}, "").read(t)
	if cfg, err := b.Config(jobboard.Config{}); err != nil || cfg.TokenSource != nil {
		t.Errorf("%+v, %v", cfg, err)
	}
}

// The address of a path is below the base address, whether that ends with /api/rest or not.
func TestBelow(t *testing.T) {
	for _, base := range []string{"https://x/b", "https://x/b/", "https://x/b/api/rest", "https://x/b/api/rest/", "https://x/b//"} {
		s := Settings{Values: map[string]Value{BaseURL: {Text: base}}}
		if got, err := s.tokenAddress(); s.Below("/p") != "https://x/b/p" || got != "https://x/b"+tokenPath || err != nil {
			t.Errorf("%s: %s, %s, %v", base, s.Below("/p"), got, err)
		}
	}
	s := Settings{Values: map[string]Value{BaseURL: {Text: "https://x/a%2Fb/é/api/rest"}}}
	if got := s.Below("/p"); got != "https://x/a%2Fb/%C3%A9/p" { // where a client sends its requests
		t.Error(got)
	}
}

// The mock server answers whatever else is set up, is started once, and takes no address.
func TestFake(t *testing.T) {
	started := 0
	r := reader(t, map[string]string{"BASE_URL": "https://canary.example", "CLIENT_SECRET": "s", "ALLOW_INSECURE": "canary"}, "channel = 'canary'\n")
	r.StartFake = func() *jobboardtest.Server {
		started++
		return jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	}
	b, err := r.read(t, "--fake", "--language", "en", "--job", "5")
	if err != nil || !r.UsesFake() || b.Fake == nil || b.Fake != r.Fake() || started != 1 {
		t.Fatalf("%+v, %v, started %d times", b, err, started)
	}
	d := b.Fake.Demo
	if want := map[string]Value{
		BaseURL: {b.Fake.BaseURL, FromFake}, JobDBURL: {b.Fake.JobDBURL, FromFake}, ClientID: {d.ClientID, FromFake}, UserToken: {d.ApplicantToken, FromFake},
		Channel: {d.Channel, FromFake}, Job: {"5", FromFlag}, Language: {"en", FromFlag},
	}; !maps.Equal(b.Values, want) {
		t.Errorf("%v", b.Values)
	}
	if got := r.Secrets.Mask(d.ApplicantToken); got != "[hidden]" {
		t.Errorf("the applicant's token is shown as %s", got)
	}
	if next, err := b.FeedTransport(); err != nil || next == b.Fake.Client().Transport {
		t.Errorf("a feed is asked by %T, %v", next, err)
	}
	r.Transport = roundTrip(http.DefaultTransport.RoundTrip)
	if next, err := b.FeedTransport(); err != nil {
		t.Error(err)
	} else if _, own := next.(roundTrip); !own {
		t.Errorf("a feed is asked by %T", next)
	}
	for _, flag := range []string{"base-url", "jobdb-url", "client-id", "token-url", "ca-file"} {
		_, err := reader(t, nil, "").read(t, "--fake", "--"+flag, "x")
		says(t, flag, err, "take --"+flag+" away", "")
	}
	for _, flag := range []string{"channel", "job", "language"} {
		r := reader(t, nil, "")
		r.StartFake = func() *jobboardtest.Server { return b.Fake }
		if b, err := r.read(t, "--fake", "--"+flag, "7"); err != nil || b.Values[flag] != (Value{"7", FromFlag}) {
			t.Errorf("%s: %+v, %v", flag, b, err)
		}
	}
}

// Certificates of a file are trusted beside the system's, and attempts are logged with --debug,
// without the secrets.
func TestCAFileAndDebug(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	t.Cleanup(srv.Close)
	secure := httptest.NewTLSServer(srv.Handler())
	t.Cleanup(secure.Close)
	ca := clitest.WriteFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})), 0o644)
	at, err := url.JoinPath(secure.URL, "info")
	if err != nil {
		t.Fatal(err)
	}
	r := reader(t, map[string]string{"JOBDB_URL": at, "CA_FILE": ca, "USER_TOKEN": "canary"}, "")
	var log strings.Builder
	r.Log = &log
	b, err := r.read(t, "--debug")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.LookUp(t.Context(), []string{fmt.Sprint(srv.Demo.OpenJob)}); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`msg="jobboard: request" op=`, "method=GET", "host=127.0.0.1", `msg="jobboard: answer" op=`, "attempt=1 status=200"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in\n%s", want, log.String())
		}
	}
	log.Reset()
	r.Logger().Info("canary")
	if !strings.Contains(log.String(), "[hidden]") || strings.Contains(log.String(), "canary") {
		t.Error(log.String())
	}
	if n, err := (maskedWriter{&Reader{Log: failing{}}}).Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	cfg, err := b.Config(jobboard.Config{})
	if err != nil || cfg.HTTPClient != nil || cfg.TLS == nil || cfg.TLS.MinVersion != tls.VersionTLS12 {
		t.Errorf("the client does not make its own transport: %+v, %v", cfg, err)
	}
}

// Tokens, feeds and checks, which are not calls of a client, are asked for with the certificates of
// the file, too, and by a transport that notices an HTTP/2 connection that went silent.
func TestTransportOfOtherRequests(t *testing.T) {
	secure := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused handshakes
	ca := clitest.WriteFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})), 0o644)
	for _, env := range []map[string]string{nil, {"CA_FILE": ca}} {
		b, err := reader(t, env, "").read(t)
		if err != nil {
			t.Fatal(err)
		}
		for what, open := range map[string]func() (http.RoundTripper, error){"token": b.Transport, "feed": b.FeedTransport} {
			next, err := open()
			if err != nil {
				t.Fatal(err)
			}
			own, ok := next.(*http.Transport)
			if !ok || own.MaxResponseHeaderBytes != 256<<10 || own.HTTP2 == nil || own.HTTP2.SendPingTimeout <= 0 {
				t.Fatalf("%s: %+v", what, next)
			}
			if again, _ := open(); again != next {
				t.Errorf("%s: each request has a transport of its own", what)
			}
			resp, err := (&http.Client{Transport: next}).Get(secure.URL)
			if err == nil {
				_ = resp.Body.Close()
			}
			if (err == nil) != (env != nil) {
				t.Errorf("%s, with %v: %v", what, env, err)
			}
		}
	}
	b, err := reader(t, map[string]string{"CA_FILE": "/no/such.pem"}, "").read(t)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if next, err := b.FeedTransport(); next != nil || err == nil {
			t.Errorf("%v, %v", next, err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }
