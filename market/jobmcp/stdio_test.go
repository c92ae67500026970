package jobmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// What is no message is answered, and the session goes on.
func TestBearsGarbage(t *testing.T) {
	bubble(t, setting{}, func(t *testing.T, _ *jobboardtest.Server, s *serving, _ context.CancelFunc) {
		got := s.lines()
		s.say(t, initialize)
		for _, test := range []struct{ line, want string }{
			{"garbage", `"code":-32700`},
			{"\x00\xff\xfe", `"code":-32700`},
			{`{"jsonrpc":"2.0","id":1,`, `"code":-32700`},
			{strings.Repeat("[", 100_000), `"code":-32700`},
			{`[]`, "batches are not read"},
			{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"code":-32600`},
			{`7`, `"code":-32600`},
			{`{"some":"thing"}`, `"code":-32600`},
			{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"code":-32600`},
			{`"` + strings.Repeat("x", 3<<20) + `"`, "the message is longer than 1 MiB"},
			{`{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 3<<20) + `"}`, `"id":7,"error":{"code":-32600,"message":"the message is longer than 1 MiB"`},
			{`{"jsonrpc":"2.0","method":"tools/call","params":{"id":1,"x":["id",{"id":2}],"y":"` + strings.Repeat(`\"`, 1<<20) + `"} , "id" : "a,}b" }`, `"id":"a,}b","error":`},
			{`{"jsonrpc":"2.0","id":{"id":3},"method":"` + strings.Repeat("x", 1<<20) + `"}`, `"id":null,"error":`},
			{`{"jsonrpc":"2.0","id":77,"method":"no/such"}`, `"id":77,"error":{"code":-32601`},
			{`{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"apply"}}`, `"id":78,"error":`},
			{`{"jsonrpc":"2.0","id":79,"method":"tools/call","params":[]}`, `"id":79,"error":`},
			{strings.TrimSpace(call(80, "search_jobs", "null")), `"total":42`},
			{`{"jsonrpc":"2.0","id":82,"method":"resources/read","params":{"uri":"a\u0000"}}`, `"id":82,"error":`},
		} {
			before := len(got())
			s.say(t, test.line+"\n")
			if len(got()) != before+1 || !strings.Contains(got()[before], test.want) {
				t.Errorf("%.60q was answered with %q, want %q", test.line, got()[before:], test.want)
			}
		}
		s.say(t, "\n  \r\n"+`{"jsonrpc":"2.0","method":"no/such/notification"}`+"\n")
		s.say(t, call(81, "may_i_apply", `{"job":"2797227"}`))
		if last := got()[len(got())-1]; !strings.Contains(last, `"id":81,"result"`) {
			t.Errorf("after garbage a tool answers %s", last)
		}
	})
}

// A request that is canceled is given up, and so is one that takes too long.
func TestGivesUp(t *testing.T) {
	// The server's own bound is the one to be seen.
	patient := setting{config: jobboard.Config{Retry: jobboard.RetryPolicy{AttemptTimeout: time.Hour}}}
	for name, test := range map[string]struct {
		then func(t *testing.T, s *serving)
		took time.Duration
		want string
	}{
		"cancel": {func(t *testing.T, s *serving) {
			s.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
		}, 0, "the call was canceled"},
		"time": {func(*testing.T, *serving) {
			time.Sleep(maxCallTime)
			synctest.Wait()
		}, maxCallTime, "took longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, patient, func(t *testing.T, srv *jobboardtest.Server, s *serving, _ context.CancelFunc) {
				srv.Fail(jobboardtest.Fault{Delay: time.Hour})
				got := s.lines()
				began := time.Now()
				s.say(t, initialize+call(1, "search_jobs", `{}`))
				test.then(t, s)
				if n := len(got()); n != 2 || !strings.Contains(got()[1], test.want) || time.Since(began) != test.took {
					t.Errorf("after %s: %q", time.Since(began), got())
				}
			})
		})
	}
}

// When the input ends or the process is to end, what was asked before is answered if
// that takes no longer than a second, and given up else.
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(s *serving, stop context.CancelFunc){
		"end of the input": func(s *serving, _ context.CancelFunc) { s.in.Close() },
		"the context":      func(_ *serving, stop context.CancelFunc) { stop() },
	} {
		for delay, calls := range map[time.Duration]int{maxFinish / 2: 2, time.Hour: 3 * defaultCalls} {
			t.Run(fmt.Sprint(name, " ", delay), func(t *testing.T) {
				bubble(t, setting{}, func(t *testing.T, srv *jobboardtest.Server, s *serving, stop context.CancelFunc) {
					srv.Fail(jobboardtest.Fault{Delay: delay})
					got := s.lines()
					s.say(t, initialize)
					for i := range calls {
						s.say(t, call(i+1, "search_jobs", `{}`))
					}
					if n := srv.Count(); n != min(calls, defaultCalls) {
						t.Errorf("%d requests at the same time", n)
					}
					began := time.Now()
					end(s, stop)
					err := <-s.ended
					s.ended <- err
					synctest.Wait() // the last line is read
					if took := time.Since(began); err != nil || took != min(delay, time.Second) {
						t.Errorf("%v after %s", err, took)
					}
					if n := strings.Count(strings.Join(got(), ""), `"total":42`); delay < maxFinish && n != calls {
						t.Errorf("%d answers: %q", n, got())
					}
				})
			})
		}
	}
	t.Run("the client is gone", func(t *testing.T) {
		bubble(t, setting{}, func(t *testing.T, _ *jobboardtest.Server, s *serving, _ context.CancelFunc) {
			s.out.Close() // nobody reads
			s.say(t, initialize)
			err := <-s.ended
			s.ended <- err
			if err == nil {
				t.Error("nobody reads, and that is no error")
			}
		})
	})
}

// padded returns a ping of n bytes, spaces included.
func padded(n int) string { return ping + strings.Repeat(" ", n-len(ping)) }

// A message may have a mebibyte, not counting the end of its line.
func TestMessagesUpToTheirBound(t *testing.T) {
	const most = 1 << 20
	for n, fits := range map[int]bool{most - 1: true, most: true, most + 1: false} {
		for _, end := range []string{"\n", ""} {
			bubble(t, setting{}, func(t *testing.T, _ *jobboardtest.Server, s *serving, _ context.CancelFunc) {
				got := s.lines()
				s.say(t, initialize+padded(n)+end)
				s.in.Close()
				err := <-s.ended
				s.ended <- err
				synctest.Wait()
				want := `{"jsonrpc":"2.0","id":5,"result":{}}`
				if !fits {
					want = `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"the message is longer than 1 MiB"}}`
				}
				if lines := got(); err != nil || len(lines) != 2 || lines[1] != want {
					t.Errorf("%d bytes, end %q: %v, %q, want %s", n, end, err, lines, want)
				}
			})
		}
	}
}

// What is no message is told its kind of fault, in these words.
func TestSaysWhatIsNoMessage(t *testing.T) {
	for line, want := range map[string]string{
		`garbage`:                    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON"}}`,
		`{"id":1}{"id":2}`:           `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON"}}`,
		`[` + ping + `]`:             `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is not one JSON-RPC message; batches are not read"}}`,
		`"x"`:                        `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is not one JSON-RPC message; batches are not read"}}`,
		`{"jsonrpc":"1.0","id":"a"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is not a JSON-RPC message"}}`,
	} {
		bubble(t, setting{}, func(t *testing.T, _ *jobboardtest.Server, s *serving, _ context.CancelFunc) {
			got := s.lines()
			s.say(t, line+"\n")
			if lines := got(); len(lines) != 1 || lines[0] != want {
				t.Errorf("%q: %q, want %s", line, lines, want)
			}
		})
	}
}

// An input that breaks ends the session with its error, after the answers to what came before.
func TestInputBreaks(t *testing.T) {
	bubble(t, setting{}, func(t *testing.T, srv *jobboardtest.Server, s *serving, _ context.CancelFunc) {
		srv.Fail(jobboardtest.Fault{Delay: time.Second / 2})
		got := s.lines()
		s.say(t, initialize+call(1, "search_jobs", `{}`)+`{"jsonrpc":`)
		broken := errors.New("the cable is cut")
		s.in.CloseWithError(broken)
		err := <-s.ended
		s.ended <- err
		synctest.Wait()
		if !errors.Is(err, broken) {
			t.Errorf("the session ended with %v", err)
		}
		if lines := got(); len(lines) != 2 || !strings.Contains(lines[1], `"total":42`) {
			t.Errorf("%q", lines)
		}
	})
}

// When the process ends, the input is closed, so that nobody goes on writing to it.
func TestClosesItsInput(t *testing.T) {
	bubble(t, setting{}, func(t *testing.T, _ *jobboardtest.Server, s *serving, stop context.CancelFunc) {
		s.lines()
		s.say(t, initialize)
		stop()
		err := <-s.ended
		s.ended <- err
		synctest.Wait()
		if _, wrote := io.WriteString(s.in, ping); err != nil || !errors.Is(wrote, io.ErrClosedPipe) {
			t.Errorf("%v, and a message is taken: %v", err, wrote)
		}
	})
}

// Only an answer that goes out counts a call as answered, and nothing of one that cannot be
// written does.
func TestCountsAnswers(t *testing.T) {
	id, err := jsonrpc.MakeID("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		message jsonrpc.Message
		open    int64 // of two calls
		lines   string
		fails   bool
	}{
		{&jsonrpc.Request{Method: "notifications/message"}, 2, `{"jsonrpc":"2.0","method":"notifications/message"}` + "\n", false},
		{&jsonrpc.Response{ID: id, Result: json.RawMessage(`{}`)}, 1, `{"jsonrpc":"2.0","id":"a","result":{}}` + "\n", false},
		{&jsonrpc.Response{ID: id, Result: json.RawMessage(`{`)}, 1, "", true},
	} {
		var out strings.Builder
		c := newConnection(t.Context(), strings.NewReader(""), &out)
		c.open.Store(2)
		for range 2 { // nobody takes what it tells
			c.open.Store(2)
			err = c.Write(t.Context(), test.message)
		}
		if c.open.Load() != test.open || out.String() != test.lines+test.lines || (err != nil) != test.fails {
			t.Errorf("%+v: %v, %d open, %q", test.message, err, c.open.Load(), out.String())
		}
	}
}
