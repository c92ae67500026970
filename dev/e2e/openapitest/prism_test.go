package openapitest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// onePort returns the document as it describes the mock server at one port: it has the paths of
// both addresses, and one server.
func onePort(t *testing.T) string {
	t.Helper()
	document, err := os.ReadFile("../../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^  (/jobdb/.*:)$`).ReplaceAllString(string(document), "  /info$1")
	text = regexp.MustCompile(`(?m)^  (/(?:api|jobabo).*:)$`).ReplaceAllString(text, "  /board$1")
	text = regexp.MustCompile(`(?m)^servers:\n(?: .*\n|-.*\n)+`).ReplaceAllString(text, "servers: [{url: /}]\n")
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// prism is a proxy that holds each request and answer against the document.
type prism struct {
	address string
	mu      sync.Mutex
	asked   int
	found   []violation
}

type violation struct {
	Of       string // the request, with the answer's status
	Location []string
	Message  string
}

// newPrism starts the proxy in front of an address.
func newPrism(t *testing.T, upstream string) *prism {
	t.Helper()
	program := testenv.File(t, filepath.Join("node_modules", ".bin", "prism"), "npm ci")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	cmd := exec.CommandContext(t.Context(), program, "proxy", onePort(t), upstream, "--host", host, "--port", port)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening, ended := make(chan bool, 1), make(chan bool)
	var said strings.Builder
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if said.Len() < 10_000 {
				said.WriteString(lines.Text() + "\n")
			}
			if strings.Contains(lines.Text(), "Prism is listening") {
				listening <- true
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		_ = cmd.Wait()
	})
	select {
	case <-listening:
	case <-ended:
		t.Fatalf("prism: %s", &said)
	}
	return &prism{address: "http://" + net.JoinHostPort(host, port)}
}

// RoundTrip keeps what the proxy finds.
func (p *prism) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var found []violation
	// A document cannot say that an answer may have no body: see document_test.go.
	if text := resp.Header.Get("sl-violations"); text != "" {
		err = json.Unmarshal([]byte(text), &found)
	}
	for i := range found {
		found[i].Of = fmt.Sprint(r.Method, " ", r.URL.Path, " ", resp.StatusCode)
	}
	p.mu.Lock()
	p.asked++
	p.found = append(p.found, found...)
	p.mu.Unlock()
	return resp, err
}

// A validating proxy that others wrote, between the client and the mock server at one port,
// finds nothing wrong with what either says.
func TestPrism(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	web := httptest.NewServer(srv.Handler())
	defer web.Close()
	p := newPrism(t, web.URL)
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: p.address + "/board", JobDBURL: p.address + "/info", ClientID: srv.Demo.ClientID,
		HTTPClient: &http.Client{Transport: p}, Retry: jobboard.RetryPolicy{MaxAttempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []jobboard.Query{{}, {Text: "Pflege"}, {Near: jobboard.Near(52.52, 13.37, 50), Language: "de"}, {Text: "nothing has this"}} {
		if _, err := client.Search(t.Context(), jobboard.ChannelID(srv.Demo.Channel), q); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
	applicant := client.Applicant(jobboard.StaticToken(srv.Demo.ApplicantToken))
	jobs := 0
	for _, job := range srv.Snapshot().Jobs {
		jobs++
		_, err := client.JobInformation(t.Context(), jobboard.JobID(job.ID))
		_, errApplied := applicant.HasApplied(t.Context(), jobboard.JobID(job.ID))
		_, errID := applicant.ApplicationID(t.Context(), jobboard.JobID(job.ID))
		for _, err := range []error{err, errApplied, errID} {
			if err != nil && !jobboard.Settled(err) && !errors.Is(err, jobboard.ErrPostingUnavailable) {
				t.Errorf("job %d: %v", job.ID, err)
			}
		}
	}
	for _, v := range p.found {
		t.Errorf("%+v", v)
	}
	ofClient := p.asked

	// Whatever else it is asked, wrongly too, it answers as the document says.
	target := conformance.Target{
		BaseURL: p.address + "/board", JobDBURL: p.address + "/info", HTTPClient: &http.Client{Transport: p},
		SearchText: "nurse", Near: "52.520014::13.373006::50", Languages: []string{"en", "de"},
		Subscription: conformance.Subscription{
			Query: url.Values{"channel": {srv.Demo.Channel}, "types": {"rss::email::fax"}, "email": {"jana.beispiel@example.com"}},
			Body:  `{"jobcategory":["3001"],"audience":"STUDENT"}`, IDMember: "rss", ConfirmBody: "null",
		},
	}
	demo, err := json.Marshal(srv.Demo)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(demo, &target); err != nil {
		t.Fatal(err)
	}
	if _, err := conformance.Check(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	ofAnswers := func() []violation {
		return slices.DeleteFunc(slices.Clone(p.found), func(v violation) bool { return len(v.Location) == 0 || v.Location[0] != "response" })
	}
	for _, v := range ofAnswers() {
		t.Errorf("%+v", v)
	}
	if ofClient < 3*jobs || jobs < 40 || p.asked <= ofClient {
		t.Errorf("%d requests for %d jobs, %d in all", ofClient, jobs, p.asked)
	}
	t.Logf("figure: %d requests through a validating proxy, %d of them the client's: 0 violations", p.asked, ofClient)

	// It notices what it should.
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Body: `"perhaps"`, Status: 200})
	_, _ = applicant.HasApplied(t.Context(), jobboard.JobID(srv.Demo.OpenJob))
	if len(ofAnswers()) == 0 {
		t.Errorf("the proxy takes a text for a truth: %+v", p.found)
	}
}
