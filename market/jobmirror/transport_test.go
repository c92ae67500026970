package jobmirror_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A stream that a client of the transport follows comes as it is written, and ends with
// the request and with its body; so does a request whose answer nobody reads.
func TestTransportStreamsAndEnds(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	m := open(t, jobmirror.Databases["sqlite"](t), optionsOf(srv))
	refresh(t, m)
	client := &http.Client{Transport: m.Transport()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	get := func(path string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://mirror.example"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	stream := get("/mirror/changes")
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK || stream.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s, %v", stream.Status, stream.Header)
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(stream.Body, head); err != nil || string(head) != "event: ro" {
		t.Errorf("the stream begins with %q, %v", head, err)
	}
	unread := get("/api/rest/v2/frontend/jobboards/" + srv.Demo.Channel + "/jobs")
	if err := unread.Body.Close(); err != nil {
		t.Error(err)
	}
	missing := get("/nothing")
	text, err := io.ReadAll(missing.Body)
	if err != nil || missing.StatusCode != http.StatusNotFound || !strings.Contains(string(text), "not found") {
		t.Errorf("%s, %q, %v", missing.Status, text, err)
	}
	missing.Body.Close()
	ended := time.AfterFunc(time.Minute, func() { panic("the stream does not end with its request") })
	defer ended.Stop()
	cancel()
	if _, err := io.Copy(io.Discard, stream.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ends with %v", err)
	}
	if err := m.Close(); err != nil { // waits for what reads
		t.Error(err)
	}
}
