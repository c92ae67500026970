package jobmirror_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// roundTrip is a transport.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A first fill gets through on a machine that is so busy that each transaction takes long:
// leases, results, and what is given back wait for the writer of SQLite, which lets those
// write first who came first.
func TestFirstFillWaitsForTheWriter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		during string // the request at which others begin to write
		each   time.Duration
		times  int
	}{
		"one transaction while a channel is read":    {"/jobs", 55 * time.Second, 1},
		"many transactions while a channel is read":  {"/jobs", 6 * time.Second, 20},
		"one transaction while jobs are looked up":   {"/apply/external", 55 * time.Second, 1},
		"many transactions while jobs are looked up": {"/apply/external", 2 * time.Second, 50},
	} {
		for _, forever := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " by Run", false: ""}[forever], func(t *testing.T) {
				inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
					srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Delay: 90 * time.Second})
					srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Delay: 5 * time.Second})
					opts := optionsOf(srv)
					var (
						m       *jobmirror.Mirror
						others  sync.WaitGroup
						busy    sync.Once
						through = opts.Config.HTTPClient.Transport
					)
					opts.Config.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
						if strings.Contains(r.URL.Path, c.during) {
							busy.Do(func() {
								others.Go(func() {
									for range c.times {
										if err := jobmirror.HoldWriter(t.Context(), m, c.each); err != nil {
											t.Error(err)
										}
									}
								})
							})
						}
						return through.RoundTrip(r)
					})}
					opts.RefreshEvery, opts.Config.Retry.AttemptTimeout = time.Hour, 5*time.Minute
					m = open(t, path, opts)
					if forever {
						stop := run(t, m)
						time.Sleep(10 * time.Minute)
						stop()
					} else if err := m.Refresh(t.Context()); err != nil {
						t.Error(err)
					}
					others.Wait()
					s, err := m.Status(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for _, source := range s.Sources {
						if source.Complete.IsZero() || source.Failures > 0 {
							t.Errorf("%s was not copied: %s", source.Name, source.Problem)
						}
					}
					if searched := srv.Count(jobboardtest.OpSearch); searched != 2 {
						t.Errorf("two languages of a channel were read %d times", searched)
					}
					asked, known := srv.Count(jobboardtest.OpJobInformation), int(m.Progress().LookedUp)
					if asked != known || known == 0 {
						t.Errorf("%d lookups were sent, and %d results are written", asked, known)
					}
				})
			})
		}
	}
}

// Those of a process who write take turns, in the order in which they came; who may wait no longer leaves.
func TestWritersTakeTurns(t *testing.T) {
	onEachInVirtualTime(t, func(t *testing.T, address string) {
		m := open(t, address, jobmirror.Options{})
		var (
			writing sync.WaitGroup
			mu      sync.Mutex
			order   []int
			want    []int
		)
		for i := range 12 {
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if i%4 == 3 { // its turn comes later than it may wait
				ctx, cancel = context.WithTimeout(ctx, 2*time.Second)
			} else {
				want = append(want, i)
			}
			writing.Go(func() {
				defer cancel()
				began := time.Now()
				err := jobmirror.HoldWriter(ctx, m, time.Second)
				if i%4 == 3 {
					if waited := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || waited > 2*time.Second {
						t.Errorf("who may wait 2 s waits %s: %v", waited, err)
					}
					return
				}
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i) // each second one
			})
			synctest.Wait()
		}
		writing.Wait()
		if !slices.Equal(order, want) {
			t.Errorf("they wrote in the order %v", order)
		}
	})
}
