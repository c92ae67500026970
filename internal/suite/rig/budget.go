package rig

import (
	"context"
	"sync"

	"github.com/jobboard-sdk/jobboard-go"
)

// WatchBudget sets cfg.Observer, which calls the Observer that cfg had. The function that it returns
// reports how many tokens of the retry budget the last call to end had left; -1 before the first.
func WatchBudget(cfg *jobboard.Config) func() float64 {
	var mu sync.Mutex
	tokens := -1.0
	inner := jobboard.Observer{}
	if cfg.Observer != nil {
		inner = *cfg.Observer
	}
	call := inner.Call
	inner.Call = func(ctx context.Context, start jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
		var done func(jobboard.CallEnd)
		if call != nil {
			ctx, done = call(ctx, start)
		}
		return ctx, func(end jobboard.CallEnd) {
			mu.Lock()
			tokens = end.Budget
			mu.Unlock()
			if done != nil {
				done(end)
			}
		}
	}
	cfg.Observer = &inner
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return tokens
	}
}
