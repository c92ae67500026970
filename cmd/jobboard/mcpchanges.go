package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/foreign"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
)

// maxBaselines is how many searches of a session can be compared.
const maxBaselines = 8

func sameSearch(a, b *jobboard.Snapshot) bool {
	_, err := jobboard.Diff(a, b)
	return err == nil
}

type whatChangedArgs struct {
	searchArgs
	FromNowOn bool `json:"from_now_on,omitempty" jsonschema:"compare later calls with what this one finds"`
}

type changedPosting struct {
	Change  string `json:"change" enum:"added|changed|gone|maybe added|maybe gone"`
	Posting string `json:"posting"`
	What    string `json:"what,omitempty" jsonschema:"what is different"`
	Title   string `json:"foreign_title"`
	Before  string `json:"foreign_title_before,omitempty"`
}

type whatChangedResult struct {
	Notice string `json:"about_foreign_fields"`
	sought
	Before   string           `json:"before,omitempty" jsonschema:"when the postings to compare with were taken; absent: this is the first look"`
	After    string           `json:"after"`
	Postings int              `json:"postings" jsonschema:"how many there are now"`
	Complete bool             `json:"complete" jsonschema:"false: the service did not give all it counts, and what is missing may still be there"`
	Changes  []changedPosting `json:"changes"`
	LeftOut  int              `json:"changes_left_out,omitempty" jsonschema:"changes that are not listed"`
	Note     string           `json:"note,omitempty"`
}

func (m *assistant) whatChanged(ctx context.Context, b *setup.Board, in whatChangedArgs) (whatChangedResult, error) {
	out := whatChangedResult{Notice: foreignNotice, Changes: []changedPosting{}}
	s, ch, q, err := seek(b, in.searchArgs, &out.sought)
	if err != nil {
		return out, err
	}
	stored, err := loadState(m.state)
	if err != nil {
		return out, err
	}
	now, err := s.Snapshot(ctx, ch, q)
	if err != nil {
		return out, err
	}
	out.After, out.Postings, out.Complete = now.Taken.Format(time.RFC3339), len(now.Postings), now.Complete

	before := m.compareWith(stored, now, in.FromNowOn)
	switch {
	case before == nil && stored != nil:
		out.Note = "the state file is of another search: this is the first look"
		return out, nil
	case before == nil:
		out.Note = "this is the first look: there is nothing to compare with yet"
		return out, nil
	}
	changes, err := changesOf(before, now)
	if err != nil {
		return out, err
	}
	out.Before = before.Taken.Format(time.RFC3339)
	out.list(changes)
	return out, nil
}

// compareWith returns the look that now is compared with, nil for none, and keeps
// the one for later calls.
func (m *assistant) compareWith(stored, now *jobboard.Snapshot, fromNowOn bool) *jobboard.Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	var before *jobboard.Snapshot
	if stored != nil && sameSearch(stored, now) {
		before = stored
	}
	if i := slices.IndexFunc(m.seen, func(s *jobboard.Snapshot) bool { return sameSearch(s, now) }); i >= 0 {
		before = m.seen[i]
		m.seen = slices.Delete(m.seen, i, i+1)
	}
	kept := before
	// A complete look is the better one to compare with.
	if before == nil || now.Complete && (fromNowOn || !before.Complete) {
		kept = now
	}
	m.seen = append(m.seen[max(0, len(m.seen)+1-maxBaselines):], kept)
	return before
}

// list writes the changes down, as many as there is room for.
func (r *whatChangedResult) list(changes []change) {
	space := newRoom()
	count := map[string]int{}
	for _, c := range changes {
		p := c.posting()
		x := changedPosting{
			Change: c.Kind, Posting: fmt.Sprint(p.JobPostingID), Title: foreign.Line(p.Title, maxTitle),
		}
		if c.Kind == "changed" {
			x.What = c.difference()
			if c.Before.Title != c.After.Title {
				x.Before = foreign.Line(c.Before.Title, maxTitle)
			}
		}
		if count[c.Kind]++; count[c.Kind] > maxPerKind {
			r.LeftOut++
			continue
		}
		put(space, &r.Changes, x, &r.LeftOut)
	}
}

type noArgs struct{}

type examined struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict" enum:"ok|warn|fail|skip"`
	Detail  string `json:"foreign_detail" jsonschema:"may quote what the service said"`
	Next    string `json:"next,omitempty" jsonschema:"what a person can do"`
}

type doctorResult struct {
	Notice   string     `json:"about_foreign_fields"`
	OK       bool       `json:"ok" jsonschema:"no check failed"`
	Findings []examined `json:"findings"`
}

func (m *assistant) examine(ctx context.Context, b *setup.Board, _ noArgs) (doctorResult, error) {
	out := doctorResult{Notice: foreignNotice, OK: true, Findings: []examined{}}
	report, err := doctor.Examine(ctx, &m.Console, b)
	if err != nil {
		return out, err
	}
	for _, f := range report.Findings {
		out.OK = out.OK && f.Verdict != doctor.Fail
		if len(out.Findings) < maxFindings {
			out.Findings = append(out.Findings, examined{
				f.Check, string(f.Verdict), foreign.Line(f.Detail, maxDetails), foreign.Line(f.Next, maxDetails),
			})
		}
	}
	m.forget(b) // a person may mend the settings after this
	return out, nil
}
