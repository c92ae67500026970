package bench

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/plain"
)

// A caller makes calls to a board.
type caller struct {
	applied func() error // has the applicant applied to the job?
	search  func() error // a page of 1000 postings
	lookup  func(ctx context.Context, job int64) error
}

// A kind is a name and a way to open a caller of that kind, over a transport.
type kind struct {
	name string
	open func(address string, over http.RoundTripper) (caller, error)
}

// kinds are compared in every benchmark of calls. The generated ones are added with the tag rivals.
var kinds = []kind{{ours, openJobboard}, {"bare_GET", openBare}, {std, openByHand}}

var errUnexpected = errors.New("an answer of another kind")

// newClient returns a client with the defaults of its configuration.
func newClient(address string, over http.RoundTripper) (*jobboard.Client, error) {
	return jobboard.NewClient(jobboard.Config{
		BaseURL: address, JobDBURL: address, TokenSource: jobboard.StaticToken(token), HTTPClient: &http.Client{Transport: over},
	})
}

func openJobboard(address string, over http.RoundTripper) (caller, error) {
	client, err := newClient(address, over)
	if err != nil {
		return caller{}, err
	}
	applicant := client.Applicant(jobboard.StaticToken(token))
	return caller{
		applied: func() error {
			applied, err := applicant.HasApplied(context.Background(), job)
			return expected(applied, err)
		},
		search: func() error {
			page, err := client.Search(context.Background(), channel, jobboard.Query{})
			return expected(page != nil && len(page.Results) == 1000, err)
		},
		lookup: func(ctx context.Context, job int64) error {
			info, err := client.JobInformation(ctx, jobboard.JobID(job))
			return expected(info != nil && info.JobID == jobboard.JobID(job), err)
		},
	}, nil
}

// expected returns err, or an error where the answer is not what it should be.
func expected(ok bool, err error) error {
	if err == nil && !ok {
		err = errUnexpected
	}
	return err
}

// The addresses of the three calls.
func appliedURL(address string) string {
	return address + "/api/rest/v3/frontend/jobs/" + strconv.Itoa(job) + "/applied"
}
func searchURL(address string) string {
	return address + "/api/rest/v2/frontend/jobboards/" + channel + "/jobs"
}
func lookupURL(address string, job int64) string {
	return address + "/jobdb/public/apply/external?jobid=" + strconv.FormatInt(job, 10)
}

// openBare returns a caller that throws every answer away: the cost of net/http alone.
func openBare(address string, over http.RoundTripper) (caller, error) {
	client := &http.Client{Transport: over}
	get := func(ctx context.Context, url string) error {
		return fetch(ctx, client, url, func(body io.Reader) error {
			_, err := io.Copy(io.Discard, body)
			return err
		})
	}
	return caller{
		applied: func() error { return get(context.Background(), appliedURL(address)) },
		search:  func() error { return get(context.Background(), searchURL(address)) },
		lookup:  func(ctx context.Context, job int64) error { return get(ctx, lookupURL(address, job)) },
	}, nil
}

// openByHand returns a caller that is written with net/http, oauth2 and encoding/json.
func openByHand(address string, over http.RoundTripper) (caller, error) {
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	client := &http.Client{Transport: &oauth2.Transport{Source: source, Base: over}}
	get := func(ctx context.Context, url string, v any) error {
		return fetch(ctx, client, url, func(body io.Reader) error { return stdjson.NewDecoder(body).Decode(v) })
	}
	return caller{
		applied: func() error {
			var applied bool
			err := get(context.Background(), appliedURL(address), &applied)
			return expected(applied, err)
		},
		search: func() error {
			var page plain.Page
			err := get(context.Background(), searchURL(address), &page)
			return expected(len(page.Results) == 1000, err)
		},
		lookup: func(ctx context.Context, job int64) error {
			var info plain.Info
			err := get(ctx, lookupURL(address, job), &info)
			return expected(info.JobID == job, err)
		},
	}, nil
}

// fetch makes a GET and reads its answer.
func fetch(ctx context.Context, client *http.Client, url string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errUnexpected
	}
	return read(resp.Body)
}

// memoryAddress is an address at which inMemory answers.
const memoryAddress = "http://127.0.0.1:1"

// inMemory is a transport that answers at once, so that only the client's cost is left.
type inMemory struct{ body []byte }

var jsonHeader = http.Header{"Content-Type": {"application/json"}}

func (m *inMemory) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := m.response()
	resp.Request = req
	return resp, nil
}

func (m *inMemory) response() *http.Response {
	b := new(memoryBody)
	b.Reset(m.body)
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: jsonHeader, Body: b, ContentLength: int64(len(m.body)),
	}
}

type memoryBody struct{ bytes.Reader }

func (*memoryBody) Close() error { return nil }

// socket returns net/http's transport with an idle connection for every caller.
func socket() http.RoundTripper {
	return &http.Transport{
		DialContext:  (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024,
	}
}

// calling opens a caller of each kind, and returns what each has to do for the call that pick picks.
func calling(tb testing.TB, address string, over func() http.RoundTripper, pick func(caller) func() error) []contender {
	tb.Helper()
	var all []contender
	for _, k := range kinds {
		c, err := k.open(address, over())
		if err != nil {
			tb.Fatal(k.name, err)
		}
		all = append(all, contender{k.name, pick(c)})
	}
	return all
}

func applied(c caller) func() error { return c.applied }
func search(c caller) func() error  { return c.search }
func lookup(c caller) func() error {
	return func() error { return c.lookup(context.Background(), job) }
}

// BenchmarkCall makes one call after the other: over a transport in memory, where only what the client does is left, and
// over loopback to a board that is a process of its own.
func BenchmarkCall(b *testing.B) {
	board := startBoard(b)
	for _, c := range []struct {
		name, address string
		body          []byte // in memory
		pick          func(caller) func() error
	}{
		{"HasApplied_in_memory", memoryAddress, []byte("true"), applied},
		{"HasApplied", board, nil, applied},
		{"JobInformation_in_memory", memoryAddress, makeInfo(200, ""), lookup},
		{"Search", board, nil, search},
	} {
		b.Run(c.name, func(b *testing.B) {
			over := socket
			if c.body != nil {
				over = func() http.RoundTripper { return &inMemory{c.body} }
			}
			compare(b, 0, calling(b, c.address, over, c.pick))
		})
	}
}

// Callers of every kind get what they ask for.
func TestCallersAgree(t *testing.T) {
	board := startBoard(t)
	picks := map[string]func(caller) func() error{"HasApplied": applied, "Search": search, "JobInformation": lookup}
	for name, pick := range picks {
		for _, c := range calling(t, board, socket, pick) {
			if err := c.run(); err != nil {
				t.Errorf("%s: %s: %v", name, c.name, err)
			}
		}
	}
}
