package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// demo is what the embedded fake is made to do. The zero value leaves it as it
// is.
type demo struct {
	jobs    int
	latency time.Duration
	failing float64
}

func (d *demo) flags(f *flag.FlagSet) {
	f.IntVar(&d.jobs, "jobs", 0, "jobs in the feed of the embedded fake; 0: its demo data")
	f.DurationVar(&d.latency, "latency", 0, "how long the embedded fake takes for an answer")
	f.Float64Var(&d.failing, "fail-share", 0, "`part` of the lookups that the embedded fake answers with 503, such as 0.02")
}

func (d *demo) check() error {
	if d.jobs < 0 || d.latency < 0 || !(d.failing >= 0 && d.failing < 1) {
		return errors.New("-jobs and -latency are at least 0, -fail-share is at least 0 and below 1")
	}
	return nil
}

// prepare returns the address of the feed. The same settings make the same
// feed, of the same jobs, in each run.
func (d *demo) prepare(fake *jobboardtest.Server, channel jobboard.ChannelID) (feed, edition string, err error) {
	if err := d.check(); err != nil {
		return "", "", err
	}
	d.trouble(fake)
	edition = fmt.Sprintf("demo of %d jobs", d.jobs)
	if d.jobs == 0 {
		return fake.FeedURL(), edition, nil
	}
	feed, err = serveFeed(fake, publish(fake, channel, d.jobs))
	return feed, edition, err
}

// trouble returns the fault that fails lookups, nil if none do.
func (d *demo) trouble(fake *jobboardtest.Server) (busy *jobboardtest.ActiveFault) {
	slow := jobboardtest.Fault{Delay: d.latency, Operation: jobboardtest.OpJobInformation}
	if d.failing > 0 {
		f := jobboardtest.Fault{Status: http.StatusServiceUnavailable, Operation: jobboardtest.OpJobInformation, Share: d.failing, Seed: 1}
		f.Delay = slow.Delay
		busy = fake.Fail(f) // of two faults, the older one hits
	}
	if d.latency > 0 {
		fake.Fail(slow)
	}
	return busy
}

// publish gives the fake n jobs, and returns their identifiers.
func publish(fake *jobboardtest.Server, channel jobboard.ChannelID, n int) []jobboard.JobID {
	ids := make([]jobboard.JobID, n)
	for i := range ids {
		job, _ := fake.Publish(string(channel), jobboardtest.Job{
			Title: fmt.Sprintf("Nurse %d", i), Language: "de",
			Location: jobboardtest.Location{City: "Berlin"}, Questions: []jobboardtest.Question{{Type: "TEXT", Label: "Why?"}},
		})
		ids[i] = jobboard.JobID(job.ID)
	}
	return ids
}

// serveFeed serves a feed of the jobs and returns its address.
func serveFeed(fake *jobboardtest.Server, ids []jobboard.JobID) (string, error) {
	var size length
	if err := writeFeed(&size, ids...); err != nil {
		return "", err
	}
	fake.Mount("/jobs.xml", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(int(size)))
		w.Header().Set("Last-Modified", "Sat, 31 Jan 2026 08:00:00 GMT")
		_ = writeFeed(w, ids...) // who has left does not read it
	}))
	return fake.BaseURL + "/jobs.xml", nil
}

func writeFeed(w io.Writer, ids ...jobboard.JobID) error {
	out := jobfeed.NewWriter(w, nil)
	for _, id := range ids {
		if err := out.Write(&jobfeed.Entry{JobID: id, Title: "Nurse", Company: "Example"}); err != nil {
			return err
		}
	}
	return out.Close()
}

// length is how much was written to it.
type length int

func (l *length) Write(p []byte) (int, error) {
	*l += length(len(p))
	return len(p), nil
}
