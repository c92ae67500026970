package gate

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places, jobs = 3, 200
		g := New(places, 8*places)
		var mu sync.Mutex
		inside, most, mostAway, done := 0, 0, 0, 0
		count := func(in, ended int) {
			mu.Lock()
			defer mu.Unlock()
			inside, done = inside+in, done+ended
			most = max(most, inside)
			g.mu.Lock()
			defer g.mu.Unlock()
			mostAway = max(mostAway, g.away)
		}
		var all sync.WaitGroup
		for i := range jobs {
			if err := g.Enter(t.Context()); err != nil {
				t.Fatal(err)
			}
			count(1, 0)
			all.Go(func() {
				turn := g.NewTurn()
				defer turn.End()
				time.Sleep(time.Second)
				if i%2 == 0 {
					count(-1, 0)
					turn.StepOut()
					count(0, 0)
					time.Sleep(20 * time.Second)
					if err := turn.StepIn(t.Context()); err != nil {
						t.Error(err)
					}
					count(1, 0)
					time.Sleep(time.Second)
				}
				count(-1, 1)
			})
		}
		all.Wait()
		if most != places || mostAway != 8*places || done != jobs {
			t.Errorf("%d inside, %d away, %d done", most, mostAway, done)
		}
		if g.free != places || g.away != 0 {
			t.Errorf("%d places are free, %d jobs away", g.free, g.away)
		}
	})
}

// Whoever gives up leaves nothing behind, in whatever state.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(1, 2)
		if err := g.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		turn := g.NewTurn()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.Enter(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if g.away != 0 {
			t.Errorf("%d jobs away, though none ever was inside", g.away)
		}
		turn.StepOut()
		if err := g.Enter(t.Context()); err != nil { // takes the place
			t.Fatal(err)
		}
		other := g.NewTurn()
		if err := turn.StepIn(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		turn.End()
		other.StepOut()
		other.End()
		if g.free != 1 || g.away != 0 || len(g.queues[first])+len(g.queues[again]) != 0 {
			t.Errorf("%+v", g)
		}
	})
}

// A place that is given in the moment in which its job gives up goes to another
// job, and so does the right of one that was away.
func TestGivingUpLetsAnotherIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, end := range []func(*Turn){
			func(turn *Turn) {
				for turn.StepIn(ended) == nil { // a free place and an ended context: either may count
					turn.StepOut()
				}
			},
			(*Turn).End,
		} {
			g := New(1, 1)
			if err := g.Enter(t.Context()); err != nil {
				t.Fatal(err)
			}
			turn := g.NewTurn()
			turn.StepOut()
			entered := false
			go func() { entered = g.Enter(t.Context()) == nil }()
			synctest.Wait()
			if entered {
				t.Error("a job begins while as many are away as may be")
			}
			end(turn)
			synctest.Wait()
			if !entered || g.free != 0 || g.away != 0 {
				t.Errorf("entered: %v, %+v", entered, g)
				g.Leave()
			}
		}
	})
}
