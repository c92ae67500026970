package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardotel"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// siteMetrics makes a mirror tell how it is doing at /metrics.
func siteMetrics(mux *http.ServeMux, mirror *jobmirror.Options) error {
	exporter, err := otelprometheus.New()
	if err != nil {
		return err
	}
	meters := metric.NewMeterProvider(metric.WithReader(exporter))
	mirror.MeterProvider = meters
	mirror.Config.Observer, err = jobboardotel.New(jobboardotel.WithMeterProvider(meters))
	mux.Handle("GET /metrics", promhttp.Handler())
	return err
}

// The nine lines of market/docs/site.md show both the copy and the calls to the board.
func TestSiteMetrics(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	mux := http.NewServeMux()
	options := jobmirror.Options{
		Config:   jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel)}},
		Limit:    -1,
	}
	if err := siteMetrics(mux, &options); err != nil {
		t.Fatal(err)
	}
	mirror, err := jobmirror.Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db"), options)
	if err != nil {
		t.Fatal(err)
	}
	defer mirror.Close()
	if err := mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	for _, name := range []string{"jobboard_mirror_up", "jobboard_mirror_source_age_seconds", "jobboard_call_duration_seconds"} {
		if !strings.Contains(w.Body.String(), name) {
			t.Errorf("the page lacks %s", name)
		}
	}
}
