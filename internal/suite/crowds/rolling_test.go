package crowds_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// Two servers behind one address that restart one after the other, gently or not,
// cost no GET, and no POST is executed twice. On a machine that is busy they cost no
// more GETs than with net/http alone, which is where a loss is a question of luck.
func TestServersRestartInTurn(t *testing.T) {
	certificate := httptest.NewTLSServer(nil)
	certificate.Close()
	for name, secure := range map[string]*httptest.Server{"HTTP/1.1": nil, "HTTP/2": certificate} {
		for how, stop := range map[string]func(*rig.Server) error{
			"graceful": func(s *rig.Server) error { return s.Shutdown(context.Background()) },
			"hard":     (*rig.Server).Close,
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				pair := startPair(t, secure, stop)
				calls, failed := pair.call(t, pair.client(t))
				t.Logf("figure: servers restart in turn: %d of %d GETs fail", failed, calls)
				var plainCalls, plainFailed int64
				for round := 0; failed > 0 && round < 3; round++ { // one round would be left to chance
					plain := startPair(t, secure, stop)
					c, f := plain.call(t, plain.plain())
					plainCalls, plainFailed = plainCalls+c, plainFailed+f
					if round > 0 {
						again := startPair(t, secure, stop)
						c, f = again.call(t, again.client(t))
						calls, failed = calls+c, failed+f
					}
				}
				if failed > plainFailed+calls/200 {
					t.Errorf("%d of %d GETs fail, with net/http alone %d of %d", failed, calls, plainFailed, plainCalls)
				}
				pair.executed.Range(func(body, times any) bool {
					if n := times.(*atomic.Int64).Load(); n > 1 {
						t.Errorf("POST %s is executed %d times", body, n)
					}
					return true
				})
			})
		}
	}
}

// Calls that one server loses at one moment are repeated without a token of the budget, once
// each, if another one has answered meanwhile. If none has, the budget's tokens bound the
// repeats.
func TestLossAtOneMoment(t *testing.T) {
	const calls, tokens = 20, 2
	const soon, late = 20 * time.Millisecond, 1020 * time.Millisecond // after the loss, before the first repeat
	reset, good := func(x *rig.Exchange) { x.Reset() }, func(x *rig.Exchange) { x.Answer(200, "", "true") }
	closed := func(x *rig.Exchange) { x.Answer(410, "", "posting inactive") }
	broken := func(x *rig.Exchange) { x.Answer(501, "", "") }
	for name, test := range map[string]struct {
		losses    int                 // of each call
		lose      func(*rig.Exchange) // a request
		at        time.Duration       // when another request is sent, the first of two
		meanwhile func(*rig.Exchange) // its answer; nil: there is none
		repeated  int                 // calls
		failed    int
	}{
		"another is answered":           {1, reset, soon, good, calls, 0},
		"another has a condition":       {1, reset, soon, closed, calls, 0},
		"all are lost again and again":  {5, raw(""), soon, good, calls + tokens, calls},
		"another fails":                 {5, reset, soon, broken, tokens, calls},
		"no other":                      {5, reset, soon, nil, tokens, calls},
		"no answer comes in time":       {1, stall(""), late, good, tokens, calls - tokens},
		"the answer ends in its header": {1, raw("HTTP/1.1 200 OK\r\n"), soon, good, tokens, calls - tokens},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				seen := map[string]int{} // requests by path
				sum := 0
				_, network, stop := rig.Run(func(x *rig.Exchange) {
					mu.Lock()
					sum++
					seen[x.Request.URL.Path]++
					n := seen[x.Request.URL.Path]
					mu.Unlock()
					switch {
					case strings.Contains(x.Request.URL.Path, "/1000/"):
						test.meanwhile(x)
					case n <= test.losses:
						<-time.After(10 * time.Millisecond)
						test.lose(x)
					default:
						good(x)
					}
				})
				network.DisableKeepAlives = true // net/http repeats by itself what is lost on a used connection
				c := rig.Client(t, jobboard.Config{
					BaseURL: "http://127.0.0.1", HTTPClient: &http.Client{Transport: network},
					Retry: jobboard.RetryPolicy{AttemptTimeout: time.Second},
				})
				user := c.Applicant(jobboard.StaticToken("token"))
				failed := 0
				var all sync.WaitGroup
				for number := range calls {
					all.Go(func() {
						if _, err := user.HasApplied(t.Context(), jobboard.JobID(number+1)); err != nil {
							mu.Lock()
							failed++
							mu.Unlock()
						}
					})
				}
				others := 0
				for start := time.Now(); test.meanwhile != nil && others < 2; others++ {
					// The second one comes after the first repeats, and before the second ones.
					<-time.After(time.Until(start.Add(test.at + time.Duration(others)*285*time.Millisecond)))
					_, _ = user.HasApplied(t.Context(), 1000)
				}
				all.Wait()
				if repeated := sum - others - calls; repeated != test.repeated || failed != test.failed {
					t.Errorf("%d repeats, and %d of %d calls fail; want %d and %d", repeated, failed, calls, test.repeated, test.failed)
				}
				stop()
			})
		})
	}
}

// pair is two servers that share an address.
type pair struct {
	secure   *httptest.Server // has the certificate of HTTP/2; nil: HTTP/1.1
	stop     func(*rig.Server) error
	base     string
	network  *http.Transport
	conns    [2]chan net.Conn
	servers  [2]*rig.Server
	executed sync.Map // POSTs by body
}

func startPair(t *testing.T, secure *httptest.Server, stop func(*rig.Server) error) *pair {
	listener := rig.Must(net.Listen("tcp", "127.0.0.1:0"))
	p := &pair{secure: secure, stop: stop, base: "http://" + listener.Addr().String()}
	p.network = &http.Transport{MaxIdleConnsPerHost: 16}
	if secure != nil {
		p.base = "https://" + listener.Addr().String()
		p.network.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		p.network.ForceAttemptHTTP2 = true
	}
	done := make(chan struct{})
	for i := range p.servers {
		p.conns[i] = make(chan net.Conn)
		p.start(i)
	}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for n := 0; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepting.Go(func() {
				select { // picks a server that is up, if one is down
				case p.conns[n%2] <- conn:
				case p.conns[1-n%2] <- conn:
				case <-done:
					_ = conn.Close()
				}
			})
		}
	})
	t.Cleanup(func() {
		p.network.CloseIdleConnections()
		for _, s := range p.servers {
			_ = s.Close()
		}
		_ = listener.Close()
		close(done)
		accepting.Wait()
	})
	return p
}

// start starts a server of the pair.
func (p *pair) start(i int) {
	s := rig.NewServer(func(x *rig.Exchange) {
		body, err := io.ReadAll(x.Request.Body)
		if err != nil {
			return
		}
		if len(body) > 0 {
			count, _ := p.executed.LoadOrStore(string(body), new(atomic.Int64))
			count.(*atomic.Int64).Add(1)
		}
		pause := time.NewTimer(5 * time.Millisecond)
		defer pause.Stop()
		<-pause.C
		x.Answer(200, "application/json", "true")
	})
	var l net.Listener = &handed{conns: p.conns[i], closed: make(chan struct{})}
	if p.secure != nil {
		s.TLSConfig = &tls.Config{Certificates: p.secure.TLS.Certificates, NextProtos: []string{"h2"}}
		l = tls.NewListener(l, s.TLSConfig)
	}
	p.servers[i] = s
	go func() { _ = s.Serve(l) }()
}

// call makes calls from 16 callers, while the servers restart 15 times, each time after
// some GETs were answered, however slow the machine is. It returns how many GETs were made
// and failed.
func (p *pair) call(t *testing.T, get func(number int) error) (calls, failed int64) {
	var made, answered, lost atomic.Int64
	done := make(chan struct{})
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			for n := caller; ; n += 16 {
				select {
				case <-done:
					return
				default:
				}
				made.Add(1)
				if err := get(n + 1); err != nil {
					lost.Add(1)
					t.Logf("a GET fails: %v", err)
				} else {
					answered.Add(1)
				}
			}
		})
	}
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	goOn := func() {
		for enough := answered.Load() + 20; ; {
			if <-tick.C; answered.Load() >= enough {
				return
			}
		}
	}
	for restart := range 15 {
		goOn()
		if err := p.stop(p.servers[restart%2]); err != nil {
			t.Error(err)
		}
		goOn()
		p.start(restart % 2)
	}
	goOn()
	close(done)
	callers.Wait()
	return made.Load(), lost.Load()
}

// client returns the calls of a client: a GET, and a POST of which nothing else is
// asked than that it is sent once.
func (p *pair) client(t *testing.T) func(number int) error {
	cfg := jobboard.Config{BaseURL: p.base}
	if p.secure != nil {
		cfg.HTTPClient = &http.Client{Transport: p.network}
	}
	c := rig.Client(t, cfg)
	user := c.Applicant(jobboard.StaticToken("token"))
	return func(number int) error {
		_, _ = c.Subscribe(t.Context(), jobboard.SubscriptionRequest{Body: number})
		_, err := user.HasApplied(t.Context(), jobboard.JobID(number))
		return err
	}
}

// plain returns the same calls with net/http alone.
func (p *pair) plain() func(number int) error {
	c := &http.Client{Transport: p.network}
	return func(number int) error {
		if resp, err := c.Post(p.base, "application/json", strings.NewReader(strconv.Itoa(number))); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		resp, err := c.Get(p.base)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
}

// handed is a listener for connections that another one has accepted.
type handed struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (h *handed) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h *handed) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

func (*handed) Addr() net.Addr { return &net.TCPAddr{} }
