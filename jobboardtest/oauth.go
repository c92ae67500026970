package jobboardtest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// oauthRefusal is an error of RFC 6749.
type oauthRefusal struct{ code, description string }

// issue answers for the token endpoint. It gives no refresh token.
func (c *call) issue() answer {
	t, refusal := c.grant()
	if refusal != nil {
		c.note = "refused: " + refusal.code + ", " + refusal.description
		if c.cred.kind == credBadApplication {
			c.note = "refused: " + c.cred.note
		}
		a := jsonAnswer(wireAuthError{refusal.code, refusal.description})
		a.Status, a.Header = http.StatusBadRequest, http.Header{"Cache-Control": {"no-store"}}
		if refusal.code == "invalid_client" {
			a.Status = http.StatusUnauthorized
			a.Header.Set("WWW-Authenticate", `Basic realm="token"`)
		}
		return a
	}
	c.note = "granted a client token"
	if t.Kind == userToken {
		c.note = fmt.Sprintf("granted a user token of applicant %d (%s)", t.ApplicantID, c.form.Get("grant_type"))
	}
	lifetime := c.s.tokenLifetime()
	a := jsonAnswer(wireToken{
		AccessToken: c.s.addToken(t, lifetime), TokenType: "Bearer", ExpiresIn: int(lifetime / time.Second),
	})
	a.Header = http.Header{"Cache-Control": {"no-store"}}
	return a
}

func (c *call) grant() (Token, *oauthRefusal) {
	if c.form == nil {
		return Token{}, &oauthRefusal{"invalid_request", "the body must be a form"}
	}
	if c.cred.kind != credApplication {
		return Token{}, &oauthRefusal{"invalid_client", "unknown client or wrong secret"}
	}
	client, _ := c.s.application(c.cred.clientID)
	switch c.form.Get("grant_type") {
	case "client_credentials":
		if client.Secret == "" {
			return Token{}, &oauthRefusal{"unauthorized_client", "a client without a secret uses Basic and gets no token"}
		}
		return Token{Kind: clientToken, ClientID: client.ID}, nil
	case "password":
		return c.grantByPassword()
	case "authorization_code":
		return c.grantByCode(client)
	case "":
		return Token{}, &oauthRefusal{"invalid_request", "grant_type is missing"}
	}
	return Token{}, &oauthRefusal{"unsupported_grant_type", "the grants are client_credentials, password and authorization_code"}
}

func (c *call) grantByPassword() (Token, *oauthRefusal) {
	t := Token{Kind: userToken}
	found := false
	c.s.read(func(st *state) {
		for _, a := range st.applicants {
			if a.Username != "" && a.Username == c.form.Get("username") && a.Password == c.form.Get("password") {
				t.ApplicantID, found = a.ID, true
			}
		}
	})
	if !found {
		return Token{}, &oauthRefusal{"invalid_grant", "unknown user or wrong password"}
	}
	return t, nil
}

func (c *call) grantByCode(client ClientApp) (Token, *oauthRefusal) {
	var code Code
	found := false
	c.s.change(func(st *state) {
		value := c.form.Get("code")
		code, found = st.codes[value]
		delete(st.codes, value) // a code can be used once, even by a request that is then refused
	})
	verifier := sha256.Sum256([]byte(c.form.Get("code_verifier")))
	switch {
	case !found:
		return Token{}, &oauthRefusal{"invalid_grant", "the code is unknown or was used"}
	case code.ClientID != client.ID:
		return Token{}, &oauthRefusal{"invalid_grant", "the code is another client's"}
	case !code.Expires.IsZero() && !c.s.clock.now().Before(code.Expires):
		return Token{}, &oauthRefusal{"invalid_grant", "the code has expired"}
	case code.RedirectURI != "" && code.RedirectURI != c.form.Get("redirect_uri"):
		return Token{}, &oauthRefusal{"invalid_grant", "redirect_uri is not the one that the code was sent to"}
	case code.Challenge != "" && code.Challenge != base64.RawURLEncoding.EncodeToString(verifier[:]):
		return Token{}, &oauthRefusal{"invalid_grant", "code_verifier does not fit the code_challenge"}
	}
	return Token{Kind: userToken, ApplicantID: code.ApplicantID}, nil
}

// authorize serves the page on which an applicant signs in, and redirects when a
// button of that page is pressed.
func (c *call) authorize() answer {
	client, known := c.s.application(c.query.Get("client_id"))
	redirect := c.query.Get("redirect_uri")
	switch {
	case !known:
		return c.authorizePage(http.StatusBadRequest, "There is no client "+strconv.Quote(clip(c.query.Get("client_id")))+".")
	case !client.mayReturnTo(redirect):
		return c.authorizePage(http.StatusBadRequest, "redirect_uri is "+strconv.Quote(clip(redirect))+
			", which is not one of the client's redirect URIs; a client without redirect URIs may use loopback addresses.")
	}
	challenge := c.query.Get("code_challenge")
	switch {
	case c.query.Get("response_type") != "code":
		return c.sendError("unsupported_response_type", "response_type must be code")
	case challenge == "" && client.Secret == "":
		return c.sendError("invalid_request", "a client without a secret must send code_challenge")
	case challenge != "" && c.query.Get("code_challenge_method") != "S256":
		return c.sendError("invalid_request", "code_challenge_method must be S256")
	case c.r.Method == http.MethodGet:
		return c.authorizePage(http.StatusOK, "")
	}
	choice := c.form.Get("applicant")
	if choice == "" {
		return c.sendError("access_denied", "the applicant did not sign in")
	}
	id, ok := parseID(choice)
	if !ok || !c.s.hasApplicant(id) {
		return c.authorizePage(http.StatusBadRequest, "There is no applicant "+strconv.Quote(clip(choice))+".")
	}
	c.note = fmt.Sprintf("applicant %d signed in", id)
	code := c.s.addCode(Code{ClientID: client.ID, ApplicantID: id, RedirectURI: redirect, Challenge: challenge})
	return c.sendBack(url.Values{"code": {code}})
}

// mayReturnTo reports whether a client may send its applicants to an address.
func (c ClientApp) mayReturnTo(redirect string) bool {
	u, err := url.Parse(redirect)
	switch {
	case err != nil:
		return false
	case len(c.RedirectURIs) > 0:
		return slices.Contains(c.RedirectURIs, redirect)
	case u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "" || u.User != nil:
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || u.Hostname() == "localhost"
}

// sendError redirects to the client's redirect_uri with an error of RFC 6749.
func (c *call) sendError(code, description string) answer {
	c.note = "refused: " + code + ", " + description
	return c.sendBack(url.Values{"error": {code}, "error_description": {description}})
}

// sendBack redirects to the client's redirect_uri with a code or an error.
func (c *call) sendBack(result url.Values) answer {
	u, _ := url.Parse(c.query.Get("redirect_uri")) // mayReturnTo has parsed it already
	q := u.Query()
	maps.Copy(q, result)
	if state := c.query.Get("state"); state != "" {
		q.Set("state", state)
	}
	u.RawQuery = q.Encode()
	return answer{
		Status: http.StatusSeeOther,
		Header: http.Header{"Location": {u.String()}, "Cache-Control": {"no-store"}},
	}
}

//go:embed authorize.html
var authorizeSource string

var authorizeTemplate = template.Must(template.New("authorize").Parse(authorizeSource))

// authorizePage returns the page with the applicants, or with the problem.
func (c *call) authorizePage(status int, problem string) answer {
	var view struct {
		Problem, Client, Site string
		Applicants            []Applicant
		Companies             map[string]Company
	}
	view.Problem, view.Client = problem, c.query.Get("client_id")
	if u, err := url.Parse(c.query.Get("redirect_uri")); err == nil {
		view.Site = u.Host
	}
	var page bytes.Buffer
	c.s.read(func(st *state) {
		view.Applicants, view.Companies = byKey(st.applicants), st.companies
		_ = authorizeTemplate.Execute(&page, view) // our own shapes, into memory: cannot fail
	})
	if problem != "" {
		c.note = "refused: " + problem
	}
	return answer{Status: status, ContentType: typeHTML, Body: page.Bytes(), Header: http.Header{
		"Cache-Control": {"no-store"}, "X-Frame-Options": {"DENY"}, "Referrer-Policy": {"no-referrer"},
	}}
}
