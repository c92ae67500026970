// Package evidence decides what a copy believes of what a board says.
//
// For a while a board may give wrong answers: it may call every job unavailable, or answer out
// of a cache. So what would take something away, or bring something back by an old answer, is
// doubted first. A doubt is about one job, and is stored with it; an inquiry looks at the last answers
// about all of them that a process has got, and is kept in its memory.
//
// The functions are pure. They know no database, no posting and no clock: the caller gives them
// what is stored of a row, the counts, and the time, and stores what they return. Times are
// milliseconds since the epoch, 0: never.
package evidence
