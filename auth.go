package jobboard

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"golang.org/x/oauth2"
)

// How a token reaches the header: the function that sources returns makes a credential of a token source.
// Before each attempt the engine (token.go of internal/call) gets an authorization from the credential,
// and puts it into the header. Package credential caches the token: cache.go fetches it from
// the source, credential.go makes the header.

// StaticToken returns a source that always gives the same access token. No fmt
// verb, log or encoder shows it. It cannot renew: once the service calls the
// token expired, calls end with ErrUnauthorized.
func StaticToken(accessToken string) oauth2.TokenSource {
	// The token lives in closures, which fmt and encoders cannot look into.
	return staticToken{
		token:      func() string { return accessToken },
		credential: credential.Bearer(&oauth2.Token{AccessToken: accessToken}),
	}
}

type staticToken struct {
	redact.Value
	token      func() string
	credential credential.Credential
}

func (s staticToken) Token() (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: s.token(), TokenType: "Bearer"}, nil
}

// Renewer replaces a token that the service calls expired, even if its Expiry has
// not come. A token source may implement it; RenewingToken returns one that
// does. Renew returns a token other than rejected, at once if another caller
// has fetched it already. Its context ends after 15 s.
type Renewer interface {
	Renew(ctx context.Context, rejected string) (*oauth2.Token, error)
}

// RenewingToken returns a source that keeps the token of fetch. It implements
// Renewer, because the service can call a token expired before its Expiry, as
// with the sliding hour of a user's token.
//
// If a token has an Expiry, its first use after 75 to 80 % of its life calls
// fetch in the background; if that fails, the source tries again within 30 s.
// Callers that need a token at the same time share one call of fetch, and each
// waits no longer than its own context lasts. The context of fetch ends after
// 15 s, or sooner if another call of fetch takes its place or if no caller waits
// any more. After a failure all callers get its error for 0.5 to 1 s, so that
// not every call asks a broken source. The source replaces a rejected token at
// most once a second. fetch must not be nil; its token must not be empty. No fmt
// verb, log or encoder shows the token.
//
// In the context of fetch, package oauth2 reads an expires_in of 3600.0 or "3600" too, and its error of
// an answer without a token says status, content type and how the answer begins. This
// does not work for a fetch that sets an [oauth2.HTTPClient] itself.
//
// For client credentials use RenewingToken(cfg.Token) with a clientcredentials.Config; the source
// of cfg.TokenSource neither renews early nor replaces a rejected token.
func RenewingToken(fetch func(ctx context.Context) (*oauth2.Token, error)) oauth2.TokenSource {
	k := credential.NewCache(func(ctx context.Context) (*oauth2.Token, error) {
		return fetch(credential.ReadAnswers(ctx))
	})
	return renewingToken{get: k.Token, credential: k.Credential()}
}

type renewingToken struct {
	redact.Value
	get        func(ctx context.Context, rejected string) (*oauth2.Token, error)
	credential credential.Credential
}

func (r renewingToken) Token() (*oauth2.Token, error) { return r.get(context.Background(), "") }

func (r renewingToken) Renew(ctx context.Context, rejected string) (*oauth2.Token, error) {
	return r.get(ctx, rejected)
}

// sources returns a function that makes a credential of a token source.
func sources() func(oauth2.TokenSource) credential.Credential {
	var foreign credential.Foreign
	return func(source oauth2.TokenSource) credential.Credential {
		switch s := source.(type) {
		case staticToken:
			return s.credential
		case renewingToken:
			return s.credential
		}
		return foreign.Of(source)
	}
}
