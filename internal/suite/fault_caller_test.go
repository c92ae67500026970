package suite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

func asFaultError(err error) *jobboard.Error {
	var e *jobboard.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// Token sources.

func faultToken(token string) *oauth2.Token { return &oauth2.Token{AccessToken: token} }

func bearerAuth(token string) func(int) string { return func(int) string { return "Bearer " + token } }

// firstThenFresh is what the server wants to see of a source that renews.
func firstThenFresh(n int) string {
	if n == 1 {
		return "Bearer " + canaryClientToken
	}
	return "Bearer " + canaryFreshToken
}

func stockSource(r *faultRig) {
	r.credential(oauth2.StaticTokenSource(faultToken(canaryClientToken)))
	r.expectAuth = bearerAuth(canaryClientToken)
}

func renewingSource(r *faultRig) {
	source := r.source(func(n int) (*oauth2.Token, error) {
		if n == 1 {
			return faultToken(canaryClientToken), nil
		}
		return faultToken(canaryFreshToken), nil
	})
	r.credential(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return source.Token() }))
	r.expectAuth = firstThenFresh
}

func changingSource(r *faultRig) {
	r.credential(r.source(func(n int) (*oauth2.Token, error) {
		if n == 1 {
			return faultToken(canaryClientToken), nil
		}
		return faultToken(canaryFreshToken), nil
	}))
	r.expectAuth = firstThenFresh
}

func failingRenewal(r *faultRig) {
	source := r.source(func(n int) (*oauth2.Token, error) {
		if n == 1 {
			return faultToken(canaryClientToken), nil
		}
		return nil, fmt.Errorf("the secret %s is wrong", "of the token endpoint")
	})
	r.credential(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return source.Token() }))
	r.expectAuth = firstThenFresh
}

// hangingSource hangs until the test is over.
func hangingSource(r *faultRig) {
	r.credential(r.source(func(int) (*oauth2.Token, error) {
		<-r.release
		return nil, errors.New("too late")
	}))
}

func hangingRenewal(r *faultRig) {
	r.credential(jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))
}

func failingBaseSource(r *faultRig) {
	r.cfg.ClientID = ""
	r.cfg.TokenSource = r.source(func(int) (*oauth2.Token, error) { return nil, errors.New("no") })
}

func hangingBaseSource(r *faultRig) {
	r.cfg.ClientID = ""
	r.cfg.TokenSource = r.source(func(int) (*oauth2.Token, error) {
		<-r.release
		return nil, errors.New("too late")
	})
}

func failAfter(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return errors.New("the token endpoint is down")
	case <-ctx.Done():
		return ctx.Err()
	}
}

func slowFailure(r *faultRig) {
	r.credential(r.source(func(int) (*oauth2.Token, error) { return nil, failAfter(context.Background(), 100*time.Millisecond) }))
}

func slowFailingRenewal(r *faultRig) {
	r.credential(jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
		r.mu.Lock()
		r.fetches++
		r.mu.Unlock()
		return nil, failAfter(ctx, 100*time.Millisecond)
	}))
}

// untilFresh refuses every token but the fresh one.
func untilFresh(file string) func(*faultExchange) {
	refuse := answerFile(401, file)
	return func(x *faultExchange) {
		if x.r.Header.Get("Authorization") == "Bearer "+canaryFreshToken {
			x.good()
			return
		}
		refuse(x)
	}
}

func fetchedAtMost(most int) func(*faultRig, error) {
	return func(r *faultRig, _ error) {
		if n := r.fetched(); n > most {
			r.problem("the source was asked %d times, at most %d make sense", n, most)
		}
	}
}

func badSources() (all []faultVariant) {
	add := func(name string, says []string, f func() (*oauth2.Token, error)) {
		for _, renewing := range []bool{false, true} {
			v := faultVariant{name: name, says: says, after: fetchedAtMost(1), configure: func(r *faultRig) {
				r.credential(r.source(func(int) (*oauth2.Token, error) { return f() }))
			}}
			if renewing {
				v.name += ", renewing"
				v.configure = func(r *faultRig) {
					source := r.source(func(int) (*oauth2.Token, error) { return f() })
					r.credential(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return source.Token() }))
				}
			}
			all = append(all, v)
		}
	}
	add("fails", []string{"the vault", "is sealed"}, func() (*oauth2.Token, error) { return nil, errors.New("the vault\r\nis sealed") })
	add("fails at length", nil, func() (*oauth2.Token, error) { return nil, errors.New(strings.Repeat("very long ", 1000)) })
	add("is refused", []string{"invalid_client"}, func() (*oauth2.Token, error) {
		return nil, &oauth2.RetrieveError{
			Response: &http.Response{StatusCode: 401, Status: "401 Unauthorized"}, Body: []byte(`{"hint":"` + canaryClientToken + `"}`),
			ErrorCode: "invalid_client", ErrorDescription: "secret " + canaryClientToken + " is wrong",
		}
	})
	add("does not reach its endpoint", nil, func() (*oauth2.Token, error) {
		_, err := (&http.Client{Transport: faultRefusingTransport{}}).Post("http://tokens.example/?client_secret="+canaryClientToken, "", nil)
		return nil, err
	})
	add("gives none", nil, func() (*oauth2.Token, error) { return nil, nil }) //nolint:nilnil // that is the fault
	add("gives an expired one", []string{"expired"}, func() (*oauth2.Token, error) {
		return &oauth2.Token{AccessToken: canaryClientToken, Expiry: time.Now().Add(-time.Minute)}, nil
	})
	add("gives an empty one", []string{"empty"}, func() (*oauth2.Token, error) { return faultToken(""), nil })
	add("gives one with CR and LF", nil, func() (*oauth2.Token, error) { return faultToken(canaryClientToken + "\r\nX-Evil: 1"), nil })
	add("gives one with NUL", nil, func() (*oauth2.Token, error) { return faultToken(canaryClientToken + "\x00"), nil })
	add("panics", nil, func() (*oauth2.Token, error) { panic(canaryClientToken) })
	return all
}

type faultRefusingTransport struct{}

func (faultRefusingTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errFaultRefused
}

// Calls of another kind than one and wait.

func endedContext(late bool) func(*faultRig, faultCell) {
	return func(r *faultRig, cell faultCell) {
		ctx, cancel := context.WithCancel(context.Background())
		if late {
			ctx, cancel = context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
		} else {
			cancel()
		}
		defer cancel()
		r.callOnce(ctx, cell)
		if dials, _, _ := r.net.state(); len(dials) > 0 {
			r.problem("%d connections", len(dials))
		}
	}
}

// cancelWhileBlocked cancels a call once nothing in the bubble moves.
func cancelWhileBlocked(r *faultRig, cell faultCell) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := r.connectClient(); err != nil {
		r.problem("NewClient: %v", err)
		return
	}
	var value any
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		value, err = r.op.call(ctx, r)
	}()
	synctest.Wait()
	select {
	case <-done:
		r.problem("the call did not wait: %v", err)
		return
	default:
	}
	at := time.Now()
	cancel()
	<-done
	if d := time.Since(at); d > 0 {
		r.problem("left %v after the cancel", d)
	}
	// What the last answer was, if there was one, is not said here.
	if e := asFaultError(err); e != nil {
		r.variant.status = e.StatusCode
	}
	r.verify(cell, value, err)
}

// withDeadline makes a call with a deadline, which must be over after a time.
func withDeadline(deadline, over time.Duration) func(*faultRig, faultCell) {
	return func(r *faultRig, cell faultCell) {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		r.callOnce(ctx, cell)
		if d := r.end.Sub(r.start); d != over {
			r.problem("came back after %v, want %v", d, over)
		}
	}
}

// callers makes calls at nearly the same time with one client.
func callers(n int) func(*faultRig, faultCell) {
	return func(r *faultRig, cell faultCell) { r.callMany(n, cell, func(*faultRig) {}) }
}

// callersOfTheirOwn gives each caller an Applicant.
func callersOfTheirOwn(n int) func(*faultRig, faultCell) {
	return func(r *faultRig, cell faultCell) {
		r.callMany(n, cell, func(r *faultRig) { r.applicant = r.client.Applicant(r.applicantSource) })
	}
}

func (r *faultRig) callMany(n int, cell faultCell, prepare func(*faultRig)) {
	if err := r.connectClient(); err != nil {
		r.problem("NewClient: %v", err)
		return
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-time.After(time.Duration(i) * 5 * time.Millisecond)
			own := &faultRig{op: r.op, client: r.client, applicant: r.applicant, applicantSource: r.applicantSource}
			prepare(own)
			_, err := r.op.call(context.Background(), own)
			if got := faultMatched(err); !slices.Equal(got, cell.outcomes[0].expected()) {
				r.problem("caller %d has %v: %q", i, err, got)
			}
		})
	}
	wg.Wait()
	fetchedAtMost(3)(r, nil)
	if n := len(r.seen()); n > cell.max {
		r.problem("%d requests", n)
	}
}

// outage is callers who all find a service that is down, several times each.
func outage(callers, calls int) func(*faultRig, faultCell) {
	return func(r *faultRig, cell faultCell) {
		if err := r.connectClient(); err != nil {
			r.problem("NewClient: %v", err)
			return
		}
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				own := &faultRig{op: r.op, client: r.client, applicant: r.client.Applicant(r.applicantSource)}
				for range calls {
					<-time.After(time.Duration(i) * time.Millisecond)
					_, err := r.op.call(context.Background(), own)
					e := asFaultError(err)
					if got := faultMatched(err); !slices.Equal(got, cell.outcomes[0].expected()) || e == nil || e.MayHaveExecuted != cell.outcomes[0].star {
						r.problem("caller %d has %v: %q", i, err, got)
						return
					}
				}
			})
		}
		wg.Wait()
		ratio := float64(len(r.seen())) / float64(callers*calls)
		if ratio > 1.10 || r.op.column == "+" && ratio != 1 || ratio < 1 {
			r.problem("%.3f requests a call", ratio)
		}
		for _, b := range r.client.RetryBudgets() {
			if b.Tokens < 0 || b.Tokens > b.Capacity {
				r.problem("a budget of %v of %v", b.Tokens, b.Capacity)
			}
		}
	}
}

// thirtyPercent answers 30 % of all requests with 503, the same ones in every
// run.
func thirtyPercent(x *faultExchange) {
	if rand.New(rand.NewPCG(58, uint64(x.n))).Float64() < 0.3 {
		x.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	x.good()
}

// overload makes calls one after the other, so that who meets which answer is
// the same in every run.
func overload(calls int) func(*faultRig, faultCell) {
	return func(r *faultRig, cell faultCell) {
		if err := r.connectClient(); err != nil {
			r.problem("NewClient: %v", err)
			return
		}
		succeeded := 0
		for range calls {
			<-time.After(20 * time.Millisecond)
			_, err := r.op.call(context.Background(), r)
			switch e := asFaultError(err); {
			case err == nil:
				succeeded++
			case e == nil || !slices.Equal(faultMatched(err), []string{"ErrServer"}) || e.MayHaveExecuted != r.op.changes():
				r.problem("a call ends with %v", err)
				return
			}
		}
		requests := len(r.seen())
		switch {
		case r.op.column == "+" && requests != calls:
			r.problem("%d requests for %d calls", requests, calls)
		case r.op.column != "+" && float64(succeeded) < 0.995*float64(calls):
			r.problem("%d of %d calls succeed, with %d requests", succeeded, calls, requests)
		case float64(requests) > 1.5*float64(calls):
			r.problem("%d requests for %d calls", requests, calls)
		}
	}
}

// Input.

func badInputs() (all []faultVariant) {
	add := func(name, column, says string, call func(ctx context.Context, r *faultRig) (any, error)) {
		all = append(all, faultVariant{name: name, only: column, says: []string{says}, drive: func(r *faultRig, cell faultCell) {
			if err := r.connectClient(); err != nil {
				r.problem("NewClient: %v", err)
				return
			}
			value, err := call(context.Background(), r)
			r.verify(cell, value, err)
		}})
	}
	search := func(name, says string, channel jobboard.ChannelID, q jobboard.Query) {
		add(name, "S", says, func(ctx context.Context, r *faultRig) (any, error) {
			switch r.op.label {
			case "Search":
				return postingsOf(r.client.Search(ctx, channel, q))
			case "Postings":
				return collectPostings(r.client.Postings(ctx, channel, q))
			case "Applicant.Search":
				return postingsOf(r.applicant.Search(ctx, channel, q))
			}
			return collectPostings(r.applicant.Postings(ctx, channel, q))
		})
	}
	for _, channel := range []string{"", ".", "..", "a\nb", "a\x00b", "\x7f", strings.Repeat("c", 5000)} {
		search(fmt.Sprintf("channel %.20q", channel), "channel", jobboard.ChannelID(channel), jobboard.Query{})
	}
	for _, language := range []string{"de\r\nX-Evil: 1", "de\x00", "dé", "en_US", strings.Repeat("de,", 500)} {
		search(fmt.Sprintf("language %.20q", language), "language", "c", jobboard.Query{Language: language})
	}
	for name, near := range map[string]jobboard.GeoLocation{
		"latitude": {Latitude: 90.5, Longitude: 1, RadiusKm: 1}, "longitude": {Latitude: 1, Longitude: -181, RadiusKm: 1},
		"radius": {Latitude: 1, Longitude: 1, RadiusKm: -1},
	} {
		search("geolocation "+name, name, "c", jobboard.Query{Near: near})
	}
	search("geolocation NaN", "latitude", "c", jobboard.Query{Near: jobboard.Near(math.NaN(), 1, 1)})
	search("geolocation infinite", "radius", "c", jobboard.Query{Near: jobboard.Near(1, 1, math.Inf(1))})

	for _, job := range []jobboard.JobID{0, -1, math.MinInt64} {
		name := fmt.Sprintf("job %d", job)
		add(name, "A", "job identifier", func(ctx context.Context, r *faultRig) (any, error) { return r.applicant.HasApplied(ctx, job) })
		add(name, "P", "job identifier", func(ctx context.Context, r *faultRig) (any, error) { return r.applicant.ApplicationID(ctx, job) })
		add(name, "J", "job identifier", func(ctx context.Context, r *faultRig) (any, error) { return r.client.JobInformation(ctx, job) })
	}
	for _, id := range []jobboard.SubscriptionID{"", ".", "..", "a\rb", "a\x00b", jobboard.SubscriptionID(strings.Repeat("s", 5000))} {
		name := fmt.Sprintf("identifier %.20q", id)
		add(name, "C", "subscription identifier", func(ctx context.Context, r *faultRig) (any, error) {
			return rawOf(r.client.ConfirmSubscription(ctx, id, nil))
		})
		add(name, "D", "subscription identifier", func(ctx context.Context, r *faultRig) (any, error) { return rawOf(r.client.Unsubscribe(ctx, id)) })
	}
	for name, body := range map[string]any{"a channel": make(chan int), "broken JSON": json.RawMessage("{"), "NaN": math.NaN()} {
		add("body of "+name, "+", "body", func(ctx context.Context, r *faultRig) (any, error) {
			return rawOf(r.client.Subscribe(ctx, jobboard.SubscriptionRequest{Body: body}))
		})
		add("body of "+name, "C", "body", func(ctx context.Context, r *faultRig) (any, error) {
			return rawOf(r.client.ConfirmSubscription(ctx, "s", body))
		})
	}
	return all
}

// insecureBase: a credential does not go where everybody can read it. Who has
// one is told by NewClient, who brings one by the call.
func insecureBase(r *faultRig, cell faultCell) {
	r.cfg.BaseURL, r.cfg.JobDBURL = "http://jobs.example:1/pre/fix", "http://lookup.example:2/db"
	switch r.op.slot {
	case "base":
		if err := r.connectClient(); !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), "BaseURL") || faultCanary(err.Error()) != "" {
			r.problem("NewClient: %v", err)
		}
		if dials, _, _ := r.net.state(); len(dials) > 0 {
			r.problem("%d connections", len(dials))
		}
		// Without a credential there is nothing to lose.
		r.cfg.ClientID, r.cfg.TokenSource = "", nil
		if r.op.column == "S" {
			r.callOnce(context.Background(), cell)
			return
		}
		r.expectAuth = func(int) string { return "" }
		r.callOnce(context.Background(), faultCell{min: 1, max: 1, outcomes: []faultOutcome{{name: "ok"}}})
	case "applicant":
		r.cfg.ClientID, r.cfg.TokenSource = "", nil
		r.callOnce(context.Background(), cell)
	case "lookup":
		r.cfg.ClientID, r.cfg.TokenSource = "", nil
		r.callOnce(context.Background(), cell)
		r.cfg.JobDBTokenSource = jobboard.StaticToken(canaryLookupToken)
		if err := r.connectClient(); !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), "JobDBURL") || faultCanary(err.Error()) != "" {
			r.problem("NewClient: %v", err)
		}
	}
}
