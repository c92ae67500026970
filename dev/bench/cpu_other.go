//go:build !unix

package main

import "time"

// cpuTime returns 0, because this system has no way to measure it.
func cpuTime() time.Duration { return 0 }
