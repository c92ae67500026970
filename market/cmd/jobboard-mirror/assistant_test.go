package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// An assistant searches the copy and looks jobs up in it, without the board. Who else asks is
// refused: callers of other networks and proxies, other names, and pages of other origins.
func TestAssistants(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := filepath.Join(t.TempDir(), "jobs.db")
	p := start(t, srv, "run", "--db", db, "--channels", srv.Demo.Channel, "--feed", srv.FeedURL, "--rate", "-1",
		"--mcp", "127.0.0.1:0", "--hosts", "jobs.internal")
	at := p.said(t, "assistants at ")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(tool string, args map[string]any) string {
		t.Helper()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	search := func() string { return call("search_jobs", map[string]any{"text": "nurse", "language": "en"}) }
	ask := func() string { return call("may_i_apply", map[string]any{"job": srv.Demo.InactiveJob}) }
	for began := time.Now(); ; <-time.After(500 * time.Millisecond) { // of the calls, a few a second are let through
		found, told := search(), ask()
		if strings.Contains(found, "Registered Nurse") && strings.Contains(told, "closed") {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal(found, told)
		}
	}
	srv.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Optional: true})
	if found := search(); !strings.Contains(found, "Registered Nurse") {
		t.Errorf("without the board: %s", found)
	}
	if told := ask(); !strings.Contains(told, "closed") {
		t.Errorf("of an inactive job, without the board: %s", told)
	}

	list := func(at string, change func(*http.Request)) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if change != nil {
			change(r)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, c := range []struct {
		what   string
		change func(*http.Request)
		want   int
	}{
		{"an address of this machine", nil, http.StatusOK},
		{"localhost", func(r *http.Request) { r.Host = "localhost:80" }, http.StatusOK},
		{"a name of --hosts", func(r *http.Request) { r.Host = "jobs.internal" }, http.StatusOK},
		{"another name", func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		{"a page of another origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"a proxy", func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") }, http.StatusForbidden},
	} {
		if got := list(at, c.change); got != c.want {
			t.Errorf("%s: %d", c.what, got)
		}
	}
	other := start(t, srv, "serve", "--db", db, "--addr", "127.0.0.1:0", "--mcp", "127.0.0.1:0", "--allow", "10.0.0.0/8")
	if got := list(other.said(t, "assistants at "), nil); got != http.StatusForbidden {
		t.Errorf("a caller whose network --allow does not name: %d", got)
	}
}
