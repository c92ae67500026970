package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// noteCorrected reports what a search did with the words that no posting has.
func noteCorrected(c *term.Console, corrected []jobmirror.Correction) {
	for _, x := range corrected {
		if len(x.Nearest) == 0 {
			c.Note("%q was left out: no posting has all the words", term.Printable(x.Word))
			continue
		}
		c.Note("no posting has %q; searched for %s as well", term.Printable(x.Word), term.Printable(strings.Join(x.Nearest, ", ")))
	}
}

// noteEmpty reports why a search finds nothing.
func noteEmpty(ctx context.Context, c *term.Console, m *copied, q jobmirror.Query, page *jobmirror.Page) error {
	reasons, err := whyEmpty(ctx, m, q, page)
	if err == nil && isEmpty(q, page) {
		c.Note("no postings found%s", strings.Join(append([]string{""}, reasons...), "; "))
	}
	return err
}

// isEmpty reports whether a search found nothing.
func isEmpty(q jobmirror.Query, page *jobmirror.Page) bool {
	return len(page.Postings) == 0 && q.After == "" && q.ChangedAfter == ""
}

// whyEmpty returns the reasons for which a search found nothing, if it did: what the copy lacks, what Page.Why says, and
// what only an operator narrows a search by.
func whyEmpty(ctx context.Context, m *copied, q jobmirror.Query, page *jobmirror.Page) (reasons []string, err error) {
	if !isEmpty(q, page) {
		return nil, nil
	}
	status, err := m.Status(ctx)
	if err != nil {
		return nil, err
	}
	ofChannel := func(s jobmirror.SourceStatus) bool {
		return s.Kind == "channel" && s.Name == string(q.Channel)
	}
	switch {
	case q.Channel != "" && !slices.ContainsFunc(status.Sources, ofChannel):
		return []string{fmt.Sprintf("the copy has no channel %s: jobboard-mirror status lists those that it has",
			term.Printable(string(q.Channel)))}, nil
	case status.Postings == 0 && page.Age >= 0:
		return []string{"the copy is empty: the board shows no postings"}, nil
	case page.Age < 0:
		reasons = append(reasons, "a channel was not copied whole yet: jobboard-mirror status")
	case status.Unindexed > 0:
		reasons = append(reasons, term.Count(status.Unindexed, "posting")+" that were copied just now are not found yet")
	}
	if page.Why != nil {
		for _, reason := range page.Why.Reasons() {
			reasons = append(reasons, term.Printable(reason))
		}
	}
	q.Limit, q.Facets = 1, false
	for _, without := range []struct {
		set    bool
		drop   func(*jobmirror.Query)
		reason string
	}{
		{!q.All, func(q *jobmirror.Query) { q.All = true }, "there are some that a visitor should not see: --all shows them"},
		{
			q.Channel != "", func(q *jobmirror.Query) { q.Channel = "" },
			"there are some in another channel than " + string(q.Channel),
		},
		{
			len(strings.Fields(q.Text)) > 1, func(q *jobmirror.Query) { q.Text = strings.Join(strings.Fields(q.Text), " OR ") },
			"there are some with fewer of the words",
		},
	} {
		if !without.set {
			continue
		}
		wider := q
		without.drop(&wider)
		page, err := m.Search(ctx, wider)
		if err != nil {
			return nil, err
		}
		if len(page.Postings) > 0 {
			reasons = append(reasons, term.Printable(without.reason))
		}
	}
	if len(reasons) == 0 && q.Text != "" {
		reasons = append(reasons, fmt.Sprintf("none of the %d in the copy has these words, nor similar ones", status.Postings))
	}
	return reasons, nil
}
