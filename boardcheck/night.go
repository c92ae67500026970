package boardcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// night is what one check found.
type night struct {
	kinds   map[string]*kindNight
	counts  map[string]int // entries of the feed and of each channel
	effects map[string]*effect
	noJobs  bool // neither a link nor the feed nor the Board names a job
}

// kindNight is what one check found by a kind of call.
type kindNight struct {
	asked    int
	outcomes map[string]*outcomeNight
	shape    *shape
	postings map[string]bool // in the shape already

	deprecation, sunset bool

	failed  int    // calls one after the other, up to now
	stopped string // why further calls were not made; empty: all were
}

type outcomeNight struct {
	class   class
	count   int
	answers map[string]int
}

// effect counts whether a parameter changed the result of a search.
type effect struct {
	Changed int `json:"changed"`
	Of      int `json:"of"`
}

// The parameters of a search.
const (
	effectWord     = "word"
	effectCircle   = "circle"
	effectLanguage = "language"
)

// countFeed is the count that is not of a channel.
const countFeed = "feed"

func newNight() *night {
	return &night{
		kinds: map[string]*kindNight{}, counts: map[string]int{},
		effects: map[string]*effect{effectWord: {}, effectCircle: {}, effectLanguage: {}},
	}
}

// mostCounted bounds the counts that are kept: a larger number may be anything else.
const mostCounted = 10_000_000

func (n *night) count(name string, number int) { n.counts[name] = max(0, min(number, mostCounted)) }

func (n *night) kind(name string) *kindNight {
	k := n.kinds[name]
	if k == nil {
		k = &kindNight{outcomes: map[string]*outcomeNight{}, shape: newShape(), postings: map[string]bool{}}
		n.kinds[name] = k
	}
	return k
}

// gaveUp reports whether the calls of a kind, if there were any, failed one after the other.
func (n *night) gaveUp(kind string) bool {
	k := n.kinds[kind]
	return k != nil && k.failed >= givenUp
}

func (k *kindNight) outcome(r result) *outcomeNight {
	o := k.outcomes[r.name]
	if o == nil {
		o = &outcomeNight{class: r.class, answers: map[string]int{}}
		k.outcomes[r.name] = o
	}
	return o
}

func (k *kindNight) stop(why string) {
	if k.stopped == "" {
		k.stopped = why
	}
}

// unjudged returns why the calls of a kind say nothing about the board, or "". Up to a fifth may fail.
func (k *kindNight) unjudged() string {
	failed := 0
	var names []string
	for _, name := range slices.Sorted(maps.Keys(k.outcomes)) {
		if o := k.outcomes[name]; o.class == trouble {
			failed += o.count
			names = append(names, fmt.Sprintf("%s %d", name, o.count))
		}
	}
	why := ""
	if failed > 0 {
		why = fmt.Sprintf("%d of %d calls failed: %s", failed, k.asked, strings.Join(names, ", "))
	}
	switch {
	case k.stopped != "" && why != "":
		return why + "; " + k.stopped
	case k.stopped != "":
		return fmt.Sprintf("%s after %d calls", k.stopped, k.asked)
	case failed*5 > k.asked:
		return why
	}
	return ""
}

// add notes whether a parameter changed the result of a plain search that is large enough to tell.
func (e *effect) add(plain, with *jobboard.JobSearchResult) {
	if with == nil || len(plain.Results) < leastResult {
		return
	}
	e.Of++
	if plain.TotalNumberOfJobs != with.TotalNumberOfJobs || !sameIDs(plain, with) {
		e.Changed++
	}
}
