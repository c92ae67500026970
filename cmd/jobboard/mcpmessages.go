package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lockedWriter writes one message at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lockedWriter) Close() error { return nil }

// finishing is a transport whose input ends with ctx too, and ends only when every call
// that was read before has its answer, or maxFinish is over: the library breaks off
// what it is doing when the input ends.
type finishing struct {
	mcp.Transport
	ctx context.Context
}

func (f finishing) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := f.Transport.Connect(ctx)
	return &finishingConnection{Connection: c, ctx: f.ctx, answered: make(chan struct{}, 1)}, err
}

type finishingConnection struct {
	mcp.Connection

	ctx      context.Context
	open     atomic.Int64  // calls without an answer
	answered chan struct{} // has an element after an answer
}

func (c *finishingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	message, err := c.Connection.Read(ctx)
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		c.open.Add(1)
	}
	if err == nil {
		return message, nil
	}
	for enough := time.After(maxFinish); c.open.Load() > 0; {
		select {
		case <-c.answered:
		case <-enough:
			return nil, io.EOF
		}
	}
	if c.ctx.Err() != nil {
		err = io.EOF
	}
	return nil, err
}

func (c *finishingConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if _, ok := message.(*jsonrpc.Response); ok {
		c.open.Add(-1)
		select {
		case c.answered <- struct{}{}:
		default: // it has one that nobody took yet
		}
	}
	return err
}

// messages reads the lines of an input and passes those on that are messages. A
// line that is none, or is too long, would end the session; here it is answered
// and passed over.
type messages struct {
	in    io.Reader
	out   io.Writer
	lines *bufio.Reader
	rest  []byte // of the line that is passed on
}

func (m *messages) Read(p []byte) (int, error) {
	if m.lines == nil {
		m.lines = bufio.NewReaderSize(m.in, 64<<10)
	}
	for len(m.rest) == 0 {
		line, err := m.line()
		if err != nil {
			return 0, err
		}
		m.rest = line
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// Close ends the reading of an input that can be closed.
func (m *messages) Close() error {
	if c, ok := m.in.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// line returns the next line if it is a message, with its line break, or nothing.
func (m *messages) line() ([]byte, error) {
	line, tooLong, err := m.nextLine()
	switch line = bytes.TrimSpace(line); {
	case tooLong:
		return nil, m.refuse(jsonrpc.CodeInvalidRequest, "the message is longer than 1 MiB")
	case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
		return nil, err
	case len(line) == 0:
		return nil, nil
	case !json.Valid(line):
		return nil, m.refuse(jsonrpc.CodeParseError, "the line is not JSON")
	case line[0] != '{':
		return nil, m.refuse(jsonrpc.CodeInvalidRequest, "the line is not one JSON-RPC message; batches are not read")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return nil, m.refuse(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC message")
	}
	return append(line[:len(line):len(line)], '\n'), nil
}

// nextLine reads a line of at most maxMessage bytes; of a longer one it keeps
// nothing.
func (m *messages) nextLine() (line []byte, tooLong bool, err error) {
	for {
		part, err := m.lines.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxMessage; !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// refuse answers a line whose sender cannot be told which of its requests it was.
func (m *messages) refuse(code int64, why string) error {
	answer, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Error   any    `json:"error"`
	}{"2.0", nil, map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	_, err = m.out.Write(append(answer, '\n'))
	return err
}
