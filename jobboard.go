package jobboard

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/budget"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
	"golang.org/x/oauth2"
)

// Identifiers, one type each, so that one cannot stand where another belongs.
type (
	// ChannelID names a channel of postings, such as "27828_extern" (4.1).
	ChannelID string
	// ApplicationID names an application (2.4). Its form is the service's.
	ApplicationID string
	// SubscriptionID names a subscription, the {aboId} of section 4.5.
	SubscriptionID string
	// JobID names a job: jobDbId in the paths of sections 4.2 and 4.3, jobid
	// in 4.4, IdValue in a job feed. It is not a posting's identifier, and no
	// call of the interface turns one into the other.
	JobID int64
	// JobPostingID names a posting (2.2).
	JobPostingID int64
	// PostingVersionID names one version of a posting (2.2).
	PostingVersionID int64
)

// ParseJobID reads a job identifier from a feed, a path or a flag: decimal
// digits, with a value of at least 1. It returns ErrInvalidInput for anything
// else.
func ParseJobID(s string) (JobID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || s[0] == '+' {
		return 0, fmt.Errorf("jobboard: job identifier %.40q is not a positive number: %w", s, ErrInvalidInput)
	}
	return JobID(n), nil
}

// String returns the identifier as it stands in a path.
func (id JobID) String() string { return strconv.FormatInt(int64(id), 10) }

// Config holds the settings of NewClient. The zero value of a field selects the
// default in its comment. At least one of the two addresses is required.
type Config struct {
	// BaseURL is required for search, applications and subscriptions. It may end
	// in /api/rest.
	BaseURL          string
	JobDBURL         string             // required for JobInformation
	ClientID         string             // HTTP Basic "<id>:", for an application without a secret
	TokenSource      oauth2.TokenSource // bearer; with ClientID also set, NewClient fails
	JobDBTokenSource oauth2.TokenSource // nil: the lookup sends no credential, even where both addresses share an origin
	// HTTPClient sends the requests with its Transport, or http.DefaultTransport if
	// that is nil, and its Timeout bounds each attempt as RetryPolicy.AttemptTimeout
	// does. The Client uses nothing else of it and never changes it. nil: the Client
	// makes a transport of its own, tuned for many calls to one or two hosts.
	HTTPClient *http.Client
	UserAgent  string // goes in front of the library's own, "jobboard-go/v1.2.3"
	Language   string // default Accept-Language of a search, such as "de"
	Retry      RetryPolicy
	Logger     *slog.Logger // nil: silent
	// MaxBodyBytes bounds a decompressed answer. 0 means 64 MiB for Search, 4 MiB
	// for the rest; for Postings 1 MiB a posting and 1 GiB in all.
	MaxBodyBytes     int64
	SubscriptionPath string    // "/jobabo"
	AllowInsecure    bool      // credentials over http to a host that is not loopback
	Observer         *Observer // nil: nobody watches

	// Limiter is asked before every request: also before a repeat, before a
	// redirect is followed, and before the repeat with a renewed token. Its
	// time does not count towards RetryPolicy.AttemptTimeout. nil: no limit.
	Limiter Limiter

	// DisableCompression asks for answers that are not compressed. On a fast
	// network inflating an answer takes longer than receiving it.
	DisableCompression bool
}

// Format prints the configuration without its credentials.
func (cfg Config) Format(f fmt.State, verb rune) {
	type plain Config // has no Format
	fmt.Fprintf(f, fmt.FormatString(f, verb), plain(cfg.withoutSecrets()))
}

// LogValue returns the addresses, and for each credential whether it is set.
func (cfg Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("base_url", cfg.BaseURL), slog.String("jobdb_url", cfg.JobDBURL),
		slog.Bool("client_id", cfg.ClientID != ""), slog.Bool("token_source", cfg.TokenSource != nil),
		slog.Bool("jobdb_token_source", cfg.JobDBTokenSource != nil))
}

// MarshalJSON returns the values of LogValue as JSON.
func (cfg Config) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"base_url": cfg.BaseURL, "jobdb_url": cfg.JobDBURL, "client_id": cfg.ClientID != "",
		"token_source": cfg.TokenSource != nil, "jobdb_token_source": cfg.JobDBTokenSource != nil,
	})
}

func (cfg Config) withoutSecrets() Config {
	if cfg.ClientID != "" {
		cfg.ClientID = hiddenText
	}
	for _, source := range []*oauth2.TokenSource{&cfg.TokenSource, &cfg.JobDBTokenSource} {
		if *source != nil {
			*source = staticToken{} // prints as hidden, whatever was there
		}
	}
	return cfg
}

// Client calls the interface. It is safe for concurrent use. Make one and keep
// it, because it owns the connections and the retry budget.
type Client struct {
	base   slot // for search and subscriptions, with the client's credential
	lookup slot
}

// shared holds what all slots of a client have in common.
type shared struct {
	config      Config // with its defaults, and without what is secret
	next        roundTrip
	standard    bool                   // next is net/http's own, which changes no header
	connections *transport.Connections // nil: of a transport that is not ours
	headers     headers
	anonymous   authorization // what is sent without a credential
	catalogues  catalogueCache
	// source makes a credential of a token source. It is a function, because
	// what it holds knows sources that are asked at the moment.
	source func(oauth2.TokenSource) credential
}

// Applicant makes the calls that need an applicant's own token (4.2 and 4.3).
// It is cheap to make, even for each incoming request, and shares the
// connections and the retry budget of its Client.
type Applicant struct {
	client *Client
	slot   slot
}

// NewClient returns a client for cfg and sends nothing. It reports a mistake in
// cfg as a ConfigError, which names the field and is ErrInvalidInput.
func NewClient(cfg Config) (*Client, error) {
	c, err := newClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("jobboard: NewClient: %w", err)
	}
	return c, nil
}

func newClient(cfg Config) (*Client, error) {
	if cfg.BaseURL == "" && cfg.JobDBURL == "" {
		return nil, &ConfigError{"BaseURL", "is empty, and so is Config.JobDBURL"}
	}
	base, err := baseAddress("BaseURL", cfg.BaseURL, "/api/rest")
	if err != nil {
		return nil, err
	}
	lookup, err := baseAddress("JobDBURL", cfg.JobDBURL, "")
	if err != nil {
		return nil, err
	}
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	if err := cfg.checkCredentials(base, lookup); err != nil {
		return nil, err
	}
	all := newShared(cfg)
	c := &Client{base: newSlot(all, "BaseURL", base), lookup: newSlot(all, "JobDBURL", lookup)}
	switch {
	case cfg.ClientID != "":
		c.base.credential = basic(cfg.ClientID)
	case cfg.TokenSource != nil:
		c.base.credential = all.source(cfg.TokenSource)
	}
	if cfg.JobDBTokenSource != nil {
		c.lookup.credential = all.source(cfg.JobDBTokenSource)
	}
	if base != nil && lookup != nil && c.base.origin == c.lookup.origin {
		c.lookup.budget = c.base.budget
	}
	return c, nil
}

// newShared returns what the slots of a client with a complete configuration
// share.
func newShared(cfg Config) *shared {
	next, connections := network(cfg.HTTPClient)
	_, standard := next.(*http.Transport)
	cfg.ClientID, cfg.TokenSource, cfg.JobDBTokenSource, cfg.HTTPClient = "", nil, nil, nil
	return &shared{
		config: cfg,
		// A function, because a transport keeps buffers with the bytes of the last
		// requests, which a printer that follows fields would show.
		next: next.RoundTrip, standard: standard, connections: connections,
		headers: newHeaders(cfg.UserAgent, cfg.Language, !cfg.DisableCompression),
		source:  sources(),
	}
}

// network returns what sends the requests of a client that is configured with h,
// and the connections behind it, nil for those of a transport that is not ours.
func network(h *http.Client) (http.RoundTripper, *transport.Connections) {
	switch {
	case h == nil:
		return transport.Standard()
	case h.Transport == nil:
		return http.DefaultTransport, nil
	}
	return h.Transport, nil
}

// newSlot returns a slot for an address, without a credential. Where the address
// is nil, the slot refuses every call, because the field is empty.
func newSlot(all *shared, field string, base *url.URL) slot {
	if base == nil {
		return slot{shared: all, refusal: &ConfigError{field, "is empty"}}
	}
	s := slot{shared: all, base: base, origin: address.OriginOf(base)}
	if policy := &all.config.Retry; policy.Budget > 0 {
		s.budget = budget.New(policy.Budget, policy.BudgetRatio)
	}
	return s
}

// baseAddress reads the address in a field, which may end in suffix. It returns
// nil for an empty one, which is no mistake yet.
func baseAddress(field, text, suffix string) (*url.URL, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // see above
	}
	u, wrong := address.Base(text, suffix)
	if wrong != "" {
		return nil, &ConfigError{field, wrong}
	}
	return u, nil
}

// complete checks the settings and fills in their defaults.
func (cfg *Config) complete() (err error) {
	if cfg.Retry, err = cfg.Retry.withDefaults(); err != nil {
		return err
	}
	if h := cfg.HTTPClient; h != nil && h.Timeout > 0 {
		cfg.Retry.AttemptTimeout = min(cfg.Retry.AttemptTimeout, h.Timeout)
	}
	if cfg.MaxBodyBytes < 0 {
		return &ConfigError{"MaxBodyBytes", "is negative"}
	}
	if wrong := languageMistake(cfg.Language); wrong != "" {
		return &ConfigError{"Language", wrong}
	}
	if cfg.SubscriptionPath, err = readSubscriptionPath(cfg.SubscriptionPath); err != nil {
		return err
	}
	cfg.UserAgent, err = userAgent(cfg.UserAgent)
	return err
}

// readSubscriptionPath returns the path that s means, with one slash in front of
// it and none behind.
func readSubscriptionPath(s string) (string, error) {
	if s == "" {
		return "/jobabo", nil
	}
	path := strings.TrimRight("/"+strings.TrimLeft(s, "/"), "/")
	u, err := url.Parse(path)
	if err != nil || path == "" || u.EscapedPath() != path ||
		strings.Contains(path, "/.") || strings.ContainsAny(path, "{}%") {
		return "", &ConfigError{"SubscriptionPath", "is no plain path"}
	}
	return path, nil
}

// checkCredentials checks the credentials, each with the address that it goes to.
func (cfg *Config) checkCredentials(base, lookup *url.URL) error {
	if cfg.ClientID != "" && cfg.TokenSource != nil {
		return &ConfigError{"ClientID", "and Config.TokenSource exclude each other"}
	}
	if strings.Contains(cfg.ClientID, ":") || cfg.ClientID != "" && !isVisible(cfg.ClientID) {
		return &ConfigError{"ClientID", "holds a colon, a space or a control character"}
	}
	if cfg.ClientID != "" || cfg.TokenSource != nil {
		if err := cfg.checkCarrier("BaseURL", base); err != nil {
			return err
		}
	}
	if err := checkSource("TokenSource", cfg.TokenSource); err != nil {
		return err
	}
	if cfg.JobDBTokenSource != nil {
		if err := cfg.checkCarrier("JobDBURL", lookup); err != nil {
			return err
		}
	}
	return checkSource("JobDBTokenSource", cfg.JobDBTokenSource)
}

// checkCarrier returns an error unless a credential may go to the address in a
// field.
func (cfg *Config) checkCarrier(field string, u *url.URL) error {
	switch {
	case u == nil:
		return &ConfigError{field, "is empty, and there is a credential for it"}
	case !cfg.AllowInsecure && !address.OriginOf(u).IsConfidential():
		return &ConfigError{
			field,
			"is http to a host that is not loopback: its credential would be readable on the way (AllowInsecure permits it)",
		}
	}
	return nil
}

// checkSource returns an error for a token source with a token that is known
// already and cannot be sent.
func checkSource(field string, source oauth2.TokenSource) error {
	static, ok := source.(staticToken)
	if !ok {
		return nil
	}
	if err := checkToken(&oauth2.Token{AccessToken: static.token()}); err != nil {
		return &ConfigError{field, "is not usable: " + err.Error()}
	}
	return nil
}

// Applicant returns the calls for one applicant, made with the token that user
// gives and never with the client's own credential. It reports no error: after
// a mistake, such as a nil user, each call returns ErrInvalidInput.
func (c *Client) Applicant(user oauth2.TokenSource) *Applicant {
	s := c.base
	s.credential = credential{}
	switch {
	case s.refusal != nil:
	case user == nil:
		s.refusal = invalid("the applicant's token source is nil")
	case !s.config.AllowInsecure && !s.origin.IsConfidential():
		s.refusal = &ConfigError{"BaseURL", "is http to a host that is not loopback: an applicant's token does not go there"}
	default:
		s.credential = s.source(user)
	}
	return &Applicant{client: c, slot: s}
}

// RetryBudget holds the state of one origin's retry budget, for metrics.
type RetryBudget struct {
	Origin   string  // scheme, host and port
	Tokens   float64 // repeats that may be made now
	Capacity float64 // the most that Tokens may be now
}

// RetryBudgets returns the state of every budget of the client: one per origin,
// none if RetryPolicy.Budget is negative.
func (c *Client) RetryBudgets() []RetryBudget {
	var all []RetryBudget
	for i, s := range []*slot{&c.base, &c.lookup} {
		if s.budget == nil || i == 1 && s.budget == c.base.budget {
			continue
		}
		b := RetryBudget{Origin: s.origin.String()}
		b.Tokens, b.Capacity = s.budget.State(time.Now())
		all = append(all, b)
	}
	return all
}
