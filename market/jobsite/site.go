package jobsite

import (
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// Config describes a site to New.
type Config struct {
	// URL is the address under which visitors reach the site, such as
	// "https://jobs.example", without a path.
	URL string
	// Page is the path of a job's page, a pattern of [http.ServeMux]: {job} stands for the
	// job's identifier and {words...} for words of its title, which may change. "" means
	// "/job/{job}/{words...}".
	Page string
	// Languages lists the languages of the site, such as "de" and "en", in which the mirror
	// copies its channels too. At least one is required. The first serves readers who
	// prefer another language, feeds, and the words in a job's address.
	Languages []string
	// Country is the ISO 3166 code of the country of postal codes that a visitor types without
	// one, such as "AT". Some 900 codes of four digits are of Austria and of Switzerland: without
	// Country the list offers both.
	Country string
	// Texts returns the sentences of the site in a language; nil: German in "de", else English.
	Texts func(language string) Texts
	// EditJob adds the site's own knowledge to a published job, such as DirectApply,
	// Organization and ValidFor; nil: nothing. Several goroutines may call it at once.
	EditJob func(*jobpublish.Job)
	// Failed writes the answer if a page fails; nil: a line of Texts.
	Failed func(w http.ResponseWriter, r *http.Request, status int)
	Logger *slog.Logger // logs failures; nil: silent
}

// Site has the pages of the jobs in a mirror. Several goroutines may call its methods at
// the same time.
type Site struct {
	cfg     Config
	mirror  *jobmirror.Mirror
	origin  string // scheme and host
	matcher language.Matcher
	named   []string // languages in which the mirror's process copies its channels
	client  *jobboard.Client
}

// ConfigError reports a mistake in a Config or in Settings.
type ConfigError struct {
	Field  string // such as "Config.URL"
	Reason string
}

// Error returns the field and what is wrong with it.
func (e *ConfigError) Error() string { return "jobsite: " + e.Field + " " + e.Reason }

// New returns the site of a mirror's jobs. Its error joins a *ConfigError for each
// mistake in cfg. It is also one if the mirror's process copies its channels in none of cfg's
// languages. New logs a warning for each single one that is missing.
func New(mirror *jobmirror.Mirror, cfg Config) (*Site, error) {
	var wrong []error
	if mirror == nil {
		return nil, errors.New("jobsite: New without a mirror")
	}
	site, ok := siteURL(cfg.URL)
	if !ok {
		wrong = append(wrong, &ConfigError{"Config.URL", noSiteURL})
	}
	if cfg.Page == "" {
		cfg.Page = "/job/{job}/{words...}"
	}
	if !isPage(cfg.Page) {
		wrong = append(wrong, &ConfigError{"Config.Page", "is not a path with {job}"})
	}
	var tags []language.Tag
	for _, l := range cfg.Languages {
		tag, err := language.Parse(l)
		if err != nil {
			wrong = append(wrong, &ConfigError{"Config.Languages", "has what is not a language such as \"de\""})
		}
		tags = append(tags, tag)
	}
	if len(tags) == 0 {
		wrong = append(wrong, &ConfigError{"Config.Languages", "is empty"})
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if cfg.Texts == nil {
		cfg.Texts = textsIn
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	const nowhere = "http://localhost" // the transport sends nothing
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: nowhere, JobDBURL: nowhere, ClientID: "copy", HTTPClient: &http.Client{Transport: mirror.Transport()},
	})
	if err != nil {
		return nil, err
	}
	origin := site.Scheme + "://" + site.Host
	s := &Site{cfg: cfg, mirror: mirror, origin: origin, matcher: language.NewMatcher(tags), client: client}
	if s.cfg.Failed == nil {
		s.cfg.Failed = func(w http.ResponseWriter, r *http.Request, status int) {
			http.Error(w, s.Texts(r).Status(status), status)
		}
	}
	if err := s.checkLanguages(); err != nil {
		return nil, err
	}
	return s, nil
}

// isPage reports whether a path is a pattern of [http.ServeMux] with {job}.
func isPage(pattern string) (ok bool) {
	defer func() { ok = recover() == nil && ok }() // Handle panics for a text that is no pattern
	http.NewServeMux().Handle(pattern, http.NotFoundHandler())
	return strings.HasPrefix(pattern, "/") && strings.Contains(pattern+"/", "/{job}/")
}

// made returns an error for a Site that was not made by New.
func (s *Site) made() error {
	if s.mirror == nil {
		return errors.New("jobsite: use New: the zero Site has no mirror")
	}
	return nil
}

// mustBeMade panics with the error of made, in methods that return no error.
func (s *Site) mustBeMade() {
	if err := s.made(); err != nil {
		panic(err.Error())
	}
}

const noSiteURL = "is not the address of a site, with http or https and without a path"

// siteURL parses the address of a site, with the host in the form of browsers'
// Origin header.
func siteURL(address string) (*url.URL, bool) {
	site, err := url.Parse(address)
	if err != nil {
		return nil, false
	}
	site.Host = hostname.ASCII(site.Host)
	web := site.Scheme == "https" || site.Scheme == "http"
	return site, web && site.Host != "" && strings.Trim(site.Path, "/") == ""
}

// Client returns a client that asks the copy and never the board. It can search and look
// up jobs; calls about applicants fail, because the copy has no applicants. A site
// offers its jobs to assistants by mounting
//
//	jobmcp.NewServer(site.Client(), jobmcp.Options{Channel: channel, Hosts: []string{"jobs.example"}}).Handler()
func (s *Site) Client() *jobboard.Client {
	s.mustBeMade()
	return s.client
}

// ReadQuery returns the parameters in a request's address as browsers read them: a semicolon
// is no separator, and a percent sign without two hexadecimal digits stands for itself.
// [url.URL.Query] drops such a parameter, and without its text a search would find all jobs.
func ReadQuery(r *http.Request) url.Values {
	parameters := url.Values{}
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if pair != "" {
			parameters.Add(unescaped(name), unescaped(value))
		}
	}
	return parameters
}

// unescaped decodes a text of a query. A percent sign without two hexadecimal
// digits after it stays.
func unescaped(text string) string {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '+':
			plain.WriteByte(' ')
			continue
		case text[i] == '%' && i+2 < len(text):
			if code, err := hex.DecodeString(text[i+1 : i+3]); err == nil {
				plain.Write(code)
				i += 2
				continue
			}
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}

const languageField = "lang" // the parameter of an address, and the cookie with the choice

// Language returns the language of Config.Languages that a page's reader prefers: by lang
// in its address, by the cookie of Handle, or by Accept-Language.
func (s *Site) Language(r *http.Request) string {
	s.mustBeMade()
	kept := ""
	if cookie, err := r.Cookie(languageField); err == nil {
		kept = cookie.Value
	}
	_, i := language.MatchStrings(s.matcher, ReadQuery(r).Get(languageField), kept, r.Header.Get("Accept-Language"))
	return s.cfg.Languages[i]
}

// Texts returns the sentences of the site in the language of a page's reader.
func (s *Site) Texts(r *http.Request) Texts { return s.cfg.Texts(s.Language(r)) }

// Handle returns the handler of a page. If page returns an error, having written
// nothing, Handle calls Config.Failed with the status of [jobboard.HTTPStatus] and
// Retry-After. It logs errors that are not the visitor's fault: as a warning if the
// copy is incomplete or too old, which the next refresh corrects, and as an error
// otherwise. The parameter lang of the address is remembered in a cookie. The answer's header says that it varies
// with the reader's language, and that browsers shall not guess its type.
func (s *Site) Handle(page func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	s.mustBeMade()
	return func(w http.ResponseWriter, r *http.Request) {
		if ReadQuery(r).Has(languageField) {
			http.SetCookie(w, &http.Cookie{
				Name: languageField, Value: s.Language(r), Path: "/", MaxAge: 365 * 24 * 3600,
				HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.origin, "https:"),
			})
		}
		setPageHeader(w.Header())
		err := page(w, r)
		if err == nil {
			return
		}
		status := jobboard.HTTPStatus(err)
		if status >= http.StatusInternalServerError {
			level := slog.LevelError
			_, refused := errors.AsType[*jobpublish.RefusedError](err)
			if refused || errors.Is(err, jobmirror.ErrStale) || errors.Is(err, jobmirror.ErrIncomplete) {
				level = slog.LevelWarn
			}
			s.cfg.Logger.Log(r.Context(), level, "jobsite: no page", "path", r.URL.Path, "error", err)
		}
		jobboard.SetRetryAfter(w.Header(), err)
		s.cfg.Failed(w, r, status)
	}
}

// setPageHeader says of a page that it varies with the reader's language, and that browsers shall not guess its type.
func setPageHeader(header http.Header) {
	header.Add("Vary", "Accept-Language, Cookie")
	header.Set("X-Content-Type-Options", "nosniff")
}
