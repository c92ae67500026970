package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

func (f *checkFlags) printPlan(c *term.Console, steps []boardcheck.Step) error {
	if f.json {
		return term.WriteJSON(c.Out, steps, true)
	}
	total := 0
	rows := make([][]string, len(steps))
	for i, s := range steps {
		total += s.AtMost
		rows[i] = []string{strconv.Itoa(s.AtMost), s.Request, s.Credential, s.Why}
	}
	columns := []term.Column{
		{Head: "AT MOST"}, {Head: "REQUEST", Flex: 3}, {Head: "CREDENTIAL", Flex: 1}, {Head: "FOR", Flex: 2},
	}
	term.WriteTable(c.Out, c.OutTerminal, columns, rows)
	c.Out.Line("")
	c.Out.Line("%d requests at most, %g a second; with those that the board asks to repeat %d. Nothing is changed.",
		min(total, boardcheck.MaxRequests), f.rate, boardcheck.MaxRequests)
	return c.Out.Err
}

var stateColours = map[boardcheck.State]string{
	boardcheck.Kept: term.Green, boardcheck.Broken: term.Red, boardcheck.NotObservable: term.Faint,
}

// print writes the report as text: the rules, the problems of broken rules, the changes, and
// requests without an answer.
func (f *checkFlags) print(c *term.Console, r *boardcheck.Report) {
	rows := make([][]string, len(r.Rules))
	for i, x := range r.Rules {
		rows[i] = []string{string(x.State), x.Name, x.Section, requestsOf(x), whyOf(x)}
	}
	term.WriteTable(c.Out, c.OutTerminal, []term.Column{
		{Head: "STATE"}, {Head: "RULE"}, {Head: "SECTION"}, {Head: "REQUEST", Flex: 3}, {Head: "WHY", Flex: 2},
	}, rows)
	for _, x := range r.Rules {
		if x.State != boardcheck.Broken {
			continue
		}
		c.Out.Line("")
		c.Out.Line("%s %s (section %s): %s", c.OutTerminal.Paint(stateColours[x.State], "broken"), x.Name, x.Section, x.Text)
		problems := x.Problems
		if f.quote {
			problems = x.Quotes
		}
		for _, p := range problems {
			c.Out.Line("  %s", c.OutTerminal.Wrapped(c.Mask(term.Printable(p)), 2))
		}
	}
	f.section(c, "What changed", texts(r.Changes, false))
	f.section(c, "New, and as the interface allows", texts(r.Changes, true))
	f.section(c, "Without a good answer", r.Troubles)
	c.Out.Line("")
	c.Out.Line("%s", r.Summary())
}

func (f *checkFlags) section(c *term.Console, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	c.Out.Line("")
	c.Out.Line("%s", c.OutTerminal.Paint(term.Bold, title+":"))
	for _, l := range lines {
		c.Out.Line("  %s", c.OutTerminal.Wrapped(l, 2))
	}
}

func texts(changes []boardcheck.Change, notes bool) (lines []string) {
	for _, x := range changes {
		if x.Note == notes {
			lines = append(lines, x.Where+": "+x.What)
		}
	}
	return lines
}

// requestsOf returns a rule's requests in one text: the first in full, and of
// each further request the part that differs.
func requestsOf(x boardcheck.Rule) string {
	out := slices.Clone(x.Requests)
	for i := 1; i < len(out); i++ {
		if rest, ok := strings.CutPrefix(out[i], x.Requests[0]); ok && rest != "" {
			out[i] = strings.TrimSpace(rest)
		}
	}
	return strings.Join(out, ", ")
}

// whyOf returns the reason why a rule is not observable, with flags that would
// change it.
func whyOf(x boardcheck.Rule) string {
	switch {
	case len(x.Needs) > 0:
		var flags []string
		for _, field := range x.Needs {
			if flag := flagOf(field); !slices.Contains(flags, flag) {
				flags = append(flags, flag)
			}
		}
		return "give " + strings.Join(flags, ", ")
	case strings.Contains(x.Why, "WrongCredentials"):
		return "give --wrong-credentials"
	}
	return x.Why
}

// withFlags replaces the names of a Board's fields in a text by their flags.
func withFlags(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		name := strings.TrimRight(word, ",")
		if _, ok := reflect.TypeFor[conformance.Target]().FieldByName(name); ok || boardFlags[name] {
			words[i] = flagOf(name) + word[len(name):]
		}
	}
	return strings.Join(words, " ")
}

// boardFlags are the fields of a boardcheck.Board that have a flag.
var boardFlags = map[string]bool{"FeedURL": true, "WrongCredentials": true, "ClientSecret": true}

// likeView holds the switches that make a mock server like the board, as JSON.
type likeView struct {
	Patch         json.RawMessage         `json:"patch"`
	Go            string                  `json:"go"`
	NotImitated   []string                `json:"not_imitated"`
	NotObservable []boardcheck.Unobserved `json:"not_observable"`
}

func likeOf(p *boardcheck.Profile) likeView {
	l := p.Like()
	for i := range l.NotObservable {
		l.NotObservable[i].Why = withFlags(l.NotObservable[i].Why)
	}
	return likeView{l.JSON(), l.Go(), append([]string{}, l.NotImitated...), l.NotObservable}
}

func (f *checkFlags) printLike(c *term.Console, p *boardcheck.Profile) {
	l := likeOf(p)
	c.Out.Line("# PATCH of the mock server's variants")
	c.Out.Line("%s", l.Patch)
	c.Out.Line("")
	c.Out.Line("// the same as Go")
	c.Out.Line("%s", l.Go)
	f.section(c, "No switch imitates", l.NotImitated)
	var unobserved []string
	for _, u := range l.NotObservable {
		unobserved = append(unobserved, u.Name+": "+u.Why)
	}
	f.section(c, "Not observable", unobserved)
}
