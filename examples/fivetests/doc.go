// Package fivetests holds the five tests that a program which talks to a job
// board wants most, each whole in a file of its own, to copy:
//
//   - jobcloses_test.go: a job closes between search and application
//   - alreadyapplied_test.go: the applicant already applied
//   - tokenexpires_test.go: the token expires
//   - outage_test.go: the service is down for three seconds
//   - cutoff_test.go: the answer is cut off
//
// The first function of each file stands for your program. The tests open no socket, and
// where time passes it is virtual: all of them together take less than a second.
package fivetests
