// Package company names the company of a job.
package company

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/jobboard-sdk/jobboard-go"
)

// Of returns the company that a job is shown with, without white space around it: the posting's
// [jobboard.PostingConfig.CompanyName], or else the CompanyName of the lookup; "" if neither has a
// visible character. Both may be nil. A list, a page, a feed and structured data that all use Of
// name the same company.
func Of(posting *jobboard.JobPosting, job *jobboard.JobInformation) string {
	if posting != nil {
		if name := posting.Config.CompanyName(); isVisible(name) {
			return strings.TrimSpace(name)
		}
	}
	if job != nil && isVisible(job.CompanyName) {
		return strings.TrimSpace(job.CompanyName)
	}
	return ""
}

// Line returns a name with single spaces, and of a long one the first 200 characters.
func Line(name string) string {
	name, n := strings.Join(strings.Fields(name), " "), 0
	for i := range name {
		if n++; n > 200 {
			return name[:i]
		}
	}
	return name
}

// Fold returns what tells names of companies apart: not case and spaces, nor what Line leaves out.
func Fold(name string) string { return cases.Fold().String(norm.NFC.String(Line(name))) }

// isVisible reports whether a text has a character that a reader sees. An invisible one, such as U+200B, is
// neither white space nor seen.
func isVisible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
