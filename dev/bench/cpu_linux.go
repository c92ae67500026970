package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time that the process has used on all processors.
func cpuTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
