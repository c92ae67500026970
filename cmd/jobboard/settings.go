package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// setting is one thing to be set. Where several places set it, a flag goes
// before the environment and that before the file.
type setting struct {
	name    string // in the file; the environment has it in capitals after JOBBOARD_
	flag    string
	help    string // of the flag; `word` is its placeholder
	secret  bool   // the flag, which has -file at its end, names a file
	asked   bool   // by init, on a terminal
	example string // in the configuration that init writes
}

func (s setting) env() string { return "JOBBOARD_" + strings.ToUpper(s.name) }

// The names of the settings.
const (
	baseURL       = "base_url"
	jobDBURL      = "jobdb_url"
	clientID      = "client_id"
	clientSecret  = "client_secret"
	tokenURL      = "token_url"
	token         = "token"
	userToken     = "user_token"
	channel       = "channel"
	job           = "job"
	language      = "language"
	caFile        = "ca_file"
	allowInsecure = "allow_insecure"
)

var settingList = []setting{
	{name: baseURL, flag: "base-url", help: "base `address` of the service", asked: true, example: "https://jobs.example"},
	{name: jobDBURL, flag: "jobdb-url", help: "`address` of the job information lookup", asked: true, example: "https://jobdb.example"},
	{name: clientID, flag: "client-id", help: "client `identifier`: alone for HTTP Basic, with a secret for OAuth2", asked: true, example: "10"},
	{name: clientSecret, flag: "client-secret-file", help: "`file` with the client's secret", secret: true, asked: true, example: "client-secret"},
	{name: tokenURL, flag: "token-url", help: "`address` that gives a token for identifier and secret (default: " +
		tokenPath + " at the base address)", example: "https://jobs.example" + tokenPath},
	{name: token, flag: "token-file", help: "`file` with an access token of the client", secret: true, example: "token"},
	{name: userToken, flag: "user-token-file", help: "`file` with an access token of the applicant", secret: true, example: "user-token"},
	{name: channel, flag: "channel", help: "`channel` of postings, such as 27828_extern", asked: true, example: "27828_extern"},
	{name: job, flag: "job", help: "job `identifier`, for commands without one of their own", example: "2797227"},
	{name: language, flag: "language", help: "`language` of the results, such as de", asked: true, example: "de"},
	{name: caFile, flag: "ca-file", help: "`file` with certificates (PEM) to trust besides the system's", example: "company-ca.pem"},
	{name: allowInsecure, flag: "allow-insecure", help: "send credentials over http to other hosts, readable on the way", example: "true"},
}

const settingsHelp = `Settings come from flags, then from the environment, then from a file. The flags
below name the variables of the environment. A secret is in a file, or itself in
JOBBOARD_CLIENT_SECRET, JOBBOARD_TOKEN or JOBBOARD_USER_TOKEN. The configuration
file, which jobboard init writes, has the names of the environment in lower case
without JOBBOARD_, as TOML. NO_COLOR turns colours off.`

// flagValues are the flags of every command.
type flagValues struct {
	fake     bool
	debug    bool
	config   string
	attempts int
	timeout  string
}

func (a *app) addSettingsFlags(f *pflag.FlagSet) {
	v := &a.flags
	for _, s := range settingList {
		help := s.help + " (" + s.env()
		if s.secret {
			help += "_FILE"
		}
		help += ")"
		if s.name == allowInsecure {
			f.Bool(s.flag, false, help)
			continue
		}
		f.String(s.flag, "", help)
	}
	f.BoolVar(&v.fake, "fake", false, "ask the embedded stand-in with its demo data, whatever is set up")
	f.BoolVar(&v.debug, "debug", false, "log every attempt to standard error, without secrets")
	f.StringVar(&v.config, "config", "",
		"configuration `file` (JOBBOARD_CONFIG; default: jobboard/config.toml where the system keeps such)")
	f.IntVar(&v.attempts, "attempts", 0, "most `attempts` of a call (default 5)")
	f.StringVar(&v.timeout, "timeout", "", "`time` of an attempt, such as 10s (default 15s)")
}

// origin says where a value came from; the smaller goes first.
type origin int

const (
	fromFlag origin = iota + 1
	fromEnvironment
	fromFile
	fromFake
)

func (o origin) String() string {
	return [...]string{"", "flag", "environment", "file", "fake"}[o]
}

type value struct {
	text   string
	origin origin
}

// settings is what holds for this run.
type settings struct {
	values    map[string]value
	file      string   // that was read; empty: none
	warnings  []string // about files that others can read
	ambiguous error    // credentials that exclude each other
}

func (s *settings) get(name string) string { return s.values[name].text }

func (s *settings) allowsInsecure() bool { return s.get(allowInsecure) == "true" }

// readSettings puts the settings together, and starts the fake if it is asked
// for.
func (a *app) readSettings(cmd *cobra.Command, _ []string) error {
	s := &a.settings
	s.values = map[string]value{}
	a.client = sync.OnceValues(func() (*jobboard.Client, error) {
		return a.newClient(jobboard.Config{Limiter: a.limiter})
	})
	defer func() {
		for _, d := range settingList {
			if d.secret {
				a.secrets.addSet(s.get(d.name))
			}
		}
	}()
	flags, err := a.flagLayer(cmd.Flags())
	if err != nil {
		return err
	}
	if a.flags.fake {
		return a.fakeSettings(flags)
	}
	file, err := a.fileLayer()
	if err != nil {
		return err
	}
	environment, err := a.environmentLayer()
	if err != nil {
		return err
	}
	for _, layer := range []struct {
		origin origin
		values map[string]string
	}{{fromFile, file}, {fromEnvironment, environment}, {fromFlag, flags}} {
		for name, text := range layer.values {
			s.values[name] = value{text, layer.origin}
		}
	}
	s.chooseCredential()
	for _, w := range s.warnings {
		a.note("warning: %s", w)
	}
	return nil
}

// chooseCredential leaves one credential of the client: a token, or an
// identifier with or without a secret. The one set closer to the command wins.
func (s *settings) chooseCredential() {
	t, id, secret := s.values[token], s.values[clientID], s.values[clientSecret]
	own := min(cmp.Or(id.origin, fromFake), cmp.Or(secret.origin, fromFake))
	switch {
	case t.origin == 0 || id.origin == 0 && secret.origin == 0:
	case t.origin < own:
		delete(s.values, clientID)
		delete(s.values, clientSecret)
	case own < t.origin:
		delete(s.values, token)
	default:
		s.ambiguous = lacks("a client's token and a client identifier are both set (%s) and exclude each other", t.origin).
			next("an application without a secret has only JOBBOARD_CLIENT_ID, one with a secret has JOBBOARD_TOKEN or JOBBOARD_CLIENT_SECRET: keep one")
	}
}

func (a *app) flagLayer(f *pflag.FlagSet) (map[string]string, error) {
	layer := map[string]string{}
	for _, s := range settingList {
		if !f.Changed(s.flag) {
			continue
		}
		text := f.Lookup(s.flag).Value.String()
		if s.secret {
			var err error
			if text, err = a.readSecret(text); err != nil {
				return nil, usage("--%s: %w", s.flag, err)
			}
		}
		layer[s.name] = text
	}
	return layer, nil
}

func (a *app) environmentLayer() (map[string]string, error) {
	layer := map[string]string{}
	for _, s := range settingList {
		text := a.getenv(s.env())
		if path := a.getenv(s.env() + "_FILE"); s.secret && text == "" && path != "" {
			var err error
			if text, err = a.readSecret(path); err != nil {
				return nil, usage("%s_FILE: %w", s.env(), err)
			}
		}
		if text == "" {
			continue
		}
		if s.name == allowInsecure {
			allowed, err := strconv.ParseBool(text)
			if err != nil {
				return nil, usage("%s is neither true nor false", s.env())
			}
			text = strconv.FormatBool(allowed)
		}
		layer[s.name] = text
	}
	return layer, nil
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

// configPath returns the configuration file, and whether somebody named it; "" where
// there is none.
func (a *app) configPath() (path string, named bool) {
	path = cmp.Or(a.flags.config, a.getenv("JOBBOARD_CONFIG"))
	return cmp.Or(path, a.defaultConfig), path != ""
}

func (a *app) fileLayer() (map[string]string, error) {
	path, named := a.configPath()
	if path == "" {
		return nil, nil
	}
	c, err := a.readConfig(path)
	if !named && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a.settings.file = path
	layer := map[string]string{
		baseURL: c.BaseURL, jobDBURL: c.JobDBURL, clientID: c.ClientID, tokenURL: c.TokenURL, channel: c.Channel,
		job: c.Job, language: c.Language, caFile: beside(path, c.CAFile), token: c.Token, userToken: c.UserToken,
		clientSecret: c.ClientSecret,
	}
	for name, file := range map[string]string{
		token: c.TokenFile, userToken: c.UserTokenFile, clientSecret: c.ClientSecretFile,
	} {
		switch {
		case file == "":
		case layer[name] != "":
			return nil, usage("%s: %s and %s_file are both set", path, name, name)
		default:
			if layer[name], err = a.readSecret(beside(path, file)); err != nil {
				return nil, usage("%s: %s_file: %w", path, name, err)
			}
		}
	}
	if c.AllowInsecure != nil {
		layer[allowInsecure] = strconv.FormatBool(*c.AllowInsecure)
	}
	maps.DeleteFunc(layer, func(_, text string) bool { return text == "" })
	return layer, nil
}

// beside returns the path of a file that the configuration names, relative to the
// configuration.
func beside(config, file string) string {
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(config), file)
}

// readConfig refuses a file that shows a secret to everybody.
func (a *app) readConfig(path string) (c configFile, err error) {
	body, mode, err := readFile(path, 1<<20)
	if err != nil {
		return c, usage("configuration: %w", err)
	}
	if c, err = parseConfig(path, body); err != nil || c.Token+c.UserToken+c.ClientSecret == "" {
		return c, err
	}
	switch {
	case mode&0o004 != 0:
		return c, usage("%s holds a secret and everybody on this machine can read it", path).
			next("chmod 600 " + path + ", and consider the secret known")
	case mode&0o040 != 0:
		a.settings.warnings = append(a.settings.warnings, path+" holds a secret and its group can read it: chmod 600 "+path)
	}
	return c, nil
}

// parseConfig tells where a mistake is and never what stands there: that may
// be a secret.
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
		row, _ := unknown.Errors[0].Position()
		return c, usage("%s:%d: there is no such setting", path, row).
			next("jobboard help settings lists them; the file has them in lower case and without JOBBOARD_")
	case errors.As(err, &broken):
		row, column := broken.Position()
		return c, usage("%s:%d:%d: this is not valid TOML, or not a text where one belongs", path, row, column)
	}
	return c, usage("%s: this is not valid TOML", path)
}

// readSecret returns the one line of a file.
func (a *app) readSecret(path string) (string, error) {
	body, mode, err := readFile(path, 64<<10)
	if err != nil {
		return "", err
	}
	if mode&0o004 != 0 {
		a.settings.warnings = append(a.settings.warnings,
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

// readFile returns at most limit bytes of a file, and its permissions where the system
// has such.
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

// fakeSettings starts the fake; flags may choose channel, job and language.
func (a *app) fakeSettings(flags map[string]string) error {
	for _, s := range settingList {
		if _, set := flags[s.name]; set && s.name != channel && s.name != job && s.name != language {
			return usage("--fake has addresses and credentials of its own: take --%s away", s.flag)
		}
	}
	srv := a.newFake()
	a.fake = srv
	demo := srv.Demo
	for name, text := range map[string]string{
		baseURL: srv.BaseURL, jobDBURL: srv.JobDBURL, clientID: demo.ClientID, userToken: demo.ApplicantToken,
		channel: demo.Channel, job: strconv.FormatInt(demo.OpenJob, 10),
	} {
		a.settings.values[name] = value{text, fromFake}
	}
	for name, text := range flags {
		a.settings.values[name] = value{text, fromFlag}
	}
	return nil
}

func (a *app) newFake() *jobboardtest.Server {
	if a.startFake != nil {
		return a.startFake()
	}
	return jobboardtest.NewServer(jobboardtest.WithDemo())
}
