package jobsite

import (
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
	Client *jobboard.Client // whose applicants sign in
	// URL is the address under which visitors reach the site, such as
	// "https://jobs.example", without a path. Over https the cookies are sent over
	// https alone.
	URL string
	// OAuth2 has the site's credentials at the board, and the board's addresses.
	// RedirectURL is URL with "/signin/callback", whatever is set here.
	OAuth2 oauth2.Config
	// Store keeps the sessions; nil: the memory of this process, so that visitors sign in
	// again after a restart. Sites on several machines share a store, of which scs has
	// one for each usual database. It holds the applicants' tokens.
	Store scs.Store
	// Lifetime bounds a session; 0 means 12 hours. It may end before, when the board
	// refuses its token.
	Lifetime time.Duration
	// HTTPClient sends the request that fetches a token; nil: one with a bound of ten
	// seconds. It follows no redirect, because the request has the site's secret.
	HTTPClient *http.Client
	// Failed answers a visitor whose sign-in failed, with a status of 400, 502 or 503;
	// nil: a line of text.
	Failed func(w http.ResponseWriter, r *http.Request, status int)
	Logger *slog.Logger // of failures; nil: silent
}

// hidden is printed in place of a credential, as the client prints it.
const hidden = "[hidden]"

// Format prints the configuration without the site's credentials.
func (cfg SignInConfig) Format(f fmt.State, verb rune) {
	type plain SignInConfig // has no Format
	for _, credential := range []*string{&cfg.OAuth2.ClientID, &cfg.OAuth2.ClientSecret} {
		if *credential != "" {
			*credential = hidden
		}
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), plain(cfg))
}

// SignIn signs applicants in at the board and keeps their sessions. Several goroutines
// may call its methods at the same time.
type SignIn struct {
	cfg      SignInConfig
	secure   bool
	own      *http.CrossOriginProtection // refuses what other sites let a browser send
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
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	cfg.OAuth2.RedirectURL = site.Scheme + "://" + site.Host + callbackPath
	s := &SignIn{cfg: cfg, secure: site.Scheme == "https", own: http.NewCrossOriginProtection()}
	s.setDefaults()
	// A proxy may ask for the pages under a host of its own; the browser's Origin has the site's.
	if err := s.own.AddTrustedOrigin(originOf(site)); err != nil {
		return nil, &ConfigError{"SignInConfig.URL", noSiteURL}
	}
	// Not scs.New, whose store of its own starts a goroutine that never ends.
	s.sessions = &scs.SessionManager{
		Store: s.cfg.Store, Lifetime: s.cfg.Lifetime, Codec: scs.GobCodec{},
		Cookie: scs.SessionCookie{ // not Persist: until the browser is closed
			Name: s.cookieName("session"), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure,
		},
	}
	s.sessions.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		s.cfg.Logger.ErrorContext(r.Context(), "jobsite: the store of sessions failed", "error", err)
		s.cfg.Failed(w, r, http.StatusServiceUnavailable)
	}
	return s, nil
}

// originOf returns the origin of a site as a browser writes it: in lower case, and without a
// port that is the usual one.
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
	if cfg.Store == nil {
		cfg.Store = &memory{sessions: map[string]remembered{}}
	}
	if cfg.Lifetime == 0 {
		cfg.Lifetime = 12 * time.Hour
	}
	client := http.Client{Timeout: 10 * time.Second}
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

const callbackPath = "/signin/callback"

// Handler returns the handler of a site: pages with the session of their visitor, and
//
//	GET  /signin?next=/a&back=/b   sends the visitor to the board's sign-in page
//	GET  /signin/callback          sends the visitor who comes back to next, or to back if they did not sign in
//	POST /signout                  ends the session, and sends the visitor to next
//
// The pages next and back are of this site; one that is missing or leads elsewhere is "/".
// Requests that change something and come from a page of another site than that of
// SignInConfig.URL are refused with 403, see [http.CrossOriginProtection].
func (s *SignIn) Handler(pages http.Handler) http.Handler {
	if s.sessions == nil {
		panic("jobsite: use NewSignIn: the zero SignIn has no sessions")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /signin", s.signIn)
	mux.HandleFunc("GET "+callbackPath, s.signedIn)
	mux.HandleFunc("POST /signout", s.signOut)
	mux.Handle("/", pages)
	return s.own.Handler(s.sessions.LoadAndSave(withState(mux)))
}

// requestState notes what becomes of the session while its request is answered.
type requestState struct{ ended atomic.Bool }

type stateKey struct{}

func withState(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		state := new(requestState)
		// Among the pages of another SignIn this one finds the session of that one, whose token
		// is not for the board of this one.
		_, within := r.Context().Value(stateKey{}).(*requestState)
		state.ended.Store(within)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), stateKey{}, state)))
	})
}

// Visitor is somebody who has signed in.
type Visitor struct {
	Applicant *jobboard.Applicant // whose calls are made with their token
	// Session differs with each sign-in. A form that has it in a hidden field can
	// tell that somebody else has signed in since it was opened. It is of no other use.
	Session  string
	SignedIn time.Time
}

const sessionKey = "visitor"

// stored holds the data of a session that a store keeps.
type stored struct {
	Token, Session string
	SignedIn       time.Time
}

func init() { gob.Register(stored{}) } //nolint:gochecknoinits // stores keep sessions as gob

// Visitor returns the visitor who sent a request, which must have come through Handler, and
// false if nobody has signed in.
func (s *SignIn) Visitor(r *http.Request) (*Visitor, bool) {
	state, ok := r.Context().Value(stateKey{}).(*requestState)
	if !ok || state.ended.Load() {
		return nil, false
	}
	found, ok := s.sessions.Get(r.Context(), sessionKey).(stored)
	if !ok {
		return nil, false
	}
	return &Visitor{s.cfg.Client.Applicant(jobboard.StaticToken(found.Token)), found.Session, found.SignedIn}, true
}

// EndIfRefused ends the session of a request if err says that the board refused the applicant's
// token, and reports whether it did. Only the errors of HasApplied and ApplicationID, and of
// what is made of them, say so: a time-out, a busy board or a refusal of the site's own
// credential ends no session.
//
// The visitor's other sessions stay as they are, even one that replaced this one in the
// same browser meanwhile.
func (s *SignIn) EndIfRefused(r *http.Request, err error) bool {
	state, ok := r.Context().Value(stateKey{}).(*requestState)
	if !ok || !refusesApplicant(err) {
		return false
	}
	// The cookie stays: it may have another session by now.
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

// refusesApplicant reports whether an error holds that of an applicant's call whose token
// the board refused.
func refusesApplicant(err error) bool {
	if e, ok := err.(*jobboard.Error); ok { //nolint:errorlint // each error of the tree is looked at
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

// cookieName returns the name of a cookie. Over https no other host may set one of its
// name.
func (s *SignIn) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// setBegun keeps what a sign-in under way needs in a cookie for a time, so that it costs
// the site no memory. An age below 0 removes the cookie.
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
		s.cfg.Failed(w, r, http.StatusBadRequest) // a sign-in that this visitor did not begin
		return
	}
	s.setBegun(w, "", -time.Second) // it counts once
	if query.Get("code") == "" {    // the visitor refused, or the board did; next may ask to sign in, for ever
		http.Redirect(w, r, local(begun.Get("back")), http.StatusSeeOther)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), oauth2.HTTPClient, s.cfg.HTTPClient), 10*time.Second)
	defer cancel()
	token, err := s.cfg.OAuth2.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(begun.Get("verifier")))
	if err == nil { // else each page would fail until the session ends
		err = jobboard.CheckToken(&oauth2.Token{AccessToken: token.AccessToken})
	}
	if err != nil {
		s.cfg.Failed(w, r, s.exchangeStatus(ctx, err))
		return
	}
	// A new identifier with every sign-in: nobody else can know it.
	ctx = r.Context()
	if err := errors.Join(s.sessions.Clear(ctx), s.sessions.RenewToken(ctx)); err != nil {
		s.sessions.ErrorFunc(w, r, err)
		return
	}
	s.sessions.Put(ctx, sessionKey, stored{token.AccessToken, rand.Text(), time.Now()})
	http.Redirect(w, r, local(begun.Get("next")), http.StatusSeeOther)
}

// exchangeStatus logs why the board gave no token, without what it answered, which may
// be a page with the code in it, and returns what the visitor gets.
func (s *SignIn) exchangeStatus(ctx context.Context, err error) int {
	status, level := http.StatusBadGateway, slog.LevelError
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		switch code := answer.Response.StatusCode; {
		case code == http.StatusTooManyRequests:
			status = http.StatusServiceUnavailable
		case code == http.StatusBadRequest && !strings.HasSuffix(answer.ErrorCode, "_client"):
			// Most often the code is old, was used, or was made up. A visitor can send as many of those
			// as they like, so they must not fill the log. With invalid_client and unauthorized_client
			// the board refuses the site itself.
			status, level = http.StatusBadRequest, slog.LevelDebug
		}
		err = fmt.Errorf("status %d, %.100q", answer.Response.StatusCode, answer.ErrorCode)
	} else if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the address
	}
	s.cfg.Logger.Log(ctx, level, "jobsite: no token for a visitor", "error", fmt.Sprintf("%.300q", err))
	return status
}

func (s *SignIn) signOut(w http.ResponseWriter, r *http.Request) {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		s.sessions.ErrorFunc(w, r, err)
		return
	}
	// FormValue would keep the files of a longer form on the disk, and nobody would remove them:
	// the server does so for the request that it made, of which r is a copy.
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	http.Redirect(w, r, local(r.FormValue("next")), http.StatusSeeOther)
}

// maxAddress bounds an address in the escaped form that it has in a cookie. A browser keeps
// a cookie of 4096 bytes, which has two addresses, and 200 bytes of other values and names.
const maxAddress = 1900

// local returns an address of this site: the given one, or "/" if that leads elsewhere, is
// too long, or is that of the sign-in itself, which would never end. A browser takes "//",
// "/\" and "/<tab>/" for the beginning of another site's.
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
