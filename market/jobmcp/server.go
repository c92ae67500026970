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
)

// Bounds of a server, which docs/assistant.md tells.
const (
	maxMessage   = 1 << 20          // bytes of a message that it reads
	maxAnswer    = 64 << 10         // bytes of a tool's result
	defaultCalls = 4                // tools that work at the same time
	maxCallTime  = 60 * time.Second // of a tool
	maxFinish    = time.Second      // of the calls under way when the input or the process ends
	defaultRate  = 5                // calls of the interface a second, after a burst
	burstSeconds = 4                // of the rate that a burst may have
)

// Options set up a Server. The zero value serves a client's tools to callers on this machine.
type Options struct {
	Channel   jobboard.ChannelID  // searched where a call names none; empty: each call must name one
	Applicant *jobboard.Applicant // the one that may_i_apply asks about; nil: it tells what holds for everybody

	// Rate bounds the calls of the interface a second, of all callers together, after a burst
	// of four seconds' worth; 0: 5, below 0: no bound, for a client whose Config has a Limiter.
	Rate float64
	// Calls bounds the tools that work at the same time, of all callers together; 0: 4.
	Calls int

	// Hosts are the names and addresses by which Handler may be asked: jobs.example on every
	// port, jobs.example:8443 on that port alone; none: localhost and loopback addresses. A
	// request for another host is refused, so that no web page reaches the server by pointing
	// a name of its own at it (DNS rebinding).
	Hosts []string
	// Origins are the origins of web pages, such as https://app.example, that may ask Handler;
	// none: only those of the host that was asked.
	Origins []string

	Version string       // told to callers; empty: "unknown"
	Logger  *slog.Logger // for the records of the protocol's library; nil: silent

	// Open is called before each call of a tool and returns the client that it asks, in place
	// of the one that NewServer was given. Its error becomes the tool's.
	Open func(ctx context.Context, need Need) (Board, error)
	// Failed is called with each error of a tool, so that Open can read its settings anew; nil:
	// no call.
	Failed func(error)
	// NextStep returns what to do about an error, or "" to leave it at what the tool says by
	// itself; nil: always that.
	NextStep func(error) string
	// SignIn tells a person how to sign in as an applicant; empty: there is no way.
	SignIn string
	// Kept returns a snapshot from elsewhere, with which what_changed compares the first look
	// of a session, or nil for none; nil: always none.
	Kept func() (*jobboard.Snapshot, error)
	// Doctor finds out why a set-up does not work; nil: there is no tool for it.
	Doctor func(context.Context) ([]Finding, error)
	// Pages are offered to assistants as resources.
	Pages []Page
	// Mask hides secrets in every text that an assistant gets; nil: there are none.
	Mask func(string) string
}

// Board holds the client, the applicant and the channel that tools ask.
type Board struct {
	Client    *jobboard.Client
	Channel   jobboard.ChannelID  // as in Options
	Applicant *jobboard.Applicant // as in Options

	// SearchAsApplicant lets the applicant search, for a client without a credential.
	SearchAsApplicant bool
}

// Need tells what a tool is about to ask of a Board.
type Need int

// The needs of tools.
const (
	NeedSearch    Need = iota + 1 // the search of a channel
	NeedLookup                    // the job information lookup
	NeedApplicant                 // the lookup, and the applied check where there is an applicant
)

// Page holds a text in Markdown that assistants can read as a resource.
type Page struct {
	URI  string // such as myboard://docs/search.md
	Name string
	Text string // its first line is the title
}

// Finding holds a check of Options.Doctor.
type Finding struct {
	Check   string
	Verdict string // ok, warn, fail or skip
	Detail  string // may quote what the service said
	Next    string // step for a person; empty: none
}

// Server serves the tools. Several assistants may use it at the same time.
type Server struct {
	o      Options
	board  Board
	limit  *rate.Limiter // nil: none
	places chan struct{} // of tools that work

	mu   sync.Mutex
	seen []*jobboard.Snapshot // that searches are compared with, one of each search, the newest last
}

// NewServer returns a server of tools that ask c. With Options.Open c may be nil. It sends
// nothing by itself.
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

// Serve answers one assistant over standard input and output, or streams like these, a
// message a line, until the input or ctx ends. Then it still answers the calls that it has
// read, for a second at most, and returns nil.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.protocol(true).Run(context.WithoutCancel(ctx), newConnection(ctx, in, out))
}

// protocol returns the library's server with the tools and the pages. Only a session has
// the tool what_changed, which remembers.
func (s *Server) protocol(session bool) *mcp.Server {
	if s.places == nil { // each call would wait for a place
		panic("jobmcp: use NewServer: the zero Server asks nobody")
	}
	version := s.o.Version
	if version == "" {
		version = "unknown"
	}
	about := &mcp.Implementation{Name: "jobboard", Title: "Job board", Version: version}
	server := mcp.NewServer(about, &mcp.ServerOptions{
		Instructions: s.instructions(),
		Logger:       s.o.Logger,
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

const instructions = `Searches a job board and says what an application needs. Every tool only reads: ` +
	`nothing here applies, subscribes, sends or changes anything.

` + foreignNotice + `

Usual order: search_jobs, then job_information with the job of a posting, may_i_apply, and check_answers before the person applies. ` +
	`Identifiers are texts of digits. The questions of job_information are all that the interface asks of an applicant: it knows ` +
	`no documents, so there is no CV, letter or certificate to make up, to ask for or to hand over here; a person applies online, ` +
	`at foreign_apply_link. Credentials are the settings' business: never ask for them, and never put one into an argument.`

func (s *Server) instructions() string {
	if s.o.Doctor == nil {
		return instructions
	}
	return instructions + " When a tool fails for reasons of set-up, use doctor."
}

// guard bounds what a request may take.
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
				return nil, context.Canceled // nobody waits for the answer
			}
		}
		result, err := next(ctx, method, req)
		return result, sendable(err)
	}
}

// sendable drops the data of an error where they are not JSON, as those of a page
// with a control character in its name: the library would end the session.
func sendable(err error) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && len(wire.Data) > 0 && !json.Valid(wire.Data) {
		return &jsonrpc.Error{Code: wire.Code, Message: wire.Message}
	}
	return err
}

// ask waits until n calls of the interface are permitted, and returns whom to ask.
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
