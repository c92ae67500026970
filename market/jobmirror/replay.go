package jobmirror

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// replay is the state of a history between two of its changes.
type replay struct {
	postings map[rowKey]*PostingRecord
	record   *JobRecord // nil: the job is not known
	// ads says from which change on a posting has the advertisement of its row; -1: from the beginning.
	ads map[rowKey]int
}

// begin takes the replay to the state before the first change.
func (h *history) begin() (err error) {
	h.replay = replay{map[rowKey]*PostingRecord{}, h.lookup, map[rowKey]int{}}
	for key, r := range h.rows {
		h.postings[key], h.ads[key] = &r.rec, -1
	}
	jobs, seen := false, map[rowKey]bool{}
	for i := range h.changes {
		c := &h.changes[i]
		if c.Kind == ChangeJob {
			if !jobs {
				jobs = true
				if h.record, err = decodeOrNil[JobRecord](c.Before); err != nil {
					return err
				}
			}
			continue
		}
		key := c.row()
		if !seen[key] {
			seen[key] = true
			if err := h.put(key, c.Before); err != nil {
				return err
			}
		}
		if err := h.noteAds(i, c); err != nil {
			return err
		}
	}
	return nil
}

// noteAds notes from which change on a posting has the advertisement that it has now: the last
// change before which the advertisement differed or the posting did not exist.
func (h *history) noteAds(i int, c *entry) error {
	r := h.rows[c.row()]
	if r == nil {
		return nil
	}
	before, err := decodeOrNil[PostingRecord](c.Before)
	if err == nil && (before == nil || adsOf(before) != adsOf(&r.rec)) {
		h.ads[c.row()] = i
	}
	return err
}

// put stores a posting in the state, or removes it if record is empty or says another job.
func (h *history) put(key rowKey, record []byte) error {
	rec, err := decodeOrNil[PostingRecord](record)
	if delete(h.postings, key); rec != nil && rec.Job == jobboard.JobID(h.job) {
		h.postings[key] = rec
	}
	return err
}

// apply takes the state behind a change, and returns the postings that it may have changed.
func (h *history) apply(i int) (changed []rowKey, err error) {
	c := &h.changes[i]
	if c.Kind == ChangePosting {
		return []rowKey{c.row()}, h.put(c.row(), c.After)
	}
	h.record, err = decodeOrNil[JobRecord](c.After)
	return h.all(), err
}

// all returns the postings of the state, in order.
func (h *history) all() []rowKey {
	return slices.SortedFunc(maps.Keys(h.postings), func(a, b rowKey) int {
		return cmp.Or(cmp.Compare(a.posting, b.posting), cmp.Compare(a.language, b.language))
	})
}

// matching returns those of some postings of the state after a change that searches find at a time.
// Searches find no unknown job.
func (h *history) matching(set *search.Set, keys []rowKey, i int, at time.Time) (found []Match, err error) {
	if h.record == nil {
		return nil, nil
	}
	for _, key := range keys {
		rec := h.postings[key]
		if rec == nil {
			continue
		}
		r, whole := &row{rec: *rec}, adsOf(rec) == ""
		if from, ok := h.ads[key]; ok && from <= i {
			r.ads, whole = h.rows[key].ads, true
		}
		d, err := r.documentOf(*h.record, at.UnixMilli())
		if err != nil {
			return nil, err
		}
		if keys := h.index.Matching(set, &d, whole); len(keys) > 0 {
			found = append(found, Match{Searches: keys, Posting: *rec})
		}
	}
	return found, nil
}

// adsOf returns what tells the advertisements of a record from others: their hashes; empty: it has none.
func adsOf(rec *PostingRecord) string {
	ads := map[string][]string{}
	for key, values := range rec.Config.All() {
		if strings.HasSuffix(key, adSuffix) {
			ads[key] = values
		}
	}
	if len(ads) == 0 {
		return ""
	}
	return fmt.Sprint(ads)
}

// decodeOrNil decodes a record of the log; nil: there is no row.
func decodeOrNil[T any](text []byte) (*T, error) {
	if len(text) == 0 {
		return nil, nil
	}
	record, err := decodeRecord[T](string(text))
	return &record, err
}
