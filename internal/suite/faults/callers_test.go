package faults_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

func callerFaults() []fault {
	canceled := every(final(context.Canceled)).but(changing, cell{requests: 1, err: context.Canceled, executed: true})
	deadline := cell{requests: 1, err: jobboard.ErrServer, stopped: jobboard.StopDeadline}
	deadlineToo := deadline
	deadlineToo.executed = true
	return []fault{
		{name: "context already ended", cells: every(cell{err: context.Canceled}), forms: []form{
			{name: "canceled", drive: endedContext(context.WithCancel(context.Background()))},
		}},
		{
			name: "context already over its deadline", cells: every(cell{err: context.DeadlineExceeded}),
			forms: []form{{name: "late", drive: endedContext(context.WithDeadline(context.Background(), time.Unix(0, 0)))}},
		},
		{name: "cancel while waiting for headers or body", cells: canceled, forms: []form{
			{name: "of the first answer", serve: stall("", 0), drive: cancelWhileBlocked},
			{name: "before its first byte", serve: stall(ofLength(1000), 0), drive: cancelWhileBlocked},
			{name: "in the middle", serve: stall(ofLength(10_000), afterPostings), drive: cancelWhileBlocked},
		}},
		{
			// What is sent once does not wait, unless the service said that it did nothing.
			name: "cancel in the back-off", status: 503, cells: canceled.but(subscribe, never),
			forms: []form{{name: "after a 503", drive: cancelWhileBlocked}},
		},
		{
			name: "cancel in the back-off after a 429", status: 429, cells: canceled,
			forms: []form{{name: "after a 429", drive: cancelWhileBlocked}},
		},
		{
			// Nothing was sent: nothing can have been executed.
			name: "cancel while waiting for a token", cells: every(cell{err: context.Canceled}), forms: []form{
				{name: "of a source of another kind", configure: hangingSource, drive: cancelWhileBlocked},
				{name: "of a renewing source", configure: hangingRenewal, drive: cancelWhileBlocked},
			},
		},
		{
			name: "deadline before the next attempt", status: 503,
			cells: at(reading, deadline).but(confirm|unsubscribe, deadlineToo), forms: []form{
				{name: "in 50 ms", drive: withDeadline(50*time.Millisecond, 0)},
				{
					name: "in 1 s, and 50 ms of it left", drive: withDeadline(time.Second, 950*time.Millisecond),
					serve: func(x *exchange) {
						<-time.After(950 * time.Millisecond)
						x.WriteHeader(503)
					},
				},
			},
		},
		{
			name: "deadline before the service wants to be asked again", status: 429,
			cells: every(cell{requests: 1, err: jobboard.ErrRateLimited, stopped: jobboard.StopDeadline}),
			forms: []form{
				{
					name:   "in 1 s",
					answer: answer{header: []string{"Retry-After", "2"}},
					drive:  withDeadline(time.Second, 0),
					wanted: wanted{retryAfter: 2 * time.Second},
				},
			},
		},
		{
			name:  "token source fails, or returns an expired, empty or CR/LF token",
			cells: every(cell{err: jobboard.ErrToken}), forms: badSources(),
		},
		{
			name: "the client's token source is no good, and the lookup has none", cells: at(J, requests(1)),
			forms: []form{
				{name: "fails", configure: baseOnly(slowFailure), wanted: wanted{after: fetchedAtMost(0)}},
				{name: "hangs", configure: baseOnly(hangingSource), wanted: wanted{after: fetchedAtMost(0)}},
			},
		},
		{name: "token source hangs", cells: every(cell{err: context.DeadlineExceeded}), forms: []form{
			{name: "a source of another kind", configure: hangingSource, drive: withDeadline(3*time.Second, 3*time.Second)},
			{name: "a renewing source", configure: hangingRenewal, drive: withDeadline(3*time.Second, 3*time.Second)},
		}},
		{name: "one fetch hangs for ever under steady traffic", cells: every(requests(1)), forms: []form{
			{
				name: "a source of another kind", only: A | J | subscribe, drive: steady(time.Hour, time.Second, 0.995),
				configure: func(t *trial) { t.credential(stuckSource(t)) },
			},
			{
				name: "a renewing source", drive: steady(time.Hour, time.Second, 0.995),
				configure: func(t *trial) { t.credential(renewing(stuckSource(t))) },
			},
			{
				name: "a renewing source that minds its context", only: A, drive: steady(time.Hour, time.Second, 0.995),
				configure: func(t *trial) { t.credential(mindfulSource(t)) },
			},
			{
				name: "a stock source, with its mutex", only: A, drive: steady(time.Hour, time.Second, 0.995),
				configure: func(t *trial) { t.credential(oauth2.ReuseTokenSource(nil, slowAtFirst(t))) },
			},
		}},
		{
			name: "the token endpoint is down for 10 minutes, the token is valid for 60", cells: every(requests(1)),
			forms: append(
				of(A, []form{
					renewedAhead(40*time.Minute, time.Second), renewedAhead(46*time.Minute, time.Second),
					renewedAhead(49*time.Minute, time.Second),
				}),
				renewedAhead(44*time.Minute, 20*time.Second), renewedAhead(55*time.Minute, 20*time.Second),
			),
		},
		{name: "100 callers, the source fails", cells: every(cell{err: jobboard.ErrToken}), forms: []form{
			{name: "a source of another kind", configure: slowFailure, drive: callers(100, false)},
			{name: "a renewing source", configure: slowFailingRenewal, drive: callers(100, false)},
			{name: "an applicant each", only: S | A | P, configure: slowFailure, drive: callers(100, true)},
		}},
		{
			name: "input that cannot be sent", transport: notMet,
			cells: every(cell{err: jobboard.ErrInvalidInput}), forms: badInputs(),
		},
		{
			name:  "http base with a credential, host not loopback, not allowed",
			cells: every(cell{err: jobboard.ErrInvalidInput}).but(J, requests(1)),
			forms: []form{{name: "NewClient or the call", drive: insecureBase}},
		},
		{
			name: "30 % random 503", status: 503,
			cells: every(requests(1)).
				but(subscribe, cell{requests: 1, err: jobboard.ErrServer, orOK: true, executed: true, stopped: once}),
			forms: []form{{name: "99.5 % succeed", serve: thirtyPercent, drive: overload(2000)}},
		},
	}
}

// Token sources.

// countedSource is a token source that is neither quick nor the package's own.
type countedSource struct{ f func() (*oauth2.Token, error) }

func (s *countedSource) Token() (*oauth2.Token, error) { return s.f() }

// source counts how often it is asked.
func (t *trial) source(f func(n int) (*oauth2.Token, error)) oauth2.TokenSource {
	return &countedSource{func() (*oauth2.Token, error) {
		t.mu.Lock()
		t.fetches++
		n := t.fetches
		t.mu.Unlock()
		return f(n)
	}}
}

// credential puts a source where the operation's credential comes from.
func (t *trial) credential(s oauth2.TokenSource) {
	t.cfg.ClientID = ""
	t.applicantSource, t.cfg.TokenSource, t.cfg.JobDBTokenSource = s, s, s
}

// renewing makes a source that renews of one that is asked.
func renewing(s oauth2.TokenSource) oauth2.TokenSource {
	return jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) { return s.Token() })
}

func token(token string) *oauth2.Token { return &oauth2.Token{AccessToken: token} }

// firstThenFresh returns the credential that the server expects in the n-th request of a
// source that renews.
func firstThenFresh(n int) string {
	if n == 1 {
		return "Bearer " + rig.ClientToken.Secret
	}
	return "Bearer " + rig.FreshToken.Secret
}

func stockSource(t *trial) {
	t.credential(oauth2.StaticTokenSource(token(rig.ClientToken.Secret)))
	t.expectAuth = func(int) string { return firstThenFresh(1) }
}

func changingSource(t *trial) {
	t.credential(t.source(func(n int) (*oauth2.Token, error) { return token(firstThenFresh(n)[len("Bearer "):]), nil }))
	t.expectAuth = firstThenFresh
}

func renewingSource(t *trial) {
	changingSource(t)
	t.credential(renewing(t.applicantSource))
}

func failingRenewal(t *trial) {
	t.credential(renewing(t.source(func(n int) (*oauth2.Token, error) {
		if n == 1 {
			return token(rig.ClientToken.Secret), nil
		}
		return nil, errors.New("the secret of the token endpoint is wrong")
	})))
	t.expectAuth = firstThenFresh
}

// hangingSource hangs until the test is over.
func hangingSource(t *trial) {
	t.credential(t.source(func(int) (*oauth2.Token, error) {
		<-t.release
		return nil, errors.New("too late")
	}))
}

func hangingRenewal(t *trial) {
	t.credential(jobboard.RenewingToken(func(ctx context.Context) (*oauth2.Token, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))
}

// baseOnly takes a source away from the lookup.
func baseOnly(configure func(*trial)) func(*trial) {
	return func(t *trial) {
		configure(t)
		t.cfg.JobDBTokenSource = nil
	}
}

func slowFailure(t *trial) {
	t.credential(t.source(func(int) (*oauth2.Token, error) {
		<-time.After(100 * time.Millisecond)
		return nil, errors.New("the token endpoint is down")
	}))
}

func slowFailingRenewal(t *trial) {
	slowFailure(t)
	t.credential(renewing(t.applicantSource))
}

// untilFresh refuses every token but the fresh one.
func untilFresh(file string) func(*exchange) {
	refusal := files(file)[0]
	return func(x *exchange) {
		if x.Request.Header.Get("Authorization") == "Bearer "+rig.FreshToken.Secret {
			x.good()
			return
		}
		x.Answer(401, refusal.kind, refusal.body, refusal.header...)
	}
}

func fetchedAtMost(most int) func(*trial, error) {
	return func(t *trial, _ error) {
		t.mu.Lock()
		n := t.fetches
		t.mu.Unlock()
		if n > most {
			t.problem("the source was asked %d times, at most %d make sense", n, most)
		}
	}
}

func badSources() (all []form) {
	add := func(name string, says []string, f func() (*oauth2.Token, error)) {
		plain := func(t *trial) { t.credential(t.source(func(int) (*oauth2.Token, error) { return f() })) }
		all = append(all, form{
			name:      name,
			configure: plain,
			wanted:    wanted{says: says, after: fetchedAtMost(1)},
		},
			form{
				name: name + ", renewing",
				configure: func(t *trial) {
					plain(t)
					t.credential(renewing(t.applicantSource))
				},
				wanted: wanted{says: says, after: fetchedAtMost(1)},
			})
	}
	gives := func(name string, says []string, t *oauth2.Token) {
		add("gives "+name, says, func() (*oauth2.Token, error) { return t, nil })
	}
	fails := func(says []string, err error) {
		add("fails with "+err.Error()[:10], says, func() (*oauth2.Token, error) { return nil, err })
	}
	secret := rig.ClientToken.Secret
	fails([]string{"the vault", "is sealed"}, errors.New("the vault\r\nis sealed"))
	fails(nil, errors.New(strings.Repeat("very long ", 1000)))
	fails([]string{"invalid_client"}, &oauth2.RetrieveError{
		Response: &http.Response{StatusCode: 401, Status: "401 Unauthorized"}, Body: []byte(`{"hint":"` + secret + `"}`),
		ErrorCode: "invalid_client", ErrorDescription: "secret " + secret + " is wrong",
	})
	add("does not reach its endpoint", nil, func() (*oauth2.Token, error) {
		refusing := rig.RoundTripper(func(*http.Request) (*http.Response, error) { return nil, rig.ErrRefused })
		_, err := (&http.Client{Transport: refusing}).Post("http://tokens.example/?client_secret="+secret, "", nil)
		return nil, err
	})
	gives("none", nil, nil)
	gives("an expired one", []string{"expired"}, &oauth2.Token{AccessToken: secret, Expiry: time.Unix(1, 0)})
	gives("an empty one", []string{"empty"}, token(""))
	for _, end := range []string{"\r\nX-Evil: 1", "\n", "\x00", "\x7f", " x", "é"} {
		gives(fmt.Sprintf("one with %q", end), nil, token(secret+end))
	}
	add("panics", nil, func() (*oauth2.Token, error) { panic(secret) })
	return all
}

// Calls of another kind than one and wait.

func endedContext(ctx context.Context, cancel context.CancelFunc) func(*trial, cell) {
	cancel()
	return func(t *trial, c cell) {
		t.once(ctx, c)
		if dials, _, _ := t.net.State(); len(dials) > 0 {
			t.problem("%d connections", len(dials))
		}
	}
}

// cancelWhileBlocked cancels a call once nothing in the bubble moves.
func cancelWhileBlocked(t *trial, c cell) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if !t.connect() {
		return
	}
	var value any
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		value, err = t.call(ctx)
	}()
	synctest.Wait()
	select {
	case <-done:
		t.problem("the call did not wait: %v", err)
		return
	default:
	}
	at := time.Now()
	cancel()
	<-done
	if d := time.Since(at); d > 0 {
		t.problem("left %v after the cancel", d)
	}
	// The body of the last answer, if any, is not checked here.
	if e := asError(err); e != nil {
		t.status = e.StatusCode
	}
	t.verify(c, value, err)
}

// withDeadline makes a call with a deadline, which must be over after a time.
func withDeadline(deadline, over time.Duration) func(*trial, cell) {
	return func(t *trial, c cell) {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		t.once(ctx, c)
		if d := t.end.Sub(t.start); d != over {
			t.problem("came back after %v, want %v", d, over)
		}
	}
}

// callers makes calls at nearly the same time with one client, and perhaps an
// Applicant each.
func callers(n int, own bool) func(*trial, cell) {
	return func(t *trial, c cell) {
		if !t.connect() {
			return
		}
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				<-time.After(time.Duration(i) * 5 * time.Millisecond)
				a := t.applicant
				if own {
					a = t.client.Applicant(t.applicantSource)
				}
				_, err := t.op.Call(context.Background(), t.client, a)
				if problem := mismatch(err, c.err); problem != "" {
					t.problem("caller %d: %s", i, problem)
				}
			})
		}
		wg.Wait()
		fetchedAtMost(3)(t, nil)
		if n := len(t.seen()); n > c.requests {
			t.problem("%d requests", n)
		}
	}
}

// tokenEnds are the forms of a token's end.
func tokenEnds() (all []form) {
	for name, renews := range map[string]bool{"a renewing source": true, "a source of another kind": false} {
		for _, callers := range []int{5, 20, 100} {
			for _, good := range []int{0, 1, 11, 101} {
				all = append(all, form{
					name: fmt.Sprintf("%s, %d callers after %d good calls", name, callers, good), drive: inFlight(callers, good, renews),
				})
			}
		}
	}
	return all
}

// inFlight makes good calls one after the other and then n at one moment, whose token ends before they
// are answered. None fails, and each waits for at most one other. The new token is that of later calls.
func inFlight(n, good int, renews bool) func(*trial, cell) {
	refused := files("401_invalid_token.json")[0]
	const latency = 100 * time.Millisecond
	return func(t *trial, c cell) {
		s := t.source(func(int) (*oauth2.Token, error) {
			if len(t.seen()) > good {
				return token(rig.FreshToken.Secret), nil
			}
			return token(rig.ClientToken.Secret), nil
		})
		if t.credential(s); renews {
			t.credential(renewing(s))
		}
		t.expectAuth = func(i int) string { return firstThenFresh((i-1)/(good+n) + 1) }
		t.form.serve = func(x *exchange) {
			if <-time.After(latency); x.n > good && x.n <= good+n {
				x.Answer(401, refused.kind, refused.body, refused.header...)
				return
			}
			x.good()
		}
		if !t.connect() {
			return
		}
		call := func() {
			if _, err := t.call(context.Background()); err != nil {
				t.problem("a call: %v", err)
			}
		}
		for range good {
			call()
		}
		var wg sync.WaitGroup
		start := time.Now()
		for range n {
			wg.Go(call)
		}
		wg.Wait()
		if renews { // another kind of source is asked once a second
			fetchedAtMost(2)(t, nil)
		}
		if sent, took := len(t.seen())-good, time.Since(start); sent != c.requests*n || took > 3*latency {
			t.problem("%d requests in %v", sent, took)
		}
		call()
		if sent := len(t.seen()) - good; sent != c.requests*n+1 {
			t.problem("a later call makes it %d requests", sent)
		}
	}
}

// thirtyPercent answers 30 % of all requests with 503, the same ones in every
// run.
func thirtyPercent(x *exchange) {
	if rand.New(rand.NewPCG(58, uint64(x.n))).Float64() < 0.3 {
		x.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	x.good()
}

// overload makes calls one after the other, so that who meets which answer is
// the same in every run.
func overload(calls int) func(*trial, cell) {
	return func(t *trial, _ cell) {
		if !t.connect() {
			return
		}
		succeeded := 0
		for range calls {
			<-time.After(20 * time.Millisecond)
			_, err := t.call(context.Background())
			switch e := asError(err); {
			case err == nil:
				succeeded++
			case mismatch(err, jobboard.ErrServer) != "" || e.MayHaveExecuted != t.op.Changes():
				t.problem("a call ends with %v", err)
				return
			}
		}
		requests := len(t.seen())
		switch {
		case t.op.Column == subscribe && requests != calls:
			t.problem("%d requests for %d calls", requests, calls)
		case t.op.Column != subscribe && float64(succeeded) < 0.995*float64(calls):
			t.problem("%d of %d calls succeed, with %d requests", succeeded, calls, requests)
		case float64(requests) > 1.5*float64(calls):
			t.problem("%d requests for %d calls", requests, calls)
		}
	}
}

// Input.

func badInputs() (all []form) {
	add := func(name string, column rig.Column, says string, call func(ctx context.Context, t *trial) (any, error)) {
		all = append(all, form{
			name: name,
			only: column,
			drive: func(t *trial, c cell) {
				if t.connect() {
					value, err := call(context.Background(), t)
					t.verify(c, value, err)
				}
			},
			wanted: wanted{says: []string{says}},
		})
	}
	search := func(name, says string, channel jobboard.ChannelID, q jobboard.Query) {
		add(name, S, says, func(ctx context.Context, t *trial) (any, error) {
			switch t.op.Label {
			case "Search":
				return rig.Page(t.client.Search(ctx, channel, q))
			case "Postings":
				return rig.Collect(t.client.Postings(ctx, channel, q))
			case "Applicant.Search":
				return rig.Page(t.applicant.Search(ctx, channel, q))
			}
			return rig.Collect(t.applicant.Postings(ctx, channel, q))
		})
	}
	for _, channel := range []string{"", ".", "..", "a\nb", "a\x00b", "\x7f", strings.Repeat("c", 5000)} {
		search(fmt.Sprintf("channel %.20q", channel), "channel", jobboard.ChannelID(channel), jobboard.Query{})
	}
	// TestHeaderCharacters and TestGeoLocationValidate of the root have more.
	search("a language", "language", "c", jobboard.Query{Language: "de\r\nX-Evil: 1"})
	search("a geolocation", "radius", "c", jobboard.Query{Near: jobboard.Near(1, 1, math.Inf(1))})
	for _, id := range []jobboard.JobID{0, -1, math.MinInt64} {
		name := fmt.Sprintf("job %d", id)
		add(
			name, A, "job identifier",
			func(ctx context.Context, t *trial) (any, error) { return t.applicant.HasApplied(ctx, id) },
		)
		add(
			name, P, "job identifier",
			func(ctx context.Context, t *trial) (any, error) { return t.applicant.ApplicationID(ctx, id) },
		)
		add(
			name, J, "job identifier",
			func(ctx context.Context, t *trial) (any, error) { return t.client.JobInformation(ctx, id) },
		)
	}
	for _, id := range []jobboard.SubscriptionID{
		"", ".", "..", "a\rb", "a\x00b", jobboard.SubscriptionID(strings.Repeat("s", 5000)),
	} {
		name := fmt.Sprintf("identifier %.20q", id)
		add(name, confirm, "subscription identifier", func(ctx context.Context, t *trial) (any, error) {
			return rig.Raw(t.client.ConfirmSubscription(ctx, id, nil))
		})
		add(name, unsubscribe, "subscription identifier", func(ctx context.Context, t *trial) (any, error) {
			return rig.Raw(t.client.Unsubscribe(ctx, id))
		})
	}
	for name, body := range map[string]any{
		"a channel": make(chan int), "broken JSON": json.RawMessage("{"), "NaN": math.NaN(),
	} {
		add("body of "+name, subscribe, "body", func(ctx context.Context, t *trial) (any, error) {
			return rig.Raw(t.client.Subscribe(ctx, jobboard.SubscriptionRequest{Body: body}))
		})
		add("body of "+name, confirm, "body", func(ctx context.Context, t *trial) (any, error) {
			return rig.Raw(t.client.ConfirmSubscription(ctx, "s", body))
		})
	}
	return all
}

// insecureBase: a credential does not go where everybody can read it. NewClient refuses a
// client's credential, the call refuses an applicant's.
func insecureBase(t *trial, c cell) {
	refused := func(field string) {
		_, err := jobboard.NewClient(t.cfg)
		if !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), field) ||
			len(rig.Shown(err.Error())) > 0 {
			t.problem("NewClient: %v", err)
		}
	}
	t.cfg.BaseURL, t.cfg.JobDBURL = "http://jobs.example:1/pre/fix", "http://lookup.example:2/db"
	if t.op.Slot == rig.Base {
		refused("BaseURL")
	}
	// Without a credential there is nothing to lose.
	t.cfg.ClientID, t.cfg.TokenSource = "", nil
	if t.op.Changes() {
		t.expectAuth = func(int) string { return "" }
		c = requests(1)
	}
	t.once(context.Background(), c)
	if t.op.Slot == rig.Lookup {
		t.cfg.JobDBTokenSource = jobboard.StaticToken(rig.LookupToken.Secret)
		refused("JobDBURL")
	}
}
