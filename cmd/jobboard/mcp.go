package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
)

// Bounds of the assistant's server. docs/assistant.md tells them.
const (
	maxMessage  = 1 << 20          // bytes of a message that it reads
	maxAnswer   = 64 << 10         // bytes of a tool's result
	maxCalls    = 4                // tools that work at the same time
	maxCallTime = 60 * time.Second // of a tool
	maxFinish   = time.Second      // of the calls under way when the input or the process ends
	requestRate = 5                // requests a second to the service, after a burst of requestBurst
	requestMost = 20
)

func newAssistantCommand(p *cli.Program) *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an assistant, which may then search and look up",
		Long: `mcp serves the Model Context Protocol on standard input and output, for the
program of an assistant to start. The assistant gets tools that only read:
search jobs, job information, may I apply, check answers, what changed, doctor;
and the pages of the documentation. None of them changes anything.

Credentials come from the settings as for the other commands. The assistant
never sees them. Texts of advertisements and questions are handed over as plain
text, cut, and marked as what others wrote.

Settings are read when the first tool is used, and again after they lacked
something, a credential was refused or doctor was used. Standard output carries
the protocol alone; --debug logs to standard error. It ends with its input, and
first answers what it was asked.`,
		Example: "  jobboard mcp --fake",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := &assistant{Program: p, command: cmd, state: state}
			return m.serve(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "`file` of jobboard watch --state, for what changed since; it is not written")
	return cmd
}

// assistant serves one assistant.
type assistant struct {
	*cli.Program

	command *cobra.Command
	state   string // path, or empty

	places chan struct{} // of tools that work

	mu      sync.Mutex
	current *setup.Board         // nil: the settings are to be read
	seen    []*jobboard.Snapshot // that searches are compared with, one of each search, the newest last
}

// serve answers until the input or ctx ends, which is how it ends well.
func (m *assistant) serve(ctx context.Context) error {
	m.places = make(chan struct{}, maxCalls)
	m.Settings.Limiter = rate.NewLimiter(requestRate, requestMost)
	return m.server().Run(context.WithoutCancel(ctx), newConnection(ctx, m.In, m.Out))
}

// server has the tools and the pages. Making it sends nothing and reads no
// settings.
func (m *assistant) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "jobboard", Title: "Job board", Version: cli.Version()}, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       m.Settings.Logger(),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
	})
	s.AddReceivingMiddleware(m.guard)
	m.addTools(s)
	addPages(s)
	return s
}

const instructions = `Searches a job board and says what an application needs. Every tool only reads: ` +
	`nothing here applies, subscribes, sends or changes anything.

` + foreignNotice + `

Usual order: search_jobs, then job_information with the job of a posting, may_i_apply, and check_answers before the person applies. ` +
	`When a tool fails for reasons of set-up, use doctor. Identifiers are texts of digits. ` +
	`Credentials are the settings' business: never ask for them, and never put one into an argument.`

// guard bounds what a request may take, and takes secrets out of every answer once
// more.
func (m *assistant) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, maxCallTime)
		defer cancel()
		if call, ok := req.(*mcp.CallToolRequest); ok {
			if string(call.Params.Arguments) == "null" {
				call.Params.Arguments = nil // the library would panic
			}
			select {
			case m.places <- struct{}{}:
				defer func() { <-m.places }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		result, err := next(ctx, method, req)
		if called, ok := result.(*mcp.CallToolResult); ok && err == nil {
			m.finish(called)
		}
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

// board reads the settings where that is to be done, and returns the program that has
// them. Its error is one of the settings.
func (m *assistant) board() (*setup.Board, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current != nil {
		return m.current, nil
	}
	b, err := m.Board(m.command)
	if err != nil {
		return nil, err
	}
	m.current = b
	return b, nil
}

// forget has the settings read anew, because they lack something or a credential
// was refused: there may be a new one in a file.
func (m *assistant) forget(b *setup.Board) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current == b {
		m.current = nil
	}
}
