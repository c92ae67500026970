package jobmirror_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var message = regexp.MustCompile(`level=(\w+) msg="jobmirror: ([^"]*)"`)

// since returns the level and the message of each line that was logged since the last call.
func (l *logged) since() (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, found := range message.FindAllStringSubmatch(l.text.String(), -1) {
		lines = append(lines, found[1]+" "+found[2])
	}
	l.text.Reset()
	return lines
}

// The log says once that a source fails, that its rows are held and that it shows nothing, and once that
// this is over, whatever process notices it.
func TestConditionsAreToldOnce(t *testing.T) {
	const (
		fails, works = "WARN a source cannot be copied", "INFO a source is copied again"
		held, loose  = "WARN removals of a source are pending", "INFO no removals of a source are pending any more"
		empty, shows = "WARN a source shows nothing", "INFO a source shows something again"
		odd, even    = "WARN postings of a source cannot be read", "INFO all postings of a source can be read again"
	)
	onEach(t, func(t *testing.T, address string) {
		told := &logged{}
		board := newShelf(40)
		opts := board.options()
		opts.Logger = slogTo(told)
		m := open(t, address, opts)
		for _, step := range []struct {
			what  string
			shows []int
			part  bool
			odd   []string
			again bool // by another process
			want  []string
		}{
			{what: "the first copy", shows: upTo(40)},
			{what: "a part alone", shows: upTo(40), part: true, want: []string{fails}},
			{what: "a part again", shows: upTo(40), part: true},
			{what: "a part after a restart", shows: upTo(40), part: true, again: true},
			{what: "whole again", shows: upTo(40), want: []string{works}},
			{what: "half are gone", shows: upTo(20), want: []string{held}},
			{what: "half are still gone", shows: upTo(20)},
			{what: "a part while rows are held", shows: upTo(20), part: true, want: []string{fails}},
			{what: "all are back", shows: upTo(40), want: []string{works, loose}},
			{what: "nothing", shows: nil, want: []string{held, empty}},
			{what: "nothing after a restart", shows: nil, again: true},
			{what: "everything", shows: upTo(40), want: []string{loose, shows}},
			{what: "two cannot be read", shows: upTo(39), odd: []string{`{"jobPostingId":"x","title":"s3cret"}`, "7"}, want: []string{held, odd}},
			{what: "and one of them is missing", shows: upTo(39), odd: []string{"7"}},
			{what: "all can be read", shows: upTo(40), want: []string{even, loose}},
		} {
			if step.again {
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
				m = open(t, address, opts)
			}
			board.mu.Lock()
			board.shows, board.part, board.odd = step.shows, step.part, step.odd
			board.mu.Unlock()
			if err := m.Refresh(t.Context()); err != nil {
				t.Errorf("%s: %v", step.what, err)
			}
			if text := told.text.String(); strings.Contains(text, "s3cret") ||
				len(step.odd) > 1 && (!strings.Contains(text, `source="channel a" postings=2`) || !strings.Contains(text, "jobPostingId not an integer")) {
				t.Errorf("%s: logged\n%s", step.what, text)
			}
			got, want := told.since(), slices.Sorted(slices.Values(step.want))
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: logged\n%s\nwant\n%s", step.what, strings.Join(got, "\n"), strings.Join(step.want, "\n"))
			}
		}
	})
}
