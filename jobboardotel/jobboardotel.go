// Package jobboardotel reports the calls of a client of package jobboard as
// OpenTelemetry traces and metrics.
//
//	observer, err := jobboardotel.New()
//	client, err := jobboard.NewClient(jobboard.Config{..., Observer: observer})
//
// A call is one span, named after the operation. Each attempt is a child span, so traces show
// repeats. The spans of attempts follow the semantic conventions of HTTP clients, and each request
// carries the context of its span to the service, in the headers of the propagator. A redirect that
// is followed belongs to its attempt.
//
// No attribute holds a credential, a query value, a job or an applicant: paths
// are templates, and url.full, which the conventions ask of a span, is left out.
//
// # Metrics
//
//	http.client.request.duration   s          an attempt; attributes of the conventions
//	jobboard.call.duration         s          a call with its repeats and waits; jobboard.operation, jobboard.outcome
//	jobboard.call.attempts         {attempt}  attempts of a call; the same attributes
//	jobboard.call.decode.duration  s          the part of a call spent on its answer; jobboard.operation
//	jobboard.retry.budget          {repeat}   repeats that may be made now; server.address, server.port
package jobboardotel

import (
	"context"
	"errors"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.34.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/jobboard-sdk/jobboard-go"
)

const scope = "github.com/jobboard-sdk/jobboard-go/jobboardotel"

// The attributes beyond the semantic conventions.
const (
	OperationKey = attribute.Key("jobboard.operation") // the method: "Search", "HasApplied", ...
	OutcomeKey   = attribute.Key("jobboard.outcome")   // see Outcome
	AttemptsKey  = attribute.Key("jobboard.attempts")  // requests of the call
	StoppedKey   = attribute.Key("jobboard.stopped")   // why there was no further attempt
	BudgetKey    = attribute.Key("jobboard.budget")    // tokens left in the retry budget
	DecodeKey    = attribute.Key("jobboard.decode")    // seconds spent on the answer
	RequestKey   = attribute.Key("jobboard.request")   // the failed request's identifier from the service
	WaitKey      = attribute.Key("jobboard.wait")      // seconds before the next request
)

// Option chooses where an observer reports to.
type Option func(*config)

type config struct {
	traces     trace.TracerProvider
	metrics    metric.MeterProvider
	propagator propagation.TextMapPropagator
}

// WithTracerProvider reports traces to p instead of the global provider; nil
// stands for that.
func WithTracerProvider(p trace.TracerProvider) Option { return func(c *config) { c.traces = p } }

// WithMeterProvider reports metrics to p instead of the global provider; nil
// stands for that.
func WithMeterProvider(p metric.MeterProvider) Option { return func(c *config) { c.metrics = p } }

// WithPropagator writes the trace's context into requests with p instead of the
// global propagator; nil stands for that.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return func(c *config) { c.propagator = p }
}

// observer holds the instruments.
type observer struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	request    metric.Float64Histogram
	call       metric.Float64Histogram
	attempts   metric.Int64Histogram
	decode     metric.Float64Histogram
	budget     metric.Float64Gauge
}

// New returns an observer for jobboard.Config.Observer; many clients may share it. It
// returns an error if the meter refuses an instrument.
func New(opts ...Option) (*jobboard.Observer, error) {
	var c config
	for _, opt := range opts {
		opt(&c)
	}
	if c.traces == nil {
		c.traces = otel.GetTracerProvider()
	}
	if c.metrics == nil {
		c.metrics = otel.GetMeterProvider()
	}
	if c.propagator == nil {
		c.propagator = otel.GetTextMapPropagator()
	}
	meter := c.metrics.Meter(scope)
	seconds := metric.WithExplicitBucketBoundaries(
		0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
	o := &observer{tracer: c.traces.Tracer(scope), propagator: c.propagator}
	var err [5]error
	o.request, err[0] = meter.Float64Histogram("http.client.request.duration", metric.WithUnit("s"), seconds,
		metric.WithDescription("Duration of HTTP client requests."))
	o.call, err[1] = meter.Float64Histogram("jobboard.call.duration", metric.WithUnit("s"), seconds,
		metric.WithDescription("Duration of calls, with their repeats and waits."))
	o.attempts, err[2] = meter.Int64Histogram("jobboard.call.attempts", metric.WithUnit("{attempt}"),
		metric.WithExplicitBucketBoundaries(0, 1, 2, 3, 4, 5), metric.WithDescription("Attempts of a call."))
	o.decode, err[3] = meter.Float64Histogram("jobboard.call.decode.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(0.00001, 0.0001, 0.001, 0.01, 0.1, 1),
		metric.WithDescription("The part of a call spent on its answer."))
	o.budget, err[4] = meter.Float64Gauge("jobboard.retry.budget", metric.WithUnit("{repeat}"),
		metric.WithDescription("Repeats that may be made now."))
	if err := errors.Join(err[:]...); err != nil {
		return nil, err
	}
	return &jobboard.Observer{Call: o.observeCall, Attempt: o.observeAttempt}, nil
}

// startKey finds the call of an attempt in its context.
type startKey struct{}

func (o *observer) observeCall(
	ctx context.Context, start jobboard.CallStart,
) (context.Context, func(jobboard.CallEnd)) {
	operation := OperationKey.String(start.Op)
	ctx, span := o.tracer.Start(ctx, "jobboard."+start.Op, trace.WithAttributes(operation))
	ctx = context.WithValue(ctx, startKey{}, start)
	return ctx, func(end jobboard.CallEnd) {
		outcome := OutcomeKey.String(Outcome(end.Err))
		span.SetAttributes(outcome, AttemptsKey.Int(end.Attempts), BudgetKey.Float64(end.Budget),
			DecodeKey.Float64(end.Decode.Seconds()))
		if end.Err != nil {
			span.SetAttributes(StoppedKey.String(string(end.Err.Stopped)))
			if end.Err.RequestID != "" {
				span.SetAttributes(RequestKey.String(end.Err.RequestID))
			}
			// Record the outcome and not the error's text, which holds the service's words.
			span.SetStatus(codes.Error, outcome.Value.AsString())
		}
		span.End()

		both := metric.WithAttributes(operation, outcome)
		o.call.Record(ctx, end.Duration.Seconds(), both)
		o.attempts.Record(ctx, int64(end.Attempts), both)
		if end.StatusCode != 0 {
			o.decode.Record(ctx, end.Decode.Seconds(), metric.WithAttributes(operation))
		}
		if start.Host != "" {
			o.budget.Record(ctx, end.Budget, metric.WithAttributes(server(start)...))
		}
	}
}

func (o *observer) observeAttempt(
	ctx context.Context, attempt jobboard.AttemptStart,
) (context.Context, func(jobboard.AttemptEnd)) {
	start, _ := ctx.Value(startKey{}).(jobboard.CallStart)
	attributes := append(server(start), semconv.HTTPRequestMethodKey.String(start.Method), semconv.URLScheme(start.Scheme))
	name := start.Method
	if start.Path != "" { // a request of Client.Transport has no template
		attributes = append(attributes, semconv.URLTemplate(start.Path))
		name += " " + start.Path
	}
	ctx, span := o.tracer.Start(ctx, name,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	if attempt.Number > 1 {
		span.SetAttributes(semconv.HTTPRequestResendCount(attempt.Number - 1))
	}
	o.propagator.Inject(ctx, propagation.HeaderCarrier(attempt.Header))
	return ctx, func(end jobboard.AttemptEnd) {
		if end.StatusCode != 0 {
			attributes = append(attributes, semconv.HTTPResponseStatusCode(end.StatusCode))
			span.SetAttributes(semconv.HTTPResponseStatusCode(end.StatusCode))
		}
		kind := ""
		switch {
		case end.StatusCode >= 400:
			kind = strconv.Itoa(end.StatusCode)
		case end.Err != nil:
			kind = condition(end.Err)
		}
		if kind != "" {
			attributes = append(attributes, semconv.ErrorTypeKey.String(kind))
			span.SetAttributes(semconv.ErrorTypeKey.String(kind))
			span.SetStatus(codes.Error, "")
		}
		if end.Repeat {
			span.SetAttributes(WaitKey.Float64(end.Wait.Seconds()))
		}
		span.End()
		o.request.Record(ctx, end.Duration.Seconds(), metric.WithAttributes(attributes...))
	}
}

// server returns the attributes of the host that a call goes to.
func server(start jobboard.CallStart) []attribute.KeyValue {
	attributes := make([]attribute.KeyValue, 0, 8)
	attributes = append(attributes, semconv.ServerAddress(start.Host))
	if port, err := strconv.Atoi(start.Port); err == nil {
		attributes = append(attributes, semconv.ServerPort(port))
	}
	return attributes
}

// Outcome returns a short name of how a call ended: "ok" for nil, a condition
// such as "posting_inactive" or "timeout", "canceled", or "other" for an answer
// without a named condition.
func Outcome(err *jobboard.Error) string {
	if err == nil {
		return "ok"
	}
	return condition(err)
}

// condition returns the name of the first condition that an error is.
func condition(err error) string {
	for _, c := range conditions {
		if errors.Is(err, c.is) {
			return c.name
		}
	}
	return "other"
}

var conditions = []struct {
	is   error
	name string
}{
	{jobboard.ErrPostingNotFound, "posting_not_found"},
	{jobboard.ErrPostingNotAccessible, "posting_not_accessible"},
	{jobboard.ErrPostingInactive, "posting_inactive"},
	{jobboard.ErrProjectNotAvailable, "project_not_available"},
	{jobboard.ErrProjectNotAccessible, "project_not_accessible"},
	{jobboard.ErrApplicationNotFound, "application_not_found"},
	{jobboard.ErrJobInactive, "job_inactive"},
	{jobboard.ErrJobUnavailable, "job_unavailable"},
	{jobboard.ErrPostingUnavailable, "posting_unavailable"},
	{jobboard.ErrUnauthorized, "unauthorized"},
	{jobboard.ErrForbidden, "forbidden"},
	{jobboard.ErrServer, "server_error"},
	{jobboard.ErrRateLimited, "rate_limited"},
	{jobboard.ErrRedirect, "redirect"},
	{jobboard.ErrResponseTooLarge, "response_too_large"},
	{jobboard.ErrDecode, "unusable_response"},
	{jobboard.ErrToken, "token"},
	{jobboard.ErrInvalidInput, "invalid_input"},
	{context.Canceled, "canceled"},
	{jobboard.ErrTimeout, "timeout"},
	{jobboard.ErrTransport, "transport"},
}
