//go:build race

package jobboard

// Under the race detector sync.Pool forgets at random, which costs allocations
// that nobody else has.
const raceEnabled = true
