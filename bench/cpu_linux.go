package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns what the process has used of all processors.
func cpuTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
