package jobboard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// stubTransport answers from memory, so that what a call costs is what the
// library costs.
type stubTransport struct{ body string }

func (s stubTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(s.body)),
		Request:    r,
	}, nil
}

func bareGet(tb testing.TB, client *http.Client, address string) {
	req, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token")
	resp, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		tb.Fatal(err)
	}
	_ = resp.Body.Close()
}

func stubApplicant(tb testing.TB) *Applicant {
	c, err := NewClient(Config{BaseURL: "http://localhost", HTTPClient: &http.Client{Transport: stubTransport{"true"}}})
	if err != nil {
		tb.Fatal(err)
	}
	return c.Applicant(StaticToken("token"))
}

// A call costs at most nine allocations more than a bare GET, and one more where an Applicant
// is made for it: that is the retry loop, the credential, the limits and the typed outcome.
func TestCallAllocations(t *testing.T) {
	client := &http.Client{Transport: stubTransport{"true"}}
	bare := testing.AllocsPerRun(200, func() { bareGet(t, client, "http://localhost/api/rest/v3/frontend/jobs/4711/applied") })
	a := stubApplicant(t)
	ours := testing.AllocsPerRun(200, func() {
		if applied, err := a.HasApplied(t.Context(), 4711); err != nil || !applied {
			t.Fatal(applied, err)
		}
	})
	t.Logf("bare GET %v, HasApplied %v", bare, ours)
	if !raceEnabled && ours > bare+9 {
		t.Errorf("HasApplied allocates %v times, a bare GET %v", ours, bare)
	}

	token := &oauth2.Token{AccessToken: "token", Expiry: time.Now().Add(time.Hour)}
	for name, source := range map[string]oauth2.TokenSource{
		"a stock source": oauth2.ReuseTokenSource(token, nil), "StaticToken": StaticToken("token"),
		"oauth2.StaticTokenSource": oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "token"}),
		"RenewingToken":            RenewingToken(func(context.Context) (*oauth2.Token, error) { return token, nil }),
	} {
		ours := testing.AllocsPerRun(200, func() {
			// A source is known again: an Applicant for each request is cheap.
			if applied, err := a.client.Applicant(source).HasApplied(t.Context(), 4711); err != nil || !applied {
				t.Fatal(applied, err)
			}
		})
		t.Logf("%s and an Applicant for each request: %v", name, ours)
		if !raceEnabled && ours > bare+10 {
			t.Errorf("%s: HasApplied allocates %v times, a bare GET %v", name, ours, bare)
		}
	}
}

// What the other calls cost beside a bare GET of the same answer, the values of a small answer included.
func TestAllocationsOfOtherCalls(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		most         float64
		call         func(*Client, *Applicant) error
	}{
		{"ApplicationID", `"2d7d51e5-f0a4-4a0e-9b0e-1c1a4d4b3d11"`, 13, func(_ *Client, a *Applicant) error {
			_, err := a.ApplicationID(t.Context(), 4711)
			return err
		}},
		{"JobInformation", `{"jobId":4711,"jobTitle":"t","applyPossible":true}`, 11, func(c *Client, _ *Applicant) error {
			_, err := c.JobInformation(t.Context(), 4711)
			return err
		}},
		{"Search", `{"totalNumberOfJobs":0,"numPages":0,"results":[]}`, 16, func(c *Client, _ *Applicant) error {
			_, err := c.Search(t.Context(), "27828_extern", Query{})
			return err
		}},
	} {
		network := &http.Client{Transport: stubTransport{c.answer}}
		client, err := NewClient(Config{BaseURL: "http://localhost", JobDBURL: "http://localhost", ClientID: "10", HTTPClient: network})
		if err != nil {
			t.Fatal(err)
		}
		applicant := client.Applicant(StaticToken("token"))
		bare := testing.AllocsPerRun(200, func() { bareGet(t, network, "http://localhost/api/rest/v3/frontend/jobs/4711/applied") })
		ours := testing.AllocsPerRun(200, func() {
			if err := c.call(client, applicant); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("bare GET %v, %s %v", bare, c.name, ours)
		if !raceEnabled && ours > bare+c.most {
			t.Errorf("%s allocates %v times, a bare GET %v", c.name, ours, bare)
		}
	}
}

// A stream that fails at its first posting gives its buffer of 64 KiB back.
func TestStreamKeepsNoBuffer(t *testing.T) {
	c, err := NewClient(Config{
		BaseURL: "http://localhost", ClientID: "10",
		HTTPClient: &http.Client{Transport: stubTransport{`{"totalNumberOfJobs":1,"results":[{]}`}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const n = 100
	bytes := allocated(func() {
		for range n {
			for _, err := range c.Postings(t.Context(), "channel", Query{}) {
				if !errors.Is(err, ErrDecode) {
					t.Fatal(err)
				}
			}
		}
	})
	if bytes > n*40<<10 && !raceEnabled { // a pool forgets under the race detector
		t.Errorf("%d bytes a stream", bytes/n)
	}
}
