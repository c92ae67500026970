package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
)

// verdict is what a check of doctor comes to.
type verdict string

const (
	verdictOK   verdict = "ok"
	verdictWarn verdict = "warn"
	verdictFail verdict = "fail"
	verdictSkip verdict = "skip" // not asked, because something it needs is missing
)

// finding is a check with its verdict and the next step, which an ok may lack.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Detail  string  `json:"detail"`
	Next    string  `json:"next,omitempty"`
}

type doctorFlags struct {
	json   bool
	bundle string
}

func (a *app) doctorCommand() *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a set-up does not work",
		Long: `doctor checks the settings, both addresses, TLS, the clocks, redirects, the
credentials, the channel, the language and the lookup. Each check has a verdict
and, where it is not ok, the next step. It asks the service a few harmless
questions and changes nothing.

--bundle FILE writes what support needs to know as JSON: versions, settings,
verdicts and a few headers of the answers. Secrets, identifiers of clients and
user parts of addresses are not in it; read it before you send it.

It ends with 0 where nothing failed and with 7 where something did.`,
		Example: "  jobboard doctor --fake\n  jobboard doctor --bundle support.json",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), &f) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print the findings as JSON")
	cmd.Flags().StringVar(&f.bundle, "bundle", "",
		"write a masked `file` for support; - for standard output instead of the findings")
	_ = cmd.MarkFlagFilename("bundle", "json")
	return cmd
}

func (a *app) doctor(ctx context.Context, f *doctorFlags) error {
	d := &doctor{app: a, ctx: ctx}
	d.run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := false
	for i := range d.findings {
		x := &d.findings[i]
		x.Detail, x.Next = a.masked(printable(x.Detail)), a.masked(printable(x.Next))
		failed = failed || x.Verdict == verdictFail
	}
	if err := d.report(f); err != nil {
		return err
	}
	if failed {
		return &exitError{code: exitIncomplete}
	}
	return nil
}

// report writes the findings, and the bundle where it is asked for.
func (d *doctor) report(f *doctorFlags) error {
	body, err := d.bundle()
	switch {
	case err != nil:
	case f.bundle == "-":
		_, err = d.out.Write(body)
		return err
	case f.json:
		err = writeJSON(d.out, d.findings, true)
	default:
		d.print()
	}
	if err != nil || f.bundle == "" {
		return err
	}
	if err := os.WriteFile(f.bundle, body, 0o600); err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	d.note("%s is without secrets; read it before you send it", f.bundle)
	return nil
}

// print writes the findings for people. What an earlier check said already is not
// said again.
func (d *doctor) print() {
	const indent = 24
	t := d.outTerminal
	count := map[verdict]int{}
	saidBy := map[string]string{} // the check that a sentence was first said for
	said := func(x finding, sentence string) string {
		if first, ok := saidBy[sentence]; ok {
			return "as above, " + first
		}
		saidBy[sentence] = x.Check
		return sentence
	}
	for _, x := range d.findings {
		count[x.Verdict]++
		colour := map[verdict]string{verdictOK: green, verdictWarn: yellow, verdictFail: red, verdictSkip: faint}[x.Verdict]
		start := fmt.Sprintf("%s  %-16s  ", t.paint(colour, fmt.Sprintf("%-4s", x.Verdict)), x.Check)
		d.out.line("%s%s", start, t.wrapped(said(x, x.Detail), indent))
		if x.Next == "" {
			continue
		}
		next := strings.TrimPrefix(t.wrapped("next: "+said(x, x.Next), indent), "next:")
		d.out.line("%*s%s%s", indent, "", t.paint(bold, "next:"), next)
	}
	d.out.line("")
	d.out.line("%d ok, %d warnings, %d failed, %d skipped", count[verdictOK], count[verdictWarn], count[verdictFail],
		count[verdictSkip])
}

// bundle returns what support needs to know. Nothing in it is a secret, and what is
// known to be one is taken out once more at the end.
func (d *doctor) bundle() ([]byte, error) {
	s := &d.settings
	type shown struct {
		Value  string `json:"value"`
		Source string `json:"source"`
	}
	values := map[string]shown{}
	for _, def := range settingList {
		v, ok := s.values[def.name]
		if !ok {
			continue
		}
		text := v.text
		switch {
		case def.secret || def.name == clientID || def.name == caFile:
			text = "set"
		case strings.HasSuffix(def.name, "_url"):
			text = maskedAddress(text)
		}
		values[def.name] = shown{printable(text), v.origin.String()}
	}
	proxies := map[string]string{}
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"} {
		if v := d.getenv(name); v != "" {
			proxies[name] = "set"
		}
	}
	body, err := json.MarshalIndent(struct {
		Program  string            `json:"program"`
		System   string            `json:"system"`
		Time     time.Time         `json:"time"`
		Settings map[string]shown  `json:"settings"`
		Proxies  map[string]string `json:"proxies,omitempty"`
		Findings []finding         `json:"findings"`
		Answers  []probe           `json:"answers"`
	}{
		"jobboard " + version(), runtime.GOOS + "/" + runtime.GOARCH, d.now().UTC().Truncate(time.Second),
		values, proxies, d.findings, d.probes,
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(safeJSON([]byte(d.masked(string(body)))), '\n'), nil
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

// doctor is one examination.
type doctor struct {
	*app

	ctx      context.Context
	client   *jobboard.Client
	findings []finding
	probes   []probe
}

func (d *doctor) add(check string, v verdict, detail, next string) {
	d.findings = append(d.findings, finding{Check: check, Verdict: v, Detail: detail, Next: next})
}

func (d *doctor) ok(check, format string, args ...any) {
	d.add(check, verdictOK, fmt.Sprintf(format, args...), "")
}

func (d *doctor) skip(why string, checks ...string) {
	for _, check := range checks {
		d.add(check, verdictSkip, why, "")
	}
}
