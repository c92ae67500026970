//go:build race

package jsonscan

// Under the race detector sync.Pool forgets at random, and what stays on the
// stack elsewhere is allocated.
const raceEnabled = true
