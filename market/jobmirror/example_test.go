package jobmirror_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

var ctx = context.Background()

// exampleMirror is a mirror of the stand-in's demo.
func exampleMirror() (m *jobmirror.Mirror, srv *jobboardtest.Server, done func()) {
	srv = jobboardtest.NewServer(jobboardtest.WithDemo())
	dir, err := os.MkdirTemp("", "mirror")
	if err != nil {
		log.Fatal(err)
	}
	m, err = openMirror(filepath.Join(dir, "jobs.db"), srv.BaseURL, srv.JobDBURL)
	if err != nil {
		log.Fatal(err)
	}
	return m, srv, func() {
		m.Close()
		srv.Close()
		os.RemoveAll(dir)
	}
}

func openMirror(address, baseURL, jobDBURL string) (*jobmirror.Mirror, error) {
	// begin
	return jobmirror.Open(ctx, address, jobmirror.Options{ // "jobs.db", or "postgres://..."
		Config:   jobboard.Config{BaseURL: baseURL, JobDBURL: jobDBURL, ClientID: "10"},
		Channels: []jobmirror.Channel{{ID: "27828_extern", Languages: []string{"de", "en"}}},
		Feeds:    []jobmirror.Feed{{Address: baseURL + "/feed.xml"}},
		Limit:    500, // requests a second, repeats included
	})
	// end
}

func ExampleMirror_Search() {
	m, _, done := exampleMirror()
	defer done()
	if err := m.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	// begin
	page, err := m.Search(ctx, jobmirror.Query{
		Text:     "nurses", // finds "nurse" and "nursing", too
		Near:     jobboard.Near(52.52, 13.37, 50),
		Language: "en",
		Limit:    20,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range page.Postings {
		km, _ := hit.Distance() // not ok only without Near
		fmt.Printf("%s: job %d, by its %s, %.0f km\n", hit.Posting.Title, hit.Job, hit.Evidence, km)
	}
	// page.Next is Query.After of the next page; empty: there is none.
	// end

	// Output:
	// Registered Nurse (f/m/x): job 2797227, by its feed, 0 km
}

func ExampleMirror_Changes() {
	m, srv, done := exampleMirror()
	defer done()
	if err := m.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	status, err := m.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	cursor := status.Newest
	srv.Publish("27828_extern", jobboardtest.Job{Title: "Gardener", Language: "en"})
	if err := m.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	// begin
	for change, err := range m.Changes(ctx, cursor) { // or Follow, which waits for more
		if err != nil {
			log.Fatal(err) // ErrCursorTooOld: begin anew with Snapshot
		}
		if change.Before == nil {
			fmt.Println("new:", change.Kind, change.Language, "by", change.Cause)
		}
		cursor = change.Cursor // store it together with your result
	}
	// end
	_ = cursor

	// Unordered output:
	// new: posting de by channel 27828_extern de
	// new: posting en by channel 27828_extern en
	// new: job  by lookup
}

func ExampleMirror_SearchChanged() {
	m, srv, done := exampleMirror()
	defer done()
	if err := m.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	page, err := m.Search(ctx, jobmirror.Query{})
	if err != nil {
		log.Fatal(err)
	}
	mark := page.Mark
	srv.Publish("27828_extern", jobboardtest.Job{Title: "Gardener", Language: "en"})
	if err := m.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	// begin
	saved := []jobmirror.Query{
		{Text: "nurses", Language: "en", Limit: 1000},
		{Text: "gardeners", Language: "en", Limit: 1000},
	}
	changed, err := m.SearchChanged(ctx, mark, saved)
	if err != nil {
		log.Fatal(err)
	}
	for i, hits := range changed.Postings {
		for _, hit := range hits {
			fmt.Println(saved[i].Text, "finds", hit.Posting.Title)
		}
	}
	mark = changed.Mark // store it together with your result
	// end
	_ = mark

	// Output:
	// gardeners finds Gardener
}

func Example_serve() {
	m, _, done := exampleMirror()
	defer done()
	// begin
	server := &http.Server{
		Addr:              "127.0.0.1:8080",
		Handler:           m.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
	}
	// end
	_ = server
}
