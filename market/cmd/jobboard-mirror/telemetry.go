package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/jobboard-sdk/jobboard-go/jobboardotel"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// telemetry serves metrics if the program has a monitor, and sends traces if the
// environment names a collector.
type telemetry struct {
	metrics http.Handler // nil: no metrics
	stop    []func(context.Context) error
}

// startTelemetry adds observers to a mirror's options that record metrics and traces of
// its calls.
func startTelemetry(ctx context.Context, opts *jobmirror.Options, monitored bool) (*telemetry, error) {
	t := &telemetry{}
	traced, err := tracesWanted()
	if err != nil || !monitored && !traced {
		return t, err
	}
	// OTEL_SERVICE_NAME in the environment overrides the program's name.
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "jobboard-mirror")),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return t, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	var observers []jobboardotel.Option
	if monitored {
		meters, err := t.startMetrics(about)
		if err != nil {
			return t, err
		}
		opts.MeterProvider = meters
		observers = append(observers, jobboardotel.WithMeterProvider(meters))
	}
	if traced {
		exporter, err := otlptracehttp.New(ctx) // reads its address and options from the environment
		if err != nil {
			return t, err
		}
		traces := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
		t.stop = append(t.stop, traces.Shutdown)
		observers = append(observers, jobboardotel.WithTracerProvider(traces))
	}
	opts.Config.Observer, err = jobboardotel.New(observers...)
	return t, err
}

func (t *telemetry) startMetrics(about *resource.Resource) (*metric.MeterProvider, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		return nil, err
	}
	t.metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, Timeout: 30 * time.Second,
	})
	meters := metric.NewMeterProvider(metric.WithReader(exporter), metric.WithResource(about))
	t.stop = append(t.stop, meters.Shutdown)
	return meters, nil
}

// close sends the remaining traces and metrics.
func (t *telemetry) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	var err error
	for _, stop := range t.stop {
		err = errors.Join(err, stop(ctx))
	}
	return err
}

// tracesWanted reports whether the environment asks for traces, by the names that
// OpenTelemetry gives its variables.
func tracesWanted() (bool, error) {
	named := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	if exporter == "none" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || !named && exporter == "" {
		return false, nil
	}
	if exporter != "" && exporter != "otlp" {
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER: %q is unknown: set otlp or none", exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := os.Getenv(name); protocol != "" && protocol != "http/protobuf" {
			return false, fmt.Errorf("%s: there is no %q, only http/protobuf", name, protocol)
		}
	}
	return true, nil
}
