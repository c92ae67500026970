package jobboard

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// CallOptions holds settings for some of the calls: Client.With and Applicant.With return a Client
// or an Applicant that makes its calls with them. The zero value changes nothing.
type CallOptions struct {
	// Retry replaces the whole Config.Retry: its zero fields select the defaults, and not
	// the values of Config.Retry. Config.HTTPClient's Timeout bounds its AttemptTimeout too. The
	// calls share the client's retry budget whatever Budget is, but for a negative one: then they
	// neither take from the budget nor add to it. nil: no change.
	Retry *RetryPolicy

	// Header is added to each request, also to the lookup at Config.JobDBURL, and copied by With.
	// It replaces the client's own Accept and Accept-Language; a Query.Language and the header of a
	// request to Transport replace it. Authorization, Cookie, Host, User-Agent, Accept-Encoding,
	// Content-*, Range, If-* and the fields of a single connection are refused, and so is anything
	// that no header may hold. No error and no log of the client shows its values of 8 bytes or more,
	// except those that Client.Transport names; printing the CallOptions shows them.
	Header http.Header

	// Observer watches these calls after Config.Observer; nil: no change.
	Observer *Observer
}

// With returns a client that makes its calls with o, for example with one attempt for a page that
// must not wait, or with a further header. It is cheap, and shares connections, tokens, Limiter and
// retry budget with c. An option that o sets replaces that of an earlier With. Headers are added: of
// a header field that both have, the values in o count. The applicants of the returned client use o
// too. With reports no error: after a mistake in o each call returns ErrInvalidInput.
func (c *Client) With(o CallOptions) *Client {
	return &Client{base: c.base.with(o), lookup: c.lookup.with(o)}
}

// With returns an Applicant that makes its calls with o, as [Client.With] does, the lookup of
// Precheck among them.
func (a *Applicant) With(o CallOptions) *Applicant {
	client := a.client
	if client == nil {
		client = new(Client)
	}
	return &Applicant{client: client.With(o), endpoint: a.endpoint.with(o)}
}

// with returns a copy of the endpoint whose calls are made by o.
func (e *endpoint) with(o CallOptions) endpoint {
	changed := *e.made()
	if o.Observer != nil {
		changed.observer = changed.config.Observer.and(o.Observer)
	}
	if o.Retry != nil {
		policy, err := o.Retry.withDefaults()
		if err != nil {
			var wrong *ConfigError
			if errors.As(err, &wrong) {
				err = invalid("CallOptions.%s %s", wrong.Field, wrong.Reason)
			}
			changed.mistake = cmp.Or(changed.mistake, err)
			return changed
		}
		if most := changed.attemptMost; most > 0 {
			policy.AttemptTimeout = min(policy.AttemptTimeout, most)
		}
		changed.Policy, changed.Budget = policy.numbers(), changed.shared
		if policy.Budget < 0 {
			changed.Budget = nil
		}
	}
	if wrong := headerMistake(o.Header); wrong != "" {
		changed.mistake = cmp.Or(changed.mistake, invalid("CallOptions.Header %s", wrong))
	} else if len(o.Header) > 0 {
		header := addHeader(changed.Added(), o.Header)
		hidden := headerSecrets(header)
		changed.Added, changed.hide = func() http.Header { return header }, func() []string { return hidden }
	}
	return changed
}

// addHeader returns a copy of h, which may be nil, with the fields of added, whose values replace those in
// h. Two spellings of one name are one field.
func addHeader(h, added http.Header) http.Header {
	all := make(http.Header, len(h)+len(added))
	maps.Copy(all, h)
	for name := range added {
		delete(all, http.CanonicalHeaderKey(name))
	}
	for name, values := range added {
		name = http.CanonicalHeaderKey(name)
		all[name] = slices.Clip(append(all[name], values...))
	}
	return all
}

// ownFields lists the fields that the client sets itself, that carry credentials, that ask for a part
// of an answer, or that belong to one connection and not to the request.
var ownFields = []string{
	"Accept-Encoding", "Authorization", "Connection", "Cookie", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
	"Proxy-Connection", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// headerMistake returns what keeps h from being added to requests; empty: nothing. The text shows no
// value.
func headerMistake(h http.Header) string {
	for name, values := range h {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isTokenRune(r) }):
			return "has a name that no header may have"
		case slices.Contains(ownFields, canonical), strings.HasPrefix(canonical, "Content-"), strings.HasPrefix(canonical, "If-"):
			return "has " + canonical + ", which the client sets itself or which no request of it has"
		case slices.ContainsFunc(values, holdsControl):
			return "has a value of " + clean(canonical, 60) + " with a control character, which no header may hold"
		}
	}
	return ""
}

// isTokenRune reports whether the name of a header may hold r (RFC 9110, 5.6.2).
func isTokenRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func holdsControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// and returns an Observer that tells o, which may be nil, and then also what next is told.
func (o *Observer) and(next *Observer) *Observer {
	if o == nil {
		return next
	}
	return &Observer{
		Call: func(ctx context.Context, start CallStart) (context.Context, func(CallEnd)) {
			ctx, first := began(ctx, o.Call, start)
			ctx, second := began(ctx, next.Call, start)
			return ctx, func(end CallEnd) {
				if first != nil {
					first(end)
				}
				if second != nil {
					second(end)
				}
			}
		},
		Attempt: func(ctx context.Context, start AttemptStart) (context.Context, func(AttemptEnd)) {
			ctx, first := began(ctx, o.Attempt, start)
			ctx, second := began(ctx, next.Attempt, start)
			return ctx, func(end AttemptEnd) {
				own := end
				own.Header = end.Header.Clone() // each may change its header
				if first != nil {
					first(end)
				}
				if second != nil {
					second(own)
				}
			}
		},
	}
}

// began calls a function of an Observer, which may be nil, and returns the context that goes on.
func began[S, E any](ctx context.Context, f func(context.Context, S) (context.Context, func(E)), start S) (context.Context, func(E)) {
	if f == nil {
		return ctx, nil
	}
	given, done := f(ctx, start)
	if given == nil {
		given = ctx
	}
	return given, done
}
