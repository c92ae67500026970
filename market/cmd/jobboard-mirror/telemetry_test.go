package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Whether the mirror says that it could read its database.
var (
	up   = regexp.MustCompile(`(?m)^jobboard_mirror_up\{.*\} 1$`)
	down = regexp.MustCompile(`(?m)^jobboard_mirror_up\{.*\} 0$`)
)

// The program serves what market/docs/run.md says is to be watched, and sends traces
// to the collector that the environment names.
func TestMetricsAndTraces(t *testing.T) {
	traces := make(chan string, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		traces <- r.URL.Path + " " + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100")

	page, err := os.ReadFile("../../docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## What to watch\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, name := range regexp.MustCompile("`(jobboard_mirror_[a-z_]+)`").FindAllStringSubmatch(section, -1) {
		documented = append(documented, name[1])
	}
	if len(documented) < 10 {
		t.Fatalf("market/docs/run.md names %q", documented)
	}

	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	file := filepath.Join(t.TempDir(), "jobs.db")
	p := start(t, srv, "run", "--db", file, "--channels", srv.Demo.Channel, "--rate", "400", "--monitor", "127.0.0.1:0", "--debug")
	address := p.said(t, "monitor at ") + "/metrics"
	p.said(t, `msg="jobboard: request" op=`) // --debug logs beside metrics and traces
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) {
		text := get(t, address)
		if strings.Contains(text, `jobboard_mirror_lookups_total{jobboard_outcome="open"`) && strings.Contains(text, "\njobboard_mirror_source_age_seconds{") {
			for _, name := range append(documented, "jobboard_call_duration_seconds", "process_resident_memory_bytes") {
				if !strings.Contains(text, "\n# TYPE "+name+" ") {
					t.Errorf("without %s:\n%s", name, text)
				}
			}
			for _, line := range regexp.MustCompile("(?m)^# TYPE (jobboard_mirror_[a-z_]+) ").FindAllStringSubmatch(text, -1) {
				if !slices.Contains(documented, line[1]) {
					t.Errorf("market/docs/run.md does not name %s", line[1])
				}
			}
			if strings.Contains(text, srv.Demo.ClientID+":") || strings.Contains(text, srv.BaseURL+"/") {
				t.Errorf("a credential or an address is told:\n%s", text)
			}
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal(text)
		}
	}
	// While the database cannot be read the rest is told, and that it cannot.
	if text := get(t, address); !up.MatchString(text) {
		t.Errorf("the database is not up:\n%s", text)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "PRAGMA busy_timeout = 20000; ALTER TABLE limits RENAME TO away"); err != nil {
		t.Fatal(err)
	}
	if text := get(t, address); !down.MatchString(text) || !strings.Contains(text, "\njobboard_mirror_pauses_total{") ||
		strings.Contains(text, "\njobboard_mirror_limit_rate_per_second{") {
		t.Errorf("without the database:\n%s", text)
	}
	// A call's span ends after those of its attempts, so it may be in a later batch.
	for late, told := time.After(20*time.Second), false; !told; {
		select {
		case sent := <-traces:
			if !strings.HasPrefix(sent, "/v1/traces ") || !strings.Contains(sent, "jobboard-mirror") {
				t.Errorf("%q", sent)
			}
			told = strings.Contains(sent, "jobboard.")
		case <-late:
			t.Fatal("no trace of a call was sent")
		}
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.ended
}

func get(t *testing.T, address string) string {
	t.Helper()
	rs, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer rs.Body.Close()
	body, err := io.ReadAll(rs.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestTracesThatCannotBeHadAreRefused(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
			t.Setenv(name, value)
			if r := ran(t, nil, "status", "--fake"); r.code != setup.ExitUsage || !strings.Contains(r.err, name) {
				t.Error(r)
			}
			for _, monitored := range []bool{false, true} {
				var opts jobmirror.Options
				started, err := startTelemetry(t.Context(), &opts, monitored)
				if err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("monitored %t: %v", monitored, err)
				}
				if started.metrics != nil || opts.Config.Observer != nil || opts.MeterProvider != nil {
					t.Errorf("monitored %t: there are metrics %v, %+v", monitored, started.metrics, opts)
				}
				if err := started.close(); err != nil {
					t.Error(err)
				}
			}
			t.Setenv("OTEL_SDK_DISABLED", "true")
			if r := ran(t, nil, "status", "--fake"); r.code != setup.ExitOK {
				t.Error(r)
			}
		})
	}
}

// The environment says whether traces are sent, and a flag whether there are metrics. Without
// either no observer is set.
func TestWhatIsWatched(t *testing.T) {
	named := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
	with := func(name, value string) map[string]string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", name: value}
	}
	for _, c := range []struct {
		environment map[string]string
		traced      bool
	}{
		{nil, false},
		{named, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, true},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true},
		{with("OTEL_TRACES_EXPORTER", "otlp"), true},
		{with("OTEL_TRACES_EXPORTER", "none"), false},
		{with("OTEL_SDK_DISABLED", "TRUE"), false},
		{with("OTEL_SDK_DISABLED", "false"), true},
		{with("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"), true},
		{with("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"), true},
	} {
		for _, monitored := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, monitored %t", c.environment, monitored), func(t *testing.T) {
				for _, name := range []string{
					"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED",
					"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
				} {
					t.Setenv(name, c.environment[name])
				}
				if traced, err := tracesWanted(); traced != c.traced || err != nil {
					t.Errorf("traces are wanted: %t, %v", traced, err)
				}
				var opts jobmirror.Options
				got, err := startTelemetry(t.Context(), &opts, monitored)
				if err != nil {
					t.Fatal(err)
				}
				if (opts.MeterProvider != nil) != monitored || (got.metrics != nil) != monitored {
					t.Errorf("meters %v, metrics %v", opts.MeterProvider, got.metrics)
				}
				if watched := monitored || c.traced; (opts.Config.Observer != nil) != watched {
					t.Errorf("the observer is %v", opts.Config.Observer)
				}
				if err := got.close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "no pair")
	var opts jobmirror.Options
	if _, err := startTelemetry(t.Context(), &opts, true); err == nil || !strings.Contains(err.Error(), "OTEL_RESOURCE_ATTRIBUTES") {
		t.Errorf("attributes that cannot be read: %v", err)
	}
}

// Stopping the telemetry takes three seconds at most, each part is stopped even if the previous
// one failed, and all errors are reported.
func TestTelemetryStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		stuck := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		began := time.Now()
		stopped := &telemetry{stop: []func(context.Context) error{
			func(context.Context) error { return broken }, stuck, func(context.Context) error { return nil },
		}}
		err := stopped.close()
		if took := time.Since(began); took != 3*time.Second || !errors.Is(err, broken) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %s: %v", took, err)
		}
	})
}
