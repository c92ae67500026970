//go:build unix && !linux

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that the process has used on all processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
