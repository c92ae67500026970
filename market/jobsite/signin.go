package jobsite

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// SignInConfig describes the sign-in of a site to NewSignIn.
type SignInConfig struct {
	Client *jobboard.Client // calls the board for applicants who sign in
	// Copy asks a copy of the board for a job's information, as the client of [Site.Client] does; nil: Client
	// is asked for it too, so that a job's page waits for it.
	Copy *jobboard.Client
	// AppliedWait bounds the wait of a job's page for the board's word whether the visitor has applied;
	// 0 means 500 ms.
	AppliedWait time.Duration
	// URL is the address under which visitors reach the site, such as
	// "https://jobs.example", without a path. With https, browsers send the
	// cookies over https only.
	URL string
	// OAuth2 has the site's credentials at the board, and the board's addresses.
	// NewSignIn replaces RedirectURL by URL with "/signin/callback".
	OAuth2 oauth2.Config
	// Store keeps the sessions, which include the applicants' tokens; nil: the memory of
	// this process, so that a restart ends all sessions. Sites on several machines share
	// a store; scs has stores for the usual databases.
	Store scs.Store
	// Lifetime bounds a session; 0 means 12 hours. A session ends earlier if the
	// board refuses its token.
	Lifetime time.Duration
	// HTTPClient sends the request that fetches a token; nil: a client with a
	// time-out of ten seconds. SignIn never follows a redirect, because the request
	// carries the site's secret.
	HTTPClient *http.Client
	// Failed writes the answer to a visitor whose sign-in failed, with status 400, 502
	// or 503; nil: a line of text.
	Failed func(w http.ResponseWriter, r *http.Request, status int)
	Logger *slog.Logger // logs failures; nil: silent
}

// hidden is printed in place of a credential, as the client prints it.
const hidden = "[hidden]"

// Format prints the configuration without the site's credentials.
func (cfg SignInConfig) Format(f fmt.State, verb rune) {
	type plain SignInConfig // the same fields without the method Format
	for _, credential := range []*string{&cfg.OAuth2.ClientID, &cfg.OAuth2.ClientSecret} {
		if *credential != "" {
			*credential = hidden
		}
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), plain(cfg))
}

// SignIn signs applicants in at the board and keeps their sessions. Several goroutines
// may call its methods at the same time. A nil *SignIn stands for a site without sign-in:
// it has no visitors, and its Precheck and Form say SignInNotOffered.
type SignIn struct {
	cfg      SignInConfig
	secure   bool
	own      *http.CrossOriginProtection // refuses requests that other sites make a browser send
	sessions *scs.SessionManager
}

// Format prints the sign-in's configuration without the site's credentials.
func (s SignIn) Format(f fmt.State, verb rune) { s.cfg.Format(f, verb) }

// ConfigError reports a mistake in a Config or a SignInConfig.
type ConfigError struct {
	Field  string // such as "SignInConfig.URL"
	Reason string
}

// Error returns the field and what is wrong with it.
func (e *ConfigError) Error() string { return "jobsite: " + e.Field + " " + e.Reason }

// NewSignIn returns the sign-in of a site. Its error joins a *ConfigError for each
// mistake in cfg.
func NewSignIn(cfg SignInConfig) (*SignIn, error) {
	var wrong []error
	if cfg.Client == nil {
		wrong = append(wrong, &ConfigError{"SignInConfig.Client", "is nil"})
	}
	site, ok := siteURL(cfg.URL)
	if !ok {
		wrong = append(wrong, &ConfigError{"SignInConfig.URL", noSiteURL})
	}
	if cfg.OAuth2.Endpoint.AuthURL == "" || cfg.OAuth2.Endpoint.TokenURL == "" {
		wrong = append(wrong, &ConfigError{"SignInConfig.OAuth2", "lacks an address of the board's sign-in"})
	}
	if cfg.Lifetime < 0 {
		wrong = append(wrong, &ConfigError{"SignInConfig.Lifetime", "is negative"})
	}
	if cfg.AppliedWait < 0 {
		wrong = append(wrong, &ConfigError{"SignInConfig.AppliedWait", "is negative"})
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	cfg.OAuth2.RedirectURL = site.Scheme + "://" + site.Host + callbackPath
	s := &SignIn{cfg: cfg, secure: site.Scheme == "https", own: http.NewCrossOriginProtection()}
	s.setDefaults()
	// A proxy may request pages with its own Host, while the browser's Origin header names the
	// site.
	if err := s.own.AddTrustedOrigin(originOf(site)); err != nil {
		return nil, &ConfigError{"SignInConfig.URL", noSiteURL}
	}
	// scs.New would create its own store, with a goroutine that never ends.
	s.sessions = &scs.SessionManager{
		Store: s.cfg.Store, Lifetime: s.cfg.Lifetime, Codec: scs.GobCodec{},
		Cookie: scs.SessionCookie{ // without Persist: the cookie ends with the browser session
			Name: s.cookieName("session"), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure,
		},
	}
	s.sessions.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		s.cfg.Logger.ErrorContext(r.Context(), "jobsite: the store of sessions failed", "error", err)
		s.cfg.Failed(w, r, http.StatusServiceUnavailable)
	}
	return s, nil
}

// originOf returns a site's origin as browsers write it: in lower case, and without the
// scheme's default port.
func originOf(site *url.URL) string {
	host := strings.ToLower(site.Host)
	switch site.Scheme + ":" + site.Port() {
	case "https:443", "http:80", "https:", "http:":
		host = strings.TrimSuffix(host, ":"+site.Port())
	}
	return site.Scheme + "://" + host
}

func (s *SignIn) setDefaults() {
	cfg := &s.cfg
	cfg.AppliedWait = cmp.Or(cfg.AppliedWait, 500*time.Millisecond)
	if cfg.Store == nil {
		cfg.Store = &memory{sessions: map[string]remembered{}}
	}
	if cfg.Lifetime == 0 {
		cfg.Lifetime = 12 * time.Hour
	}
	client := http.Client{Timeout: signInTime, Transport: network(new(jobboard.Config))}
	if cfg.HTTPClient != nil {
		client = *cfg.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	cfg.HTTPClient = &client
	if cfg.Failed == nil {
		cfg.Failed = func(w http.ResponseWriter, _ *http.Request, status int) {
			http.Error(w, http.StatusText(status), status)
		}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
}

// signInTime bounds a request for a token of an applicant.
const signInTime = 10 * time.Second

const callbackPath = "/signin/callback"

// Handler returns the handler of a site: pages with the session of their visitor, and
//
//	GET  /signin?next=/a&back=/b   sends the visitor to the board's sign-in page
//	GET  /signin/callback          the visitor returns from the board: redirects to next, or without a sign-in to back
//	POST /signout                  ends the session, and sends the visitor to next
//
// The parameters next and back are pages of this site; "/" replaces a missing page or
// another site's. Handler refuses unsafe requests from pages of other sites than
// SignInConfig.URL with 403, see [http.CrossOriginProtection]. Of a nil SignIn it returns pages.
func (s *SignIn) Handler(pages http.Handler) http.Handler {
	if s == nil {
		return pages
	}
	if s.sessions == nil {
		panic("jobsite: use NewSignIn: the zero SignIn has no sessions")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /signin", s.signIn)
	mux.HandleFunc("GET "+callbackPath, s.signedIn)
	mux.HandleFunc("POST /signout", s.signOut)
	all := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/signin", callbackPath, "/signout":
			mux.ServeHTTP(w, r) // 405 for another method
		default:
			pages.ServeHTTP(w, r)
		}
	})
	return s.own.Handler(s.sessions.LoadAndSave(withState(all)))
}

// requestState records whether the session ended during the request. header is that of its answer.
type requestState struct {
	ended  atomic.Bool
	header http.Header
}

type stateKey struct{}

func withState(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		state := &requestState{header: w.Header()}
		// Inside the Handler of another SignIn, the context would return the other's session,
		// whose token belongs to another board. So treat the session as ended.
		_, within := r.Context().Value(stateKey{}).(*requestState)
		state.ended.Store(within)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), stateKey{}, state)))
	})
}

// Visitor is a person who has signed in.
type Visitor struct {
	Applicant *jobboard.Applicant // makes calls with the visitor's token
	// Session is a random text for each sign-in. A form with Session in a hidden field
	// can detect that somebody else has signed in since it was opened. It has no other
	// use.
	Session  string
	SignedIn time.Time
}

const sessionKey = "visitor"

// stored is the data of a session in the store.
type stored struct {
	Token, Session string
	SignedIn       time.Time
}

func init() { gob.Register(stored{}) } //nolint:gochecknoinits // sessions are stored as gob

// Visitor returns the visitor who sent a request, which must have come through Handler, or
// false if nobody has signed in, as with a nil SignIn. Either way the page is this visitor's: Visitor sets its header
// Cache-Control to "private, no-store", so call it before the page is written.
func (s *SignIn) Visitor(r *http.Request) (*Visitor, bool) {
	state, ok := r.Context().Value(stateKey{}).(*requestState)
	if s != nil && ok {
		state.header.Set("Cache-Control", "private, no-store")
	}
	if s == nil || !ok || state.ended.Load() {
		return nil, false
	}
	found, ok := s.sessions.Get(r.Context(), sessionKey).(stored)
	if !ok {
		return nil, false
	}
	return &Visitor{s.cfg.Client.Applicant(jobboard.StaticToken(found.Token)), found.Session, found.SignedIn}, true
}

// EndIfRefused ends the session of a request if err says that the board refused the applicant's
// token, and reports whether it did. Only errors of HasApplied and ApplicationID, also wrapped
// ones such as Precheck's, count as such a refusal: a time-out, a busy board or a refusal of
// the site's own credential ends no session.
//
// EndIfRefused leaves the visitor's other sessions alone, even a newer session in the
// same browser.
func (s *SignIn) EndIfRefused(r *http.Request, err error) bool {
	state, ok := r.Context().Value(stateKey{}).(*requestState)
	if s == nil || !ok || !refusesApplicant(err) {
		return false
	}
	// Keep the cookie: it may already name a newer session.
	ctx := context.WithoutCancel(r.Context())
	var failed error
	switch store := s.cfg.Store.(type) {
	case scs.CtxStore:
		failed = store.DeleteCtx(ctx, s.sessions.Token(ctx))
	default:
		failed = store.Delete(s.sessions.Token(ctx))
	}
	if failed != nil {
		s.cfg.Logger.ErrorContext(ctx, "jobsite: a session is still stored", "error", failed)
	}
	state.ended.Store(true)
	return true
}

// refusesApplicant reports whether an error contains the error of an applicant's call
// whose token the board refused.
func refusesApplicant(err error) bool {
	if e, ok := err.(*jobboard.Error); ok { //nolint:errorlint // the recursion visits the whole tree
		return (e.Op == "HasApplied" || e.Op == "ApplicationID") && errors.Is(e, jobboard.ErrUnauthorized)
	}
	switch e := err.(type) { //nolint:errorlint // likewise
	case interface{ Unwrap() error }:
		return refusesApplicant(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if refusesApplicant(one) {
				return true
			}
		}
	}
	return false
}

// cookieName returns the name of a cookie. Over https it has the prefix __Host-, so
// that browsers accept the cookie only from this host.
func (s *SignIn) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// setBegun stores the values of an unfinished sign-in in a cookie, so that the site
// needs no memory for them. The cookie expires after age; an age below 0 removes it.
func (s *SignIn) setBegun(w http.ResponseWriter, value string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName("signin"), Value: value, Path: "/", MaxAge: int(age / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure,
	})
}

func (s *SignIn) signIn(w http.ResponseWriter, r *http.Request) {
	state, verifier, query := rand.Text(), oauth2.GenerateVerifier(), ReadQuery(r)
	begun := url.Values{
		"state": {state}, "verifier": {verifier},
		"next": {local(query.Get("next"))}, "back": {local(query.Get("back"))},
	}
	s.setBegun(w, begun.Encode(), 10*time.Minute)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.cfg.OAuth2.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusSeeOther)
}

func (s *SignIn) signedIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	var begun url.Values
	cookie, err := r.Cookie(s.cookieName("signin"))
	if err == nil {
		begun, err = url.ParseQuery(cookie.Value)
	}
	query := ReadQuery(r)
	if err != nil || begun.Get("state") == "" || begun.Get("state") != query.Get("state") {
		s.cfg.Failed(w, r, http.StatusBadRequest) // this browser did not begin the sign-in
		return
	}
	s.setBegun(w, "", -time.Second) // the cookie counts once
	if query.Get("code") == "" {    // the visitor or the board refused; next could ask to sign in again, for ever
		http.Redirect(w, r, local(begun.Get("back")), http.StatusSeeOther)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), oauth2.HTTPClient, s.cfg.HTTPClient), 10*time.Second)
	defer cancel()
	token, err := s.cfg.OAuth2.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(begun.Get("verifier")))
	if err == nil && !isSendable(token.AccessToken) { // it would make every page fail until the session ends
		err = errors.New("the access token is empty or has a character that no header may hold")
	}
	if err != nil {
		s.cfg.Failed(w, r, s.exchangeStatus(ctx, err))
		return
	}
	// A new session identifier with every sign-in, so that nobody else knows
	// it.
	ctx = r.Context()
	if err := errors.Join(s.sessions.Clear(ctx), s.sessions.RenewToken(ctx)); err != nil {
		s.sessions.ErrorFunc(w, r, err)
		return
	}
	s.sessions.Put(ctx, sessionKey, stored{token.AccessToken, rand.Text(), time.Now()})
	http.Redirect(w, r, local(begun.Get("next")), http.StatusSeeOther)
}

// exchangeStatus logs why the board issued no token, and returns the status for the
// visitor. It does not log the board's answer, which may contain the code.
func (s *SignIn) exchangeStatus(ctx context.Context, err error) int {
	status, level := http.StatusBadGateway, slog.LevelError
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		switch code := answer.Response.StatusCode; {
		case code == http.StatusTooManyRequests:
			status = http.StatusServiceUnavailable
		case code == http.StatusBadRequest && !strings.HasSuffix(answer.ErrorCode, "_client"):
			// Most often the code is old, was used, or was made up. Visitors can send any number of bad
			// codes, so these must not fill the log. With invalid_client and unauthorized_client the
			// board refuses the site itself.
			status, level = http.StatusBadRequest, slog.LevelDebug
		}
		err = fmt.Errorf("status %d, %.100q", answer.Response.StatusCode, answer.ErrorCode)
	} else if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the request's address
	}
	s.cfg.Logger.Log(ctx, level, "jobsite: no token for a visitor", "error", fmt.Sprintf("%.300q", err))
	return status
}

// isSendable reports whether a header may hold a token: visible ASCII characters.
func isSendable(token string) bool {
	return token != "" && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

func (s *SignIn) signOut(w http.ResponseWriter, r *http.Request) {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		s.sessions.ErrorFunc(w, r, err)
		return
	}
	// For a long multipart form FormValue would write files to disk. net/http removes such files
	// only for its own request, and r is a copy of it.
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	http.Redirect(w, r, local(r.FormValue("next")), http.StatusSeeOther)
}

// maxAddress is the longest escaped address in a cookie, in bytes. Browsers limit a cookie
// to 4096 bytes; ours holds two addresses and 200 bytes of other values and names.
const maxAddress = 1900

// local returns the given address if it is a page of this site, and otherwise "/". It also
// replaces addresses that are too long, and the sign-in's own, which would redirect for
// ever. A browser takes "//", "/\" and "/<tab>/" for the beginning of another site's
// address.
func local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return "/"
	}
	clean := path.Clean("/" + u.Path)
	if clean == "/signin" || strings.HasPrefix(clean, "/signin/") {
		return "/"
	}
	here := (&url.URL{Path: clean, RawQuery: u.RawQuery}).String()
	if len(url.QueryEscape(here)) > maxAddress {
		return "/"
	}
	return here
}
