package jobmcp

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A message that the server cannot serve is answered, and the session goes on.
func TestAnswersWhatItCannotServe(t *testing.T) {
	bubble(t, setting{}, func(t *testing.T, _ *jobboardtest.Server, s *serving, _ context.CancelFunc) {
		got := s.lines()
		s.say(t, initialize)
		for _, test := range []struct{ line, want string }{
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
			t.Errorf("afterwards a tool answers %s", last)
		}
	})
}

// A line that is no message ends the session with an error, after the answers to what came before.
func TestEndsAtWhatIsNoMessage(t *testing.T) {
	for _, line := range []string{
		"garbage",
		"\x00\xff\xfe",
		`{"jsonrpc":"2.0","id":1,`,
		strings.Repeat("[", 100_000),
		`[]`,
		`7`,
		`{"id":1}{"id":2}`,
		`{"some":"thing"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		`"` + strings.Repeat("x", 3<<20) + `"`,
		`{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 3<<20) + `"}`,
	} {
		bubble(t, setting{}, func(t *testing.T, srv *jobboardtest.Server, s *serving, _ context.CancelFunc) {
			srv.Fail(jobboardtest.Fault{Delay: 10 * time.Second})
			got := s.lines()
			s.say(t, initialize+call(1, "search_jobs", `{}`))
			go func() { _, _ = io.WriteString(s.in, line+"\n"+call(2, "search_jobs", `{}`)) }()
			err := <-s.ended
			s.ended <- err
			synctest.Wait()
			if err == nil || !strings.Contains(err.Error(), "a line is not one message of at most 1 MiB") {
				t.Errorf("%.60q: the session ended with %v", line, err)
			}
			if lines := got(); len(lines) != 2 || !strings.Contains(lines[1], `"total":42`) {
				t.Errorf("%.60q: %.300q", line, lines)
			}
		})
	}
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

// When the input ends what was asked before is answered, within the time that a call has; when the process
// is to end, if that takes no longer than a second. The rest is given up.
func TestEnds(t *testing.T) {
	eof := func(s *serving, _ context.CancelFunc) { s.in.Close() }
	stop := func(_ *serving, stop context.CancelFunc) { stop() }
	for name, test := range map[string]struct {
		end      func(s *serving, stop context.CancelFunc)
		delay    time.Duration // of the service
		calls    int
		took     time.Duration
		answered bool
	}{
		"end of the input":                  {eof, 30 * time.Second, 2, 30 * time.Second, true},
		"end of the input, nothing comes":   {eof, time.Hour, 3 * defaultCalls, maxCallTime, false},
		"the context":                       {stop, maxFinish / 2, 2, maxFinish / 2, true},
		"the context, nothing comes":        {stop, time.Hour, 3 * defaultCalls, maxFinish, false},
		"the context after the input":       {func(s *serving, end context.CancelFunc) { s.in.Close(); synctest.Wait(); end() }, time.Hour, 2, maxFinish, false},
		"end of the input, nothing is open": {eof, 0, 2, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			patient := setting{config: jobboard.Config{Retry: jobboard.RetryPolicy{AttemptTimeout: time.Hour}}}
			bubble(t, patient, func(t *testing.T, srv *jobboardtest.Server, s *serving, stop context.CancelFunc) {
				srv.Fail(jobboardtest.Fault{Delay: test.delay})
				got := s.lines()
				s.say(t, initialize)
				for i := range test.calls {
					s.say(t, call(i+1, "search_jobs", `{}`))
				}
				if n := srv.Count(); n != min(test.calls, defaultCalls) {
					t.Errorf("%d requests at the same time", n)
				}
				began := time.Now()
				test.end(s, stop)
				err := <-s.ended
				s.ended <- err
				synctest.Wait() // the last line is read
				if took := time.Since(began); err != nil || took != test.took {
					t.Errorf("%v after %s", err, took)
				}
				if n := strings.Count(strings.Join(got(), ""), `"total":42`); test.answered != (n == test.calls) {
					t.Errorf("%d answers: %q", n, got())
				}
			})
		})
	}
	t.Run("the client is gone", func(t *testing.T) {
		bubble(t, setting{}, func(t *testing.T, srv *jobboardtest.Server, s *serving, _ context.CancelFunc) {
			got := s.lines()
			s.say(t, initialize)
			srv.Fail(jobboardtest.Fault{Delay: time.Hour})
			s.say(t, call(1, "search_jobs", `{}`)+call(2, "search_jobs", `{}`))
			s.out.Close() // nobody reads
			began := time.Now()
			s.say(t, ping+"\n")
			err := <-s.ended
			s.ended <- err
			if took := time.Since(began); err == nil || took != 0 || len(got()) != 1 {
				t.Errorf("nobody reads, and after %s: %v, %q", took, err, got())
			}
		})
	})
}

// A message may have a mebibyte, not counting the end of its line.
func TestMessagesUpToTheirBound(t *testing.T) {
	const most = 1 << 20
	for n, fits := range map[int]bool{most - 1: true, most: true, most + 1: false} {
		for _, end := range []string{"\n", ""} {
			bubble(t, setting{}, func(t *testing.T, _ *jobboardtest.Server, s *serving, _ context.CancelFunc) {
				got := s.lines()
				s.say(t, initialize)
				_, _ = io.WriteString(s.in, padded(n)+end) // a session that ends takes no more
				s.in.Close()
				err := <-s.ended
				s.ended <- err
				synctest.Wait()
				lines := got()
				if answered := len(lines) == 2 && lines[1] == `{"jsonrpc":"2.0","id":5,"result":{}}`; answered != fits || (err == nil) != fits {
					t.Errorf("%d bytes, end %q: %v, %q", n, end, err, lines)
				}
			})
		}
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
