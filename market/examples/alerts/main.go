// Command alerts tells people by mail of jobs that a search of theirs finds newly: they confirm their
// address by a link, and end it by one click. The searches stand in the site's own database,
// alerts.db; the copy of the board is beside it.
//
//	go -C market/examples/alerts run . -smtp localhost:25 -from jobs@example.com
//
// Without settings of a board it serves the mock server, until it is interrupted.
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
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func main() {
	log.SetFlags(0)
	server := flag.String("smtp", "localhost:25", "address of the mail server")
	from := flag.String("from", "jobs@example.com", "address of the sender")
	addr := flag.String("addr", "127.0.0.1:8092", "address to serve on")
	origin := flag.String("origin", "", "address of the site for visitors, such as https://jobs.example; empty: http://ADDR")
	folder := flag.String("folder", ".", "folder of both databases")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *addr, cmp.Or(*origin, "http://"+*addr), *folder, postbox{*server, *from})
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

func run(ctx context.Context, addr, origin, folder string, mails postbox) error {
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
	mirror, err := jobmirror.Open(ctx, filepath.Join(folder, "jobs.db"), jobmirror.Options{
		Config: config, Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(channel), Languages: []string{"de", "en"}}},
	})
	if err != nil {
		return err
	}
	defer func() { _ = mirror.Close() }()
	a, err := openAlerts(ctx, filepath.Join(folder, "alerts.db"), origin, mirror, mails)
	if err != nil {
		return err
	}
	defer func() { _ = a.db.Close() }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	site := &http.Server{Handler: a.handler(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	working, ctx := errgroup.WithContext(ctx)
	working.Go(func() error { return mirror.Run(ctx) })
	working.Go(func() error { return site.Serve(listener) })
	working.Go(func() error { <-ctx.Done(); return site.Shutdown(context.WithoutCancel(ctx)) })
	working.Go(func() error {
		for ctx.Err() == nil {
			if err := errors.Join(a.read(ctx), a.mail(ctx)); err != nil {
				log.Print(err) // the next minute tries again
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
		}
		return ctx.Err()
	})
	log.Print("http://" + listener.Addr().String() + "/alerts")
	return working.Wait()
}
