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

// How long a call takes while 32 callers ask as fast as they can, over sockets,
// with 10 000 postings loaded: every other call is a search within 50 km of a
// place of its own, some 40 postings of 3 KB each, the rest lookups and applied
// checks. The figure to reach is 2000 requests a second on two cores, callers
// included.
func BenchmarkLoad(b *testing.B) {
	srv := bigBoard(b)
	who := srv.AddApplicant(jobboardtest.Applicant{})
	user := srv.UserToken(who.ID)
	var (
		n     atomic.Int64
		bytes atomic.Int64
		mu    sync.Mutex
		took  []time.Duration
	)
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		var own []time.Duration
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
		}()
		for pb.Next() {
			i := n.Add(1)
			url, token := fmt.Sprintf("%s%s?geoLocation=%.5f::%.5f::50", srv.BaseURL, searchPath, 46+float64(i%8999)*0.001, 6+float64(i%11999)*0.001), ""
			switch i % 4 {
			case 1:
				url = fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, 100_000+i%10_000)
			case 3:
				url, token = fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, 100_000+i%10_000), user
			}
			req, _ := http.NewRequest("GET", url, nil)
			switch {
			case token != "":
				req.Header.Set("Authorization", "Bearer "+token)
			case strings.HasPrefix(url, srv.BaseURL):
				req.SetBasicAuth("10", "")
			}
			began := time.Now()
			res, err := srv.Client().Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			if res.StatusCode != 200 {
				b.Errorf("%s: %d", url, res.StatusCode)
			}
			k, _ := io.Copy(io.Discard, res.Body)
			res.Body.Close()
			bytes.Add(k)
			own = append(own, time.Since(began))
		}
	})
	slices.Sort(took)
	ms := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(ms(0.5), "ms-p50")
	b.ReportMetric(ms(0.99), "ms-p99")
	b.ReportMetric(float64(bytes.Load())/float64(b.N), "bytes/answer")
}
