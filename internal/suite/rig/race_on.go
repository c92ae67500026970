//go:build race

package rig

// Race reports whether the race detector watches: it needs time, and allocates.
const Race = true
