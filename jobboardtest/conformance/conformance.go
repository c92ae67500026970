package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Rule states one requirement of the interface.
type Rule struct {
	Name    string // such as "search/radius"; the word before the slash is the operation
	Section string // of the interface, such as "4.1" or "4.2, 8"
	Text    string // what must hold
	Changes bool   // the check changes records of the service; a read-only run leaves the rule out
	Refused bool   // the check sends a credential that the service must refuse, see Target.GoodCredentials
}

// Result reports whether a service keeps one rule.
type Result struct {
	Rule
	Problems []string // how the service breaks the rule; empty: it does not
	Skipped  string   // why the rule was not judged; empty: it was judged

	// Lacks names the fields that the rule needs and the target does not set.
	Lacks []string

	// Requests lists the requests whose answers the rule was judged by, each kind once and
	// without values, such as "GET {base_url}/api/rest/v3/frontend/jobs/{jobDbId}/applied".
	Requests []string
}

// Failed reports whether the rule is broken.
func (r Result) Failed() bool { return len(r.Problems) > 0 }

// String returns a line with the verdict, and a line for each problem.
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

// refusing marks a rule whose check sends a credential that the service must refuse.
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
// It returns an error if the target cannot be used. When the context ends it
// returns the context's error and the results so far.
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
			return out, err // a request cut off by the context must not count as a problem
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
