package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Rule states one thing that the interface says.
type Rule struct {
	Name    string // such as "search/radius"; rules of one operation begin alike
	Section string // of the interface, such as "4.1" or "4.2, 8"
	Text    string // what must hold
	Changes bool   // the check changes something: left out of a read-only run
	Refused bool   // the check sends a credential that the service is to refuse, see Target.GoodCredentials
}

// Result tells what became of one rule.
type Result struct {
	Rule
	Problems []string // what was broken; empty: nothing was
	Skipped  string   // why it was not judged; empty: it was

	// Outlines are the problems without anything that the service or the target says,
	// for files that are kept: an ellipsis stands in its place. SkippedOutline is
	// Skipped in that form.
	Outlines       []string
	SkippedOutline string

	// Lacks names the fields of the target that the rule needs and that are not set.
	Lacks []string

	// Requests are those whose answers the rule was judged by, each kind once and
	// without values, such as "GET {base_url}/api/rest/v3/frontend/jobs/{jobDbId}/applied".
	Requests []string
}

// Failed reports whether the rule is broken.
func (r Result) Failed() bool { return len(r.Problems) > 0 }

// String returns a line, and one more for each problem.
func (r Result) String() string {
	word := "ok  "
	switch {
	case r.Failed():
		word = "FAIL"
	case r.Skipped != "":
		return fmt.Sprintf("skip %s (section %s): %s", r.Name, r.Section, r.Skipped)
	}
	s := fmt.Sprintf("%s %s (section %s): %s", word, r.Name, r.Section, r.Text)
	for _, p := range r.Problems {
		s += "\n\t" + p
	}
	return s
}

// rule is a Rule with its check.
type rule struct {
	Rule
	check func(*probe)
}

// says returns a rule whose check changes nothing.
func says(name, section, text string, check func(*probe)) rule {
	return rule{Rule{Name: name, Section: section, Text: text}, check}
}

// refusing marks a rule whose check sends a credential that the service is to refuse.
func refusing(r rule) rule {
	r.Refused = true
	return r
}

// changing returns a rule whose check changes something.
func changing(name, section, text string, check func(*probe)) rule {
	return rule{Rule{Name: name, Section: section, Text: text, Changes: true}, check}
}

func rules() []rule {
	return slices.Concat(searchRules, credentialRules, appliedRules, applicationRules, lookupRules, subscriptionRules)
}

// Checks returns the rules in the order in which they are checked.
func Checks() []Rule {
	var out []Rule
	for _, r := range rules() {
		out = append(out, r.Rule)
	}
	return out
}

// Check checks a target and returns a result for each rule, in the order of Checks.
// It returns an error where the target cannot be used, or the context's with the
// results so far.
func Check(ctx context.Context, target Target) ([]Result, error) {
	s, err := newSession(target)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var out []Result
	for _, r := range rules() {
		result := s.judge(ctx, r)
		if err := ctx.Err(); err != nil {
			return out, err // the context's end is not the service's fault
		}
		out = append(out, result)
	}
	return out, nil
}

// Run checks a target, each rule as a subtest.
func Run(t *testing.T, target Target) {
	t.Helper()
	s, err := newSession(target)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, r := range rules() {
		t.Run(r.Name, func(t *testing.T) {
			result := s.judge(t.Context(), r)
			switch {
			case result.Failed():
				t.Errorf("section %s: %s\n\t%s", r.Section, r.Text, strings.Join(result.Problems, "\n\t"))
			case result.Skipped != "":
				t.Skipf("section %s: %s", r.Section, result.Skipped)
			}
		})
	}
}
