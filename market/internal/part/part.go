// Package part lets the caller of a search (4.1) tell a copy in the same process which part of the
// answer it reads, so that the copy reads and gives no more. This travels in the context of the
// request: a board sees nothing of it, and gives the whole answer.
package part

import (
	"context"
	"sync/atomic"
)

// Wanted says what is read of the answer to a search. The zero value is every posting, without its
// advertisements.
type Wanted struct {
	Skip, Take int   // the postings to pass over, and how many to give after them; Take 0: all
	Posting    int64 // give only the posting with this identifier or version; 0: any
	Ads        bool  // give the advertisements
}

// All reports whether every posting is wanted.
func (w Wanted) All() bool { return w.Take == 0 && w.Posting == 0 }

// Of returns the postings of list that are wanted by their places. It does not look at Posting.
func (w Wanted) Of(list []int64) []int64 {
	list = list[min(w.Skip, len(list)):]
	if w.Take > 0 {
		list = list[:min(w.Take, len(list))]
	}
	return list
}

// Answer says whether an answer holds what was wanted alone. It may be used by several goroutines.
type Answer struct{ given atomic.Bool }

// Given reports whether the answer holds the wanted postings alone, and counts all of them in its
// totalNumberOfJobs. It is false until the answer has begun.
func (a *Answer) Given() bool { return a.given.Load() }

// Give notes that the answer will hold the wanted postings alone.
func (a *Answer) Give() { a.given.Store(true) }

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
