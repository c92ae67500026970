package testenv

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Whole reports whether tests are to try all they have, which takes minutes, and
// not a share of it: JOBBOARD_TESTS is whole, as in .ci/run, or night.
func Whole() bool { return Night() || os.Getenv("JOBBOARD_TESTS") == "whole" }

// Night reports whether tests may take hours: JOBBOARD_TESTS is night.
func Night() bool { return os.Getenv("JOBBOARD_TESTS") == "night" }

// Seed returns a number that decides which share a test tries: that of
// JOBBOARD_SEED, or another in each run. A test that fails says which it was.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("JOBBOARD_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("a share of all; JOBBOARD_SEED=%d tries the same again, JOBBOARD_TESTS=whole all of it", seed)
	return seed
}
