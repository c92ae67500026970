package jobmcp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp/internal/foreign"
)

// The functions of this file write the field tell of the results: one line for the person,
// in the program's own words. Texts of others stay out of it.

// many returns a number of things in words.
func many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func (r *searchJobsResult) summary() string {
	around := ""
	if r.Near != nil {
		around = fmt.Sprintf(" within %g km", r.Near.RadiusKm)
		if r.Near.Town != "" {
			around += " of " + r.Near.Town
		}
		if r.Near.Note != "" {
			around += " (" + r.Near.Note + ")"
		}
	}
	switch {
	case r.Total == 0:
		return "no posting matches" + around
	case len(r.Postings) == 0:
		return fmt.Sprintf("of %s%s none is left to list", many(r.Total, "posting"), around)
	}
	line := fmt.Sprintf("%s%s, %d listed here", many(r.Total, "posting"), around, len(r.Postings))
	if r.Next != 0 {
		line += "; there are more"
	}
	if r.Incomplete {
		line += "; the service does not give all of them, so a narrower search shows others"
	}
	return line
}

// advice returns what to try next, or "".
func (r *searchJobsResult) advice(in *searchJobsArgs) string {
	var steps []string
	if r.Total == 0 && in.Text != "" {
		steps = append(steps, "search for fewer or for more general words")
	}
	if r.Total == 0 && r.Near != nil {
		steps = append(steps, "set a larger radius_km, or leave near out")
	}
	if r.Total == 0 && in.Channel != "" {
		steps = append(steps, "leave channel out: the settings' channel is searched then")
	}
	if r.Near != nil && len(r.Near.Others) > 0 {
		steps = append(steps, "if another town of this name is meant, set near to one of near.others")
	}
	if r.Total == 0 && len(steps) == 0 {
		steps = append(steps, "nothing is published in this channel: whoever runs this server can check its name")
	}
	return strings.Join(steps, "; ")
}

func (r *jobInformationResult) summary() string {
	if !r.ApplyPossible {
		return "the job takes no applications"
	}
	line := "the job takes applications, and asks " + many(len(r.Questions)+r.LeftOut, "question")
	if r.NationCount > 0 {
		line += " and may ask for a nationality"
	}
	return line
}

func (r *checkAnswersResult) summary() string {
	var line string
	switch {
	case r.OK && len(r.NotChecked) > 0:
		line = "the answers are complete as far as they can be checked, and nothing was sent: the person applies online"
	case r.OK:
		line = "the answers are complete, and nothing was sent: the person applies online"
	default:
		line = many(len(r.Problems)+r.LeftOut, "answer") + " to correct or to give before the person applies"
	}
	if !r.ApplyPossible {
		line += "; but the job takes no applications"
	}
	return line
}

// summary takes the number of changes of each kind; nil on the first look.
func (r *whatChangedResult) summary(count map[string]int) string {
	now := many(r.Postings, "posting") + " now"
	if count == nil {
		return now + "; a later call tells what changed"
	}
	var parts []string
	for _, kind := range []string{"added", "changed", "gone", "maybe added", "maybe gone"} {
		if count[kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[kind], kind))
		}
	}
	if len(parts) == 0 {
		return "nothing changed; " + now
	}
	return strings.Join(parts, ", ") + "; " + now
}

// told returns the line about the findings of doctor.
func told(findings []Finding) string {
	var failed, warned []string
	for _, f := range findings {
		switch f.Verdict {
		case "fail":
			failed = append(failed, f.Check)
		case "warn":
			warned = append(warned, f.Check)
		}
	}
	names := func(checks []string) string { return foreign.Line(strings.Join(checks, ", "), maxName) }
	switch {
	case len(failed) > 0:
		return "the set-up does not work: " + names(failed) + "; next says what a person can do"
	case len(warned) > 0:
		return "the set-up works, with something to look at: " + names(warned)
	}
	return "the set-up works"
}

// tellOf returns the line about an error.
func tellOf(err error) string {
	if unknownChannel(err) {
		return "this channel is not known here"
	}
	for _, x := range tellings {
		for _, condition := range x.conditions {
			if errors.Is(err, condition) {
				return x.tell
			}
		}
	}
	return "it could not be found out"
}

var tellings = []struct {
	conditions []error
	tell       string
}{
	{[]error{jobboard.ErrInvalidInput}, "nothing was asked yet: the question has to be put in another way"},
	{
		[]error{jobboard.ErrUnauthorized, jobboard.ErrForbidden, jobboard.ErrToken},
		"the job board refuses the credential of this program: its operator must look after it",
	},
	{[]error{jobboard.ErrNotFound, jobboard.ErrApplicationNotFound}, "the job board knows no such job, or not any more"},
	{[]error{jobboard.ErrInactive}, "the job takes no applications any more"},
	{[]error{jobboard.ErrNotVisible}, "the job is not for this applicant"},
	{[]error{jobboard.ErrPostingUnavailable}, "the job board cannot tell of this job just now; that does not mean that it is closed"},
	{[]error{jobboard.ErrRateLimited, errBusy}, "too much was asked at once: later it goes on"},
	{
		[]error{jobboard.ErrServer, jobboard.ErrTransport, jobboard.ErrTimeout},
		"the job board does not answer as it should just now",
	},
}
