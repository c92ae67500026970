package jobmcp

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// readers bounds the messages that Handler reads at the same time, so that slow clients
// cannot block others.
type readers struct {
	mu  sync.Mutex
	all []*reading // oldest first
}

// reading is the running read of one message.
type reading struct{ ended chan struct{} } // closed to cancel the read in favour of a new one

// begin adds a read. If maxReaders reads are running, it cancels the oldest.
func (all *readers) begin() *reading {
	next := &reading{make(chan struct{})}
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.all) == maxReaders {
		close(all.all[0].ended)
		all.all = slices.Delete(all.all, 0, 1)
	}
	all.all = append(all.all, next)
	return next
}

// end removes a read that is over.
func (all *readers) end(r *reading) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.all = slices.DeleteFunc(all.all, func(other *reading) bool { return other == r })
}

// message is the result of reading a request's body: a JSON-RPC message, or the error to
// answer.
type message struct {
	body    []byte
	status  int    // status of the error answer; 0: body is a message
	refused []byte // body of the error answer
	cut     bool   // the body ended early
}

// read reads a request's message within maxReading. Without a valid message it answers the
// request itself and returns false.
func (all *readers) read(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	turn := all.begin()
	defer all.end(turn)
	// With a writer that does not support deadlines, answer on time too; the read then goes
	// on until the server ends it.
	deadline := http.NewResponseController(w)
	var timeout <-chan time.Time
	if deadline.SetReadDeadline(time.Now().Add(maxReading)) != nil {
		timeout = time.After(maxReading)
	}
	done := make(chan message, 1)
	go func() { done <- readMessage(r.Body) }()
	var m message
	select {
	case m = <-done:
	case <-timeout:
		m = cutOff
	case <-turn.ended:
		if deadline.SetReadDeadline(time.Now()) == nil {
			<-done // wait: the server resets the deadline of a running read
		}
		w.Header().Set("Connection", "close") // leave the rest of the message unread
		busy(w)
		return nil, false
	}
	if m.cut {
		w.Header().Set("Connection", "close")
	} else {
		_ = deadline.SetReadDeadline(time.Time{}) // a passed deadline would end the request's context
	}
	if m.status == 0 {
		return m.body, true
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(m.status)
	_, _ = w.Write(m.refused)
	return nil, false
}

// cutOff is the result for a message that ends early.
var cutOff = message{
	status: http.StatusBadRequest, cut: true,
	refused: refusal("null", jsonrpc.CodeInvalidRequest, "the message was cut off"),
}

// busy answers a request with 503 when Handler is full.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "too many requests are under way", http.StatusServiceUnavailable)
}

// readMessage reads a message of at most maxMessage bytes. In a longer message it searches
// maxSeen bytes for the identifier.
func readMessage(from io.Reader) message {
	refused := func(status int, id string, code int, why string) message {
		return message{status: status, refused: refusal(id, code, why)}
	}
	body, err := io.ReadAll(io.LimitReader(from, maxMessage+1))
	switch {
	case err != nil:
		return cutOff
	case len(body) > maxMessage:
		id := &idFinder{}
		id.see(body)
		for rest := io.LimitReader(from, maxSeen-maxMessage); err == nil; {
			var n int
			n, err = rest.Read(body)
			id.see(body[:n])
		}
		return refused(http.StatusRequestEntityTooLarge, id.text(), jsonrpc.CodeInvalidRequest, tooLong)
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return refused(http.StatusBadRequest, "null", jsonrpc.CodeInvalidRequest, "there is no message")
	}
	if decoded, code, why := decode(body); decoded == nil {
		return refused(http.StatusBadRequest, "null", code, why)
	}
	return message{body: body}
}
