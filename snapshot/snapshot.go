// Package snapshot says what changed in a channel, without a database: [Take] notes which postings a
// search shows, and [Diff] compares two snapshots.
package snapshot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Snapshot holds the postings that a channel showed at one time, with only the fields that
// reveal a change. Store it as JSON and compare it with the next snapshot by [Diff].
//
// If an answer has a posting several times, the newest version is kept.
type Snapshot struct {
	Channel      jobboard.ChannelID   `json:"channel"`
	Text         string               `json:"search,omitempty"`      // of the query
	Near         jobboard.GeoLocation `json:"geoLocation,omitzero"`  // of the query
	Language     string               `json:"language,omitempty"`    // asked for: the query's, or else the one of jobboard.Config
	ForApplicant bool                 `json:"forApplicant,omitzero"` // taken with an applicant's token
	Taken        time.Time            `json:"taken"`                 // when the answer ended or failed, in UTC, to the millisecond

	// Complete reports whether the answer was read to its end, every entry of it could be read and,
	// by its own counters, it held every posting. Otherwise the channel may still show a posting that
	// the snapshot lacks.
	Complete bool      `json:"complete"`
	Postings []Posting `json:"postings"` // in the order of their identifiers
}

// Posting holds a posting of a Snapshot; see jobboard.JobPosting.
type Posting struct {
	JobPostingID            jobboard.JobPostingID     `json:"jobPostingId"`
	PostingVersionID        jobboard.PostingVersionID `json:"postingVersionId"`
	Title                   string                    `json:"title"`
	JobStartDate            jobboard.Millis           `json:"jobStartDate"`
	PostingVersionStartDate jobboard.Millis           `json:"postingVersionStartDate"`
	PostingVersionEndDate   jobboard.Millis           `json:"postingVersionEndDate"`
}

// Searcher makes searches: a [jobboard.Client] or a [jobboard.Applicant].
type Searcher interface {
	PostingStream(ctx context.Context, channel jobboard.ChannelID, q jobboard.Query) *jobboard.PostingStream
}

// Take returns a snapshot of the postings that a search finds (4.1), read as Postings reads them. If
// the call fails, it returns the error and an incomplete snapshot of the postings that arrived before
// the failure, maybe none. Entries of the answer that could not be read, see [jobboard.PostingError],
// are no failure: the snapshot holds all others and is incomplete.
//
// Another applicant may see other postings: compare only snapshots of the same applicant.
func Take(ctx context.Context, searcher Searcher, channel jobboard.ChannelID, q jobboard.Query) (*Snapshot, error) {
	q.OmitConfig = slices.Concat(q.OmitConfig, configKeys)
	stream := searcher.PostingStream(ctx, channel, q)
	_, applicant := searcher.(*jobboard.Applicant)
	s := &Snapshot{
		Channel: channel, Text: q.Text, Near: q.Near, Language: stream.Query().Language, ForApplicant: applicant,
	}
	var err error
	for p, failed := range stream.All() {
		if unreadable := (*jobboard.UnreadableError)(nil); errors.As(failed, &unreadable) {
			break // the last item of a whole answer: Complete tells
		}
		if failed != nil {
			err = failed
			break
		}
		s.Postings = append(s.Postings, Posting{
			p.JobPostingID, p.PostingVersionID,
			strings.Clone(p.Title), // or the snapshot would keep the posting's other strings in memory
			p.JobStartDate, p.PostingVersionStartDate, p.PostingVersionEndDate,
		})
	}
	s.Taken = time.Now().UTC().Truncate(time.Millisecond)
	s.Postings = inOrder(s.Postings)
	page, whole := stream.Page()
	// A page that repeats a posting has fewer postings than its counters say.
	s.Complete = whole && page.Unreadable == 0 && page.TotalNumberOfJobs <= len(s.Postings) && page.NumPages <= 1
	return s, err
}

// configKeys lists the config keys that the interface shows. A search of a snapshot leaves them out,
// because a snapshot has no config.
var configKeys = []string{
	jobboard.KeyProjectLocation, jobboard.KeyLocation, jobboard.KeyLocationName, jobboard.KeyProjectNumber, jobboard.KeyAudience,
	jobboard.KeyVisibility, jobboard.KeyListingStartDate, jobboard.KeyInternalPostingName, jobboard.KeyAdText,
	jobboard.KeyJobCategory, jobboard.KeyCompanyName, jobboard.KeyRemoteStatus,
}

// inOrder returns the postings by identifier, each once, in its newest version.
// It sorts list in place.
func inOrder(list []Posting) []Posting {
	newest := func(a, b Posting) int {
		return cmp.Or(
			cmp.Compare(a.JobPostingID, b.JobPostingID),
			-cmp.Compare(a.PostingVersionID, b.PostingVersionID),
			// Entries of the same version may still differ. Any order will do if it does not depend
			// on the order of the answer.
			-cmp.Compare(a.PostingVersionStartDate, b.PostingVersionStartDate),
			-cmp.Compare(a.PostingVersionEndDate, b.PostingVersionEndDate),
			-cmp.Compare(a.JobStartDate, b.JobStartDate),
			-cmp.Compare(a.Title, b.Title),
		)
	}
	slices.SortFunc(list, newest)
	return slices.CompactFunc(list, func(a, b Posting) bool { return a.JobPostingID == b.JobPostingID })
}

// MarshalJSON returns the snapshot with its postings in a stable order; postings
// is never null.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	type plain Snapshot
	s.Postings = inOrder(slices.Clone(s.Postings))
	if s.Postings == nil {
		s.Postings = []Posting{}
	}
	return json.Marshal(plain(s))
}

// UnmarshalJSON reads the form that MarshalJSON writes; null changes nothing. It
// returns jobboard.ErrDecode for JSON that is not a snapshot.
func (s *Snapshot) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	type plain Snapshot
	var v struct {
		plain
		Postings *[]Posting `json:"postings"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("snapshot: %w: %s", jobboard.ErrDecode, err.Error())
	}
	if v.Channel == "" || v.Postings == nil {
		return fmt.Errorf("snapshot: %w: channel or postings are missing", jobboard.ErrDecode)
	}
	v.plain.Postings = inOrder(*v.Postings)
	*s = Snapshot(v.plain)
	return nil
}

// Changes holds the differences between two snapshots, each list in the order of
// the postings' identifiers.
type Changes struct {
	Added   []Posting `json:"added,omitempty"`   // not in the first snapshot
	Changed []Change  `json:"changed,omitempty"` // with a different version, title or date
	Gone    []Posting `json:"gone,omitempty"`    // not in the second snapshot

	// MaybeAdded holds postings that the first snapshot lacks. They may not be new, because the
	// first snapshot is not complete.
	MaybeAdded []Posting `json:"maybeAdded,omitempty"`
	// MaybeGone holds postings that the second snapshot lacks. They may still be in the channel,
	// because the second snapshot is not complete.
	MaybeGone []Posting `json:"maybeGone,omitempty"`
}

// Change holds one posting as two snapshots show it.
type Change struct {
	Before Posting `json:"before"`
	After  Posting `json:"after"`
}

// Diff returns the changes between two snapshots of the same search. Diff lists a posting as Gone
// only if after is complete, and as Added only if before is complete. So keep the last complete
// snapshot for the next comparison.
//
// Diff returns jobboard.ErrInvalidInput, and names the difference, for snapshots of
// different channels, queries or languages, for an applicant's and a client's,
// and for nil.
func Diff(before, after *Snapshot) (Changes, error) {
	if wrong := otherSearch(before, after); wrong != "" {
		return Changes{}, fmt.Errorf("snapshot: Diff: %w: %s", jobboard.ErrInvalidInput, wrong)
	}
	var c Changes
	added, gone := &c.MaybeAdded, &c.MaybeGone
	if before.Complete {
		added = &c.Added
	}
	if after.Complete {
		gone = &c.Gone
	}
	old, now := inOrder(slices.Clone(before.Postings)), inOrder(slices.Clone(after.Postings))
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && old[0].JobPostingID < now[0].JobPostingID:
			*gone = append(*gone, old[0])
			old = old[1:]
		case len(old) == 0 || now[0].JobPostingID < old[0].JobPostingID:
			*added = append(*added, now[0])
			now = now[1:]
		default:
			if old[0] != now[0] {
				c.Changed = append(c.Changed, Change{old[0], now[0]})
			}
			old, now = old[1:], now[1:]
		}
	}
	return c, nil
}

// otherSearch returns the reason why two snapshots cannot be compared; empty: there is none.
func otherSearch(before, after *Snapshot) string {
	switch {
	case before == nil || after == nil:
		return "a snapshot is nil"
	case before.Channel != after.Channel:
		return "the snapshots are of different channels"
	case before.Text != after.Text || before.Near != after.Near:
		return "the snapshots are of different queries"
	case before.Language != after.Language:
		return "the snapshots are in different languages"
	case before.ForApplicant != after.ForApplicant:
		return "one snapshot is an applicant's, the other a client's"
	}
	return ""
}
