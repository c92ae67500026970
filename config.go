package jobboard

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"golang.org/x/oauth2"
)

// Config holds the settings of NewClient. The zero value of a field selects the default
// in its comment. Set BaseURL, JobDBURL or both.
type Config struct {
	// BaseURL is required for search, applications and subscriptions. It may end
	// in /api/rest, and must not hold more of the path of a call.
	BaseURL          string
	JobDBURL         string             // required for JobInformation
	ClientID         string             // HTTP Basic "<id>:", for an application without a secret
	TokenSource      oauth2.TokenSource // bearer; with ClientID also set, NewClient fails
	JobDBTokenSource oauth2.TokenSource // nil: the lookup sends no credential, even where both addresses share an origin
	// HTTPClient sends the requests with its Transport, or http.DefaultTransport if
	// that is nil, and its Timeout bounds each attempt as RetryPolicy.AttemptTimeout
	// does. The Client never changes it. NewClient refuses one with a Jar or a
	// CheckRedirect: the Client sends no cookies, and follows redirects by its own
	// rules. nil: the Client makes a transport of its own, tuned for many calls to one
	// or two hosts.
	//
	// The Client's own transport speaks HTTP/1.1. If a connection goes silent, for example
	// because a machine on the way lost its state, HTTP/1.1 costs the one call that waits on
	// it, and the next dials. Over HTTP/2 all calls share the silent connection, and net/http
	// keeps it: 40 of 40 calls failed in 43 s. So set
	// HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second} in a transport of your own
	// that speaks HTTP/2, also if you have cloned net/http's. The examples of Config show a
	// proxy.
	HTTPClient *http.Client
	// TLS holds the settings of TLS for the Client's own transport, such as a private CA in
	// RootCAs or a client certificate in Certificates, both with examples. The Client clones
	// it. NewClient refuses it beside HTTPClient, with NextProtos other than "http/1.1", and
	// with InsecureSkipVerify unless AllowInsecure is set. nil: package tls's defaults.
	TLS *tls.Config
	// Middleware wraps the transport that sends the requests, the client's own or HTTPClient's: to
	// look at requests and answers, to count them, or to send them in another way, as package hedge
	// does. NewClient calls it once. Its RoundTripper gets each attempt and each followed redirect
	// by itself, below the repeats and above the network, with the credential in its header: it must
	// send the request to no other place and print no header. It must pass the request's context on,
	// and clone the request before it changes it. Transport's requests come through it too. nil: none.
	Middleware func(next http.RoundTripper) http.RoundTripper
	UserAgent  string // goes in front of the library's own, "jobboard-go/v1.2.3"
	Language   string // default Accept-Language of a search, such as "de" or "de-AT,en;q=0.5"; no other call sends one
	Retry      RetryPolicy
	Logger     *slog.Logger // nil: silent
	// MaxBodyBytes bounds a decompressed answer. 0 means 64 MiB for Search, 4 MiB
	// for the rest, and 1 GiB for Postings.
	MaxBodyBytes int64
	// MaxPostingBytes bounds a posting of Postings; 0 means 1 MiB. A larger one
	// comes without its advertisement; see JobPosting.AdTooLarge.
	MaxPostingBytes  int
	SubscriptionPath string    // "/jobabo"
	AllowInsecure    bool      // credentials over http to a host that is not loopback, or TLS.InsecureSkipVerify
	Observer         *Observer // nil: nobody watches

	// Limiter is asked before every request, including repeats and followed redirects. The wait for
	// it does not count towards RetryPolicy.AttemptTimeout. A call without a deadline ends after a
	// minute; in a bulk call the wait for the Limiter does not count towards that minute. nil: no
	// limit.
	Limiter Limiter
}

// Format prints the configuration without its credentials, and without an
// address that NewClient refuses, which may hold one. Package fmt does not call
// it for a Config in an unexported field of another struct, and prints its fields.
func (cfg Config) Format(f fmt.State, verb rune) {
	type plain Config // a type without Format
	fmt.Fprintf(f, fmt.FormatString(f, verb), plain(cfg.withoutSecrets()))
}

// LogValue returns the addresses as Format prints them, and for each credential
// and for TLS whether it is set.
func (cfg Config) LogValue() slog.Value {
	cfg = cfg.withoutSecrets()
	return slog.GroupValue(
		slog.String("base_url", cfg.BaseURL), slog.String("jobdb_url", cfg.JobDBURL),
		slog.Bool("client_id", cfg.ClientID != ""), slog.Bool("token_source", cfg.TokenSource != nil),
		slog.Bool("jobdb_token_source", cfg.JobDBTokenSource != nil), slog.Bool("tls", cfg.TLS != nil))
}

// MarshalJSON returns the values of LogValue as JSON.
func (cfg Config) MarshalJSON() ([]byte, error) {
	values := map[string]any{}
	for _, a := range cfg.LogValue().Group() {
		values[a.Key] = a.Value.Any()
	}
	return json.Marshal(values)
}

// MarshalText returns the values of LogValue as a line. encoding/xml and libraries for other
// formats take it in place of the fields.
func (cfg Config) MarshalText() ([]byte, error) { return []byte(cfg.LogValue().String()), nil }

func (cfg Config) withoutSecrets() Config {
	if cfg.ClientID != "" {
		cfg.ClientID = redact.Hidden
	}
	for _, source := range []*oauth2.TokenSource{&cfg.TokenSource, &cfg.JobDBTokenSource} {
		if *source != nil {
			*source = staticToken{} // prints as hidden
		}
	}
	if cfg.TLS != nil { // holds keys
		cfg.TLS = new(tls.Config)
	}
	for _, text := range []*string{&cfg.BaseURL, &cfg.JobDBURL} {
		if _, wrong := address.Base(*text, ""); *text != "" && wrong != "" {
			*text = redact.Hidden
		}
	}
	return cfg
}

// addresses returns the two addresses, nil for an empty one.
func (cfg *Config) addresses() (base, lookup *url.URL, err error) {
	if cfg.BaseURL == "" && cfg.JobDBURL == "" {
		return nil, nil, &ConfigError{"BaseURL", "is empty, and so is Config.JobDBURL: set at least one"}
	}
	if base, err = baseAddress("BaseURL", cfg.BaseURL, "/api/rest"); err != nil {
		return nil, nil, err
	}
	lookup, err = baseAddress("JobDBURL", cfg.JobDBURL, "")
	return base, lookup, err
}

// baseAddress reads the address in a field, which may end in suffix. It returns nil for an empty
// field: the calls that need the address refuse it.
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
	if err = cfg.checkNetwork(); err != nil {
		return err
	}
	if h := cfg.HTTPClient; h != nil && h.Timeout > 0 {
		if h.Timeout < time.Millisecond {
			return &ConfigError{"HTTPClient", "has a Timeout that " + tooShort}
		}
		cfg.Retry.AttemptTimeout = min(cfg.Retry.AttemptTimeout, h.Timeout)
	}
	if cfg.MaxBodyBytes < 0 {
		return &ConfigError{"MaxBodyBytes", "is negative: 0 means the default"}
	}
	if cfg.MaxPostingBytes < 0 {
		return &ConfigError{"MaxPostingBytes", "is negative: 0 means the default"}
	}
	cfg.MaxPostingBytes = cmp.Or(cfg.MaxPostingBytes, 1<<20)
	if wrong := languageMistake(cfg.Language); wrong != "" {
		return &ConfigError{"Language", wrong}
	}
	var wrong string
	if cfg.SubscriptionPath, wrong = address.Path(cmp.Or(cfg.SubscriptionPath, "/jobabo")); wrong != "" {
		return &ConfigError{"SubscriptionPath", wrong}
	}
	if strings.ContainsFunc(cfg.UserAgent, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return &ConfigError{"UserAgent", "holds a character that no header may hold"}
	}
	cfg.UserAgent = strings.TrimSpace(strings.TrimSpace(cfg.UserAgent) + " " + credential.LibraryName())
	return nil
}

// checkNetwork checks the settings of the transport.
func (cfg *Config) checkNetwork() error {
	if h := cfg.HTTPClient; h != nil {
		const cure = ": set only its Transport and Timeout. No cookies are sent; " +
			"redirects are followed within the origin, at most three"
		switch {
		case h.Jar != nil:
			return &ConfigError{"HTTPClient", "has a Jar" + cure}
		case h.CheckRedirect != nil:
			return &ConfigError{"HTTPClient", "has a CheckRedirect" + cure}
		}
	}
	switch t := cfg.TLS; {
	case t == nil:
	case cfg.HTTPClient != nil:
		return &ConfigError{
			"TLS", "is for the client's own transport, and Config.HTTPClient takes its place: " +
				"set TLSClientConfig of that client's Transport, or leave HTTPClient out",
		}
	case t.InsecureSkipVerify && !cfg.AllowInsecure:
		return &ConfigError{
			"TLS", "has InsecureSkipVerify, so anybody on the way could read the credentials: " +
				"set RootCAs to trust a private authority (AllowInsecure permits it)",
		}
	case slices.ContainsFunc(t.NextProtos, func(proto string) bool { return proto != "http/1.1" }):
		return &ConfigError{
			"TLS", `has NextProtos other than "http/1.1", which the client's own transport does not speak: ` +
				"leave NextProtos out, or set HTTPClient",
		}
	}
	return nil
}

// languageMistake returns what keeps s from being an Accept-Language, such as
// "de", "de-AT,de;q=0.9" or "*"; empty: nothing.
func languageMistake(s string) string {
	notInLanguage := func(r rune) bool {
		return !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || strings.ContainsRune("-,;=.* ", r))
	}
	switch {
	case len(s) > 200:
		return "is longer than 200 bytes"
	case strings.ContainsFunc(s, notInLanguage):
		return `holds a character that Accept-Language cannot hold: write "de-AT", and not "de_AT"`
	case s == "":
		return ""
	}
	for part := range strings.SplitSeq(s, ",") {
		if !isLanguage(strings.TrimSpace(part)) {
			return `has a part that is no language: write "de", "de-AT,en;q=0.5" or "*"`
		}
	}
	return ""
}

// isLanguage reports whether a part of an Accept-Language begins with two or three letters, or with *.
func isLanguage(part string) bool {
	name, _, _ := strings.Cut(part, ";")
	name, _, _ = strings.Cut(strings.TrimSpace(name), "-")
	notLetter := func(r rune) bool { return !('A' <= r && r <= 'Z' || 'a' <= r && r <= 'z') }
	return name == "*" || (len(name) == 2 || len(name) == 3) && !strings.ContainsFunc(name, notLetter)
}

// checkCredentials checks each credential and the address that receives it.
func (cfg *Config) checkCredentials(base, lookup *url.URL) error {
	if cfg.ClientID != "" && cfg.TokenSource != nil {
		return &ConfigError{"ClientID", "and Config.TokenSource exclude each other: leave one empty"}
	}
	if strings.Contains(cfg.ClientID, ":") || cfg.ClientID != "" && !credential.IsVisible(cfg.ClientID) {
		return &ConfigError{"ClientID", "holds a colon, a space or a control character: give the identifier alone, because the client adds the colon"}
	}
	if cfg.ClientID != "" || cfg.TokenSource != nil {
		if err := cfg.checkCarrier("BaseURL", base); err != nil {
			return err
		}
	}
	if cfg.JobDBTokenSource != nil {
		if err := cfg.checkCarrier("JobDBURL", lookup); err != nil {
			return err
		}
	}
	return cmp.Or(checkSource("TokenSource", cfg.TokenSource), checkSource("JobDBTokenSource", cfg.JobDBTokenSource))
}

// checkCarrier returns an error unless a credential may go to the address in a
// field.
func (cfg *Config) checkCarrier(field string, u *url.URL) error {
	switch {
	case u == nil:
		return &ConfigError{field, "is empty, but Config has a credential for it"}
	case !cfg.AllowInsecure && !address.OriginOf(u).IsConfidential():
		return &ConfigError{
			field,
			"is http to a host that is not loopback: its credential would be readable on the way (AllowInsecure permits it)",
		}
	}
	return nil
}

// checkSource returns an error for a StaticToken whose token cannot be sent.
func checkSource(field string, source oauth2.TokenSource) error {
	static, ok := source.(staticToken)
	if !ok {
		return nil
	}
	if err := credential.Check(&oauth2.Token{AccessToken: static.token()}); err != nil {
		return &ConfigError{field, "is not usable: " + err.Error()}
	}
	return nil
}
