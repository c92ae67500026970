// Command alerts tells people by mail of jobs that a search of theirs finds newly: they confirm their
// address by a link, and end it by one click. The searches stand in the site's own database,
// alerts.db; the copy of the board is beside it.
//
//	go -C market/examples/alerts run . -smtp localhost:25 -from jobs@example.com
//
// It serves the board of the variables JOBBOARD_..., or without them the mock server, until it is interrupted.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// settings are those of the program.
type settings struct {
	addr, origin, folder string
	every, refreshEvery  time.Duration
	limit                float64 // see jobmirror.Options
	alerts
}

func main() {
	log.SetFlags(0)
	var s settings
	flag.StringVar(&s.mails.server, "smtp", "localhost:25", "`address` of the mail server")
	flag.StringVar(&s.mails.from, "from", "jobs@example.com", "`address` of the sender")
	flag.StringVar(&s.name, "name", "Jobs", "name of the site in mails")
	flag.StringVar(&s.addr, "addr", "127.0.0.1:8092", "`host:port` to listen on")
	flag.StringVar(&s.origin, "origin", "", "`address` of the site for visitors, such as https://jobs.example; empty: http and -addr")
	flag.StringVar(&s.folder, "folder", ".", "`folder` of both databases")
	flag.DurationVar(&s.every, "every", time.Minute, "time between two looks at what changed")
	flag.DurationVar(&s.maxAge, "max-age", 2*time.Hour, "age of a copy from which nothing is told any more")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, s)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

func run(ctx context.Context, s settings) error {
	config := jobboard.Config{
		BaseURL:  os.Getenv("JOBBOARD_BASE_URL"),
		JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL"),
		ClientID: os.Getenv("JOBBOARD_CLIENT_ID"),
	}
	channel := os.Getenv("JOBBOARD_CHANNEL")
	if config.BaseURL == "" {
		fake := jobboardtest.NewServer(jobboardtest.WithDemo())
		defer fake.Close()
		config.BaseURL, config.JobDBURL, config.ClientID = fake.BaseURL, fake.JobDBURL, fake.Demo.ClientID
		channel = cmp.Or(channel, fake.Demo.Channel)
	}
	mirror, err := jobmirror.Open(ctx, filepath.Join(s.folder, "jobs.db"), jobmirror.Options{
		Config: config, Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(channel)}},
		RefreshEvery: s.refreshEvery, Limit: s.limit,
	})
	if err != nil {
		return err
	}
	defer func() { _ = mirror.Close() }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	s.alerts.mirror, s.alerts.origin = mirror, cmp.Or(s.origin, originOf(listener.Addr()))
	a, err := openAlerts(ctx, filepath.Join(s.folder, "alerts.db"), s.alerts)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { _ = a.db.Close() }()
	site := &http.Server{Handler: a.handler(), ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	working, ctx := errgroup.WithContext(ctx)
	working.Go(func() error { return mirror.Run(ctx) })
	working.Go(func() error {
		if err := site.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return ctx.Err()
	})
	working.Go(func() error { <-ctx.Done(); return site.Shutdown(context.WithoutCancel(ctx)) })
	working.Go(func() error { return a.keepWorking(ctx, s.every) })
	log.Print(a.origin + "/alerts")
	return working.Wait()
}

// keepWorking sends what waits until ctx ends, and logs a line where that fails for another reason than before.
func (a *alerts) keepWorking(ctx context.Context, every time.Duration) error {
	for last := ""; ctx.Err() == nil; {
		why := ""
		if err := a.work(ctx); err != nil && ctx.Err() == nil {
			why = err.Error()
		}
		if why != "" && why != last {
			log.Print(why)
		}
		last = why
		select {
		case <-ctx.Done():
		case <-a.wake:
		case <-time.After(every):
		}
	}
	return ctx.Err()
}

// originOf returns where a server that listens at an address is found from the same machine.
func originOf(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
