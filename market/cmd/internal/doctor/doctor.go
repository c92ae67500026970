// Package doctor diagnoses a set-up that does not work. It checks the settings, both
// addresses, TLS, the clocks, redirects, the credentials, the channel, the language and
// the lookup, with a few harmless requests that change nothing.
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	OK   Verdict = "ok"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
	Skip Verdict = "skip" // not checked, because a requirement is missing
)

// Finding is the result of a check: its verdict and, unless the verdict is ok, the
// next step. Its texts are printable and without secrets.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Detail  string  `json:"detail"`
	Next    string  `json:"next,omitempty"`
}

// Report holds the outcome of an examination.
type Report struct {
	Findings []Finding

	console *term.Console
	board   *setup.Board
	probes  []probe
}

// NewReport returns a report of other checks than those of Examine, without findings.
func NewReport(c *term.Console) *Report { return &Report{console: c} }

// Add adds a finding.
func (r *Report) Add(check string, v Verdict, detail, next string) {
	mask := func(s string) string { return r.console.Mask(term.Printable(s)) }
	r.Findings = append(r.Findings, Finding{Check: check, Verdict: v, Detail: mask(detail), Next: mask(next)})
}

// Examine makes all checks. If ctx ends first, it returns the error of ctx with the
// findings so far.
func Examine(ctx context.Context, c *term.Console, b *setup.Board) (*Report, error) {
	d := &examination{Report: Report{console: c, board: b}, ctx: ctx}
	d.run()
	return &d.Report, ctx.Err()
}

var colours = map[Verdict]string{OK: term.Green, Warn: term.Yellow, Fail: term.Red, Skip: term.Faint}

// Write writes the findings to standard output, for people or as JSON, and fails with
// setup.ExitIncomplete if a check failed. The JSON is for support, too: it has the
// program's version, the settings and a few headers of the answers, and no secrets.
func (r *Report) Write(asJSON bool, version string) error {
	if !asJSON {
		r.print()
	} else if err := r.writeJSON(version); err != nil {
		return err
	}
	return r.Failure()
}

// Failure returns an error with setup.ExitIncomplete, and without words, if a check failed.
func (r *Report) Failure() error {
	for _, x := range r.Findings {
		if x.Verdict == Fail {
			return &setup.Error{Code: setup.ExitIncomplete}
		}
	}
	return nil
}

// print writes the findings for people. It does not repeat a sentence of an earlier check.
func (r *Report) print() {
	const indent = 24
	t, out := r.console.OutTerminal, r.console.Out
	count := map[Verdict]int{}
	saidBy := map[string]string{} // the check in which a sentence appeared first
	said := func(x Finding, sentence string) string {
		if first, ok := saidBy[sentence]; ok {
			return "as above, " + first
		}
		saidBy[sentence] = x.Check
		return sentence
	}
	for _, x := range r.Findings {
		count[x.Verdict]++
		start := fmt.Sprintf("%s  %-16s  ", t.Paint(colours[x.Verdict], fmt.Sprintf("%-4s", x.Verdict)), x.Check)
		out.Line("%s%s", start, t.Wrapped(said(x, x.Detail), indent))
		if x.Next == "" {
			continue
		}
		next := strings.TrimPrefix(t.Wrapped("next: "+said(x, x.Next), indent), "next:")
		out.Line("%*s%s%s", indent, "", t.Paint(term.Bold, "next:"), next)
	}
	out.Line("")
	out.Line("%d ok, %s, %d failed, %d skipped", count[OK], term.Count(count[Warn], "warning"), count[Fail], count[Skip])
}

// shownSetting is a setting as support may see it.
type shownSetting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

func (r *Report) writeJSON(version string) error {
	body, err := json.MarshalIndent(struct {
		Program  string                  `json:"program"`
		System   string                  `json:"system"`
		Time     time.Time               `json:"time"`
		Settings map[string]shownSetting `json:"settings,omitempty"`
		Proxies  []string                `json:"proxies,omitempty"`
		Findings []Finding               `json:"findings"`
		Answers  []probe                 `json:"answers,omitempty"`
	}{
		r.console.Name + " " + version, runtime.GOOS + "/" + runtime.GOARCH, r.console.Now().UTC().Truncate(time.Second),
		r.settings(), r.proxies(), r.Findings, r.probes,
	}, "", "  ")
	if err != nil {
		return err
	}
	// To be safe, the known secrets are masked once more.
	_, err = r.console.Out.Write(append(term.SafeJSON([]byte(r.console.Mask(string(body)))), '\n'))
	return err
}

// settings returns the settings of the board, if the report is of one, without secrets.
func (r *Report) settings() map[string]shownSetting {
	if r.board == nil {
		return nil
	}
	values := map[string]shownSetting{}
	for _, def := range setup.List {
		v, ok := r.board.Values[def.Name]
		if !ok {
			continue
		}
		text := v.Text
		switch {
		case def.Secret || def.Name == setup.ClientID || def.Name == setup.CAFile:
			text = "set"
		case strings.HasSuffix(def.Name, "_url"):
			text = maskedAddress(text)
		}
		values[def.Name] = shownSetting{term.Printable(text), v.Origin.String()}
	}
	return values
}

// proxies returns the names of the variables that set a proxy. Their values may hold a password.
func (r *Report) proxies() (names []string) {
	if r.board == nil {
		return nil
	}
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"} {
		if r.board.Getenv(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// maskedAddress returns an address without its user part, query and fragment.
func maskedAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return "(not an address)"
	}
	out := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	text := out.String()
	if u.User != nil {
		text += " (and a user part)"
	}
	if u.RawQuery != "" {
		text += " (and a query)"
	}
	return text
}

// examination makes the checks one after the other.
type examination struct {
	Report

	ctx     context.Context
	client  *jobboard.Client
	further further // members of the search's answers that the interface does not name
}

func (d *examination) ok(check, format string, args ...any) {
	d.Add(check, OK, fmt.Sprintf(format, args...), "")
}

func (d *examination) skip(why string, checks ...string) {
	for _, check := range checks {
		d.Add(check, Skip, why, "")
	}
}
