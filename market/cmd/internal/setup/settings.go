// Package setup reads a program's settings from flags, environment and file, makes
// clients from them, and defines the exit codes.
package setup

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/internal/typo"
)

// Setting describes a setting. A flag overrides the environment, and the environment the
// file.
type Setting struct {
	Name   string // name in the file; the variable is JOBBOARD_ and the name in capitals
	Flag   string
	Help   string // help of the flag; `word` is its placeholder
	Secret bool   // the flag ends in -file and names a file
}

// Env returns the setting's environment variable.
func (s Setting) Env() string { return "JOBBOARD_" + strings.ToUpper(s.Name) }

// The names of the settings.
const (
	BaseURL       = "base_url"
	JobDBURL      = "jobdb_url"
	ClientID      = "client_id"
	ClientSecret  = "client_secret"
	TokenURL      = "token_url"
	Token         = "token"
	UserToken     = "user_token"
	Channel       = "channel"
	Job           = "job"
	Language      = "language"
	CAFile        = "ca_file"
	AllowInsecure = "allow_insecure"
)

// List holds the settings, in the order of the help.
var List = []Setting{
	{Name: BaseURL, Flag: "base-url", Help: "base `address` of the service"},
	{Name: JobDBURL, Flag: "jobdb-url", Help: "`address` of the job information lookup"},
	{Name: ClientID, Flag: "client-id", Help: "client `identifier`: alone for HTTP Basic, with a secret for OAuth2"},
	{Name: ClientSecret, Flag: "client-secret-file", Help: "`file` with the client's secret", Secret: true},
	{Name: TokenURL, Flag: "token-url", Help: "`address` that gives a token for identifier and secret (default: " +
		tokenPath + " at the base address)"},
	{Name: Token, Flag: "token-file", Help: "`file` with an access token of the client", Secret: true},
	{Name: UserToken, Flag: "user-token-file", Help: "`file` with an access token of the applicant", Secret: true},
	{Name: Channel, Flag: "channel", Help: "`channel` of postings, such as 27828_extern"},
	{Name: Job, Flag: "job", Help: "job `identifier`, for commands without one of their own"},
	{Name: Language, Flag: "language", Help: "`language` of the results, such as de"},
	{Name: CAFile, Flag: "ca-file", Help: "`file` with certificates (PEM) to trust besides the system's"},
	{Name: AllowInsecure, Flag: "allow-insecure", Help: "send credentials over http to other hosts, readable on the way"},
}

// Help explains where settings come from.
const Help = `Settings come from flags, then from the environment, then from a file. The flags
below name the variables of the environment. A secret is in a file, or itself in
JOBBOARD_CLIENT_SECRET, JOBBOARD_TOKEN or JOBBOARD_USER_TOKEN. The configuration
file has the names of the environment in lower case without JOBBOARD_, as TOML;
the README of jobboard has one to copy. NO_COLOR turns colours off.`

// The environment variables that are not settings. MirrorDB names the database of
// jobboard-mirror.
const (
	configVariable = "JOBBOARD_CONFIG"
	MirrorDB       = "JOBBOARD_MIRROR_DB"
)

// Reader reads the settings of a program. Each call of Read reads them again.
type Reader struct {
	UserAgent     string
	Getenv        func(string) string
	Environ       func() []string // name=value, to find misspelt names in; nil: none
	DefaultConfig string          // path of the configuration file; empty: none
	Log           io.Writer       // output of --debug

	StartFake func() *jobboardtest.Server // nil: with sockets and the demo
	Transport http.RoundTripper           // nil: the client's default
	Limiter   jobboard.Limiter            // limiter of all clients; nil: none

	Secrets Secrets // secrets to hide in output

	fake     *jobboardtest.Server // nil until Fake is called
	useFake  bool
	debug    bool
	config   string
	attempts int
	timeout  time.Duration
}

// UsesFake reports whether --fake was given.
func (r *Reader) UsesFake() bool { return r.useFake }

// Fake returns the embedded mock server, which Close ends. Every call returns the
// same server.
func (r *Reader) Fake() *jobboardtest.Server {
	switch {
	case r.fake != nil:
	case r.StartFake != nil:
		r.fake = r.StartFake()
	default:
		r.fake = jobboardtest.NewServer(jobboardtest.WithDemo())
	}
	return r.fake
}

// Close ends the mock server, if it was started.
func (r *Reader) Close() {
	if r.fake != nil {
		r.fake.Close()
	}
}

// AddFlags adds a flag for each setting, and the flags for attempts, time-outs
// and debugging.
func (r *Reader) AddFlags(f *pflag.FlagSet) {
	for _, s := range List {
		help := s.Help + " (" + s.Env()
		if s.Secret {
			help += "_FILE"
		}
		help += ")"
		if s.Name == AllowInsecure {
			f.Bool(s.Flag, false, help)
			continue
		}
		f.String(s.Flag, "", help)
	}
	f.BoolVar(&r.useFake, "fake", false, "ask the embedded mock server with its demo data, whatever is set up")
	f.BoolVar(&r.debug, "debug", false, "log every request to standard error, without secrets")
	f.StringVar(&r.config, "config", "",
		"configuration `file` (JOBBOARD_CONFIG; default: jobboard/config.toml where the system keeps such)")
	f.IntVar(&r.attempts, "attempts", 0, "most `attempts` of a call (default 5)")
	f.DurationVar(&r.timeout, "timeout", 0, "`time` of an attempt, such as 10s (default 15s)")
}

// Origin names the place of a value. If several places set a value, the smallest Origin
// wins.
type Origin int

// The origins of values.
const (
	FromFlag Origin = iota + 1
	FromEnvironment
	FromFile
	FromFake
)

func (o Origin) String() string {
	return [...]string{"", "flag", "environment", "file", "fake"}[o]
}

// Value holds the text of a setting and its origin.
type Value struct {
	Text   string
	Origin Origin
}

// Settings holds the values of one run.
type Settings struct {
	Values    map[string]Value
	File      string   // path of the file read; empty: none
	Warnings  []string // warnings about files readable by others and misspelt variables
	ambiguous error    // credentials that exclude each other
}

// Get returns the text of a setting, or "" if it is not set.
func (s *Settings) Get(name string) string { return s.Values[name].Text }

func (s *Settings) allowsInsecure() bool { return s.Get(AllowInsecure) == "true" }

// reading reads flags, environment and file once.
type reading struct {
	*Reader
	*Settings
}

// Read reads the settings from flags, environment and file. With --fake it starts
// the mock server.
func (r *Reader) Read(f *pflag.FlagSet) (*Board, error) {
	b := &Board{Limiter: r.Limiter, reader: r, Settings: Settings{Values: map[string]Value{}}}
	b.client = sync.OnceValues(func() (*jobboard.Client, error) { return b.NewClient(jobboard.Config{}) })
	defer func() {
		for _, d := range List {
			if d.Secret {
				r.Secrets.addSet(b.Get(d.Name))
			}
		}
	}()
	look := reading{r, &b.Settings}
	flags, err := look.flags(f)
	if err != nil {
		return nil, err
	}
	if r.useFake {
		return b, b.setFake(flags)
	}
	file, err := look.file()
	if err != nil {
		return nil, err
	}
	environment, err := look.environment()
	if err != nil {
		return nil, err
	}
	for _, layer := range []struct {
		origin Origin
		values map[string]string
	}{{FromFile, file}, {FromEnvironment, environment}, {FromFlag, flags}} {
		for name, text := range layer.values {
			b.Values[name] = Value{text, layer.origin}
		}
	}
	b.chooseCredential()
	return b, nil
}

// chooseCredential keeps one of the client's credentials: a token, or an
// identifier with or without a secret. The credential with the smaller Origin
// wins.
func (s *Settings) chooseCredential() {
	t, id, secret := s.Values[Token], s.Values[ClientID], s.Values[ClientSecret]
	own := min(cmp.Or(id.Origin, FromFake), cmp.Or(secret.Origin, FromFake))
	switch {
	case t.Origin == 0:
	case t.Origin < own: // also if neither identifier nor secret is set
		delete(s.Values, ClientID)
		delete(s.Values, ClientSecret)
	case own < t.Origin:
		delete(s.Values, Token)
	default:
		s.ambiguous = Lacks("a client's token and a client identifier are both set (%s) and exclude each other", t.Origin).
			Next("an application without a secret has only JOBBOARD_CLIENT_ID, one with a secret has JOBBOARD_TOKEN or JOBBOARD_CLIENT_SECRET: keep one")
	}
}

func (l reading) flags(f *pflag.FlagSet) (map[string]string, error) {
	layer := map[string]string{}
	for _, s := range List {
		if !f.Changed(s.Flag) {
			continue
		}
		text := f.Lookup(s.Flag).Value.String()
		if s.Secret {
			var err error
			if text, err = l.readSecret(text); err != nil {
				return nil, Usage("--%s: %w", s.Flag, err)
			}
		}
		layer[s.Name] = text
	}
	return layer, nil
}

func (l reading) environment() (map[string]string, error) {
	l.warnOfMisspelt()
	layer := map[string]string{}
	for _, s := range List {
		text := l.Getenv(s.Env())
		if path := l.Getenv(s.Env() + "_FILE"); s.Secret && text == "" && path != "" {
			var err error
			if text, err = l.readSecret(path); err != nil {
				return nil, Usage("%s_FILE: %w", s.Env(), err)
			}
		}
		if text == "" {
			continue
		}
		if s.Name == AllowInsecure {
			allowed, err := strconv.ParseBool(text)
			if err != nil {
				return nil, Usage("%s is neither true nor false", s.Env())
			}
			text = strconv.FormatBool(allowed)
		}
		layer[s.Name] = text
	}
	return layer, nil
}

// warnOfMisspelt warns of unknown environment variables whose names resemble settings
// without a value.
func (l reading) warnOfMisspelt() {
	if l.Environ == nil {
		return
	}
	names := []string{configVariable, MirrorDB}
	for _, s := range List {
		names = append(names, s.Env())
		if s.Secret {
			names = append(names, s.Env()+"_FILE")
		}
	}
	for _, variable := range l.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if meant := typo.Closest(name, names); meant != "" && meant != name && l.Getenv(meant) == "" {
			l.Warnings = append(l.Warnings, fmt.Sprintf("the variable %.60s means nothing here; is it %s?", name, meant))
		}
	}
}

// configFile is the configuration file.
type configFile struct {
	BaseURL          string `toml:"base_url"`
	JobDBURL         string `toml:"jobdb_url"`
	ClientID         string `toml:"client_id"`
	ClientSecret     string `toml:"client_secret"`
	ClientSecretFile string `toml:"client_secret_file"`
	TokenURL         string `toml:"token_url"`
	Token            string `toml:"token"`
	TokenFile        string `toml:"token_file"`
	UserToken        string `toml:"user_token"`
	UserTokenFile    string `toml:"user_token_file"`
	Channel          string `toml:"channel"`
	Job              string `toml:"job"`
	Language         string `toml:"language"`
	CAFile           string `toml:"ca_file"`
	AllowInsecure    *bool  `toml:"allow_insecure"`
}

// configPath returns the path of the configuration file, or "", and whether a flag
// or the environment named it.
func (r *Reader) configPath() (path string, named bool) {
	path = cmp.Or(r.config, r.Getenv(configVariable))
	return cmp.Or(path, r.DefaultConfig), path != ""
}

func (l reading) file() (map[string]string, error) {
	path, named := l.configPath()
	if path == "" {
		return nil, nil
	}
	c, err := l.readConfig(path)
	if !named && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l.File = path
	layer := map[string]string{
		BaseURL: c.BaseURL, JobDBURL: c.JobDBURL, ClientID: c.ClientID, TokenURL: c.TokenURL, Channel: c.Channel,
		Job: c.Job, Language: c.Language, CAFile: beside(path, c.CAFile), Token: c.Token, UserToken: c.UserToken,
		ClientSecret: c.ClientSecret,
	}
	for name, file := range map[string]string{
		Token: c.TokenFile, UserToken: c.UserTokenFile, ClientSecret: c.ClientSecretFile,
	} {
		switch {
		case file == "":
		case layer[name] != "":
			return nil, Usage("%s: %s and %s_file are both set", path, name, name)
		default:
			if layer[name], err = l.readSecret(beside(path, file)); err != nil {
				return nil, Usage("%s: %s_file: %w", path, name, err)
			}
		}
	}
	if c.AllowInsecure != nil {
		layer[AllowInsecure] = strconv.FormatBool(*c.AllowInsecure)
	}
	maps.DeleteFunc(layer, func(_, text string) bool { return text == "" })
	return layer, nil
}

// beside returns the path of a file that the configuration names relative to
// itself.
func beside(config, file string) string {
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(config), file)
}

// readConfig reads the configuration file. It refuses a file with secrets that
// everybody can read.
func (l reading) readConfig(path string) (c configFile, err error) {
	body, mode, err := readFile(path, 1<<20)
	if err != nil {
		return c, Usage("configuration: %w", err)
	}
	if c, err = parseConfig(path, body); err != nil || c.Token+c.UserToken+c.ClientSecret == "" {
		return c, err
	}
	switch {
	case mode&0o004 != 0:
		return c, Usage("%s holds a secret and everybody on this machine can read it", path).
			Next("chmod 600 " + path + ", and consider the secret known")
	case mode&0o040 != 0:
		l.Warnings = append(l.Warnings, path+" holds a secret and its group can read it: chmod 600 "+path)
	}
	return c, nil
}

// parseConfig parses a configuration. Its errors give the position of a mistake but
// never quote the text, which may be a secret.
func parseConfig(path string, body []byte) (c configFile, err error) {
	dec := toml.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	err = dec.Decode(&c)
	var unknown *toml.StrictMissingError
	var broken *toml.DecodeError
	switch {
	case err == nil:
		return c, nil
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		return c, unknownKeys(path, unknown)
	case errors.As(err, &broken):
		row, column := broken.Position()
		return c, Usage("%s:%d:%d: invalid TOML, or a value that is no text", path, row, column)
	}
	return c, Usage("%s: this is not valid TOML", path)
}

// unknownKeys returns the error for unknown keys of a file, and suggests similar settings.
// Values are not quoted, because they may be secrets.
func unknownKeys(path string, unknown *toml.StrictMissingError) error {
	var names []string
	for _, s := range List {
		names = append(names, s.Name)
		if s.Secret {
			names = append(names, s.Name+"_file")
		}
	}
	var lines []string
	for _, e := range unknown.Errors[:min(len(unknown.Errors), 10)] {
		row, _ := e.Position()
		key := strings.Join(e.Key(), ".")
		line := fmt.Sprintf("%s:%d: there is no setting %.60q", path, row, key)
		if meant := typo.Closest(key, names); meant != "" {
			line += "; is it " + meant + "?"
		}
		lines = append(lines, line)
	}
	return Usage("%s", strings.Join(lines, "\n")).
		Next("jobboard help settings lists them; the file has them in lower case and without JOBBOARD_")
}

// readSecret returns the one line of a file.
func (l reading) readSecret(path string) (string, error) {
	body, mode, err := readFile(path, 64<<10)
	if err != nil {
		return "", err
	}
	if mode&0o004 != 0 {
		l.Warnings = append(l.Warnings,
			path+" holds a secret and everybody on this machine can read it: chmod 600 "+path)
	}
	secret := strings.TrimSpace(string(body))
	if secret == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	if strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("%s has more than one line", path)
	}
	return secret, nil
}

// readFile returns at most limit bytes of a file, and its permissions on systems with
// permissions.
func readFile(path string, limit int64) (body []byte, mode fs.FileMode, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if runtime.GOOS != "windows" && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	body, err = io.ReadAll(io.LimitReader(f, limit))
	return body, mode, err
}

// setFake starts the mock server; flags may choose channel, job and language.
func (b *Board) setFake(flags map[string]string) error {
	for _, s := range List {
		if _, set := flags[s.Name]; set && s.Name != Channel && s.Name != Job && s.Name != Language {
			return Usage("--fake has addresses and credentials of its own: take --%s away", s.Flag)
		}
	}
	srv := b.reader.Fake()
	b.Fake = srv
	demo := srv.Demo
	for name, text := range map[string]string{
		BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: demo.ClientID, UserToken: demo.ApplicantToken,
		Channel: demo.Channel, Job: strconv.FormatInt(demo.OpenJob, 10),
	} {
		b.Values[name] = Value{text, FromFake}
	}
	for name, text := range flags {
		b.Values[name] = Value{text, FromFlag}
	}
	return nil
}
