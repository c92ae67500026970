package jobmcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// Bounds of a server, documented in market/docs/assistant.md.
const (
	maxMessage   = 1 << 20          // bytes of a message
	maxAnswer    = 64 << 10         // bytes of a tool's result
	defaultCalls = 4                // tools that work at the same time
	maxCallTime  = 60 * time.Second // of a tool
	cacheFor     = 10 * time.Minute // how long a caller may keep the lists of tools and pages
	maxFinish    = time.Second      // time for running calls when the process is to end
	defaultRate  = 5                // calls of the interface a second, after a burst
	burstSeconds = 4                // a burst may have the calls of so many seconds
)

// Options set up a Server. The zero value serves a client's tools to callers on this machine.
type Options struct {
	Channel   jobboard.ChannelID  // default channel of searches; empty: each call must name one
	Applicant *jobboard.Applicant // the applicant of may_i_apply; nil: it tells only whether the job is open to anybody

	// Rate bounds the calls of the interface per second, for all callers together, after a
	// burst of the calls of four seconds. 0 means 5. Below 0 there is no bound, for a client
	// whose Config has a Limiter.
	Rate float64
	// Calls bounds the tool calls that run at the same time, for all callers together;
	// 0 means 4.
	Calls int

	// Hosts lists the host names and addresses that Handler serves: jobs.example on every
	// port, jobs.example:8443 on this port only. If it is empty, Handler serves localhost and
	// loopback addresses. It refuses other hosts, so that no web page can reach the server by
	// a name of its own (DNS rebinding). Of web pages only those of the request's own host may call Handler.
	Hosts []string

	Version string       // version shown to callers; empty: "unknown"
	Logger  *slog.Logger // logs records of the MCP library; nil: silent

	// Open is called before each tool call and returns the client for it, in place of
	// NewServer's. Its error becomes the result of the tool call.
	Open func(ctx context.Context, need Need) (Board, error)
	// Failed is called with each error of a tool call, for example to make Open read its
	// settings again; nil: no call.
	Failed func(error)
	// NextStep returns advice for an error, or "" to use the advice of package jobmcp; nil:
	// always that advice.
	NextStep func(error) string
	// JobURL returns the address of the page of a job on the site of this server, for results to link to; nil: results
	// link to the board alone.
	JobURL func(job jobboard.JobID, title string) string
	// SignIn explains to a person how to sign in as an applicant; empty: signing in is
	// impossible.
	SignIn string
	// Kept returns a stored snapshot, or nil, with which what_changed compares in the first
	// call of a session; nil: no stored snapshot.
	Kept func() (*snapshot.Snapshot, error)
	// Doctor checks the set-up for the tool doctor; nil: the server has no such
	// tool.
	Doctor func(context.Context) ([]Finding, error)
	// Pages are offered to assistants as resources.
	Pages []Page
	// Mask hides secrets in every text for an assistant; nil: there are no secrets.
	Mask func(string) string
}

// Board holds the client, the applicant and the channel for tool calls.
type Board struct {
	Client    *jobboard.Client
	Channel   jobboard.ChannelID  // as in Options
	Applicant *jobboard.Applicant // as in Options

	// SearchAsApplicant makes searches with the applicant's token, for a client
	// without a credential.
	SearchAsApplicant bool
}

// Need names the calls that a tool is about to make with a Board.
type Need int

// The values of Need.
const (
	NeedSearch    Need = iota + 1 // the search of a channel
	NeedLookup                    // the job information lookup
	NeedApplicant                 // the lookup and, with an applicant, the applied check
)

// Page holds a text in Markdown that assistants can read as a resource.
type Page struct {
	URI  string // such as myboard://docs/search.md
	Name string
	Text string // its first line is the title
}

// Finding is the result of a check of Options.Doctor.
type Finding struct {
	Check   string
	Verdict string // ok, warn, fail or skip
	Detail  string // may quote the service
	Next    string // next step for a person; empty: none
}

// Server serves the tools. Several assistants may use it at the same time.
type Server struct {
	o      Options
	board  Board
	limit  *rate.Limiter // nil: none
	places chan struct{} // full while Calls tool calls run

	mu   sync.Mutex
	seen []*snapshot.Snapshot // baselines of what_changed, one per search, newest last
}

// NewServer returns a server whose tools call the board with c. With Options.Open c may be
// nil. NewServer makes no request.
func NewServer(c *jobboard.Client, o Options) *Server {
	s := &Server{o: o, board: Board{Client: c, Channel: o.Channel, Applicant: o.Applicant}}
	if o.Calls <= 0 {
		o.Calls = defaultCalls
	}
	s.places = make(chan struct{}, o.Calls)
	if o.Rate == 0 {
		o.Rate = defaultRate
	}
	if o.Rate > 0 {
		s.limit = rate.NewLimiter(rate.Limit(o.Rate), max(1, int(burstSeconds*o.Rate)))
	}
	return s
}

// Serve answers one assistant over standard input and output, or other streams with one
// message per line, until the input or ctx ends, and returns nil. What it has read it answers
// first, within a minute, or a second when ctx ends. A line that is no message, or longer than 1 MiB,
// ends it with an error. Serve closes in when it ends, if in is an io.Closer.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := &mcp.IOTransport{Reader: closing(in), Writer: unclosed{out}, MaxLineLength: maxMessage}
	return s.protocol(true).Run(context.WithoutCancel(ctx), finishing{lines, ctx})
}

// protocol returns the library's server with the tools and the pages. Only with session
// it has the tool what_changed, which needs a memory.
func (s *Server) protocol(session bool) *mcp.Server {
	if s.places == nil { // each call would wait for a place for ever
		panic("jobmcp: use NewServer: the zero Server asks nobody")
	}
	version := s.o.Version
	if version == "" {
		version = "unknown"
	}
	about := &mcp.Implementation{Name: "jobboard", Title: "Job board", Version: version}
	server := mcp.NewServer(about, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       s.o.Logger,
		// The lists of tools and pages, and the pages, stay the same as long as the process runs.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs = int(cacheFor.Milliseconds()) },
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
	})
	tools := &toolbox{server: server}
	s.addTools(tools, session)
	server.AddReceivingMiddleware(s.guard, tools.guard)
	for _, p := range s.o.Pages {
		addPage(server, p)
	}
	return server
}

// guard bounds the time of a request, and the number of tool calls at once.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, maxCallTime)
		defer cancel()
		if _, ok := req.(*mcp.CallToolRequest); ok {
			select {
			case s.places <- struct{}{}:
				defer func() { <-s.places }()
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-callerLeft(ctx):
				return nil, context.Canceled // the caller has left
			}
		}
		result, err := next(ctx, method, req)
		return result, sendable(err)
	}
}

// sendable removes the data of an error if they are invalid JSON, as in the
// library's error for a page name with a control character: with such data the
// library would end the session.
func sendable(err error) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && len(wire.Data) > 0 && !json.Valid(wire.Data) {
		return &jsonrpc.Error{Code: wire.Code, Message: wire.Message}
	}
	return err
}

// ask waits until the rate permits n calls of the interface, and returns the Board
// to call.
func (s *Server) ask(ctx context.Context, need Need, n int) (Board, error) {
	b := s.board
	if s.o.Open != nil {
		var err error
		if b, err = s.o.Open(ctx, need); err != nil {
			return b, err
		}
	}
	if s.limit == nil {
		return b, nil
	}
	if err := s.limit.WaitN(ctx, min(n, s.limit.Burst())); err != nil {
		return b, &advised{errBusy, "try again later"}
	}
	return b, nil
}

var errBusy = errors.New("too many calls are waiting for their turn")

// masked returns a text without secrets.
func (s *Server) masked(text string) string {
	if s.o.Mask == nil {
		return text
	}
	return s.o.Mask(text)
}
