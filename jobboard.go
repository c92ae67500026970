package jobboard

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

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
	config shared
}

// shared holds what the slots of a client have in common.
type shared struct {
	next             roundTrip
	standard         bool // next is net/http's own, which changes no header
	insecure         bool // Config.AllowInsecure
	headers          headers
	anonymous        *authorization
	language         string
	subscriptionPath string
	catalogues       *catalogueCache
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
	read, err := readSettings(cfg)
	if err != nil {
		return nil, err
	}
	next, connections := network(cfg.HTTPClient)
	_, standard := next.(*http.Transport)
	c := &Client{config: shared{
		// A function, because a transport keeps buffers with the bytes of the last
		// requests, which a printer that follows fields would show.
		next: roundTrip(next.RoundTrip), standard: standard,
		insecure: cfg.AllowInsecure, language: cfg.Language, subscriptionPath: read.subscriptionPath,
		headers:    newHeaders(read.agent, cfg.Language, !cfg.DisableCompression),
		catalogues: new(catalogueCache), anonymous: new(authorization),
		source: sources(),
	}}
	var own, lookupOwn credential
	switch {
	case cfg.ClientID != "":
		own = basic(cfg.ClientID)
	case cfg.TokenSource != nil:
		own = c.config.source(cfg.TokenSource)
	}
	if cfg.JobDBTokenSource != nil {
		lookupOwn = c.config.source(cfg.JobDBTokenSource)
	}
	kind := slot{
		connections: connections, policy: &read.policy, logger: cfg.Logger, maxBytes: cfg.MaxBodyBytes,
		observer: cfg.Observer, limiter: cfg.Limiter,
	}
	c.base = c.newSlot(kind, read.base, own, "BaseURL")
	c.lookup = c.newSlot(kind, read.lookup, lookupOwn, "JobDBURL")
	if read.base != nil && read.lookup != nil && c.base.origin == c.lookup.origin {
		c.lookup.budget = c.base.budget
	}
	return c, nil
}

// settings are what a configuration says, with its defaults filled in.
type settings struct {
	base, lookup     *url.URL // nil: there is none
	policy           RetryPolicy
	subscriptionPath string
	agent            string
}

// readSettings reads and checks cfg. Its errors name the field.
func readSettings(cfg Config) (s settings, err error) {
	if cfg.BaseURL == "" && cfg.JobDBURL == "" {
		return s, &ConfigError{"BaseURL", "is empty, and so is Config.JobDBURL"}
	}
	if s.base, err = parseAddress("BaseURL", cfg.BaseURL); err != nil {
		return s, err
	}
	if s.lookup, err = parseAddress("JobDBURL", cfg.JobDBURL); err != nil {
		return s, err
	}
	if s.policy, err = cfg.Retry.withDefaults(); err != nil {
		return s, err
	}
	if h := cfg.HTTPClient; h != nil && h.Timeout > 0 {
		s.policy.AttemptTimeout = min(s.policy.AttemptTimeout, h.Timeout)
	}
	if cfg.MaxBodyBytes < 0 {
		return s, &ConfigError{"MaxBodyBytes", "is negative"}
	}
	if reason := languageMistake(cfg.Language); reason != "" {
		return s, &ConfigError{"Language", reason}
	}
	if s.subscriptionPath, err = readSubscriptionPath(cfg.SubscriptionPath); err != nil {
		return s, err
	}
	if s.agent, err = userAgent(cfg.UserAgent); err != nil {
		return s, err
	}
	return s, checkCredentials(cfg, s.base, s.lookup)
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

// newSlot completes a slot for an address; without one it refuses.
func (c *Client) newSlot(s slot, address *url.URL, own credential, missing string) slot {
	if address == nil {
		s.refusal = &ConfigError{missing, "is empty"}
		return s
	}
	s.base = address
	if s.budget == nil && s.policy.Budget > 0 {
		s.budget = budget.New(s.policy.Budget, s.policy.BudgetRatio)
	}
	s.origin, s.credential, s.next = transport.OriginOf(address), own, c.config.next
	s.headers, s.standard, s.anonymous = &c.config.headers, c.config.standard, c.config.anonymous
	return s
}

// Applicant returns the calls for one applicant, made with the token that user
// gives and never with the client's own credential. It reports no error: after
// a mistake, such as a nil user, each call returns ErrInvalidInput.
func (c *Client) Applicant(user oauth2.TokenSource) *Applicant {
	a := &Applicant{client: c}
	switch {
	case c.base.refusal != nil:
		a.slot = c.base
	case user == nil:
		a.slot.refusal = invalid("the applicant's token source is nil")
	case !c.config.insecure && !isConfidential(c.base.base):
		a.slot.refusal = &ConfigError{"BaseURL", "is http to a host that is not loopback: an applicant's token does not go there"}
	default:
		kind := slot{
			connections: c.base.connections, policy: c.base.policy, budget: c.base.budget, logger: c.base.logger,
			maxBytes: c.base.maxBytes, observer: c.base.observer, limiter: c.base.limiter,
		}
		a.slot = c.newSlot(kind, c.base.base, c.config.source(user), "")
		return a
	}
	a.slot.policy, a.slot.logger, a.slot.observer = c.base.policy, c.base.logger, c.base.observer
	return a
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

// parseAddress reads a base address in the forms that people paste: with and
// without a trailing slash, with and without /api/rest.
func parseAddress(field, s string) (*url.URL, error) {
	if s == "" {
		return nil, nil //nolint:nilnil // no address is no mistake yet
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, &ConfigError{field, "is not an address"} // the parser's error would print it
	}
	if reason := addressMistake(u); reason != "" {
		return nil, &ConfigError{field, reason}
	}
	escaped := strings.TrimRight(u.EscapedPath(), "/")
	if field == "BaseURL" {
		for strings.HasSuffix(escaped, "/api/rest") {
			escaped = strings.TrimRight(strings.TrimSuffix(escaped, "/api/rest"), "/")
		}
	}
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, &ConfigError{field, "has a broken path"}
	}
	u.Path, u.RawPath = path, ""
	if path != escaped {
		u.RawPath = escaped
	}
	return u, nil
}

// addressMistake returns what keeps u from being a base address; empty: nothing.
func addressMistake(u *url.URL) string {
	for _, check := range []struct {
		wrong  bool
		reason string
	}{
		{u.Scheme != "http" && u.Scheme != "https", "is not an absolute http or https address"},
		{u.Hostname() == "" || u.Opaque != "", "has no host"},
		{!transport.IsASCII(u.Host), "has a host with letters beyond ASCII: write it in its xn-- form"},
		{u.User != nil, "holds a user part: credentials have fields of their own"},
		{u.RawQuery != "" || u.ForceQuery || u.Fragment != "", "has a query or a fragment"},
		{leadsElsewhere(u.Path), "has a path that leads elsewhere"},
	} {
		if check.wrong {
			return check.reason
		}
	}
	return ""
}

// leadsElsewhere reports whether a part of path is a dot or two.
func leadsElsewhere(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

func checkCredentials(cfg Config, base, lookup *url.URL) error {
	if cfg.ClientID != "" && cfg.TokenSource != nil {
		return &ConfigError{"ClientID", "and Config.TokenSource exclude each other"}
	}
	if strings.Contains(cfg.ClientID, ":") || cfg.ClientID != "" && !isVisible(cfg.ClientID) {
		return &ConfigError{"ClientID", "holds a colon, a space or a control character"}
	}
	for _, slot := range []struct {
		address    *url.URL
		name       string
		credential bool
		source     oauth2.TokenSource
		field      string
	}{
		{base, "BaseURL", cfg.ClientID != "" || cfg.TokenSource != nil, cfg.TokenSource, "TokenSource"},
		{lookup, "JobDBURL", cfg.JobDBTokenSource != nil, cfg.JobDBTokenSource, "JobDBTokenSource"},
	} {
		if !slot.credential {
			continue
		}
		if slot.address == nil {
			return &ConfigError{slot.name, "is empty, and there is a credential for it"}
		}
		if !cfg.AllowInsecure && !isConfidential(slot.address) {
			return &ConfigError{
				slot.name,
				"is http to a host that is not loopback: its credential would be readable on the way (AllowInsecure permits it)",
			}
		}
		if static, ok := slot.source.(staticToken); ok {
			if err := checkToken(&oauth2.Token{AccessToken: static.token()}); err != nil {
				return &ConfigError{slot.field, "is not usable: " + err.Error()}
			}
		}
	}
	return nil
}

// isConfidential reports whether nobody on the way to u can read a request:
// https, or a loopback host.
func isConfidential(u *url.URL) bool {
	if u.Scheme == "https" || strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}

// languageMistake returns what keeps s from being an Accept-Language, such as
// "de", "de-AT,de;q=0.9" or "*"; empty: nothing.
func languageMistake(s string) string {
	if len(s) > 200 {
		return "is longer than 200 bytes"
	}
	if strings.ContainsFunc(s, notInLanguage) {
		return "holds a character that Accept-Language cannot hold"
	}
	return ""
}

func notInLanguage(r rune) bool {
	return !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || strings.ContainsRune("-,;=.* ", r))
}
