package crowds_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// pairService answers each applicant only about jobs of its own, and counts
// what does not belong together. An applicant is a number; the tokens are
// "user-<n>-<generation>", the jobs n*1000 to n*1000+999.
type pairService struct {
	requests, mixed atomic.Int64
	expire          bool // answer some first tokens with an expired 401, some calls with 503
}

func (s *pairService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.requests.Add(1)
	who, generation := applicantOf(bearerOf(r))
	part := strings.Split(r.URL.Path, "/")
	var job int
	if len(part) >= 2 {
		job, _ = strconv.Atoi(part[len(part)-2])
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/jobs"): // a search: by client or applicant, the text says by whom
		if text := r.URL.Query().Get("search"); text != "by "+strings.SplitN(bearerOf(r), "-", 3)[0]+strconv.Itoa(who) {
			s.mixed.Add(1)
		}
		writeMaybeZipped(w, n, fmt.Sprintf(`{"totalNumberOfJobs":1,"results":[{"jobPostingId":%d,"title":"for %d"}]}`, who+1,
			who))
	case strings.HasSuffix(r.URL.Path, "/external"): // a lookup: without any credential
		job, _ = strconv.Atoi(r.URL.Query().Get("jobid"))
		if r.Header.Get("Authorization") != "" {
			s.mixed.Add(1)
		}
		writeMaybeZipped(w, n, fmt.Sprintf(`{"jobId":%d,"jobTitle":"job %d","applyPossible":true}`, job, job))
	case job/1000 != who || who == 0:
		s.mixed.Add(1)
		w.WriteHeader(http.StatusForbidden)
	case s.expire && generation == 1 && job%50 == 49:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
	case s.expire && n%97 == 0:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "not now, %s", bearerOf(r))
	case strings.HasSuffix(r.URL.Path, "/applied"):
		writeMaybeZipped(w, n, strconv.FormatBool(job%2 == 0))
	default:
		writeMaybeZipped(w, n, fmt.Sprintf("application-%d-of-%d", job, who))
	}
}

func bearerOf(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func applicantOf(token string) (who, generation int) {
	part := strings.Split(token, "-")
	if len(part) == 3 {
		who, _ = strconv.Atoi(part[1])
		generation, _ = strconv.Atoi(part[2])
	}
	return who, generation
}

// writeMaybeZipped compresses every fourth answer, so that the pools of
// decompressors and buffers are used from all sides.
func writeMaybeZipped(w http.ResponseWriter, n int64, body string) {
	if n%4 != 0 {
		_, _ = io.WriteString(w, body)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(rig.Zip([]byte(body)))
}

// inMemory is a transport that calls a handler.
func inMemory(h http.Handler) http.RoundTripper {
	return rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec.Result(), r.Context().Err()
	})
}

// 200 goroutines call by 200 applicants on one client. Token and job, and the
// answer and its caller, belong together every time.
func TestApplicantsAreNotMixedUp(t *testing.T) {
	calls := 10_000
	if rig.Race { // 100 calls of each applicant, of which two with a token that expired
		calls = 20_000
	}
	if testing.Short() {
		calls = 4_000
	}
	mixRun(t, "in memory", calls, func(service http.Handler) (string, http.RoundTripper) {
		return "https://api.example", inMemory(service)
	})
	mixRun(t, "loopback", calls/10, func(service http.Handler) (string, http.RoundTripper) {
		server := httptest.NewServer(service)
		t.Cleanup(server.Close)
		transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
		t.Cleanup(transport.CloseIdleConnections)
		return server.URL, transport
	})
}

func mixRun(t *testing.T, name string, calls int, start func(http.Handler) (string, http.RoundTripper)) {
	const applicants = 200
	service := &pairService{expire: true}
	base, transport := start(service)
	c := rig.Client(t, jobboard.Config{
		BaseURL: base, JobDBURL: base, TokenSource: jobboard.StaticToken("client-0-1"),
		HTTPClient: &http.Client{Transport: transport},
		Retry: jobboard.RetryPolicy{
			MinWait: time.Nanosecond, MaxWait: time.Nanosecond, Budget: -1,
			AttemptTimeout: time.Hour, StallTimeout: time.Hour, // a busy machine is no failure
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var wrong, failed, done atomic.Int64
	var first sync.Once
	bad := func(counter *atomic.Int64, format string, args ...any) {
		counter.Add(1)
		first.Do(func() { t.Errorf(format, args...) })
	}
	began := time.Now()
	var wg sync.WaitGroup
	for i := range applicants {
		who := i + 1
		var generation atomic.Int64
		renewing := jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			return &oauth2.Token{AccessToken: fmt.Sprintf("user-%d-%d", who, generation.Add(1))}, nil
		})
		wg.Go(func() {
			for call := range calls / applicants {
				source := renewing
				if call%5 == 0 { // an Applicant for one request, as a server makes them
					source = jobboard.StaticToken(fmt.Sprintf("user-%d-2", who))
				}
				a := c.Applicant(source)
				job := jobboard.JobID(who*1000 + call%1000)
				var err error
				switch call % 10 {
				case 0, 1, 2, 3, 4:
					var applied bool
					if applied, err = a.HasApplied(ctx, job); err == nil && applied != (job%2 == 0) {
						bad(&wrong, "%d: applied is %v", job, applied)
					}
				case 5, 6, 7:
					var id jobboard.ApplicationID
					if id, err = a.ApplicationID(ctx, job); err == nil && string(id) != fmt.Sprintf("application-%d-of-%d", job, who) {
						bad(&wrong, "%d: application %q", job, id)
					}
				case 8:
					var info *jobboard.JobInformation
					if info, err = c.JobInformation(ctx,
						job); err == nil && (info.JobID != job || info.JobTitle != fmt.Sprintf("job %d", job)) {
						bad(&wrong, "%d: information about %d, %q", job, info.JobID, info.JobTitle)
					}
				case 9:
					var page *jobboard.JobSearchResult
					as, number := "user", who
					if call%20 == 9 {
						as, number = "client", 0
						page, err = c.Search(ctx, "ch", jobboard.Query{Text: "by client0"})
					} else {
						page, err = a.Search(ctx, "ch", jobboard.Query{Text: fmt.Sprintf("by user%d", who)})
					}
					if err == nil && (len(page.Results) != 1 || page.Results[0].Title != fmt.Sprintf("for %d", number)) {
						bad(&wrong, "search by %s %d: %v", as, number, page.Results)
					}
				}
				if err != nil {
					bad(&failed, "applicant %d, job %d: %v", who, job, err)
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	t.Logf("figure: mix-ups, %s: %d calls by %d applicants, %d requests in %v: "+
		"%d seen by the service, %d wrong answers, %d failures",
		name, done.Load(), applicants, service.requests.Load(), time.Since(began).Round(time.Millisecond),
		service.mixed.Load(), wrong.Load(), failed.Load())
	if service.mixed.Load() != 0 {
		t.Errorf("%s: %d requests had a token and a job that do not belong together", name, service.mixed.Load())
	}
}
