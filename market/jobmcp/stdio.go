package jobmcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connection reads and writes an assistant's messages, one per line. It implements
// both mcp.Transport and mcp.Connection.
//
// It differs from the library's own transport in two ways. It answers an invalid or too
// long line with an error and goes on, where the library would end the session. And when
// the input or ctx ends, it waits up to maxFinish for the answers to all calls that it
// has read, where the library would cancel them.
type connection struct {
	ctx context.Context
	in  io.Reader

	messages chan jsonrpc.Message
	inputErr error // why the input ended; written before messages is closed
	close    sync.Once
	closed   chan struct{}

	open     atomic.Int64  // number of calls not yet answered
	answered chan struct{} // signals each answer to finishCalls

	writing sync.Mutex
	out     io.Writer
}

func newConnection(ctx context.Context, in io.Reader, out io.Writer) *connection {
	return &connection{
		ctx: ctx, in: in, out: out,
		messages: make(chan jsonrpc.Message), closed: make(chan struct{}), answered: make(chan struct{}, 1),
	}
}

// Connect starts reading the input.
func (c *connection) Connect(context.Context) (mcp.Connection, error) {
	go c.scan()
	return c, nil
}

func (c *connection) SessionID() string { return "" }

// Close stops reading, and closes the input if it is an io.Closer.
func (c *connection) Close() (err error) {
	c.close.Do(func() {
		close(c.closed)
		if in, ok := c.in.(io.Closer); ok {
			err = in.Close()
		}
	})
	return err
}

func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message, ok := <-c.messages:
		if ok {
			if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
				c.open.Add(1)
			}
			return message, nil
		}
		c.finishCalls()
		return nil, cmp.Or(c.inputErr, io.EOF)
	case <-c.ctx.Done():
	case <-c.closed:
	case <-ctx.Done():
	}
	c.finishCalls()
	return nil, io.EOF
}

// finishCalls waits until every call has its answer, or maxFinish is over.
func (c *connection) finishCalls() {
	for enough := time.After(maxFinish); c.open.Load() > 0; {
		select {
		case <-c.answered:
		case <-enough:
			return
		}
	}
}

func (c *connection) Write(_ context.Context, message jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(message)
	if err == nil {
		err = c.writeLine(line)
	}
	if _, ok := message.(*jsonrpc.Response); ok {
		c.open.Add(-1)
		select {
		case c.answered <- struct{}{}:
		default: // it has one that nobody took yet
		}
	}
	return err
}

func (c *connection) writeLine(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(line, '\n'))
	return err
}

// scan sends the input's messages to Read until the input or the connection ends.
func (c *connection) scan() {
	defer close(c.messages)
	for in := bufio.NewReaderSize(c.in, 64<<10); ; {
		message, err := c.next(in)
		if err != nil {
			c.inputErr = err
			return
		}
		if message == nil {
			continue
		}
		select {
		case c.messages <- message:
		case <-c.closed:
			return
		}
	}
}

// next returns the message in the next line, or nil for an invalid line, which
// it answers.
func (c *connection) next(in *bufio.Reader) (jsonrpc.Message, error) {
	line, id, err := nextLine(in)
	switch line = bytes.TrimSpace(line); {
	case id != nil:
		return nil, c.refuse(id.text(), jsonrpc.CodeInvalidRequest, tooLong)
	case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
		return nil, err
	case len(line) == 0:
		return nil, nil
	}
	message, code, why := decode(line)
	if message == nil {
		return nil, c.refuse("null", code, why)
	}
	return message, nil
}

const tooLong = "the message is longer than 1 MiB"

// decode parses a message. For an invalid one it returns the error's code and
// text.
func decode(text []byte) (message jsonrpc.Message, code int, why string) {
	switch {
	case !json.Valid(text):
		return nil, jsonrpc.CodeParseError, "the message is not JSON"
	case text[0] != '{':
		return nil, jsonrpc.CodeInvalidRequest, "this is not one JSON-RPC message; batches are not read"
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC message"
	}
	return message, 0, ""
}

// nextLine reads a line of at most maxMessage bytes without its end. For a longer line it
// returns only the request's identifier.
func nextLine(in *bufio.Reader) (line []byte, id *idFinder, err error) {
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case id != nil:
			id.see(part)
		case len(line)+len(bytes.TrimSuffix(part, []byte("\n"))) > maxMessage:
			id = &idFinder{}
			id.see(line)
			id.see(part)
			line = nil
		default:
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, id, err
		}
	}
}

// refuse answers an invalid line with an error. id is null if the request's identifier is
// unknown.
func (c *connection) refuse(id string, code int, why string) error {
	return c.writeLine(refusal(id, code, why))
}

func refusal(id string, code int, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, why)
}
