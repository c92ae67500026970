package jobmcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// finishing is a transport of the library whose sessions answer all that they have read before
// they end. The library cancels the calls under way when its input ends.
type finishing struct {
	mcp.Transport
	stop context.Context // when it ends the session reads no more
}

func (f finishing) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := f.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &finishingConn{
		Connection: c, stop: f.stop, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1),
	}, nil
}

// finishingConn is a connection of a finishing transport.
type finishingConn struct {
	mcp.Connection
	stop context.Context

	mu       sync.Mutex
	open     map[jsonrpc.ID]bool // calls without an answer
	gone     bool                // nobody reads answers any more
	answered chan struct{}       // receives after answers
}

// Read returns the next message. At the end of the input, and at a line that is no message, it first waits until
// every call has its answer, or maxCallTime is over. When stop ends it waits for maxFinish at most, and returns what
// it returns at the end of the input.
func (c *finishingConn) Read(context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(c.stop)
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		c.mu.Lock()
		c.open[call.ID] = true
		c.mu.Unlock()
	}
	if err == nil {
		return message, nil
	}
	c.finish()
	switch {
	case c.stop.Err() != nil:
		return nil, io.EOF
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("the input cannot be read, or a line is not one message of at most 1 MiB: %w", err)
	}
	return nil, err
}

// finish waits until every call has its answer, or the time for it is over.
func (c *finishingConn) finish() {
	enough, stopped := time.After(maxCallTime), c.stop.Done()
	for c.unanswered() {
		select {
		case <-c.answered:
		case <-enough:
			return
		case <-stopped:
			enough, stopped = time.After(maxFinish), nil
		}
	}
}

func (c *finishingConn) unanswered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0 && !c.gone
}

// Write sends a message, and notes which call it answers.
func (c *finishingConn) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if answer, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, answer.ID)
		c.gone = c.gone || err != nil
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default: // it has one that finish did not take yet
		}
	}
	return err
}

// closing returns in as an io.ReadCloser.
func closing(in io.Reader) io.ReadCloser {
	if c, ok := in.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(in)
}

// unclosed is a writer that stays open when a session ends.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
