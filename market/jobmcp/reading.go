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

// readers bounds the messages that Handler reads at the same time, so that clients that send
// a byte now and then keep nobody else from asking.
type readers struct {
	mu  sync.Mutex
	all []*reading // the one that began first is the first
}

// reading is a message that is being read.
type reading struct{ ended chan struct{} } // closed to give it up for another

// begin adds a message, in place of the one that has been read for longest where there are
// maxReaders.
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

// end removes a message that was read, or could not be.
func (all *readers) end(r *reading) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.all = slices.DeleteFunc(all.all, func(other *reading) bool { return other == r })
}

// message is what the body of a request held: a message, or what to answer because it is none.
type message struct {
	body    []byte
	status  int    // of the answer; 0: there is a message
	refused []byte // the answer, as JSON
	cut     bool   // its end did not come
}

// read reads the message of a request, for maxReading at most. It answers the request itself
// and returns false where there is no message.
func (all *readers) read(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	turn := all.begin()
	defer all.end(turn)
	// A writer without deadlines answers in time, too; what is read goes on until the server
	// ends it.
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
			<-done // the server takes the deadline away from a read that it finds under way
		}
		w.Header().Set("Connection", "close") // the rest of the message is not waited for
		busy(w)
		return nil, false
	}
	if m.cut {
		w.Header().Set("Connection", "close")
	} else {
		_ = deadline.SetReadDeadline(time.Time{}) // it would end the request's context
	}
	if m.status == 0 {
		return m.body, true
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(m.status)
	_, _ = w.Write(m.refused)
	return nil, false
}

// cutOff is a message that did not come to its end.
var cutOff = message{
	status: http.StatusBadRequest, cut: true,
	refused: refusal("null", jsonrpc.CodeInvalidRequest, "the message was cut off"),
}

// busy answers a request that there is no place for.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "too many requests are under way", http.StatusServiceUnavailable)
}

// readMessage reads a message of at most maxMessage bytes. Of a longer one it looks for the
// identifier, in maxSeen bytes.
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
