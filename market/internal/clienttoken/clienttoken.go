// Package clienttoken gets tokens for a client identifier with a secret.
package clienttoken

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/jobboard-sdk/jobboard-go"
)

// Source returns a source of tokens by the OAuth2 grant client_credentials. Its requests go through
// next and follow no redirect, because they carry the secret. Like the tokens of
// [jobboard.RenewingToken] without a client of its own, they may say how long they last as 3600.0 or
// "3600". got is called with each token; nil: no call.
func Source(cc clientcredentials.Config, next http.RoundTripper, got func(token string)) oauth2.TokenSource {
	client := &http.Client{
		Transport: answers{next}, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
		t, err := cc.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
		if err == nil && got != nil {
			got(t.AccessToken)
		}
		return t, err
	})
}

// maxAnswer bounds the answer of a token endpoint, as package oauth2 does.
const maxAnswer = 1 << 20

// answers writes what a token endpoint answers as package oauth2 reads it.
type answers struct{ next http.RoundTripper }

func (a answers) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := a.next.RoundTrip(req)
	if err != nil || resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	body = wholeSeconds(body)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// wholeSeconds returns an answer with a whole number in expires_in, where it has a number in
// another form there. Other answers it returns as they are.
func wholeSeconds(body []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	const name = "expires_in"
	seconds, err := strconv.ParseFloat(strings.Trim(string(members[name]), `" `), 64)
	if err != nil || !(math.Abs(seconds) <= math.MaxInt32) { // NaN is not at most anything
		return body
	}
	members[name] = strconv.AppendInt(nil, int64(seconds), 10)
	whole, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return whole
}
