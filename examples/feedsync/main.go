// Command feedsync keeps a table of jobs up to date with a job feed: it reads
// the feed, looks up each of its jobs, and stores what the service says in an
// SQLite database.
//
//	go -C examples/feedsync run .                                  # the demo's feed, in a temporary directory
//	go -C examples/feedsync run . -feed jobs.xml.gz -db jobs.db    # a file or an address, kept
//	go -C examples/feedsync run . -jobs 100000 -latency 5ms -fail-share 0.02
//
// A run that was ended, by whatever, goes on where it was when it is started
// again with the same database. It is not tied to one process: run it from a
// timer, after each new feed.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("feedsync: ")
	var b board.Board
	b.Flags(flag.CommandLine)
	var s settings
	s.flags(flag.CommandLine)
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("%q: everything is said by flags", flag.Arg(0))
	}
	if err := b.Open(); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, os.Stderr, &b, s)
	stop()
	b.Close()
	if err != nil {
		log.Fatal(err)
	}
}

// settings are what the flags say.
type settings struct {
	feed        string
	db          string
	checkpoint  string
	concurrency int
	batch       int
	demo        demo
}

func (s *settings) flags(f *flag.FlagSet) {
	f.StringVar(&s.feed, "feed", "", "`file` or address of the feed; empty: that of the embedded fake")
	f.StringVar(&s.db, "db", "", "database `file`; empty: a temporary one")
	f.StringVar(&s.checkpoint, "checkpoint", "", "`file` that keeps which jobs are done; empty: beside the database")
	f.IntVar(&s.concurrency, "concurrency", 0, "lookups at once; 0: the library's default")
	f.IntVar(&s.batch, "batch", 500, "jobs to store in one transaction")
	s.demo.flags(f)
}

// source finds the feed where none is named. The demo's says its edition,
// because it has another address in each run.
func (s *settings) source(b *board.Board) (edition string, err error) {
	if b.Fake == nil {
		switch {
		case s.demo != demo{}:
			return "", fmt.Errorf("-jobs, -latency and -fail-share are for the embedded fake, not for %s", b.Name())
		case s.feed == "":
			return "", fmt.Errorf("name the feed of %s with -feed", b.Name())
		}
		return "", nil
	}
	feed, edition, err := s.demo.prepare(b.Fake, b.Channel)
	if s.feed != "" {
		return "", err
	}
	s.feed = feed
	return edition, err
}

// run is one look at the feed. What it says goes to out, how far it is to
// status.
func run(ctx context.Context, out, status io.Writer, b *board.Board, s settings) error {
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		return err
	}
	edition, err := s.source(b)
	if err != nil {
		return err
	}
	if s.db == "" {
		dir, err := os.MkdirTemp("", "feedsync")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.db = filepath.Join(dir, "jobs.db")
		fmt.Fprintln(status, "the database is a temporary one; -db names one to keep")
	}
	s.checkpoint = cmp.Or(s.checkpoint, s.db+".done")
	feed, err := openFeed(ctx, s.feed)
	if err != nil {
		return err
	}
	defer feed.Close()
	feed.edition = cmp.Or(edition, feed.edition)
	jobs, err := openTable(ctx, s.db)
	if err != nil {
		return err
	}
	defer jobs.Close()
	bar := newBar(status, feed)
	sum, err := synchronize(ctx, client, feed, jobs, s, bar)
	bar.end()
	sum.print(out)
	return err
}
