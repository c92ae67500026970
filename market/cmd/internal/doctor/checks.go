package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	textlanguage "golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// The names of the checks, in their order.
const (
	CheckSettings   = "settings"
	CheckBase       = "base address"
	CheckTLS        = "tls"
	CheckRedirects  = "redirects"
	CheckClock      = "clock"
	CheckCredential = "credential"
	CheckChannel    = "channel"
	CheckLanguage   = "language"
	CheckLookup     = "lookup host"
	CheckApplicant  = "applicant"
)

// Paths of the interface that doctor requests without a credential. The first
// needs a user's token, so a working service answers 401.
const (
	appliedPath = "/api/rest/v3/frontend/jobs/1/applied"
	lookupPath  = "/jobdb/public/apply/external?jobid=1"
)

func (d *examination) run() {
	if !d.checkSettings() {
		return
	}
	if d.checkBase() {
		if d.checkCredential() {
			d.checkLanguage()
		}
		d.checkApplicant()
	} else {
		d.skip("the base address must work first", CheckCredential, CheckChannel, CheckLanguage, CheckApplicant)
	}
	d.checkLookup()
}

// CheckSettings reports the origins of the settings, and whether package
// jobboard accepts them.
func (d *examination) checkSettings() bool {
	s := &d.board.Settings
	from := map[setup.Origin]int{}
	for _, v := range s.Values {
		from[v.Origin]++
	}
	var parts []string
	for _, o := range []setup.Origin{setup.FromFlag, setup.FromEnvironment, setup.FromFile, setup.FromFake} {
		if n := from[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d from %s", n, map[setup.Origin]string{
				setup.FromFlag: "flags", setup.FromEnvironment: "the environment", setup.FromFile: s.File,
				setup.FromFake: "the embedded mock server",
			}[o]))
		}
	}
	detail := cmp.Or(strings.Join(parts, ", "), "nothing is set")
	var err error
	d.client, err = d.board.NewClient(jobboard.Config{Retry: jobboard.RetryPolicy{MaxAttempts: 2}})
	switch _, next := setup.ExitOf(err); {
	case err != nil:
		d.Add(CheckSettings, Fail, err.Error(), cmp.Or(next, "jobboard help settings says what can be set"))
		return false
	case len(s.Warnings) > 0:
		d.Add(CheckSettings, Warn, detail+"; "+strings.Join(s.Warnings, "; "),
			"correct the settings that are named, so that commands stop warning")
	default:
		d.ok(CheckSettings, "%s", detail)
	}
	return true
}

// CheckBase judges the answer at the base address. It reports whether further requests
// make sense.
func (d *examination) checkBase() bool {
	if d.board.Get(setup.BaseURL) == "" {
		d.Add(CheckBase, Fail, "no base address is set",
			"set JOBBOARD_BASE_URL or --base-url; try --fake to see what a working set-up looks like")
		return false
	}
	host := maskedAddress(d.board.Get(setup.BaseURL))
	p := d.ask("base address", d.board.Below(appliedPath))
	if detail, next := p.mistake(host, "JOBBOARD_BASE_URL"); detail != "" {
		check := CheckBase
		if what, _ := tlsFailure(p.err); what != "" {
			check = CheckTLS
		} else if p.isRedirect() {
			check = CheckRedirects
		}
		d.Add(check, Fail, detail, next)
		return false
	}
	switch {
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden:
		d.ok(CheckBase, "%s answers and asks for a credential", host)
	case strings.Contains(p.body, "get_project_error"), strings.Contains(strings.ToLower(p.body), "posting"):
		d.ok(CheckBase, "%s answers", host)
	case p.Status == http.StatusNotFound:
		d.Add(CheckBase, Fail, host+" answers, and has nothing at "+appliedPath+" (404)",
			"the address has a wrong path, lacks its path, or belongs to another host: it is what stands before /api/rest in the service's documentation")
		return false
	case p.Status >= 200 && p.Status <= 299:
		d.Add(CheckBase, Fail,
			fmt.Sprintf("%s answers %d where the service refuses who brings no credential", host, p.Status),
			"this is not the job board's interface: check host and path of JOBBOARD_BASE_URL")
		return false
	default:
		d.Add(CheckBase, Warn, fmt.Sprintf("%s answers %d, which the interface does not name", host, p.Status),
			"go by the checks below")
	}
	d.checkTransport(p, host)
	return true
}

// mistake returns the problem of a probe: no answer, a redirect, or an answer of a proxy
// or web server in between. An empty detail means no problem.
func (p *probe) mistake(host, variable string) (detail, next string) {
	switch {
	case p.err != nil:
		detail, next = networkFailure(p.err)
		return host + ": " + detail, next
	case p.redirect != nil:
		// The next step must not quote the answer, because an assistant trusts its
		// words.
		next = "credentials do not follow redirects: if you trust where it leads, set " + variable +
			" to that address, up to /api/rest or /jobdb"
		if strings.Contains(strings.ToLower(p.redirect.Path), "login") {
			next = "it looks like a login: something in between wants you to sign in, or the address is that of the web site; ask for the interface's address"
		}
		return fmt.Sprintf("%s redirects (%d) to %s", host, p.Status, p.Location), next
	case p.isRedirect():
		return fmt.Sprintf("%s redirects (%d) to nowhere", host, p.Status), "check " + variable
	case p.Status == http.StatusProxyAuthRequired:
		return "a proxy wants to know who you are (407)", "set HTTPS_PROXY with name and password of the proxy"
	case p.Status == http.StatusBadGateway, p.Status == http.StatusServiceUnavailable,
		p.Status == http.StatusGatewayTimeout:
		detail = fmt.Sprintf("%s: what answers is a proxy or gateway that does not reach the service (%d)", host, p.Status)
		if name := cmp.Or(p.Via, p.Server); name != "" {
			detail += ", it calls itself " + name
		}
		return detail, "try again later; if it stays, check HTTPS_PROXY on this side and tell the service's operator"
	case p.Status >= 500:
		return fmt.Sprintf("%s: the service fails (%d)", host, p.Status),
			"try again later; if it stays, send the service's operator what doctor --json says"
	case p.isHTML() && p.Status != http.StatusNotFound: // which is a wrong path, judged with the rest
		return fmt.Sprintf("%s answers with an HTML page (%d) instead of the interface", host, p.Status),
			"a login page of a proxy, or the web site itself: sign in to the network, or take the interface's address from the service's documentation for " + variable
	}
	return "", ""
}

// checkTransport judges TLS, redirects and clock of the base address.
func (d *examination) checkTransport(p *probe, host string) {
	u, _ := url.Parse(d.board.Get(setup.BaseURL))
	switch {
	case p.TLS != "":
		v, detail, next := p.tlsText(d.console.Now())
		d.Add(CheckTLS, v, detail, next)
	case u != nil && setup.IsConfidential(u):
		d.ok(CheckTLS, "not needed: the service is on this machine")
	default:
		d.Add(CheckTLS, Warn, host+" is http: everybody on the way can read what is sent", "use the https address")
	}
	d.ok(CheckRedirects, "none")
	skew, ok := p.skew()
	size := skew.Abs().Round(time.Second)
	direction := map[bool]string{true: "behind", false: "ahead of"}[skew > 0]
	switch {
	case !ok:
		d.Add(CheckClock, Warn, "the service does not tell its time",
			"make sure that this machine's clock is set by the network")
	case size > 5*time.Minute:
		d.Add(CheckClock, Fail, fmt.Sprintf("this machine's clock is %s %s the service's", size, direction),
			"set this machine's clock by the network (NTP): tokens seem valid or expired when they are not, and certificates too")
	case size > 30*time.Second:
		d.Add(CheckClock, Warn, fmt.Sprintf("this machine's clock is %s %s the service's", size, direction),
			"set this machine's clock by the network (NTP)")
	default:
		d.ok(CheckClock, "this machine's clock agrees with the service's")
	}
}

// credentials holds, for each setting whose credential a search sends, the credential's name
// and the next step if the service does not know it.
var credentials = map[string]struct{ kind, next string }{
	setup.Token: {
		"an access token",
		"the token is expired, or of another service: get a new one for JOBBOARD_TOKEN, or set JOBBOARD_CLIENT_ID and " +
			"JOBBOARD_CLIENT_SECRET and tokens are fetched when needed",
	},
	setup.ClientSecret: {
		"a client identifier with its secret (OAuth2)",
		"a fresh token is refused: check whether JOBBOARD_TOKEN_URL belongs to this base address",
	},
	setup.ClientID: {
		"a client identifier without a secret (Basic)",
		"the service does not know the client identifier, or it belongs to an application with a secret: check JOBBOARD_CLIENT_ID, " +
			"and set JOBBOARD_CLIENT_SECRET too if there is one",
	},
	setup.UserToken: {
		"the applicant's token, because the client has none",
		"get a new token of the applicant for JOBBOARD_USER_TOKEN",
	},
}

// CheckCredential makes a search, to check the credential and the channel.
func (d *examination) checkCredential() bool {
	kind := credentials[d.board.Credential()].kind
	if kind == "" {
		d.Add(CheckCredential, Fail, "no credential is set, and a search needs one",
			"set JOBBOARD_CLIENT_ID for an application without a secret, or with JOBBOARD_CLIENT_SECRET for one that has a secret, or JOBBOARD_TOKEN")
		d.skip("first set a credential", CheckChannel, CheckLanguage)
		return false
	}
	ch := jobboard.ChannelID(d.board.Get(setup.Channel))
	asked := ch
	if asked == "" {
		asked = "0" // whatever the answer is, it tells of the credential
	}
	found, err := d.titles(asked, "")
	if next := d.refusal(err); next != "" {
		d.Add(CheckCredential, Fail, kind+": "+d.console.ErrorText(err), next)
		d.skip("the credential must be right first", CheckChannel, CheckLanguage)
		return false
	}
	var e *jobboard.Error
	unknown := errors.As(err, &e) && e.Err == nil && (e.StatusCode == http.StatusNotFound ||
		e.StatusCode == http.StatusBadRequest)
	if err != nil && !unknown {
		d.Add(CheckCredential, Fail, kind+": the search failed: "+d.console.ErrorText(err), searchNext(err))
		d.skip("the search must work first", CheckChannel, CheckLanguage)
		return false
	}
	d.ok(CheckCredential, "%s, and the service takes it", kind)
	const howTo = "take the channel's identifier, such as 27828_extern, from the service's administration; upper and lower case count"
	switch {
	case ch == "":
		d.Add(CheckChannel, Warn, "none is set", "set JOBBOARD_CHANNEL or --channel; "+howTo)
	case unknown:
		d.Add(CheckChannel, Fail, fmt.Sprintf("the service does not know %s (%d)", ch, e.StatusCode), howTo)
	case len(found) == 0: // nothing can be shown with it
		d.Add(CheckChannel, Fail,
			fmt.Sprintf("%s has no postings, or does not exist: the service says the same of both", ch), howTo)
	default:
		d.ok(CheckChannel, "%s has postings%s", ch, d.further)
		return true
	}
	d.skip("first set a channel that has postings", CheckLanguage)
	return false
}

func searchNext(err error) string {
	switch {
	case errors.Is(err, jobboard.ErrDecode):
		return "the answer does not come from the interface: check JOBBOARD_BASE_URL, and whether a proxy or a login page is in between"
	case errors.Is(err, jobboard.ErrRedirect):
		return "credentials do not follow redirects: set JOBBOARD_BASE_URL to where it leads, if you trust that"
	case errors.Is(err, jobboard.ErrServer), errors.Is(err, jobboard.ErrRateLimited):
		return "try again later; if it stays, send the service's operator what doctor --json says"
	}
	return "check the address and the network; --debug shows the attempts"
}

// languageSample bounds the postings whose titles are compared in two languages.
const languageSample = 50

// titles returns the titles of up to languageSample postings of the channel.
func (d *examination) titles(ch jobboard.ChannelID, lang string) (map[jobboard.JobPostingID]string, error) {
	s, err := d.board.Searches(d.client)
	if err != nil {
		return nil, err
	}
	titles := map[jobboard.JobPostingID]string{}
	d.further = further{}
	q := jobboard.Query{Language: lang, OmitConfig: []string{jobboard.KeyAdText}}
	stream := s.PostingStream(d.ctx, ch, q)
	for p, err := range stream.All() {
		if _, unreadable := errors.AsType[*jobboard.UnreadableError](err); unreadable {
			break // the last item of a whole answer
		}
		if err != nil {
			return titles, err
		}
		d.further.add("results.", p.Unknown)
		titles[p.JobPostingID] = strings.Clone(p.Title)
		if len(titles) == languageSample {
			break
		}
	}
	page, _ := stream.Page()
	d.further.add("", page.Unknown)
	return titles, nil
}

// refusal returns the next step if err is the refusal of a search's credential, or "" for
// other errors.
func (d *examination) refusal(err error) (next string) {
	switch {
	case errors.Is(err, jobboard.ErrUnauthorized):
		return credentials[d.board.Credential()].next
	case errors.Is(err, jobboard.ErrForbidden):
		return "the service knows the credential, but it may not search: ask the service's operator for the scope or right to search"
	case !errors.Is(err, jobboard.ErrToken):
		return ""
	}
	switch text := err.Error(); {
	case strings.Contains(text, "invalid_client"):
		return "the service does not know this client identifier and secret together: check JOBBOARD_CLIENT_ID and JOBBOARD_CLIENT_SECRET"
	case strings.Contains(text, "unauthorized_client"):
		return "this application has no secret of its own: set JOBBOARD_CLIENT_ID alone and take JOBBOARD_CLIENT_SECRET away"
	case strings.Contains(text, "status 404"), strings.Contains(text, "not reached"):
		return "the token address is wrong: set JOBBOARD_TOKEN_URL"
	}
	return "the token address gave no token: check JOBBOARD_TOKEN_URL, client identifier and secret"
}

// CheckLanguage searches in the configured language.
func (d *examination) checkLanguage() {
	lang := d.board.Get(setup.Language)
	if lang == "" {
		d.ok(CheckLanguage, "none is set: the service chooses")
		return
	}
	first, _, _ := strings.Cut(lang, ",")
	first, _, _ = strings.Cut(first, ";")
	if _, err := textlanguage.Parse(strings.TrimSpace(first)); err != nil {
		d.Add(CheckLanguage, Fail, short(lang)+" names no language", "use a code such as de, en or de-AT")
		return
	}
	ch := jobboard.ChannelID(d.board.Get(setup.Channel))
	asked, err := d.titles(ch, lang)
	if err != nil {
		d.Add(CheckLanguage, Fail, "a search in "+short(lang)+" failed: "+d.console.ErrorText(err),
			"try without the language")
		return
	}
	// For a query without a language the client sends the configured one; "*"
	// asks for any.
	others, err := d.titles(ch, "*")
	if err != nil {
		d.Add(CheckLanguage, Warn, short(lang)+" works; a search in any language failed: "+d.console.ErrorText(err),
			searchNext(err))
		return
	}
	differ := 0
	for id, title := range asked {
		if other, ok := others[id]; ok && other != title {
			differ++
		}
	}
	d.ok(CheckLanguage, "%s: %d of %d titles differ from those of any language", short(lang), differ, len(asked))
}

// CheckApplicant calls the applied check with the applicant's token.
func (d *examination) checkApplicant() {
	if d.board.Get(setup.UserToken) == "" {
		d.skip("no applicant's token is set (JOBBOARD_USER_TOKEN): status needs one", CheckApplicant)
		return
	}
	id, err := d.board.NeedJob(nil)
	if err != nil {
		id = 1
	}
	_, err = d.board.Applicant(d.client).HasApplied(d.ctx, id)
	var e *jobboard.Error
	errors.As(err, &e)
	code, _ := setup.ExitOf(err)
	switch {
	case err == nil || code == setup.ExitNo:
		d.ok(CheckApplicant, "the applicant's token is good")
	case errors.Is(err, jobboard.ErrUnauthorized) && e != nil &&
		strings.Contains(strings.ToLower(e.Message), "user token required"):
		d.Add(CheckApplicant, Fail, "the token is a client's, and these calls need the applicant's",
			"set JOBBOARD_USER_TOKEN to a token that the applicant got by signing in; a client's belongs in JOBBOARD_TOKEN")
	case errors.Is(err, jobboard.ErrUnauthorized):
		d.Add(CheckApplicant, Fail, "the token is expired, or not of this service: "+d.console.ErrorText(err),
			"the applicant must sign in again; set JOBBOARD_USER_TOKEN to the new token")
	case errors.Is(err, jobboard.ErrForbidden):
		d.Add(CheckApplicant, Fail, d.console.ErrorText(err),
			"the token's scope is not enough: ask for one with the right to see the applicant's applications")
	default:
		d.Add(CheckApplicant, Fail, d.console.ErrorText(err), searchNext(err))
	}
}

// CheckLookup looks up the configured job, or an arbitrary one: every answer
// that the interface names proves that the lookup works.
func (d *examination) checkLookup() {
	if d.board.Get(setup.JobDBURL) == "" {
		d.Add(CheckLookup, Warn, "no lookup address is set: info, status and feed do not work",
			"set JOBBOARD_JOBDB_URL or --jobdb-url")
		return
	}
	host := maskedAddress(d.board.Get(setup.JobDBURL))
	p := d.ask("lookup host", strings.TrimRight(d.board.Get(setup.JobDBURL), "/")+lookupPath)
	if detail, next := p.mistake(host, "JOBBOARD_JOBDB_URL"); detail != "" {
		d.Add(CheckLookup, Fail, detail, next)
		return
	}
	named := d.board.Get(setup.Job) != ""
	id, err := d.board.NeedJob(nil)
	if err != nil {
		if named {
			d.Add(CheckLookup, Fail, d.console.ErrorText(err),
				"JOBBOARD_JOB is a job's identifier: digits, as IdValue in the feed")
			return
		}
		id = 1
	}
	info, err := d.client.JobInformation(d.ctx, id)
	code, _ := setup.ExitOf(err)
	var e *jobboard.Error
	errors.As(err, &e)
	switch {
	case err == nil:
		d.ok(CheckLookup, "%s answers, and knows job %s%s", host, id, furtherOf(info))
	case code == setup.ExitNo && !named:
		d.ok(CheckLookup, "%s answers", host)
	case code == setup.ExitNo:
		d.Add(CheckLookup, Warn, fmt.Sprintf("%s answers; of job %s it says: %s", host, id, d.console.ErrorText(err)),
			"take a job from a feed of today")
	case code == setup.ExitCredential:
		d.Add(CheckLookup, Fail, host+": "+d.console.ErrorText(err),
			"the lookup needs no credential: this is another address than the lookup's, check JOBBOARD_JOBDB_URL")
	case e != nil && e.StatusCode == http.StatusNotFound:
		next := "the lookup is at {address}/jobdb/public/apply/external: check host and path of JOBBOARD_JOBDB_URL"
		if sameHost(d.board.Get(setup.BaseURL), d.board.Get(setup.JobDBURL)) {
			next += "; it is another address than JOBBOARD_BASE_URL, and here both have one host"
		}
		d.Add(CheckLookup, Fail, host+" answers, but its path leads to no lookup (404)", next)
	default:
		d.Add(CheckLookup, Fail, host+": "+d.console.ErrorText(err),
			strings.ReplaceAll(searchNext(err), "JOBBOARD_BASE_URL", "JOBBOARD_JOBDB_URL"))
	}
}

func sameHost(a, b string) bool {
	u, err1 := url.Parse(a)
	v, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && u.Host == v.Host
}
