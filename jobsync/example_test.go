package jobsync_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobsync"
)

// demo is the fake with its demo data, a client for it, a feed of five jobs of
// which one repeats, and a place for a checkpoint.
func demo() (fake *jobboardtest.Server, client *jobboard.Client, feed, path string) {
	fake = jobboardtest.NewServer(jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{JobDBURL: fake.JobDBURL})
	if err != nil {
		log.Fatal(err)
	}
	var b strings.Builder
	w := jobfeed.NewWriter(&b, nil)
	d := fake.Demo
	for _, job := range []int64{d.OpenJob, d.AppliedJob, d.OpenJob, d.InactiveJob, d.DeletedJob} {
		if err := w.Write(&jobfeed.Entry{JobID: jobboard.JobID(job)}); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "jobsync")
	if err != nil {
		log.Fatal(err)
	}
	return fake, client, b.String(), filepath.Join(dir, "feed.done")
}

// From a feed to stored results, with progress, through a crash.
func Example() {
	fake, client, feed, path := demo()
	defer fake.Close()
	defer os.RemoveAll(filepath.Dir(path))

	run := func(store func([]jobboard.BulkResult[*jobboard.JobInformation]) error) error {
		done, err := jobsync.Open(path, "feed of 2026-01-31")
		if err != nil {
			return err
		}
		defer done.Close()
		done.Notify = func(p jobsync.Progress) { fmt.Println(p.Recorded, "jobs done") }
		reader := jobfeed.NewReader(strings.NewReader(feed), nil)
		jobs := done.Pending(reader.JobIDs())
		results := client.BulkJobInformation(context.Background(), jobs, jobboard.BulkOptions{})
		if err := jobsync.Store(done, results, 2, store); err != nil {
			return err
		}
		return reader.Err() // was the feed seen whole?
	}

	batches := 0
	fmt.Println(run(func(batch []jobboard.BulkResult[*jobboard.JobInformation]) error {
		if batches++; batches == 2 {
			return errors.New("the power went out")
		}
		return nil // they are stored
	}))
	fmt.Println(run(func(batch []jobboard.BulkResult[*jobboard.JobInformation]) error { return nil }))
	fmt.Println(run(func(batch []jobboard.BulkResult[*jobboard.JobInformation]) error { return nil }))
	// Output:
	// 2 jobs done
	// the power went out
	// 4 jobs done
	// <nil>
	// <nil>
}

func ExampleStore() {
	fake, client, feed, path := demo()
	defer fake.Close()
	defer os.RemoveAll(filepath.Dir(path))
	done, err := jobsync.Open(path, "feed of 2026-01-31")
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()

	jobs := done.Pending(jobfeed.NewReader(strings.NewReader(feed), nil).JobIDs())
	results := client.BulkJobInformation(context.Background(), jobs, jobboard.BulkOptions{})
	open, closed := 0, 0
	err = jobsync.Store(done, results, 500, func(batch []jobboard.BulkResult[*jobboard.JobInformation]) error {
		for _, r := range batch {
			if r.Err == nil && r.Value.ApplyPossible {
				open++
			} else if jobboard.Settled(r.Err) {
				closed++
			}
		}
		return nil
	})
	fmt.Println(open, closed, err)
	fmt.Printf("%+v\n", done.Progress())
	// Output:
	// 2 2 <nil>
	// {Read:5 Broken:0 Repeated:1 Skipped:0 Started:4 Done:4 Recorded:4}
}

// Without Store: record what is safe, whenever it is.
func ExampleCheckpoint_Pending() {
	dir, err := os.MkdirTemp("", "jobsync")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 2 { // the second time, the program was started again
		done, err := jobsync.Open(filepath.Join(dir, "done"), "run 7")
		if err != nil {
			log.Fatal(err)
		}
		for job, err := range done.Pending(jobboard.Jobs(11, 12, 11, 13)) {
			fmt.Println(job, err)
			if job == 12 {
				break
			}
			if err := done.Done(job); err != nil {
				log.Fatal(err)
			}
		}
		done.Close()
	}
	// Output:
	// 11 <nil>
	// 12 <nil>
	// 12 <nil>
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "jobsync")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o600); err != nil {
		log.Fatal(err)
	}
	_, err = jobsync.Open(notes, "run 7")
	fmt.Println(errors.Is(err, jobsync.ErrNotCheckpoint))

	done, err := jobsync.Open(filepath.Join(dir, "run.done"), "run 7")
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()
	fmt.Println(done.Done(11, 12), done.Progress().Recorded)
	// Output:
	// true
	// <nil> 2
}
