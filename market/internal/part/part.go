// Package part lets the caller of a search (4.1) tell a copy in the same process which part of the
// answer it reads, so that the copy reads and gives no more. This travels in the context of the
// request: a board sees nothing of it, and gives the whole answer.
package part

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
)

// Wanted describes the part of the answer to a search that is read. The zero value is every posting, without its
// advertisements.
type Wanted struct {
	Skip, Take int   // the postings to pass over, and how many to give after them; Take 0: all
	Posting    int64 // give only the posting with this identifier or version; 0: any
	Ads        bool  // give the advertisements
	Filters    filters.Chosen
}

// All reports whether every posting that Filters find is wanted.
func (w Wanted) All() bool { return w.Take == 0 && w.Posting == 0 }

// Of returns the postings of list that are wanted by their places. It does not look at Posting.
func (w Wanted) Of(list []int64) []int64 {
	list = list[min(w.Skip, len(list)):]
	if w.Take > 0 {
		list = list[:min(w.Take, len(list))]
	}
	return list
}

// Answer reports whether an answer contains only what was wanted. It may be used by several goroutines.
type Answer struct{ given atomic.Bool }

// Given reports whether the answer holds the wanted postings alone, and counts all of them in its
// totalNumberOfJobs. It is false until the answer has begun.
func (a *Answer) Given() bool { return a.given.Load() }

// Give notes that the answer will hold the wanted postings alone.
func (a *Answer) Give() { a.given.Store(true) }

// Told is what a copy says of a search beside the postings, in a member of the answer that a board does not have.
type Told struct {
	Why       string       `json:"why,omitempty"` // why nothing was found, in English
	Corrected []Correction `json:"corrected,omitempty"`
}

// Correction is a word that no posting has, and those that were searched for as well; none: it was left out.
type Correction struct {
	Word    string   `json:"word"`
	Nearest []string `json:"nearest,omitempty"`
}

// ToldMember is the name of the member.
const ToldMember = "mirror"

// ReadTold reads what a copy says from the further members of an answer. It is zero for a board's.
func ReadTold(members map[string]json.RawMessage) (t Told) {
	if json.Unmarshal(members[ToldMember], &t) != nil {
		return Told{}
	}
	return t
}

type key struct{}

type asked struct {
	wanted Wanted
	answer *Answer
}

// Ask returns a context for a search whose answer is read in part.
func Ask(ctx context.Context, w Wanted) (context.Context, *Answer) {
	a := asked{w, &Answer{}}
	return context.WithValue(ctx, key{}, a), a.answer
}

// Asked returns what the context of a request asks for: by default everything.
func Asked(ctx context.Context) (Wanted, *Answer) {
	if a, ok := ctx.Value(key{}).(asked); ok {
		return a.wanted, a.answer
	}
	return Wanted{Ads: true}, &Answer{}
}
