package jobboardotel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	apimetric "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardotel"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

const secretText = "canary search text"

type rig struct {
	fake    *jobboardtest.Server
	client  *jobboard.Client
	spans   *tracetest.InMemoryExporter
	metrics *metric.ManualReader
	config  jobboard.Config

	mu      sync.Mutex
	headers []http.Header // of requests
}

func newRig(t *testing.T) *rig {
	r := &rig{
		fake:    jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets()),
		spans:   tracetest.NewInMemoryExporter(),
		metrics: metric.NewManualReader(),
	}
	observer, err := jobboardotel.New(
		jobboardotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(r.spans))),
		jobboardotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(r.metrics))),
		jobboardotel.WithPropagator(propagation.TraceContext{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.config = jobboard.Config{
		BaseURL: r.fake.BaseURL, JobDBURL: r.fake.JobDBURL, ClientID: r.fake.Demo.ClientID,
		HTTPClient: &http.Client{Transport: r}, Observer: observer,
	}
	if r.client, err = jobboard.NewClient(r.config); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.headers = append(r.headers, req.Header)
	r.mu.Unlock()
	return r.fake.Transport().RoundTrip(req)
}

func attributes(list []attribute.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		m[string(a.Key)] = a.Value.String()
	}
	return m
}

// One search with one repeat: a span of the call with two of requests.
func TestSearchWithOneRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.fake.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Times: 1})
		_, err := r.client.Search(t.Context(), jobboard.ChannelID(r.fake.Demo.Channel), jobboard.Query{Text: secretText})
		if err != nil {
			t.Fatal(err)
		}

		spans := r.spans.GetSpans()
		if len(spans) != 3 {
			t.Fatalf("%d spans, want 3", len(spans))
		}
		first, second, call := spans[0], spans[1], spans[2]
		if call.Name != "jobboard.Search" || call.Status.Code != codes.Unset {
			t.Errorf("the call's span is %q with %v", call.Name, call.Status)
		}
		got := attributes(call.Attributes)
		if got["jobboard.operation"] != "Search" || got["jobboard.outcome"] != "ok" || got["jobboard.attempts"] != "2" {
			t.Errorf("the call's attributes are %v", got)
		}
		for i, span := range []tracetest.SpanStub{first, second} {
			if span.Parent.SpanID() != call.SpanContext.SpanID() || span.SpanKind != trace.SpanKindClient ||
				span.Name != "GET /api/rest/v2/frontend/jobboards/{channelID}/jobs" {
				t.Errorf("request %d has span %q, kind %v", i+1, span.Name, span.SpanKind)
			}
			if want := "00-" + span.SpanContext.TraceID().String() + "-" + span.SpanContext.SpanID().String() + "-01"; r.headers[i].Get("Traceparent") != want {
				t.Errorf("request %d says traceparent %q, want %q", i+1, r.headers[i].Get("Traceparent"), want)
			}
		}
		one, two := attributes(first.Attributes), attributes(second.Attributes)
		if one["http.response.status_code"] != "503" || one["error.type"] != "503" || first.Status.Code != codes.Error || one["jobboard.wait"] == "" {
			t.Errorf("the failed request has %v, %v", one, first.Status)
		}
		if two["http.response.status_code"] != "200" || two["http.request.resend_count"] != "1" || two["error.type"] != "" ||
			two["server.address"] != "127.0.0.1" || two["url.template"] == "" {
			t.Errorf("the second request has %v", two)
		}

		names, requests := map[string]bool{}, map[string]bool{}
		var data metricdata.ResourceMetrics
		if err := r.metrics.Collect(t.Context(), &data); err != nil {
			t.Fatal(err)
		}
		for _, scope := range data.ScopeMetrics {
			for _, m := range scope.Metrics {
				names[m.Name] = true
				if h, ok := m.Data.(metricdata.Histogram[int64]); ok && m.Name == "jobboard.call.attempts" && h.DataPoints[0].Sum != 2 {
					t.Errorf("%d attempts were counted", h.DataPoints[0].Sum)
				}
				if h, ok := m.Data.(metricdata.Histogram[float64]); ok && m.Name == "http.client.request.duration" {
					for _, point := range h.DataPoints {
						got := attributes(point.Attributes.ToSlice())
						requests[got["http.response.status_code"]+got["error.type"]] = true
						if len(got) != 6+len(got["error.type"])/3 || got["http.request.method"] != "GET" || got["url.scheme"] != "http" || got["server.address"] != "127.0.0.1" {
							t.Errorf("a request is counted under %v", got)
						}
					}
				}
			}
		}
		if !requests["503503"] || !requests["200"] || len(requests) != 2 {
			t.Errorf("requests are counted as %v", requests)
		}
		for _, name := range []string{
			"http.client.request.duration", "jobboard.call.duration", "jobboard.call.attempts",
			"jobboard.call.decode.duration", "jobboard.retry.budget",
		} {
			if !names[name] {
				t.Errorf("no metric %s in %v", name, names)
			}
		}
	})
}

// A call that gets no answer at all: nothing has a status, the call's span says why it
// ended.
func TestCallWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.fake.Fail(jobboardtest.Fault{Break: jobboardtest.ResetBefore})
		_, err := r.client.Search(t.Context(), jobboard.ChannelID(r.fake.Demo.Channel), jobboard.Query{})
		var failed *jobboard.Error
		if !errors.As(err, &failed) {
			t.Fatal(err)
		}
		spans := r.spans.GetSpans()
		if len(spans) != failed.Attempts+1 {
			t.Fatalf("%d spans of %d attempts", len(spans), failed.Attempts)
		}
		for i, span := range spans[:failed.Attempts] {
			got := attributes(span.Attributes)
			if status, told := got["http.response.status_code"]; told || got["error.type"] != "transport" || span.Status.Code != codes.Error {
				t.Errorf("request %d has the status %q, %v, %v", i+1, status, got, span.Status)
			}
		}
		call := spans[failed.Attempts]
		got := attributes(call.Attributes)
		if call.Status.Code != codes.Error || call.Status.Description != "transport" || got["jobboard.stopped"] != string(failed.Stopped) {
			t.Errorf("the call has %v, %v", got, call.Status)
		}
		var data metricdata.ResourceMetrics
		if err := r.metrics.Collect(t.Context(), &data); err != nil {
			t.Fatal(err)
		}
		for _, scope := range data.ScopeMetrics {
			for _, m := range scope.Metrics {
				if m.Name == "jobboard.call.decode.duration" {
					t.Error("the time to decode no answer is told")
				}
			}
		}
	})
}

// refusing is a provider whose meter refuses the instrument of that name.
type refusing struct {
	noop.MeterProvider
	name string
}

func (r refusing) Meter(string, ...apimetric.MeterOption) apimetric.Meter {
	return refusingMeter{name: r.name}
}

type refusingMeter struct {
	noop.Meter
	name string
}

func (r refusingMeter) refuse(name string) error {
	if name == r.name {
		return io.ErrShortWrite
	}
	return nil
}

func (r refusingMeter) Float64Gauge(name string, _ ...apimetric.Float64GaugeOption) (apimetric.Float64Gauge, error) {
	return nil, r.refuse(name)
}

func (r refusingMeter) Float64Histogram(name string, _ ...apimetric.Float64HistogramOption) (apimetric.Float64Histogram, error) {
	return nil, r.refuse(name)
}

func (r refusingMeter) Int64Histogram(name string, _ ...apimetric.Int64HistogramOption) (apimetric.Int64Histogram, error) {
	return nil, r.refuse(name)
}

// A meter that refuses an instrument, whichever it is, is an error of New.
func TestRefusedInstrument(t *testing.T) {
	for _, name := range []string{
		"http.client.request.duration", "jobboard.call.duration", "jobboard.call.attempts", "jobboard.call.decode.duration", "jobboard.retry.budget",
	} {
		if _, err := jobboardotel.New(jobboardotel.WithMeterProvider(refusing{name: name})); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if _, err := jobboardotel.New(jobboardotel.WithMeterProvider(refusing{})); err != nil {
		t.Error(err)
	}
}

// No span and no metric holds a credential, a query value or an identifier.
func TestNoSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		demo := r.fake.Demo
		applicant := r.client.Applicant(jobboard.StaticToken(demo.ApplicantToken))
		ctx := t.Context()
		calls := []func() error{
			func() error {
				_, err := r.client.Search(ctx, jobboard.ChannelID(demo.Channel), jobboard.Query{Text: secretText})
				return err
			},
			func() error { _, err := applicant.HasApplied(ctx, jobboard.JobID(demo.OpenJob)); return err },
			func() error { _, err := applicant.HasApplied(ctx, jobboard.JobID(demo.InactiveJob)); return err },
			func() error { _, err := applicant.ApplicationID(ctx, jobboard.JobID(demo.AppliedJob)); return err },
			func() error { _, err := r.client.JobInformation(ctx, jobboard.JobID(demo.UnknownJob)); return err },
			func() error {
				for _, err := range r.client.Postings(ctx, jobboard.ChannelID(demo.Channel), jobboard.Query{Text: secretText}) {
					return err
				}
				return nil
			},
			func() error { _, err := r.client.JobInformation(ctx, 0); return err },
		}
		for _, call := range calls {
			_ = call()
		}
		var data metricdata.ResourceMetrics
		if err := r.metrics.Collect(ctx, &data); err != nil {
			t.Fatal(err)
		}
		var all bytes.Buffer
		for _, span := range r.spans.GetSpans() {
			fmt.Fprintln(&all, span.Name, span.Status, attributes(span.Attributes), span.Events)
		}
		if err := json.NewEncoder(&all).Encode(data); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{
			demo.ApplicantToken, demo.ClientToken, secretText, strings.ReplaceAll(secretText, " ", "+"), demo.Channel,
			fmt.Sprint(demo.OpenJob), fmt.Sprint(demo.InactiveJob), fmt.Sprint(demo.AppliedJob), fmt.Sprint(demo.UnknownJob), demo.ApplicationID,
		} {
			if strings.Contains(all.String(), secret) {
				t.Errorf("%q is in what was recorded", secret)
			}
		}
		for _, want := range []string{"jobboard.Postings", "posting_inactive", "job_unavailable", "jobboard.ApplicationID"} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("no %q in what was recorded", want)
			}
		}
	})
}

// Every condition has a name of its own.
// Nil stands for the global provider, as for a setting that a program left out.
func TestNilProviders(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	observer, err := jobboardotel.New(jobboardotel.WithTracerProvider(nil), jobboardotel.WithMeterProvider(nil),
		jobboardotel.WithPropagator(nil))
	if err != nil {
		t.Fatal(err)
	}
	client, err := jobboard.NewClient(jobboard.Config{
		JobDBURL: fake.JobDBURL, HTTPClient: fake.Client(), Observer: observer,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.JobInformation(t.Context(), jobboard.JobID(fake.Demo.OpenJob)); err != nil {
		t.Error(err)
	}
}

func TestOutcome(t *testing.T) {
	seen := map[string]error{}
	for _, err := range []error{
		jobboard.ErrPostingNotFound, jobboard.ErrPostingNotAccessible, jobboard.ErrPostingInactive,
		jobboard.ErrProjectNotAvailable, jobboard.ErrProjectNotAccessible, jobboard.ErrApplicationNotFound,
		jobboard.ErrJobInactive, jobboard.ErrJobUnavailable, jobboard.ErrPostingUnavailable,
		jobboard.ErrUnauthorized, jobboard.ErrForbidden, jobboard.ErrServer, jobboard.ErrRateLimited, jobboard.ErrRedirect,
		jobboard.ErrResponseTooLarge, jobboard.ErrDecode, jobboard.ErrTransport, jobboard.ErrTimeout, jobboard.ErrToken,
		jobboard.ErrInvalidInput, context.Canceled, errors.New("anything else"),
	} {
		name := jobboardotel.Outcome(&jobboard.Error{Err: err})
		if other, again := seen[name]; again {
			t.Errorf("%v and %v are both %q", err, other, name)
		}
		seen[name] = err
	}
	if got := jobboardotel.Outcome(nil); got != "ok" {
		t.Errorf("success is %q", got)
	}
}

// A request's span says its port, its number and its status as OpenTelemetry defines them.
func TestAttributesOfARequest(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	observer, err := jobboardotel.New(jobboardotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		port            string
		number, status  int
		err             error
		wantPort, again string
		kind            string
	}{
		{port: "8080", number: 1, status: 399, wantPort: "8080"},
		{port: "", number: 2, status: 400, again: "1", kind: "400"},
		{port: "443", number: 3, status: 503, err: jobboard.ErrServer, wantPort: "443", again: "2", kind: "503"},
		{port: "80", number: 1, err: jobboard.ErrTimeout, wantPort: "80", kind: "timeout"},
		{port: "80", number: 1, status: 200, err: jobboard.ErrDecode, wantPort: "80", kind: "unusable_response"},
	} {
		spans.Reset()
		ctx, endCall := observer.Call(t.Context(), jobboard.CallStart{Op: "Search", Method: "GET", Host: "jobs.example", Port: test.port})
		_, endAttempt := observer.Attempt(ctx, jobboard.AttemptStart{Number: test.number, Header: http.Header{}})
		endAttempt(jobboard.AttemptEnd{StatusCode: test.status, Err: test.err})
		endCall(jobboard.CallEnd{})
		got := attributes(spans.GetSpans()[0].Attributes)
		if got["server.port"] != test.wantPort || got["http.request.resend_count"] != test.again || got["error.type"] != test.kind {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// The metrics have these units and buckets, which dashboards are built on.
func TestMetrics(t *testing.T) {
	reader := metric.NewManualReader()
	observer, err := jobboardotel.New(jobboardotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))))
	if err != nil {
		t.Fatal(err)
	}
	ctx, endCall := observer.Call(t.Context(), jobboard.CallStart{Op: "Search", Host: "jobs.example", Port: "443"})
	_, endAttempt := observer.Attempt(ctx, jobboard.AttemptStart{Number: 1, Header: http.Header{}})
	endAttempt(jobboard.AttemptEnd{StatusCode: 200})
	endCall(jobboard.CallEnd{StatusCode: 200, Attempts: 1, Budget: 4.5})
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		switch d := m.Data.(type) {
		case metricdata.Histogram[float64]:
			got[m.Name] = fmt.Sprint(m.Unit, d.DataPoints[0].Bounds)
		case metricdata.Histogram[int64]:
			got[m.Name] = fmt.Sprint(m.Unit, d.DataPoints[0].Bounds)
		case metricdata.Gauge[float64]:
			got[m.Name] = fmt.Sprint(m.Unit, d.DataPoints[0].Value)
		}
	}
	const seconds = "s[0.005 0.01 0.025 0.05 0.075 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10]"
	if want := map[string]string{
		"http.client.request.duration": seconds, "jobboard.call.duration": seconds, "jobboard.call.attempts": "{attempt}[0 1 2 3 4 5]",
		"jobboard.call.decode.duration": "s[1e-05 0.0001 0.001 0.01 0.1 1]", "jobboard.retry.budget": "{repeat}4.5",
	}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// A span has a path, a wait and the service's request number only if the call has them.
func TestAttributesOfSomeSpans(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	observer, err := jobboardotel.New(jobboardotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path, id   string
		repeat     bool
		name, wait string
	}{
		{"", "", false, "GET", ""}, {"/jobs/{id}", "r-1", true, "GET /jobs/{id}", "1.5"},
	} {
		spans.Reset()
		ctx, endCall := observer.Call(t.Context(), jobboard.CallStart{Op: "Search", Method: "GET", Path: test.path})
		_, endAttempt := observer.Attempt(ctx, jobboard.AttemptStart{Number: 1, Header: http.Header{}})
		endAttempt(jobboard.AttemptEnd{Repeat: test.repeat, Wait: 1500 * time.Millisecond})
		endCall(jobboard.CallEnd{Err: &jobboard.Error{RequestID: test.id}})
		attempt, call := spans.GetSpans()[0], spans.GetSpans()[1]
		of := attributes(attempt.Attributes)
		_, hasPath := of["url.template"]
		id, hasID := attributes(call.Attributes)[string(jobboardotel.RequestKey)]
		if attempt.Name != test.name || hasPath != (test.path != "") || of["jobboard.wait"] != test.wait || id != test.id || hasID != (test.id != "") {
			t.Errorf("%+v: %s, %v, %v", test, attempt.Name, of, call.Attributes)
		}
	}
}

// A call that was refused before it had a host tells of no budget.
func TestBudgetIsOfAHost(t *testing.T) {
	for host, told := range map[string]bool{"": false, "jobs.example": true} {
		reader := metric.NewManualReader()
		observer, err := jobboardotel.New(jobboardotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))))
		if err != nil {
			t.Fatal(err)
		}
		_, end := observer.Call(t.Context(), jobboard.CallStart{Op: "Search", Host: host})
		end(jobboard.CallEnd{Budget: 4.5})
		var data metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &data); err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(data.ScopeMetrics); strings.Contains(text, "jobboard.retry.budget") != told {
			t.Errorf("of %q is told %s", host, text)
		}
	}
}
