package main

import (
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The newest job of the demo was listed today, the others as much earlier as before, and none ends that had not ended.
func TestMakeRecent(t *testing.T) {
	now := time.Date(2027, 5, 6, 9, 0, 0, 0, time.UTC)
	before, fake := jobboardtest.New(t, jobboardtest.WithDemo()), jobboardtest.New(t, jobboardtest.WithDemo())
	makeRecent(fake, now)
	old := map[int64]jobboardtest.Posting{}
	for _, p := range before.Snapshot().Postings {
		old[p.ID] = p
	}
	var newest time.Time
	moved := map[time.Duration]int{}
	for _, p := range fake.Snapshot().Postings {
		at, ok := listedAt(p)
		was, _ := listedAt(old[p.ID])
		if !ok {
			continue
		}
		moved[at.Sub(was)]++
		if at.After(newest) {
			newest = at
		}
		if p.VersionEnd.Before(now) != old[p.ID].VersionEnd.Before(now) {
			t.Errorf("%s ends at %s, before at %s", p.Title, p.VersionEnd, old[p.ID].VersionEnd)
		}
	}
	if age := now.Sub(newest); age < 0 || age >= 24*time.Hour || len(moved) != 1 {
		t.Errorf("the newest job is of %s, moved by %v", newest, moved)
	}
}
