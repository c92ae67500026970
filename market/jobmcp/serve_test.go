package jobmcp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// setting says how a server is set up.
type setting struct {
	options   Options
	config    jobboard.Config   // addresses are filled in; the zero value has the demo's client
	transport http.RoundTripper // nil: the mock server's
	anonymous bool              // there is no applicant
	applicant string            // token; empty: the demo's
}

// server returns a server over a mock server.
func (x setting) server(t *testing.T, srv *jobboardtest.Server) *Server {
	t.Helper()
	cfg := x.config
	cfg.BaseURL, cfg.JobDBURL = srv.BaseURL, srv.JobDBURL
	cfg.HTTPClient = &http.Client{Transport: cmp.Or(x.transport, srv.Client().Transport)}
	if cfg.ClientID == "" && cfg.TokenSource == nil {
		cfg.ClientID = srv.Demo.ClientID
	}
	c, err := jobboard.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	o := x.options
	o.Channel = jobboard.ChannelID(srv.Demo.Channel)
	if !x.anonymous {
		o.Applicant = c.Applicant(jobboard.StaticToken(cmp.Or(x.applicant, srv.Demo.ApplicantToken)))
	}
	if o.Doctor == nil {
		o.Doctor = func(ctx context.Context) ([]Finding, error) { return examination(ctx, c, o) }
	}
	return NewServer(c, o)
}

// examination tells what the service says, as a doctor does.
func examination(ctx context.Context, c *jobboard.Client, o Options) ([]Finding, error) {
	_, err := c.Search(ctx, o.Channel, jobboard.Query{})
	f := Finding{Check: "search", Verdict: "ok", Detail: "works"}
	if err != nil {
		f = Finding{Check: "search", Verdict: "fail", Detail: err.Error(), Next: "look at the settings"}
	}
	return []Finding{f, {Check: "clock", Verdict: "skip"}}, ctx.Err()
}

// serving is a server that runs, and the other side of its input and output.
type serving struct {
	in    *io.PipeWriter
	out   *io.PipeReader
	ended chan error
}

// serve starts a server on pipes.
func serve(ctx context.Context, server *Server) *serving {
	s := &serving{ended: make(chan error, 1)}
	var stdin *io.PipeReader
	var stdout *io.PipeWriter
	stdin, s.in = io.Pipe()
	s.out, stdout = io.Pipe()
	go func() {
		err := server.Serve(ctx, stdin, stdout)
		stdout.Close()
		s.ended <- err
	}()
	return s
}

// connect gives a session of the official client with a server.
func connect(t *testing.T, server *Server) *mcp.ClientSession {
	t.Helper()
	s := serve(t.Context(), server)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: s.out, Writer: s.in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	})
	return session
}

// called is the answer of a tool.
type called struct {
	text   string // without tell, but for may_i_apply, whose decision it tells
	tell   string
	failed bool
	fields map[string]any
}

var tellField = regexp.MustCompile(`"tell":"(?:[^"\\]|\\.)*",|,"tell":"(?:[^"\\]|\\.)*"`)

// use calls a tool. arguments is JSON.
func use(t *testing.T, session *mcp.ClientSession, name, arguments string) called {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s %s: %d contents", name, arguments, len(r.Content))
	}
	c := called{text: r.Content[0].(*mcp.TextContent).Text, failed: r.IsError}
	if err := json.Unmarshal([]byte(c.text), &c.fields); err != nil {
		t.Fatalf("%s %s: %v: %s", name, arguments, err, c.text)
	}
	if c.tell, _ = c.fields["tell"].(string); c.tell == "" || strings.ContainsAny(c.tell, "\n") || len(c.tell) > 200 {
		t.Errorf("%s %s: what to tell the person in one line is %q", name, arguments, c.tell)
	}
	if name != "may_i_apply" || c.failed {
		c.text = tellField.ReplaceAllString(c.text, "")
	}
	if r.IsError != (r.StructuredContent == nil) {
		t.Errorf("%s %s: failed is %t, and the structured content %v", name, arguments, r.IsError, r.StructuredContent)
	}
	return c
}

func (c called) want(t *testing.T, failed bool, texts ...string) called {
	t.Helper()
	if c.failed != failed {
		t.Errorf("failed is %t: %s", c.failed, c.text)
	}
	for _, s := range texts {
		if !strings.Contains(c.text, s) {
			t.Errorf("no %q in %s", s, c.text)
		}
	}
	return c
}

func (c called) without(t *testing.T, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if strings.Contains(c.text, s) {
			t.Errorf("%q in %s", s, c.text)
		}
	}
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func demo(t *testing.T) *jobboardtest.Server {
	t.Helper()
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	t.Cleanup(srv.Close)
	return srv
}

// inMemory is a mock server that a bubble of time may hold.
func inMemory() *jobboardtest.Server {
	return jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
}

// bubble runs a test in virtual time against a mock server without sockets. A goroutine
// of the server that stays behind fails it.
func bubble(t *testing.T, x setting, test func(t *testing.T, srv *jobboardtest.Server, s *serving, end context.CancelFunc)) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory()
		ctx, end := context.WithCancel(t.Context())
		defer end()
		s := serve(ctx, x.server(t, srv))
		test(t, srv, s, end)
		s.in.Close()
		s.out.Close()
		if err := <-s.ended; err != nil {
			t.Log(err) // a server whose client has left may say so
		}
		srv.Close()
		srv.Client().CloseIdleConnections()
	})
}

// lines collects what a server writes; what it gives has the lines so far.
func (s *serving) lines() func() []string {
	var mu sync.Mutex
	var all []string
	go func() {
		for r := bufio.NewReader(s.out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, strings.TrimSpace(line))
			mu.Unlock()
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// say sends lines and waits until the server has nothing more to do at once.
func (s *serving) say(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments)
}

// decode reads JSON, with members in either case.
func decodeJSON[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.500s", err, text)
	}
	return v
}

func read(t *testing.T, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// recorder is a log that several goroutines share.
type recorder struct {
	mu  sync.Mutex
	all strings.Builder
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.Write(p)
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.String()
}

func (r *recorder) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
