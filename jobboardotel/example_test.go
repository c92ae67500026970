package jobboardotel_test

import (
	"context"
	"fmt"
	"log"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardotel"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func ExampleNew() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	fake.Fail(jobboardtest.Fault{Status: 503, Times: 1})
	ctx := context.Background()
	spans := tracetest.NewInMemoryExporter()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	// begin
	observer, err := jobboardotel.New(jobboardotel.WithTracerProvider(traces))
	if err != nil {
		log.Fatal(err)
	}
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: "10", Observer: observer})
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Search(ctx, "27828_extern", jobboard.Query{Text: "nurse"})
	// end
	if err != nil {
		log.Fatal(err)
	}
	for _, span := range spans.GetSpans() {
		fmt.Println(span.Name, span.Status.Code)
	}
	// Output:
	// GET /api/rest/v2/frontend/jobboards/{channelID}/jobs Error
	// GET /api/rest/v2/frontend/jobboards/{channelID}/jobs Unset
	// jobboard.Search Unset
}

func ExampleOutcome() {
	fmt.Println(jobboardotel.Outcome(nil))
	fmt.Println(jobboardotel.Outcome(&jobboard.Error{Err: jobboard.ErrPostingInactive}))
	fmt.Println(jobboardotel.Outcome(&jobboard.Error{StatusCode: 400}))
	// Output:
	// ok
	// posting_inactive
	// other
}
