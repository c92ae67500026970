// Command metrics is a small service that uses the client and shows its
// measurements as a Prometheus page:
//
//	go -C jobboardotel run ./examples/metrics
//
// It searches the embedded mock server, one answer in five of which fails, and serves
// the page at /metrics until it is interrupted. With -once it prints the page
// and ends.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardotel"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", "127.0.0.1:9464", "`host:port` of the page")
	once := flag.Bool("once", false, "print the page and end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *addr, *once); err != nil {
		stop()
		log.Fatal(err) //nolint:gocritic // the deferred call was made
	}
}

func run(ctx context.Context, out io.Writer, addr string, once bool) error {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Share: 0.2, Seed: 1})

	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		return err
	}
	meters := metric.NewMeterProvider(metric.WithReader(exporter))
	observer, err := jobboardotel.New(jobboardotel.WithMeterProvider(meters))
	if err != nil {
		return err
	}
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID, Observer: observer,
		Retry: jobboard.RetryPolicy{MinWait: 10 * time.Millisecond},
	})
	if err != nil {
		return err
	}
	work := func() {
		_, _ = client.Search(ctx, jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Text: "nurse"})
		_, _ = client.JobInformation(ctx, jobboard.JobID(fake.Demo.OpenJob))
	}
	page := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	if once {
		for range 20 {
			work()
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", http.NoBody))
		_, err := io.Copy(out, w.Body)
		return err
	}

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/metrics\n", listener.Addr())
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", page)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		work()
		select {
		case <-ctx.Done():
			return server.Shutdown(context.WithoutCancel(ctx))
		case <-tick.C:
		}
	}
}
