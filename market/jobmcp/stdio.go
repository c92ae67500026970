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

// connection carries the messages of an assistant, one a line. It is its own transport.
//
// Two things differ from the library's own. A line that is no message, or is too long, is
// answered and passed over; there it would end the session. And the input ends with ctx
// too, and ends only when every call that was read has its answer, or maxFinish is over:
// the library breaks off what it is doing when the input ends.
type connection struct {
	ctx context.Context
	in  io.Reader

	messages chan jsonrpc.Message
	inputErr error // why the input ended; set before messages is closed
	close    sync.Once
	closed   chan struct{}

	open     atomic.Int64  // calls without an answer
	answered chan struct{} // has an element after an answer

	writing sync.Mutex
	out     io.Writer
}

func newConnection(ctx context.Context, in io.Reader, out io.Writer) *connection {
	return &connection{
		ctx: ctx, in: in, out: out,
		messages: make(chan jsonrpc.Message), closed: make(chan struct{}), answered: make(chan struct{}, 1),
	}
}

// Connect begins to read the input.
func (c *connection) Connect(context.Context) (mcp.Connection, error) {
	go c.scan()
	return c, nil
}

func (c *connection) SessionID() string { return "" }

// Close ends the reading, also of an input that can be closed.
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

// scan passes the messages of the input on until it ends or nobody reads them any more.
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

// next returns the message of the next line, nil if it is none.
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

// decode reads a message, or says why it is none.
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

// nextLine reads a line of at most maxMessage bytes before its end. Of a longer one it keeps
// nothing but the identifier.
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

// refuse answers a line that is no message. The identifier is null where the sender cannot
// be told which of its requests it was.
func (c *connection) refuse(id string, code int, why string) error {
	return c.writeLine(refusal(id, code, why))
}

func refusal(id string, code int, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, why)
}
