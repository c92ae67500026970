package setup

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/internal/baseurl"
	"github.com/jobboard-sdk/jobboard-go/market/internal/clienttoken"
)

const tokenPath = "/api/rest/oauth/frontend/token"

// Board is the service that settings name.
type Board struct {
	Settings
	Fake    *jobboardtest.Server // the embedded mock server; nil: a real service
	Limiter jobboard.Limiter     // limiter of all clients; nil: none

	reader *Reader
	client func() (*jobboard.Client, error) // makes the client once

	dialing   sync.Once // guards the next two
	transport *http.Transport
	noTrust   error // of ca_file
}

// Getenv returns a variable of the environment.
func (b *Board) Getenv(name string) string { return b.reader.Getenv(name) }

// NewClient makes a jobboard.Client from the settings. cfg may set fields that have no
// setting.
func (b *Board) NewClient(cfg jobboard.Config) (*jobboard.Client, error) {
	cfg, err := b.Config(cfg)
	if err != nil {
		return nil, err
	}
	c, err := jobboard.NewClient(cfg)
	if err != nil {
		return nil, Refused(err, cfg)
	}
	return c, nil
}

// Config returns cfg completed by the settings.
func (b *Board) Config(cfg jobboard.Config) (jobboard.Config, error) {
	s := &b.Settings
	if s.ambiguous != nil {
		return cfg, s.ambiguous
	}
	cfg.BaseURL, cfg.JobDBURL, cfg.Language = s.Get(BaseURL), s.Get(JobDBURL), s.Get(Language)
	cfg.UserAgent, cfg.Logger, cfg.AllowInsecure = b.reader.UserAgent, b.reader.Logger(), s.allowsInsecure()
	cfg.Limiter = b.Limiter
	if cfg.BaseURL == "" && cfg.JobDBURL == "" {
		return cfg, Lacks("no address is set").Next("set JOBBOARD_BASE_URL and JOBBOARD_JOBDB_URL, or try --fake")
	}
	if err := b.reader.pace(&cfg.Retry); err != nil {
		return cfg, err
	}
	if next := b.given(); next != nil {
		cfg.HTTPClient = &http.Client{Transport: next}
	} else if trust, err := b.trust(); err != nil {
		return cfg, err
	} else {
		cfg.TLS = trust
	}
	return cfg, b.setCredential(&cfg)
}

// pace sets the number and the time-out of attempts from the flags.
func (r *Reader) pace(retry *jobboard.RetryPolicy) error {
	switch {
	case r.attempts < 0:
		return Lacks("--attempts is negative").Next("--attempts 0 leaves the number to the client")
	case r.timeout < 0:
		return Lacks("--timeout is negative").Next("give a time such as --timeout 10s")
	}
	// A new client's retry budget would be too small for many attempts, so raise it
	// too.
	if n := r.attempts; n > 0 {
		retry.MaxAttempts, retry.Budget = n, n
	}
	if r.timeout > 0 {
		retry.AttemptTimeout = r.timeout
	}
	return nil
}

// Credential returns the name of the setting with the credential of searches: a client's
// credential, or else the applicant's token, or "" if none is set.
func (s *Settings) Credential() string {
	for _, name := range []string{Token, ClientSecret, ClientID, UserToken} {
		if s.Get(name) != "" {
			return name
		}
	}
	return ""
}

// setCredential sets the client's credential. Without a base address it sets none,
// because the lookup needs no credential.
func (b *Board) setCredential(cfg *jobboard.Config) (err error) {
	if cfg.BaseURL == "" {
		return nil
	}
	s := &b.Settings
	switch s.Credential() {
	case Token:
		cfg.TokenSource = jobboard.StaticToken(s.Get(Token))
	case ClientSecret:
		cfg.TokenSource, err = b.clientCredentials()
	case ClientID:
		cfg.ClientID = s.Get(ClientID)
	}
	return err
}

// settingNames maps fields of a Config to the names of their settings, for
// errors.
var settingNames = map[string]string{
	"BaseURL":     "the base address (base_url)",
	"JobDBURL":    "the lookup address (jobdb_url)",
	"TokenSource": "the client's token (token)",
	"ClientID":    "the client identifier (client_id)",
	"Language":    "the language",
}

// Refused rewrites an error of NewClient with the names of the settings, and
// adds how to correct them.
func Refused(err error, cfg jobboard.Config) error {
	refused := Lacks("%w", err)
	var mistake *jobboard.ConfigError
	if !errors.As(err, &mistake) {
		return refused
	}
	name, ok := settingNames[mistake.Field]
	if ok {
		refused.Err = fmt.Errorf("%s %s", name, mistake.Reason)
	}
	typed := map[string]string{"BaseURL": cfg.BaseURL, "JobDBURL": cfg.JobDBURL}[mistake.Field]
	switch {
	case strings.HasPrefix(typed, "http://") && !cfg.AllowInsecure && !strings.ContainsAny(typed, "@?#"):
		// The client's own error names a field of Config, where the user has a
		// flag.
		refused.Err = fmt.Errorf("%s is http to a host that is not loopback: its credential would be readable on the way", name)
		refused.Hint = "use the https address, or bear with it: --allow-insecure"
	case typed != "":
		refused.Hint = "write the address with its scheme, such as https://jobs.example; take name and password out of the address, and what begins with ? or #"
	}
	return refused
}

// given returns the transport of the mock server or the reader; nil: the board is reached by the
// network.
func (b *Board) given() http.RoundTripper {
	if b.Fake != nil {
		return b.Fake.Client().Transport // works without sockets too
	}
	return b.reader.Transport
}

// trust returns the settings of TLS with the certificates of ca_file; nil: there is no such file.
func (b *Board) trust() (*tls.Config, error) {
	path := b.Get(CAFile)
	if path == "" {
		return nil, nil //nolint:nilnil // see above
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, Lacks("ca_file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, Lacks("ca_file: %s holds no certificate in PEM form", path)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// Transport returns the transport for requests to the board that are not calls of a client, such as
// one for a token.
func (b *Board) Transport() (http.RoundTripper, error) {
	if next := b.given(); next != nil {
		return next, nil
	}
	return b.network()
}

// FeedTransport returns the transport for a feed from another host, which the mock
// server's transport does not reach.
func (b *Board) FeedTransport() (http.RoundTripper, error) {
	if b.reader.Transport != nil {
		return b.reader.Transport, nil
	}
	return b.network()
}

// network returns net/http's transport with the certificates of ca_file, always the same one. It
// notices an HTTP/2 connection that went silent, on which all later requests would wait.
func (b *Board) network() (http.RoundTripper, error) {
	b.dialing.Do(func() {
		var trust *tls.Config
		if trust, b.noTrust = b.trust(); b.noTrust != nil {
			return
		}
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = trust
		t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second}
		t.MaxResponseHeaderBytes = 256 << 10
		b.transport = t
	})
	if b.noTrust != nil {
		return nil, b.noTrust
	}
	return b.transport, nil
}

// clientCredentials returns a source of tokens by the OAuth2 client_credentials grant.
func (b *Board) clientCredentials() (oauth2.TokenSource, error) {
	s := &b.Settings
	if s.Get(ClientID) == "" {
		return nil, Lacks("there is a client secret and no client identifier").
			Next("set JOBBOARD_CLIENT_ID beside the secret")
	}
	tokens, err := s.tokenAddress()
	if err != nil {
		return nil, err
	}
	next, err := b.Transport()
	if err != nil {
		return nil, err
	}
	cc := clientcredentials.Config{ClientID: s.Get(ClientID), ClientSecret: s.Get(ClientSecret), TokenURL: tokens}
	return clienttoken.Source(cc, next, b.reader.Secrets.addFetched), nil
}

// tokenAddress returns the address of the token endpoint.
func (s *Settings) tokenAddress() (string, error) {
	text := s.Get(TokenURL)
	if text == "" {
		text = s.Below(tokenPath)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", Lacks("the token address (token_url) is not an absolute http or https address")
	case u.User != nil:
		return "", Lacks("the token address (token_url) holds a user part: credentials have settings of their own")
	case !IsConfidential(u) && !s.allowsInsecure():
		return "", Lacks("the token address (token_url) is http to a host that is not loopback: the secret would be readable on the way (--allow-insecure permits it)")
	}
	return text, nil
}

// Below returns the address of a path of the interface.
func (s *Settings) Below(path string) string {
	if u, ok := baseurl.Parse(s.Get(BaseURL), "/api/rest"); ok {
		return u.String() + path // as a client sends it
	}
	base := strings.TrimRight(s.Get(BaseURL), "/")
	return strings.TrimRight(strings.TrimSuffix(base, "/api/rest"), "/") + path
}

// lacking holds, for each setting that a command may require, the error for a missing
// value and the next step.
var lacking = map[string]struct{ what, next string }{
	BaseURL: {
		"no base address is set",
		"set JOBBOARD_BASE_URL or --base-url, or try --fake",
	},
	JobDBURL:  {"no lookup address is set", "set JOBBOARD_JOBDB_URL or --jobdb-url, or try --fake"},
	Channel:   {"no channel is set", "set JOBBOARD_CHANNEL or --channel, or try --fake"},
	Job:       {"no job is named", "give its identifier, or set JOBBOARD_JOB"},
	UserToken: {"no applicant's token is set", "set JOBBOARD_USER_TOKEN, or name a file with --user-token-file"},
}

// Missing returns the error for a required setting without a value: an address, the
// channel, the job or the applicant's token.
func Missing(name string) *Error {
	return Lacks("%s", lacking[name].what).Next(lacking[name].next)
}

// ClientFor returns the client of the settings, or an error if one of the needed
// settings has no value.
func (b *Board) ClientFor(needs ...string) (*jobboard.Client, error) {
	for _, name := range needs {
		if b.Get(name) == "" {
			return nil, Missing(name)
		}
	}
	return b.client()
}

// NeedJob returns the job in a command's arguments, or else in the settings.
func (s *Settings) NeedJob(args []string) (jobboard.JobID, error) {
	text := s.Get(Job)
	if len(args) > 0 {
		text = args[0]
	}
	if text == "" {
		return 0, Missing(Job)
	}
	id, err := jobboard.ParseJobID(text)
	if err != nil {
		return 0, Usage("%w", Plain{err}).Next("give a job by its number, such as 2797227: jobboard search shows those of the jobs that it finds")
	}
	return id, nil
}

// Applicant returns the applicant of the settings.
func (s *Settings) Applicant(c *jobboard.Client) *jobboard.Applicant {
	return c.Applicant(jobboard.StaticToken(s.Get(UserToken)))
}

// Searcher is the client of the settings, or their applicant if only an applicant's token
// is set.
type Searcher interface {
	PostingStream(ctx context.Context, Channel jobboard.ChannelID, q jobboard.Query) *jobboard.PostingStream
	Search(ctx context.Context, Channel jobboard.ChannelID, q jobboard.Query) (*jobboard.JobSearchResult, error)
}

// Searcher returns the client or applicant that searches, see Searches, and the channel.
func (b *Board) Searcher() (Searcher, jobboard.ChannelID, error) {
	c, err := b.ClientFor(BaseURL)
	if err != nil {
		return nil, "", err
	}
	s, err := b.Searches(c)
	if err == nil && b.Get(Channel) == "" {
		err = Missing(Channel)
	}
	return s, jobboard.ChannelID(b.Get(Channel)), err
}

// Searches returns c, or the applicant of the settings if only the applicant's token is set.
func (b *Board) Searches(c *jobboard.Client) (Searcher, error) {
	switch b.Credential() {
	case "":
		return nil, Lacks("a search needs a credential").
			Next("set JOBBOARD_CLIENT_ID, or JOBBOARD_CLIENT_ID and JOBBOARD_CLIENT_SECRET, or JOBBOARD_TOKEN")
	case UserToken:
		return b.Applicant(c), nil
	}
	return c, nil
}

// LookUp looks up the job named in args or else in the settings.
func (b *Board) LookUp(ctx context.Context, args []string) (*jobboard.JobInformation, error) {
	id, err := b.NeedJob(args)
	if err != nil {
		return nil, err
	}
	c, err := b.ClientFor(JobDBURL)
	if err != nil {
		return nil, err
	}
	return c.JobInformation(ctx, id)
}

// Precheck checks whether the applicant may apply to the job named in args or else in
// the settings. If a setting is missing, it sends no request and the result has no job.
func (b *Board) Precheck(ctx context.Context, args []string) (p jobboard.PrecheckResult, err error) {
	id, err := b.NeedJob(args)
	if err != nil {
		return p, err
	}
	c, err := b.ClientFor(BaseURL, JobDBURL, UserToken)
	if err != nil {
		return p, err
	}
	return b.Applicant(c).Precheck(ctx, id)
}

// Logger returns the logger for the library's records, nil without --debug. It masks
// known secrets, in case the service repeats one in an unexpected place.
func (r *Reader) Logger() *slog.Logger {
	if !r.debug {
		return nil
	}
	return slog.New(slog.NewTextHandler(maskedWriter{r}, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type maskedWriter struct{ r *Reader }

func (w maskedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.r.Log, w.r.Secrets.Mask(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
