package search

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
)

// To count the facets of all documents takes a hundred times as long as to find a page of them. They are
// a function of what the text index is asked and of what is indexed, so an Index keeps the last ones that it
// counted, each with the state of the index that it was counted in. The state is read in the transaction of
// the search: kept facets are used only where the search would count the same, whichever process changed the
// index since, on a standby too, and after a backup was put back. Only for Index.StaleFor after a change was seen are facets
// of before used, or else each change would have the next search count everything.

// noteChange notes that a transaction changes what a search finds: at its end the index gets another state. It waits for
// whoever does so just now, until that is committed.
func (x *Index) noteChange(t *store.Tx) {
	t.AtEnd(&x.counted, func() error { return t.Do("UPDATE search_state SET stamp = ?", rand.Int64()) })
}

// state reads the state of the index.
func (t *tx) state() (int64, error) {
	return store.Value[int64](t, "SELECT stamp FROM search_state")
}

const (
	maxCounted      = 64      // questions whose facets are kept
	maxCountedBytes = 8 << 20 // of all of them
)

// countedFacets holds the facets of the questions that were asked last.
type countedFacets struct {
	mu    sync.Mutex
	kept  []counted // the one that was used last is the last
	bytes int
}

type counted struct {
	question textindex.Question
	state    int64
	facets   *Facets
	bytes    int
	changed  time.Time // when a search saw another state first; zero: none did
	counting bool      // a search counts them anew
}

// staleFor is what New sets Index.StaleFor to.
const staleFor = 5 * time.Second

// get returns the facets of a question that are kept, and whether they are those of a state of the index. Facets of
// another state are given for a time after the first search that lacks them came, and then while one search counts. That
// one gets nil, and calls keep or giveUp; so does a search whose question is not kept.
func (c *countedFacets) get(question textindex.Question, state int64, stale time.Duration) (facets *Facets, same bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.kept, func(k counted) bool { return k.question == question })
	if i < 0 {
		return nil, false
	}
	last := c.kept[i]
	c.kept = append(slices.Delete(c.kept, i, i+1), last)
	k := &c.kept[len(c.kept)-1]
	if k.state == state {
		return k.facets, true
	}
	now := time.Now()
	if k.changed.IsZero() {
		k.changed = now
	}
	if stale > 0 && (k.counting || now.Sub(k.changed) < stale) {
		return k.facets, false
	}
	k.counting = true
	return nil, false
}

// giveUp notes that the search that was to count the facets of a question failed.
func (c *countedFacets) giveUp(question textindex.Question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.kept {
		if c.kept[i].question == question {
			c.kept[i].counting = false
		}
	}
}

// keep keeps the facets of a question, in place of those that were used least recently.
func (c *countedFacets) keep(question textindex.Question, state int64, facets *Facets) {
	k := counted{question: question, state: state, facets: facets, bytes: len(question)}
	for tag := range facets.Counts {
		k.bytes += len(tag.Value) + 64 // with its count, and what a map takes
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = slices.DeleteFunc(c.kept, func(old counted) bool {
		if old.question == question {
			c.bytes -= old.bytes
		}
		return old.question == question
	})
	if k.bytes > maxCountedBytes {
		return
	}
	c.kept, c.bytes = append(c.kept, k), c.bytes+k.bytes
	for len(c.kept) > maxCounted || c.bytes > maxCountedBytes {
		c.bytes -= c.kept[0].bytes
		c.kept = slices.Delete(c.kept, 0, 1)
	}
}
