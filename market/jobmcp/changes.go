package jobmcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/internal/part"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp/internal/foreign"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// maxBaselines bounds the snapshots that a session keeps to compare with.
const maxBaselines = 8

// kept returns the snapshot of Options.Kept, or nil without one.
func (s *Server) kept() (*snapshot.Snapshot, error) {
	if s.o.Kept == nil {
		return nil, nil
	}
	return s.o.Kept()
}

func sameSearch(a, b *snapshot.Snapshot) bool {
	_, err := snapshot.Diff(a, b)
	return err == nil
}

type whatChangedArgs struct {
	searchArgs
	FromNowOn bool `json:"from_now_on,omitempty" jsonschema:"compare later calls with the postings that this call finds"`
}

type changedPosting struct {
	Change  string `json:"change" enum:"added|changed|gone|maybe added|maybe gone"`
	Posting string `json:"posting"`
	What    string `json:"what,omitempty" jsonschema:"what changed about the posting"`
	Title   string `json:"foreign_title"`
	Before  string `json:"foreign_title_before,omitempty"`
}

type whatChangedResult struct {
	Tell string `json:"tell" jsonschema:"what to tell the person in one line"`
	sought
	Before   string           `json:"before,omitempty" jsonschema:"when the postings to compare with were taken; absent: this is the first look"`
	After    string           `json:"after"`
	Postings int              `json:"postings" jsonschema:"number of postings now"`
	Complete bool             `json:"complete" jsonschema:"false: the service did not give every posting that it counts, and missing postings may still exist"`
	Changes  []changedPosting `json:"changes"`
	LeftOut  int              `json:"changes_left_out,omitempty" jsonschema:"number of changes left out of the list"`
	Note     string           `json:"note,omitempty"`
}

func (s *Server) whatChanged(ctx context.Context, in whatChangedArgs) (whatChangedResult, error) {
	out := whatChangedResult{Changes: []changedPosting{}}
	from, ch, q, err := s.seek(ctx, in.searchArgs, &out.sought)
	if err != nil {
		return out, err
	}
	stored, err := s.kept()
	if err != nil {
		return out, err
	}
	ctx, _ = part.Ask(ctx, part.Wanted{})
	now, err := snapshot.Take(ctx, from, ch, q)
	if err != nil {
		return out, err
	}
	out.After, out.Postings, out.Complete = now.Taken.Format(time.RFC3339), len(now.Postings), now.Complete

	before := s.compareWith(stored, now, in.FromNowOn)
	switch {
	case before == nil && stored != nil:
		out.Note = "the state file is of another search: this is the first look"
		out.Tell = out.summary(nil)
		return out, nil
	case before == nil:
		out.Note = "this is the first look: there is nothing to compare with yet"
		out.Tell = out.summary(nil)
		return out, nil
	}
	changes, err := snapshot.Diff(before, now)
	if err != nil {
		return out, err
	}
	out.Before = before.Taken.Format(time.RFC3339)
	out.Tell = out.summary(out.list(changes))
	return out, nil
}

// compareWith returns the earlier snapshot, which the caller compares with now, or nil. The
// next call compares with the same one; if fromNowOn is set, with now.
func (s *Server) compareWith(stored, now *snapshot.Snapshot, fromNowOn bool) *snapshot.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	var before *snapshot.Snapshot
	if stored != nil && sameSearch(stored, now) {
		before = stored
	}
	if i := slices.IndexFunc(s.seen, func(s *snapshot.Snapshot) bool { return sameSearch(s, now) }); i >= 0 {
		before = s.seen[i]
		s.seen = slices.Delete(s.seen, i, i+1)
	}
	kept := before
	// Prefer a complete snapshot for comparisons.
	if before == nil || now.Complete && (fromNowOn || !before.Complete) {
		kept = now
	}
	s.seen = append(s.seen[max(0, len(s.seen)+1-maxBaselines):], kept)
	return before
}

// changeList collects changes as long as they fit into the result.
type changeList struct {
	*whatChangedResult
	space *room
	count map[string]int // number of changes by kind
}

func (l *changeList) add(kind string, p snapshot.Posting, what, titleBefore string) {
	if l.count[kind]++; l.count[kind] > maxPerKind {
		l.LeftOut++
		return
	}
	put(l.space, &l.Changes, changedPosting{
		Change: kind, Posting: fmt.Sprint(p.JobPostingID), What: what, Title: foreign.Line(p.Title, maxTitle),
		Before: foreign.Line(titleBefore, maxTitle),
	}, &l.LeftOut)
}

func (l *changeList) addAll(kind string, postings []snapshot.Posting) {
	for _, p := range postings {
		l.add(kind, p, "", "")
	}
}

// list adds the changes to the result, the certain ones first, and returns how many there
// are of each kind.
func (r *whatChangedResult) list(c snapshot.Changes) map[string]int {
	l := changeList{r, newRoom(), map[string]int{}}
	l.addAll("added", c.Added)
	for _, x := range c.Changed {
		switch {
		case x.Before.Title != x.After.Title:
			l.add("changed", x.After, "title", x.Before.Title)
		case x.Before.PostingVersionID != x.After.PostingVersionID:
			l.add("changed", x.After, "new version", "")
		default:
			l.add("changed", x.After, "dates", "")
		}
	}
	l.addAll("gone", c.Gone)
	l.addAll("maybe added", c.MaybeAdded)
	l.addAll("maybe gone", c.MaybeGone)
	return l.count
}

type noArgs struct{}

type examined struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict" enum:"ok|warn|fail|skip"`
	Detail  string `json:"foreign_detail" jsonschema:"may quote what the service said"`
	Next    string `json:"next,omitempty" jsonschema:"what a person can do"`
}

type doctorResult struct {
	Tell     string     `json:"tell" jsonschema:"what to tell the person in one line"`
	OK       bool       `json:"ok" jsonschema:"no check failed"`
	Findings []examined `json:"findings"`
}

func (s *Server) examine(ctx context.Context, _ noArgs) (doctorResult, error) {
	out := doctorResult{OK: true, Findings: []examined{}}
	findings, err := s.o.Doctor(ctx)
	if err != nil {
		return out, err
	}
	for _, f := range findings {
		out.OK = out.OK && f.Verdict != "fail"
		if len(out.Findings) < maxFindings {
			out.Findings = append(out.Findings, examined{
				f.Check, f.Verdict, foreign.Line(f.Detail, maxDetails), foreign.Line(f.Next, maxDetails),
			})
		}
	}
	out.Tell = told(findings)
	return out, nil
}
