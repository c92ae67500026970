package jobboard_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jobboard-sdk/jobboard-go"
)

// A stream of which a reader knows the bytes of some postings hands out the others, and the
// first, whose reading may be repeated. The stream still counts and checks all postings.
func TestPostingStreamSkips(t *testing.T) {
	posting := func(id int) string { return fmt.Sprintf(`{"jobPostingId":%d,"title":"Cook }\"%d"}`, id, id) }
	list := func(last string) string {
		return `{"results":[` + strings.Join([]string{posting(1), posting(2), posting(3), posting(4), last}, " ,\n") + `],"totalNumberOfJobs":5}`
	}
	for body, want := range map[string]string{
		list(posting(5)):                            "1 3 5 of 5",
		list(posting(2)):                            "1 3 of 5",
		list(`{"jobPostingId":"x"}`):                "1 3 broken: results[4].jobPostingId",
		list(posting(4))[:len(list(posting(5)))-30]: "1 3 broken: ends early",
	} {
		c := served(t, jobboard.Config{ClientID: "10"}, func(r *http.Request) *http.Response {
			return answer(r, http.StatusOK, body)
		})
		stream := c.PostingStream(t.Context(), "channel", jobboard.Query{})
		stream.Skip(func([]byte) bool { t.Error("a function that was replaced is called"); return true })
		stream.Skip(func(raw []byte) bool {
			if string(raw) == posting(1) {
				t.Error("asked about the first posting")
			}
			return slices.Contains([]string{posting(1), posting(2), posting(4)}, string(raw))
		})
		var got []string
		for posting, err := range stream.All() {
			if err != nil {
				got = append(got, "broken: "+err.Error())
				continue
			}
			got = append(got, strconv.Itoa(int(posting.JobPostingID)))
		}
		if page, ok := stream.Page(); ok {
			got = append(got, "of", strconv.Itoa(page.TotalNumberOfJobs))
		}
		before, after, broken := strings.Cut(want, "broken: ")
		if text := strings.Join(got, " "); text != want && (!broken || !strings.HasPrefix(text, before) || !strings.Contains(text, after)) {
			t.Errorf("%s, not %s", text, want)
		}
	}
}

// What a stream skips is settled before it is read, and is skipped again when it is read again.
func TestPostingStreamSkipAfterAll(t *testing.T) {
	c := served(t, jobboard.Config{ClientID: "10"}, func(r *http.Request) *http.Response {
		return answer(r, http.StatusOK, `{"totalNumberOfJobs":2,"results":[{"jobPostingId":1,"title":"Cook"},{"jobPostingId":2,"title":"Cook"}]}`)
	})
	stream := c.PostingStream(t.Context(), "channel", jobboard.Query{})
	stream.Skip(func([]byte) bool { return true })
	for range 2 {
		seen := 0
		for _, err := range stream.All() {
			if err != nil {
				t.Fatal(err)
			}
			seen++
			func() {
				defer func() {
					if recover() == nil {
						t.Error("Skip after All does not panic")
					}
				}()
				stream.Skip(nil)
			}()
		}
		if page, ok := stream.Page(); seen != 1 || !ok || page.TotalNumberOfJobs != 2 {
			t.Errorf("%d postings of %d", seen, page.TotalNumberOfJobs)
		}
	}
}

// A stream that is read a second time keeps nothing of the first time.
func TestPostingStreamReadAgain(t *testing.T) {
	status := http.StatusOK
	c := served(t, jobboard.Config{ClientID: "10"}, func(r *http.Request) *http.Response {
		return answer(r, status, `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"Cook"}]}`)
	})
	stream := c.PostingStream(t.Context(), "channel", jobboard.Query{})
	for _, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if page, ok := stream.Page(); !ok || page.TotalNumberOfJobs != 1 {
		t.Fatalf("%+v, %v", page, ok)
	}
	status = http.StatusForbidden
	for _, err := range stream.All() {
		if err == nil {
			t.Error("a posting")
		}
	}
	if page, ok := stream.Page(); ok || page.TotalNumberOfJobs != 0 {
		t.Errorf("after a refusal: %+v, %v", page, ok)
	}
}

// spaces is an answer that never begins.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// docs/retries.md names the bounds of answers.
func TestBoundsOfAnswers(t *testing.T) {
	for _, c := range []struct {
		name  string
		call  func(*jobboard.Client) error
		bound int
	}{
		{"search", func(c *jobboard.Client) error { return errOf(c.Search(t.Context(), "1", jobboard.Query{})) }, 64 << 20},
		{"lookup", func(c *jobboard.Client) error { return errOf(c.JobInformation(t.Context(), 1)) }, 4 << 20},
		{"applied", func(c *jobboard.Client) error {
			return errOf(withToken(c).HasApplied(t.Context(), 1))
		}, 4 << 20},
		{"transport", func(c *jobboard.Client) error {
			resp, err := c.Transport().RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", http.NoBody))
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			return errOf(io.Copy(io.Discard, resp.Body))
		}, 64 << 20},
	} {
		client := served(t, jobboard.Config{JobDBURL: base, ClientID: "10"}, func(r *http.Request) *http.Response {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(spaces{}), Request: r}
		})
		want := fmt.Sprintf("more than %d bytes", c.bound)
		if err := c.call(client); !errors.Is(err, jobboard.ErrResponseTooLarge) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", c.name, err, want)
		}
	}
}

// The body of a refusal is looked at up to 64 KiB. A body that is cut off after 64 KiB is
// accepted; the rest of a body that is cut off before them is unknown, so the refusal has no
// meaning.
func TestRefusalsCutOff(t *testing.T) {
	together := iotest.DataErrReader
	apart := func(r io.Reader) io.Reader { return r }
	for behind, taken := range map[int]bool{-1: false, 0: false, 1: true, 100: true} {
		for _, end := range []func(io.Reader) io.Reader{together, apart} {
			client := served(t, jobboard.Config{ClientID: "10", Retry: jobboard.RetryPolicy{MaxAttempts: 1}}, func(r *http.Request) *http.Response {
				body := strings.NewReader(strings.Repeat(" ", 64<<10+behind))
				cut := end(io.MultiReader(body, iotest.ErrReader(io.ErrUnexpectedEOF)))
				return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: io.NopCloser(cut), ContentLength: -1, Request: r}
			})
			_, err := client.Search(t.Context(), "1", jobboard.Query{})
			var e *jobboard.Error
			if !errors.As(err, &e) || e.StatusCode != http.StatusNotFound || errors.Is(err, jobboard.ErrTransport) == taken {
				t.Errorf("%d bytes behind them: %v", behind, err)
			}
		}
	}
}

// A service may say back what was searched for, and where: no error shows it.
func TestErrorHidesWhatWasSearchedFor(t *testing.T) {
	q := jobboard.Query{Text: "night nurse", Near: jobboard.Near(52.520014, 13.373006, 50)}
	for _, said := range []string{
		"no search for night nurse around 52.520014::13.373006::50",
		"/jobs?geoLocation=52.520014%3A%3A13.373006%3A%3A50&search=night+nurse",
	} {
		for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
			_, err := answering(t, jobboard.Config{ClientID: "10"}, status, said).Search(t.Context(), "channel", q)
			var e *jobboard.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			shown := err.Error() + string(e.Body)
			for _, part := range []string{"night", "52.52", "13.37"} {
				if strings.Contains(shown, part) {
					t.Errorf("%d, %q: shows %q: %s", status, said, part, shown)
				}
			}
		}
	}
}

// readmeLoop reads postings as the loop in README.md does, and returns their identifiers and the error
// that ends it.
func readmeLoop(c *jobboard.Client, t *testing.T) (ids []jobboard.JobPostingID, err error) {
	t.Helper()
	for posting, err := range c.Postings(t.Context(), "channel", jobboard.Query{Text: "nurse"}) {
		if err != nil {
			return ids, err
		}
		ids = append(ids, posting.JobPostingID)
	}
	return ids, nil
}

// TestReadmeLoop holds that a loop that returns at an error has had every good posting of an answer,
// wherever one of a thousand is odd, and that the error says what could not be read.
func TestReadmeLoop(t *testing.T) {
	for odd, want := range map[string]string{
		`{"jobPostingId":7,"title":null}`:                    "",
		`{"jobPostingId":7,"config":{"x":1,"y":{"z":[]}}}`:   "",
		`{"jobPostingId":7,"jobStartDate":"soon"}`:           "",
		`{"jobPostingId":"seven","title":"t"}`:               "jobPostingId not an integer",
		`{"title":"t"}`:                                      "jobPostingId is missing",
		`{"jobPostingId":7,"title":"a","title":"b"}`:         "title occurs twice",
		`{"jobPostingId":7,"config":{"own":[],"own":["x"]}}`: "config.* occurs twice",
		`null`: "not an object",
	} {
		for _, at := range []int{0, 500, 999} {
			var body strings.Builder
			body.WriteString(`{"totalNumberOfJobs":1000,"results":[`)
			var good []jobboard.JobPostingID
			for i := range 1000 {
				if i > 0 {
					body.WriteString(",")
				}
				switch {
				case i == at:
					body.WriteString(odd)
				default:
					fmt.Fprintf(&body, `{"jobPostingId":%d,"title":"Nurse"}`, 1000+i)
				}
				switch {
				case i != at:
					good = append(good, jobboard.JobPostingID(1000+i))
				case want == "":
					good = append(good, 7)
				}
			}
			body.WriteString("]}")
			c := answering(t, jobboard.Config{ClientID: "10"}, http.StatusOK, body.String())
			ids, err := readmeLoop(c, t)
			if !slices.Equal(ids, good) {
				t.Errorf("%s at %d: %d postings, want %d", odd, at, len(ids), len(good))
			}
			var unreadable *jobboard.UnreadableError
			if want == "" {
				if err != nil {
					t.Errorf("%s at %d: %v", odd, at, err)
				}
			} else if !errors.As(err, &unreadable) || !errors.Is(err, jobboard.ErrDecode) || unreadable.Count != 1 ||
				len(unreadable.Errors) != 1 || unreadable.Errors[0].Position != at || !strings.Contains(err.Error(), fmt.Sprintf("results[%d]", at)) ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s at %d: %v", odd, at, err)
			}
			stream := c.PostingStream(t.Context(), "channel", jobboard.Query{})
			streamed := 0
			for _, err := range stream.All() {
				if err == nil {
					streamed++
				}
			}
			page, whole := stream.Page()
			found, err := c.Search(t.Context(), "channel", jobboard.Query{})
			if err != nil || !whole || streamed != len(good) {
				t.Fatalf("%d postings, whole: %t, %v", streamed, whole, err)
			}
			if n := min(len(want), 1); page.Unreadable != n || found.Unreadable != n || len(page.UnreadableErrors) != n ||
				len(found.UnreadableErrors) != n || found.Partial() != (n > 0) || len(found.Results) != len(good) {
				t.Errorf("%s at %d: %+v, and %d postings with %v", odd, at, page, len(found.Results), found.UnreadableErrors)
			}
		}
	}
}

// A stream in which no entry can be read fails as a call: one request, an *Error that names the first.
func TestNoPostingOfStreamCanBeRead(t *testing.T) {
	sent := 0
	c := served(t, jobboard.Config{ClientID: "10"}, func(r *http.Request) *http.Response {
		sent++
		return answer(r, http.StatusOK, `{"totalNumberOfJobs":2,"results":[{"jobPostingId":0},{}]}`)
	})
	ids, err := readmeLoop(c, t)
	var failed *jobboard.Error
	if len(ids) > 0 || !errors.As(err, &failed) || !errors.Is(err, jobboard.ErrDecode) || !strings.Contains(err.Error(), "results[0].jobPostingId not 1 or more") || sent != 1 {
		t.Errorf("%v, %v, %d requests", ids, err, sent)
	}
}
