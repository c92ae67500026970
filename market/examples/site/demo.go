package main

import (
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// makeRecent moves the days of the mock server's postings, so that the newest was listed today: its demo is of a fixed
// time, and a site of old jobs has nothing for the filter of days.
func makeRecent(fake *jobboardtest.Server, now time.Time) {
	postings := fake.Snapshot().Postings
	var newest time.Time
	for _, p := range postings {
		if at, ok := listedAt(p); ok && at.After(newest) && at.Before(now) {
			newest = at
		}
	}
	if newest.IsZero() {
		return
	}
	later := now.Sub(newest).Truncate(24 * time.Hour)
	for _, p := range postings {
		at, ok := listedAt(p)
		if !ok || at.After(now) { // of days to come
			continue
		}
		p.Config[jobboard.KeyListingStartDate] = []string{strconv.FormatInt(at.Add(later).UnixMilli(), 10)}
		if !p.VersionStart.IsZero() {
			p.VersionStart = p.VersionStart.Add(later)
		}
		if p.VersionEnd.After(now) {
			p.VersionEnd = p.VersionEnd.Add(later)
		}
		fake.AddPosting(p)
	}
}

// listedAt returns when a posting was listed.
func listedAt(p jobboardtest.Posting) (time.Time, bool) {
	dates := p.Config[jobboard.KeyListingStartDate]
	if len(dates) == 0 {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(dates[0], 10, 64)
	return time.UnixMilli(ms), err == nil
}
