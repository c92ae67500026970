package jobmcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// pipes is a listener without sockets, which a bubble of time may hold.
type pipes struct {
	conns chan net.Conn
	open  context.Context
	close context.CancelFunc
}

func (l pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.open.Done():
		return nil, net.ErrClosed
	}
}

func (l pipes) Close() error   { l.close(); return nil }
func (l pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// dial returns a client's end of a connection to a server that has begun to send the message
// of a request and sent one byte of it.
func (l pipes) dial(t *testing.T) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	l.conns <- there
	_, err := fmt.Fprintf(here, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n{", len(ping))
	if err != nil {
		t.Fatal(err)
	}
	return here
}

// listening runs a test in virtual time against a web server with a handler. A goroutine of the
// server that stays behind fails it.
func listening(t *testing.T, wrap func(http.Handler) http.Handler, test func(t *testing.T, l pipes, h http.Handler)) {
	synctest.Test(t, func(t *testing.T) {
		l := pipes{conns: make(chan net.Conn)}
		l.open, l.close = context.WithCancel(t.Context())
		h := wrap(NewServer(nil, Options{}).Handler())
		web := &http.Server{Handler: h}
		go func() { _ = web.Serve(l) }()
		test(t, l, h)
		web.Close()
		synctest.Wait()
	})
}

// answerOf reads the answer of a request that dial began.
func answerOf(t *testing.T, c net.Conn) (status int, body string) {
	t.Helper()
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func bare(h http.Handler) http.Handler { return h }

// withoutDeadlines hides the deadlines of a connection, as middleware without Unwrap does.
func withoutDeadlines(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	})
}

// linger is how long Go's server keeps a connection whose request it did not read whole, so that the client
// can still read the answer. Go 1.26 closes one that is no TCP connection at once.
const linger = 500 * time.Millisecond

// Messages that come slowly take no place: others are answered at once, and each is given up
// after five seconds.
func TestSlowMessagesStopNobody(t *testing.T) {
	listening(t, bare, func(t *testing.T, l pipes, h http.Handler) {
		var slow []net.Conn
		for range 2 * maxRequests {
			slow = append(slow, l.dial(t))
		}
		synctest.Wait()
		began := time.Now()
		if w := post(h, "localhost", "", ping); w.Code != http.StatusOK || time.Since(began) != 0 {
			t.Errorf("beside them: %d %s after %s", w.Code, w.Body, time.Since(began))
		}
		time.Sleep(4 * time.Second)
		for _, c := range slow {
			if _, err := io.WriteString(c, ping[1:2]); err != nil {
				t.Fatalf("ended too early: %v", err)
			}
		}
		for _, c := range slow { // all answers first, since each connection ends a moment later
			status, body := answerOf(t, c)
			if took := time.Since(began); status != 400 || !strings.Contains(body, "the message was cut off") || took != 5*time.Second {
				t.Errorf("%d %s after %s", status, body, took)
			}
		}
		for _, c := range slow {
			if n, err := c.Read(make([]byte, 1)); err == nil || time.Since(began) > 5*time.Second+linger {
				t.Errorf("the connection stays open for %s: %d bytes more", time.Since(began), n)
			}
		}
	})
}

// When too many messages are being read, a new one cancels only the oldest read; where nothing can end it,
// the new one is refused.
func TestEndsTheMessageReadForLongest(t *testing.T) {
	for name, wrap := range map[string]func(http.Handler) http.Handler{"": bare, "without deadlines": withoutDeadlines} {
		listening(t, wrap, func(t *testing.T, l pipes, _ http.Handler) {
			var conns []net.Conn
			for range maxReaders + 1 {
				conns = append(conns, l.dial(t))
				synctest.Wait()
			}
			refused := 0
			if name != "" {
				refused = maxReaders
			}
			began := time.Now()
			status, body := answerOf(t, conns[refused])
			if status != 503 || body != "too many requests are under way\n" || time.Since(began) != 0 {
				t.Errorf("%s: %d %s after %s", name, status, body, time.Since(began))
			}
			if name == "" { // its connection ends, too
				if n, err := conns[refused].Read(make([]byte, 1)); err == nil || time.Since(began) > linger {
					t.Errorf("the connection stays open for %s: %d bytes more", time.Since(began), n)
				}
			}
			conns[refused].Close()
			for _, c := range slices.Delete(conns, refused, refused+1) {
				if _, err := io.WriteString(c, ping[1:]); err != nil {
					t.Fatal(err)
				}
				if status, body := answerOf(t, c); status != 200 {
					t.Errorf("%s: another: %d %s", name, status, body)
				}
				c.Close()
			}
		})
	}
}

// Calls whose callers have left do not keep others waiting: waiting calls are cancelled, and
// running calls are finished.
func TestAbandonedCallsGiveUpTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, done atomic.Int32
		server := NewServer(nil, Options{Rate: -1, Open: func(ctx context.Context, _ Need) (Board, error) {
			begun.Add(1)
			select {
			case <-time.After(time.Second):
				done.Add(1)
			case <-ctx.Done():
			}
			return Board{}, jobboard.ErrInvalidInput
		}})
		h := server.Handler()
		search := call(1, "search_jobs", `{}`)
		for range 20 {
			ctx, leave := context.WithCancel(t.Context())
			for range 60 {
				r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/", strings.NewReader(search))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				go h.ServeHTTP(httptest.NewRecorder(), r)
			}
			synctest.Wait()
			leave()
			synctest.Wait()
		}
		began := time.Now()
		if w := post(h, "localhost", "", search); w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if took := time.Since(began); took != 2*time.Second { // the calls under way, and this one
			t.Errorf("the next caller waited %s", took)
		}
		if begun.Load() != defaultCalls+1 || done.Load() != begun.Load() {
			t.Errorf("%d calls began, %d were finished", begun.Load(), done.Load())
		}
	})
}
