package jobmirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// valueless is a context without what it carries.
type valueless struct{ context.Context }

func (valueless) Value(any) any { return nil }

// assistant has the tools of an assistant over a mirror. given counts the bytes of the mirror's answers,
// and last holds the newest.
type assistant struct {
	session *mcp.ClientSession
	next    http.RoundTripper
	whole   bool // the mirror does not learn which part of an answer is read
	given   int
	last    string
}

func (a *assistant) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.whole {
		r = r.WithContext(valueless{r.Context()})
	}
	answer, err := a.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	a.given, a.last = a.given+len(body), string(body)
	answer.Body = io.NopCloser(strings.NewReader(a.last))
	return answer, err
}

func assistantOver(t *testing.T, m *jobmirror.Mirror, channel string, whole bool) *assistant {
	a := &assistant{next: m.Transport(), whole: whole}
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: "http://localhost", JobDBURL: "http://localhost", ClientID: "mirror", HTTPClient: &http.Client{Transport: a}, MaxBodyBytes: 1 << 30,
		Retry: jobboard.RetryPolicy{MaxAttempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := jobmcp.NewServer(client, jobmcp.Options{Channel: jobboard.ChannelID(channel), Rate: -1})
	in, asks := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- server.Serve(t.Context(), in, out) }()
	a.session, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: answers, Writer: asks}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.session.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return a
}

// call returns the answer to a tool's call, without the time at which a search was made.
func (a *assistant) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	result, err := a.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(string(text), "TIME")
}

// An assistant is answered the same, byte for byte, whether the mirror gives it whole answers or the part
// that it reads.
func TestAssistantsReadWhatTheyShow(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		for i := range 30 {
			job := srv.AddJob(jobboardtest.Job{Title: "Shepherd", Language: "de"})
			config := map[string][]string{
				"platform_internalAdText": {fmt.Sprintf("<p>Flock %d. %s", i, strings.Repeat("Wool & grass. ", 900))},
				"other_internalAdText":    {"<p>Sheep"}, "platformvisibility": {[]string{"visible", "", "internal"}[i%3]},
			}
			srv.AddPosting(jobboardtest.Posting{JobID: job.ID, Title: job.Title, Language: "de", Channels: []string{srv.Demo.Channel}, Config: config})
		}
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		whole, part := assistantOver(t, m, srv.Demo.Channel, true), assistantOver(t, m, srv.Demo.Channel, false)
		var first, last string
		for _, c := range []struct{ tool, arguments string }{
			{"search_jobs", `{}`},
			{"search_jobs", `{"limit":1}`},
			{"search_jobs", `{"limit":50}`},
			{"search_jobs", `{"limit":50,"offset":11}`},
			{"search_jobs", `{"limit":3,"offset":52}`},
			{"search_jobs", `{"offset":1000000}`},
			{"search_jobs", `{"text":"shepherd","limit":20}`},
			{"search_jobs", `{"text":"shepherd","limit":19}`},
			{"search_jobs", `{"text":"shepherd","limit":21,"advertisement_characters":1}`},
			{"search_jobs", `{"text":"shepherd","limit":10,"advertisement_characters":400}`},
			{"search_jobs", `{"text":"shepherd","limit":50,"advertisement_characters":20000}`},
			{"search_jobs", `{"text":"shepherd","limit":50,"offset":5,"advertisement_characters":20000}`},
			{"search_jobs", `{"text":"nothing has this word"}`},
			{"search_jobs", `{"near":"Berlin","limit":4}`},
			{"search_jobs", `{"near":"Berlin","limit":4,"offset":4}`},
			{"search_jobs", `{"language":"en","limit":7,"offset":1}`},
			{"search_jobs", `{"channel":"nope"}`},
			{"search_jobs", `{"posting":"600100"}`},
			{"search_jobs", `{"posting":"600100","advertisement_characters":20000}`},
			{"search_jobs", `{"posting":"600100","offset":1}`},
			{"search_jobs", `{"posting":"910200"}`}, // a version
			{"search_jobs", `{"posting":"0600100"}`},
			{"search_jobs", `{"posting":"0"}`},
			{"search_jobs", `{"posting":"9999999999999999999"}`},
			{"search_jobs", `{"posting":"600100","text":"shepherd"}`},
			{"what_changed", `{}`},
			{"what_changed", `{"text":"shepherd"}`},
			{"what_changed", `{}`},
			{"job_information", `{"job":"2797227"}`},
			{"job_information", `{"job":"600100"}`}, // a posting
			{"job_information", `{"job":"910200"}`}, // a version
			{"may_i_apply", `{"job":"600100"}`},
			{"job_information", `{"job":"4711"}`},
		} {
			whole.given, part.given = 0, 0
			want, got := whole.call(t, c.tool, c.arguments), part.call(t, c.tool, c.arguments)
			if got != want {
				t.Errorf("%s %s:\n%s\n%s", c.tool, c.arguments, got, want)
			}
			if c.tool != "job_information" && !strings.Contains(c.arguments, "advertisement") && strings.Contains(part.last, "AdText") {
				t.Errorf("%s %s reads advertisements", c.tool, c.arguments)
			}
			most := whole.given
			if !strings.Contains(c.arguments, "advertisement") && whole.given > 200_000 { // what it takes does not grow with advertisements
				most /= 3
			}
			if part.given > most {
				t.Errorf("%s %s reads %d bytes of %d", c.tool, c.arguments, part.given, whole.given)
			}
			first, last = last, got
		}
		if first == last || !strings.Contains(whole.call(t, "search_jobs", `{"text":"shepherd"}`), `\"total\":20`) {
			t.Error("nothing is compared")
		}
		part.call(t, "search_jobs", `{"limit":5,"offset":3}`)
		if n := strings.Count(part.last, `"jobPostingId"`); n != 6 {
			t.Errorf("%d postings are read to show 5 and tell whether there are more", n)
		}
	})
}
