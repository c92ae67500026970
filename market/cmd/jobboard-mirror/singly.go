package main

import (
	"cmp"
	"context"
	"strings"

	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// singly makes searches that show each job once, where the copy has a posting in each
// language of its channel.
type singly struct {
	m      *copied
	reader string          // language of the person at the terminal, such as de; empty: not known
	shown  map[hitKey]bool // what earlier pages and this one show
}

// hitKey identifies a job or, if its job is not known, a posting.
type hitKey struct {
	job     jobboard.JobID
	posting jobboard.JobPostingID
}

func keyOf(p *jobmirror.Posting) hitKey {
	if p.Job != 0 {
		return hitKey{job: p.Job}
	}
	return hitKey{posting: p.Posting.JobPostingID}
}

// search returns the page of a query without the jobs that earlier pages show. To know these,
// it searches for the earlier pages again. If the copy has changed so much that no earlier page
// ends with the cursor, it leaves out only repetitions within the page.
func (s *singly) search(ctx context.Context, q jobmirror.Query) (*jobmirror.Page, error) {
	after := q.After
	q.After, s.shown = "", map[hitKey]bool{}
	for after != "" {
		earlier := q
		earlier.Facets = false
		page, err := s.page(ctx, earlier)
		if err != nil {
			return nil, err
		}
		if page.Next == "" {
			s.shown = map[hitKey]bool{}
			break
		}
		if q.After = page.Next; page.Next == after {
			break
		}
	}
	q.After = after
	page, err := s.page(ctx, q)
	if err != nil || q.Language != "" {
		return page, err
	}
	for i := range page.Postings {
		if err := s.translate(ctx, &page.Postings[i]); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// page fills a page with jobs that were not shown.
func (s *singly) page(ctx context.Context, q jobmirror.Query) (*jobmirror.Page, error) {
	limit := cmp.Or(q.Limit, 20)
	var out *jobmirror.Page
	for {
		page, err := s.m.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		found := page.Postings
		if out == nil {
			out, page.Postings = page, nil
		}
		for i := range found {
			if key := keyOf(&found[i]); !s.shown[key] {
				s.shown[key] = true
				out.Postings = append(out.Postings, found[i])
			}
		}
		out.Next = page.Next
		if out.Corrected == nil {
			out.Corrected = page.Corrected
		}
		q.After, q.Limit, q.Facets = page.Next, limit-len(out.Postings), false
		if page.Next == "" || q.Limit == 0 {
			return out, nil
		}
	}
}

// translate shows the posting in the reader's language, or else in the language in which it was
// written, as far as the copy has these.
func (s *singly) translate(ctx context.Context, p *jobmirror.Posting) error {
	if p.Job == 0 || p.Language == "" || baseOf(p.Language) == s.reader {
		return nil
	}
	all, err := s.m.Postings(ctx, p.Job)
	if err != nil {
		return err
	}
	same := func(want func(*jobmirror.Posting) bool) bool {
		for i := range all {
			if x := &all[i]; x.Posting.JobPostingID == p.Posting.JobPostingID && want(x) {
				p.Posting, p.Language, p.TextLanguage = x.Posting, x.Language, x.TextLanguage
				return true
			}
		}
		return false
	}
	if !same(func(x *jobmirror.Posting) bool { return baseOf(x.Language) == s.reader }) {
		same(func(x *jobmirror.Posting) bool { return x.Language == x.TextLanguage && x.Confirmed })
	}
	return nil
}

// readerLanguage returns the language of the person at the terminal, such as de: that of the
// settings, or else that of the locale. It is empty if neither names one.
func readerLanguage(getenv func(string) string) string {
	for _, name := range []string{"JOBBOARD_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"} {
		text, _, _ := strings.Cut(getenv(name), ".") // de_DE.UTF-8
		text, _, _ = strings.Cut(text, ",")          // a list by preference
		if base := baseOf(text); base != "" && text != "C" && text != "POSIX" {
			return base
		}
	}
	return ""
}

// baseOf returns the language of a code without region, such as de for de-AT, or "" for a text
// that is no code.
func baseOf(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return ""
	}
	base, _ := tag.Base()
	return base.String()
}
