package jobboard

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/budget"
	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
	"golang.org/x/oauth2"
)

// Each kind of identifier has a type of its own, so that the compiler finds a mix-up.
type (
	// ChannelID names a channel of postings, such as "27828_extern" (4.1).
	ChannelID string
	// ApplicationID names an application (2.4). Its form is the service's.
	ApplicationID string
	// SubscriptionID names a subscription, the {aboId} of section 4.5.
	SubscriptionID string
	// JobID names a job: jobDbId in the paths of sections 4.2 and 4.3, jobid in 4.4, IdValue in a
	// job feed. A posting has another identifier, JobPostingID, and the interface has no call that
	// converts them.
	JobID int64
	// JobPostingID names a posting (2.2).
	JobPostingID int64
	// PostingVersionID names one version of a posting (2.2).
	PostingVersionID int64
)

// ParseJobID reads a job identifier, such as from a feed, a path or a flag: decimal digits with a
// value of 1 or more. It returns ErrInvalidInput for other texts.
func ParseJobID(s string) (JobID, error) {
	n, ok := positiveNumber(s)
	if !ok {
		return 0, fmt.Errorf("jobboard: job identifier %.40q is not a positive number: %w", s, ErrInvalidInput)
	}
	return JobID(n), nil
}

// positiveNumber reads decimal digits with a value of at least 1.
func positiveNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 1 && s[0] != '+'
}

// checkJob returns an error for an identifier that no job has.
func checkJob(id JobID) error {
	if id < 1 {
		return invalid("job identifier %d is not positive", int64(id))
	}
	return nil
}

// String returns the identifier as it stands in a path.
func (id JobID) String() string { return strconv.FormatInt(int64(id), 10) }

// Client calls the interface. It is safe for concurrent use. Make one and keep
// it, because it owns the connections and the retry budget. NewClient makes one;
// every call of the zero value returns ErrInvalidInput.
type Client struct {
	base   endpoint // for search and subscriptions, with the client's credential
	lookup endpoint
}

// endpoint holds one address with the credential that belongs to it: the base
// address, the lookup's, or the base address for one applicant.
type endpoint struct {
	*common
	call.Endpoint                // what the engine needs; its Policy, Budget and Added are what CallOptions change
	place         *place         // how errors call the address and the credential; nil: nothing can be sent
	shared        *budget.Budget // of all calls to the origin; Budget is nil where CallOptions have none
	mistake       error          // of the settings: nothing may be sent

	// What else CallOptions change.
	observer *Observer       // nil: nobody watches
	hide     func() []string // the values in Added that no error may show
}

// common holds the state that all endpoints of a client share.
type common struct {
	config      Config // defaults filled in, credentials removed
	network     call.Network
	proxy       func(*http.Request) (*url.URL, error) // of network; nil: there is none, or nobody knows
	catalogues  catalogueCache
	attemptMost time.Duration // bounds AttemptTimeout of every policy; 0: nothing does
	// source makes a credential of a token source. It is a function, because the credential.Foreign
	// behind it holds the token sources in use, and fmt's %v would print them.
	source func(oauth2.TokenSource) credential.Credential
}

// Applicant makes the calls that need an applicant's own token (4.2 and 4.3).
// It is cheap to make, even for each incoming request, and shares the
// connections and the retry budget of its Client. Client.Applicant makes one;
// every call of the zero value returns ErrInvalidInput.
type Applicant struct {
	client   *Client
	endpoint endpoint
}

// operation holds one call of section 4 and its rules.
type operation struct {
	name   string // the public method
	method string
	path   string // the template an Error shows
	limit  int64  // default bound of the decompressed answer, in bytes; 0: smallAnswer
	stream bool   // the caller reads the answer as it arrives
}

// safe reports whether the operation changes nothing, so that Error.MayHaveExecuted does not
// matter.
func (op *operation) safe() bool {
	return op.method == http.MethodGet || op.method == http.MethodHead || op.method == http.MethodOptions
}

// isSearch reports whether the operation searches a channel.
func (op *operation) isSearch() bool { return op.path == searchPath }

const (
	searchPath      = "/api/rest/v2/frontend/jobboards/{channelID}/jobs"
	appliedPath     = "/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	applicationPath = "/api/rest/v3/frontend/jobs/{jobDbId}/application"
	lookupPath      = "/jobdb/public/apply/external"

	smallAnswer = 4 << 20
)

var (
	opSearch         = &operation{name: "Search", method: http.MethodGet, path: searchPath, limit: 64 << 20}
	opPostings       = &operation{name: "Postings", method: http.MethodGet, path: searchPath, limit: 1 << 30, stream: true}
	opHasApplied     = &operation{name: "HasApplied", method: http.MethodGet, path: appliedPath}
	opApplicationID  = &operation{name: "ApplicationID", method: http.MethodGet, path: applicationPath}
	opJobInformation = &operation{name: "JobInformation", method: http.MethodGet, path: lookupPath}
	opSubscribe      = &operation{name: "Subscribe", method: http.MethodPost, path: "/jobabo"}
	opConfirm        = &operation{name: "ConfirmSubscription", method: http.MethodPut, path: "/jobabo/{aboId}"}
	opUnsubscribe    = &operation{name: "Unsubscribe", method: http.MethodDelete, path: "/jobabo/{aboId}"}
)

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
	base, lookup, err := cfg.addresses()
	if err == nil {
		err = cfg.complete()
	}
	if err == nil {
		err = cfg.checkCredentials(base, lookup)
	}
	if err != nil {
		return nil, err
	}
	all, err := newCommon(cfg)
	if err != nil {
		return nil, err
	}
	c := &Client{base: newEndpoint(all, "BaseURL", base), lookup: newEndpoint(all, "JobDBURL", lookup)}
	c.base.place, c.lookup.place = &baseWithout, &lookupWithout
	switch {
	case cfg.ClientID != "":
		c.base.Credential, c.base.place = credential.Basic(cfg.ClientID), &baseWithID
	case cfg.TokenSource != nil:
		c.base.Credential, c.base.place = all.source(cfg.TokenSource), &baseWithToken
	}
	if cfg.JobDBTokenSource != nil {
		c.lookup.Credential, c.lookup.place = all.source(cfg.JobDBTokenSource), &lookupWithToken
	}
	if c.base.Origin == c.lookup.Origin {
		c.lookup.Budget, c.lookup.shared = c.base.Budget, c.base.Budget
	}
	return c, nil
}

// newCommon returns the state that a client's endpoints share. cfg has its defaults filled in.
func newCommon(cfg Config) (*common, error) {
	next := network(cfg.HTTPClient, cfg.TLS)
	own, standard := next.(*http.Transport)
	var proxy func(*http.Request) (*url.URL, error)
	if standard {
		proxy = own.Proxy
	}
	if cfg.Middleware != nil {
		standard = false
		if next = cfg.Middleware(next); next == nil {
			return nil, &ConfigError{"Middleware", "returned nil in place of a transport"}
		}
	}
	var attemptMost time.Duration
	if cfg.HTTPClient != nil {
		attemptMost = cfg.HTTPClient.Timeout
	}
	cfg.ClientID, cfg.TokenSource, cfg.JobDBTokenSource = "", nil, nil
	cfg.HTTPClient, cfg.TLS, cfg.Middleware = nil, nil, nil
	return &common{
		config: cfg, attemptMost: attemptMost,
		network: call.Network{
			Next: next.RoundTrip, Standard: standard, Headers: credential.NewHeaders(cfg.UserAgent, cfg.Language),
			UserAgent: cfg.UserAgent, Limiter: cfg.Limiter,
		},
		proxy: proxy, source: sources(),
	}, nil
}

// network returns the transport for Config.HTTPClient h and Config.TLS.
func network(h *http.Client, settings *tls.Config) http.RoundTripper {
	switch {
	case h == nil:
		return transport.Standard(settings)
	case h.Transport == nil:
		return http.DefaultTransport
	}
	return h.Transport
}

// newEndpoint returns the endpoint at an address, without a credential. If the
// address is nil, because the field is empty, the endpoint refuses every call.
func newEndpoint(all *common, field string, base *url.URL) endpoint {
	e := endpoint{
		common: all, observer: all.config.Observer, hide: nothing[[]string],
		Endpoint: call.Endpoint{
			Network: &all.network, Base: base, Policy: all.config.Retry.numbers(), Added: nothing[http.Header],
		},
	}
	if base == nil {
		e.mistake = &ConfigError{field, "is empty, and this call needs it"}
		return e
	}
	e.Origin = address.OriginOf(base)
	if initial := all.config.Retry.Budget; initial > 0 {
		e.Budget = budget.New(initial, budgetRatio)
		e.shared = e.Budget
	}
	return e
}

// unmade stands for the endpoint of a zero Client or Applicant. It refuses every call.
var unmade = endpoint{
	common: new(common), hide: nothing[[]string], Endpoint: call.Endpoint{Added: nothing[http.Header]},
	mistake: invalid("use NewClient, and for an applicant Client.Applicant: the zero value has no address to call"),
}

func nothing[T any]() (none T) { return none }

// made returns the endpoint, or unmade if NewClient did not make it. Every public method gets its
// endpoint from made.
func (e *endpoint) made() *endpoint {
	if e == nil || e.common == nil {
		return &unmade
	}
	return e
}

// Applicant returns the calls for one applicant, made with the token that user
// gives and never with the client's own credential. It reports no error: after
// a mistake, such as a nil user, each call returns ErrInvalidInput.
func (c *Client) Applicant(user oauth2.TokenSource) *Applicant {
	e := *c.base.made()
	switch {
	case e.mistake != nil:
	case user == nil:
		e.mistake = invalid("the applicant's token source is nil")
	case !e.config.AllowInsecure && !e.Origin.IsConfidential():
		e.mistake = &ConfigError{"BaseURL", "is http to a host that is not loopback: an applicant's token does not go there"}
	default:
		e.Credential, e.place = e.source(user), &baseWithApplicant
	}
	return &Applicant{client: c, endpoint: e}
}

// place is how errors call the address and the credential of an endpoint.
type place struct {
	field string // of Config, which has the address
	sends string // see Error.Credential
}

// The places.
var (
	baseWithID        = place{"BaseURL", "the identifier in Config.ClientID"}
	baseWithToken     = place{"BaseURL", "the token of Config.TokenSource"}
	baseWithApplicant = place{"BaseURL", applicantsToken}
	baseWithout       = place{"BaseURL", noCredential + "; Config.ClientID or Config.TokenSource would send one"}
	lookupWithToken   = place{"JobDBURL", "the token of Config.JobDBTokenSource"}
	lookupWithout     = place{"JobDBURL", noCredential + "; Config.JobDBTokenSource would send one"}
)

// applicantsToken is the Error.Credential of an applicant's refused call.
const applicantsToken = "the applicant's token"
