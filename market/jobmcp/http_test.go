package jobmcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// served gives a session of the official client with a server over HTTP.
func served(t *testing.T, server *Server) *mcp.ClientSession {
	t.Helper()
	web := httptest.NewServer(server.Handler())
	t.Cleanup(web.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// Over HTTP the tools are the same, except for what_changed, which needs a
// memory.
func TestEveryToolOverHTTP(t *testing.T) {
	session := served(t, setting{options: Options{
		Pages: []Page{{URI: "test://page", Name: "page", Text: "# A page\n"}},
	}}.server(t, demo(t)))
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	want := slices.DeleteFunc(slices.Clone(toolNames), func(name string) bool { return name == "what_changed" })
	if !slices.Equal(names, want) {
		t.Errorf("the tools are %q", names)
	}
	for _, test := range toolCalls {
		if test.tool != "what_changed" {
			use(t, session, test.tool, test.arguments).want(t, test.failed, test.want...)
		}
	}
	page, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://page"})
	if err != nil || page.Contents[0].Text != "# A page\n" {
		t.Errorf("%v: %v", err, page)
	}
}

// ping is a request that any server answers.
const ping = `{"jsonrpc":"2.0","id":5,"method":"ping"}`

// post sends a message to a handler.
func post(h http.Handler, host, origin, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://"+host+"/any/path", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHostsAndOrigins(t *testing.T) {
	srv := demo(t)
	for _, test := range []struct {
		hosts        []string
		host, origin string
		want         int
	}{
		{host: "localhost", want: 200},
		{host: "LOCALHOST:8080", want: 200},
		{host: "127.0.0.1:1", want: 200},
		{host: "[::1]:80", want: 200},
		{host: "jobs.example", want: 403},
		{host: "localhost.evil.example", want: 403},
		{host: "127.0.0.1.evil.example", want: 403},
		{host: "0.0.0.0:8080", want: 403},
		{host: "localhost:8080", origin: "http://localhost:8080", want: 200},
		{host: "localhost:8080", origin: "http://localhost:8081", want: 403},
		{host: "localhost:8080", origin: "https://evil.example", want: 403},
		{host: "localhost:8080", origin: "null", want: 403},
		{host: "localhost:8080", origin: "localhost:8080", want: 403},
		{hosts: []string{"jobs.example"}, host: "jobs.example", want: 200},
		{hosts: []string{"jobs.example"}, host: "Jobs.Example", want: 200},
		{hosts: []string{"jobs.example"}, host: "jobs.example:8080", want: 200},
		{hosts: []string{"jobs.example:8443"}, host: "jobs.example:8443", want: 200},
		{hosts: []string{"jobs.example:8443"}, host: "jobs.example:8080", want: 403},
		{hosts: []string{"fd00::1"}, host: "[fd00::1]:8080", want: 200},
		{hosts: []string{"jobs.bücher.example"}, host: "jobs.xn--bcher-kva.example", want: 200},
		{hosts: []string{"jobs.bücher.example:8443"}, host: "jobs.xn--bcher-kva.example:8443", want: 200},
		{hosts: []string{"jobs.bücher.example:8443"}, host: "jobs.xn--bcher-kva.example", want: 403},
		{hosts: []string{"jobs.example"}, host: "localhost", want: 403},
		{hosts: []string{"jobs.example"}, host: "jobs.example", origin: "https://jobs.example", want: 200},
		{hosts: []string{"jobs.example"}, host: "jobs.example", origin: "https://evil.example", want: 403},
		{hosts: []string{"jobs.example"}, host: "evil.example", origin: "https://evil.example", want: 403},
		{hosts: []string{"jobs.bücher.example"}, host: "jobs.xn--bcher-kva.example", origin: "https://jobs.xn--bcher-kva.example", want: 200},
	} {
		h := setting{options: Options{Hosts: test.hosts}}.server(t, srv).Handler()
		if w := post(h, test.host, test.origin, ping); w.Code != test.want {
			t.Errorf("%+v: %d %s", test, w.Code, w.Body)
		}
	}
}

// padded returns a ping of n bytes.
func padded(n int) string { return "{" + strings.Repeat(" ", n-len(ping)) + ping[1:] }

// What is no message is refused, and what is one answered.
func TestRefusesOverHTTP(t *testing.T) {
	h := setting{}.server(t, demo(t)).Handler()
	for _, test := range []struct {
		name, host, origin string
		body               string
		status             int
		want               string // in the answer
	}{
		{"host", "jobs.example", "", ping, 403, "this host is not served"},
		{"origin", "localhost", "https://evil.example", ping, 403, "pages of this origin may not ask"},
		{"a message", "localhost", "", ping, 200, `{"jsonrpc":"2.0","id":5,"result":{}}`},
		{"space around it", "localhost", "", " \n" + ping + "\n", 200, `{"jsonrpc":"2.0","id":5,"result":{}}`},
		{"just fits", "localhost", "", padded(1 << 20), 200, `{"jsonrpc":"2.0","id":5,"result":{}}`},
		{"a byte too long", "localhost", "", padded(1<<20 + 1), 413, "exceeds 1048576 bytes"},
		{"much too long", "localhost", "", padded(20 << 20), 413, "exceeds 1048576 bytes"},
		{"empty", "localhost", "", "", 400, "non-empty body"},
		{"blank", "localhost", "", " \n", 400, "malformed payload"},
		{"garbage", "localhost", "", "garbage", 400, "malformed payload"},
		{"no call", "localhost", "", `{"some":"thing"}`, 400, "malformed payload"},
		{"deep", "localhost", "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 500_000), 400, "malformed payload"},
		{"batch", "localhost", "", "[" + ping + "]", 400, "batches are not read"},
		{"batch after space", "localhost", "", " \r\n[" + ping + "]", 400, "batches are not read"},
		{"null arguments", "localhost", "", strings.TrimSpace(call(80, "search_jobs", "null")), 200, `"id":80`},
		{"bad name", "localhost", "", `{"jsonrpc":"2.0","id":82,"method":"resources/read","params":{"uri":"a\u0000"}}`, 200, `"id":82,"error":`},
	} {
		w := post(h, test.host, test.origin, test.body)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) || len(w.Body.String()) > 1000 && w.Code != 200 {
			t.Errorf("%s: %d %.300s, want %d %s", test.name, w.Code, w.Body, test.status, test.want)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", io.MultiReader(strings.NewReader(ping), iotest.ErrReader(io.ErrUnexpectedEOF)))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 400 || w.Body.String() != "the message was cut off\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "http://localhost/", nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
}

// When who asked over HTTP has gone, the call is given up at once, as the protocol says from
// 2026-07-28 on. By an earlier one it keeps its place until its time is over.
func TestGivesUpOverHTTP(t *testing.T) {
	for version, want := range map[string]time.Duration{"2026-07-28": 0, "2025-11-25": maxCallTime, "2025-06-18": maxCallTime} {
		synctest.Test(t, func(t *testing.T) {
			srv := inMemory()
			defer srv.Close()
			defer srv.Client().CloseIdleConnections()
			srv.Fail(jobboardtest.Fault{Delay: time.Hour})
			patient := jobboard.Config{Retry: jobboard.RetryPolicy{AttemptTimeout: time.Hour}}
			server := setting{config: patient}.server(t, srv)
			h, began := server.Handler(), time.Now()
			ctx, leave := context.WithCancel(t.Context())
			message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_jobs","arguments":{},"_meta":{` +
				`"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/", strings.NewReader(message))
			r.Header.Set("Mcp-Protocol-Version", version)
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", "search_jobs")
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			go h.ServeHTTP(httptest.NewRecorder(), r)
			synctest.Wait()
			if srv.Count() != 1 || len(server.places) != 1 {
				t.Errorf("%s: %d requests, %d places", version, srv.Count(), len(server.places))
			}
			leave()
			for synctest.Wait(); len(server.places) > 0; synctest.Wait() {
				time.Sleep(time.Second)
			}
			if took := time.Since(began); took != want {
				t.Errorf("%s: it took %s, want %s", version, took, want)
			}
		})
	}
}

// deadlines records the deadlines of a request's body.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(until time.Time) error {
	d.set = append(d.set, until)
	return nil
}

// A body has 5 seconds to come. What follows one that was read to its end has no deadline; one that is too long
// keeps its own, so that its rest does not hold the connection.
func TestBodyHasADeadline(t *testing.T) {
	h, began := setting{}.server(t, demo(t)).Handler(), time.Now()
	for body, lifted := range map[string]bool{ping: true, padded(1 << 20): true, padded(2 << 20): false} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, r)
		if w.set[0].Before(began.Add(5*time.Second)) || w.set[0].After(time.Now().Add(5*time.Second)) ||
			lifted != (len(w.set) == 2 && w.set[1].IsZero()) || !lifted && len(w.set) != 1 {
			t.Errorf("%d bytes: the deadlines are %v", len(body), w.set)
		}
	}
}

// sending records the deadline of an answer.
type sending struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (s *sending) SetWriteDeadline(until time.Time) error {
	s.until = until
	return nil
}

// Whoever does not read an answer loses it, after the longest call has had its time, or when
// the server says.
func TestAnswerHasADeadline(t *testing.T) {
	h, began := setting{}.server(t, demo(t)).Handler(), time.Now()
	most := maxReading + maxCallTime + maxSending
	for server, bounded := range map[*http.Server]bool{nil: true, {}: true, {WriteTimeout: time.Second}: false} {
		w := &sending{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		if server != nil {
			r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, server))
		}
		h.ServeHTTP(w, r)
		if bounded != !w.until.IsZero() || bounded && (w.until.Before(began.Add(most)) || w.until.After(time.Now().Add(most))) {
			t.Errorf("bounded here %t: an answer ends at %s", bounded, w.until)
		}
	}
}

// The handler refuses requests beyond its bound, and answers the earlier ones.
func TestTooManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		h := NewServer(nil, Options{Rate: -1, Open: func(context.Context, Need) (Board, error) {
			<-free
			return Board{}, jobboard.ErrInvalidInput
		}}).Handler()
		codes := make(chan int, maxRequests)
		for range maxRequests {
			go func() { codes <- post(h, "localhost", "", call(1, "search_jobs", `{}`)).Code }()
		}
		synctest.Wait()
		if w := post(h, "jobs.example", "", ping); w.Code != http.StatusForbidden {
			t.Errorf("of another host: %d", w.Code)
		}
		if w := post(h, "localhost", "", ping); w.Code != 503 || w.Header().Get("Retry-After") != "1" || w.Body.String() != "too many requests are under way\n" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		close(free)
		for range maxRequests {
			if code := <-codes; code != http.StatusOK {
				t.Error(code)
			}
		}
		if w := post(h, "localhost", "", ping); w.Code != http.StatusOK {
			t.Errorf("afterwards: %d", w.Code)
		}
	})
}

// overHTTP stands in the place of serve: it sends each line as a request of its own.
func overHTTP(ctx context.Context, server *Server) *serving {
	s := &serving{ended: make(chan error, 1)}
	var stdin *io.PipeReader
	var stdout *io.PipeWriter
	stdin, s.in = io.Pipe()
	s.out, stdout = io.Pipe()
	h := server.Handler()
	go func() {
		var all sync.WaitGroup
		var writing sync.Mutex
		for in := bufio.NewReader(stdin); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				break
			}
			all.Go(func() {
				answer := strings.TrimSpace(post(h, "localhost", "", line).Body.String())
				if answer == "" {
					return
				}
				if !json.Valid([]byte(answer)) { // words of the transport
					words, _ := json.Marshal(answer)
					answer = `{"error":` + string(words) + `}`
				}
				writing.Lock()
				defer writing.Unlock()
				_, _ = io.WriteString(stdout, strings.ReplaceAll(answer, "\n", " ")+"\n")
			})
		}
		all.Wait()
		stdout.Close()
		s.ended <- ctx.Err()
	}()
	return s
}

// The service gets nothing but questions over HTTP, too, and no secret comes out.
func TestExchangesOverHTTP(t *testing.T) {
	for seed := range uint64(4) {
		exchanges(t, 1000+seed, 250, overHTTP)
	}
}
