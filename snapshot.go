package jobboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Snapshot holds the postings that a channel showed at one time, with only the fields that
// reveal a change. Store it as JSON and compare it with the next snapshot by [Diff].
//
// If an answer has a posting several times, the newest version is kept.
type Snapshot struct {
	Channel      ChannelID   `json:"channel"`
	Text         string      `json:"search,omitempty"`      // Query.Text
	Near         GeoLocation `json:"geoLocation,omitzero"`  // Query.Near
	Language     string      `json:"language,omitempty"`    // asked for: Query.Language, or else Config.Language
	ForApplicant bool        `json:"forApplicant,omitzero"` // taken with an applicant's token
	Taken        time.Time   `json:"taken"`                 // when the answer ended or failed, in UTC, to the millisecond

	// Complete reports whether the answer was read to its end, every entry of it could be read and,
	// by its own counters, it held every posting. Otherwise the channel may still show a posting that the snapshot lacks.
	Complete bool              `json:"complete"`
	Postings []SnapshotPosting `json:"postings"` // in the order of their identifiers
}

// SnapshotPosting holds a posting of a Snapshot; see JobPosting.
type SnapshotPosting struct {
	JobPostingID            JobPostingID     `json:"jobPostingId"`
	PostingVersionID        PostingVersionID `json:"postingVersionId"`
	Title                   string           `json:"title"`
	JobStartDate            Millis           `json:"jobStartDate"`
	PostingVersionStartDate Millis           `json:"postingVersionStartDate"`
	PostingVersionEndDate   Millis           `json:"postingVersionEndDate"`
}

// Snapshot returns a snapshot of the postings that a search finds (4.1), read as Postings reads
// them. If the call fails, it returns the error and an incomplete snapshot of the postings that
// arrived before the failure, maybe none. Entries of the answer that could not be read, see
// [PostingError], are no failure: the snapshot holds all others and is incomplete.
func (c *Client) Snapshot(ctx context.Context, channel ChannelID, q Query) (*Snapshot, error) {
	s := &Snapshot{Language: cmp.Or(q.Language, c.base.made().config.Language)}
	return s, s.take(c.PostingStream(ctx, channel, withoutConfig(q)))
}

// Snapshot returns a snapshot as Client.Snapshot does, with the applicant's
// token. Another applicant may see other postings: compare only snapshots of
// the same applicant.
func (a *Applicant) Snapshot(ctx context.Context, channel ChannelID, q Query) (*Snapshot, error) {
	s := &Snapshot{Language: cmp.Or(q.Language, a.endpoint.made().config.Language), ForApplicant: true}
	return s, s.take(a.PostingStream(ctx, channel, withoutConfig(q)))
}

// withoutConfig returns q with all known config keys left out, because a
// snapshot has none.
func withoutConfig(q Query) Query {
	q.OmitConfig = slices.Concat(q.OmitConfig, shownKeys)
	return q
}

func (s *Snapshot) take(stream *PostingStream) (err error) {
	s.Channel, s.Text, s.Near = stream.channel, stream.query.Text, stream.query.Near
	for p, failed := range stream.All() {
		if unreadable := (*UnreadableError)(nil); errors.As(failed, &unreadable) {
			break // the last item of a whole answer: Complete tells
		}
		if failed != nil {
			err = failed
			break
		}
		s.Postings = append(s.Postings, SnapshotPosting{
			p.JobPostingID, p.PostingVersionID,
			strings.Clone(p.Title), // or the snapshot would keep the posting's other strings in memory
			p.JobStartDate, p.PostingVersionStartDate, p.PostingVersionEndDate,
		})
	}
	s.Taken = time.Now().UTC().Truncate(time.Millisecond)
	s.Postings = inOrder(s.Postings)
	page, whole := stream.Page()
	// A page that repeats a posting has fewer postings than its counters say.
	s.Complete = whole && !page.partial(len(s.Postings))
	return err
}

// inOrder returns the postings by identifier, each once, in its newest version.
// It sorts list in place.
func inOrder(list []SnapshotPosting) []SnapshotPosting {
	newest := func(a, b SnapshotPosting) int {
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
	return slices.CompactFunc(list, func(a, b SnapshotPosting) bool { return a.JobPostingID == b.JobPostingID })
}

// MarshalJSON returns the snapshot with its postings in a stable order; postings
// is never null.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	type plain Snapshot
	s.Postings = inOrder(slices.Clone(s.Postings))
	if s.Postings == nil {
		s.Postings = []SnapshotPosting{}
	}
	return json.Marshal(plain(s))
}

// UnmarshalJSON reads the form that MarshalJSON writes; null changes nothing. It
// returns ErrDecode for JSON that is not a snapshot.
func (s *Snapshot) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	type plain Snapshot
	var v struct {
		plain
		Postings *[]SnapshotPosting `json:"postings"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("jobboard: snapshot: %w", errUndecodable(err.Error()))
	}
	if v.Channel == "" || v.Postings == nil {
		return fmt.Errorf("jobboard: snapshot: %w", errUndecodable("channel or postings are missing"))
	}
	v.plain.Postings = inOrder(*v.Postings)
	*s = Snapshot(v.plain)
	return nil
}

// Changes holds the differences between two snapshots, each list in the order of
// the postings' identifiers.
type Changes struct {
	Added   []SnapshotPosting `json:"added,omitempty"`   // not in the first snapshot
	Changed []PostingChange   `json:"changed,omitempty"` // with a different version, title or date
	Gone    []SnapshotPosting `json:"gone,omitempty"`    // not in the second snapshot

	// MaybeAdded holds postings that the first snapshot lacks. They may not be new, because the
	// first snapshot is not complete.
	MaybeAdded []SnapshotPosting `json:"maybeAdded,omitempty"`
	// MaybeGone holds postings that the second snapshot lacks. They may still be in the channel,
	// because the second snapshot is not complete.
	MaybeGone []SnapshotPosting `json:"maybeGone,omitempty"`
}

// PostingChange holds one posting as two snapshots show it.
type PostingChange struct {
	Before SnapshotPosting `json:"before"`
	After  SnapshotPosting `json:"after"`
}

// Diff returns the changes between two snapshots of the same search. Diff lists a posting as Gone
// only if after is complete, and as Added only if before is complete. So keep the last complete
// snapshot for the next comparison.
//
// Diff returns ErrInvalidInput, and names the difference, for snapshots of
// different channels, queries or languages, for an applicant's and a client's,
// and for nil.
func Diff(before, after *Snapshot) (Changes, error) {
	if err := sameSearch(before, after); err != nil {
		return Changes{}, fmt.Errorf("jobboard: Diff: %w", err)
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
				c.Changed = append(c.Changed, PostingChange{old[0], now[0]})
			}
			old, now = old[1:], now[1:]
		}
	}
	return c, nil
}

// sameSearch returns the reason why two snapshots cannot be compared, or nil.
func sameSearch(before, after *Snapshot) error {
	switch {
	case before == nil || after == nil:
		return invalid("a snapshot is nil")
	case before.Channel != after.Channel:
		return invalid("the snapshots are of different channels")
	case before.Text != after.Text || before.Near != after.Near:
		return invalid("the snapshots are of different queries")
	case before.Language != after.Language:
		return invalid("the snapshots are in different languages")
	case before.ForApplicant != after.ForApplicant:
		return invalid("one snapshot is an applicant's, the other a client's")
	}
	return nil
}
