package testenv

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// Whole reports whether tests should try all their cases, which takes minutes, and not a share:
// JOBBOARD_TESTS is whole, as in .ci/run, or night.
func Whole() bool { return Night() || os.Getenv("JOBBOARD_TESTS") == "whole" }

// Night reports whether tests may take hours: JOBBOARD_TESTS is night.
func Night() bool { return os.Getenv("JOBBOARD_TESTS") == "night" }

// Seed returns a number that decides which share of its cases a test tries: JOBBOARD_SEED, or else
// the same number in each run, so that a failure is the fault of a change. Only at Night it is a random
// number. A test that fails, and go test -v, print the seed.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("JOBBOARD_SEED"), 10, 64)
	switch {
	case err == nil:
	case Night():
		seed = rand.Uint64()
	default:
		seed = 1
	}
	t.Logf("a share of all; JOBBOARD_SEED=%d tries the same again, JOBBOARD_TESTS=whole all of it", seed)
	return seed
}

// Some returns n of the cases in their order, which Seed draws, and all of them where Whole says so.
func Some[T any](t testing.TB, n int, cases []T) []T {
	t.Helper()
	if Whole() {
		return cases
	}
	drawn := rand.New(rand.NewPCG(Seed(t), 0)).Perm(len(cases))[:n]
	slices.Sort(drawn)
	some := make([]T, n)
	for i, at := range drawn {
		some[i] = cases[at]
	}
	return some
}
