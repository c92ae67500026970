package jobboardtest_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// bigBoard holds 10 000 postings of some 3 KB, spread over central Europe.
func bigBoard(tb testing.TB) *jobboardtest.Server {
	srv := jobboardtest.New(tb)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	ad := "<p>" + strings.Repeat("We care for people and places. ", 90) + "</p>"
	for i := range int64(10_000) {
		srv.AddJob(jobboardtest.Job{ID: 100_000 + i, Title: fmt.Sprintf("Job %d", i), Location: jobboardtest.Location{
			Lat: fmt.Sprintf("%.4f", 46+float64(i%100)*0.09), Long: fmt.Sprintf("%.4f", 6+float64(i/100)*0.12),
		}})
		srv.AddPosting(jobboardtest.Posting{
			ID: 500_000 + i, JobID: 100_000 + i, Title: fmt.Sprintf("Job number%d", i), Channels: []string{"27828_extern"}, Language: "en",
			Config: map[string][]string{"platform_internalAdText": {ad}, "jobcategory": {fmt.Sprint(i % 17)}},
		})
	}
	return srv
}

// How long a call takes while 32 callers ask as fast as they can, over sockets. The
// figure to reach is 2000 requests a second of the mix of a partner on two cores,
// callers included: searches within a radius, most of them new and with some 40
// postings, searches for a word, lookups and applied checks.
func BenchmarkMix(b *testing.B) {
	srv := bigBoard(b)
	user := srv.UserToken(srv.AddApplicant(jobboardtest.Applicant{}).ID)
	type operation func(n int64) (url, credential string)
	radius := func(n int64) (string, string) {
		return fmt.Sprintf("%s%s?geoLocation=%.5f::%.5f::50", srv.BaseURL, searchPath, 46+float64(n%8999)*0.001, 6+float64(n%11999)*0.001), "10:"
	}
	text := func(n int64) (string, string) {
		return fmt.Sprintf("%s%s?search=number%d", srv.BaseURL, searchPath, n%10_000), "10:"
	}
	lookup := func(n int64) (string, string) {
		return fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, 100_000+n%10_000), ""
	}
	applied := func(n int64) (string, string) {
		return fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, 100_000+n%10_000), user
	}
	for _, c := range []struct {
		name string
		mix  []operation
	}{
		{"mix", []operation{radius, radius, text, lookup, applied}},
		{"radius", []operation{radius}},
		{"text", []operation{text}},
		{"lookup", []operation{lookup}},
		{"applied", []operation{applied}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var n, bytes atomic.Int64
			var mu sync.Mutex
			var took []time.Duration
			b.SetParallelism(16)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				var own []time.Duration
				for pb.Next() {
					i := n.Add(1)
					url, credential := c.mix[i%int64(len(c.mix))](i)
					began := time.Now()
					bytes.Add(load(b, srv, url, credential))
					own = append(own, time.Since(began))
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, own...)
			})
			slices.Sort(took)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
			b.ReportMetric(float64(bytes.Load())/float64(b.N), "bytes/answer")
		})
	}
}

// load asks as get does, from any goroutine, and returns the size of the answer.
func load(b *testing.B, srv *jobboardtest.Server, url, credential string) int64 {
	req, _ := http.NewRequest("GET", url, nil)
	req.Header = credentialHeader(credential)
	res, err := srv.Client().Do(req)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		b.Errorf("%s: %d", url, res.StatusCode)
	}
	size, _ := io.Copy(io.Discard, res.Body)
	return size
}
