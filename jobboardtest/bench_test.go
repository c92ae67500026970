package jobboardtest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// bigBoard holds 10 000 postings of some 3 KB, spread over central Europe.
func bigBoard(tb testing.TB, opts ...jobboardtest.Option) *jobboardtest.Server {
	srv := jobboardtest.New(tb, opts...)
	srv.AddClient(jobboardtest.Client{ID: "10"})
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

// The mix of a partner: searches within a radius, most of them new, lookups and
// applied checks, over sockets. The figure to reach is 2000 requests a second on two cores.
func BenchmarkMix(b *testing.B) {
	srv := bigBoard(b)
	user := srv.UserToken(srv.AddApplicant(jobboardtest.Applicant{}).ID)
	run := func(b *testing.B, path func(n int64) (string, string)) {
		var n atomic.Int64
		b.SetParallelism(16)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				url, token := path(n.Add(1))
				req, _ := http.NewRequest("GET", url, nil)
				switch {
				case token != "":
					req.Header.Set("Authorization", "Bearer "+token)
				case strings.HasPrefix(url, srv.BaseURL):
					req.SetBasicAuth("10", "")
				}
				res, err := srv.Client().Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				if res.StatusCode != 200 {
					b.Errorf("%s: %d", url, res.StatusCode)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	}
	radius := func(n int64) (string, string) {
		return fmt.Sprintf("%s%s?geoLocation=%.5f::%.5f::15", srv.BaseURL, searchPath, 46+float64(n%8999)*0.001, 6+float64(n%11999)*0.001), ""
	}
	text := func(n int64) (string, string) {
		return fmt.Sprintf("%s%s?search=number%d", srv.BaseURL, searchPath, n%10_000), ""
	}
	lookup := func(n int64) (string, string) {
		return fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, 100_000+n%10_000), ""
	}
	applied := func(n int64) (string, string) {
		return fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, 100_000+n%10_000), user
	}
	b.Run("mix", func(b *testing.B) {
		run(b, func(n int64) (string, string) {
			switch n % 5 {
			case 0, 1:
				return radius(n)
			case 2:
				return text(n % 200)
			case 3:
				return lookup(n)
			}
			return applied(n)
		})
	})
	b.Run("radius", func(b *testing.B) { run(b, radius) })
	b.Run("text", func(b *testing.B) { run(b, text) })
	b.Run("lookup", func(b *testing.B) { run(b, lookup) })
	b.Run("applied", func(b *testing.B) { run(b, applied) })
}
