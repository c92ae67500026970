package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/address"
)

const tokenPath = "/api/rest/oauth/frontend/token"

// newClient makes the library's client of the settings, with what cfg has besides.
func (a *app) newClient(cfg jobboard.Config) (*jobboard.Client, error) {
	s := &a.settings
	if s.ambiguous != nil {
		return nil, s.ambiguous
	}
	cfg.BaseURL, cfg.JobDBURL, cfg.Language = s.get(baseURL), s.get(jobDBURL), s.get(language)
	cfg.UserAgent, cfg.Logger, cfg.AllowInsecure = "jobboard", a.logger(), s.allowsInsecure()
	if cfg.BaseURL == "" && cfg.JobDBURL == "" {
		return nil, lacks("no address is set").next("set JOBBOARD_BASE_URL and JOBBOARD_JOBDB_URL, or try --fake")
	}
	if err := a.pace(&cfg.Retry); err != nil {
		return nil, err
	}
	next, err := a.roundTripper()
	if err != nil {
		return nil, err
	}
	if next != nil {
		cfg.HTTPClient = &http.Client{Transport: next}
	}
	if a.flags.debug {
		cfg.Observer = observer(cfg.Logger)
	}
	if err := a.credential(&cfg, next); err != nil {
		return nil, err
	}
	c, err := jobboard.NewClient(cfg)
	if err != nil {
		return nil, settingError(err, cfg)
	}
	return c, nil
}

// pace sets what the flags say of attempts.
func (a *app) pace(retry *jobboard.RetryPolicy) error {
	if a.flags.attempts < 0 {
		return lacks("--attempts is negative")
	}
	// A new client's budget would not pay for many attempts, so it grows with them.
	if n := a.flags.attempts; n > 0 {
		retry.MaxAttempts, retry.Budget = n, n
	}
	if a.flags.timeout == "" {
		return nil
	}
	d, err := time.ParseDuration(a.flags.timeout)
	if err != nil || d <= 0 {
		return lacks("--timeout: %q is no time such as 10s", printable(a.flags.timeout))
	}
	retry.AttemptTimeout = d
	return nil
}

// credential returns the name of the setting that a search identifies itself by: the
// applicant's token where the client has nothing, "" where nobody has.
func (s *settings) credential() string {
	for _, name := range []string{token, clientSecret, clientID, userToken} {
		if s.get(name) != "" {
			return name
		}
	}
	return ""
}

// credential sets what the client says who it is with. Without a base address
// there is nobody to say it to: the lookup needs none.
func (a *app) credential(cfg *jobboard.Config, next http.RoundTripper) (err error) {
	if cfg.BaseURL == "" {
		return nil
	}
	s := &a.settings
	switch s.credential() {
	case token:
		cfg.TokenSource = jobboard.StaticToken(s.get(token))
	case clientSecret:
		cfg.TokenSource, err = a.clientCredentials(next)
	case clientID:
		cfg.ClientID = s.get(clientID)
	}
	return err
}

// settingNames are the names of settings for the fields of a Config that the
// command sets.
var settingNames = map[string]string{
	"BaseURL":     "the base address (base_url)",
	"JobDBURL":    "the lookup address (jobdb_url)",
	"TokenSource": "the client's token (token)",
	"ClientID":    "the client identifier (client_id)",
	"Language":    "the language",
}

// settingError returns an error of NewClient in the words of the settings, with
// what to write instead.
func settingError(err error, cfg jobboard.Config) error {
	refused := lacks("%w", err)
	var mistake *jobboard.ConfigError
	if !errors.As(err, &mistake) {
		return refused
	}
	name, ok := settingNames[mistake.Field]
	if ok {
		refused.err = fmt.Errorf("%s %s", name, mistake.Reason)
	}
	typed := map[string]string{"BaseURL": cfg.BaseURL, "JobDBURL": cfg.JobDBURL}[mistake.Field]
	switch {
	case strings.HasPrefix(typed, "http://") && !cfg.AllowInsecure && !strings.ContainsAny(typed, "@?#"):
		// The library's reason names the field of its Config that permits it.
		refused.err = fmt.Errorf("%s is http to a host that is not loopback: its credential would be readable on the way", name)
		refused.hint = "use the https address, or bear with it: --allow-insecure"
	case typed != "":
		refused.hint = "write the address with its scheme, such as https://jobs.example; take name and password out of the address, and what begins with ? or #"
	}
	return refused
}

// roundTripper returns the transport of the settings, nil where the library's own will do.
func (a *app) roundTripper() (http.RoundTripper, error) {
	path := a.settings.get(caFile)
	switch {
	case a.fake != nil:
		return a.fake.Client().Transport, nil // also without sockets
	case a.transport != nil || path == "":
		return a.transport, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, lacks("ca_file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, lacks("ca_file: %s holds no certificate in PEM form", path)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	t.MaxResponseHeaderBytes = 256 << 10
	t.MaxIdleConnsPerHost = 512
	return t, nil
}

// clientCredentials returns the tokens of the OAuth2 grant of that name. A redirect is not
// followed: it would take the secret along.
func (a *app) clientCredentials(next http.RoundTripper) (oauth2.TokenSource, error) {
	s := &a.settings
	if s.get(clientID) == "" {
		return nil, lacks("there is a client secret and no client identifier").
			next("set JOBBOARD_CLIENT_ID beside the secret")
	}
	tokens, err := s.tokenAddress()
	if err != nil {
		return nil, err
	}
	cc := &clientcredentials.Config{ClientID: s.get(clientID), ClientSecret: s.get(clientSecret), TokenURL: tokens}
	hc := &http.Client{
		Transport: next, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
		t, err := cc.Token(context.WithValue(ctx, oauth2.HTTPClient, hc))
		if err == nil {
			a.secrets.addFetched(t.AccessToken)
		}
		return t, err
	}), nil
}

// tokenAddress returns the address that client identifier and secret go to.
func (s *settings) tokenAddress() (string, error) {
	text := s.get(tokenURL)
	if text == "" {
		text = s.below(tokenPath)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", lacks("the token address (token_url) is not an absolute http or https address")
	case u.User != nil:
		return "", lacks("the token address (token_url) holds a user part: credentials have settings of their own")
	case !address.OriginOf(u).IsConfidential() && !s.allowsInsecure():
		return "", lacks("the token address (token_url) is http to a host that is not loopback: the secret would be readable on the way (--allow-insecure permits it)")
	}
	return text, nil
}

// below returns the address of a path of the interface.
func (s *settings) below(path string) string {
	base := strings.TrimRight(s.get(baseURL), "/")
	return strings.TrimRight(strings.TrimSuffix(base, "/api/rest"), "/") + path
}

// observer logs attempts for --debug. What it is told holds no secret.
func observer(l *slog.Logger) *jobboard.Observer {
	return &jobboard.Observer{
		Call: func(ctx context.Context, call jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
			l.DebugContext(ctx, "call", "op", call.Op, "method", call.Method, "path", call.Path,
				"host", net.JoinHostPort(call.Host, call.Port))
			return ctx, func(end jobboard.CallEnd) {
				l.DebugContext(ctx, "done", "op", call.Op, "status", end.StatusCode, "attempts", end.Attempts,
					"took", end.Duration)
			}
		},
		Attempt: func(ctx context.Context, attempt jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
			return ctx, func(end jobboard.AttemptEnd) {
				l.DebugContext(ctx, "attempt", "number", attempt.Number, "status", end.StatusCode,
					"took", end.Duration, "repeat", end.Repeat)
			}
		},
	}
}

// lacking says of a setting that commands cannot do without what to tell where it is
// not set.
var lacking = map[string]struct{ what, next string }{
	baseURL: {
		"no base address is set",
		"set JOBBOARD_BASE_URL or --base-url, write a configuration with jobboard init, or try --fake",
	},
	jobDBURL:  {"no lookup address is set", "set JOBBOARD_JOBDB_URL or --jobdb-url, or try --fake"},
	channel:   {"no channel is set", "set JOBBOARD_CHANNEL or --channel, or try --fake"},
	job:       {"no job is named", "give its identifier, or set JOBBOARD_JOB"},
	userToken: {"no applicant's token is set", "set JOBBOARD_USER_TOKEN, or name a file with --user-token-file"},
}

// clientFor returns the client of the settings for a call that needs some of them.
func (a *app) clientFor(needs ...string) (*jobboard.Client, error) {
	for _, name := range needs {
		if a.settings.get(name) == "" {
			return nil, lacks("%s", lacking[name].what).next(lacking[name].next)
		}
	}
	return a.client()
}

// named returns what the arguments of a command name, or else the setting.
func (s *settings) named(setting string, args []string) (string, error) {
	text := s.get(setting)
	if len(args) > 0 {
		text = args[0]
	}
	if text == "" {
		return "", lacks("%s", lacking[setting].what).next(lacking[setting].next)
	}
	return text, nil
}

func (s *settings) needJob(args []string) (jobboard.JobID, error) {
	text, err := s.named(job, args)
	if err != nil {
		return 0, err
	}
	id, err := jobboard.ParseJobID(text)
	if err != nil {
		return 0, usage("%w", plain{err})
	}
	return id, nil
}

// applicant returns the applicant of the settings.
func (s *settings) applicant(c *jobboard.Client) *jobboard.Applicant {
	return c.Applicant(jobboard.StaticToken(s.get(userToken)))
}

// searcher is what searches: the client, or the applicant where only that
// one's token is there.
type searcher interface {
	PostingStream(ctx context.Context, channel jobboard.ChannelID, q jobboard.Query) *jobboard.PostingStream
	Search(ctx context.Context, channel jobboard.ChannelID, q jobboard.Query) (*jobboard.JobSearchResult, error)
	Snapshot(ctx context.Context, channel jobboard.ChannelID, q jobboard.Query) (*jobboard.Snapshot, error)
}

// searcher returns what searches, and the channel: that of args, or of the settings.
func (a *app) searcher(args []string) (searcher, jobboard.ChannelID, error) {
	c, err := a.clientFor(baseURL)
	if err != nil {
		return nil, "", err
	}
	s, err := a.searches(c)
	if err != nil {
		return nil, "", err
	}
	ch, err := a.settings.named(channel, args)
	return s, jobboard.ChannelID(ch), err
}

// searches returns c, or the applicant of the settings.
func (a *app) searches(c *jobboard.Client) (searcher, error) {
	switch a.settings.credential() {
	case "":
		return nil, lacks("a search needs a credential").
			next("set JOBBOARD_CLIENT_ID, or JOBBOARD_CLIENT_ID and JOBBOARD_CLIENT_SECRET, or JOBBOARD_TOKEN")
	case userToken:
		return a.settings.applicant(c), nil
	}
	return c, nil
}
