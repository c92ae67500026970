package main

import (
	"database/sql"
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
	"time"

	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// Whether the mirror says that it could read its database.
var (
	up   = regexp.MustCompile(`(?m)^jobboard_mirror_up\{.*\} 1$`)
	down = regexp.MustCompile(`(?m)^jobboard_mirror_up\{.*\} 0$`)
)

// The program serves what docs/mirror.md says is to be watched, and sends traces
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

	page, err := os.ReadFile("../../../docs/mirror.md")
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
		t.Fatalf("docs/mirror.md names %q", documented)
	}

	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	file := filepath.Join(t.TempDir(), "jobs.db")
	p := start(t, srv, "run", "--db", file, "--channels", srv.Demo.Channel, "--rate", "400", "--monitor", "127.0.0.1:0", "--debug")
	address := p.said(t, "monitor at ") + "/metrics"
	p.said(t, "msg=attempt") // --debug logs beside metrics and traces
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
					t.Errorf("docs/mirror.md does not name %s", line[1])
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
	if text := get(t, address); !down.MatchString(text) || !strings.Contains(text, "\njobboard_mirror_changes_total{") ||
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

// Nothing is measured or traced unless it is asked for, and traces that cannot be had are
// refused, whether or not the program is monitored.
func TestTelemetryIsAskedFor(t *testing.T) {
	t.Setenv("OTEL_SDK_DISABLED", "")
	for _, exporter := range []string{"none", "zipkin"} {
		t.Setenv("OTEL_TRACES_EXPORTER", exporter)
		for _, monitored := range []bool{false, true} {
			var opts jobmirror.Options
			started, err := startTelemetry(t.Context(), &opts, monitored)
			refused := exporter == "zipkin"
			if (err != nil) != refused {
				t.Errorf("%s, monitored %t: %v", exporter, monitored, err)
			}
			for what, has := range map[string]bool{
				"metrics": started.metrics != nil, "an observer": opts.Config.Observer != nil, "a meter": opts.MeterProvider != nil,
			} {
				if has != (monitored && !refused) {
					t.Errorf("%s, monitored %t: there is %s: %t", exporter, monitored, what, has)
				}
			}
			if err := started.close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestTracesThatCannotBeHadAreRefused(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
			t.Setenv(name, value)
			if r := ran(t, nil, "status", "--fake"); r.code != setup.ExitUsage || !strings.Contains(r.err, name) {
				t.Error(r)
			}
			t.Setenv("OTEL_SDK_DISABLED", "true")
			if r := ran(t, nil, "status", "--fake"); r.code != setup.ExitOK {
				t.Error(r)
			}
		})
	}
}
