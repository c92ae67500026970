package outage

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// Down returns a server that answers 503 at once while the fault lasts.
func Down(fault time.Duration) Answer {
	return func(at time.Duration, _ int) (time.Duration, int) {
		if at >= 0 && at < fault {
			return 0, http.StatusServiceUnavailable
		}
		return latency, http.StatusOK
	}
}

// Losing returns a server that gives no answer while the fault lasts: it ends or
// resets the connection of each request, in turn.
func Losing(fault time.Duration) Answer {
	n := 0
	return func(at time.Duration, _ int) (time.Duration, int) {
		if at < 0 || at >= fault {
			return latency, http.StatusOK
		}
		n++
		return latency, lost - n%2
	}
}

// Refusing returns a server that calls every token invalid while the fault lasts.
func Refusing(fault time.Duration) Answer {
	return func(at time.Duration, _ int) (time.Duration, int) {
		if at >= 0 && at < fault {
			return 0, http.StatusUnauthorized
		}
		return latency, http.StatusOK
	}
}

// After returns a server that works until the fault starts, and from then on
// answers as given.
func After(fault Answer) Answer {
	return func(at time.Duration, attempt int) (time.Duration, int) {
		if at < 0 {
			return latency, http.StatusOK
		}
		return fault(at, attempt)
	}
}

// Flaky returns a server that answers 503 to three of ten requests. First attempts
// are dealt from shuffled decks of ten, and so are second ones and all others:
// the share is exact, so that the figures show the policy and not the luck.
func Flaky(seed uint64) Answer {
	random := rand.New(rand.NewPCG(seed, seed))
	decks := map[int][]int{}
	return func(_ time.Duration, attempt int) (time.Duration, int) {
		deck := decks[attempt]
		if len(deck) == 0 {
			deck = random.Perm(10)
		}
		card := deck[0]
		decks[attempt] = deck[1:]
		if card < 3 {
			return latency, http.StatusServiceUnavailable
		}
		return latency, http.StatusOK
	}
}

// Queue returns a server that works on one request after the other, a fixed number a
// second, and on none while the fault lasts. It also works on abandoned requests.
func Queue(fault time.Duration, perSecond int) Answer {
	free := -time.Hour // when the work so far is done
	return func(at time.Duration, _ int) (time.Duration, int) {
		free = max(free, at)
		if free >= 0 {
			free = max(free, fault)
		}
		free += time.Second / time.Duration(perSecond)
		return free - at, http.StatusOK
	}
}
