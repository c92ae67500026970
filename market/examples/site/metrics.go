package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// serveMetrics serves Prometheus's page /metrics of what a reader collects, at an address that
// visitors do not reach, until ctx ends.
//
// A program of your own takes OpenTelemetry's exporter, as market/docs/site.md shows, and gets the
// client's metrics as well. The module of this example does without: what it requires is
// required of everybody who imports one of its libraries.
func serveMetrics(ctx context.Context, addr string, reader *metric.ManualReader) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(r.Context(), &all); err != nil {
			log.Print(err) // jobboard_mirror_up says that the database was away
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		fmt.Fprint(w, exposition(all))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	log.Print("metrics at http://", listener.Addr(), "/metrics")
	go func() { _ = server.Serve(listener) }()
	return nil
}

// exposition writes sums and gauges in Prometheus's text format, under the names that
// OpenTelemetry's exporter gives them.
func exposition(all metricdata.ResourceMetrics) string {
	var b strings.Builder
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			name := underscores.Replace(m.Name) + units[m.Unit]
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				expose(&b, name+"_total", "counter", m.Description, data.DataPoints)
			case metricdata.Gauge[int64]:
				expose(&b, name, "gauge", m.Description, data.DataPoints)
			case metricdata.Gauge[float64]:
				expose(&b, name, "gauge", m.Description, data.DataPoints)
			}
		}
	}
	return b.String()
}

var (
	underscores = strings.NewReplacer(".", "_", "-", "_")
	units       = map[string]string{"s": "_seconds", "{request}/s": "_per_second"}
	quoted      = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
)

func expose[N int64 | float64](b *strings.Builder, name, kind, help string, points []metricdata.DataPoint[N]) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	for _, point := range points {
		var labels []string
		for _, label := range point.Attributes.ToSlice() {
			labels = append(labels, underscores.Replace(string(label.Key))+`="`+quoted.Replace(label.Value.String())+`"`)
		}
		value := strconv.FormatFloat(float64(point.Value), 'g', -1, 64)
		fmt.Fprintf(b, "%s{%s} %s\n", name, strings.Join(labels, ","), value)
	}
}
