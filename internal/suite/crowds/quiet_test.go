package crowds_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// A thousand clients that make one call each and then none for a day cost neither the service
// nor the token endpoint anything, and leave nothing running: a bubble ends only when all its
// goroutines have ended.
func TestQuietClientsAreQuiet(t *testing.T) {
	const clients = 1000
	synctest.Test(t, func(t *testing.T) {
		var requests, fetches atomic.Int64
		_, transport, stop := rig.Run(func(x *rig.Exchange) {
			requests.Add(1)
			x.Answer(200, "application/json", "true")
		})
		all := make([]*jobboard.Applicant, clients)
		for i := range all {
			c := rig.Client(t, jobboard.Config{BaseURL: "https://api.example", HTTPClient: &http.Client{Transport: transport}})
			all[i] = c.Applicant(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
				fetches.Add(1)
				return &oauth2.Token{AccessToken: "token", Expiry: time.Now().Add(time.Hour)}, nil
			}))
		}
		call := func() {
			for _, a := range all {
				if applied, err := a.HasApplied(t.Context(), 1); !applied || err != nil {
					t.Fatal(err)
				}
			}
		}
		call()
		<-time.After(24 * time.Hour)
		if r, f := requests.Load(), fetches.Load(); r != clients || f > 2*clients {
			t.Errorf("%d clients that call once a day make %d requests and fetch %d tokens", clients, r, f)
		}
		call()
		stop()
		t.Logf("figure: quiet clients: %d clients, %d requests, %d tokens fetched in a day", clients, requests.Load(),
			fetches.Load())
	})
}
