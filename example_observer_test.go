package jobboard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// Attempt sees the context of the call, so what the context holds can become a
// header of that call alone. Repeats have it, too.
func ExampleObserver_headerOfOneCall() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()

	type tenant struct{}
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: fake.BaseURL, ClientID: "10",
		Observer: &jobboard.Observer{
			Attempt: func(ctx context.Context, attempt jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
				if name, ok := ctx.Value(tenant{}).(string); ok {
					attempt.Header.Set("X-Tenant", name)
				}
				return ctx, nil
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	for _, ctx := range []context.Context{context.WithValue(ctx, tenant{}, "north"), ctx} {
		if _, err := client.Search(ctx, "27828_extern", jobboard.Query{}); err != nil {
			log.Fatal(err)
		}
	}
	for _, request := range fake.Requests() {
		fmt.Printf("%q\n", request.Header["X-Tenant"])
	}
	// Output:
	// ["north"]
	// []
}
